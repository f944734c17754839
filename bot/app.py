"""The composition root: settings in, a running App out. The only place that knows every part."""

from __future__ import annotations

import asyncio
import datetime as dt
import gc
import importlib
import os
import signal
import socket
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from types import MappingProxyType

import aiohttp
import structlog
from aiohttp import web

from bot.api.scrape import add_metrics
from bot.api.server import add_api
from bot.config import ServerSettings, WorkerSettings
from bot.dashboard.pages import web_address
from bot.dashboard.server import Dashboard, add_dashboard
from bot.errors import UsageError
from bot.gemini.models import Models, opened
from bot.github.app_auth import GitHubApp
from bot.jobs.engines import queue_in
from bot.jobs.periodic import KIND, Periodic, Periodically, with_periodic
from bot.jobs.protocol import Handler, Job, JobQueue
from bot.jobs.requests import Request, job_for
from bot.jobs.worker import Sleep, Worker, WorkerOptions
from bot.judgment.options import JudgmentOptions
from bot.judgment.protocol import JudgeError
from bot.logs import configure_logs
from bot.metrics import MeteredJudge, Metrics
from bot.probes.asking import probed_model
from bot.probes.standing import Standing
from bot.pull_requests import PullRequests
from bot.replay import Missed, Replay, Replayed
from bot.review import Outside
from bot.reviewed_pulls import Reviews
from bot.store.database import Database
from bot.store.maturing import mature
from bot.store.open_checks import OpenChecks
from bot.store.ratings import Ratings
from bot.store.retention import delete_expired
from bot.store.review_records import ReviewRecords
from bot.store.schema import upgrade
from bot.store.standings import standing_of
from bot.store.store import Store
from bot.store.write_trial import WriteTrial
from bot.store.write_turns import WriteTurns
from bot.subjects.pool import ParserPool
from bot.sweep import CLOCK, EVERY, Sweep
from bot.tracing import Tracing, exporting
from bot.webhook.health import add_health
from bot.webhook.intake import Intake
from bot.webhook.readiness import Look, Readiness, seldom
from bot.webhook.server import create_app

_log = structlog.stdlib.get_logger("bot.app")

_DAY = dt.timedelta(days=1)
_AGAIN = 30.0
"""Seconds after which a judge that could not be constructed is tried again."""


@dataclass(frozen=True, slots=True)
class App:
    """The parts that the doors are hung on."""

    database: Database
    store: Store
    outside: Outside
    intake: Intake
    worker: Worker
    queue: JobQueue
    metrics: Metrics
    periodically: Periodically
    replay: Replay
    constructed: Look | None

    def readiness(self, *, with_worker: bool) -> Readiness:
        """Whether a process of these parts, with a worker or without, can do its work."""
        parts: dict[str, Look] = {"database": WriteTrial(self.database).problem}
        if with_worker:
            parts |= {"job loop": self.worker.problem, "periodic work": self.periodically.problem}
        if self.constructed is not None:
            parts["judge"] = self.constructed
        return Readiness(parts)

    async def standing(self) -> Standing | None:
        """How the judge in use did when it was probed last; None where there is none."""
        judge, options = self.outside.judge, self.outside.options
        return await standing_of(self.database, probed_model(judge, options)) if judge else None


