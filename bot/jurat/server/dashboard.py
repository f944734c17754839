"""The dashboard: what was reviewed, and what came of it. Foreign text is text."""

from __future__ import annotations

import datetime as dt
from asyncio import to_thread
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from aiohttp import web

from jurat.jobs.queue import JobQueue, QueueDepth
from jurat.probes.run import ProbeStatus
from jurat.server.login import LoginDoors
from jurat.server.pages import build_page_response, render_page, render_problem
from jurat.store.analytics import RuleLine, count_verdicts_by_rule
from jurat.store.database import Database
from jurat.store.evaluations import Store
from jurat.store.listings import ReviewLine, list_reviews
from jurat.store.rows import StoredReview


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
    return render_page("overview.html.j2", overview=overview, web_url=web_url, leave=leave)


def render_review(review: StoredReview, *, web_url: str, leave: bool) -> str:
    """One review with all its verdicts."""
    order = ("DENY", "NEEDS_CONFIRMATION", "ALLOW")
    verdicts = sorted(review.answer.rule_verdicts, key=lambda item: order.index(item.verdict))
    return render_page(
        "review.html.j2", review=review, verdicts=verdicts, web_url=web_url, leave=leave
    )


# The dashboard over HTTP: GET / and GET /reviews/ID.

_REVIEWS = 25
_RULES = 50
_DAYS = 30


@dataclass(frozen=True, slots=True)
class Dashboard:
    """What the pages are made from. `web_url` is where GitHub shows its own."""

    database: Database
    store: Store
    queue: JobQueue
    read_probe_status: Callable[[], Awaitable[ProbeStatus | None]]
    clock: Callable[[], dt.datetime]
    web_url: str


def add_dashboard(app: web.Application, dashboard: Dashboard, login: LoginDoors) -> None:
    """Add the pages, for those alone who have a session."""
    doors = _Doors(dashboard)
    app.router.add_get("/", login.guard(doors.show_overview))
    app.router.add_get("/reviews/{evaluation_id}", login.guard(doors.review))


class _Doors:
    def __init__(self, dashboard: Dashboard) -> None:
        self._board = dashboard

    async def show_overview(self, _: web.Request) -> web.Response:
        """The first page."""
        board, now = self._board, self._board.clock()
        since = now - dt.timedelta(days=_DAYS)
        overview = Overview(
            backlog=await board.queue.backlog(),
            reviews=await list_reviews(board.database, limit=_REVIEWS),
            rules=await count_verdicts_by_rule(board.database, since=since, limit=_RULES),
            probe_status=await board.read_probe_status(),
            since=since.date(),
            now=now,
        )
        return build_page_response(render_overview(overview, web_url=board.web_url, leave=True))

    async def review(self, request: web.Request) -> web.Response:
        """One review."""
        found = await self._board.store.review(request.match_info["evaluation_id"])
        if found is None:
            return build_page_response(render_problem("Not found", "There is no such review."), 404)
        web_url = self._board.web_url
        return build_page_response(
            await to_thread(render_review, found, web_url=web_url, leave=True)
        )
