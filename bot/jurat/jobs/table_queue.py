"""Which engine keeps the jobs; and the leased table, a JobQueue in our own database.

Made for one machine with SQLite, where each statement here runs alone. The partial unique indexes
of the table hold what the protocol promises, whoever writes.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    and_,
    case,
    delete,
    exists,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from jurat.jobs.lanes import delete_lanes, rank_by_turn, record_turn
from jurat.jobs.queue import (
    MERGED,
    Job,
    JobQueue,
    JobRecord,
    JobRequest,
    QueueDepth,
    has_lane_of,
    merge_deliveries,
)
from jurat.store.bulk import BulkInsert, bind_column, to_bound_rows
from jurat.store.database import Database, Insert, insert_into
from jurat.store.tables import QUEUED, deliveries, jobs, ticks


def open_queue(database: Database, now: Callable[[], dt.datetime]) -> JobQueue:
    """The queue in a database: a table on SQLite, procrastinate on PostgreSQL.

    `now` gives the time with its zone; PostgreSQL has its own.
    """
    if database.engine.dialect.name != "postgresql":
        return TableQueue(database, now)
    # Imported here: on SQLite there is no procrastinate.
    from jurat.jobs.procrastinate_queue import ProcrastinateQueue  # noqa: PLC0415

    return ProcrastinateQueue(database)


_other = jobs.alias()

# The deliveries behind jobs that wait, and are about to be replaced by the given ones.
_MERGING = (
    update(deliveries)
    .where(
        deliveries.c.guid.in_(
            select(jobs.c.delivery).where(
                jobs.c.key == bind_column("key"),
                jobs.c.kind == bind_column("kind"),
                jobs.c.variant == bind_column("variant"),
                QUEUED,
                # A delivery that comes again replaces its own job: that is not merged, it still
                # waits.
                jobs.c.delivery.is_distinct_from(bind_column("delivery")),
            )
        )
    )
    .values(outcome="merged")
)


class TableQueue:
    """Jobs in the table `jobs` (see `JobQueue`). `now` gives the time with its zone."""

    def __init__(self, database: Database, now: Callable[[], dt.datetime]) -> None:
        self._database = database
        self._now = now
        self._adding = BulkInsert(
            database.engine,
            jobs,
            each=(
                "key",
                "kind",
                "variant",
                "payload",
                "delivery",
                "installation",
                "repository",
                "person",
                "late",
            ),
            shared=("state", "attempts", "lease", "enqueued_at", "due_at"),
            completed=_to_replacing_insert,
        )

    def enqueue(self, connection: Connection, new: Sequence[JobRequest]) -> None:
        """Add jobs within the caller's transaction, each due at once."""
        # One row a place in the queue: what waits there is the latest.
        latest = {(job.key, job.kind, job.variant): job for job in new}
        if not latest:
            return
        rows = [
            {
                "key": job.key,
                "kind": job.kind,
                "variant": job.variant,
                "payload": job.payload,
                "delivery": job.delivery,
                "installation": job.lanes[0],
                "repository": job.lanes[1],
                "person": job.lanes[2],
                "late": job.late,
            }
            for job in latest.values()
        ]
        # Before the upsert: it overwrites the very column that tells whose job was replaced.
        connection.execute(_MERGING, to_bound_rows(rows))
        if len(latest) < len(new):
            merge_deliveries(connection, (job.delivery for job in new), latest.values())
        now = self._now()
        self._adding.execute(
            connection, rows, state="queued", attempts=0, lease=0, enqueued_at=now, due_at=now
        )

    async def enqueue_tick(self, job: JobRequest, name: str, tick: int) -> bool:
        """Add a job for a tick of a clock; False if any process has done so before."""
        async with self._database.writing() as connection:
            insert = insert_into(connection, ticks)
            claimed = await connection.execute(
                insert.values(name=name, tick=tick).on_conflict_do_update(
                    index_elements=[ticks.c.name],
                    set_={"tick": insert.excluded.tick},
                    # A clock that was set back, or a slow process, must not do an old tick again.
                    where=ticks.c.tick < insert.excluded.tick,
                )
            )
            # Claim and job are one transaction: a crash between them would lose the tick.
            if claimed.rowcount == 0:
                return False
            await connection.run_sync(self.enqueue, [job])
            return True

    async def latest_tick(self, name: str) -> int | None:
        """The number of a clock's latest tick, None if there was none."""
        async with self._database.reading() as connection:
            tick: int | None = await connection.scalar(
                select(ticks.c.tick).where(ticks.c.name == name)
            )
            return tick

    def cancel(self, connection: Connection, key: str, kind: str, reason: str) -> None:
        """Take back the jobs of one key and kind, within the caller's transaction."""
        self._cancel(connection, and_(jobs.c.key == key, jobs.c.kind == kind), reason)

    def cancel_all(self, connection: Connection, repository_id: int, reason: str) -> None:
        """Take back all jobs of a repository, within the caller's transaction."""
        self._cancel(connection, has_lane_of(jobs.c.repository, repository_id), reason)

    def delete_all(self, connection: Connection, repository_id: int) -> int:
        """Delete all jobs of a repository, within the caller's transaction; how many."""
        deleted = connection.execute(
            delete(jobs).where(has_lane_of(jobs.c.repository, repository_id))
        )
        return deleted.rowcount

    def _cancel(self, connection: Connection, these: ColumnElement[bool], reason: str) -> None:
        connection.execute(
            update(jobs)
            .where(these, jobs.c.state == "queued")
            .values(state="cancelled", finished_at=self._now(), reason=reason)
        )
        connection.execute(
            update(jobs)
            .where(these, jobs.c.state == "leased")
            # Asked, not done: the lease is its worker's, which may be in the midst of a write to
            # GitHub.
            .values(cancel_requested=True, reason=reason)
        )

    async def lease(self, worker: str, duration: dt.timedelta) -> Job | None:
        """Hand out the job whose turn it is, None if none is due."""
        now = self._now()
        abandoned = and_(jobs.c.state == "leased", jobs.c.lease_expires_at <= now)
        due = and_(jobs.c.state == "queued", jobs.c.due_at <= now)
        async with self._database.writing() as connection:
            await connection.execute(
                update(jobs)
                .where(abandoned, jobs.c.cancel_requested)
                # Its worker died before it could obey: handed out again it would only be cancelled.
                .values(state="cancelled", finished_at=now, lease_expires_at=None)
            )
            # Abandoned ones first: they hold their keys, so that jobs due behind them cannot run.
            for condition in (abandoned, due):
                row = await _take(connection, condition, worker, now + duration)
                if row is not None:
                    return _to_job(row)
        return None

    async def extend_lease(self, job: Job, duration: dt.timedelta) -> bool:
        """Extend the lease to `duration` from now. False also if the job was cancelled."""
        return await self._change(
            job, ~jobs.c.cancel_requested, lease_expires_at=self._now() + duration
        )

    async def complete(self, job: Job) -> bool:
        """End a job: as done, or as cancelled if that was asked for."""
        state = case((jobs.c.cancel_requested, "cancelled"), else_="done")
        return await self._change(job, state=state, finished_at=self._now(), lease_expires_at=None)

    async def retry(
        self, job: Job, delay: dt.timedelta, reason: str, *, counted: bool = True
    ) -> bool:
        """Let a job wait, and run again after `delay`; merged into one that waits already."""
        attempts = jobs.c.attempts if counted else jobs.c.attempts - 1
        return await self._requeue(
            job, due_at=self._now() + delay, reason=reason, attempts=attempts
        )

    async def release(self, job: Job) -> bool:
        """Give a job back untried: due at once, the attempt not counted."""
        # A stop is not the job's fault: deployments must not use up its attempts.
        return await self._requeue(job, due_at=self._now(), attempts=jobs.c.attempts - 1)

    async def fail(self, job: Job, reason: str) -> bool:
        """End a job as dead: it is not tried again, and `reason` is kept for whoever looks."""
        return await self._change(
            job, state="dead", finished_at=self._now(), lease_expires_at=None, reason=reason
        )

    async def backlog(self) -> QueueDepth:
        """Count what the queue holds now. The partial indexes keep this short."""
        query = select(
            select(func.count()).where(jobs.c.state == "queued").scalar_subquery(),
            select(func.count()).where(jobs.c.state == "leased").scalar_subquery(),
            select(func.min(jobs.c.due_at)).where(jobs.c.state == "queued").scalar_subquery(),
        )
        async with self._database.reading() as connection:
            waiting, running, oldest = (await connection.execute(query)).one()
        due_for = (self._now() - oldest).total_seconds() if oldest is not None else 0.0
        return QueueDepth(waiting, running, max(due_for, 0.0))

    async def records(
        self, *, keys: Collection[str] = (), deliveries: Collection[str] = ()
    ) -> tuple[JobRecord, ...]:
        """The jobs of these keys or deliveries, ended ones included, oldest first."""
        query = (
            select(jobs)
            .where(or_(jobs.c.key.in_(keys), jobs.c.delivery.in_(deliveries)))
            .order_by(jobs.c.id)
        )
        async with self._database.reading() as connection:
            return tuple([_to_record(row) for row in await connection.execute(query)])

    async def forget(self, age: dt.timedelta) -> None:
        """Delete the jobs that ended longer ago than `age`."""
        async with self._database.writing() as connection:
            await connection.execute(delete(jobs).where(jobs.c.finished_at < self._now() - age))
            used = select(jobs.c.installation).union(
                select(jobs.c.repository), select(jobs.c.person)
            )
            await delete_lanes(connection, select(used.subquery().c.installation))

    async def listen(self, wake: Callable[[], None]) -> None:
        """Return at once: SQLite tells nobody, and its workers look for themselves."""

    async def _change(self, job: Job, *conditions: ColumnElement[bool], **values: Any) -> bool:
        async with self._database.writing() as connection:
            return await _set(connection, job, conditions, values)

    async def _requeue(self, job: Job, **values: Any) -> bool:
        """Back to the queue, unless the job was cancelled or its place there is taken."""
        taken = exists().where(
            _other.c.key == jobs.c.key,
            _other.c.kind == jobs.c.kind,
            _other.c.variant == jobs.c.variant,
            _other.c.state == "queued",
        )
        end = {
            "state": "cancelled",
            "finished_at": self._now(),
            "lease_expires_at": None,
            "reason": case((jobs.c.cancel_requested, jobs.c.reason), else_=MERGED),
        }
        back = {"state": "queued", "lease_expires_at": None, **values}
        async with self._database.writing() as connection:
            # In one transaction: a job enqueued between the two would meet the unique index.
            ended = await _set(connection, job, (or_(jobs.c.cancel_requested, taken),), end)
            return ended or await _set(connection, job, (), back)


