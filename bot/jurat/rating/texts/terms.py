"""What the law is about in the languages of those who write for it, from rules/terms.yml.

English stands with what reads it. A word of another language tells no more than the English one
does: whom a field is about, what a page gives an account of, and never that something is done.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Literal

from pydantic import Field

from jurat.errors import RuleError
from jurat.rating.texts.spellings import list_spellings
from jurat.resources import get_bundled_path
from jurat.rules.compiled_files import READING_ROOMS, recall_or_make
from jurat.rules.validation import StrictModel, validate_document
from jurat.source.strict_yaml import parse_yaml

Language = Literal["de", "fr", "es", "it", "pt", "nl", "pl"]
_ROOMS = (*READING_ROOMS, "rating")


class TermTable(StrictModel):
    """The words of each concept by language, apart by blanks: `_` is a blank, `*` any ending."""

    terms: Mapping[str, Mapping[Language, str]] = Field(min_length=1)


@cache
def load_terms() -> TermTable:
    """What the shipped rules/terms.yml says. Raises RuleError at its line."""
    path, text = "jurat:terms.yml", get_bundled_path("rules", "terms.yml").read_text("utf-8")

    def parse() -> TermTable:
        return validate_document(TermTable, parse_yaml(text, path, RuleError), path, RuleError)

    return recall_or_make("terms", {path: text}, parse, _ROOMS)


@cache
def list_terms(concept: str) -> tuple[str, ...]:
    """The words of a concept in all languages, in every spelling; none of one that has none."""
    by_language = load_terms().terms.get(concept, {})
    words = (word for said in by_language.values() for word in said.split())
    return tuple(dict.fromkeys(spelt for word in words for spelt in list_spellings(word)))


def build_name_choices(concept: str) -> str:
    """An expression for the names of a concept, as `split_name` writes them."""
    words = sorted(list_terms(concept), key=len, reverse=True)
    return "|".join(re.escape(word).replace(r"\*", "[a-z]*") for word in words)


def build_phrase_choices(concept: str) -> str:
    """An expression for the words of a concept in a text in lower case."""
    words = sorted(list_terms(concept), key=len, reverse=True)
    return "|".join(re.escape(word).replace("_", " ").replace(r"\*", r"\w*") for word in words)


def build_stem_choices(concept: str) -> str:
    """An expression for what the words of a concept begin with, wherever they stand in a name."""
    words = sorted(list_terms(concept), key=len, reverse=True)
    return "|".join(re.escape(word.removesuffix("*")) for word in words)
