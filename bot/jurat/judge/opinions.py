"""From what a model answered to the verdict on a rule: anchored, merged over its parts, audited."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple, TypeVar

from jurat.facts.context import Surface
from jurat.findings.finding import Finding, Fix, Location, Problem, Verdict, make_findings
from jurat.findings.verdict import (
    DecidedBy,
    NotAssessedReason,
    RuleVerdict,
    UnreadFile,
    build_not_assessed,
    find_other_fixes,
    require_confirmation,
)
from jurat.judge.excerpts import Excerpt
from jurat.judge.quotes import QuoteMatch, build_fix, build_location, find_quote
from jurat.judge.replies import QuotedFinding, ReplyVerdict, UnreadableAnswer
from jurat.rules.rule import Rule

Audit = Callable[[RuleVerdict, str], RuleVerdict]
"""Reads a verdict's reasoning beside the material that its rule was shown, before it counts."""


class FoundPlace(NamedTuple):
    """Where one finding of an answer stands today. `label` names the excerpt that it was found in.

    `fix` is None if none was proposed, or none that replaces what was quoted.
    """

    label: str
    location: Location
    fix: Fix | None = None


T = TypeVar("T")


def _list_once(items: Iterable[T]) -> tuple[T, ...]:
    """The items, each once. Not by their hashes: some of them hold what has none."""
    found: list[T] = []
    for item in items:
        if item not in found:
            found.append(item)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What a model said of one question, over all or a part of its excerpts.

    `answer` is kept as the model gave it, so that the ledger can anchor its quotes anew; `places`
    says of each of its findings where it stands today. `settled` is False for an opinion that a
    passing trouble shaped: it is not remembered. `served` is the version of the model that gave it.
    `silent` is True of an ALLOW of which only this is known: the answer named other files. It holds
    as long as another file is denied by the rule, and passes nothing.
    """

    answer: ReplyVerdict
    decided_by: DecidedBy
    model_id: str
    latency_ms: float = 0.0
    places: tuple[FoundPlace, ...] = ()
    settled: bool = True
    served: str = ""
    silent: bool = False

    @property
    def locations(self) -> tuple[Location, ...]:
        """Where the findings stand, each place once."""
        return _list_once(place.location for place in self.places)

    @property
    def remediations(self) -> tuple[Fix, ...]:
        """The fixes that fit what they replace, each once."""
        return _list_once(place.fix for place in self.places if place.fix is not None)

    @property
    def verdict(self) -> Verdict:
        """What the model decided."""
        return self.answer.verdict


class FailureKind(StrEnum):
    """Why there is no opinion."""

    UNREADABLE = "unreadable"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ModelFailure:
    """A question that was asked and not answered, or not so that it can be read.

    `answer` is what the model said if all but its quotes could be read, `audit` the explanation
    if its reasoning failed the audit.
    """

    kind: FailureKind
    reason: str
    answer: ReplyVerdict | None = None
    model_id: str | None = None
    decided_by: DecidedBy = DecidedBy.NOBODY
    audit: str = ""


Outcome = ModelAnswer | ModelFailure


def anchor_answer(
    answer: ReplyVerdict | UnreadableAnswer | None,
    excerpts: Sequence[Excerpt],
    surface: Surface,
    *,
    decided_by: DecidedBy,
    model_id: str,
    latency_ms: float,
) -> Outcome:
    """An answer with its quotes anchored in `excerpts`.

    Unreadable without a quote for a DENY, or where a quote does not stand there.
    """
    if answer is None:
        return _build_unreadable("the model left the rule out", None, decided_by, model_id)
    if isinstance(answer, UnreadableAnswer):
        return _build_unreadable(answer.reason, None, decided_by, model_id)
    if contradiction := _find_contradiction(answer, excerpts):
        return _build_unreadable(contradiction, answer, decided_by, model_id)
    # No quotes needed: there is nothing to place.
    if answer.verdict is Verdict.ALLOW:
        return ModelAnswer(answer, decided_by, model_id, latency_ms)
    if answer.verdict is Verdict.DENY and not answer.findings:
        problem = "the model denied and quoted nothing"
        return _build_unreadable(problem, answer, decided_by, model_id)
    anchors = [find_quote(finding, excerpts) for finding in answer.findings]
    # One quote that does not stand there spoils the answer: who invents one has not read the rest.
    if None in anchors:
        problem = "the model quoted what does not stand there"
        return _build_unreadable(problem, answer, decided_by, model_id)
    return _build_answer(
        ModelAnswer(answer, decided_by, model_id, latency_ms),
        [anchor for anchor in anchors if anchor is not None],
        surface,
    )


LEAST_CONFIDENCE = 0.2
"""An ALLOW whose model gives it less is no verdict: it does not believe it either."""


def _find_contradiction(answer: ReplyVerdict, excerpts: Sequence[Excerpt]) -> str:
    """Why what an answer found and checked does not come to its verdict; "" if it does.

    Findings are a DENY, none of them and something checked an ALLOW: who says otherwise has not
    decided. Only an open question is open because the model says so.
    """
    if answer.verdict is Verdict.ALLOW and answer.findings:
        return "the model allowed and listed what breaks the rule"
    if answer.verdict is Verdict.ALLOW and answer.confidence < LEAST_CONFIDENCE:
        return "the model allowed and was not sure of it"
    checked = answer.checked if answer.verdict is Verdict.ALLOW else None
    if checked is not None and not any(_is_there(place, excerpts) for place in checked):
        return "the model allowed and checked nothing that stands there"
    if answer.verdict is Verdict.DENY and answer.findings:
        # Loaded where a model has answered: a review without one need not wait for it.
        from jurat.audit.soundness import is_trivial_quote  # noqa: PLC0415

        if all(is_trivial_quote(finding.quote) for finding in answer.findings):
            return "the model quoted only what stands in any code"
        if any(_is_for_the_rule(finding.why) for finding in answer.findings):
            return "the model denied for a place of which it says that it keeps the rule"
    return ""


def _is_there(place: str, excerpts: Sequence[Excerpt]) -> bool:
    """Whether what a model says that it checked names an excerpt, or quotes one."""
    named = any(item.label in place for item in excerpts)
    return named or find_quote(QuotedFinding(place), excerpts) is not None


def _is_for_the_rule(why: str) -> bool:
    from jurat.audit.claims import find_lean  # noqa: PLC0415 - as above

    return bool(find_lean(why, breaking=False)) and not find_lean(why, breaking=True)


def _build_unreadable(
    reason: str, answer: ReplyVerdict | None, decided_by: DecidedBy, model_id: str
) -> ModelFailure:
    return ModelFailure(FailureKind.UNREADABLE, reason, answer, model_id, decided_by)


def _build_answer(
    opinion: ModelAnswer, anchors: Sequence[QuoteMatch], surface: Surface
) -> ModelAnswer:
    places: list[FoundPlace] = []
    notes = list(opinion.answer.notes)
    for finding, anchor in zip(opinion.answer.findings, anchors, strict=True):
        fix = build_fix(anchor, finding.fix) if finding.fix is not None else None
        if finding.fix is not None and fix is None:
            notes.append("A fix was left out: it does not replace what was quoted as it stands.")
        places.append(FoundPlace(anchor.excerpt.label, build_location(anchor, surface), fix))
    answer = replace(opinion.answer, notes=tuple(dict.fromkeys(notes)))
    return replace(opinion, answer=answer, places=tuple(places))


def apply_confirmation(
    first: ModelAnswer,
    second: ReplyVerdict | UnreadableAnswer | None,
    model_id: str,
    latency_ms: float,
) -> ModelAnswer:
    """A DENY of one model after another was asked to confirm it.

    If both deny, the first one's places and words stand. If they disagree, a person decides
    with both reasonings at hand; and so if the second could not be read.
    """
    if not isinstance(second, ReplyVerdict):
        return mark_unconfirmed(first, second.reason if second else "it left the rule out")
    agreed = second.verdict is Verdict.DENY
    # Two that agree are surer than one; two that disagree no surer than the less sure.
    weigh = max if agreed else min
    answer = replace(
        first.answer,
        verdict=Verdict.DENY if agreed else Verdict.NEEDS_CONFIRMATION,
        confidence=weigh(first.answer.confidence, second.confidence),
        reasoning=first.answer.reasoning
        if agreed
        else f"Two models disagree. {first.model_id} denies: {first.answer.reasoning} "
        f"{model_id} answers {second.verdict.value}: {second.reasoning}",
    )
    return replace(
        first,
        answer=answer,
        decided_by=DecidedBy.CONFIRMATION,
        model_id=model_id,
        latency_ms=first.latency_ms + latency_ms,
    )


def mark_unconfirmed(first: ModelAnswer, reason: str) -> ModelAnswer:
    """A DENY that could not be confirmed: a person decides. It is asked again next time."""
    note = f"The second model could not confirm it: {reason}."
    answer = replace(
        first.answer,
        verdict=Verdict.NEEDS_CONFIRMATION,
        notes=(*first.answer.notes, note),
    )
    return replace(first, answer=answer, decided_by=DecidedBy.CONFIRMATION, settled=False)


def list_notes(answer: ReplyVerdict) -> list[str]:
    """What the second model is told of the first one's finding, line by line."""
    quotes = [
        f"quote from {finding.source}: {line}" if finding.source else f"quote: {line}"
        for finding in answer.findings
        for line in finding.quote.split("\n")
    ]
    return [*answer.reasoning.split("\n"), *quotes]


