"""Runs jobs: leases them, keeps the leases alive, and retries, ends or buries each."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import random
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from jurat.errors import JuratError
from jurat.jobs.outages import LOOK, Outages
from jurat.jobs.queue import PERIODIC, Handler, Job, JobQueue

# What becomes of a job that failed.
#
# An error that says it is not `retryable` (a broken configuration, a permission that is missing)
# buries the job at once: trying again would give the same. One who is away is waited for, uncounted
# (outages.py decides that first). Everything else, a bug included, is tried again a bounded number
# of times, after the pause the error asks for or an exponential one.

_REASON_LENGTH = 500


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """At most `max_attempts` in all; pauses double from `first` up to `longest` seconds.

    While somebody is away whom jobs wait for, pauses are at most `look` seconds.
    """

    max_attempts: int = 8
    first: float = 5.0
    longest: float = 900.0
    look: float = LOOK


@dataclass(frozen=True, slots=True)
class Retry:
    """Try again after a pause."""

    delay: dt.timedelta
    reason: str


@dataclass(frozen=True, slots=True)
class Park:
    """Wait for somebody who is away; the attempt does not count."""

    delay: dt.timedelta
    reason: str


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Give up."""

    reason: str


def decide_retry(
    error: BaseException, attempts: int, policy: RetryPolicy, draw: float
) -> Retry | GiveUp:
    """What to do with a job whose attempt number `attempts` raised, and counts.

    `draw` is random in [0, 1).
    """
    reason = describe_error(error)
    if isinstance(error, JuratError) and not error.retryable:
        return GiveUp(reason)
    if attempts >= policy.max_attempts:
        return GiveUp(f"Given up after {attempts} attempts. {reason}"[:_REASON_LENGTH])
    seconds = compute_backoff(attempts, policy, draw)
    # Never sooner than the other side asked for: GitHub may ban Apps that ignore `retry-after`.
    if isinstance(error, JuratError) and error.retry_after is not None:
        seconds = max(seconds, error.retry_after)
    return Retry(dt.timedelta(seconds=seconds), reason)


def compute_backoff(attempts: int, policy: RetryPolicy, draw: float) -> float:
    """Seconds to wait after attempt number `attempts`: half of it fixed, half random.

    "Equal jitter" in https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/:
    jobs that failed together do not come back together, and none comes back at once.
    """
    # Capped before it is raised: 2.0 ** 1024 is an OverflowError.
    whole = min(policy.longest, policy.first * 2.0 ** min(attempts - 1, 60))
    return whole / 2 + whole / 2 * draw


def describe_error(error: BaseException) -> str:
    """An error on one line, short enough to keep."""
    text = str(error) if isinstance(error, JuratError) else f"{type(error).__name__}: {error}"
    return " ".join(text.split())[:_REASON_LENGTH]


_OVERDUE = 30.0
"""Seconds that a round may take beyond its pause: to lease, SQLite waits 5 for its lock, and
PostgreSQL's pool 30 for a connection."""

_log = logging.getLogger(__name__)

Sleep = Callable[[float], Awaitable[None]]
GiveUpHandler = Callable[[Job, str], Awaitable[None]]
"""Told of a job that is about to be buried, and why, so that nobody waits for it."""


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """How a worker paces itself; times are in seconds if they are no timedelta.

    `lease` is how long a job stays with a worker that has died, `poll` how long an idle worker may
    take to see what another process enqueued, `grace` how long a stop waits for running jobs.
    """

    concurrency: int = 4
    lease: dt.timedelta = dt.timedelta(seconds=60)
    poll: float = 2.0
    grace: float = 20.0
    retries: RetryPolicy = field(default_factory=RetryPolicy)


_DEFAULTS = WorkerOptions()


class _Ending(Enum):
    """How a job's run ended, other than by an error of its own."""

    FINISHED = auto()
    LOST = auto()
    STOPPED = auto()


