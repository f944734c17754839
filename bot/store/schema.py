"""Bring a database to the schema of this release."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from bot.errors import UsageError
from bot.store.database import Database

_MIGRATIONS = Path(__file__).parent / "migrations"

_LOCK = 0x62796C6177
"""The advisory lock (the letters of "bylaw") under which PostgreSQL is upgraded."""


async def upgrade(url: str) -> str:
    """Run the migrations that are still to be run, all or none; the revision reached.

    Any number of processes may do this at once: one does it and the others wait. Raises UsageError
    where the database cannot be used, or was made by a later release.
    """
    database = Database.at(url)
    try:
        async with database.engine.begin() as connection:
            return await connection.run_sync(_upgrade)
    except DBAPIError as error:
        cause = " ".join(str(error.orig).split()).rstrip(".")
        raise UsageError(
            f"The database that DATABASE_URL names cannot be used: {cause}.",
            hint="Look at the address, and at who may read and write there.",
        ) from error
    finally:
        await database.close()


async def revision(url: str) -> str | None:
    """The schema that a database has, None where it has none yet. Raises as `Database` does."""
    database = Database.at(url)
    try:
        async with database.reading() as connection:
            return await connection.run_sync(
                lambda plain: MigrationContext.configure(plain).get_current_revision()
            )
    finally:
        await database.close()


def head() -> str:
    """The revision that this release works with."""
    revision = ScriptDirectory(str(_MIGRATIONS)).get_current_head()
    if revision is None:
        raise AssertionError("the package holds no migration")
    return revision


def _upgrade(connection: Connection) -> str:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    found = MigrationContext.configure(connection).get_current_revision()
    if found is not None and found not in known:
        raise UsageError(
            f"The database has schema {found}, which this release does not know.",
            hint="It was made by a later release of Bylaw: install that one.",
        )
    command.upgrade(config, "head")
    if connection.dialect.name == "postgresql":
        # Imported here: on SQLite there is no procrastinate.
        from bot.store.procrastinate_schema import upgrade_procrastinate  # noqa: PLC0415

        upgrade_procrastinate(connection)
    return head()
