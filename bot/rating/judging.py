"""A model's second verdict on ambiguous clauses. The only module here that waits.

It goes through `bot.judgment`, and so by the same ledger, the same fence and control rules, the
same anchoring of quotes and the same audit of reasoning as a review.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from bot.corpus.rule import Modality, Rule, RuleKind, Severity
from bot.judgment.judging import JudgmentOptions, judge
from bot.judgment.protocol import Judge, Ledger
from bot.rating.chunks import chunks
from bot.rating.ordinals import ClauseVerdict, is_ambiguous
from bot.rating.packs import Regulation
from bot.rating.rating import Seen, partial
from bot.rating.ratings import ClauseRating, Rating
from bot.subjects.context import EvaluationContext, Mode, Subject
from bot.subjects.kinds import SubjectKind
from bot.verdicts import Gap, RuleVerdict, Verdict

_SAID: Mapping[Verdict, ClauseVerdict] = {
    Verdict.ALLOW: ClauseVerdict.PASS,
    Verdict.NEEDS_CONFIRMATION: ClauseVerdict.PARTIAL,
    Verdict.DENY: ClauseVerdict.FAIL,
}


@dataclass(frozen=True, slots=True)
class Bench:
    """Who is asked, and what remembers the answers. `model` is None where none is configured."""

    model: Judge | None
    ledger: Ledger
    options: JudgmentOptions = JudgmentOptions()  # noqa: RUF009 - frozen


async def with_second_verdicts(rating: Rating, seen: Seen, bench: Bench) -> Rating:
    """The rating after the bench was asked for each clause whose raw score is ambiguous.

    Where it agrees the verdict stands; where it disagrees the clause is partial, with a note. No
    answer, or none that may be used, leaves the deterministic verdict, and the clause says so.
    """
    gate = asyncio.Semaphore(bench.options.concurrency)

    async def second(clause: ClauseRating, regulation: Regulation) -> ClauseRating:
        async with gate:
            return await _second(clause, regulation, seen, bench)

    judged = [
        await asyncio.gather(*(second(clause, item.regulation) for clause in item.clauses))
        for item in rating.regulations
    ]
    regulations = tuple(
        replace(item, clauses=tuple(clauses))
        for item, clauses in zip(rating.regulations, judged, strict=True)
    )
    return replace(rating, regulations=regulations)


async def _second(
    rated: ClauseRating, regulation: Regulation, seen: Seen, bench: Bench
) -> ClauseRating:
    if rated.raw is None or not rated.clause.checker.llm_judge or not is_ambiguous(rated.raw):
        return rated
    if bench.model is None:
        return _noted(rated, "No model is configured, so the deterministic verdict stands.")
    files = await asyncio.to_thread(chunks, rated, seen.signals, seen.worktree)
    context = EvaluationContext((Subject(SubjectKind.CODE_DIFF, files),), mode=Mode.POSTHOC)
    rule = rule_of(rated, regulation)
    judged = await judge(context, [rule], bench.model, bench.ledger, bench.options)
    return weighed(rated, judged.verdicts[0])


def rule_of(rated: ClauseRating, regulation: Regulation) -> Rule:
    """A clause as a rule that a model can judge: what holds where the clause is met."""
    clause = rated.clause
    words = "".join(mark if mark.isalnum() else "-" for mark in clause.id.lower())
    name = "-".join(part for part in words.split("-") if part)
    return Rule(
        id=f"{regulation.id}.{name}",
        statement=f"{clause.title}: {clause.text}",
        kind=RuleKind.NORMATIVE,
        modality=Modality.MUST,
        severity=Severity.HIGH,
        rationale=f"{regulation.name}, {clause.article}",
        references=(clause.link,),
        fix=clause.remediation_hint,
    )


def weighed(rated: ClauseRating, verdict: RuleVerdict) -> ClauseRating:
    """A clause after a model's verdict on it."""
    if verdict.verdict is Verdict.NOT_ASSESSED:
        noted = _noted(rated, f"{verdict.reasoning} The deterministic verdict stands.")
        failed = verdict.gap is Gap.MODEL_FAILED
        return replace(noted, unanswered=verdict.reasoning) if failed else noted
    if verdict.audit or verdict.note == "unreadable":
        return _noted(rated, "A model's verdict could not be used: the deterministic one stands.")
    said = _SAID[verdict.verdict]
    told = replace(rated, reasoning=verdict.reasoning)
    if said is rated.verdict:
        return _noted(told, f"A model agrees ({verdict.model_id}).")
    return partial(
        told,
        f"A model disagrees ({verdict.model_id}): {said.value} by its reading,"
        f" {rated.verdict.value} by the rules. {verdict.reasoning}",
    )


def _noted(rated: ClauseRating, note: str) -> ClauseRating:
    return replace(rated, note=f"{rated.note} {note}".strip())
