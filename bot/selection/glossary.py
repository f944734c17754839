"""What rules/glossary.yml says: words of several languages that mean the same."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal

from bot.corpus.validation import StrictModel, validate
from bot.errors import RuleError
from bot.resources import shipped
from bot.selection.words import Lexicon, Phrases
from bot.subjects.strict_yaml import parse_yaml


class Glossary(StrictModel):
    """Phrases by the concept that they stand for."""

    version: Literal[1] = 1
    concepts: Mapping[str, Phrases]


def parse_glossary(text: str, path: str) -> Lexicon:
    """A lexicon that hears the concepts of a glossary. Raises RuleError where it is broken."""
    glossary = validate(Glossary, parse_yaml(text, path, RuleError), path, RuleError)
    return Lexicon.of(glossary.concepts)


@cache
def shipped_glossary() -> Lexicon:
    """The concepts of the glossary that comes with Bylaw, rules/glossary.yml."""
    path = shipped("rules", "glossary.yml")
    return parse_glossary(path.read_text("utf-8"), str(path))
