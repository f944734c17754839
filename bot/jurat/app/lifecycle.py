"""Serves HTTP and runs jobs until told to stop."""

from __future__ import annotations

import asyncio
import datetime as dt
import socket
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from types import MappingProxyType
from urllib.parse import urlencode

import aiohttp
from aiohttp import web

from jurat.app.doctor_page import add_doctor_page
from jurat.app.redelivery import MissedEvents, RedeliveryResult
from jurat.app.setup import SetupDoors
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
from jurat.server.connections import LIMITS, ConnectionLimits, bind_sockets, listen
from jurat.server.credentials import find_credentials_file
from jurat.server.dashboard import Dashboard, add_dashboard
from jurat.server.login import LoginDoors
from jurat.server.pages import to_web_address
from jurat.server.prometheus import add_metrics
from jurat.server.readiness import Readiness, add_health
from jurat.server.webhook import create_app
from jurat.settings import ServerSettings, SetupSettings, WorkerSettings
from jurat.store.database import Database
from jurat.store.maintenance import upgrade_schema, wait_for_database
from jurat.store.sessions import SessionStore

Sockets = Sequence[socket.socket]


async def run_setup(settings: SetupSettings, serve: Callable[[Sockets], Awaitable[None]]) -> None:
    """Show the page that registers the App; once it is registered, `serve` on the same sockets.

    Ends before that if the process is told to stop.
    """
    configure_logs(settings.logs)
    await upgrade_schema(settings.database_url)
    sockets = await bind_sockets(settings.host, settings.port)
    try:
        if await _register(settings, sockets):
            await serve(sockets)
    finally:
        for item in sockets:
            item.close()


async def _register(settings: SetupSettings, sockets: Sockets) -> bool:
    """Whether the App was registered before the process was told to stop."""
    file = find_credentials_file(settings.database_url)
    doors = web.Application(handler_args=LIMITS)
    gate = TokenGate(get_token(settings), Throttle(time.monotonic), settings.proxies)
    database = Database.at(settings.database_url)
    sessions = SessionStore(database, gate.token, lambda: dt.datetime.now(dt.UTC))
    limits = ConnectionLimits(proxies=settings.proxies)

    async def look() -> str:
        return "no App is registered"

    try:
        async with aiohttp.ClientSession() as session:
            setup = SetupDoors(settings, file, LoginDoors(gate, sessions), session)
            setup.add_to(doors)
            add_health(doors, Readiness({"App": look}))
            async with listen(doors, settings.host, settings.port, limits, sockets=sockets) as url:
                _log.info("no App is registered: /setup registers one", url=url)
                _show_way_in(settings, url, "Register the App")
                waits = {
                    asyncio.create_task(each) for each in (setup.registered.wait(), wait_for_stop())
                }
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
                for task in waits:
                    task.cancel()
                await asyncio.gather(*waits, return_exceptions=True)
        return setup.registered.is_set()
    finally:
        await database.close()


async def run_server(
    settings: ServerSettings,
    *,
    with_worker: bool = True,
    rules: Mapping[str, str] = MappingProxyType({}),
    sockets: Sockets = (),
) -> None:
    """Answer HTTP, and run jobs beside it, until SIGTERM or SIGINT.

    The REST API judges by the rule files `rules`, text by path, as well. Raises RuleError if
    they cannot be loaded. `sockets` are as in `listen`.
    """
    configure_logs(settings.logs)
    await await_database(settings, settings.host, settings.port, sockets=sockets)
    async with (
        build_app(settings) as app,
        serve_http(settings, app, with_worker=with_worker, rules=rules, sockets=sockets) as url,
    ):
        _freeze_garbage()
        _log.info("serving", url=url, webhook=settings.webhook_path, worker=with_worker)
        _show_way_in(settings, url, "Open the dashboard")
        if with_worker:
            await run_until_stopped(app)
        else:
            await wait_for_stop()


def _show_way_in(settings: ServerSettings | SetupSettings, url: str, what: str) -> None:
    """Say how to open the pages with the token that nobody set, if nobody did.

    A terminal is shown a link that logs in. Logs are kept and sent on, and a service's standard
    error is one: they name the file alone.
    """
    if settings.api_token is not None:
        return
    _log.info("nobody set JURAT_API_TOKEN", file=str(find_token_file(settings).absolute()))
    if sys.stderr.isatty():
        link = f"{url}/login?{urlencode({'token': get_token(settings)})}"
        print(f"{what}: {link}", file=sys.stderr, flush=True)  # noqa: T201 - see above


async def run_worker(
    settings: WorkerSettings, *, host: str = "127.0.0.1", port: int | None = None
) -> None:
    """Run jobs until SIGTERM or SIGINT; with a port, answer /healthz, /readyz and /metrics too."""
    configure_logs(settings.logs)
    await await_database(settings, host, port)
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


async def await_database(
    settings: WorkerSettings,
    host: str,
    port: int | None,
    sleep: Sleep = asyncio.sleep,
    *,
    sockets: Sockets = (),
    waiting: Callable[[str], None] = lambda _: None,
) -> None:
    """Return once the database answers; until then say in the log and at /readyz why it does not.

    `waiting` is told the address at which it is said; `sockets` are as in `listen`. Raises
    UsageError for what no waiting mends.
    """
    said = ""

    async def look() -> str:
        return said

    async def answer_all(_: web.Request) -> web.Response:
        # GitHub lists what it could not hand over, and is asked for it once there is a database.
        return web.json_response({"status": "failed", "reason": "It is starting."}, status=503)

    async with AsyncExitStack() as stack:

        async def note(reason: str) -> None:
            nonlocal said
            first, said = not said, reason
            _log.warning("the database is waited for", reason=reason)
            if first and port is not None:
                doors = web.Application(handler_args=LIMITS)
                add_health(doors, Readiness({"database": look}))
                doors.router.add_route("*", "/{path:.*}", answer_all)
                limits = ConnectionLimits(proxies=settings.proxies)
                door = listen(doors, host, port, limits, sockets=sockets)
                waiting(await stack.enter_async_context(door))

        await wait_for_database(settings.database_url, note, sleep)


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
    sockets: Sockets = (),
) -> AsyncIterator[str]:
    """The server on its socket; its address. Port 0 takes a free one.

    `with_worker` says that this process is ready only while its worker takes jobs and keeps the
    time. `rules` are as in `serve`, `sockets` as in `listen`. `sleep` passes the time that guesses
    at the token cost.
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
    )
    login = LoginDoors(gate, SessionStore(app.database, gate.token, app.services.clock))
    login.add_to(doors)
    add_dashboard(doors, dashboard, login)
    add_doctor_page(doors, settings, login)
    limits = ConnectionLimits(proxies=settings.proxies)
    async with listen(doors, settings.host, settings.port, limits, sockets=sockets) as url:
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
