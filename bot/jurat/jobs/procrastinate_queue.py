"""Procrastinate on PostgreSQL: a JobQueue for any number of machines.

https://procrastinate.readthedocs.io. Its tables, locks and SQL functions are used over our own
connections, so that a delivery is claimed and its jobs are enqueued in one transaction; the worker
is ours (jurat.jobs.worker), so that both engines are driven alike.

| here | there |
|---|---|
| `key` | `lock`: no two jobs of a lock run at once |
| kind, variant and key | `queueing_lock`: no two jobs of one wait at once |
| a lease | a row in `procrastinate_workers`: one for each job that is out, with its own heartbeat |
| queued, leased, done, dead | todo, doing, succeeded, failed |
| cancelled | cancelled, or aborted if it ran |

A worker's row for each lease, rather than one for each process, gives every hand-out a number that
never comes again, and lets one job be taken over from a process that lives on.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Sequence
from typing import Any

from procrastinate.sql import queries
from psycopg.types.json import Jsonb
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
    text,
    update,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError

from jurat.jobs.lanes import delete_lanes
from jurat.jobs.procrastinate_leases import (
    build_reason_update,
    call_query,
    end_job,
    end_lease,
    find_abandoned,
    find_due,
    find_held,
    hand_out,
)
from jurat.jobs.procrastinate_tables import (
    NOW,
    OURS,
    QUEUE,
    STATES,
    TODO,
    events,
    listen,
    ticks,
    workers,
)
from jurat.jobs.procrastinate_tables import jobs as table
from jurat.jobs.queue import (
    LIVE,
    MERGED,
    Job,
    JobRecord,
    JobRequest,
    QueueDepth,
    has_lane_of,
    merge_deliveries,
)
from jurat.store.database import Database, to_storable

_AFTER_OTHERS = -1
"""The priority of a job that waits for its next try: it must not hold up others of its lock."""

# Freed with the transaction, whatever becomes of its process. Advisory, as there may be no row to
# lock yet: https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS
_TAKING_TURNS = text(
    "SELECT pg_advisory_xact_lock(hashtextextended(key, 0)) FROM unnest(CAST(:keys AS text[])) key"
)


class ProcrastinateQueue:
    """Jobs in procrastinate's tables (see `JobQueue`). The time is the database server's."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def enqueue(self, connection: Connection, new: Sequence[JobRequest]) -> None:
        """Add jobs within the caller's transaction, each due at once."""
        latest = {_format_place(job): job for job in new}
        if not latest:
            return
        # Else two transactions may both find no job that waits, and one delivery would end
        # unmerged.
        _wait_for_turn(connection, {job.key for job in new})
        waiting = select(table.c.args["delivery"].astext).where(
            table.c.queueing_lock.in_(latest), table.c.status == "todo"
        )
        replaced = [*connection.scalars(waiting), *(job.delivery for job in new)]
        merge_deliveries(connection, replaced, latest.values())
        adding = insert(table).values([_to_row(job) for job in latest.values()])
        # Procrastinate's own function refuses a second one, and undoes the transaction with it.
        connection.execute(
            adding.on_conflict_do_update(
                index_elements=[table.c.queueing_lock],
                # The index is partial, and PostgreSQL infers it only from the same condition.
                index_where=TODO,
                set_={
                    "args": adding.excluded.args,
                    "attempts": 0,
                    "priority": 0,
                    "scheduled_at": None,
                },
            )
        )

    async def enqueue_tick(self, job: JobRequest, name: str, tick: int) -> bool:
        """Add a job for a tick of a clock; False if any process has done so before."""
        later = select(exists().where(ticks.c.periodic_id == name, ticks.c.defer_timestamp >= tick))
        async with self._database.writing() as connection:
            # Procrastinate keeps the latest tick alone, and would take an earlier one for new.
            if await connection.scalar(later):
                return False
            added = await call_query(
                connection,
                "defer_periodic_job",
                queue=QUEUE,
                lock=job.key,
                queueing_lock=_format_place(job),
                task_name=job.kind,
                priority=0,
                periodic_id=name,
                defer_timestamp=tick,
                args=Jsonb(_to_args(job)),
            )
            return added.id is not None

    async def latest_tick(self, name: str) -> int | None:
        """The number of a clock's latest tick, None if there was none."""
        latest = select(func.max(ticks.c.defer_timestamp)).where(ticks.c.periodic_id == name)
        async with self._database.reading() as connection:
            tick: int | None = await connection.scalar(latest)
            return tick

    def cancel(self, connection: Connection, key: str, kind: str, reason: str) -> None:
        """Take back the jobs of one key and kind, within the caller's transaction."""
        _wait_for_turn(connection, {key})
        _cancel(connection, and_(table.c.lock == key, table.c.task_name == kind), reason)

    def cancel_all(self, connection: Connection, repository_id: int, reason: str) -> None:
        """Take back all jobs of a repository, within the caller's transaction."""
        theirs = has_lane_of(table.c.args["repository"].astext, repository_id)
        # No turn is waited for: whoever enqueues one meanwhile has news of the repository.
        _cancel(connection, theirs, reason)

    def delete_all(self, connection: Connection, repository_id: int) -> int:
        """Delete all jobs of a repository, within the caller's transaction; how many."""
        theirs = has_lane_of(table.c.args["repository"].astext, repository_id)
        return connection.execute(delete(table).where(OURS, theirs)).rowcount

    async def lease(self, worker: str, duration: dt.timedelta) -> Job | None:
        """Hand out the job whose turn it is, None if none is due."""
        try:
            async with self._database.writing() as connection:
                # First, as in the table: an abandoned job holds its lock against those behind it.
                lost = await find_abandoned(connection, duration)
                if lost is not None:
                    return await hand_out(connection, lost, worker, abandoned=True)
                due = await find_due(connection)
                return due and await hand_out(connection, due, worker, abandoned=False)
        except IntegrityError:
            return None  # another worker took a job of the same lock in the same moment

    async def extend_lease(self, job: Job, duration: dt.timedelta) -> bool:
        """Extend the lease from now on. False also if the job was cancelled.

        How long that is say those who look for abandoned jobs: `duration` is theirs as well.
        """
        held = exists().where(
            table.c.id == job.id,
            table.c.status == "doing",
            # The row of a lease is deleted with it, so that a late heartbeat revives nothing.
            table.c.worker_id == workers.c.id,
            ~table.c.abort_requested,
        )
        async with self._database.writing() as connection:
            beat = await connection.execute(
                update(workers).where(workers.c.id == job.lease, held).values(last_heartbeat=NOW)
            )
            return beat.rowcount == 1

    async def complete(self, job: Job) -> bool:
        """End a job: as done, or as cancelled if that was asked for."""
        async with self._database.writing() as connection:
            held = await find_held(connection, job)
            if held is not None:
                await end_job(connection, job, "aborted" if held.abort_requested else "succeeded")
            return held is not None

    async def retry(
        self, job: Job, delay: dt.timedelta, reason: str, *, counted: bool = True
    ) -> bool:
        """Let a job wait, and run again after `delay`; merged into one that waits already."""
        return await self._requeue(job, delay, reason, counted=counted)

    async def release(self, job: Job) -> bool:
        """Give a job back untried: due at once, the attempt not counted."""
        return await self._requeue(job, None, None, counted=False)

    async def fail(self, job: Job, reason: str) -> bool:
        """End a job as dead: it is not tried again, and `reason` is kept for whoever looks."""
        async with self._database.writing() as connection:
            held = await find_held(connection, job)
            if held is not None:
                await end_job(connection, job, "failed", reason)
            return held is not None

    async def backlog(self) -> QueueDepth:
        """Count what the queue holds now."""
        enqueued = (
            select(func.max(events.c.at))
            .where(events.c.job_id == table.c.id, events.c.type == "deferred")
            .scalar_subquery()
        )
        waits = case((table.c.status == "todo", 1))
        since = case((table.c.status == "todo", func.coalesce(table.c.scheduled_at, enqueued)))
        query = select(
            func.count(waits),
            func.count() - func.count(waits),
            func.coalesce(func.extract("epoch", NOW - func.min(since)), 0.0),
        ).where(OURS, table.c.status.in_(["todo", "doing"]))
        async with self._database.reading() as connection:
            waiting, running, seconds = (await connection.execute(query)).one()
        return QueueDepth(waiting, running, max(float(seconds), 0.0))

    async def records(
        self, *, keys: Collection[str] = (), deliveries: Collection[str] = ()
    ) -> tuple[JobRecord, ...]:
        """The jobs of these keys or deliveries, ended ones included, oldest first."""
        query = (
            select(table)
            .where(
                OURS,
                or_(table.c.lock.in_(keys), table.c.args["delivery"].astext.in_(deliveries)),
            )
            .order_by(table.c.id)
        )
        async with self._database.reading() as connection:
            return tuple([_to_record(row) for row in await connection.execute(query)])

    async def forget(self, age: dt.timedelta) -> None:
        """Delete the jobs to which nothing happened any more for longer than `age`."""
        since = exists().where(events.c.job_id == table.c.id, events.c.at >= NOW - age)
        ended = table.c.status.in_([name for name, ours in STATES.items() if ours not in LIVE])
        async with self._database.writing() as connection:
            await connection.execute(delete(table).where(OURS, ended, ~since))
            used = select(table.c.args["installation"].astext.label("lane")).union(
                select(table.c.args["repository"].astext), select(table.c.args["person"].astext)
            )
            used_lanes = used.subquery().c.lane
            await delete_lanes(connection, select(used_lanes).where(used_lanes.is_not(None)))

    async def listen(self, wake: Callable[[], None]) -> None:
        """Call `wake` whenever a job was enqueued anywhere, until cancelled."""
        await listen(self._database.engine.url, QUEUE, wake)

    async def _requeue(
        self, job: Job, delay: dt.timedelta | None, reason: str | None, *, counted: bool
    ) -> bool:
        try:
            return await self._return_job(job, delay, reason, counted=counted)
        except IntegrityError:  # one that waits came in between, and is found now
            return await self._return_job(job, delay, reason, counted=counted)

    async def _return_job(
        self, job: Job, delay: dt.timedelta | None, reason: str | None, *, counted: bool
    ) -> bool:
        """Back to the queue, unless the job was cancelled or its place there is taken."""
        async with self._database.writing() as connection:
            held = await find_held(connection, job)
            if held is None:
                return False
            waits = (table.c.queueing_lock == held.queueing_lock, table.c.status == "todo")
            if held.abort_requested:
                await end_job(connection, job, "aborted")
            elif await connection.scalar(select(exists().where(*waits))):
                await end_job(connection, job, "aborted", MERGED)
            else:
                await call_query(
                    connection,
                    "retry_job",
                    job_id=job.id,
                    retry_at=None if delay is None else held.now + delay,
                    new_priority=None if delay is None else _AFTER_OTHERS,
                    new_queue_name=None,
                    new_lock=None,
                )
                if not counted:
                    # `retry_job` counts every run; one that was not the job's own to fail is taken
                    # off again.
                    uncounted = {"attempts": table.c.attempts - 1}
                    await connection.execute(
                        update(table).where(table.c.id == job.id).values(uncounted)
                    )
                await end_lease(connection, job, reason)
            return True


