from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from jurat.facts.context import SubjectKind, Surface
from jurat.findings.verdict import DecidedBy, NotAssessedReason, RuleVerdict, UnreadFile, Verdict
from jurat.judge.excerpts import build_file_excerpt
from jurat.judge.opinions import (
    FailureKind,
    ModelAnswer,
    ModelFailure,
    Outcome,
    anchor_answer,
    apply_confirmation,
    audit_answer,
    combine_answers,
    mark_unconfirmed,
)
from jurat.judge.replies import ProposedFix, QuotedFinding, ReplyVerdict, UnreadableAnswer
from tests.support.gemini import a_diff, a_normative_rule

EXHIBIT = build_file_excerpt(a_diff("a.py", "+log(key)"), SubjectKind.CODE_DIFF)
QUOTED = QuotedFinding("log(key)", "a.py", fix=ProposedFix("replace", "log(id)"))
DENIED = ReplyVerdict(Verdict.DENY, 0.9, "It logs the key.", "A key is logged.", "", (QUOTED,))
LOST = ModelFailure(FailureKind.FAILED, "no answer within 1 s")
UNCLEAR = ModelFailure(
    FailureKind.UNREADABLE, "the model left the rule out", decided_by=DecidedBy.BATCH
)


def outcome(answer: ReplyVerdict | UnreadableAnswer | None) -> Outcome:
    return anchor_answer(
        answer,
        [EXHIBIT],
        Surface.CODE,
        decided_by=DecidedBy.BATCH,
        model_id="flash-1",
        latency_ms=5.0,
    )


def opinion(verdict: Verdict, confidence: float = 0.9) -> ModelAnswer:
    findings = () if verdict is Verdict.ALLOW else DENIED.findings
    given = outcome(replace(DENIED, verdict=verdict, confidence=confidence, findings=findings))
    assert isinstance(given, ModelAnswer)
    return given


def settled(
    *outcomes: Outcome, unseen: tuple[UnreadFile, ...] = (), severity: str = "HIGH"
) -> RuleVerdict:
    rule = a_normative_rule(severity=severity)
    return combine_answers(rule, outcomes, unseen)


def test_a_denial_carries_its_place_and_its_fix() -> None:
    verdict = settled(outcome(DENIED))
    assert verdict.verdict is Verdict.DENY
    assert [(place.file_path, place.start_line) for place in verdict.locations] == [("a.py", 1)]
    assert [fix.replacement for fix in verdict.remediations] == ["log(id)"]
    assert (verdict.decided_by, verdict.model_id) == (DecidedBy.BATCH, "flash-1")
    assert (verdict.reasoning, verdict.issue) == ("It logs the key.", "A key is logged.")


@pytest.mark.parametrize(
    "answer",
    [
        None,
        UnreadableAnswer("the model answered twice"),
        replace(DENIED, findings=()),
        replace(DENIED, findings=(QuotedFinding("log(secret)", "a.py"),)),
        replace(DENIED, findings=(QUOTED, QuotedFinding("log(key)", "b.py"))),
        replace(DENIED, verdict=Verdict.NEEDS_CONFIRMATION, findings=(QuotedFinding("nowhere"),)),
    ],
)
def test_what_cannot_be_read_or_found_is_no_opinion(
    answer: ReplyVerdict | UnreadableAnswer | None,
) -> None:
    given = outcome(answer)
    assert isinstance(given, ModelFailure)
    assert given.kind is FailureKind.UNREADABLE


def test_an_unreadable_answer_ends_as_no_verdict_without_place_or_fix() -> None:
    verdict = settled(outcome(replace(DENIED, findings=(QuotedFinding("log(secret)"),))))
    assert verdict.verdict is Verdict.NOT_ASSESSED
    assert verdict.gap is NotAssessedReason.MODEL_FAILED
    assert verdict.locations == verdict.remediations == ()
    assert verdict.confidence == 0.0
    assert "It said DENY: It logs the key." in verdict.reasoning
    assert verdict.unreadable


def test_doubt_needs_no_quote() -> None:
    unsure = replace(DENIED, verdict=Verdict.NEEDS_CONFIRMATION, findings=())
    assert settled(outcome(unsure)).verdict is Verdict.NEEDS_CONFIRMATION


def test_a_fix_that_does_not_fit_is_left_out_and_the_note_says_so() -> None:
    finding = replace(QUOTED, fix=ProposedFix("replace", "log(key)"))
    verdict = settled(outcome(replace(DENIED, findings=(finding,))))
    assert verdict.verdict is Verdict.DENY
    assert verdict.remediations == ()
    assert "fix was left out" in verdict.note


PARTS: dict[str, Outcome] = {
    "DENY": opinion(Verdict.DENY),
    "ASK": opinion(Verdict.NEEDS_CONFIRMATION),
    "ALLOW": opinion(Verdict.ALLOW),
    "unreadable": UNCLEAR,
    "failed": LOST,
}


