"""One review's sitting with a model: what is asked of whom, and what is asked again.

The calls of a review: one batch for each surface and each part that the budget asks for; one more
for the rules whose answers could not be read or contradict themselves, which says so; one by the
Pro tier, blindly, for what blocks and is doubted still; one confirmation by the Pro tier for the
CRITICAL rules that a batch denies. A batch whose control rules are answered wrongly is asked again
in two halves, once. A batch that fails is asked again rule by rule, all at once, unless the API
would refuse those as well (see JudgeErrorKind.is_worth_splitting).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from jurat.facts.context import EvaluationContext
from jurat.findings.verdict import DecidedBy, Verdict
from jurat.judge.batches import Batch, JudgeQuestion
from jurat.judge.call_record import CallRecord
from jurat.judge.control_rules import AskedControl, are_controls_kept, list_misjudged_rules
from jurat.judge.opinions import (
    Audit,
    FailureKind,
    ModelAnswer,
    ModelFailure,
    Outcome,
    anchor_answer,
    apply_confirmation,
    audit_answer,
    list_notes,
    mark_unconfirmed,
)
from jurat.judge.prompts import (
    Compose,
    build_batch_prompt,
    build_fenced_prompt,
    build_single_prompt,
    confirm_prompt,
    is_intent_read,
)
from jurat.judge.protocol import (
    Judge,
    JudgeError,
    JudgmentOptions,
    Reply,
    Tier,
)
from jurat.judge.replies import ReplyVerdict, UnparsableReplyError, UnreadableAnswer, read_reply
from jurat.rules.rule import Severity

MISJUDGED = "it misjudged an example of the rule's own"

Outcomes = dict[JudgeQuestion, Outcome]
Answers = Mapping[str, ReplyVerdict | UnreadableAnswer]


class _UnfaithfulReplyError(Exception):
    """A control rule was answered wrongly."""


@dataclass(slots=True)
class JudgeSession:
    """One review's sitting: who is asked, and on which record that goes.

    `served` says which version of each model has answered last.
    """

    context: EvaluationContext
    model: Judge
    options: JudgmentOptions
    nonce: Callable[[], str]
    audit: Audit
    gate: asyncio.Semaphore
    record: CallRecord
    served: dict[str, str] = field(default_factory=dict)

    async def judge_batch(self, batch: Batch) -> Outcomes:
        """What comes of a batch: an outcome for each of its questions."""
        return await self._confirm(batch, await self._ask_batch(batch, halved=False))

    async def _ask_batch(self, batch: Batch, *, halved: bool) -> Outcomes:
        try:
            outcomes = await self._ask_together(batch)
        except JudgeError as error:
            if error.fault.is_worth_splitting:
                # The API failed at the whole; each small question is new to it, and may be tried
                # once more.
                return await self._ask_singly(batch, attempts=2)
            return _fail_all(batch, error.detail)
        except UnparsableReplyError:
            # The model was heard once already: one try for each rule is the second.
            return await self._ask_singly(batch, attempts=1)
        except _UnfaithfulReplyError as error:
            # Once: if half of the material misleads the model as well, smaller parts would only
            # cost more.
            if halved:
                return _fail_all(batch, str(error))
            halves = [half for half in _split_in_halves(batch.questions) if half]
            answered = await asyncio.gather(
                *(self._ask_batch(batch.narrow(half), halved=True) for half in halves)
            )
            return {question: item for half in answered for question, item in half.items()}
        unclear = [item for item, outcome in outcomes.items() if _is_unreadable(outcome)]
        if not unclear:
            return outcomes
        objections = {
            item.rule.id: outcome.reason
            for item, outcome in outcomes.items()
            # Not what was hidden among the rules: who knows of it can look for it.
            if isinstance(outcome, ModelFailure) and outcome.reason != MISJUDGED
        }
        try:
            outcomes |= await self._ask_together(batch.narrow(unclear), objections)
        # The first answers stand: what was read is not lost because asking for the rest failed.
        except (JudgeError, UnparsableReplyError, _UnfaithfulReplyError):
            return outcomes
        return await self._read_blindly(batch, outcomes)

    async def _read_blindly(self, batch: Batch, outcomes: Outcomes) -> Outcomes:
        """Have the Pro tier decide what blocks and is doubted twice, without a word of the first.

        What was left out or garbled is not doubted: there is nothing to read again.
        """
        doubted = [
            question
            for question, outcome in outcomes.items()
            if isinstance(outcome, ModelFailure) and outcome.answer and question.rule.blocking
        ]
        if not doubted:
            return outcomes
        narrowed, call_options = batch.narrow(doubted), self.options.confirmation
        try:
            read = await self._ask_prompt(
                narrowed,
                lambda mark: build_batch_prompt(narrowed, self.context, call_options, mark),
                DecidedBy.CONFIRMATION,
            )
        except (JudgeError, UnparsableReplyError, _UnfaithfulReplyError):
            return outcomes
        return outcomes | {item: given for item, given in read.items() if not _is_unreadable(given)}

    async def _ask_together(
        self, batch: Batch, objections: Mapping[str, str] = MappingProxyType({})
    ) -> Outcomes:
        call_options = self.options.batch
        return await self._ask_prompt(
            batch,
            lambda mark: build_batch_prompt(batch, self.context, call_options, mark, objections),
            DecidedBy.BATCH,
        )

    async def _ask_singly(self, batch: Batch, *, attempts: int) -> Outcomes:
        """Ask for each rule alone, all at once."""
        answered = await asyncio.gather(
            *(self._ask_single(batch.narrow([question]), attempts) for question in batch.questions)
        )
        return dict(zip(batch.questions, answered, strict=True))

    async def _ask_single(self, batch: Batch, attempts: int) -> Outcome:
        (question,) = batch.questions
        call_options = self.options.single[question.rule.severity]
        outcome: Outcome = ModelFailure(FailureKind.FAILED, "it was never asked")
        for _ in range(attempts):
            try:
                asked = await self._ask_prompt(
                    batch,
                    lambda mark: build_single_prompt(batch, self.context, call_options, mark),
                    DecidedBy.SINGLE,
                )
                outcome = asked[question]
            except JudgeError as error:
                return ModelFailure(FailureKind.FAILED, error.detail)
            except _UnfaithfulReplyError as error:
                return ModelFailure(FailureKind.FAILED, str(error))
            except UnparsableReplyError as error:
                outcome = ModelFailure(
                    FailureKind.UNREADABLE, str(error), decided_by=DecidedBy.SINGLE
                )
            if not _is_unreadable(outcome):
                break
        return outcome

    async def _confirm(self, batch: Batch, outcomes: Outcomes) -> Outcomes:
        """Have the Pro tier judge again what the Flash tier denies of CRITICAL rules."""
        denied = {
            question: outcome
            for question, outcome in outcomes.items()
            if isinstance(outcome, ModelAnswer)
            and outcome.verdict is Verdict.DENY
            and question.rule.severity is Severity.CRITICAL
            # The same model again is no second opinion.
            and self._get_tier(question, outcome) != self.options.confirmation.tier
        }
        if not denied:
            return outcomes
        narrowed = batch.narrow(list(denied))
        notes = {item.rule.id: list_notes(first.answer) for item, first in denied.items()}
        call_options = self.options.confirmation
        try:
            reply, _ = await self._ask(
                lambda mark: (confirm_prompt(narrowed, notes, self.context, call_options, mark), [])
            )
            answers = read_reply(reply.text, batch.surface)
        except JudgeError as error:
            return {**outcomes, **_leave_all_unconfirmed(denied, error.detail)}
        except UnparsableReplyError as error:
            return {**outcomes, **_leave_all_unconfirmed(denied, str(error))}
        return outcomes | {
            question: apply_confirmation(
                first, answers.get(question.rule.id), reply.model_id, reply.latency_ms
            )
            for question, first in denied.items()
        }

    def _get_tier(self, question: JudgeQuestion, opinion: ModelAnswer) -> Tier:
        if opinion.decided_by is DecidedBy.SINGLE:
            return self.options.single[question.rule.severity].tier
        if opinion.decided_by is DecidedBy.CONFIRMATION:
            return self.options.confirmation.tier
        return self.options.batch.tier

    async def _ask_prompt(self, batch: Batch, compose: Compose, decided_by: DecidedBy) -> Outcomes:
        """One prompt's outcomes. Raises if the reply as a whole may not be used."""
        reply, controls = await self._ask(compose)
        answers = read_reply(reply.text, batch.surface)
        # Before any answer is used: whoever obeys the material on a control may have obeyed it on
        # all.
        if not are_controls_kept(controls, answers):
            raise _UnfaithfulReplyError("it answered a control question wrongly")
        unheard = list_misjudged_rules(controls, answers)
        return {
            question: ModelFailure(
                FailureKind.UNREADABLE, MISJUDGED, None, reply.model_id, decided_by
            )
            if question.rule.id in unheard
            else self._read_answer(batch, question, answers, reply, decided_by)
            for question in batch.questions
        }

    def _read_answer(
        self,
        batch: Batch,
        question: JudgeQuestion,
        answers: Answers,
        reply: Reply,
        decided_by: DecidedBy,
    ) -> Outcome:
        """What one answer of a reply comes to, its quotes found and its reasoning audited."""
        excerpts = batch.list_excerpts(question)
        outcome = anchor_answer(
            answers.get(question.rule.id),
            excerpts,
            batch.surface,
            decided_by=decided_by,
            model_id=reply.model_id,
            latency_ms=reply.latency_ms,
        )
        if isinstance(outcome, ModelAnswer):
            outcome = replace(outcome, served=reply.served)
        parts = [item.render() for item in excerpts]
        if is_intent_read(question.rule):
            parts.append(self.context.intent)
        return audit_answer(question.rule, outcome, "\n".join(parts), self.audit)

    async def _ask(self, compose: Compose) -> tuple[Reply, list[AskedControl]]:
        prompt, controls = build_fenced_prompt(compose, self.nonce)
        model_id = self.model.model_id(prompt.tier)
        texts, form = (prompt.system, prompt.user), json.dumps(prompt.schema)
        async with self.gate:
            with self.record.send(model_id, texts, form) as call:
                reply = await self.model.ask(prompt)
                call.model_id, call.latency_ms = reply.model_id, reply.latency_ms
                call.input_tokens, call.output_tokens = reply.input_tokens, reply.output_tokens
        self.served[model_id] = reply.served or model_id
        return reply, controls


def _split_in_halves(
    questions: tuple[JudgeQuestion, ...],
) -> tuple[tuple[JudgeQuestion, ...], tuple[JudgeQuestion, ...]]:
    middle = (len(questions) + 1) // 2
    return questions[:middle], questions[middle:]


def _is_unreadable(outcome: Outcome) -> bool:
    return isinstance(outcome, ModelFailure) and outcome.kind is FailureKind.UNREADABLE


def _fail_all(batch: Batch, reason: str) -> Outcomes:
    return {question: ModelFailure(FailureKind.FAILED, reason) for question in batch.questions}


def _leave_all_unconfirmed(denied: Mapping[JudgeQuestion, ModelAnswer], reason: str) -> Outcomes:
    return {question: mark_unconfirmed(first, reason) for question, first in denied.items()}
