"""Stage 4: what no computation could decide, asked of a model, and each question once.

What the ledger knows is not asked again, and what somebody is asking already is waited for; the
rest goes to the session, in as few batches as the budget allows.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from jurat.facts.context import EvaluationContext
from jurat.findings.verdict import (
    DecidedBy,
    NotAssessedReason,
    RuleVerdict,
    UnreadFile,
    Verdict,
    build_not_assessed,
)
from jurat.judge.answer_desk import AnswerDesk, UnitAnswer, is_silent, recall_served, take_over
from jurat.judge.batches import JudgeQuestion
from jurat.judge.call_record import CallRecord
from jurat.judge.flights import Flights, Rest, ask_once
from jurat.judge.opinions import (
    Audit,
    FailureKind,
    ModelFailure,
    Outcome,
    combine_answers,
)
from jurat.judge.protocol import AnswerCache, Judge, JudgmentOptions
from jurat.judge.session import JudgeSession
from jurat.judge.unasked import JudgeResult, leave_without_model
from jurat.rules.rule import Rule

_Keys = Mapping[JudgeQuestion, str]
_Answers = dict[JudgeQuestion, UnitAnswer]

_MOST_ROUNDS = 3
"""How often files that an answer was silent about are asked for themselves, in one review."""

_NEVER_SPOKEN_OF = UnitAnswer(
    (ModelFailure(FailureKind.FAILED, "it named other files and never spoke of these"),)
)


def create_mark() -> str:
    """A word that nobody can guess, for one prompt's fence."""
    # `secrets`, not `random`: the author of the material must not guess what closes the fence.
    return secrets.token_hex(8)


async def ask_judge(
    context: EvaluationContext,
    rules: Sequence[Rule],
    model: Judge | None,
    ledger: AnswerCache,
    options: JudgmentOptions = JudgmentOptions(),  # noqa: B008 - frozen
    *,
    nonce: Callable[[], str] = create_mark,
    audit: Audit | None = None,
    flights: Flights[UnitAnswer] | None = None,
    record: CallRecord | None = None,
    rest: Rest = asyncio.sleep,
    each_file: bool = False,
    seat: str = "",
) -> JudgeResult:
    """Have `model` judge each of `rules` over what it is about in `context`.

    A question that `ledger` knows the answer of is not asked, and one that somebody is asking, by
    `flights` or by a claim in the ledger, is waited for; `rest` is how. Whatever goes wrong with
    the model ends as NEEDS_CONFIRMATION or NOT_ASSESSED for the rules concerned, never as ALLOW,
    and never as another rule's verdict. `audit` reads each reasoning before it counts; by default
    it is the checklist of jurat.audit. With `each_file` a denial of one file stands for no other:
    those that the answer is silent about are asked for themselves. What is sent goes on `record`,
    and within its budgets; by default one of its own that has none. Judges of different `seat`
    know nothing of each other's answers.
    """
    if record is None:
        record = CallRecord(prices=options.prices)
    if model is None:
        return leave_without_model(rules)
    if audit is None:
        # Loaded if a model judges alone: a review without one need not wait for it.
        from jurat.audit.verdict_rules import audit_verdict  # noqa: PLC0415

        audit = audit_verdict
    # One gate for all calls of a review, retries and single rules included: the API's limit counts
    # requests, whatever they are for.
    gate = asyncio.Semaphore(options.concurrency)
    session = JudgeSession(context, model, options, nonce, audit, gate, record)
    served = await recall_served(ledger, model) if rules else {}
    desk = AnswerDesk(session, ledger, served, seat)
    # What takes long over a large change runs in a thread, so that a server goes on answering.
    await asyncio.to_thread(desk.open, rules)
    ask = partial(
        ask_once,
        look_up=desk.look_up,
        ask=desk.ask,
        take_over=take_over,
        ledger=ledger,
        flights=flights or Flights(),
        rest=rest,
    )
    answers = await _ask_until_spoken(desk, ask, each_file=each_file)
    verdicts = tuple(_decide_verdict(rule, desk, answers) for rule in rules)
    unread = {item.path: item for answer in answers.values() for item in answer.unseen}
    return JudgeResult(verdicts, record.models, tuple(unread.values()))


async def _ask_until_spoken(
    desk: AnswerDesk, ask: Callable[[_Keys], Awaitable[_Answers]], *, each_file: bool
) -> _Answers:
    """All answers; files that an answer was silent about are asked for themselves."""
    answers = await ask(desk.keys)
    for _ in range(_MOST_ROUNDS):
        if not (silent := desk.reopen_silent(answers, whatever=each_file)):
            break
        answers |= await ask(silent)
    # Who names other files each time, and never these, has not judged them.
    never = desk.reopen_silent(answers, whatever=each_file)
    return answers | dict.fromkeys(never, _NEVER_SPOKEN_OF)


def _decide_verdict(
    rule: Rule, desk: AnswerDesk, answers: Mapping[JudgeQuestion, UnitAnswer]
) -> RuleVerdict:
    said: list[Outcome] = []
    unseen: list[UnreadFile] = []
    silent = False
    for question, units in desk.units.items():
        if question.rule.id != rule.id:
            continue
        unseen += question.unread
        for unit in units:
            answer = answers.get(unit, UnitAnswer(()))
            unseen += answer.unseen
            said += answer.outcomes
            silent = silent or is_silent(answer)
            if unit.excerpts and not answer.outcomes and not answer.unseen:
                # No outcome must not look like no objection.
                said.append(ModelFailure(FailureKind.FAILED, "it was never asked"))
    private = [
        path for question in desk.units if question.rule.id == rule.id for path in question.private
    ]
    if not said and not unseen and not private and is_left_alone(desk.session.context):
        return _leave_unwritten(rule)
    if private and not said and not unseen:
        return _leave_private(rule, private)
    verdict = combine_answers(rule, said, unseen)
    if silent:
        verdict = replace(verdict, partial=True)
    # What was found stands; an ALLOW would speak for files that nobody has judged.
    if private and verdict.verdict is Verdict.ALLOW:
        return _leave_private(rule, private)
    return verdict


def is_left_alone(context: EvaluationContext) -> bool:
    """Whether a change has files, and none that somebody writes by hand."""
    return bool(context.files) and all(file.unwritten for file in context.files)


def _leave_unwritten(rule: Rule) -> RuleVerdict:
    reason = "Nobody writes the files of this change by hand, and the rule is about none of them."
    return RuleVerdict(rule, Verdict.ALLOW, 1.0, reason, DecidedBy.DETERMINISTIC, vacuous=True)


def _leave_private(rule: Rule, paths: Sequence[str]) -> RuleVerdict:
    named = ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")
    reason = f"No model may see {named}: `review.private` names it, and so nobody has judged it."
    return build_not_assessed(rule, reason, NotAssessedReason.PRIVATE)