@asynccontextmanager
async def assembled(
    settings: WorkerSettings,
    *,
    write_interval: float = 1.0,
    pace: WorkerOptions | None = None,
    sleep: Sleep = asyncio.sleep,
    sweep_every: dt.timedelta = EVERY,
    tracing: Tracing | None = None,
    models: Models | None = None,
) -> AsyncIterator[App]:
    """The App, its database upgraded; everything it opened is closed at the block's end.

    `write_interval` is the pause in seconds between two writes to GitHub by one installation,
    `pace` how the worker paces itself, `sleep` how the pauses between two requests are made.
    `tracing` is made from the settings where none is given; it is closed with the rest. `models`
    are opened as the settings say, unless they are given.
    """
    if tracing is None and settings.traced:
        tracing = Tracing(exporting())
    await upgrade(settings.database_url)
    async with AsyncExitStack() as stack:
        database = Database.at(settings.database_url)
        stack.push_async_callback(database.close)
        session = await stack.enter_async_context(aiohttp.ClientSession())
        pool = ParserPool()
        stack.callback(pool.close)
        queue = queue_in(database, _now)
        store = Store(database, _now)
        metrics = Metrics()
        constructed = None
        if models is None and settings.model is not None:
            own = await stack.enter_async_context(opened(settings.model))
            models, constructed = own, seldom(_construction(own), _AGAIN)
            if problem := await constructed():
                # What needs no model is reviewed all the same; the rest says that it was not.
                _log.error("no rule that needs a model is assessed", reason=problem)
        outside = _outside(models, store, pool, metrics, tracing)
        github = GitHubApp(
            session,
            settings.app.app_id,
            settings.app.private_key.get_secret_value(),
            base_url=settings.app.api_url,
            write_interval=write_interval,
            turns=WriteTurns(database, _now, interval=write_interval).of,
            sleep=sleep,
            meter=metrics.meter,
        )

        def wake() -> None:
            worker.wake()

        async def ask(request: Request) -> None:
            job = job_for(request)
            await database.transact(lambda connection: queue.enqueue(connection, [job]))
            wake()

        open_checks = OpenChecks(database, _now)
        reviews = Reviews(outside, Ratings(database, _now), open_checks)
        pull_requests = PullRequests(github, reviews, store, ask)

        async def give_up(job: Job, reason: str) -> None:
            metrics.gave_up(job.kind)
            if job.kind != KIND:
                await pull_requests.give_up(job, reason)

        intake = Intake(database, queue, now=_now, enqueued=wake)
        replay = Replay(github, settings.app.app_id, intake, queue, _now)
        sweep = Sweep(database, queue, intake, open_checks, replay, _now)
        periodic = (
            Periodic(CLOCK, sweep_every, sweep, at_start=True),
            Periodic("forget", _DAY, sweep.forget),
            Periodic("mature", _DAY, lambda: mature(database, _now())),
            Periodic("retention", _DAY, lambda: delete_expired(database, _now())),
        )
        handler: Handler = with_periodic(periodic, pull_requests.handle)
        if tracing is not None:
            stack.callback(tracing.close)
            handler = tracing.handler(handler)
        worker = Worker(
            queue,
            handler,
            name=f"{socket.gethostname()}:{os.getpid()}",
            give_up=give_up,
            options=pace or WorkerOptions(),
        )
        periodically = Periodically(periodic, queue, database, now=_now, enqueued=wake)
        yield App(
            database=database,
            store=store,
            outside=outside,
            intake=intake,
            worker=worker,
            queue=queue,
            metrics=metrics,
            periodically=periodically,
            replay=replay,
            constructed=constructed,
        )


def _outside(
    models: Models | None,
    store: Store,
    pool: ParserPool,
    metrics: Metrics,
    tracing: Tracing | None,
) -> Outside:
    return Outside(
        judge=MeteredJudge(models.judge, metrics.models) if models else None,
        semantic=models.semantic if models else None,
        options=models.options if models else JudgmentOptions(),
        records=ReviewRecords(store, saved=metrics.reviewed),
        parse_map=pool,
        clock=_now,
        new_id=lambda: str(uuid.uuid4()),
        watch=tracing.watch(metrics.watch) if tracing else metrics.watch,
    )


