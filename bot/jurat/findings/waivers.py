"""Stage 5's last step: what does not count, although it was found.

A verdict keeps what it says, and a finding its id. Each finding that does not count carries a
waiver, and the verdict counts no more once all of its findings have one.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import StrEnum
from hashlib import sha256
from types import MappingProxyType

from jurat.facts.context import EvaluationContext
from jurat.findings.convergence import KnownFinding
from jurat.findings.evaluation import Evaluation, Override, find_worst_outcome
from jurat.findings.finding import (
    Finding,
    SuppressionState,
    SuppressionStatus,
    Verdict,
    Waiver,
    WaiverKind,
)
from jurat.findings.verdict import RuleVerdict
from jurat.rules.level import Level
from jurat.rules.rule import RuleSet
from jurat.source.diff import FileChange, FileStatus
from jurat.source.parsing import ParseFailure, ParseMap, parse_in_process
from jurat.source.suppressions import (
    Suppression,
    has_suppression_marker,
    has_twin_marker,
    read_suppressions,
    read_twins,
)

# What people with permission have decided about findings. Kept by fingerprint, so that nobody has
# to say it again at the next push.


class DecisionKind(StrEnum):
    """What was decided.

    A dismissal holds until the finding is restored, a confirmation for one head, and so does an
    override, which is about the commit as a whole.
    """

    DISMISSED = "dismissed"
    RESTORED = "restored"
    CONFIRMED = "confirmed"
    OVERRIDDEN = "overridden"


@dataclass(frozen=True, slots=True)
class Decision:
    """One person's decision about one finding, or about a commit (see `WaiverScope.commit_print`).

    `repository` is "owner/name" as it was called then, and `repository_id` what it is known by;
    `fingerprint` and `code_print` are the Finding's `id` and
    `code_id`, `path` is where it stood, None for the change as a whole. `verdict` is what the rule
    had said, `revision` the rule's at that time. `by` is a login and `by_id` the account's id, `at`
    in UTC; `own` says that they wrote some of the change. `number`, `head_sha` and `evaluation_id`
    say on which pull request, commit and review it was decided, `job` by which job: one that
    runs twice decides once. `until` is the last day of an override, in UTC.
    """

    kind: DecisionKind
    repository: str
    number: int
    head_sha: str
    evaluation_id: str
    fingerprint: str
    code_print: str
    path: str | None
    rule_id: str
    revision: str
    verdict: Verdict
    by: str
    why: str
    at: dt.datetime
    by_id: int = 0
    own: bool = False
    job: str = ""
    repository_id: int = 0
    until: dt.date | None = None

    @property
    def waiver(self) -> Waiver:
        """Why the finding does not count; of a dismissal or a confirmation."""
        return Waiver(WaiverKind(self.kind), self.by, self.why, at=self.at, own=self.own)


@dataclass(frozen=True, slots=True)
class WaiverScope:
    """What is reviewed: decides which decisions hold here.

    `number` and `head_sha` are those of a pull request. In a merge group (`merging`) they are the
    last pull request's and the group's, and what was confirmed on the pull requests that it holds
    counts: each was queued by its own check. `base_ref` is the branch that it goes to.
    """

    number: int | None = None
    head_sha: str | None = None
    merging: bool = False
    base_ref: str | None = None

    @property
    def commit_print(self) -> str | None:
        """What an override of this very commit is kept by; None if there is nothing to override.

        The base is part of it: what may go to one branch need not go to another. A merge group is
        another commit, and may hold what nobody has looked at.
        """
        if self.merging or self.number is None or self.head_sha is None:
            return None
        return sha256(f"{self.number}@{self.head_sha}:{self.base_ref}".encode()).hexdigest()


def find_suppressions(
    context: EvaluationContext,
    findings: Iterable[Finding] = (),
    parse_map: ParseMap = parse_in_process,
) -> tuple[Suppression, ...]:
    """The suppressions in the files of the change, in order; then what is said to other tools.

    The latter is only read if one of `findings` is of a rule that such a tool has as well. A
    file that could not be parsed for them has none: what cannot be read excuses nothing.
    """
    own = [file for file in context.files if has_suppression_marker(file)]
    known = {finding.path for finding in findings if finding.rule.also_known_as}
    others = [file for file in context.files if file.path in known and has_twin_marker(file)]
    found = [
        *(parse_map(read_suppressions, own) if own else ()),
        *(parse_map(read_twins, others) if others else ()),
    ]
    return tuple(
        suppression for item in found if not isinstance(item, ParseFailure) for suppression in item
    )


def list_code_prints(evaluation: Evaluation, scope: WaiverScope) -> tuple[str, ...]:
    """The prints of all findings and of the commit: what is decided about any has one of these."""
    prints = dict.fromkeys(finding.code_id for finding in evaluation.findings)
    commit = scope.commit_print
    return (*prints, commit) if commit is not None else tuple(prints)


def find_override(
    decisions: Sequence[Decision], scope: WaiverScope, today: dt.date
) -> Override | None:
    """What lets the commit pass today, whatever is found in it; of several the latest."""
    commit = scope.commit_print
    for item in _list_latest_first(decisions):
        if item.kind is DecisionKind.OVERRIDDEN and item.code_print == commit and item.until:
            # The latest alone, over or not: who shortens one must not fall back on a longer one.
            return _to_override(item, item.until) if today <= item.until else None
    return None


def is_held(evaluation: Evaluation, rule_set: RuleSet) -> bool:
    """Whether something blocks that the owner requires, and lets nobody set aside."""
    floor = rule_set.floor
    return (
        floor is not None
        and not floor.waivable
        and any(
            floor.least[verdict.rule.id].strictest is Level.BLOCK
            for verdict in evaluation.rule_verdicts
            if verdict.rule.id in floor.least
            and verdict.verdict is not Verdict.ALLOW
            and not verdict.waived
        )
    )


def _to_override(decision: Decision, until: dt.date) -> Override:
    return Override(decision.by, decision.why, decision.at, until, own=decision.own)


def _list_latest_first(decisions: Sequence[Decision]) -> list[Decision]:
    # Turned round, not sorted downwards: of two in one instant the one written last is the later.
    return sorted(decisions, key=lambda item: item.at)[::-1]


def apply_waivers(
    evaluation: Evaluation,
    context: EvaluationContext,
    *,
    rule_set: RuleSet,
    suppressions: Sequence[Suppression] = (),
    decisions: Sequence[Decision] = (),
    known: Mapping[str, Sequence[KnownFinding]] = MappingProxyType({}),
    scope: WaiverScope,
    today: dt.date,
) -> Evaluation:
    """The evaluation with every waiver that holds, its overall verdict by what still counts.

    A person's dismissal goes before a suppression, and that before a confirmation. A confirmation
    never waives a DENY. `known` is what was found before at a finding's very place, by its id.
    """
    findings = evaluation.findings
    in_force = [
        item for item in suppressions if _compute_unused_state(item, rule_set, today) is None
    ]
    decided = _Decisions(findings, decisions, context, scope, known)
    waivers: dict[str, Waiver] = {}
    used: set[Suppression] = set()
    refused = rule_set.floor is not None and not rule_set.floor.waivable
    for finding in findings:
        if refused and rule_set.floor and finding.rule.id in rule_set.floor.least:
            if waiver := decided.find_waiver(finding, DecisionKind.CONFIRMED):
                waivers[finding.id] = waiver
            continue
        suppression = next((item for item in in_force if _is_covering(item, finding)), None)
        if suppression is not None:
            # Used even if a dismissal goes before it: it would be called unneeded otherwise.
            used.add(suppression)
        waiver = (
            decided.find_waiver(finding, DecisionKind.DISMISSED)
            or (suppression and _build_waiver(suppression))
            or decided.find_waiver(finding, DecisionKind.CONFIRMED)
        )
        if waiver:
            waivers[finding.id] = waiver
    verdicts = tuple(_with_waivers(item, waivers) for item in evaluation.rule_verdicts)
    looked_at = _JudgedLines(evaluation, context)
    return replace(
        evaluation,
        rule_verdicts=verdicts,
        overall=find_worst_outcome(verdicts, evaluation.rating),
        suppressions=tuple(
            _judge_suppression(item, rule_set, today, used, looked_at)
            for item in suppressions
            # What is said to another tool about anything else is no business of ours.
            if not item.twins or any(_is_covering(item, finding) for finding in findings)
        ),
    )


def _with_waivers(verdict: RuleVerdict, waivers: Mapping[str, Waiver]) -> RuleVerdict:
    """The verdict, its findings with those of the waivers that hold, by the findings' ids."""
    findings = tuple(
        replace(finding, waiver=waivers.get(finding.id, finding.waiver))
        for finding in verdict.findings
    )
    return replace(verdict, findings=findings)


