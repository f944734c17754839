"""/healthz and /readyz: whether this process lives, and whether it can do its work now."""

from __future__ import annotations

from collections.abc import Callable

from aiohttp import web

from bot.store.database import Database


def add_health(
    app: web.Application, database: Database, *, takes_jobs: Callable[[], bool] | None = None
) -> None:
    """Add both. `takes_jobs` is None for a process without a worker.

    /healthz looks at nothing else, so that a database that is away restarts no process.
    """

    async def alive(_: web.Request) -> web.Response:
        return web.json_response({"status": "alive"})

    async def ready(_: web.Request) -> web.Response:
        if not await database.answers():
            return _unready("The database does not answer.")
        if takes_jobs is not None and not takes_jobs():
            return _unready("The worker takes no jobs: it starts, or it stops.")
        return web.json_response({"status": "ready"})

    app.router.add_get("/healthz", alive)
    app.router.add_get("/readyz", ready)


def _unready(reason: str) -> web.Response:
    return web.json_response({"status": "unready", "reason": reason}, status=503)