_ORDER = {Verdict.DENY: 0, Verdict.NEEDS_CONFIRMATION: 1, Verdict.ALLOW: 2}


def audit_answer(rule: Rule, outcome: Outcome, text: str, audit: Audit) -> Outcome:
    """An answer as it is, or unreadable if its reasoning fails the audit over `text`.

    Here, over what the model was shown, and not when answers are put together: what it said of a
    file is no reason about another.
    """
    if not isinstance(outcome, ModelAnswer):
        return outcome
    said = _from_opinions(rule, [outcome], outcome.verdict)
    audited = audit(said, text)
    if audited.verdict is said.verdict:
        return outcome
    return ModelFailure(
        FailureKind.UNREADABLE,
        audited.note.removeprefix(said.note).strip().rstrip(".") or "it failed the audit",
        outcome.answer,
        outcome.model_id,
        outcome.decided_by,
        audited.audit,
    )


def combine_answers(
    rule: Rule,
    outcomes: Sequence[Outcome],
    unseen: Sequence[UnreadFile],
) -> RuleVerdict:
    """The verdict on a rule from everything that was said of it, over every part of its subject.

    A DENY of one part stands. Otherwise a part that nobody could read or judge keeps the rule from
    passing, and so does, for a blocking rule, what no model was shown.
    """
    opinions = sorted(
        (item for item in outcomes if isinstance(item, ModelAnswer)),
        key=lambda item: _ORDER[item.verdict],
    )
    gaps = [item for item in outcomes if isinstance(item, ModelFailure)]
    unreadable = next((item for item in gaps if item.kind is FailureKind.UNREADABLE), None)
    failed = next((item for item in gaps if item.kind is FailureKind.FAILED), None)
    if opinions and opinions[0].verdict is not Verdict.ALLOW:
        verdict = _from_opinions(rule, opinions, opinions[0].verdict)
        if gaps:
            verdict = _add_note(verdict, f"A part was not judged: {gaps[0].reason}.")
            verdict = replace(verdict, partial=True)
    # After every DENY, before every ALLOW: a part that nobody judged must not turn a rule to a
    # pass, nor hide what another part has found.
    elif unreadable is not None:
        return _build_unreadable_verdict(rule, unreadable)
    elif failed is not None:
        return build_not_assessed(
            rule, f"The model gave no answer: {failed.reason}.", NotAssessedReason.MODEL_FAILED
        )
    elif opinions:
        verdict = _from_opinions(rule, opinions, Verdict.ALLOW)
    else:
        return build_not_assessed(rule, _describe_unseen(unseen), NotAssessedReason.UNREAD)
    if unseen and verdict.verdict is Verdict.ALLOW and rule.blocking:
        verdict = require_confirmation(verdict)
    if unseen:
        verdict = _add_note(verdict, _describe_unseen(unseen))
    return verdict


