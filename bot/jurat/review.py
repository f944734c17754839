"""The pipeline. The command line, the webhook's jobs and the REST API are its three doors."""

from __future__ import annotations

import datetime as dt
from asyncio import ensure_future, to_thread
from collections.abc import Awaitable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

from jurat import __version__
from jurat.engine.check import CheckResult, check_rules
from jurat.engine.code_scan import explain_unlinked
from jurat.engine.fix_verifier import verify_fixes
from jurat.engine.smallest_edits import find_smallest_edits
from jurat.facts.assembly import build_subjects
from jurat.facts.context import EvaluationContext, SubjectKind
from jurat.findings.convergence import AssessedPush, find_known_findings, keep_ids, mark_late
from jurat.findings.evaluation import (
    Basis,
    Conclusion,
    Evaluation,
    RatingOutcome,
    aggregate,
    conclude,
)
from jurat.findings.identity import compute_evaluation_id, digest_basis
from jurat.findings.model_usage import CallPurpose
from jurat.findings.origins import mark_origins
from jurat.findings.verdict import NotAssessedReason, RuleVerdict
from jurat.findings.waivers import (
    Decision,
    WaiverScope,
    apply_waivers,
    find_override,
    find_suppressions,
    is_held,
    list_code_prints,
)
from jurat.judge.call_record import CallRecord, list_review_budgets
from jurat.judge.protocol import TokenBudget
from jurat.judge.unasked import (
    JudgeResult,
    leave_for_later,
    leave_partial,
    leave_unjudged,
    leave_without_model,
)
from jurat.review_interfaces import (
    EvaluationStore,
    Inputs,
    Publisher,
    RatingSource,
    Review,
    Services,
    Source,
)
from jurat.rules.config import BudgetConfig
from jurat.rules.enforcement import apply_levels
from jurat.rules.maturity import apply_maturity, apply_trials
from jurat.rules.relevance import EmbeddingError, Relevance, rank_by_words
from jurat.rules.rule import Rule, RuleSet
from jurat.rules.selection import (
    Selection,
    SelectionCriteria,
    find_contenders,
    infer_kind,
    select_applicable,
)
from jurat.source.parsing import ParseMap
from jurat.source.suppressions import Suppression
from jurat.source.unwritten import Unwritten

T = TypeVar("T")
U = TypeVar("U")


async def review(
    source: Source, publisher: Publisher, services: Services, rate: RatingSource | None = None
) -> Review:
    """Review what `source` holds, keep the result and show it through `publisher`.

    Raises JuratError if the review could not be completed; nothing was published then. The pure
    stages run in a thread, so that a server goes on answering.

    The evaluation is saved before it is published: a command that answers a comment finds its
    review. It is marked once it was published, and only then counts: a crash or a refusal between
    the two leaves a row that says so, and the retry comes back to the same row.
    """
    started, stage = services.clock(), services.watch
    inputs = await stage("fetch", source.fetch())
    services, own = _configure(services, inputs), inputs.configuration.budget
    budgets = await read_budgets(services, own, inputs.repository_key, started)
    record = CallRecord(budgets, services.options.prices)
    kept = False
    try:
        finished = await _decide(inputs, services, record, rate, started)
        evaluation = finished.evaluation
        if evaluation.has_model_failure and services.is_model_away():
            # The check that stands says as much.
            return replace(finished, postponed=True)
        if finished.postponed and evaluation.conclusion is not Conclusion.FAILURE:
            return finished  # nothing milder was earned yet
        # Saved before it is shown: whoever presses a button of the check or answers a comment
        # refers to what is stored.
        await stage("save", services.records.save(finished))
        kept = True
        await stage("publish", publisher.publish(finished))
        await services.records.mark_published(finished)
        return finished
    finally:
        if record.models and not kept:
            # What was sent was sent, whatever came of the review.
            await services.records.keep_calls(inputs.repository_key, inputs.asked_by, record.models)


