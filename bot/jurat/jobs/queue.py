"""What a queue of jobs promises, whichever engine keeps it.

A job is "review pull request N", never "review commit X": whoever runs it reads the state of things
when it starts. So two jobs that wait for the same thing are one job, and a job may run twice.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from sqlalchemy import ColumnElement, Connection, update

from jurat.store.tables import deliveries

# A job that takes another's place takes its deliveries too: each still has an end to show.


def merge_deliveries(
    connection: Connection, replaced: Iterable[str | None], by: Iterable[JobRequest]
) -> None:
    """Record that the jobs whose deliveries are given were replaced, but for those of `by`."""
    merged = set(replaced) - {job.delivery for job in by} - {None}
    if merged:
        connection.execute(
            update(deliveries).where(deliveries.c.guid.in_(merged)).values(outcome="merged")
        )


@dataclass(frozen=True, slots=True)
class JobRequest:
    """A job to be enqueued.

    Jobs of one `key` ("1296269#12", by GitHub's id) run one after the other. A job that waits is
    replaced by a new one of the same key, kind and `variant`: `variant` tells apart what must not
    be merged, such as two commands. `payload` is JSON, `delivery` the GUID of the event that asked
    for it. Nobody waits for what is `unasked`, and there may be much of it. `by` is the account for
    which it is done, by GitHub's id; 0 if nobody knows. What is `late` comes after all others of
    its repository's lane.
    """

    key: str
    kind: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    variant: str = ""
    delivery: str | None = None
    unasked: bool = False
    by: int = 0
    late: bool = False

    @property
    def lanes(self) -> tuple[str, str, str]:
        """Who is served: an installation, a repository of it, a person there. See jobs/lanes.py."""
        installation = f"{self.payload.get('installation_id', '')}"
        # Of its own: one that somebody asked for waits for one of these, not for all.
        apart = "unasked/" if self.unasked else ""
        repository = f"{installation}/{apart}{self.payload.get('repository_id', '')}"
        return installation, repository, f"{repository}/by/{self.by}"


def has_lane_of(lane: ColumnElement[str], repository_id: int) -> ColumnElement[bool]:
    """Whether a job's lane is a repository's, under whichever installation it was enqueued."""
    return lane.like(f"%/{repository_id}")


@dataclass(frozen=True, slots=True)
class Job:
    """A job that was handed to a worker.

    `attempts` counts this one, from 1. `lease` numbers the hand-outs: it is the worker's proof that
    the job is still its own.
    """

    id: int
    key: str
    kind: str
    payload: Mapping[str, Any]
    attempts: int
    lease: int
    delivery: str | None = None


JobState = Literal["queued", "leased", "done", "cancelled", "dead"]
"""Waiting, running, and the three ways to end."""

PERIODIC = "periodic"
"""The kind of the jobs that are due now and then, whoever else is away."""

LIVE: frozenset[JobState] = frozenset({"queued", "leased"})

MERGED = "Another one waits already."
"""The reason of a job that ended because the same was asked for again while it ran."""


@dataclass(frozen=True, slots=True)
class JobRecord:
    """A job as whoever looks finds it. `reason` says why it was tried again or ended."""

    key: str
    kind: str
    state: JobState
    attempts: int
    delivery: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class QueueDepth:
    """How many jobs wait, a retry's pause included, and how many run.

    `oldest_seconds` says for how long the job that has waited longest has been due, 0 if none is.
    """

    waiting: int
    running: int
    oldest_seconds: float


Handler = Callable[[Job], Awaitable[None]]
"""Does a job. Returning ends it; a raised error is retried or buried (see jurat.jobs.worker)."""


class JobQueue(Protocol):
    """Jobs that survive the process. Every method raises JuratError if the engine is away.

    What takes a connection is a step of the caller's transaction, and so a plain function (see
    `Database.transact`); in a block of `Database.writing`, hand it to its `run_sync`.

    What changes a leased job does so only for its holder: each such method returns False, and
    changes nothing, if the lease was lost meanwhile.
    """

    def enqueue(self, connection: Connection, jobs: Sequence[JobRequest]) -> None:
        """Add jobs within the caller's transaction, each due at once.

        A job that waits already, a retry's pause included, takes the new payload, becomes due and
        counts its attempts anew; the delivery that it was for ends as merged. One that runs is left
        alone: the new job waits for its end.
        """
        ...

    async def enqueue_tick(self, job: JobRequest, name: str, tick: int) -> bool:
        """Add a job for tick number `tick` of a clock; False if any process has done so before.

        A tick that lies before the clock's latest counts as done.
        """
        ...

    async def latest_tick(self, name: str) -> int | None:
        """The number of a clock's latest tick, None if there was none."""
        ...

    def cancel(self, connection: Connection, key: str, kind: str, reason: str) -> None:
        """Take back the jobs of one key and kind, within the caller's transaction.

        A job that waits ends as cancelled; the holder of one that runs learns it by its next
        heartbeat.
        """
        ...

    def cancel_all(self, connection: Connection, repository_id: int, reason: str) -> None:
        """Take back all jobs of a repository, within the caller's transaction (see `cancel`)."""
        ...

    def delete_all(self, connection: Connection, repository_id: int) -> int:
        """Delete all jobs of a repository, within the caller's transaction; how many.

        The holder of one that runs finds its lease lost.
        """
        ...

    async def lease(self, worker: str, duration: dt.timedelta) -> Job | None:
        """Hand out the job whose turn it is, None if none is due.

        Installations take turns, the repositories of one, and the people of one repository; of
        one person the job goes that has been due longest. What is late goes once no other job of
        its repository's lane is due. A job whose lease ran out comes first: its worker died. No two
        jobs of a key are ever out. An engine may let jobs that are tried again come after the
        others of their repository. `duration` is the same for every worker of a queue.
        """
        ...

    async def extend_lease(self, job: Job, duration: dt.timedelta) -> bool:
        """Extend the lease to `duration` from now. False also if the job was cancelled."""
        ...

    async def complete(self, job: Job) -> bool:
        """End a job: as done, or as cancelled if that was asked for."""
        ...

    async def retry(
        self, job: Job, delay: dt.timedelta, reason: str, *, counted: bool = True
    ) -> bool:
        """Let a job wait, and run again after `delay`; merged into one that waits already.

        The attempt is not counted if it was not the job's own that failed.
        """
        ...

    async def release(self, job: Job) -> bool:
        """Give a job back untried: due at once, the attempt not counted."""
        ...

    async def fail(self, job: Job, reason: str) -> bool:
        """End a job as dead: it is not tried again, and `reason` is kept for whoever looks."""
        ...

    async def backlog(self) -> QueueDepth:
        """Count what the queue holds now."""
        ...

    async def records(
        self, *, keys: Collection[str] = (), deliveries: Collection[str] = ()
    ) -> tuple[JobRecord, ...]:
        """The jobs of these keys or deliveries, ended ones included, oldest first."""
        ...

    async def forget(self, age: dt.timedelta) -> None:
        """Delete the jobs that ended longer ago than `age`."""
        ...

    async def listen(self, wake: Callable[[], None]) -> None:
        """Call `wake` whenever another process may have enqueued a job, until cancelled.

        An engine that cannot know returns at once: workers look for themselves now and then.
        """
        ...
