"""Serves HTTP and runs jobs until told to stop."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from types import MappingProxyType
from urllib.parse import urlencode

from aiohttp import web

from jurat.app.redelivery import MissedEvents, RedeliveryResult
from jurat.app.wiring import (
    App,
    _freeze_garbage,
    _log,
    build_app,
    wait_for_stop,
)
from jurat.logs import configure_logs
from jurat.server.access import Sleep, Throttle, TokenGate, find_token_file, get_token
from jurat.server.api import add_api
from jurat.server.connections import LIMITS, ConnectionLimits, listen
from jurat.server.dashboard import Dashboard, add_dashboard, to_web_address
from jurat.server.prometheus import add_metrics
from jurat.server.readiness import add_health
from jurat.server.webhook import create_app
from jurat.settings import ServerSettings, WorkerSettings


async def run_server(
    settings: ServerSettings,
    *,
    with_worker: bool = True,
    rules: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Answer HTTP, and run jobs beside it, until SIGTERM or SIGINT.

    The REST API judges by the rule files `rules`, text by path, as well. Raises RuleError if
    they cannot be loaded.
    """
    configure_logs(settings.logs)
    async with (
        build_app(settings) as app,
        serve_http(settings, app, with_worker=with_worker, rules=rules) as url,
    ):
        _freeze_garbage()
        _log.info("serving", url=url, webhook=settings.webhook_path, worker=with_worker)
        if settings.api_token is None:
            _show_way_in(settings, url)
        if with_worker:
            await run_until_stopped(app)
        else:
            await wait_for_stop()


def _show_way_in(settings: ServerSettings, url: str) -> None:
    """Say how to open the dashboard with the token that nobody set.

    A terminal is shown a link that logs in. Logs are kept and sent on, and a service's standard
    error is one: they name the file alone.
    """
    _log.info("nobody set JURAT_API_TOKEN", token_file=str(find_token_file(settings).absolute()))
    if sys.stderr.isatty():
        link = f"{url}/login?{urlencode({'token': get_token(settings)})}"
        print(f"Open the dashboard: {link}", file=sys.stderr, flush=True)  # noqa: T201 - see above


async def run_worker(
    settings: WorkerSettings, *, host: str = "127.0.0.1", port: int | None = None
) -> None:
    """Run jobs until SIGTERM or SIGINT; with a port, answer /healthz, /readyz and /metrics too."""
    configure_logs(settings.logs)
    async with AsyncExitStack() as stack:
        app = await stack.enter_async_context(build_app(settings))
        url = None
        if port is not None:
            doors = web.Application(handler_args=LIMITS)
            add_health(doors, app.build_readiness(with_worker=True))
            gate = TokenGate(get_token(settings), Throttle(time.monotonic), settings.proxies)
            add_metrics(doors, app.metrics, app.queue, gate=gate)
            limits = ConnectionLimits(proxies=settings.proxies)
            url = await stack.enter_async_context(listen(doors, host, port, limits))
        _freeze_garbage()
        _log.info("working", url=url)
        await run_until_stopped(app)


async def redeliver(settings: WorkerSettings, guid: str) -> RedeliveryResult:
    """Do again what a delivery asked for."""
    async with build_app(settings) as app:
        return await app.replay.redeliver(guid)


async def redeliver_missed(settings: WorkerSettings) -> MissedEvents:
    """Take on what failed to arrive."""
    async with build_app(settings) as app:
        return await app.replay.redeliver_missed()


@asynccontextmanager
async def serve_http(
    settings: ServerSettings,
    app: App,
    *,
    with_worker: bool = False,
    rules: Mapping[str, str] = MappingProxyType({}),
    sleep: Sleep = asyncio.sleep,
) -> AsyncIterator[str]:
    """The server on its socket; its address. Port 0 takes a free one.

    `with_worker` says that this process is ready only while its worker takes jobs and keeps the
    time. `rules` are as in `serve`. `sleep` passes the time that guesses at the token cost.
    """
    doors = create_app(
        settings,
        app.intake,
        app.build_readiness(with_worker=with_worker),
        answered=app.metrics.count_delivery,
    )
    # One for all doors: guesses at one are guesses at all.
    gate = TokenGate(get_token(settings), Throttle(time.monotonic, sleep), settings.proxies)
    add_api(doors, app.services, app.store, gate=gate, rules=rules)
    add_metrics(doors, app.metrics, app.queue, gate=gate)
    dashboard = Dashboard(
        database=app.database,
        store=app.store,
        queue=app.queue,
        read_probe_status=app.read_probe_status,
        clock=app.services.clock,
        web_url=to_web_address(settings.app.api_url),
        gate=gate,
    )
    add_dashboard(doors, dashboard)
    limits = ConnectionLimits(proxies=settings.proxies)
    async with listen(doors, settings.host, settings.port, limits) as url:
        yield url


async def run_until_stopped(app: App) -> None:
    """Run jobs until the process is told to stop; then finish what was begun.

    An error that ends the worker or the keeping of time is raised, once the rest has stopped: the
    process ends with it, and whoever started it starts another.
    """
    running = asyncio.create_task(app.worker.run())
    keeping = asyncio.create_task(app.scheduler.run())
    stop_signal = asyncio.create_task(wait_for_stop())
    listener = asyncio.create_task(app.queue.listen(app.worker.wake))
    # Not `listener`: it returns at once on SQLite, and without it workers still look now and then.
    await asyncio.wait({running, keeping, stop_signal}, return_when=asyncio.FIRST_COMPLETED)
    # Before the worker's drain: what they would enqueue or wake is for another process now.
    for task in (keeping, stop_signal, listener):
        task.cancel()
    app.worker.stop()
    await asyncio.gather(keeping, stop_signal, listener, return_exceptions=True)
    # Last: its drain may take the whole grace, in which nothing new must be enqueued or taken.
    await running
    if not keeping.cancelled():
        keeping.result()