def _from_opinions(rule: Rule, opinions: Sequence[ModelAnswer], verdict: Verdict) -> RuleVerdict:
    agreeing = [item for item in opinions if item.verdict is verdict]
    first = agreeing[0]
    answers = [item.answer for item in agreeing]
    reasoning = _join_texts(item.reasoning for item in answers)
    issue = _join_texts(item.issue for item in answers)
    fixes = _list_once(fix for item in agreeing for fix in item.remediations)
    findings: tuple[Finding, ...] = ()
    if verdict is not Verdict.ALLOW:
        # Each part's places by what was said of that part.
        problems: list[Problem] = []
        for item in agreeing:
            # A place that several pieces of a file show is one.
            known = [problem.location for problem in problems]
            said = item.answer.issue or item.answer.reasoning
            problems += [Problem(said, place) for place in item.locations if place not in known]
        findings = make_findings(rule, verdict, problems or [Problem(issue or reasoning)], fixes)
    return RuleVerdict(
        rule,
        verdict,
        min(item.confidence for item in answers),
        reasoning,
        first.decided_by,
        issue,
        _join_texts(item.fix_suggestion for item in answers),
        findings,
        find_other_fixes(findings, fixes),
        first.model_id,
        latency_ms=max(item.latency_ms for item in opinions),
        note=_join_texts(note for item in answers for note in item.notes),
    )


def _build_unreadable_verdict(rule: Rule, gap: ModelFailure) -> RuleVerdict:
    """No verdict, if what a model answered could not be used, asked again and all."""
    reasoning = f"The model's answer could not be used: {gap.reason}, twice."
    if gap.answer is not None:
        reasoning += f" It said {gap.answer.verdict.value}: {gap.answer.reasoning}"
    return replace(
        build_not_assessed(rule, reasoning, NotAssessedReason.MODEL_FAILED),
        model_id=gap.model_id,
        note="unreadable",
        audit=gap.audit,
        unreadable=True,
    )


def _describe_unseen(unseen: Sequence[UnreadFile]) -> str:
    if not unseen:
        return "There was nothing to show to a model."
    named = "; ".join(f"{item.path} ({item.reason})" for item in unseen[:3])
    more = f" and {len(unseen) - 3} more" if len(unseen) > 3 else ""
    return f"Not shown to the model: {named}{more}."


def _add_note(verdict: RuleVerdict, note: str) -> RuleVerdict:
    return replace(verdict, note=f"{verdict.note} {note}".strip())


def _join_texts(texts: Iterable[str]) -> str:
    """The texts that say something, each once."""
    return " ".join(dict.fromkeys(text for text in texts if text))
