"""Stage 5: every verdict counted once, and no pass that was not earned."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurat.errors import IncompleteError
from jurat.findings.evaluation import (
    SHADOW_PREFIX,
    Conclusion,
    Evaluation,
    Gate,
    RatingOutcome,
    aggregate,
    conclude,
    find_worst_outcome,
)
from jurat.findings.finding import Waiver, WaiverKind
from jurat.findings.verdict import NotAssessedReason, RuleVerdict, UnreadFile, Verdict
from jurat.rules.config import ReviewConfig
from jurat.rules.rule import Maturity, Modality, Severity
from jurat.rules.selection import Selection
from tests.support.values import a_context, a_file, a_location, a_rule, a_verdict


def evaluation_of(*verdicts: RuleVerdict) -> Evaluation:
    selection = Selection(tuple(item.rule for item in verdicts))
    return aggregate(a_context(a_file()), selection, verdicts, evaluation_id="e1")


verdicts = st.lists(st.sampled_from(list(Verdict)), max_size=8).map(
    lambda kinds: [a_verdict(a_rule(f"r{n}"), kind) for n, kind in enumerate(kinds)]
)


@given(verdicts, st.randoms())
def test_the_overall_verdict_does_not_depend_on_order(
    items: list[RuleVerdict], random: Random
) -> None:
    shuffled = list(items)
    random.shuffle(shuffled)
    assert find_worst_outcome(shuffled) is find_worst_outcome(items)


@given(verdicts)
def test_adding_an_allow_never_changes_the_overall_verdict(items: list[RuleVerdict]) -> None:
    assert find_worst_outcome(
        [*items, a_verdict(a_rule("more"), Verdict.ALLOW)]
    ) is find_worst_outcome(items)


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ([Verdict.ALLOW, Verdict.DENY, Verdict.NEEDS_CONFIRMATION], Verdict.DENY),
        ([Verdict.ALLOW, Verdict.NEEDS_CONFIRMATION], Verdict.NEEDS_CONFIRMATION),
        ([Verdict.ALLOW, Verdict.ALLOW], Verdict.ALLOW),
    ],
)
def test_deny_beats_needs_confirmation_beats_allow(kinds: list[Verdict], expected: Verdict) -> None:
    items = [a_verdict(a_rule(f"r{n}"), kind) for n, kind in enumerate(kinds)]
    assert evaluation_of(*items).overall is expected


def test_a_selected_rule_without_a_verdict_is_an_error() -> None:
    selection = Selection((a_rule("asked"), a_rule("forgotten")))
    with pytest.raises(IncompleteError, match="forgotten"):
        aggregate(a_context(), selection, [a_verdict(a_rule("asked"))], evaluation_id="e1")


def test_a_verdict_on_a_rule_that_was_not_asked_is_an_error() -> None:
    with pytest.raises(IncompleteError, match="stray"):
        aggregate(a_context(), Selection(()), [a_verdict(a_rule("stray"))], evaluation_id="e1")


def test_two_verdicts_on_one_rule_are_an_error() -> None:
    twice = [a_verdict(), a_verdict(verdict=Verdict.ALLOW)]
    with pytest.raises(IncompleteError, match="twice"):
        aggregate(a_context(), Selection((twice[0].rule,)), twice, evaluation_id="e1")


def test_an_experimental_deny_observes_and_never_blocks() -> None:
    verdict = a_verdict(a_rule(maturity=Maturity.EXPERIMENTAL))
    evaluation = evaluation_of(verdict)
    shadowed = evaluation.rule_verdicts[0]
    assert shadowed.verdict is Verdict.NEEDS_CONFIRMATION
    assert shadowed.would_block
    assert shadowed.reasoning == SHADOW_PREFIX + verdict.reasoning
    assert conclude(evaluation, ReviewConfig()) is Conclusion.NEUTRAL


def test_no_rule_at_all_is_not_the_same_as_all_passed() -> None:
    evaluation = evaluation_of()
    assert evaluation.notes == ("No rule applies to this change.",)
    assert conclude(evaluation, ReviewConfig()) is Conclusion.NEUTRAL


LEFT_OPEN = (
    NotAssessedReason.NO_MODEL,
    NotAssessedReason.MODEL_FAILED,
    NotAssessedReason.UNREAD,
    None,
)


@pytest.mark.parametrize("gap", LEFT_OPEN)
def test_a_blocking_rule_that_nobody_decided_does_not_pass(gap: NotAssessedReason | None) -> None:
    evaluation = evaluation_of(
        a_verdict(a_rule("open"), Verdict.NOT_ASSESSED, gap=gap),
        a_verdict(a_rule("computed"), Verdict.ALLOW),
    )
    assert evaluation.overall is Verdict.NEEDS_CONFIRMATION
    assert conclude(evaluation, ReviewConfig()) is Conclusion.ACTION_REQUIRED
    assert conclude(evaluation, ReviewConfig(unassessed="neutral")) is Conclusion.NEUTRAL


@pytest.mark.parametrize("gap", LEFT_OPEN)
def test_a_minor_rule_that_binds_holds_up_nothing_and_makes_no_success(
    gap: NotAssessedReason | None,
) -> None:
    evaluation = evaluation_of(
        a_verdict(a_rule(severity=Severity.MEDIUM), Verdict.NOT_ASSESSED, gap=gap),
        a_verdict(a_rule("ok"), Verdict.ALLOW),
    )
    assert evaluation.overall is Verdict.NEEDS_CONFIRMATION
    assert conclude(evaluation, ReviewConfig()) is Conclusion.NEUTRAL


@pytest.mark.parametrize("gap", list(NotAssessedReason))
def test_a_review_of_which_no_rule_was_decided_is_never_a_success(gap: NotAssessedReason) -> None:
    rule = a_rule(modality=Modality.SHOULD)
    evaluation = evaluation_of(a_verdict(rule, Verdict.NOT_ASSESSED, gap=gap))
    assert evaluation.overall is Verdict.NEEDS_CONFIRMATION
    assert conclude(evaluation, ReviewConfig()) is Conclusion.NEUTRAL


def test_what_only_observes_or_is_not_in_force_leaves_nothing_open() -> None:
    watching = a_rule("watching", maturity=Maturity.EXPERIMENTAL)
    evaluation = evaluation_of(
        a_verdict(watching, Verdict.NOT_ASSESSED, gap=NotAssessedReason.NO_MODEL),
        a_verdict(a_rule("off"), Verdict.NOT_ASSESSED, gap=NotAssessedReason.NOT_IN_FORCE),
        a_verdict(a_rule("ok"), Verdict.ALLOW),
    )
    assert evaluation.overall is Verdict.ALLOW
    assert conclude(evaluation, ReviewConfig()) is Conclusion.SUCCESS


def test_coverage_counts_what_neither_the_parser_nor_the_judge_has_read() -> None:
    context = a_context(a_file("a.py"), a_file("b.py", unread="not a diff"), a_file("c.py"))
    verdict = a_verdict(verdict=Verdict.ALLOW)
    evaluation = aggregate(
        context,
        Selection((verdict.rule,)),
        [verdict],
        evaluation_id="e1",
        unread=[UnreadFile("c.py", "over the token budget")],
    )
    assert evaluation.coverage.files_read == 1
    assert [file.path for file in evaluation.coverage.unread] == ["b.py", "c.py"]


def test_the_configuration_can_turn_confirmation_into_neutral() -> None:
    evaluation = evaluation_of(a_verdict(verdict=Verdict.NEEDS_CONFIRMATION))
    assert conclude(evaluation, ReviewConfig()) is Conclusion.ACTION_REQUIRED
    lenient = ReviewConfig(needs_confirmation="neutral")
    assert conclude(evaluation, lenient) is Conclusion.NEUTRAL


@pytest.mark.parametrize(
    ("kind", "conclusion"),
    [
        (WaiverKind.CONFIRMED, Conclusion.SUCCESS),
        (WaiverKind.DISMISSED, Conclusion.NEUTRAL),
        (WaiverKind.SUPPRESSED, Conclusion.NEUTRAL),
    ],
)
def test_beside_what_only_observes_a_confirmation_passes_and_nothing_else_does(
    kind: WaiverKind, conclusion: Conclusion
) -> None:
    waived = a_verdict(
        a_rule("r1"), Verdict.NEEDS_CONFIRMATION, waivers=(Waiver(kind, "wendy", "It is meant."),)
    )
    observing = a_verdict(
        a_rule("r2", maturity=Maturity.EXPERIMENTAL),
        locations=(a_location(start=2), a_location(start=3)),
        waivers=(None, Waiver(WaiverKind.DISMISSED, "wendy", "A fixture.")),
    )
    assert conclude(evaluation_of(observing, waived), ReviewConfig()) is conclusion


def test_the_summary_of_fixes_leaves_out_what_passed() -> None:
    evaluation = evaluation_of(
        a_verdict(a_rule("r1"), fix_suggestion="Use SHA-256."),
        a_verdict(a_rule("r2"), Verdict.ALLOW, fix_suggestion="Nothing to do."),
        a_verdict(a_rule("r3"), Verdict.NEEDS_CONFIRMATION, fix_suggestion="Say why."),
        a_verdict(a_rule("r4")),
    )
    assert evaluation.fix_summary == "r1: Use SHA-256.\nr3: Say why."


@pytest.mark.parametrize(
    ("verdict", "gate", "conclusion", "overall"),
    [
        (Verdict.ALLOW, Gate.OPEN, Conclusion.SUCCESS, Verdict.ALLOW),
        (Verdict.ALLOW, Gate.BELOW, Conclusion.FAILURE, Verdict.DENY),
        (Verdict.ALLOW, Gate.UNRATED, Conclusion.ACTION_REQUIRED, Verdict.NEEDS_CONFIRMATION),
        (Verdict.NEEDS_CONFIRMATION, Gate.BELOW, Conclusion.FAILURE, Verdict.DENY),
        (
            Verdict.NEEDS_CONFIRMATION,
            Gate.UNRATED,
            Conclusion.ACTION_REQUIRED,
            Verdict.NEEDS_CONFIRMATION,
        ),
        (Verdict.DENY, Gate.UNRATED, Conclusion.FAILURE, Verdict.DENY),
        (Verdict.DENY, Gate.OPEN, Conclusion.FAILURE, Verdict.DENY),
    ],
)
def test_a_rating_makes_a_check_stricter_and_never_milder(
    verdict: Verdict, gate: Gate, conclusion: Conclusion, overall: Verdict
) -> None:
    rating = RatingOutcome("### Rating", gate)
    evaluation = replace(evaluation_of(a_verdict(verdict=verdict)), rating=rating)
    lenient = ReviewConfig(needs_confirmation="neutral")
    assert conclude(evaluation, lenient) is conclusion
    assert find_worst_outcome(evaluation.rule_verdicts, rating) is overall


def test_a_draft_passes_nothing() -> None:
    draft = evaluation_of(a_verdict(verdict=Verdict.ALLOW))
    assert draft.conclusion is Conclusion.ACTION_REQUIRED
