"""What does not count: dismissed, confirmed and suppressed findings, and nothing beside them."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from jurat.findings.evaluation import Conclusion, Evaluation, aggregate, conclude
from jurat.findings.finding import Finding, SuppressionState, WaiverKind
from jurat.findings.verdict import NotAssessedReason, RuleVerdict, Verdict
from jurat.findings.waivers import (
    Decision,
    DecisionKind,
    WaiverScope,
    apply_waivers,
    list_code_prints,
)
from jurat.rules.config import ReviewConfig
from jurat.rules.rule import RuleSet
from jurat.rules.selection import Selection
from jurat.source.diff import FileChange, FileStatus
from jurat.source.suppressions import Suppression
from tests.support.values import a_context, a_file, a_location, a_rule, a_verdict

TODAY = dt.date(2026, 3, 2)
NOON = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
HERE = WaiverScope(number=7, head_sha="a" * 40)
ELSEWHERE = WaiverScope(number=8, head_sha="b" * 40)
TWO = (a_location(start=2, snippet="md5(a)"), a_location(start=5, snippet="md5(b)"))
FILE = a_file()


def evaluated(*verdicts: RuleVerdict) -> Evaluation:
    selection = Selection(tuple(item.rule for item in verdicts))
    return aggregate(a_context(FILE), selection, verdicts, evaluation_id="e")


def decided(
    finding: Finding, kind: DecisionKind = DecisionKind.DISMISSED, **fields: object
) -> Decision:
    one = Decision(
        kind=kind,
        repository="acme/shop",
        number=7,
        head_sha="a" * 40,
        evaluation_id="e",
        fingerprint=finding.id,
        code_print=finding.code_id,
        path=finding.path,
        rule_id=finding.rule.id,
        revision="r",
        verdict=finding.outcome,
        by="wendy",
        why="It is a fixture.",
        at=NOON,
    )
    return replace(one, **fields)


def waived(
    evaluation: Evaluation,
    *decisions: Decision,
    suppressions: tuple[Suppression, ...] = (),
    scope: WaiverScope = ELSEWHERE,
    file: FileChange = FILE,
) -> Evaluation:
    rules = {item.rule.id: item.rule for item in evaluation.rule_verdicts}
    return apply_waivers(
        evaluation,
        a_context(file),
        rule_set=RuleSet(rules),
        suppressions=suppressions,
        decisions=decisions,
        scope=scope,
        today=TODAY,
    )


def suppressing(line: int = 2, **fields: object) -> Suppression:
    one = Suppression("app.py", line, line, "py.no-md5", dt.date(2026, 3, 2), "legacy")
    return replace(one, **fields)


def test_a_dismissed_finding_keeps_its_verdict_and_does_not_count() -> None:
    found = evaluated(a_verdict(locations=TWO[:1]))
    after = waived(found, decided(found.findings[0]))
    (verdict,) = after.rule_verdicts
    assert (verdict.verdict, verdict.waived, after.overall) == (Verdict.DENY, True, Verdict.ALLOW)
    waiver = verdict.findings[0].waiver
    assert waiver is not None
    assert (waiver.kind, waiver.by, waiver.why) == ("dismissed", "wendy", "It is a fixture.")
    assert conclude(after, ReviewConfig()) is Conclusion.SUCCESS


def test_a_verdict_counts_while_one_of_its_findings_does() -> None:
    found = evaluated(a_verdict(locations=TWO))
    first, second = found.findings
    after = waived(found, decided(first))
    assert (after.rule_verdicts[0].waived, after.overall) == (False, Verdict.DENY)
    assert [item.waiver is None for item in after.findings] == [False, True]
    assert waived(found, decided(first), decided(second)).overall is Verdict.ALLOW


def test_a_verdict_counts_while_it_has_places_that_are_not_listed() -> None:
    found = evaluated(a_verdict(locations=TWO[:1], unlisted_count=1))
    after = waived(found, decided(found.findings[0]))
    assert (after.rule_verdicts[0].waived, after.overall) == (False, Verdict.DENY)


def test_a_decision_about_another_finding_waives_nothing() -> None:
    found = evaluated(a_verdict(locations=TWO[:1]))
    other = evaluated(a_verdict(locations=TWO[1:]))
    assert waived(found, decided(other.findings[0])) == found


def test_a_finding_about_the_change_as_a_whole_can_be_dismissed() -> None:
    found = evaluated(a_verdict())
    assert waived(found, decided(found.findings[0])).overall is Verdict.ALLOW


def test_the_same_code_in_another_file_is_another_finding_unless_the_file_was_renamed() -> None:
    there = evaluated(a_verdict(locations=TWO[:1]))
    decision = decided(there.findings[0])
    here = evaluated(a_verdict(locations=(a_location("new.py", 2, snippet="md5(a)"),)))
    assert waived(here, decision, file=a_file("new.py")).overall is Verdict.DENY
    renamed = a_file("new.py", status=FileStatus.RENAMED, old_path="app.py")
    assert waived(here, decision, file=renamed).overall is Verdict.ALLOW
    other = a_file("new.py", status=FileStatus.RENAMED, old_path="lib.py")
    assert waived(here, decision, file=other).overall is Verdict.DENY
    copied = a_file("new.py", status=FileStatus.COPIED, old_path="app.py")
    assert waived(here, decision, file=copied).overall is Verdict.DENY
    same_pull_request = WaiverScope(number=7, head_sha="c" * 40)
    again = waived(here, decision, file=a_file("new.py"), scope=same_pull_request)
    assert again.overall is Verdict.ALLOW


@pytest.mark.parametrize(
    ("scope", "overall"),
    [
        (HERE, Verdict.ALLOW),
        (WaiverScope(number=7, head_sha="b" * 40), Verdict.NEEDS_CONFIRMATION),
        (WaiverScope(number=8, head_sha="a" * 40), Verdict.NEEDS_CONFIRMATION),
        (WaiverScope(head_sha="d" * 40, merging=True), Verdict.ALLOW),
        (WaiverScope(), Verdict.NEEDS_CONFIRMATION),
    ],
)
def test_a_confirmation_holds_for_its_head_and_in_the_merge_queue(
    scope: WaiverScope, overall: Verdict
) -> None:
    found = evaluated(a_verdict(verdict=Verdict.NEEDS_CONFIRMATION, locations=TWO[:1]))
    decision = decided(found.findings[0], DecisionKind.CONFIRMED)
    assert waived(found, decision, scope=scope).overall is overall


def test_a_confirmation_never_waives_a_denial() -> None:
    found = evaluated(a_verdict(locations=TWO[:1]))
    decision = decided(found.findings[0], DecisionKind.CONFIRMED)
    assert waived(found, decision, scope=HERE).overall is Verdict.DENY


def test_what_was_not_assessed_cannot_be_waived() -> None:
    found = evaluated(a_verdict(verdict=Verdict.NOT_ASSESSED, gap=NotAssessedReason.MODEL_FAILED))
    assert list_code_prints(found, WaiverScope()) == ()
    assert waived(found, scope=HERE).overall is Verdict.NEEDS_CONFIRMATION


def test_a_suppression_excuses_its_own_rule_on_its_own_line_alone() -> None:
    other = a_verdict(a_rule("py.no-sha1"), locations=TWO[:1])
    whole = a_verdict(a_rule("change.small"))
    after = waived(evaluated(a_verdict(locations=TWO), other, whole), suppressions=(suppressing(),))
    excused = [finding for finding in after.findings if finding.waiver]
    assert [(item.rule.id, item.location) for item in excused] == [("py.no-md5", TWO[0])]


def test_a_suppression_of_the_base_counts_to_the_end_of_its_last_day() -> None:
    found = evaluated(a_verdict(locations=TWO[:1]))
    after = waived(found, suppressions=(suppressing(),))
    waiver = after.rule_verdicts[0].findings[0].waiver
    assert waiver is not None
    assert (waiver.kind, waiver.by, waiver.until) == (
        WaiverKind.SUPPRESSED,
        "app.py:2",
        TODAY,
    )
    assert after.overall is Verdict.ALLOW
    assert [item.state for item in after.suppressions] == [SuppressionState.USED]


def test_a_dismissal_goes_before_a_suppression_and_that_before_a_confirmation() -> None:
    found = evaluated(a_verdict(verdict=Verdict.NEEDS_CONFIRMATION, locations=TWO[:1]))
    (finding,) = found.findings
    dismissed = decided(finding, DecisionKind.DISMISSED)
    confirmed = decided(finding, DecisionKind.CONFIRMED)
    for decisions, kind in (
        ((confirmed, dismissed), WaiverKind.DISMISSED),
        ((confirmed,), WaiverKind.SUPPRESSED),
    ):
        after = waived(found, *decisions, suppressions=(suppressing(),), scope=HERE)
        assert [item.waiver and item.waiver.kind for item in after.findings] == [kind]


@pytest.mark.parametrize(
    ("suppression", "state", "remark"),
    [
        (
            suppressing(added=True),
            SuppressionState.ADDED,
            "This change adds it, so it counts only once it is merged.",
        ),
        (
            suppressing(until=dt.date(2026, 3, 1)),
            SuppressionState.EXPIRED,
            "It ended on 2026-03-01: fix it, or extend it.",
        ),
        (
            suppressing(rule_id="py.no-md4"),
            SuppressionState.UNKNOWN_RULE,
            "No rule of that name is in force. Did you mean py.no-md5?",
        ),
        (
            suppressing(problem="it has no reason: write one"),
            SuppressionState.UNREADABLE,
            "It does not count: it has no reason: write one.",
        ),
        (
            suppressing(line=9),
            SuppressionState.UNUSED,
            "The rule reports nothing on this line: is it still needed?",
        ),
        (suppressing(line=90), SuppressionState.IDLE, ""),
        (suppressing(path="lib.py"), SuppressionState.IDLE, ""),
    ],
)
def test_a_suppression_that_does_not_count_waives_nothing_and_says_why(
    suppression: Suppression, state: SuppressionState, remark: str
) -> None:
    found = evaluated(a_verdict(locations=TWO[:1]))
    after = waived(found, suppressions=(suppression,))
    assert after.overall is Verdict.DENY
    (judged,) = after.suppressions
    assert (judged.state, judged.remark) == (state, remark)


def test_the_fix_summary_leaves_out_what_was_waived() -> None:
    told = a_verdict(locations=TWO[:1], fix_suggestion="Use SHA-256.")
    other = a_verdict(a_rule("py.no-sha1"), locations=TWO[1:], fix_suggestion="Use SHA-512.")
    found = evaluated(told, other)
    assert found.fix_summary == "py.no-md5: Use SHA-256.\npy.no-sha1: Use SHA-512."
    dismissed = next(item for item in found.findings if item.rule.id == "py.no-md5")
    assert waived(found, decided(dismissed)).fix_summary == "py.no-sha1: Use SHA-512."