async def _decide(
    inputs: Inputs,
    services: Services,
    record: CallRecord,
    rate: RatingSource | None,
    started: dt.datetime,
) -> Review:
    """What the review comes to, before anybody keeps or sees it."""
    stage = services.watch
    # One date for all of it: a review that runs past midnight has one answer to "is this rule in
    # force" and "is this waiver over".
    today = started.date()
    # Once for the whole review: a rule promoted in the midst of it would be judged by two
    # maturities.
    track_records = await services.records.track_records(inputs.repository_key, inputs.rule_set)
    rule_set = apply_maturity(inputs.rule_set, track_records, inputs.configuration)
    if services.judge is not None:
        model = services.judge.model_id(services.options.batch.tier)
        rule_set = apply_trials(rule_set, await services.read_trials(model))
    rule_set = apply_levels(rule_set, inputs.configuration)
    checked = await _check(inputs, rule_set, services, today, record)
    judging = stage("judge", _judge(inputs, checked, services, record))
    if services.computed_only:
        rate = None
    page = record.about(CallPurpose.RATING)
    rating = stage("rate", rate(inputs.configuration, page)) if rate else _skip_rating()
    judged, rated = await _gather_both(judging, rating)

    async def settle(judged: JudgeResult) -> Evaluation:
        verdicts = await _try_edits(checked, judged, rule_set, services)
        draft = aggregate(
            checked.context,
            checked.selection,
            verdicts,
            models=record.models,
            unread=(*checked.result.unread, *judged.unread),
            latency_ms=(services.clock() - started).total_seconds() * 1000,
            notes=(*checked.notes, *(rule_set.floor.notes if rule_set.floor else ())),
        )
        return await _settle(
            inputs, checked.context, draft, services, rules=rule_set, rating=rated, today=today
        )

    evaluation = await settle(judged)
    if passed_over := evaluation.passing_over:
        # What was found is set aside, and with it what kept files from passing that nobody judged.
        again = _judge(inputs, checked, services, record, passed_over)
        judged = judged.amend(await stage("judge", again))
        evaluation = await settle(judged)
    if passed_over := evaluation.passing_over:
        evaluation = await settle(judged.amend(leave_partial(passed_over)))
    postponed = services.computed_only and bool(
        inputs.configuration.rating.regulations
        or any(item.gap is NotAssessedReason.POSTPONED for item in evaluation.rule_verdicts)
    )
    return Review(inputs, checked.context, evaluation, track_records, postponed)


def _configure(services: Services, inputs: Inputs) -> Services:
    """The services as the base's configuration wants them."""
    options = replace(services.options, rules_per_batch=inputs.get_criteria().max_rules)
    services = replace(services, options=options)
    if services.computed_only:
        services = replace(services, semantic=None)
    if inputs.configuration.judge == "none":
        # Nothing of the change leaves the house: a model that ranks rules would read it as well.
        return replace(services, judge=None, semantic=None)
    return services


async def read_budgets(
    services: Services, own: BudgetConfig, repository: str | int | None, now: dt.datetime
) -> tuple[TokenBudget, ...]:
    """What one review may spend: what is left of the operator's budgets, and the repository's."""
    options = services.options
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    budgets = list_review_budgets(options, own)
    if own.day is not None:
        spent = await services.records.count_tokens(midnight, repository)
        name = f"{own.day:,} tokens a day for this repository"
        budgets.append(TokenBudget(own.day - spent, name))
    if options.day_tokens is not None:
        spent = await services.records.count_tokens(midnight)
        name = f"{options.day_tokens:,} tokens a day"
        budgets.append(TokenBudget(options.day_tokens - spent, name))
    return tuple(budgets)


class _CheckedChange(NamedTuple):
    """A change as what it is judged as, the rules for it, and what they decide without a model."""

    context: EvaluationContext
    selection: Selection
    notes: tuple[str, ...]
    result: CheckResult


async def _check(
    inputs: Inputs, rule_set: RuleSet, services: Services, today: dt.date, record: CallRecord
) -> _CheckedChange:
    stage, parse_map = services.watch, services.parse_map
    context = await stage("assemble", to_thread(_assemble, inputs, rule_set, parse_map))
    selecting = select_rules(
        context, rule_set, inputs.get_criteria(), services, today, record=record
    )
    selection, notes = await stage("select", selecting)
    changed = [file for subject in context.subjects for file in subject.files]
    notes = (*notes, *explain_unlinked(changed))
    deciding = to_thread(check_rules, context, selection, rule_set, parse_map)
    return _CheckedChange(context, selection, notes, await stage("dispatch", deciding))


