"""The dashboard: pages and sessions. No script, nothing from elsewhere, foreign text as text."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import hmac
import re
from asyncio import to_thread
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import structlog
from aiohttp import web
from jinja2 import Environment
from markupsafe import Markup

from jurat.jobs.queue import JobQueue, QueueDepth
from jurat.probes.run import ProbeStatus
from jurat.reports.markdown import load_templates
from jurat.server.api_http import ApiError, authorize
from jurat.server.bodies import BodyError, BodyReader
from jurat.source.visible_text import to_one_line
from jurat.store.analytics import ReviewLine, RuleLine, count_verdicts_by_rule, list_recent_reviews
from jurat.store.database import Database, DatabaseUnavailable
from jurat.store.evaluations import Store
from jurat.store.rows import StoredReview

_HERE = Path(__file__).parent / "templates"
_WORDS = {
    "ALLOW": ("good", "passed"),
    "DENY": ("bad", "broken"),
    "NEEDS_CONFIRMATION": ("unsure", "needs confirmation"),
    "NOT_ASSESSED": ("soft", "not assessed"),
}


@dataclass(frozen=True, slots=True)
class Overview:
    """What the first page shows. `since` is where the rules' counts begin."""

    backlog: QueueDepth
    reviews: Sequence[ReviewLine]
    rules: Sequence[RuleLine]
    standing: ProbeStatus | None
    since: dt.date
    now: dt.datetime


def render_overview(overview: Overview, *, web_url: str, leave: bool) -> str:
    """The first page. `web_url` is where GitHub shows its pages; `leave` offers to sign out."""
    return _render("overview.html.j2", overview=overview, web_url=web_url, leave=leave)


def render_review(review: StoredReview, *, web_url: str, leave: bool) -> str:
    """One review with all its verdicts."""
    verdicts: list[Mapping[str, Any]] = review.response.get("rule_verdicts", [])
    order = ("DENY", "NEEDS_CONFIRMATION", "ALLOW")
    verdicts = sorted(verdicts, key=lambda item: order.index(item["verdict"]))
    return _render("review.html.j2", review=review, verdicts=verdicts, web_url=web_url, leave=leave)


def render_login(problem: str = "") -> str:
    """The form that asks for the token."""
    return _render("login.html.j2", problem=problem, leave=False)


def render_problem(title: str, says: str) -> str:
    """Anything that went wrong."""
    return _render("problem.html.j2", title=title, says=says, leave=False)


