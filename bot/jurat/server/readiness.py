"""/healthz and /readyz: whether this process lives, and whether it can do its work now."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping

from aiohttp import web


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


Look = Callable[[], Awaitable[str | None]]
"""Looks at one part: what keeps it from its work, in a clause that anybody may read, or None."""

_FRESH = 1.0
"""Seconds for which what was seen is told again."""


class Readiness:
    """Looks at every part, once for all who ask meanwhile and for a second after.

    Anybody may ask, as often as they like: it costs one look a second. Each look answers in a few
    seconds, whatever hangs. `clock` counts seconds.
    """

    def __init__(
        self, parts: Mapping[str, Look], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._parts = parts
        self._clock = clock
        self._looking: asyncio.Task[tuple[str, ...]] | None = None
        self._looked_at = 0.0

    async def problems(self) -> tuple[str, ...]:
        """What keeps the process from its work, as "part: clause"; empty if nothing does."""
        look = self._looking
        # Still looking counts as fresh: who asks meanwhile shares that look.
        if look is None or (look.done() and self._clock() - self._looked_at >= _FRESH):
            look = self._looking = asyncio.create_task(self._look())
        # Who asked first may go away: the others still want to know.
        return await asyncio.shield(look)

    async def _look(self) -> tuple[str, ...]:
        try:
            found = await asyncio.gather(*(look() for look in self._parts.values()))
        finally:
            self._looked_at = self._clock()
        return tuple(
            f"{part}: {what}" for part, what in zip(self._parts, found, strict=True) if what
        )


def limit_look(look: Look, seconds: float, clock: Callable[[], float] = time.monotonic) -> Look:
    """`look`, except that a problem stands for `seconds` before it is looked at again."""
    problem: str | None = None
    until = 0.0

    async def looked() -> str | None:
        nonlocal problem, until
        if problem is None or clock() >= until:
            problem = await look()
            until = clock() + seconds
        return problem

    return looked