async def _judge(
    inputs: Inputs,
    checked: _CheckedChange,
    services: Services,
    record: CallRecord,
    each_file_of: Sequence[Rule] = (),
) -> JudgeResult:
    """What a model says of all rules that are left, or of each file of some."""
    if inputs.configuration.judge == "none":
        return leave_unjudged(checked.result.undecided)
    if services.computed_only:
        return leave_for_later(checked.result.undecided)
    rules = each_file_of or checked.result.undecided
    if services.judge is None:
        return leave_without_model(rules)
    from jurat.judge.second_judge import ask_judges  # noqa: PLC0415 - if there is one to ask

    return await ask_judges(
        checked.context,
        rules,
        services.judge,
        services.second_judge,
        ledger=services.records.get_answers(inputs.repository_key),
        options=services.options,
        flights=services.flights,
        record=record,
        each_file=bool(each_file_of),
    )


async def _try_edits(
    checked: _CheckedChange, judged: JudgeResult, rule_set: RuleSet, services: Services
) -> tuple[RuleVerdict, ...]:
    """All verdicts, with what came of each fix, and if none mends it the smallest edit that would.

    And with the commit that wrote what a finding stands on.
    """

    def try_all() -> tuple[RuleVerdict, ...]:
        verdicts = checked.result.with_judged(judged.verdicts)
        tried = verify_fixes(context, checked.selection.rules, rule_set, verdicts, parse_map)
        return find_smallest_edits(context, rule_set, tried, parse_map)

    context, parse_map = checked.context, services.parse_map
    verdicts = await services.watch("prove", to_thread(try_all))
    if services.history is None:
        return verdicts
    return await to_thread(mark_origins, verdicts, context.files, services.history)


async def _settle(
    inputs: Inputs,
    context: EvaluationContext,
    draft: Evaluation,
    services: Services,
    *,
    rules: RuleSet,
    rating: RatingOutcome | None,
    today: dt.date,
) -> Evaluation:
    """The evaluation, by what the code and people say of the findings."""
    suppressions = await to_thread(find_suppressions, context, draft.findings, services.parse_map)
    earlier: Sequence[AssessedPush] = ()
    if inputs.number is not None and draft.findings:
        earlier = await services.records.list_pushes(inputs.repository_key, inputs.number)
    draft = await to_thread(keep_ids, draft, context, earlier)
    known = await to_thread(find_known_findings, draft, context, earlier)
    return await to_thread(
        evaluate,
        inputs,
        context,
        draft,
        rules=rules,
        rating=rating,
        suppressions=suppressions,
        decisions=await _read_decisions(
            inputs, draft, services.records, [item.code_id for at in known.values() for item in at]
        ),
        earlier=earlier,
        judged_by=_digest_judges(services),
        today=today,
    )


def _digest_judges(services: Services) -> str:
    if services.judge is None:
        return ""
    from jurat.judge.cache import judge_digest  # noqa: PLC0415 - for a model that is configured

    return judge_digest(services.judge, services.options, services.second_judge)


