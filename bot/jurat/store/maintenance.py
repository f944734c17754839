"""Brings a database to the schema of this release, and deletes what is kept no longer."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import (
    Connection,
    delete,
    exists,
    text,
)
from sqlalchemy.exc import DBAPIError

from jurat.errors import UsageError
from jurat.facts.context import Surface
from jurat.store.database import Database
from jurat.store.driver_errors import describe_driver_error, is_passing
from jurat.store.tables import evaluations, reviews

# How long evaluations are kept. The audit log, which holds digests alone, is kept for good.

_LONG = 3_650
DAYS: Mapping[Surface, int] = MappingProxyType(
    dict.fromkeys(Surface, _LONG)
    | {
        Surface.CODE: 365,
        Surface.GENERIC: 365,
        Surface.MESSAGE: 1_095,
        Surface.HUMAN_ACTION: 2_555,
    }
)
"""Days that an evaluation is kept, by its surface."""


async def delete_expired(database: Database, at: dt.datetime) -> int:
    """Delete what is kept no longer at `at`; the number of verdicts that were deleted.

    A verdict goes by its own surface. A review goes with its last verdict, once the days of its own
    surface are over as well. Raises DatabaseUnavailable; to be run again then.
    """
    count = 0
    for surface, days in DAYS.items():
        until = at - dt.timedelta(days=days)
        async with database.writing() as connection:
            expired = await connection.execute(
                delete(evaluations).where(
                    evaluations.c.surface == surface.value, evaluations.c.created_at < until
                )
            )
            count += expired.rowcount
    for surface, days in DAYS.items():
        until = at - dt.timedelta(days=days)
        left = exists().where(evaluations.c.evaluation_id == reviews.c.evaluation_id)
        async with database.writing() as connection:
            await connection.execute(
                delete(reviews).where(
                    reviews.c.surface == surface.value, reviews.c.created_at < until, ~left
                )
            )
    return count


_MIGRATIONS = Path(__file__).parent / "migrations"

_LONGEST_PAUSE = 15.0
"""Seconds between two looks at a database that is away."""

_UPGRADE = 3_600.0
"""Seconds for one statement of an upgrade."""
_LOCK = 0x6A75726174
"""The advisory lock (the letters of "jurat") under which PostgreSQL is upgraded."""


async def upgrade_schema(url: str) -> str:
    """Run the migrations that are still to be run, all or none; the revision reached.

    Any number of processes may do this at once: one does it and the others wait, on SQLite for the
    five seconds of its busy timeout. Raises UsageError if the database cannot be used, or was made
    by a later release.
    """
    database = Database.at(url)
    try:
        # `engine.begin`, not `Database.writing`: the driver's own words belong in this error.
        async with database.engine.begin() as connection:
            return await connection.run_sync(_run_upgrade)
    except DBAPIError as error:
        cause = " ".join(str(error.orig).split()).rstrip(".")
        raise UsageError(
            f"The database that DATABASE_URL names cannot be used: {cause}.",
            hint="Look at the address, and at who may read and write there.",
        ) from error
    finally:
        await database.close()


async def wait_for_database(
    url: str,
    note: Callable[[str], Awaitable[None]],
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> None:
    """Upgrade a database as soon as it answers; `note` is told why it does not, each time.

    Raises UsageError for what no waiting mends.
    """
    pause = 1.0
    while True:
        try:
            await upgrade_schema(url)
        except UsageError as error:
            cause = error.__cause__
            if not isinstance(cause, DBAPIError) or not is_passing(cause.orig):
                raise
            await note(describe_driver_error(cause.orig))
        else:
            return
        await sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


async def read_revision(url: str) -> str | None:
    """The schema that a database has, None if it has none yet. Raises as `Database` does."""
    database = Database.at(url)
    try:
        async with database.reading() as connection:
            return await connection.run_sync(
                lambda plain: MigrationContext.configure(plain).get_current_revision()
            )
    finally:
        await database.close()


def get_head() -> str:
    """The revision that this release works with."""
    revision = ScriptDirectory(str(_MIGRATIONS)).get_current_head()
    if revision is None:
        raise AssertionError("the package holds no migration")
    return revision


def _run_upgrade(connection: Connection) -> str:
    if connection.dialect.name == "postgresql":
        # A large table takes its time, and so does another process that upgrades.
        connection.execute(text("SET LOCAL statement_timeout = 0"))
        connection.execute(text("SET LOCAL lock_timeout = 0"))
        driver: Any = connection.connection.driver_connection
        driver.patience = _UPGRADE
        # Ends with the transaction, so that a process killed in an upgrade leaves no lock behind.
        # SQLite needs none: BEGIN IMMEDIATE has the whole file.
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    scripts, head = ScriptDirectory(str(_MIGRATIONS)), get_head()
    found = MigrationContext.configure(connection).get_current_revision()
    # Looked at under the lock: another process may have upgraded while this one waited. Alembic
    # would say only that it cannot find the revision.
    if found is not None and found not in {script.revision for script in scripts.walk_revisions()}:
        raise UsageError(
            f"The database has schema {found}, which this release does not know.",
            hint="It was made by a later release of Jurat: install that one.",
        )
    # Nearly every start finds the schema that it needs: Alembic would load all of itself to do
    # nothing.
    if found != head:
        config = Config()
        # A % in a path is ConfigParser's interpolation.
        config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
    if connection.dialect.name == "postgresql":
        # Imported here: on SQLite there is no procrastinate.
        from jurat.store.procrastinate_schema import upgrade_procrastinate  # noqa: PLC0415

        upgrade_procrastinate(connection)
    return head