async def serve(
    settings: ServerSettings,
    *,
    with_worker: bool = True,
    rules: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Answer HTTP, and run jobs beside it, until SIGTERM or SIGINT.

    The REST API judges by the rule files `rules`, text by path, as well. Raises RuleError where
    they cannot be loaded.
    """
    configure_logs(settings.logs)
    async with (
        assembled(settings) as app,
        listening(settings, app, with_worker=with_worker, rules=rules) as url,
    ):
        _settle()
        _log.info("serving", url=url, webhook=settings.webhook_path, worker=with_worker)
        if with_worker:
            await until_told(app)
        else:
            await told_to_stop()


async def work(
    settings: WorkerSettings, *, host: str = "127.0.0.1", port: int | None = None
) -> None:
    """Run jobs until SIGTERM or SIGINT; with a port, answer /healthz, /readyz and /metrics too."""
    configure_logs(settings.logs)
    async with AsyncExitStack() as stack:
        app = await stack.enter_async_context(assembled(settings))
        url = None
        if port is not None:
            doors = web.Application()
            add_health(doors, app.readiness(with_worker=True))
            add_metrics(doors, app.metrics, app.queue, token=_token(settings))
            url = await stack.enter_async_context(_on_socket(doors, host, port))
        _settle()
        _log.info("working", url=url)
        await until_told(app)


async def replay(settings: WorkerSettings, guid: str) -> Replayed:
    """Do again what a delivery asked for."""
    async with assembled(settings) as app:
        return await app.replay.delivery(guid)


async def replay_missed(settings: WorkerSettings) -> Missed:
    """Take on what failed to arrive."""
    async with assembled(settings) as app:
        return await app.replay.missed()


@asynccontextmanager
async def listening(
    settings: ServerSettings,
    app: App,
    *,
    with_worker: bool = False,
    rules: Mapping[str, str] = MappingProxyType({}),
) -> AsyncIterator[str]:
    """The server on its socket; its address. Port 0 takes a free one.

    `with_worker` says that this process is ready only while its worker takes jobs and keeps the
    time. `rules` are as in `serve`.
    """
    doors = create_app(
        settings,
        app.intake,
        app.readiness(with_worker=with_worker),
        answered=app.metrics.delivered,
    )
    token = _token(settings)
    add_api(doors, app.outside, app.store, token=token, rules=rules)
    add_metrics(doors, app.metrics, app.queue, token=token)
    dashboard = Dashboard(
        database=app.database,
        store=app.store,
        queue=app.queue,
        standing=app.standing,
        clock=app.outside.clock,
        web_url=web_address(settings.app.api_url),
        token=token,
    )
    add_dashboard(doors, dashboard)
    async with _on_socket(doors, settings.host, settings.port) as url:
        yield url


def _settle() -> None:
    """Take what was loaded out of the garbage collector's rounds.

    It stays until the process ends. One round over all of it takes 70 ms, in which no event is
    answered.
    """
    gc.collect()
    gc.freeze()


def _token(settings: WorkerSettings) -> str | None:
    return settings.api_token.get_secret_value() if settings.api_token else None


@asynccontextmanager
async def _on_socket(doors: web.Application, host: str, port: int) -> AsyncIterator[str]:
    """The application on a socket; its address. Raises UsageError where it cannot be opened."""
    runner = web.AppRunner(doors, access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        try:
            await site.start()
        except OSError as error:
            raise UsageError(
                f"{host} port {port} cannot be listened on: {_reason(error)}.",
                hint="Set HOST and PORT, or --host and --port, to an address that is free here.",
            ) from error
        host, port = runner.addresses[0][:2]
        yield f"http://{f'[{host}]' if ':' in host else host}:{port}"
    finally:
        await runner.cleanup()


def _reason(error: OSError) -> str:
    """The system's own words: asyncio puts its own around them, and a name's numbers are others."""
    if isinstance(error, socket.gaierror) or error.errno is None:
        return str(error.strerror or error)
    return os.strerror(error.errno)


def _construction(models: Models) -> Look:
    async def problem() -> str | None:
        # The SDK takes half a second to import: not while an event waits for its answer. What is
        # wrong with it is said below.
        with suppress(Exception):
            await asyncio.to_thread(importlib.import_module, "google.genai")
        try:
            await models.construct()
        except JudgeError as error:
            return error.detail
        return None

    return problem


async def until_told(app: App) -> None:
    """Run jobs until the process is told to stop; then finish what was begun.

    An error that ends the worker or the keeping of time is raised, once the rest has stopped: the
    process ends with it, and whoever started it starts another.
    """
    running = asyncio.create_task(app.worker.run())
    keeping = asyncio.create_task(app.periodically.run())
    told = asyncio.create_task(told_to_stop())
    listening = asyncio.create_task(app.queue.listen(app.worker.wake))
    await asyncio.wait({running, keeping, told}, return_when=asyncio.FIRST_COMPLETED)
    for task in (keeping, told, listening):
        task.cancel()
    app.worker.stop()
    await asyncio.gather(keeping, told, listening, return_exceptions=True)
    await running
    if not keeping.cancelled():
        keeping.result()


async def told_to_stop() -> None:
    """Wait for SIGTERM or SIGINT."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await stop.wait()


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)