@pytest.mark.parametrize(("one", "two"), list(product(PARTS, PARTS)))
def test_parts_of_a_subject_are_merged_to_the_worst_and_never_to_a_pass(one: str, two: str) -> None:
    verdict = settled(PARTS[one], PARTS[two])
    both = {one, two}
    if "DENY" in both:
        assert verdict.verdict is Verdict.DENY
    elif "ASK" in both:
        assert verdict.verdict is Verdict.NEEDS_CONFIRMATION
    elif both & {"failed", "unreadable"}:
        assert (verdict.verdict, verdict.gap) == (
            Verdict.NOT_ASSESSED,
            NotAssessedReason.MODEL_FAILED,
        )
    else:
        assert verdict.verdict is Verdict.ALLOW
    if both & {"DENY", "ASK"} and both & {"failed", "unreadable"}:
        assert "A part was not judged" in verdict.note


def test_the_least_sure_part_gives_the_confidence() -> None:
    verdict = settled(opinion(Verdict.ALLOW, 0.9), opinion(Verdict.ALLOW, 0.6))
    assert verdict.confidence == 0.6


UNSEEN = (UnreadFile("big.sql", "a line is longer than one prompt holds"),)


def test_a_blocking_rule_never_passes_on_what_was_not_shown() -> None:
    verdict = settled(opinion(Verdict.ALLOW), unseen=UNSEEN)
    assert verdict.verdict is Verdict.NEEDS_CONFIRMATION
    assert "big.sql (a line is longer than one prompt holds)" in verdict.note


def test_a_rule_that_does_not_block_passes_with_a_note() -> None:
    verdict = settled(opinion(Verdict.ALLOW), unseen=UNSEEN, severity="MEDIUM")
    assert verdict.verdict is Verdict.ALLOW
    assert "big.sql" in verdict.note


def test_a_rule_of_which_nothing_was_shown_is_not_assessed() -> None:
    verdict = settled(unseen=UNSEEN)
    assert (verdict.verdict, verdict.gap) == (Verdict.NOT_ASSESSED, NotAssessedReason.UNREAD)
    assert "big.sql" in verdict.reasoning


def second(answer: ReplyVerdict | UnreadableAnswer | None) -> ModelAnswer:
    return apply_confirmation(opinion(Verdict.DENY, 0.8), answer, "pro-1", 7.0)


def test_two_models_that_deny_confirm_it() -> None:
    agreed = second(replace(DENIED, confidence=0.95))
    verdict = settled(agreed)
    assert verdict.verdict is Verdict.DENY
    assert (verdict.decided_by, verdict.model_id) == (DecidedBy.CONFIRMATION, "pro-1")
    assert verdict.confidence == 0.95
    assert verdict.locations
    assert verdict.latency_ms == 12.0


@pytest.mark.parametrize("other", [Verdict.ALLOW, Verdict.NEEDS_CONFIRMATION])
def test_two_models_that_disagree_ask_a_person_with_both_reasonings(other: Verdict) -> None:
    answer = ReplyVerdict(other, 0.7, "The key is a public one.")
    verdict = settled(second(answer))
    assert verdict.verdict is Verdict.NEEDS_CONFIRMATION
    assert "It logs the key." in verdict.reasoning
    assert "The key is a public one." in verdict.reasoning
    assert verdict.locations


@pytest.mark.parametrize("answer", [None, UnreadableAnswer("the model answered twice")])
def test_a_confirmation_that_cannot_be_read_asks_a_person(
    answer: UnreadableAnswer | None,
) -> None:
    given = second(answer)
    assert not given.settled
    assert settled(given).verdict is Verdict.NEEDS_CONFIRMATION


def test_a_confirmation_that_failed_asks_a_person_and_says_so() -> None:
    given = mark_unconfirmed(opinion(Verdict.DENY), "no answer within 120 s")
    verdict = settled(given)
    assert verdict.verdict is Verdict.NEEDS_CONFIRMATION
    assert "could not confirm it: no answer within 120 s" in verdict.note
    assert verdict.remediations
    assert not given.settled


def test_an_answer_whose_reasoning_fails_the_audit_is_no_verdict() -> None:
    seen: list[str] = []

    def audit(verdict: RuleVerdict, material: str) -> RuleVerdict:
        seen.append(material)
        return replace(
            verdict, verdict=Verdict.NEEDS_CONFIRMATION, note="It is vague.", audit="FLAGGED"
        )

    heard = audit_answer(a_normative_rule(), outcome(DENIED), EXHIBIT.render(), audit)
    assert isinstance(heard, ModelFailure)
    assert (heard.kind, heard.reason) == (FailureKind.UNREADABLE, "It is vague")
    verdict = settled(heard)
    assert (verdict.verdict, verdict.audit) == (Verdict.NOT_ASSESSED, "FLAGGED")
    assert seen == [EXHIBIT.render()]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (replace(DENIED, verdict=Verdict.ALLOW), "the model allowed and listed what breaks"),
        (
            replace(DENIED, verdict=Verdict.ALLOW, findings=(), confidence=0.01),
            "the model allowed and was not sure of it",
        ),
        (
            replace(DENIED, findings=(replace(QUOTED, quote="("),)),
            "the model quoted only what stands in any code",
        ),
    ],
)
def test_an_answer_whose_parts_contradict_each_other_is_no_verdict(
    answer: ReplyVerdict, reason: str
) -> None:
    given = outcome(answer)
    assert isinstance(given, ModelFailure)
    assert (given.kind, given.reason.startswith(reason)) == (FailureKind.UNREADABLE, True)
