"""GET /metrics, for Prometheus."""

from __future__ import annotations

from aiohttp import web

from bot.api.access import admit
from bot.api.refusals import RefusedError, refusal
from bot.jobs.protocol import JobQueue
from bot.metrics import CONTENT_TYPE, Metrics
from bot.store.database import DatabaseUnavailable


def add_metrics(
    app: web.Application, metrics: Metrics, queue: JobQueue, *, token: str | None
) -> None:
    """Add /metrics, for whoever may use the REST API: it names rules. See `access.admit`."""

    async def scrape(request: web.Request) -> web.Response:
        try:
            admit(request, token)
        except RefusedError as error:
            return refusal(error)
        try:
            backlog = await queue.backlog()
        except DatabaseUnavailable:
            backlog = None
        body = metrics.exposition(backlog)
        return web.Response(body=body, headers={"Content-Type": CONTENT_TYPE})

    app.router.add_get("/metrics", scrape)
