"""The dashboard: pages and sessions. No script, nothing from elsewhere, foreign text as text."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
from asyncio import to_thread
from collections.abc import Awaitable, Callable, Sequence
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
from jurat.server.access import TokenGate
from jurat.server.bodies import BodyError, BodyReader
from jurat.source.visible_text import to_one_line
from jurat.store.analytics import ReviewLine, RuleLine, count_verdicts_by_rule, list_recent_reviews
from jurat.store.database import Database, DatabaseUnavailable
from jurat.store.evaluations import Store
from jurat.store.rows import StoredReview
from jurat.store.sessions import LIFETIME, SessionStore

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
    probe_status: ProbeStatus | None
    since: dt.date
    now: dt.datetime


def render_overview(overview: Overview, *, web_url: str, leave: bool) -> str:
    """The first page. `web_url` is where GitHub shows its pages; `leave` offers to sign out."""
    return _render("overview.html.j2", overview=overview, web_url=web_url, leave=leave)


def render_review(review: StoredReview, *, web_url: str, leave: bool) -> str:
    """One review with all its verdicts."""
    order = ("DENY", "NEEDS_CONFIRMATION", "ALLOW")
    verdicts = sorted(review.answer.rule_verdicts, key=lambda item: order.index(item.verdict))
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
SESSION_COOKIE = "jurat_session"

_log = structlog.stdlib.get_logger("jurat.server")

_Page = Callable[[web.Request], Awaitable[web.Response]]


@dataclass(frozen=True, slots=True)
class Dashboard:
    """What the pages are made from. `web_url` is where GitHub shows its own."""

    database: Database
    store: Store
    queue: JobQueue
    read_probe_status: Callable[[], Awaitable[ProbeStatus | None]]
    clock: Callable[[], dt.datetime]
    web_url: str
    gate: TokenGate


def add_dashboard(app: web.Application, dashboard: Dashboard) -> None:
    """Add the pages, for those alone who have a session."""
    doors = _Doors(dashboard)
    app.router.add_get("/", doors.guard(doors.show_overview))
    app.router.add_get("/reviews/{evaluation_id}", doors.guard(doors.review))
    app.router.add_get("/login", doors.show_form)
    app.router.add_post("/login", doors.enter)
    app.router.add_post("/logout", doors.leave)


class _Doors:
    def __init__(self, dashboard: Dashboard) -> None:
        self._board = dashboard
        self._bodies = BodyReader()
        self._sessions = SessionStore(dashboard.database, dashboard.gate.token, dashboard.clock)

    def guard(self, page: _Page) -> _Page:
        """A page for those alone who may look."""

        async def answer(request: web.Request) -> web.Response:
            try:
                if not await self._sessions.is_open(request.cookies.get(SESSION_COOKIE, "")):
                    raise _build_redirect("/login")
                return await page(request)
            except DatabaseUnavailable as error:
                _log.error("a page could not be made", cause=str(error.__cause__))
                return _build_page_response(
                    render_problem("Not now", "The database does not answer."), 503
                )

        return answer

    async def show_overview(self, _: web.Request) -> web.Response:
        """The first page."""
        board, now = self._board, self._board.clock()
        since = now - dt.timedelta(days=_DAYS)
        overview = Overview(
            backlog=await board.queue.backlog(),
            reviews=await list_recent_reviews(board.database, limit=_REVIEWS),
            rules=await count_verdicts_by_rule(board.database, since=since, limit=_RULES),
            probe_status=await board.read_probe_status(),
            since=since.date(),
            now=now,
        )
        return _build_page_response(render_overview(overview, web_url=board.web_url, leave=True))

    async def review(self, request: web.Request) -> web.Response:
        """One review."""
        found = await self._board.store.review(request.match_info["evaluation_id"])
        if found is None:
            return _build_page_response(
                render_problem("Not found", "There is no such review."), 404
            )
        web_url = self._board.web_url
        return _build_page_response(
            await to_thread(render_review, found, web_url=web_url, leave=True)
        )

    async def show_form(self, request: web.Request) -> web.Response:
        """The way in; with the token in the query, as the server's link has it, a session.

        The address with the token is left at once for one without, and no page links to it.
        """
        token = request.query.get("token")
        return (
            _build_page_response(render_login())
            if token is None
            else await self._try_token(request, token)
        )

    async def enter(self, request: web.Request) -> web.Response:
        """A session for whoever knows the token."""
        return await self._try_token(request, await _read_token(request, self._bodies))

    async def leave(self, request: web.Request) -> web.Response:
        """End the session, here and wherever its cookie was copied to."""
        await self._sessions.end(request.cookies.get(SESSION_COOKIE, ""))
        answer = _build_redirect("/login")
        answer.del_cookie(SESSION_COOKIE)
        raise answer

    async def _try_token(self, request: web.Request, token: str) -> web.Response:
        gate = self._board.gate
        if not await gate.admits(request, token):
            _log.warning("somebody gave a wrong token", peer=gate.find_visitor(request))
            return _build_page_response(render_login("That is not the token."), 401)
        entered = _build_redirect("/")
        entered.set_cookie(
            SESSION_COOKIE,
            await self._sessions.begin(),
            max_age=int(LIFETIME.total_seconds()),
            httponly=True,
            # No page of another site can post in this session's name.
            samesite="Lax",
            secure=_is_encrypted(request),
        )
        raise entered


async def _read_token(request: web.Request, bodies: BodyReader) -> str:
    """What stands in the form; nothing if it is no form of ours."""
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


def _build_redirect(path: str) -> web.HTTPSeeOther:
    return web.HTTPSeeOther(path, headers=_build_headers())


def _build_page_response(html: str, status: int = 200) -> web.Response:
    return web.Response(
        text=html,
        status=status,
        content_type="text/html",
        charset="utf-8",
        headers=_build_headers(),
    )


def _build_headers() -> dict[str, str]:
    return {
        "Content-Security-Policy": build_content_policy(),
        "X-Content-Type-Options": "nosniff",
        # For browsers that do not know frame-ancestors.
        "X-Frame-Options": "DENY",
        # The address of a page may hold the token, once.
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cache-Control": "no-store",
    }
