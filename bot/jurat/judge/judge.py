"""Stage 4: what no computation could decide, asked of a model. The only module here that waits.

The calls of a review: one batch for each surface and each part that the budget asks for; one more
for the rules whose answers could not be read; one confirmation by the Pro tier for the CRITICAL
rules that a batch denies. A batch whose control rules are answered wrongly is asked again in two
halves, once. A batch that fails is asked again rule by rule, all at once, unless the API would
refuse those as well (see Fault.worth_asking_singly).
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from jurat.facts.context import EvaluationContext
from jurat.findings.evaluation import ModelUsage
from jurat.findings.verdict import DecidedBy, NotAssessedReason, RuleVerdict, UnreadFile, Verdict
from jurat.judge.batches import Batch, JudgeQuestion, Plan, build_questions, plan_batches
from jurat.judge.cache import build_cache_key, decode_entry, encode_entry
from jurat.judge.control_rules import AskedControl, are_controls_kept
from jurat.judge.opinions import (
    Audit,
    FailureKind,
    ModelAnswer,
    ModelFailure,
    Outcome,
    anchor_answer,
    apply_confirmation,
    build_not_assessed,
    combine_answers,
    list_notes,
    mark_unconfirmed,
)
from jurat.judge.prompts import (
    Compose,
    build_batch_prompt,
    build_fenced_prompt,
    build_single_prompt,
    confirm_prompt,
    estimate_overhead,
)
from jurat.judge.protocol import AnswerCache, Judge, JudgeError, JudgmentOptions, Reply, Tier
from jurat.judge.replies import UnparsableReplyError, read_reply
from jurat.rules.rule import Rule, Severity

NO_MODEL = "No model is configured: set GEMINI_API_KEY."
NO_JUDGE_ASKED = "The configuration asks no model: `judge: none`."
ASKED_LATER = "The model is asked later: what can be computed comes first."
NOT_IN_FORCE = "Not in force here: only a model can decide it, and the configuration asks none."

Outcomes = dict[JudgeQuestion, Outcome]


@dataclass(frozen=True, slots=True)
class JudgeResult:
    """Stage 4's result: one verdict for each rule given, in the order given.

    `models` says what was asked of whom, `unread` what could not be shown to a model and was not
    known as unread before.
    """

    verdicts: tuple[RuleVerdict, ...]
    models: tuple[ModelUsage, ...] = ()
    unread: tuple[UnreadFile, ...] = ()


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
) -> JudgeResult:
    """Have `model` judge each of `rules` over what it is about in `context`.

    A question that `ledger` knows the answer of is not asked. Whatever goes wrong with the model
    ends as NEEDS_CONFIRMATION or NOT_ASSESSED for the rules concerned, never as ALLOW, and never
    as another rule's verdict. `audit` reads each reasoning before it counts; by default it is the
    checklist of jurat.audit.
    """
    if model is None:
        return JudgeResult(
            tuple(build_not_assessed(rule, NO_MODEL, NotAssessedReason.NO_MODEL) for rule in rules)
        )
    if audit is None:
        # Loaded where a model judges alone: a review without one need not wait for it.
        from jurat.audit.verdict_rules import audit_verdict  # noqa: PLC0415

        audit = audit_verdict
    # What takes long over a large change runs in a thread, so that a server goes on answering.
    questions, keys = await asyncio.to_thread(_build_all_questions, context, rules, options, model)
    # All at once: one query for a review, and the planning sees only what is left to ask.
    known = await ledger.recall(list(keys.values())) if keys else {}
    outcomes: dict[JudgeQuestion, list[Outcome]] = {item: [] for item in questions}
    for question, key in keys.items():
        if key in known:
            outcomes[question] += decode_entry(known[key], question) or ()
    asked = [item for item in keys if not outcomes[item]]
    planned = await asyncio.to_thread(plan_batches, asked, options, estimate_overhead(context))
    # One gate for all calls of a review, retries and single rules included: the API's limit counts
    # requests, whatever they are for.
    bench = JudgeSession(context, model, options, nonce, asyncio.Semaphore(options.concurrency))
    for answered in await asyncio.gather(*(bench.judge_batch(batch) for batch in planned.batches)):
        for question, outcome in answered.items():
            outcomes[question].append(outcome)
    learnt = {
        keys[item]: encode_entry(opinions)
        for item in asked
        # An answer over a part of the material is not remembered: with a larger budget it would
        # stand for what nobody saw.
        if item not in planned.unseen and (opinions := _filter_settled(outcomes[item]))
    }
    if learnt:
        await ledger.remember(learnt)
    verdicts = tuple(_decide_verdict(rule, outcomes, planned, audit) for rule in rules)
    return JudgeResult(verdicts, tuple(bench.uses.values()), planned.unread)


def _build_all_questions(
    context: EvaluationContext, rules: Sequence[Rule], options: JudgmentOptions, model: Judge
) -> tuple[tuple[JudgeQuestion, ...], dict[JudgeQuestion, str]]:
    """All questions, and the ledger keys of those that have something to show."""
    given = {rule.id: rule for rule in rules}
    questions = build_questions(context, tuple(given.values()))
    keys = {
        item: build_cache_key(item, context, options, model) for item in questions if item.excerpts
    }
    return questions, keys


def _filter_settled(outcomes: Sequence[Outcome]) -> list[ModelAnswer]:
    """The opinions on all parts of a question; empty as soon as one part lacks a lasting one."""
    opinions = [item for item in outcomes if isinstance(item, ModelAnswer) and item.settled]
    # All parts or none: an entry of some parts would read as an answer over all of them.
    return opinions if len(opinions) == len(outcomes) else []


def _decide_verdict(
    rule: Rule, outcomes: Mapping[JudgeQuestion, Sequence[Outcome]], planned: Plan, audit: Audit
) -> RuleVerdict:
    said: list[Outcome] = []
    unseen: list[UnreadFile] = []
    mine = [question for question in outcomes if question.rule.id == rule.id]
    for question in mine:
        missed = planned.unseen.get(question, ())
        unseen += [*question.unread, *missed]
        said += outcomes[question]
        if question.excerpts and not outcomes[question] and not missed:
            # No outcome must not look like no objection.
            said.append(ModelFailure(FailureKind.FAILED, "it was never asked"))

    def material() -> str:
        return "\n".join(excerpt.render() for question in mine for excerpt in question.excerpts)

    return combine_answers(rule, said, unseen, material, audit)


def leave_unjudged(rules: Sequence[Rule]) -> JudgeResult:
    """What there is to say of `rules` in a repository that wants no model asked, and asks none.

    A rule that only a model can decide is not in force there. One that could have been computed,
    had its facts been known, or that the owner requires, is left open.
    """
    return JudgeResult(
        tuple(
            build_not_assessed(rule, NO_JUDGE_ASKED, NotAssessedReason.NO_MODEL)
            if rule.constraints or rule.is_required
            else build_not_assessed(rule, NOT_IN_FORCE, NotAssessedReason.NOT_IN_FORCE)
            for rule in rules
        )
    )


def postpone(rules: Sequence[Rule]) -> JudgeResult:
    """What there is to say of `rules` before a model was asked about them: nothing yet."""
    later = NotAssessedReason.POSTPONED
    return JudgeResult(tuple(build_not_assessed(rule, ASKED_LATER, later) for rule in rules))


class _UnfaithfulReplyError(Exception):
    """A control rule was answered wrongly."""


@dataclass(slots=True)
class JudgeSession:
    """One review's sitting: who is asked, and what it has cost so far, by model."""

    context: EvaluationContext
    model: Judge
    options: JudgmentOptions
    nonce: Callable[[], str]
    gate: asyncio.Semaphore
    uses: dict[str, ModelUsage] = field(default_factory=dict)

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
        try:
            return {**outcomes, **await self._ask_together(batch.narrow(unclear))}
        # The first answers stand: what was read is not lost because asking for the rest failed.
        except (JudgeError, UnparsableReplyError, _UnfaithfulReplyError):
            return outcomes

    async def _ask_together(self, batch: Batch) -> Outcomes:
        call_options = self.options.batch
        return await self._ask_prompt(
            batch,
            lambda mark: build_batch_prompt(batch, self.context, call_options, mark),
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
        return self.options.batch.tier

    async def _ask_prompt(self, batch: Batch, compose: Compose, decided_by: DecidedBy) -> Outcomes:
        """One prompt's outcomes. Raises where the reply as a whole may not be used."""
        reply, controls = await self._ask(compose)
        answers = read_reply(reply.text, batch.surface)
        # Before any answer is used: whoever obeys the material on a control may have obeyed it on
        # all.
        if not are_controls_kept(controls, answers):
            raise _UnfaithfulReplyError("it answered a control question wrongly")
        return {
            question: anchor_answer(
                answers.get(question.rule.id),
                batch.list_excerpts(question),
                batch.surface,
                decided_by=decided_by,
                model_id=reply.model_id,
                latency_ms=reply.latency_ms,
            )
            for question in batch.questions
        }

    async def _ask(self, compose: Compose) -> tuple[Reply, list[AskedControl]]:
        prompt, controls = build_fenced_prompt(compose, self.nonce)
        model_id = self.model.model_id(prompt.tier)
        async with self.gate:
            try:
                reply = await self.model.ask(prompt)
            except JudgeError:
                # A call that failed is shown as a call: its tokens are known to nobody but the
                # bill.
                self._count(model_id, 0, 0, 0.0)
                raise
        self._count(reply.model_id, reply.input_tokens, reply.output_tokens, reply.latency_ms)
        return reply, controls

    def _count(self, model_id: str, given: int, received: int, latency_ms: float) -> None:
        use = self.uses.get(model_id, ModelUsage(model_id))
        self.uses[model_id] = ModelUsage(
            model_id,
            use.calls + 1,
            use.input_tokens + given,
            use.output_tokens + received,
            use.latency_ms + latency_ms,
        )


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