def evaluate(
    inputs: Inputs,
    context: EvaluationContext,
    draft: Evaluation,
    *,
    rules: RuleSet,
    rating: RatingOutcome | None = None,
    suppressions: Sequence[Suppression] = (),
    decisions: Sequence[Decision] = (),
    earlier: Sequence[AssessedPush] = (),
    judged_by: str = "",
    today: dt.date,
) -> Evaluation:
    """What a review comes to: what still counts, what the check says of it, and its id.

    Pure, and the only place that concludes. `rules` are those of the material with the maturity
    that they have here, `judged_by` is the judge's digest, empty without one, `earlier` what the
    reviews of earlier pushes left.
    """
    scope = _get_scope(inputs)
    evaluation = apply_waivers(
        mark_late(replace(draft, rating=rating), context, earlier),
        context,
        rule_set=inputs.rule_set,
        suppressions=suppressions,
        decisions=decisions,
        known=find_known_findings(draft, context, earlier),
        scope=scope,
        today=today,
    )
    evaluation = replace(evaluation, conclusion=conclude(evaluation, inputs.configuration.review))
    if evaluation.conclusion.blocks and not is_held(evaluation, rules):
        override = find_override(decisions, scope, today)
        evaluation = replace(evaluation, override=override)
    return replace(
        evaluation,
        basis=Basis(
            digest_basis(rules, inputs.configuration), inputs.rules_sha, __version__, rules.unseen
        ),
        evaluation_id=compute_evaluation_id(
            evaluation,
            context,
            change=(
                # Its name may be another one by the time of the retry.
                inputs.repository_key,
                inputs.number,
                inputs.queued,
                inputs.base_sha,
                inputs.head_sha,
            ),
            rules=rules,
            configuration=inputs.configuration,
            criteria=inputs.get_criteria(),
            judged_by=judged_by,
            suppressions=suppressions,
            today=today,
        ),
    )


async def select_rules(
    context: EvaluationContext,
    rule_set: RuleSet,
    criteria: SelectionCriteria,
    services: Services,
    today: dt.date,
    *,
    record: CallRecord,
) -> tuple[Selection, tuple[str, ...]]:
    """The rules for a context, and what a reader must know of how they were chosen.

    Relevance is a matter of meaning if `services` offers that, and of words if it does not or
    fails: a selection never waits for a model that is away. What is embedded goes on `record`.
    """
    relevance: Relevance = rank_by_words
    notes: tuple[str, ...] = ()
    if services.semantic is not None:
        rivals = await to_thread(find_contenders, context, rule_set, criteria, today)
        try:
            if rivals:
                page = record.about(CallPurpose.RELEVANCE)
                relevance = await services.semantic.prepare(context, rule_set, rivals, page)
        except EmbeddingError as error:
            notes = (f"Rules were ranked by their words, not by their meaning: {error}.",)
    chosen = partial(select_applicable, relevance=relevance)
    return await to_thread(chosen, context, rule_set, criteria, today), notes


async def _read_decisions(
    inputs: Inputs, draft: Evaluation, records: EvaluationStore, known: Sequence[str]
) -> Sequence[Decision]:
    """What people decided about findings like these, `known` ones at the same places among them."""
    repository = inputs.repository_key
    prints = (*list_code_prints(draft, _get_scope(inputs)), *known)
    return await records.decisions(repository, prints) if prints else ()


def _get_scope(inputs: Inputs) -> WaiverScope:
    return WaiverScope(
        inputs.number or inputs.queued,
        inputs.head_sha,
        inputs.merging,
        inputs.base_ref,
    )


async def _skip_rating() -> None:
    """Nobody asked for one."""


async def _gather_both(first: Awaitable[T], second: Coroutine[Any, Any, U]) -> tuple[T, U]:
    """The results of two that wait for the outside at once. If one fails, the other is stopped."""
    beside = ensure_future(second)
    try:
        return await first, await beside
    finally:
        beside.cancel()  # nothing outlives its review; without effect on what is done


def _assemble(inputs: Inputs, rule_set: RuleSet, parse_map: ParseMap) -> EvaluationContext:
    otherwise = SubjectKind.CODE_DIFF if inputs.change.files else SubjectKind.DECISION
    said = infer_kind(inputs.facts, rule_set, otherwise=otherwise)
    return build_subjects(
        inputs.change,
        facts=inputs.facts,
        intent=inputs.intent,
        scope=inputs.scope,
        repository=inputs.repository,
        mode=inputs.mode,
        kind=inputs.kind,
        described=said.kind,
        disputed=said.disputed,
        surfaces=inputs.configuration.surfaces,
        ignored=inputs.configuration.ignore,
        private=inputs.configuration.review.private,
        unwritten=Unwritten(inputs.attributes),
        parse_map=parse_map,
    )
