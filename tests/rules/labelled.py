"""The labelled changes: small changes, and the rules that should be asked about each."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from jurat.facts.context import EvaluationContext, Subject, SubjectKind
from jurat.rules.files import read_rule_files
from jurat.rules.loader import load_ruleset
from jurat.rules.relevance import Relevance, rank_by_words
from jurat.rules.rule import Rule, RuleSet, Severity
from jurat.rules.selection import SelectionCriteria, filter_by_metadata, rank_rules
from jurat.source.diff import FileChange, FileStatus, Hunk, Line
from jurat.source.languages import detect_language

FOLDER = Path(__file__).parents[2] / "fixtures" / "labelled_changes"
TODAY = dt.date(2026, 11, 1)
EVERYTHING = SelectionCriteria(severity_min=Severity.LOW)


@dataclass(frozen=True, slots=True)
class LabelledChange:
    """A change, and the ids of the rules that are right for it."""

    context: EvaluationContext
    right: frozenset[str]


@dataclass(frozen=True, slots=True)
class Recall:
    """How many of the right rules stand among the first 10 and 20, of how many."""

    labels: int
    at_10: int
    at_20: int


@cache
def rule_set() -> RuleSet:
    return load_ruleset(read_rule_files([FOLDER / "rules"]))


@cache
def changes() -> tuple[LabelledChange, ...]:
    rows: list[dict[str, Any]] = yaml.safe_load((FOLDER / "changes.yml").read_text("utf-8"))
    return tuple(_change(row) for row in rows)


def _change(row: Mapping[str, Any]) -> LabelledChange:
    files = tuple(_file(path, added) for path, added in row["files"].items())
    intent = "\n\n".join(part for part in (row["title"], row.get("body")) if part)
    context = EvaluationContext((Subject(SubjectKind.CODE_DIFF, files),), intent=intent)
    return LabelledChange(context, frozenset(row["right"]))


def _file(path: str, added: Sequence[str]) -> FileChange:
    lines = tuple(Line("added", None, number, text) for number, text in enumerate(added, 1))
    hunks = (Hunk(0, 0, 1, len(lines), "", lines),) if lines else ()
    return FileChange(path, FileStatus.MODIFIED, language=detect_language(path), hunks=hunks)


def candidates(change: LabelledChange) -> list[Rule]:
    """The rules whose metadata fits."""
    fitting, _ = filter_by_metadata(change.context, rule_set(), EVERYTHING, TODAY)
    return fitting


def by_relevance(change: LabelledChange, relevance: Relevance = rank_by_words) -> list[Rule]:
    """The candidates by relevance alone, best first."""
    rules = candidates(change)
    scores = relevance(change.context, rule_set(), rules)
    return [rules[at] for at in sorted(range(len(rules)), key=lambda at: -scores[at])]


def by_authority(change: LabelledChange) -> list[Rule]:
    """The candidates by relevance and authority, best first."""
    return rank_rules(change.context, rule_set(), candidates(change), rank_by_words)


def recall(rankings: Sequence[Sequence[Rule]]) -> Recall:
    """Of one ranking for each change, in their order."""
    labels = at_10 = at_20 = 0
    for change, ranking in zip(changes(), rankings, strict=True):
        labels += len(change.right)
        at_10 += len(change.right & {rule.id for rule in ranking[:10]})
        at_20 += len(change.right & {rule.id for rule in ranking[:20]})
    return Recall(labels, at_10, at_20)
