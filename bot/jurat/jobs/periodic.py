"""Work that is due now and then: run once, however many workers there are.

Each process keeps the time, and whichever notices first that a piece of work is due enqueues it;
the queue takes each tick once. From there it is a job like any other: leased, retried, and taken
over from a worker that died.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from jurat.errors import JuratError
from jurat.jobs.queue import PERIODIC, Handler, Job, JobQueue, JobRequest
from jurat.jobs.worker import Pulse, describe_error
from jurat.store.database import Database

KIND = PERIODIC
"""The kind of the jobs."""

_LONGEST = 60.0
"""Seconds after which the clock is looked at again: it may have been set."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PeriodicTask:
    """A piece of work. `every` counts from midnight UTC of 1 January 1970.

    `at_start` wants it done each time that a process starts, too.
    """

    name: str
    every: dt.timedelta
    run: Callable[[], Awaitable[object]]
    at_start: bool = False


class PeriodicScheduler:
    """Enqueues what is due. `enqueued` is called each time, to wake the workers of this process."""

    def __init__(
        self,
        work: Sequence[PeriodicTask],
        queue: JobQueue,
        database: Database,
        *,
        now: Callable[[], dt.datetime],
        enqueued: Callable[[], None] = lambda: None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._work = work
        self._queue = queue
        self._database = database
        self._now = now
        self._enqueued = enqueued
        self._sleep = sleep
        self._ticks: dict[str, int] = {}
        # Twice the longest pause: one round may fail before anybody is told.
        self._pulse = Pulse(2 * _LONGEST, clock)

    async def problem(self) -> str | None:
        """What keeps `run` from keeping the time, in a clause; None while it does."""
        return self._pulse.problem()

    async def run(self) -> None:
        """Keep the time until cancelled."""
        with self._pulse.watch():
            # Patiently: a database that is away at start is no reason for the process to end.
            await self._try_step(self.start)
            while True:
                if await self._try_step(self.tick):
                    self._pulse.beat()
                seconds = self._now().timestamp()
                # Wake on the boundaries of the wall clock, not `every` after the last round: all
                # processes then name a tick by the same number, and the queue can tell who was
                # first.
                waits = (_get_seconds(item) - seconds % _get_seconds(item) for item in self._work)
                await self._sleep(min(_LONGEST, *waits))

    async def start(self) -> None:
        """Enqueue what every start asks for; processes that start together share one job."""
        new = [_build_job(item) for item in self._work if item.at_start]
        await self._database.transact(lambda connection: self._queue.enqueue(connection, new))
        self._enqueued()

    async def tick(self) -> None:
        """Enqueue what is due by now, unless another process has."""
        for item in self._work:
            tick = int(self._now().timestamp() // _get_seconds(item))
            # Known here already: a round a minute must not cost each process a transaction.
            if self._ticks.get(item.name) == tick:
                continue
            if await self._queue.enqueue_tick(_build_job(item, tick), item.name, tick):
                self._enqueued()
            # Last: a tick that could not be enqueued is tried again in the next round.
            self._ticks[item.name] = tick

    async def _try_step(self, step: Callable[[], Awaitable[None]]) -> bool:
        try:
            await step()
        except JuratError as error:
            _log.warning("periodic work was not enqueued: %s", describe_error(error))
            self._pulse.miss("nothing could be enqueued")
            return False
        return True


def with_periodic(work: Sequence[PeriodicTask], handler: Handler) -> Handler:
    """A handler that carries out periodic jobs itself, and leaves the others to `handler`."""
    by_name = {item.name: item for item in work}

    async def handle(job: Job) -> None:
        # A name that nobody knows is no error: a retry would not find it either.
        if job.kind != KIND:
            await handler(job)
        elif (item := by_name.get(str(job.payload.get("name")))) is not None:
            await item.run()
        else:
            _log.warning("another release enqueued periodic work", extra={"key": job.key})

    return handle


def _get_seconds(item: PeriodicTask) -> float:
    return item.every.total_seconds()


def _build_job(item: PeriodicTask, tick: int | None = None) -> JobRequest:
    # The tick tells two jobs of one clock apart: a job that waits is replaced, and a later tick
    # must not undo that an earlier one was claimed. Jobs at start have none, so that they share
    # one.
    variant = "" if tick is None else str(tick)
    return JobRequest(f"{KIND}:{item.name}", KIND, {"name": item.name}, variant=variant)
