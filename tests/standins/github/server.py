"""The HTTP side of the stand-in: one handler, which authenticates, dispatches and records."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from aiohttp import web
from yarl import URL

from tests.standins.github.auth import Caller
from tests.standins.github.faults import Fault
from tests.standins.github.pages import pages
from tests.standins.github.recorder import Exchange, without_credentials
from tests.standins.github.refusals import DOCUMENTATION, RefusalError
from tests.standins.github.routes import all_routes
from tests.standins.github.routes.calls import Answer, Call, RouteTable, authorise, media_type
from tests.standins.github.site import ENTERPRISE_PREFIX, Site

API_VERSIONS = ("2022-11-28", "2026-03-10")
"""What a client may ask for. The answers have the fields that both versions have.
https://docs.github.com/rest/about-the-rest-api/breaking-changes"""

_JSON = "application/json; charset=utf-8"
_NAMED = re.compile(r"/repos/(?P<name>[^/]+/[^/]+)(?P<rest>.*)")
_NUMBERED = re.compile(r"/repositories/(?P<id>\d+)(?P<rest>.*)")
_BODY_LIMIT = 64 * 1024 * 1024


def application(github: Site) -> web.Application:
    """The whole API, at the root and below /api/v3."""
    table = all_routes()

    async def handle(request: web.Request) -> web.StreamResponse:
        data = await request.read()
        if (page := _page(github, request, data)) is not None:
            return _response(page)
        if github.latency:
            await asyncio.sleep(github.latency)
        raw_path = request.rel_url.raw_path.removeprefix(ENTERPRISE_PREFIX) or "/"
        fault = github.fault_for(request.method, URL(raw_path, encoded=True).path)
        answer, route = Answer(), ""
        if fault is None or fault.applied:
            answer, route = _answer(github, table, request, raw_path, data)
        if fault is not None and fault.status is not None:
            answer = _fault_answer(fault)
        dropped = fault is not None and fault.status is None
        github.exchanges.append(
            _exchange(
                request, raw_path, route, data, fault=fault, answer=None if dropped else answer
            )
        )
        if dropped and request.transport is not None:
            request.transport.abort()
        return _response(answer)

    app = web.Application(client_max_size=_BODY_LIMIT)
    app.router.add_route("*", "/{tail:.*}", handle)
    return app


def _page(github: Site, request: web.Request, data: bytes) -> Answer | None:
    """What a browser gets that asks for a page; None if that is no page's address."""
    for route in pages.routes:
        params = route.match(request.method, request.rel_url.raw_path)
        if params is not None:
            call = Call(
                github=github,
                caller=None,
                method=request.method,
                url=request.url,
                params=params,
                media="html",
                data=data,
            )
            return route.endpoint(call)
    return None


def _answer(
    github: Site, table: RouteTable, request: web.Request, raw_path: str, data: bytes
) -> tuple[Answer, str]:
    """What the API says, and the pattern of the endpoint that said it."""
    caller: Caller | None = None
    pattern = ""
    now = github.world.now()
    try:
        _check_headers(request.headers)
        caller = github.gate.identify(request.headers.get("Authorization"), now)
        name = github.budget_name(caller)
        if raw_path != "/rate_limit":
            github.limits.spend(name, now, write=request.method not in ("GET", "HEAD"))
        if (elsewhere := _moved(github, request.method, raw_path)) is not None:
            return elsewhere, ""
        raw_path = _by_name(github, raw_path)
        route, params = table.find(request.method, raw_path)
        pattern = route.pattern
        call = Call(
            github=github,
            caller=caller,
            method=request.method,
            url=request.url,
            params=params,
            media=media_type(request.headers.get("Accept", "*/*")),
            data=data,
        )
        authorise(call, route)
        answer = route.endpoint(call)
        answer = _conditional(answer, request, github, name)
    except RefusalError as refusal:
        answer = Answer(refusal.status, refusal.body(), refusal.headers)
    headers = {
        **github.limits.headers(github.budget_name(caller), now),
        "X-GitHub-Media-Type": "github.v3; format=json",
        "X-GitHub-Request-Id": f"STAND:{len(github.exchanges):08X}",
        "X-GitHub-Api-Version-Selected": _version(request.headers),
    }
    if github.enterprise:
        headers["X-GitHub-Enterprise-Version"] = "3.17.0"
    return Answer(answer.status, answer.body, {**headers, **answer.headers}), pattern


