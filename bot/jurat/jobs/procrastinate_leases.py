"""A job's lease in procrastinate's tables: whose turn it is, the hand-out, and the end of it."""

from __future__ import annotations

import datetime as dt
from typing import Any, Literal

from procrastinate.sql import queries
from sqlalchemy import (
    Row,
    Update,
    and_,
    exists,
    false,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from jurat.jobs.lanes import rank_by_turn, record_turn
from jurat.jobs.procrastinate_tables import NOW, OURS, workers
from jurat.jobs.procrastinate_tables import jobs as table
from jurat.jobs.queue import Job
from jurat.store.database import to_storable

_other = table.alias()


async def call_query(connection: AsyncConnection, name: str, **arguments: Any) -> Row[Any]:
    """What one of procrastinate's queries answers."""
    return (await connection.exec_driver_sql(queries[name], arguments)).one()


async def find_abandoned(connection: AsyncConnection, duration: dt.timedelta) -> Row[Any] | None:
    """A job whose lease ran out, locked; those that were cancelled are ended."""
    silent = or_(workers.c.id.is_(None), workers.c.last_heartbeat <= NOW - duration)
    query = (
        select(table)
        .outerjoin(workers, workers.c.id == table.c.worker_id)
        .where(OURS, table.c.status == "doing", silent)
        .order_by(table.c.id)
        .limit(1)
        # Skip what another worker takes over right now, rather than wait and take it a second time:
        # https://www.postgresql.org/docs/current/sql-select.html
        .with_for_update(of=table, skip_locked=True)
    )
    while True:
        row = (await connection.execute(query)).one_or_none()
        if row is None or not row.abort_requested:
            return row
        await call_query(
            connection, "finish_job", job_id=row.id, status="aborted", delete_job=False
        )
        await call_query(connection, "unregister_worker", worker_id=row.worker_id)


async def find_due(connection: AsyncConnection) -> Row[Any] | None:
    """The job whose turn it is, locked.

    Procrastinate's own `fetch_job` knows no turns. What it holds is held here too: of one lock no
    job goes while another runs, or waits before it.
    """
    before = or_(
        _other.c.priority > table.c.priority,
        and_(_other.c.priority == table.c.priority, _other.c.id < table.c.id),
    )
    held_up = exists().where(
        _other.c.lock == table.c.lock,
        or_(_other.c.status == "doing", and_(_other.c.status == "todo", before)),
    )
    due = select(table).where(
        OURS,
        table.c.status == "todo",
        or_(table.c.scheduled_at.is_(None), table.c.scheduled_at <= NOW),
        ~held_up,
    )
    args = table.c.args
    # A row that another worker is about to take is left out, not waited for: the next one is due.
    query = (
        rank_by_turn(
            due,
            args["installation"].astext,
            args["repository"].astext,
            args["person"].astext,
            func.coalesce(args["late"].as_boolean(), false()),
        )
        .order_by(table.c.priority.desc(), table.c.id)
        .limit(1)
        .with_for_update(of=table, skip_locked=True)
    )
    row: Row[Any] | None = (await connection.execute(query)).one_or_none()
    return row


async def hand_out(
    connection: AsyncConnection, row: Row[Any], worker: str, *, abandoned: bool
) -> Job:
    """Give a job a lease of its own, in place of the one that it may have had."""
    lease = await call_query(connection, "register_worker")
    taken = await connection.execute(
        update(table)
        .where(table.c.id == row.id)
        .values(
            status="doing",
            worker_id=lease.worker_id,
            # The run that was abandoned counts: it may be what killed its worker.
            attempts=table.c.attempts + (1 if abandoned else 0),
            args=table.c.args.concat({"worker": worker}),
        )
        .returning(table)
    )
    if abandoned and row.worker_id is not None:
        await call_query(connection, "unregister_worker", worker_id=row.worker_id)
    given = taken.one()
    # A job that an earlier release enqueued has none.
    lanes = [given.args.get(name, "") for name in ("installation", "repository", "person")]
    await record_turn(connection, lanes)
    return _to_job(given)


async def find_held(connection: AsyncConnection, job: Job) -> Row[Any] | None:
    """The job's row, locked; None if another holds the job, or nobody."""
    query = (
        select(table.c.abort_requested, table.c.queueing_lock, NOW.label("now"))
        .where(table.c.id == job.id, table.c.status == "doing", table.c.worker_id == job.lease)
        .with_for_update()
    )
    return (await connection.execute(query)).one_or_none()


async def end_job(
    connection: AsyncConnection,
    job: Job,
    status: Literal["succeeded", "failed", "aborted"],
    reason: str | None = None,
) -> None:
    """End a job that is out, and its lease; `reason` is kept with it."""
    await call_query(connection, "finish_job", job_id=job.id, status=status, delete_job=False)
    await end_lease(connection, job, reason)


async def end_lease(connection: AsyncConnection, job: Job, reason: str | None) -> None:
    """Give up the lease of a job that is no longer out, and note why it is not."""
    await call_query(connection, "unregister_worker", worker_id=job.lease)
    if reason is not None:
        await connection.execute(build_reason_update(job.id, reason))


def build_reason_update(number: int, reason: str) -> Update:
    """Keeps the reason with the job: procrastinate has no place of its own for it."""
    noted = table.c.args.concat({"reason": to_storable(reason)})
    return update(table).where(table.c.id == number).values(args=noted)


def _to_job(row: Row[Any]) -> Job:
    return Job(
        id=row.id,
        key=row.lock,
        kind=row.task_name,
        payload=row.args["payload"],
        attempts=row.attempts + 1,
        lease=row.worker_id,
        delivery=row.args["delivery"],
    )
