r"""Rule sets that users write: a YAML file of rules that look for words or for a pattern.

version: 1
name: acme_reviews_v1
sub_scores: [specificity, reasons]      # their order; left out: as the rules name them
flag_below: {specificity: 0.5}          # left out: quality_floor (0.3) for each sub-score
rules:
  - id: acme.names-owner
    description: An owner is named.
    weight: 0.6
    sub_score: specificity
    words: [owner, "accountab*"]        # or regex: '\bADR-\\d+\b' (RE2)
    citation: House rule 12
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from jurat.audit.checklist import (
    DEFAULT_QUALITY_FLOOR,
    Check,
    ChecklistRule,
    Floors,
    RuleEvidence,
    RuleSet,
)
from jurat.audit.checks import build_from_span, build_phrase_check
from jurat.audit.text import Phrases, parse_text
from jurat.errors import RuleError
from jurat.rules.constraints import compile_regex, lint_regex
from jurat.rules.validation import StrictModel, raise_errors, suggest, validate_document
from jurat.source.strict_json import KeyPath, format_key_path
from jurat.source.strict_yaml import Document, parse_yaml

Share = Annotated[float, Field(ge=0, le=1)]
Name = Annotated[str, Field(min_length=1, max_length=128)]


def _check_phrase(text: str) -> str:
    Phrases.of(text)
    return text


class CustomRule(StrictModel):
    """One rule of a file. It has either `words` or a `regex`, matched in any letter case."""

    id: Name
    description: Name
    weight: Annotated[float, Field(gt=0, le=1)]
    sub_score: Name
    words: Annotated[
        tuple[Annotated[str, AfterValidator(_check_phrase)], ...], Field(min_length=1)
    ] = ()
    regex: str | None = None
    citation: str = ""


class CustomSet(StrictModel):
    """A file as it stands on disk."""

    version: Literal[1] = 1
    name: Name
    sub_scores: tuple[Name, ...] = ()
    quality_floor: Share = DEFAULT_QUALITY_FLOOR
    flag_below: Mapping[str, Share] = Field(default_factory=dict)
    rules: Annotated[tuple[CustomRule, ...], Field(min_length=1)]


def load_rule_set(path: str, text: str) -> RuleSet:
    """The rule set in the text of the file `path`.

    Raises the first RuleError by line, the others in its `further`.
    """
    document = parse_yaml(text, path, RuleError)
    written = validate_document(CustomSet, document, path, RuleError)
    raise_errors(
        RuleError(path, document.line(where), format_key_path(where), problem)
        for where, problem in _find_problems(written, document)
    )
    sub_scores = written.sub_scores or _list_sub_scores(written)
    floors = written.flag_below or dict.fromkeys(sub_scores, written.quality_floor)
    return RuleSet(
        written.name,
        tuple(_build_rule(item) for item in written.rules),
        sub_scores,
        written.quality_floor,
        Floors(floors),
    )


def _list_sub_scores(written: CustomSet) -> tuple[str, ...]:
    return tuple(dict.fromkeys(rule.sub_score for rule in written.rules))


def _find_problems(written: CustomSet, document: Document) -> Iterator[tuple[KeyPath, str]]:
    named = _list_sub_scores(written)
    known = written.sub_scores or named
    for index, name in enumerate(written.sub_scores):
        if name not in named:
            yield ("sub_scores", index), "no rule has this sub-score, so it would always be 0"
        if name in written.sub_scores[:index]:
            yield ("sub_scores", index), "stands twice"
    for name in written.flag_below:
        if name not in known:
            yield ("flag_below", name), f"unknown sub-score; {suggest(known, name)}"
    first: dict[str, int] = {}
    for index, rule in enumerate(written.rules):
        where: KeyPath = ("rules", index)
        if rule.id in first:
            line = document.line(("rules", first[rule.id], "id"))
            yield (*where, "id"), f"the id {rule.id!r} stands on line {line} already"
        first.setdefault(rule.id, index)
        if rule.sub_score not in known:
            problem = f"unknown sub-score {rule.sub_score!r}; {suggest(known, rule.sub_score)}"
            yield (*where, "sub_score"), problem
        if bool(rule.words) == (rule.regex is not None):
            yield where, "needs either words or a regex, and not both"
        elif rule.regex is not None and (flaw := lint_regex(rule.regex, "every response")):
            yield (*where, "regex"), flaw


def _build_rule(written: CustomRule) -> ChecklistRule:
    check = (
        _build_pattern_check(written.regex)
        if written.regex is not None
        else build_phrase_check(Phrases.of(*written.words), "one of its words")
    )
    return ChecklistRule(
        written.id,
        written.description,
        written.weight,
        written.sub_score,
        check,
        written.citation,
    )


def _build_pattern_check(pattern: str) -> Check:
    expression = compile_regex(f"(?i){pattern}")

    def check(_q: str, response: str, _c: str | None, _m: dict[str, Any]) -> RuleEvidence:
        match = expression.search(parse_text(response).text.encode("utf-8", "replace"))
        span = match.group().decode("utf-8", "replace").lower() if match else ""
        return build_from_span(span, "its pattern matches", "its pattern does not match")

    return check
