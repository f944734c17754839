"""The composition root: settings in, a running App out. The only place that knows every part."""

from __future__ import annotations

import asyncio
import datetime as dt
import gc
import importlib
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import NamedTuple

import aiohttp
import structlog

from jurat.app.handlers import JobHandlers
from jurat.app.leaving import DepartureSweep
from jurat.app.overrides import recheck_ended_overrides
from jurat.app.reconciler import CLOCK, EVERY, Reconciler
from jurat.app.redelivery import POLL, DeliveryPoll, Redelivery
from jurat.app.review_runner import ReviewRunner
from jurat.app.shared_commits import SharedCommits
from jurat.app.tracing import Tracing, open_exporter
from jurat.github.auth import GitHubApp
from jurat.jobs.periodic import KIND, PeriodicScheduler, PeriodicTask, with_periodic
from jurat.jobs.queue import Handler, Job, JobQueue
from jurat.jobs.requests import Request, to_job
from jurat.jobs.table_queue import open_queue
from jurat.jobs.worker import Sleep, Worker, WorkerOptions
from jurat.judge.embeddings import JudgeModels
from jurat.judge.models_file import ModelSettings
from jurat.judge.opening import open_models
from jurat.judge.protocol import JudgeError, JudgmentOptions
from jurat.probes.run import ProbeStatus, get_probed_model
from jurat.review_interfaces import Services
from jurat.server.intake import Intake
from jurat.server.prometheus import MeteredJudge, PrometheusMetrics
from jurat.server.readiness import Look, Readiness, limit_look
from jurat.settings import WorkerSettings
from jurat.source.parser_pool import ParserPool
from jurat.source.parsing import ParseMap
from jurat.store.clock import DatabaseClock, Now
from jurat.store.database import Database
from jurat.store.evaluations import DatabaseEvaluationStore, Store
from jurat.store.maintenance import delete_expired, upgrade_schema
from jurat.store.open_checks import OpenCheckStore, WriteTurns
from jurat.store.promotion import auto_promote_rules
from jurat.store.runs import Ratings, load_probe_status
from jurat.store.write_trial import WriteTrial

_log = structlog.stdlib.get_logger("jurat.app.wiring")

_DAY = dt.timedelta(days=1)
_AGAIN = 30.0
"""Seconds after which a judge that could not be constructed is tried again."""


@dataclass(frozen=True, slots=True)
class App:
    """The parts that the doors are hung on."""

    database: Database
    store: Store
    services: Services
    intake: Intake
    worker: Worker
    queue: JobQueue
    metrics: PrometheusMetrics
    scheduler: PeriodicScheduler
    replay: Redelivery
    constructed: Look | None

    def build_readiness(self, *, with_worker: bool) -> Readiness:
        """Whether a process of these parts, with a worker or without, can do its work."""
        parts: dict[str, Look] = {"database": WriteTrial(self.database).problem}
        if with_worker:
            parts |= {"job loop": self.worker.problem, "periodic work": self.scheduler.problem}
        if self.constructed is not None:
            parts["judge"] = self.constructed
        return Readiness(parts)

    async def read_probe_status(self) -> ProbeStatus | None:
        """How the judge in use did when it was probed last; None if there is none."""
        judge, options = self.services.judge, self.services.options
        return (
            await load_probe_status(self.database, get_probed_model(judge, options))
            if judge
            else None
        )


@asynccontextmanager
async def build_app(
    settings: WorkerSettings,
    *,
    write_interval: float = 1.0,
    pace: WorkerOptions | None = None,
    sleep: Sleep = asyncio.sleep,
    sweep_every: dt.timedelta = EVERY,
    tracing: Tracing | None = None,
    models: JudgeModels | None = None,
    parse_map: ParseMap | None = None,
) -> AsyncIterator[App]:
    """The App, its database upgraded; everything it opened is closed at the block's end.

    `write_interval` is the pause in seconds between two writes to GitHub by one installation,
    `pace` how the worker paces itself, `sleep` how the pauses between two requests to GitHub or to
    a model are made. `tracing` is made from the settings if none is given; it is closed with the
    rest. `models` are opened as the settings say, and `parse_map` is a pool, unless they are given.
    """
    if tracing is None and settings.traced:
        tracing = Tracing(open_exporter())
    # Before anything is opened: the parts below expect this release's tables.
    await upgrade_schema(settings.database_url)
    async with AsyncExitStack() as stack:
        database = Database.at(settings.database_url)
        # First in, last out: what is closed before it may still write.
        stack.push_async_callback(database.close)
        session = await stack.enter_async_context(aiohttp.ClientSession())
        if parse_map is None:
            parse_map = stack.enter_context(ParserPool())
        clock = DatabaseClock(database, _get_now)
        await stack.enter_async_context(clock.keeping())
        store = Store(database, clock)
        metrics = PrometheusMetrics()
        constructed = None
        if models is None and settings.model is not None:
            models, constructed = await _open_own_models(settings.model, stack, sleep)
        services = _build_services(models, store, parse_map, metrics, tracing, clock=clock)
        github = GitHubApp(
            session,
            settings.app.app_id,
            settings.app.private_key.get_secret_value(),
            base_url=settings.app.api_url,
            write_interval=write_interval,
            turns=WriteTurns(database, clock, interval=write_interval).bind,
            # GitHub believes no token that is signed in the future.
            clock=clock.read_seconds,
            sleep=sleep,
            meter=metrics.build_meter,
            floors=settings.floors,
        )
        if tracing is not None:
            stack.callback(tracing.close)
        base = _Base(
            database,
            clock,
            open_queue(database, clock),
            store,
            services,
            github,
            metrics,
            constructed,
        )
        yield _build_parts(
            base,
            settings.app.app_id,
            pace or WorkerOptions(),
            sweep_every=sweep_every,
            wrap=tracing.wrap_handler if tracing else None,
        )


