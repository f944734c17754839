"""/healthz and /readyz: whether this process lives, and whether it can do its work now."""

from __future__ import annotations

from aiohttp import web

from bot.webhook.readiness import Readiness


def add_health(app: web.Application, readiness: Readiness) -> None:
    """Add both.

    /healthz looks at nothing, so that a database that is away restarts no process.
    """

    async def alive(_: web.Request) -> web.Response:
        return web.json_response({"status": "alive"})

    async def ready(_: web.Request) -> web.Response:
        if problems := await readiness.problems():
            return web.json_response({"status": "unready", "problems": problems}, status=503)
        return web.json_response({"status": "ready"})

    app.router.add_get("/healthz", alive)
    app.router.add_get("/readyz", ready)
