"""What each route does, and the table of them all."""

from __future__ import annotations

import json
import time
from asyncio import to_thread
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from types import MappingProxyType
from typing import Any

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from jurat.errors import JuratError, UsageError
from jurat.judge.call_record import CallRecord
from jurat.reports.answer import EvaluationAnswer
from jurat.review import read_budgets, review, select_rules
from jurat.review_interfaces import Review, Services
from jurat.rules.config import BudgetConfig, Config
from jurat.rules.selection import Selection
from jurat.server.access import TokenGate
from jurat.server.api_http import (
    ApiError,
    Json,
    Route,
    authorize,
    read_body,
    read_json,
    read_query,
    to_error_response,
    validate_body,
)
from jurat.server.api_inputs import (
    ASKED_BY,
    Api,
    ApiSource,
    RuleSetCache,
    build_criteria,
    build_diff_from_paths,
)
from jurat.server.api_lists import (
    DecisionsFilter,
    DecisionsPage,
    EvaluationsFilter,
    EvaluationsPage,
    FindingsFilter,
    FindingsPage,
    RulesFilter,
    RulesPage,
    list_decisions,
    list_evaluations,
    list_findings,
    list_rules,
)
from jurat.server.api_models import (
    AboutAnswer,
    AnalyticsAnswer,
    ApplicableRulesAnswer,
    InapplicableRuleModel,
    OverrideAnswer,
    RuleActivityAnswer,
    RuleAnswer,
    StoredEvaluationAnswer,
)
from jurat.server.api_requests import (
    AnalyticsFilter,
    ApplicableRulesRequest,
    EmptyRequest,
    EvaluateRequest,
    EvaluationKey,
    QuickRequest,
)
from jurat.server.bodies import BodyReader
from jurat.server.openapi import PREFIX, build_openapi
from jurat.store.analytics import AnalyticsQuestion
from jurat.store.evaluations import Store

MAX_ROWS = 1_000
"""Rows of analytics in one answer."""
MAX_LEFT_OUT = 200
"""Rules that do not apply, named with their reasons in one answer."""


class _NoPublisher:
    """A Publisher for a review that is answered to whoever asked."""

    async def publish(self, review: Review) -> None:
        """Nothing: `review` returns it."""


async def evaluate(api: Api, asked: EvaluateRequest | QuickRequest) -> Json:
    """Judge what a request holds, and keep the result."""
    finished = await review(ApiSource(asked, api.rule_sets), _NoPublisher(), api.services)
    return await to_thread(lambda: EvaluationAnswer.build(finished.evaluation).to_json())


async def evaluate_quick(api: Api, asked: QuickRequest) -> Json:
    """Judge an action."""
    return await evaluate(api, asked)


async def applicable_rules(api: Api, asked: ApplicableRulesRequest) -> Json:
    """Select rules, and evaluate none."""
    rule_set = await to_thread(api.rule_sets.get_rules, asked)
    context = build_diff_from_paths(asked)
    now = api.services.clock()
    budgets = await read_budgets(api.services, BudgetConfig(), None, now)
    record = CallRecord(budgets, api.services.options.prices)
    selection, notes = await select_rules(
        context, rule_set, build_criteria(asked), api.services, now.date(), record=record
    )
    if record.models:
        await api.services.records.keep_calls(None, ASKED_BY, record.models)
    return await to_thread(_to_applicable_rules_json, selection, notes, len(rule_set))


async def evaluation(api: Api, asked: EvaluationKey) -> Json:
    """Look an evaluation up."""
    found = await api.store.review(asked.evaluation_id)
    if found is None:
        raise ApiError(
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
        override=OverrideAnswer.model_validate(found.override) if found.override else None,
        created_at=found.created_at,
    )
    return {**found.answer.to_json(), "about": about.to_json()}


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
    return answer.to_json()


async def openapi(_api: Api, _asked: EmptyRequest) -> Json:
    """Describe all of this."""
    return build_openapi(ROUTES)


def _to_applicable_rules_json(selection: Selection, notes: tuple[str, ...], in_force: int) -> Json:
    answer = ApplicableRulesAnswer(
        rules=[RuleAnswer.of(rule) for rule in selection.rules],
        omitted=[InapplicableRuleModel.of(item) for item in selection.omitted[:MAX_LEFT_OUT]],
        inapplicable=[
            InapplicableRuleModel.of(item) for item in selection.inapplicable[:MAX_LEFT_OUT]
        ],
        inapplicable_count=len(selection.inapplicable),
        rules_in_force=in_force,
        notes=list(notes),
    )
    return answer.to_json()