def _is_covering(suppression: Suppression, finding: Finding) -> bool:
    location = finding.location
    if location is None or location.start_line is None or suppression.target is None:
        return False
    # Other tools take their comment at any line of a statement.
    last = location.end_line if suppression.twins and location.end_line else location.start_line
    return (
        location.start_line <= suppression.target <= last
        and location.file_path == suppression.path
        and suppression.means(finding.rule.id, finding.rule.also_known_as)
    )


def _build_waiver(suppression: Suppression) -> Waiver:
    return Waiver(
        WaiverKind.SUPPRESSED,
        by=f"{suppression.path}:{suppression.line}",
        why=suppression.reason,
        until=suppression.until,
    )


class _Decisions:
    """Which decision holds for which finding; of several the latest."""

    def __init__(
        self,
        findings: Iterable[Finding],
        decisions: Sequence[Decision],
        context: EvaluationContext,
        scope: WaiverScope,
        known: Mapping[str, Sequence[KnownFinding]],
    ) -> None:
        self._scope = scope
        findings = tuple(findings)
        self._known = {key: {item.id for item in items} for key, items in known.items()}
        self._there = {finding.id for finding in findings}
        self._alike = Counter(finding.code_id for finding in findings)
        self._old_paths = {
            file.path: file.old_path for file in context.files if file.status is FileStatus.RENAMED
        }
        # The latest first: who changes their mind is heard.
        self._decisions = _list_latest_first(decisions)

    def find_waiver(self, finding: Finding, kind: DecisionKind) -> Waiver | None:
        for decision in self._decisions:
            undone = decision.kind is DecisionKind.RESTORED and kind is DecisionKind.DISMISSED
            if undone and self._is_about(decision, finding):
                return None
            if decision.kind is kind and self._is_about(decision, finding):
                return decision.waiver
        return None

    def _is_about(self, decision: Decision, finding: Finding) -> bool:
        if decision.kind is DecisionKind.CONFIRMED:
            # The same finding may be denied by now, by a rule that was promoted: that nobody
            # confirmed.
            if finding.outcome is not Verdict.NEEDS_CONFIRMATION:
                return False
            here = (decision.number, decision.head_sha) == (
                self._scope.number,
                self._scope.head_sha,
            )
            return (here or self._scope.merging) and decision.fingerprint == finding.id
        # Who dismissed a finding need not do so again because a model words it anew.
        known = self._known.get(finding.id, set())
        return (
            decision.fingerprint == finding.id
            or decision.fingerprint in known
            or self._is_renamed(decision, finding)
        )

    def _is_renamed(self, decision: Decision, finding: Finding) -> bool:
        """Whether it is the same code in a file that had another name when it was decided."""
        # Its own finding is still there: the decision is about that one.
        if decision.code_print != finding.code_id or decision.fingerprint in self._there:
            return False
        old_path = self._old_paths.get(finding.path or "")
        if old_path is not None and decision.path == old_path:
            return True
        # A file that the pull request itself adds, under another name after a push.
        return decision.number == self._scope.number and self._alike[finding.code_id] == 1