def _to_replacing_insert(insert: Insert) -> Insert:
    """An INSERT that takes the place of the job that waits already."""
    replaced = (
        "payload",
        "delivery",
        "due_at",
        "attempts",
        "installation",
        "repository",
        "person",
        "late",
    )
    return insert.on_conflict_do_update(
        index_elements=[jobs.c.key, jobs.c.kind, jobs.c.variant],
        index_where=QUEUED,
        set_={name: insert.excluded[name] for name in replaced},
    )


async def _take(
    connection: AsyncConnection, condition: ColumnElement[bool], worker: str, until: dt.datetime
) -> Row[Any] | None:
    """Lease the first job that meets the condition and whose key no other job holds."""
    # An abandoned job is itself leased still: it must not be in its own way.
    busy = exists().where(
        _other.c.key == jobs.c.key, _other.c.state == "leased", _other.c.id != jobs.c.id
    )
    due = select(jobs.c.id).select_from(jobs).where(condition, ~busy)
    first = (
        rank_by_turn(due, jobs.c.installation, jobs.c.repository, jobs.c.person, jobs.c.late)
        # By id as well: many jobs of one transaction are due in the same instant.
        .order_by(jobs.c.due_at, jobs.c.id)
        .limit(1)
        .correlate(None)
        .scalar_subquery()
    )
    result = await connection.execute(
        update(jobs)
        .where(jobs.c.id == first)
        .values(
            state="leased",
            worker=worker,
            lease=jobs.c.lease + 1,
            attempts=jobs.c.attempts + 1,
            lease_expires_at=until,
        )
        .returning(jobs)
    )
    row: Row[Any] | None = result.one_or_none()
    if row is not None:
        await record_turn(connection, (row.installation, row.repository, row.person))
    return row


async def _set(
    connection: AsyncConnection,
    job: Job,
    conditions: Sequence[ColumnElement[bool]],
    values: Mapping[str, Any],
) -> bool:
    """Change a leased job for its holder; False if another holds it, or nobody."""
    # The lease's number is a fencing token: a worker that slept through its lease, and woke up
    # beside the next holder, changes nothing.
    held = and_(jobs.c.id == job.id, jobs.c.lease == job.lease, jobs.c.state == "leased")
    result = await connection.execute(update(jobs).where(held, *conditions).values(**values))
    return result.rowcount == 1


def _to_job(row: Row[Any]) -> Job:
    return Job(
        id=row.id,
        key=row.key,
        kind=row.kind,
        payload=row.payload,
        attempts=row.attempts,
        lease=row.lease,
        delivery=row.delivery,
    )


def _to_record(row: Row[Any]) -> JobRecord:
    return JobRecord(
        key=row.key,
        kind=row.kind,
        state=row.state,
        attempts=row.attempts,
        delivery=row.delivery,
        reason=row.reason,
    )
