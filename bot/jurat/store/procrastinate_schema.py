"""Procrastinate's tables on PostgreSQL: built with ours, and brought up to its installed version.

Procrastinate ships its schema and its migrations as SQL files and keeps no account of which of them
a database has seen; the table `procrastinate_migrations` does that here.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from procrastinate.schema import SchemaManager
from sqlalchemy import Column, Connection, MetaData, String, Table, insert, inspect, select

from jurat.errors import UsageError

_seen = Table("procrastinate_migrations", MetaData(), Column("name", String(255), primary_key=True))


def upgrade_procrastinate(connection: Connection) -> None:
    """Build procrastinate's schema, or run the migrations that the database lacks.

    Raises UsageError if a later procrastinate has been here.
    """
    files = {path.name: path for path in Path(SchemaManager.get_migrations_path()).glob("*.sql")}
    _seen.create(connection, checkfirst=True)
    # The whole schema holds all migrations: run after it, they would fail on what is there.
    if not inspect(connection).has_table("procrastinate_jobs"):
        _run_script(connection, SchemaManager.get_schema())
        _record(connection, files)
        return
    done = set(connection.scalars(select(_seen.c.name)))
    # Older code may call SQL functions that a later migration has dropped.
    if unknown := done - files.keys():
        raise UsageError(
            f"The database holds procrastinate's migration {max(unknown)}, which the installed "
            "procrastinate does not know.",
            hint="A later one has been here: install that, with pip install -U 'jurat[postgres]'.",
        )
    # Their names begin with the release and a number, so that they sort in the order to run in.
    for name in sorted(files.keys() - done):
        _run_script(connection, files[name].read_text(encoding="utf-8"))
        _record(connection, [name])


def _run_script(connection: Connection, script: str) -> None:
    # Without parameters the driver sends the script as it is: several statements, % and all.
    connection.execution_options(no_parameters=True).exec_driver_sql(script)


def _record(connection: Connection, names: Iterable[str]) -> None:
    connection.execute(insert(_seen), [{"name": name} for name in names])