def build_content_policy() -> str:
    """The Content-Security-Policy of every page: its one style sheet, by digest, and its forms.

    https://www.w3.org/TR/CSP3/
    """
    digest = base64.b64encode(hashlib.sha256(_read_style().encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    )


def to_web_address(api_url: str) -> str:
    """Where GitHub shows its pages, from where its API is."""
    if api_url == "https://api.github.com":
        return "https://github.com"
    return api_url.removesuffix("/api/v3")


@cache
def _read_style() -> str:
    return (_HERE / "style.css").read_text(encoding="utf-8")


@cache
def _get_environment() -> Environment:
    environment = load_templates(_HERE)
    environment.filters |= {"line": to_one_line, "ago": _format_ago, "span": _format_span}
    environment.globals |= {"words": _WORDS, "style": Markup(_read_style())}  # noqa: S704 - our own file
    return environment


def _render(name: str, **values: Any) -> str:
    return _get_environment().get_template(name).render(**values)


def _format_ago(then: dt.datetime, now: dt.datetime) -> str:
    return f"{_format_span(max((now - then).total_seconds(), 0.0))} ago"


def _format_span(seconds: float) -> str:
    """A time that a person reads: one unit is enough."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size:.0f} {unit}"
    if seconds >= 10:
        return f"{seconds:.0f} s"
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


# The dashboard over HTTP: GET /, GET /reviews/ID, and the way in and out.

_REVIEWS = 25
_RULES = 50
_DAYS = 30
_MAX_FORM = 4_096

_log = structlog.stdlib.get_logger("jurat.server")

_Page = Callable[[web.Request], Awaitable[web.Response]]


@dataclass(frozen=True, slots=True)
class Dashboard:
    """What the pages are made from. `web_url` is where GitHub shows its own."""

    database: Database
    store: Store
    queue: JobQueue
    standing: Callable[[], Awaitable[ProbeStatus | None]]
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
        self._bodies = BodyReader()

    def guarded(self, page: _Page) -> _Page:
        """A page for those alone who may look."""

        async def answer(request: web.Request) -> web.Response:
            if not self._may_look(request):
                if self._board.token is None:
                    return _refuse_remote()
                raise web.HTTPSeeOther("/login")
            try:
                return await page(request)
            except DatabaseUnavailable as error:
                _log.error("a page could not be made", cause=str(error.__cause__))
                return _build_page_response(
                    render_problem("Not now", "The database does not answer."), 503
                )

        return answer

    async def overview(self, _: web.Request) -> web.Response:
        """The first page."""
        board, now = self._board, self._board.clock()
        since = now - dt.timedelta(days=_DAYS)
        overview = Overview(
            backlog=await board.queue.backlog(),
            reviews=await list_recent_reviews(board.database, limit=_REVIEWS),
            rules=await count_verdicts_by_rule(board.database, since=since, limit=_RULES),
            standing=await board.standing(),
            since=since.date(),
            now=now,
        )
        leave = board.token is not None
        return _build_page_response(render_overview(overview, web_url=board.web_url, leave=leave))

    async def review(self, request: web.Request) -> web.Response:
        """One review."""
        found = await self._board.store.review(request.match_info["evaluation_id"])
        if found is None:
            return _build_page_response(
                render_problem("Not found", "There is no such review."), 404
            )
        leave, web_url = self._board.token is not None, self._board.web_url
        return _build_page_response(
            await to_thread(render_review, found, web_url=web_url, leave=leave)
        )

    async def form(self, _: web.Request) -> web.Response:
        """The way in."""
        if self._board.token is None:
            raise web.HTTPSeeOther("/")
        return _build_page_response(render_login())

    async def enter(self, request: web.Request) -> web.Response:
        """Open a session for whoever knows the token."""
        token = self._board.token
        if token is None:
            raise web.HTTPSeeOther("/")
        if not is_same_token(await _read_token(request, self._bodies), token):
            _log.warning("somebody gave a wrong token", peer=request.remote)
            return _build_page_response(render_login("That is not the token."), 401)
        answer = web.HTTPSeeOther("/")
        answer.set_cookie(
            SESSION_COOKIE,
            open_session(token, self._board.clock().timestamp()),
            max_age=SESSION_LIFETIME,
            httponly=True,
            # No page of another site can post in this session's name.
            samesite="Lax",
            secure=_is_encrypted(request),
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
            authorize(request, None)
        except ApiError:
            return False
        return True


async def _read_token(request: web.Request, bodies: BodyReader) -> str:
    """What stands in the form; nothing where it is no form of ours."""
    if request.content_type != "application/x-www-form-urlencoded":
        return ""
    try:
        body = await bodies.read(request, _MAX_FORM)
        return parse_qs(body.decode("ascii"), max_num_fields=4)["token"][0]
    except (BodyError, ValueError, LookupError):
        return ""


def _is_encrypted(request: web.Request) -> bool:
    """Whether the browser speaks https, to us or to a proxy that says so.

    A proxy's word can only add the flag: a browser then keeps the cookie from plain http.
    """
    return request.secure or request.headers.get("X-Forwarded-Proto", "").lower() == "https"


def _refuse_remote() -> web.Response:
    says = (
        "Without JURAT_API_TOKEN this page is shown on the server's own machine alone. Set it to a "
        "long random text, start the server again, and sign in with it."
    )
    return _build_page_response(render_problem("For this machine alone", says), 403)


def _build_page_response(html: str, status: int = 200) -> web.Response:
    return web.Response(
        text=html,
        status=status,
        content_type="text/html",
        charset="utf-8",
        headers={
            "Content-Security-Policy": build_content_policy(),
            "X-Content-Type-Options": "nosniff",
            # For browsers that do not know frame-ancestors.
            "X-Frame-Options": "DENY",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cache-Control": "no-store",
        },
    )


# Who may look: whoever has shown the token, for as long as the cookie says.
#
# The cookie is no secret of its own: an expiry in Unix time, signed by a key made from the token.
# It holds nothing of the token, and a new token ends every session.

SESSION_COOKIE = "jurat_session"
SESSION_LIFETIME = 12 * 3600
"""Seconds that a session lasts."""

_FORM = re.compile(r"([0-9]{1,12})\.([0-9a-f]{64})")


def open_session(token: str, now: float) -> str:
    """The cookie of a session that begins now (Unix time)."""
    expiry = int(now) + SESSION_LIFETIME
    return f"{expiry}.{_sign(token, expiry)}"


def is_session_valid(cookie: str, token: str, now: float) -> bool:
    """Whether a cookie is one of ours and not over."""
    match = _FORM.fullmatch(cookie)
    if match is None:
        return False
    expiry = int(match[1])
    # The signature first: an expiry that nobody signed says nothing.
    return hmac.compare_digest(match[2], _sign(token, expiry)) and now < expiry


def is_same_token(given: str, token: str) -> bool:
    """Whether what somebody typed is the token, in constant time."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode("utf-8", "replace"))


def _sign(token: str, expiry: int) -> str:
    key = hmac.digest(token.encode("utf-8", "replace"), b"jurat dashboard session 1", "sha256")
    return hmac.digest(key, str(expiry).encode(), "sha256").hex()
