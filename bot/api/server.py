"""The REST API over HTTP: what all its routes have in common."""

from __future__ import annotations

import json
import time
from asyncio import to_thread
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from bot.api.access import admit
from bot.api.openapi import PREFIX
from bot.api.operations import ROUTES, Api
from bot.api.reading import checked, data_of, query_of, read_body
from bot.api.refusals import RefusedError, refusal
from bot.api.requested import Shelf
from bot.api.routing import Route
from bot.corpus.configuration import Configuration
from bot.errors import BylawError, UsageError
from bot.review import Outside
from bot.store.store import Store

_log = structlog.stdlib.get_logger("bot.api")


def add_api(
    app: web.Application,
    outside: Outside,
    store: Store,
    *,
    token: str | None,
    packs: Sequence[str] = Configuration().packs,
    rules: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Add the REST API below /api/v1. Without `token` it answers loopback alone.

    `packs` are in force where a request names none, and the rule files `rules`, text by path, in
    every case; raises UsageError or RuleError where they cannot be loaded. Evaluations are kept by
    `outside.records`; what was kept is read from `store`.
    """
    api = Api(outside, store, Shelf(packs, rules))
    below = web.Application(middlewares=[_guarded(token)])
    for route in ROUTES:
        below.router.add_route(route.method, route.path, _answering(route, api))
    app.add_subapp(PREFIX, below)
    if token is None:
        _log.warning("BYLAW_API_TOKEN is not set: the REST API answers this machine alone")


def _answering(route: Route, api: Api) -> Handler:
    async def answer(request: web.Request) -> web.Response:
        said = await route.handle(api, await _asked(route, request))
        # A large change has a large answer: other requests need not wait for it.
        return web.json_response(text=await to_thread(json.dumps, said))

    return answer


async def _asked(route: Route, request: web.Request) -> Any:
    match route.place:
        case "body":
            body = await read_body(request)
            return await to_thread(lambda: checked(route.asks, data_of(body), "The body"))
        case "query":
            return checked(route.asks, query_of(request.query), "The query")
        case "path":
            try:
                return checked(route.asks, dict(request.match_info), "The path")
            except RefusedError:
                raise RefusedError(404, "There is nothing of that name.") from None
        case "nothing":
            return route.asks()


def _guarded(token: str | None) -> Middleware:
    """The middleware around all routes: who may ask, how errors read, one line in the log."""

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        started = time.perf_counter()
        try:
            admit(request, token)
            answer = await handler(request)
        except RefusedError as error:
            answer = refusal(error)
        except web.HTTPException as error:
            answer = refusal(_of_router(error))
        except UsageError as error:
            answer = refusal(RefusedError(422, error.message, hint=error.hint))
        except BylawError as error:
            _log.error("a request could not be answered", error=str(error))
            answer = refusal(RefusedError(503, error.message, hint=error.hint))
        except Exception:  # noqa: BLE001 - whoever asked gets an answer in the form that is promised
            _log.exception("a request met a bug")
            hint = "This is a bug: the server's log has the details."
            answer = refusal(RefusedError(500, "The request could not be answered.", hint=hint))
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


def _of_router(error: web.HTTPException) -> RefusedError:
    """What aiohttp says of a request that no route takes."""
    if isinstance(error, web.HTTPMethodNotAllowed):
        allowed = ", ".join(sorted(error.allowed_methods))
        message = f"{error.method} is not answered here, only {allowed}."
        return RefusedError(405, message, headers={"Allow": allowed})
    if error.status == 413:
        return RefusedError(413, "The body is too large.")
    return RefusedError(404, "There is nothing here.", hint=f"See {PREFIX}/openapi.json.")