ROUTES = (
    Route(
        "POST",
        "/evaluate",
        "Judge a change, files or facts by the rules that apply.",
        evaluate,
        "body",
        EvaluateRequest,
        EvaluationAnswer,
        is_queued=True,
    ),
    Route(
        "POST",
        "/evaluate/quick",
        "Judge an action that is no change of code.",
        evaluate_quick,
        "body",
        QuickRequest,
        EvaluationAnswer,
        is_queued=True,
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
        "/evaluations",
        "The evaluations that were shown, the latest first.",
        list_evaluations,
        "query",
        EvaluationsFilter,
        EvaluationsPage,
    ),
    Route(
        "GET",
        "/findings",
        "The findings of pull requests that are not merged, as their last reviews left them.",
        list_findings,
        "query",
        FindingsFilter,
        FindingsPage,
    ),
    Route(
        "GET",
        "/decisions",
        "What people decided about findings and commits, the latest first.",
        list_decisions,
        "query",
        DecisionsFilter,
        DecisionsPage,
    ),
    Route(
        "GET",
        "/rules",
        "The rules that are in force if a request names no packs, by id.",
        list_rules,
        "query",
        RulesFilter,
        RulesPage,
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
        EmptyRequest,
        None,
        may_be_unavailable=False,
    ),
)
"""Every route: the router and the OpenAPI document are made from this table."""


# The REST API over HTTP: what all its routes have in common.

_log = structlog.stdlib.get_logger("jurat.server")


def add_api(
    app: web.Application,
    services: Services,
    store: Store,
    *,
    gate: TokenGate,
    packs: Sequence[str] = Config().packs,
    rules: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Add the REST API below /api/v1, for those who know the token.

    `packs` are in force if a request names none, and the rule files `rules`, text by path, in
    every case; raises UsageError or RuleError if they cannot be loaded. Evaluations are kept by
    `outside.records`; what was kept is read from `store`.
    """
    api = Api(services, store, RuleSetCache(packs, rules))
    below = web.Application(middlewares=[_build_guard(gate)])
    for route in ROUTES:
        below.router.add_route(route.method, route.path, _build_handler(route, api))
    app.add_subapp(PREFIX, below)


def _build_handler(route: Route, api: Api) -> Handler:
    async def answer(request: web.Request) -> web.Response:
        async with api.queue.take_turn() if route.is_queued else nullcontext():
            said = await route.handle(api, await _read_request(route, request, api.bodies))
        # A large change has a large answer: other requests need not wait for it.
        return web.json_response(text=await to_thread(json.dumps, said))

    return answer


async def _read_request(route: Route, request: web.Request, bodies: BodyReader) -> Any:
    match route.place:
        case "body":
            body = await read_body(request, bodies)
            return await to_thread(
                lambda: validate_body(route.request_model, read_json(body), "The body")
            )
        case "query":
            return validate_body(route.request_model, read_query(request.query), "The query")
        case "path":
            try:
                return validate_body(route.request_model, dict(request.match_info), "The path")
            except ApiError:
                raise ApiError(404, "There is nothing of that name.") from None
        case "nothing":
            return route.request_model()


def _build_guard(gate: TokenGate) -> Middleware:
    """The middleware around all routes: who may ask, how errors read, one line in the log."""

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        started = time.perf_counter()
        try:
            await authorize(request, gate)
            answer = await handler(request)
        except ApiError as error:
            answer = to_error_response(error)
        except web.HTTPException as error:
            answer = to_error_response(_to_api_error(error))
        except UsageError as error:
            answer = to_error_response(ApiError(422, error.message, hint=error.hint))
        except JuratError as error:
            _log.error("a request could not be answered", error=str(error))
            # Not 500: the request was right, and the same one may be answered later.
            answer = to_error_response(ApiError(503, error.message, hint=error.hint))
        except Exception:  # noqa: BLE001 - whoever asked gets an answer in the form that is promised
            _log.exception("a request met a bug")
            hint = "This is a bug: the server's log has the details."
            answer = to_error_response(
                ApiError(500, "The request could not be answered.", hint=hint)
            )
        route = request.match_info.route.resource
        _log.info(
            "api",
            method=request.method,
            route=route.canonical if route is not None else None,
            status=answer.status,
            milliseconds=round((time.perf_counter() - started) * 1000, 2),
        )
        return answer

    return guard


def _to_api_error(error: web.HTTPException) -> ApiError:
    """What aiohttp says of a request that no route takes."""
    if isinstance(error, web.HTTPMethodNotAllowed):
        allowed = ", ".join(sorted(error.allowed_methods))
        message = f"{error.method} is not answered here, only {allowed}."
        return ApiError(405, message, headers={"Allow": allowed})
    if error.status == 413:
        return ApiError(413, "The body is too large.")
    return ApiError(404, "There is nothing here.", hint=f"See {PREFIX}/openapi.json.")
