"""What each route does, and the table of them all."""

from __future__ import annotations

from asyncio import to_thread
from dataclasses import dataclass, field

from bot.api.answers import (
    AboutAnswer,
    AnalyticsAnswer,
    ApplicableRulesAnswer,
    EvaluationAnswer,
    LeftOutAnswer,
    RuleActivityAnswer,
    RuleAnswer,
    StoredEvaluationAnswer,
)
from bot.api.bodies import (
    AnalyticsFilter,
    ApplicableRulesRequest,
    EvaluateRequest,
    EvaluationKey,
    Nothing,
    QuickRequest,
)
from bot.api.openapi import document
from bot.api.refusals import RefusedError
from bot.api.requested import RequestSource, Shelf, criteria_of, paths_alone
from bot.api.routing import Json, Route
from bot.publishing.response import response
from bot.review import Outside, Review, choose, review
from bot.selection.selection import Selection
from bot.store.analytics import AnalyticsQuestion
from bot.store.store import Store

MAX_AT_ONCE = 8
"""Evaluations under way at once. One more is turned away rather than kept waiting."""
MAX_ROWS = 1_000
"""Rows of analytics in one answer."""
MAX_LEFT_OUT = 200
"""Rules that do not apply, named with their reasons in one answer."""


@dataclass(slots=True)
class Api:
    """What the routes work with, and how many evaluations are under way."""

    outside: Outside
    store: Store
    shelf: Shelf
    under_way: int = field(default=0)


class _Unpublished:
    """A Publisher for a review that is answered to whoever asked."""

    async def publish(self, review: Review) -> None:
        """Nothing: `review` returns it."""


async def evaluate(api: Api, asked: EvaluateRequest | QuickRequest) -> Json:
    """Judge what a request holds, and keep the result."""
    if api.under_way >= MAX_AT_ONCE:
        raise RefusedError(
            503,
            f"{MAX_AT_ONCE} evaluations are under way already.",
            hint="Try again in a moment.",
            headers={"Retry-After": "1"},
        )
    api.under_way += 1
    try:
        finished = await review(RequestSource(asked, api.shelf), _Unpublished(), api.outside)
    finally:
        api.under_way -= 1
    return await to_thread(response, finished.evaluation)


async def evaluate_quick(api: Api, asked: QuickRequest) -> Json:
    """Judge an action."""
    return await evaluate(api, asked)


async def applicable_rules(api: Api, asked: ApplicableRulesRequest) -> Json:
    """Select rules, and evaluate none."""
    corpus = await to_thread(api.shelf.rules_for, asked)
    context = paths_alone(asked)
    selection, notes = await choose(context, corpus, criteria_of(asked), api.outside)
    return await to_thread(_applicable_rules, selection, notes, len(corpus))


async def evaluation(api: Api, asked: EvaluationKey) -> Json:
    """Look an evaluation up."""
    found = await api.store.review(asked.evaluation_id)
    if found is None:
        raise RefusedError(
            404,
            f"There is no evaluation {asked.evaluation_id}.",
            hint="Its id is the evaluation_id of the response.",
        )
    about = AboutAnswer(
        asked_by=found.asked_by,
        subject_digest=found.subject_digest,
        mode=found.mode,
        surface=found.surface,
        repository=found.repository,
        number=found.number,
        head_sha=found.head_sha,
        conclusion=found.conclusion,
        created_at=found.created_at,
    )
    return {**found.response, "about": about.model_dump(mode="json")}


async def analytics(api: Api, asked: AnalyticsFilter) -> Json:
    """Count what was evaluated."""
    question = AnalyticsQuestion(
        period=asked.period,
        since=asked.since,
        until=asked.until,
        repository=asked.repository,
        rule_id=asked.rule,
        mode=asked.mode,
    )
    found = await api.store.activity(question, limit=MAX_ROWS + 1)
    answer = AnalyticsAnswer(
        period=asked.period,
        rows=[RuleActivityAnswer.of(row) for row in found[:MAX_ROWS]],
        truncated=len(found) > MAX_ROWS,
    )
    return answer.model_dump(mode="json")


async def openapi(_api: Api, _asked: Nothing) -> Json:
    """Describe all of this."""
    return document(ROUTES)


def _applicable_rules(selection: Selection, notes: tuple[str, ...], in_force: int) -> Json:
    answer = ApplicableRulesAnswer(
        rules=[RuleAnswer.of(rule) for rule in selection.rules],
        omitted=[LeftOutAnswer.of(item) for item in selection.omitted[:MAX_LEFT_OUT]],
        inapplicable=[LeftOutAnswer.of(item) for item in selection.inapplicable[:MAX_LEFT_OUT]],
        inapplicable_count=len(selection.inapplicable),
        rules_in_force=in_force,
        notes=list(notes),
    )
    return answer.model_dump(mode="json")


ROUTES = (
    Route(
        "POST",
        "/evaluate",
        "Judge a change, files or facts by the rules that apply.",
        evaluate,
        "body",
        EvaluateRequest,
        EvaluationAnswer,
    ),
    Route(
        "POST",
        "/evaluate/quick",
        "Judge an action that is no change of code.",
        evaluate_quick,
        "body",
        QuickRequest,
        EvaluationAnswer,
    ),
    Route(
        "POST",
        "/evaluate/applicable-rules",
        "Say which rules apply to files, without evaluating any.",
        applicable_rules,
        "body",
        ApplicableRulesRequest,
        ApplicableRulesAnswer,
    ),
    Route(
        "GET",
        "/evaluations/{evaluation_id}",
        "An evaluation as it was answered, and who asked for it.",
        evaluation,
        "path",
        EvaluationKey,
        StoredEvaluationAnswer,
    ),
    Route(
        "GET",
        "/analytics",
        "What has become of each rule, by repository and period.",
        analytics,
        "query",
        AnalyticsFilter,
        AnalyticsAnswer,
    ),
    Route(
        "GET",
        "/openapi.json",
        "This description.",
        openapi,
        "nothing",
        Nothing,
        None,
        may_be_unavailable=False,
    ),
)
"""Every route: the router and the OpenAPI document are made from this table."""