def _moved(github: Site, method: str, raw_path: str) -> Answer | None:
    """Where a repository is that has another name now.

    https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects
    """
    found = _NAMED.fullmatch(raw_path)
    full_name = unquote(found["name"]).lower() if found else ""
    repository = github.world.moved.get(full_name)
    if found is None or repository is None or github.world.repository(full_name):
        return None
    url = f"{github.api_url}/repositories/{repository.id}{found['rest']}"
    status, message = (301, "Moved Permanently") if method == "GET" else (307, "Temporary Redirect")
    told = {"message": message, "url": url, "documentation_url": DOCUMENTATION}
    return Answer(status, told, {"Location": url})


def _by_name(github: Site, raw_path: str) -> str:
    """A path that names a repository by its number, as one that names it."""
    found = _NUMBERED.fullmatch(raw_path)
    if found is None:
        return raw_path
    known = {one.id: one for one in github.world.repositories.values()}
    repository = known.get(int(found["id"]))
    return f"/repos/{repository.full_name}{found['rest']}" if repository else raw_path


def _check_headers(headers: Mapping[str, str]) -> None:
    if not headers.get("User-Agent"):
        raise RefusalError(
            403,
            "Request forbidden by administrative rules. Please make sure your request has a "
            "User-Agent header.",
        )
    if _version(headers) not in API_VERSIONS:
        raise RefusalError(400, f"{_version(headers)} is not a supported version.")


def _version(headers: Mapping[str, str]) -> str:
    return headers.get("X-GitHub-Api-Version", API_VERSIONS[0])


def _conditional(answer: Answer, request: web.Request, github: Site, name: str) -> Answer:
    """Add an ETag to what was read, and say 304 to who has it already, which is free."""
    if request.method != "GET" or answer.status != 200:
        return answer
    digest = hashlib.sha256(_encoded(answer)).hexdigest()
    headers = {**answer.headers, "ETag": f'W/"{digest}"'}
    if request.headers.get("If-None-Match") == headers["ETag"]:
        github.limits.refund(name)
        return Answer(304, None, headers)
    return Answer(200, answer.body, headers)


def _fault_answer(fault: Fault) -> Answer:
    body = {"message": fault.message, "documentation_url": "https://docs.github.com/rest"}
    return Answer(fault.status or 500, body, fault.headers)


def _encoded(answer: Answer) -> bytes:
    if answer.body is None:
        return b""
    if isinstance(answer.body, bytes):
        return answer.body
    return json.dumps(answer.body, ensure_ascii=False, separators=(",", ":")).encode()


def _response(answer: Answer) -> web.Response:
    headers = dict(answer.headers)
    if answer.body is not None and not isinstance(answer.body, bytes):
        headers.setdefault("Content-Type", _JSON)
    return web.Response(status=answer.status, body=_encoded(answer), headers=headers)


def _exchange(
    request: web.Request,
    raw_path: str,
    route: str,
    data: bytes,
    *,
    answer: Answer | None,
    fault: Fault | None,
) -> Exchange:
    return Exchange(
        method=request.method,
        path=URL(raw_path, encoded=True).path,
        route=route,
        query=dict(request.query),
        headers=without_credentials(request.headers),
        sent=_parsed(data),
        status=answer.status if answer else None,
        answer_headers=dict(answer.headers) if answer else {},
        answered=answer.body if answer else None,
        faulty=fault is not None,
    )


def _parsed(data: bytes) -> Any:
    if not data:
        return None
    try:
        return json.loads(data)
    except ValueError:
        return data
