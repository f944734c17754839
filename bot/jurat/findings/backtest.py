"""What rules would have said of changes that were merged, and the levels that this suggests.

A merged change passed its reviewers. A rule that would have stopped it was wrong about it, or saw
what they did not: later commits tell, since what was true is usually mended.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum

from jurat.findings.evaluation import Conclusion, Evaluation, is_blocking_unassessed
from jurat.findings.finding import Finding

NOISY_SHARE = 0.05
"""Changes in which a rule speaks, of all: above it people stop reading, unless it is mostly right.

Tricorder drops an analyzer of whose findings more than 10% are "not useful" (Sadowski et al.,
Lessons from Building Static Analysis Tools at Google, CACM 61(4), 2018); half of that is left to
the other rules.
"""

EXAMPLES = 3
"""Firings shown of one rule."""


class Aftermath(StrEnum):
    """What later commits made of the code that a rule reported."""

    STANDS = "stands"
    FIXED = "fixed"
    FILE_GONE = "file gone"


@dataclass(frozen=True, slots=True)
class ReplayedFinding:
    """One finding in one merged change, whose file is `path` and whose `line` is the head's.

    `code` is what stands there without white space, empty if nothing names the place. `blocks` is
    whether it alone would have stopped the change.
    """

    rule: str
    path: str
    line: int
    code: str
    message: str
    blocks: bool
    aftermath: Aftermath = Aftermath.STANDS


@dataclass(frozen=True, slots=True)
class ReplayedChange:
    """What the rules say of one merged change, and what the check would have concluded.

    `undecided` are the rules that would have had to be decided, and were not; `unread` are the
    files that could not be read, each with its reason. `problem` says why there is no review; it
    is empty if there is one.
    """

    commit: str
    title: str
    conclusion: Conclusion = Conclusion.SUCCESS
    firings: tuple[ReplayedFinding, ...] = ()
    undecided: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    problem: str = ""

    @property
    def is_stopped(self) -> bool:
        """Whether a required check would have kept the change from being merged."""
        return self.conclusion.blocks


class SuggestedLevel(StrEnum):
    """The levels that a backtest may suggest, as `levels:` in the configuration names them."""

    AS_IT_IS = ""
    WARN = "warn"
    OBSERVE = "observe"


@dataclass(frozen=True, slots=True)
class RuleBacktest:
    """How one rule did: firings, the changes that had one, and the changes that it stopped.

    `examples` are pairs of a commit and a firing in it, those that stop a change first.
    """

    rule: str
    firings: int
    changes: int
    stopped: int
    fixed: int
    suggested: SuggestedLevel
    reason: str
    examples: tuple[tuple[str, ReplayedFinding], ...]


@dataclass(frozen=True, slots=True)
class Backtest:
    """How all rules did on the replayed changes; `rules` are those that spoke, the worst first."""

    changes: tuple[ReplayedChange, ...]
    rules: tuple[RuleBacktest, ...]

    @property
    def reviewed(self) -> int:
        """Changes of which there is a review."""
        return sum(not change.problem for change in self.changes)

    @property
    def stopped(self) -> int:
        """Changes that a required check would have stopped."""
        return sum(change.is_stopped for change in self.changes)

    def count_gaps(self) -> Counter[str]:
        """What stopped a change by not being assessed, with the changes that each thing stopped.

        It is the files that were not read, or else the rules that were not decided.
        """
        return Counter(
            gap
            for change in self.changes
            if change.is_stopped and change.undecided
            for gap in change.unread or change.undecided
        )

    @property
    def levels(self) -> Mapping[str, SuggestedLevel]:
        """The suggestion for each rule that should not stay as it is."""
        return {item.rule: item.suggested for item in self.rules if item.suggested}


@dataclass(frozen=True, slots=True)
class LaterState:
    """What the same rules find today in the files of a change; `gone` are paths without a file."""

    findings: tuple[Finding, ...] = ()
    gone: frozenset[str] = frozenset()


def replay_evaluation(
    commit: str, title: str, evaluation: Evaluation, later: LaterState
) -> ReplayedChange:
    """What one review of a merged change comes to, and what later commits made of its findings."""
    remaining = frozenset(finding.id for finding in later.findings)
    return ReplayedChange(
        commit,
        title,
        conclusion=evaluation.conclusion,
        firings=tuple(
            _build_firing(finding, remaining, later.gone)
            for finding in evaluation.findings
            if finding.waiver is None
        ),
        undecided=tuple(
            item.rule.id for item in evaluation.rule_verdicts if is_blocking_unassessed(item)
        ),
        unread=tuple(f"{item.path}: {item.reason}" for item in evaluation.coverage.unread),
    )


def summarize_backtest(changes: Sequence[ReplayedChange]) -> Backtest:
    """How each rule that spoke did, the one that stopped the most changes first."""
    found: dict[str, list[tuple[ReplayedChange, ReplayedFinding]]] = defaultdict(list)
    for change in changes:
        for firing in change.firings:
            found[firing.rule].append((change, firing))
    reviewed = sum(not change.problem for change in changes)
    rules = [_summarize_rule(rule, pairs, reviewed) for rule, pairs in found.items()]
    return Backtest(
        tuple(changes),
        tuple(sorted(rules, key=lambda item: (-item.stopped, -item.changes, item.rule))),
    )


def _build_firing(finding: Finding, remaining: Set[str], gone: Set[str]) -> ReplayedFinding:
    location = finding.location
    aftermath = Aftermath.STANDS
    if finding.path is not None and finding.id not in remaining:
        aftermath = Aftermath.FILE_GONE if finding.path in gone else Aftermath.FIXED
    return ReplayedFinding(
        rule=finding.rule.id,
        path=finding.path or "",
        line=(location.start_line or 0) if location else 0,
        code=finding.code,
        message=finding.message,
        blocks=finding.blocks,
        aftermath=aftermath,
    )


def _summarize_rule(
    rule: str, pairs: Sequence[tuple[ReplayedChange, ReplayedFinding]], reviewed: int
) -> RuleBacktest:
    changes = len({change.commit for change, _ in pairs})
    stopped = len({change.commit for change, firing in pairs if firing.blocks})
    fixed = sum(firing.aftermath is Aftermath.FIXED for _, firing in pairs)
    suggested, reason = _suggest_level([firing for _, firing in pairs], changes, stopped, reviewed)
    ordered = sorted(pairs, key=lambda pair: not pair[1].blocks)
    return RuleBacktest(
        rule,
        firings=len(pairs),
        changes=changes,
        stopped=stopped,
        fixed=fixed,
        suggested=suggested,
        reason=reason,
        examples=tuple((change.commit, firing) for change, firing in ordered[:EXAMPLES]),
    )


def _suggest_level(
    firings: Iterable[ReplayedFinding], changes: int, stopped: int, reviewed: int
) -> tuple[SuggestedLevel, str]:
    """A level at which the rule would have stopped nothing that was merged and stands today."""
    # A file that is gone says nothing about whether its code was wrong.
    judged = [item for item in firings if item.aftermath is not Aftermath.FILE_GONE]
    fixed = [item for item in judged if item.aftermath is Aftermath.FIXED]
    share = changes / reviewed if reviewed else 0.0
    if share > NOISY_SHARE and len(fixed) * 2 < len(judged):
        return SuggestedLevel.OBSERVE, f"it speaks in {share:.0%} of the changes"
    unresolved = any(item.blocks and item.aftermath is not Aftermath.FIXED for item in judged)
    if stopped and (unresolved or not judged):
        return SuggestedLevel.WARN, "what it would have stopped was merged, and stands"
    if stopped:
        return SuggestedLevel.AS_IT_IS, "what it would have stopped was mended later"
    return SuggestedLevel.AS_IT_IS, "it would have stopped nothing"