class _Base(NamedTuple):
    """What the App's own parts stand on."""

    database: Database
    now: Now
    queue: JobQueue
    store: Store
    services: Services
    github: GitHubApp
    metrics: PrometheusMetrics
    constructed: Look | None


def _build_parts(
    base: _Base,
    app_id: int,
    options: WorkerOptions,
    *,
    sweep_every: dt.timedelta,
    wrap: Callable[[Handler], Handler] | None,
) -> App:
    """What takes deliveries in, works them off, and looks after what was left."""
    database, queue, store, now = base.database, base.queue, base.store, base.now
    jobs = _OwnJobs(database, queue)
    open_checks = OpenCheckStore(database, now)
    reviews = ReviewRunner(base.services, Ratings(database, now), open_checks, store)
    commits = SharedCommits(base.github, store.commits, open_checks, jobs.enqueue)
    pull_requests = JobHandlers(base.github, reviews, store, commits, jobs.enqueue)

    async def give_up(job: Job, reason: str) -> None:
        base.metrics.count_failed_job(job.kind)
        if job.kind != KIND:
            await pull_requests.give_up(job, reason)

    async def recheck_overrides() -> None:
        await recheck_ended_overrides(database, jobs.enqueue, now().date())

    intake = Intake(database, queue, now=now, enqueued=jobs.wake)
    replay = Redelivery(base.github, app_id, intake, queue, now)
    sweep = Reconciler(database, queue, intake, open_checks, store.commits, replay, now)
    leave = DepartureSweep(database, queue, base.github, now)
    periodic = (
        PeriodicTask(CLOCK, sweep_every, sweep, at_start=True),
        PeriodicTask("missed", min(POLL, sweep_every), DeliveryPoll(replay), at_start=True),
        # At midnight in UTC, when an override ends, and at start for what was missed.
        PeriodicTask("overrides", _DAY, recheck_overrides, at_start=True),
        PeriodicTask("forget", _DAY, sweep.forget),
        PeriodicTask("leave", _DAY, leave),
        PeriodicTask("mature", _DAY, lambda: auto_promote_rules(database, now())),
        PeriodicTask("retention", _DAY, lambda: delete_expired(database, now())),
    )
    handler: Handler = with_periodic(periodic, pull_requests.handle)
    jobs.worker = Worker(
        queue,
        wrap(handler) if wrap else handler,
        name=f"{socket.gethostname()}:{os.getpid()}",
        give_up=give_up,
        options=options,
    )
    return App(
        database=database,
        store=store,
        services=base.services,
        intake=intake,
        worker=jobs.worker,
        queue=queue,
        metrics=base.metrics,
        scheduler=PeriodicScheduler(periodic, queue, database, now=now, enqueued=jobs.wake),
        replay=replay,
        constructed=base.constructed,
    )


class _OwnJobs:
    """The jobs that the App gives itself. Its worker is built after those who give them."""

    def __init__(self, database: Database, queue: JobQueue) -> None:
        self._database = database
        self._queue = queue
        self.worker: Worker | None = None

    def wake(self) -> None:
        """Have the worker look now."""
        if self.worker is not None:
            self.worker.wake()

    async def enqueue(self, request: Request) -> None:
        """Enqueue a job for a request."""
        job = to_job(request)
        await self._database.transact(lambda connection: self._queue.enqueue(connection, [job]))
        self.wake()


async def _open_own_models(
    settings: ModelSettings, stack: AsyncExitStack, sleep: Sleep
) -> tuple[JudgeModels, Look]:
    """The models that the settings name, which `stack` closes, and whether they are constructed."""
    models = await stack.enter_async_context(open_models(settings, sleep=sleep))
    constructed = limit_look(_build_construction_look(models), _AGAIN)
    if problem := await constructed():
        # What needs no model is reviewed all the same; the rest says that it was not.
        _log.error("no rule that needs a model is assessed", reason=problem)
    return models, constructed


def _build_services(
    models: JudgeModels | None,
    store: Store,
    parse_map: ParseMap,
    metrics: PrometheusMetrics,
    tracing: Tracing | None,
    *,
    clock: Now,
) -> Services:
    return Services(
        judge=MeteredJudge(models.judge, metrics.models) if models else None,
        second_judge=MeteredJudge(models.second, metrics.models)
        if models and models.second
        else None,
        semantic=models.semantic if models else None,
        options=models.options if models else JudgmentOptions(),
        records=DatabaseEvaluationStore(store, published=metrics.count_review),
        parse_map=parse_map,
        clock=clock,
        watch=tracing.watch(metrics.watch) if tracing else metrics.watch,
        read_trials=store.read_trials,
    )


def _freeze_garbage() -> None:
    """Take what was loaded out of the garbage collector's rounds.

    It stays until the process ends. One round over all of it takes 70 ms, in which no event is
    answered.
    """
    gc.collect()
    gc.freeze()


def _build_construction_look(models: JudgeModels) -> Look:
    async def problem() -> str | None:
        # The SDK takes half a second to import: not while an event waits for its answer. What is
        # wrong with it is said below.
        with suppress(Exception):
            await asyncio.to_thread(importlib.import_module, models.client)
        try:
            await models.construct()
        except JudgeError as error:
            return error.detail
        return None

    return problem


async def wait_for_stop() -> None:
    """Wait for SIGTERM or SIGINT."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await stop.wait()


def _get_now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)