class Worker:
    """Runs the jobs of a queue, several at once, until it is stopped.

    `name` tells workers apart in the records. `give_up` is called before a job is buried, at least
    once. `sleep`, `draw` (random in [0, 1)) and `clock` (in seconds) are the worker's only
    sources of time and chance. While somebody is away whom all jobs need, jobs wait, and the worker
    tries one now and then (see jurat.jobs.outages).
    """

    def __init__(
        self,
        queue: JobQueue,
        handler: Handler,
        *,
        name: str,
        give_up: GiveUpHandler | None = None,
        options: WorkerOptions = _DEFAULTS,
        sleep: Sleep = asyncio.sleep,
        draw: Callable[[], float] = random.random,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._queue = queue
        self._handler = handler
        self._name = name
        self._give_up = give_up
        self._options = options
        self._sleep = sleep
        self._draw = draw
        self._woken = asyncio.Event()
        self._stopping = False
        self._drained = asyncio.Event()
        self._pulse = Pulse(options.poll + _OVERDUE, clock)
        self._outages = Outages(clock, options.retries.look)

    async def problem(self) -> str | None:
        """What keeps `run` from taking jobs, in a clause; None also while it is busy with some."""
        return self._pulse.problem() or ("it stops" if self._stopping else None)

    def wake(self) -> None:
        """Look for jobs now: something was enqueued in this process."""
        self._woken.set()

    def stop(self) -> None:
        """Take no more jobs. `run` returns when the running ones have ended or `grace` is over."""
        self._stopping = True
        self._woken.set()

    async def run(self) -> None:
        """Run jobs until `stop`. A queue that does not answer is asked again."""
        running: set[asyncio.Task[None]] = set()
        try:
            with self._pulse.watch():
                await self._take(running)
        finally:
            await self._drain(running)

    async def run_due(self) -> int:
        """Run the jobs that are due, one after the other, until none is; how many there were."""
        count = 0
        while job := await self._lease():
            await self._process(job)
            count += 1
        return count

    async def _take(self, running: set[asyncio.Task[None]]) -> None:
        while not self._stopping:
            # Cleared before the queue is asked, not after: what is enqueued meanwhile sets it
            # again.
            self._woken.clear()
            while len(running) < self._count_room() and (job := await self._lease()):
                task = asyncio.create_task(self._process(job))
                running.add(task)
                task.add_done_callback(running.discard)
                # A key is free now: a job that waited for it may be due at once.
                task.add_done_callback(lambda _: self.wake())
            if len(running) >= self._count_room():
                self._pulse.beat()  # there is nothing to ask the queue for
            # `poll` even though workers are woken: another process may enqueue, and on SQLite
            # nobody tells.
            pause = min(self._outages.pause, _OVERDUE) or self._options.poll
            await _wait_for_first(self._woken.wait(), self._sleep(pause))

    def _count_room(self) -> int:
        """How many jobs may run at once: while somebody is away one, to see, and then none."""
        if self._outages.pause:
            return 0
        return 1 if self._outages.is_away else self._options.concurrency

    async def _lease(self) -> Job | None:
        # A stop may come between two leases: what was leased then would only have to be given back.
        if self._stopping:
            return None
        try:
            job = await self._queue.lease(self._name, self._options.lease)
        except JuratError as error:
            _log.error("no job could be leased: %s", describe_error(error))
            self._pulse.miss("no job could be leased")
            return None
        self._pulse.beat()
        return job

    async def _drain(self, running: set[asyncio.Task[None]]) -> None:
        if running:
            # Within the time that deploy/ gives a process to stop.
            await _wait_for_first(asyncio.wait(set(running)), self._sleep(self._options.grace))
        # Told rather than cancelled: each still has to give its job back, which others would else
        # have from its lease's end only, and no cancellation may come between.
        self._drained.set()
        await asyncio.gather(*running, return_exceptions=True)

    async def _process(self, job: Job) -> None:
        context = {
            "job": job.id,
            "key": job.key,
            "kind": job.kind,
            # The key has its number, which tells nobody anything.
            "repository": job.payload.get("repository"),
            "delivery": job.delivery,
        }
        try:
            # A job that kills its process never reaches `decide_retry`: only the count at the
            # hand-out, which the database keeps, ends it.
            if job.attempts > self._options.retries.max_attempts:
                reason = f"Its worker stopped without a word {job.attempts - 1} times."
                await self._settle(job, GiveUp(reason), context)
            else:
                await self._settle(job, await self._run(job, context), context)
        except JuratError as error:
            # The lease runs out, and the job comes again.
            _log.error("a job could not be settled: %s", describe_error(error), extra=context)

    async def _run(self, job: Job, context: dict[str, object]) -> _Ending | Park | Retry | GiveUp:
        """Run the handler while the job is ours."""
        handling = asyncio.ensure_future(self._handler(job))
        if (ending := await self._wait_with_lease(job, handling)) is not _Ending.FINISHED:
            return ending
        if handling.cancelled():
            # A handler that cancelled itself is a bug, not a stop: given back uncounted it would go
            # on for ever.
            return decide_retry(
                asyncio.CancelledError("from within"), job.attempts, self._options.retries, 1.0
            )
        error = handling.exception()
        if error is None:
            # Most periodic work needs nobody but the database, and so shows nothing.
            if job.kind != PERIODIC:
                self._outages.note_success(job.key)
            return _Ending.FINISHED
        pause = self._outages.find_pause(job.key, error)
        _log.warning(
            "a job failed: %s",
            describe_error(error),
            extra=context,
            exc_info=None if isinstance(error, JuratError) else error,
        )
        if pause is not None:
            # Half of it by chance: what failed together does not come back together.
            seconds = pause / 2 + pause / 2 * self._draw()
            delay = max(seconds, getattr(error, "retry_after", None) or 0.0)
            return Park(dt.timedelta(seconds=delay), describe_error(error))
        decided = decide_retry(error, job.attempts, self._options.retries, self._draw())
        if isinstance(decided, GiveUp):
            self._outages.forget(job.key)
        return decided

    async def _wait_with_lease(self, job: Job, work: asyncio.Future[None]) -> _Ending:
        """Keep the lease alive until `work` has ended; cancel it if the lease or the time ends."""
        keeping = asyncio.create_task(self._keep(job))
        drained = asyncio.create_task(self._drained.wait())
        try:
            parts: set[asyncio.Future[Any]] = {work, keeping, drained}
            await asyncio.wait(parts, return_when=asyncio.FIRST_COMPLETED)
            # Looked at before anything is cancelled: work that ended in the very turn in which the
            # time was up has been done, and must not be done again.
            if work.done():
                return _Ending.FINISHED
            await _cancel_and_wait(work)
            if not work.cancelled() and work.exception() is None:
                return _Ending.FINISHED  # it had a last step, and made it
            if not keeping.done():
                return _Ending.STOPPED
            # The heart stopped: another worker may have the job, and two must not write at once.
            keeping.result()  # a bug in the queue is not a lost lease
            return _Ending.LOST
        finally:
            for task in (work, keeping, drained):
                await _cancel_and_wait(task)

    async def _keep(self, job: Job) -> None:
        """Extend the lease, a third of its time apart; ends when the job is no longer ours."""
        held = True
        while held:
            # A third: one heartbeat may fail, and the next still comes within the lease.
            await self._sleep(self._options.lease.total_seconds() / 3)
            try:
                held = await self._queue.extend_lease(job, self._options.lease)
            except JuratError as error:
                # Not lost yet: the lease may outlast a short outage, and the database alone knows.
                _log.warning("no heartbeat: %s", describe_error(error))

    async def _settle(
        self, job: Job, outcome: _Ending | Park | Retry | GiveUp, context: dict[str, object]
    ) -> None:
        match outcome:
            case _Ending.FINISHED | _Ending.LOST:
                # A job that was cancelled is still ours to end; one whose lease was lost is not.
                await self._queue.complete(job)
            case _Ending.STOPPED:
                await self._queue.release(job)
            case Park(delay, reason):
                await self._queue.retry(job, delay, reason, counted=False)
            case Retry(delay, reason):
                await self._queue.retry(job, delay, reason)
            case GiveUp(reason):
                _log.error("a job is given up: %s", reason, extra=context)
                # Told before it is buried: a crash in between tells twice, the other order might
                # tell nobody.
                ending = await self._report_failure(job, reason, context)
                if ending is _Ending.FINISHED:
                    await self._queue.fail(job, reason)
                else:
                    await self._settle(job, ending, context)

    async def _report_failure(self, job: Job, reason: str, context: dict[str, object]) -> _Ending:
        if self._give_up is None:
            return _Ending.FINISHED
        # What goes wrong here is logged and no more: raised, it would keep the job from being
        # buried, and the job would come again for ever.
        reporting = asyncio.ensure_future(self._give_up(job, reason))
        # Held like the handler: GitHub may take longer to answer than a lease lasts.
        ending = await self._wait_with_lease(job, reporting)
        if not reporting.cancelled() and (error := reporting.exception()):
            _log.error(
                "nobody could be told: %s", describe_error(error), extra=context, exc_info=error
            )
        return ending


async def _wait_for_first(*awaitables: Awaitable[object]) -> None:
    """Wait for one of them, and cancel the others."""
    tasks = [asyncio.ensure_future(item) for item in awaitables]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            await _cancel_and_wait(task)


async def _cancel_and_wait(task: asyncio.Future[Any]) -> None:
    """Cancel a task and wait for its end."""
    if task.cancel():
        await asyncio.wait({task})


# Whether a loop goes round, for whoever looks at it from outside.


class Pulse:
    """Beaten by a loop each time that a round of it did what it is for.

    `within` is how many seconds may lie between two beats. `clock` counts seconds.
    """

    def __init__(self, within: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._within = within
        self._clock = clock
        self._latest = 0.0
        self._failure = ""
        self._end: str | None = "it has not begun"

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Around the loop: it lives, and how it ends is kept."""
        self._end = None
        self.beat()
        try:
            yield
        except BaseException as error:
            # Not what it says, which anybody may read here.
            self._end = f"it was ended by an error ({type(error).__name__})"
            raise
        self._end = "it has ended"

    def beat(self) -> None:
        """A round was made."""
        self._latest = self._clock()
        self._failure = ""

    def miss(self, failure: str) -> None:
        """A round failed, and another will be tried. `failure` is for anybody to read."""
        self._failure = failure

    def problem(self) -> str | None:
        """What is wrong with the loop, in a clause; None while it goes round."""
        if self._end is not None:
            return self._end
        silent = self._clock() - self._latest
        if silent <= self._within:
            return None
        why = f" ({self._failure})" if self._failure else ""
        return f"it has made no round for {silent:.0f} s{why}"
