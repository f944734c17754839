"""The dashboard over HTTP: GET /, GET /reviews/ID, and the way in and out."""

from __future__ import annotations

import datetime as dt
from asyncio import to_thread
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog
from aiohttp import web

from bot.api.access import admit
from bot.api.refusals import RefusedError
from bot.dashboard.pages import (
    Overview,
    login_page,
    overview_page,
    policy,
    problem_page,
    review_page,
)
from bot.dashboard.session import (
    SESSION_COOKIE,
    SESSION_LIFETIME,
    is_same_token,
    is_session_valid,
    open_session,
)
from bot.jobs.protocol import JobQueue
from bot.probes.standing import Standing
from bot.store.database import Database, DatabaseUnavailable
from bot.store.overview import recent_reviews, verdicts_by_rule
from bot.store.store import Store

_REVIEWS = 25
_RULES = 50
_DAYS = 30
_MAX_FORM = 4_096

_log = structlog.stdlib.get_logger("bot.dashboard")

_Page = Callable[[web.Request], Awaitable[web.Response]]


@dataclass(frozen=True, slots=True)
class Dashboard:
    """What the pages are made from. `web_url` is where GitHub shows its own."""

    database: Database
    store: Store
    queue: JobQueue
    standing: Callable[[], Awaitable[Standing | None]]
    clock: Callable[[], dt.datetime]
    web_url: str
    token: str | None


def add_dashboard(app: web.Application, dashboard: Dashboard) -> None:
    """Add the pages. With a token they want a session; without, they answer loopback alone."""
    doors = _Doors(dashboard)
    app.router.add_get("/", doors.guarded(doors.overview))
    app.router.add_get("/reviews/{evaluation_id}", doors.guarded(doors.review))
    app.router.add_get("/login", doors.form)
    app.router.add_post("/login", doors.enter)
    app.router.add_post("/logout", doors.leave)


class _Doors:
    def __init__(self, dashboard: Dashboard) -> None:
        self._board = dashboard

    def guarded(self, page: _Page) -> _Page:
        """A page for those alone who may look."""

        async def answer(request: web.Request) -> web.Response:
            if not self._may_look(request):
                if self._board.token is None:
                    return _local_only()
                raise web.HTTPSeeOther("/login")
            try:
                return await page(request)
            except DatabaseUnavailable as error:
                _log.error("a page could not be made", cause=str(error.__cause__))
                return _page(problem_page("Not now", "The database does not answer."), 503)

        return answer

    async def overview(self, _: web.Request) -> web.Response:
        """The first page."""
        board, now = self._board, self._board.clock()
        since = now - dt.timedelta(days=_DAYS)
        overview = Overview(
            backlog=await board.queue.backlog(),
            reviews=await recent_reviews(board.database, limit=_REVIEWS),
            rules=await verdicts_by_rule(board.database, since=since, limit=_RULES),
            standing=await board.standing(),
            since=since.date(),
            now=now,
        )
        leave = board.token is not None
        return _page(overview_page(overview, web_url=board.web_url, leave=leave))

    async def review(self, request: web.Request) -> web.Response:
        """One review."""
        found = await self._board.store.review(request.match_info["evaluation_id"])
        if found is None:
            return _page(problem_page("Not found", "There is no such review."), 404)
        leave, web_url = self._board.token is not None, self._board.web_url
        return _page(await to_thread(review_page, found, web_url=web_url, leave=leave))

    async def form(self, _: web.Request) -> web.Response:
        """The way in."""
        if self._board.token is None:
            raise web.HTTPSeeOther("/")
        return _page(login_page())

    async def enter(self, request: web.Request) -> web.Response:
        """Open a session for whoever knows the token."""
        token = self._board.token
        if token is None:
            raise web.HTTPSeeOther("/")
        if not is_same_token(await _typed(request), token):
            _log.warning("somebody gave a wrong token", peer=request.remote)
            return _page(login_page("That is not the token."), 401)
        answer = web.HTTPSeeOther("/")
        answer.set_cookie(
            SESSION_COOKIE,
            open_session(token, self._board.clock().timestamp()),
            max_age=SESSION_LIFETIME,
            httponly=True,
            samesite="Lax",
            secure=_encrypted(request),
        )
        raise answer

    async def leave(self, request: web.Request) -> web.Response:
        """End the session in this browser."""
        answer = web.HTTPSeeOther("/login")
        answer.del_cookie(SESSION_COOKIE)
        raise answer

    def _may_look(self, request: web.Request) -> bool:
        token = self._board.token
        if token is not None:
            cookie = request.cookies.get(SESSION_COOKIE, "")
            return is_session_valid(cookie, token, self._board.clock().timestamp())
        try:
            admit(request, None)
        except RefusedError:
            return False
        return True


async def _typed(request: web.Request) -> str:
    """What stands in the form; nothing where it is no form of ours."""
    if request.content_type != "application/x-www-form-urlencoded":
        return ""
    if request.content_length is None or request.content_length > _MAX_FORM:
        return ""
    try:
        value = (await request.post()).get("token", "")
    except (ValueError, LookupError):
        return ""
    return value if isinstance(value, str) else ""


def _encrypted(request: web.Request) -> bool:
    """Whether the browser speaks https, to us or to a proxy that says so.

    A proxy's word can only add the flag: a browser then keeps the cookie from plain http.
    """
    return request.secure or request.headers.get("X-Forwarded-Proto", "").lower() == "https"


def _local_only() -> web.Response:
    says = (
        "Without BYLAW_API_TOKEN this page is shown on the server's own machine alone. Set it to a "
        "long random text, start the server again, and sign in with it."
    )
    return _page(problem_page("For this machine alone", says), 403)


def _page(html: str, status: int = 200) -> web.Response:
    return web.Response(
        text=html,
        status=status,
        content_type="text/html",
        charset="utf-8",
        headers={
            "Content-Security-Policy": policy(),
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cache-Control": "no-store",
        },
    )
