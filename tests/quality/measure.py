"""What the shipped defaults say of labelled changes."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from jurat.cli.backtest import evaluate_inputs
from jurat.cli.checkout import CommitRange, GitCheckout, read_change
from jurat.cli.rule_files import NO_CONFIGURATION, load_local_ruleset
from jurat.findings.evaluation import Evaluation
from jurat.review_interfaces import Inputs
from jurat.source.diff import Diff
from tests.quality.cases import Case, write_cases

TODAY = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)
"""A day that stands, so that no rule begins or ends between two runs."""

NEAR = 3
"""Lines between a finding and the place that the label names, at most, for the two to be one."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was said of one case. `blocks` is whether the check would stop it.

    `by_right` is whether it still would if a rule blocked only once its bound has earned it that.
    """

    case: Case
    blocks: bool
    by_right: bool
    rules: tuple[str, ...]
    blocking_rules: tuple[str, ...]
    is_placed: bool


def measure_cases(cases: Sequence[Case], folder: Path) -> tuple[Outcome, ...]:
    """Each case reviewed by the shipped defaults, without a model; `folder` is empty."""
    write_cases(folder, cases)
    return asyncio.run(_measure(cases, folder))


async def _measure(cases: Sequence[Case], folder: Path) -> tuple[Outcome, ...]:
    rule_set, configuration = load_local_ruleset(NO_CONFIGURATION)
    outcomes = []
    with GitCheckout.containing(folder) as repository:
        for case in cases:
            change = read_change(repository, _find_ends(repository, case))
            evaluation = await evaluate_inputs(Inputs(change, rule_set, configuration), TODAY)
            outcomes.append(_judge(case, evaluation, change))
    return tuple(outcomes)


def _find_ends(repository: GitCheckout, case: Case) -> CommitRange:
    ends = [repository.commit(f"refs/heads/{case.id}/{side}") for side in ("base", "head")]
    base, head = ends
    assert base, case.id
    assert head, case.id
    return CommitRange(base, head, head)


def _judge(case: Case, evaluation: Evaluation, change: Diff) -> Outcome:
    findings = [item for item in evaluation.findings if not item.shadow and item.waiver is None]
    places = set(find_lines(case))
    placed = any(
        finding.location is None
        or finding.location.start_line is None
        or any(
            path == finding.path and abs(line - finding.location.start_line) <= NEAR
            for path, line in places
        )
        for finding in findings
    )
    return Outcome(
        case,
        # Not by the conclusion: no model is asked here, and what it would judge stays open.
        blocks=any(item.blocks for item in findings),
        by_right=any(
            item.blocks and item.rule.merit is not None and item.rule.merit.is_earned
            for item in findings
        ),
        rules=tuple(sorted({item.rule.id for item in findings})),
        blocking_rules=tuple(sorted({item.rule.id for item in findings if item.blocks})),
        is_placed=placed or not places,
    )


def find_lines(case: Case) -> Iterator[tuple[str, int]]:
    """The lines that hold the label's text, in the head, else in the base."""
    for path, file in case.files.items():
        for text in (file.head, file.base):
            if case.at and text and case.at in text:
                yield path, text[: text.index(case.at)].count("\n") + 1
                break
