"""The composition root: settings in, a running App out. The only place that knows every part."""

from __future__ import annotations

import asyncio
import datetime as dt
import importlib
import os
import signal
import socket
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import aiohttp
import structlog
from aiohttp import web

from bot.api.server import add_api
from bot.config import ModelSettings, ServerSettings, WorkerSettings
from bot.gemini.models import Models, opened
from bot.github.app_auth import GitHubApp
from bot.jobs.engines import queue_in
from bot.jobs.periodic import KIND, Periodic, Periodically, with_periodic
from bot.jobs.protocol import Job, JobQueue
from bot.jobs.worker import Sleep, Worker, WorkerOptions
from bot.judgment.options import JudgmentOptions
from bot.logs import configure_logs
from bot.pull_requests import PullRequests
from bot.replay import Missed, Replay, Replayed
from bot.review import Outside
from bot.store.database import Database
from bot.store.open_checks import OpenChecks
from bot.store.review_records import ReviewRecords
from bot.store.schema import upgrade
from bot.store.store import Store
from bot.subjects.pool import ParserPool
from bot.sweep import EVERY, Sweep
from bot.webhook.intake import Intake
from bot.webhook.server import create_app

_log = structlog.stdlib.get_logger("bot.app")


@dataclass(frozen=True, slots=True)
class App:
    """The parts that the doors are hung on."""

    database: Database
    store: Store
    outside: Outside
    intake: Intake
    worker: Worker
    queue: JobQueue
    periodically: Periodically
    replay: Replay


@asynccontextmanager
async def assembled(
    settings: WorkerSettings,
    *,
    write_interval: float = 1.0,
    pace: WorkerOptions | None = None,
    sleep: Sleep = asyncio.sleep,
    sweep_every: dt.timedelta = EVERY,
) -> AsyncIterator[App]:
    """The App, its database upgraded; everything it opened is closed at the block's end.

    `write_interval` is the pause in seconds between two writes to GitHub by one installation,
    `pace` how the worker paces itself, `sleep` how the pauses between two requests are made.
    """
    await upgrade(settings.database_url)
    async with AsyncExitStack() as stack:
        database = Database.at(settings.database_url)
        stack.push_async_callback(database.close)
        session = await stack.enter_async_context(aiohttp.ClientSession())
        pool = ParserPool()
        stack.callback(pool.close)
        queue = queue_in(database, _now)
        store = Store(database, _now)
        models = await _models(settings.model, stack)
        outside = Outside(
            judge=models.judge if models else None,
            semantic=models.semantic if models else None,
            options=models.options if models else JudgmentOptions(),
            records=ReviewRecords(store),
            parse_map=pool,
            clock=_now,
            new_id=lambda: str(uuid.uuid4()),
        )
        github = GitHubApp(
            session,
            settings.app.app_id,
            settings.app.private_key.get_secret_value(),
            base_url=settings.app.api_url,
            write_interval=write_interval,
            sleep=sleep,
        )
        open_checks = OpenChecks(database, _now)
        pull_requests = PullRequests(github, outside, open_checks)

        async def give_up(job: Job, reason: str) -> None:
            if job.kind != KIND:
                await pull_requests.give_up(job, reason)

        def wake() -> None:
            worker.wake()

        intake = Intake(database, queue, now=_now, enqueued=wake)
        replay = Replay(github, settings.app.app_id, intake, queue, _now)
        sweep = Sweep(database, queue, intake, open_checks, replay, _now)
        periodic = (
            Periodic("sweep", sweep_every, sweep, at_start=True),
            Periodic("forget", dt.timedelta(days=1), sweep.forget),
        )
        worker = Worker(
            queue,
            with_periodic(periodic, pull_requests.handle),
            name=f"{socket.gethostname()}:{os.getpid()}",
            give_up=give_up,
            options=pace or WorkerOptions(),
        )
        periodically = Periodically(periodic, queue, database, now=_now, enqueued=worker.wake)
        yield App(database, store, outside, intake, worker, queue, periodically, replay)


async def serve(settings: ServerSettings, *, with_worker: bool = True) -> None:
    """Answer HTTP, and run jobs beside it, until SIGTERM or SIGINT."""
    configure_logs(settings.logs)
    async with assembled(settings) as app, listening(settings, app) as url:
        _log.info("serving", url=url, webhook=settings.webhook_path, worker=with_worker)
        if with_worker:
            await until_told(app)
        else:
            await told_to_stop()


async def work(settings: WorkerSettings) -> None:
    """Run jobs until SIGTERM or SIGINT."""
    configure_logs(settings.logs)
    async with assembled(settings) as app:
        _log.info("working")
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
async def listening(settings: ServerSettings, app: App) -> AsyncIterator[str]:
    """The server on its socket; its address. Port 0 takes a free one."""
    doors = create_app(settings, app.intake, app.database)
    token = settings.api_token.get_secret_value() if settings.api_token else None
    add_api(doors, app.outside, app.store, token=token)
    runner = web.AppRunner(doors, access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, settings.host, settings.port)
        await site.start()
        host, port = runner.addresses[0][:2]
        yield f"http://{f'[{host}]' if ':' in host else host}:{port}"
    finally:
        await runner.cleanup()


async def _models(settings: ModelSettings | None, stack: AsyncExitStack) -> Models | None:
    if settings is None:
        return None
    # The SDK takes half a second to import: not while an event waits for its answer.
    await asyncio.to_thread(importlib.import_module, "google.genai")
    return await stack.enter_async_context(opened(settings))


async def until_told(app: App) -> None:
    """Run jobs until the process is told to stop; then finish what was begun."""
    running = asyncio.create_task(app.worker.run())
    told = asyncio.create_task(told_to_stop())
    beside = (
        asyncio.create_task(app.queue.listen(app.worker.wake)),
        asyncio.create_task(app.periodically.run()),
    )
    await asyncio.wait({running, told}, return_when=asyncio.FIRST_COMPLETED)
    for task in (told, *beside):
        task.cancel()
    app.worker.stop()
    await asyncio.gather(told, *beside, return_exceptions=True)
    await running


async def told_to_stop() -> None:
    """Wait for SIGTERM or SIGINT."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await stop.wait()


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)
