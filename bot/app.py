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
from bot.jobs.worker import Worker
from bot.judgment.options import JudgmentOptions
from bot.logs import configure_logs
from bot.pull_requests import PullRequests
from bot.review import Outside
from bot.store.database import Database
from bot.store.review_records import ReviewRecords
from bot.store.schema import upgrade
from bot.store.store import Store
from bot.subjects.pool import ParserPool
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


@asynccontextmanager
async def assembled(settings: WorkerSettings, *, write_interval: float = 1.0) -> AsyncIterator[App]:
    """The App, its database upgraded; everything it opened is closed at the block's end.

    `write_interval` is the pause in seconds between two writes to GitHub by one installation.
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
        )
        pull_requests = PullRequests(github, outside)
        name = f"{socket.gethostname()}:{os.getpid()}"
        worker = Worker(queue, pull_requests.handle, name=name, give_up=pull_requests.give_up)
        intake = Intake(database, queue, now=_now, enqueued=worker.wake)
        yield App(database, store, outside, intake, worker)


async def serve(settings: ServerSettings, *, with_worker: bool = True) -> None:
    """Answer HTTP, and run jobs beside it, until SIGTERM or SIGINT."""
    configure_logs(settings.logs)
    async with assembled(settings) as app, listening(settings, app) as url:
        _log.info("serving", url=url, webhook=settings.webhook_path, worker=with_worker)
        if with_worker:
            await _until_told(app.worker)
        else:
            await _told()


async def work(settings: WorkerSettings) -> None:
    """Run jobs until SIGTERM or SIGINT."""
    configure_logs(settings.logs)
    async with assembled(settings) as app:
        _log.info("working")
        await _until_told(app.worker)


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


async def _until_told(worker: Worker) -> None:
    """Run a worker until the process is told to stop; then it finishes what it has begun."""
    running = asyncio.create_task(worker.run())
    told = asyncio.create_task(_told())
    await asyncio.wait({running, told}, return_when=asyncio.FIRST_COMPLETED)
    told.cancel()
    worker.stop()
    await running


async def _told() -> None:
    """Wait for SIGTERM or SIGINT."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await stop.wait()


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)