def _cancel(connection: Connection, these: ColumnElement[bool], reason: str) -> None:
    live = connection.scalars(
        select(table.c.id)
        .where(OURS, these, table.c.status.in_(["todo", "doing"]))
        .order_by(table.c.id)
        # In the order of their ids, so that two transactions that cancel wait rather than
        # deadlock.
        .with_for_update()
    )
    for number in live.all():
        # `abort`: a job that runs is only asked to end; its holder learns it by its heartbeat.
        asked = {"job_id": number, "abort": True, "delete_job": False}
        connection.exec_driver_sql(queries["cancel_job"], asked)
        connection.execute(build_reason_update(number, reason))


def _wait_for_turn(connection: Connection, keys: Collection[str]) -> None:
    """Wait for other transactions that enqueue or cancel jobs of these keys.

    A transaction that comes here in the order of its keys waits for others, and never deadlocks.
    """
    connection.execute(_TAKING_TURNS, {"keys": sorted(map(to_storable, keys))})


def _format_place(job: JobRequest) -> str:
    """Where a job waits. Neither kinds nor variants hold a space."""
    return str(to_storable(f"{job.kind} {job.variant} {job.key}"))


def _to_row(job: JobRequest) -> dict[str, object]:
    return {
        "queue_name": QUEUE,
        "task_name": job.kind,
        "priority": 0,
        "lock": to_storable(job.key),
        "queueing_lock": _format_place(job),
        "args": _to_args(job),
    }


def _to_args(job: JobRequest) -> dict[str, object]:
    installation, repository, person = job.lanes
    args: dict[str, object] = to_storable(
        {
            "payload": job.payload,
            "delivery": job.delivery,
            "installation": installation,
            "repository": repository,
            "person": person,
            "late": job.late,
        }
    )
    return args


def _to_record(row: Row[Any]) -> JobRecord:
    """Procrastinate counts an attempt when it ends, Jurat when it begins."""
    return JobRecord(
        key=row.lock,
        kind=row.task_name,
        state=STATES[row.status],
        attempts=row.attempts + (1 if row.status == "doing" else 0),
        delivery=row.args["delivery"],
        reason=row.args.get("reason"),
    )