class _JudgedLines:
    """Which rules were decided, and which lines the change added."""

    def __init__(self, evaluation: Evaluation, context: EvaluationContext) -> None:
        self._rules = {
            item.rule.id
            for item in evaluation.rule_verdicts
            if item.verdict is not Verdict.NOT_ASSESSED
        }
        self._files: Mapping[str, FileChange] = {file.path: file for file in context.files}

    def has_judged(self, suppression: Suppression) -> bool:
        """Whether the suppression's rule judged its line: rules judge what a change adds."""
        file = self._files.get(suppression.path)
        return (
            suppression.rule_id in self._rules
            and file is not None
            and suppression.target in file.added_lines
        )


def _compute_unused_state(
    suppression: Suppression, rule_set: RuleSet, today: dt.date
) -> tuple[SuppressionState, str] | None:
    """Why a suppression is not in force, and what to tell; None if it is."""
    if suppression.twins:
        return (SuppressionState.ADDED, _ADDED) if suppression.added else None
    if suppression.problem:
        return SuppressionState.UNREADABLE, f"It does not count: {suppression.problem}."
    if suppression.rule_id not in rule_set.rules:
        close = get_close_matches(suppression.rule_id, rule_set.rules, n=1)
        meant = f" Did you mean {close[0]}?" if close else ""
        return SuppressionState.UNKNOWN_RULE, f"No rule of that name is in force.{meant}"
    if suppression.until is None or suppression.until < today:
        return SuppressionState.EXPIRED, f"It ended on {suppression.until}: fix it, or extend it."
    if suppression.added:
        return SuppressionState.ADDED, _ADDED
    return None


_ADDED = "This change adds it, so it counts only once it is merged."


def _judge_suppression(
    suppression: Suppression,
    rule_set: RuleSet,
    today: dt.date,
    used: set[Suppression],
    looked: _JudgedLines,
) -> SuppressionStatus:
    if (problem := _compute_unused_state(suppression, rule_set, today)) is not None:
        return SuppressionStatus(suppression, *problem)
    if suppression in used:
        return SuppressionStatus(suppression, SuppressionState.USED)
    if looked.has_judged(suppression):
        remark = "The rule reports nothing on this line: is it still needed?"
        return SuppressionStatus(suppression, SuppressionState.UNUSED, remark)
    return SuppressionStatus(suppression, SuppressionState.IDLE)
