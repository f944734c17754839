"""A database of an earlier release, with rows in it, upgraded to a later one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from sqlalchemy import text

from jurat.store import maintenance
from jurat.store.database import Database
from jurat.store.maintenance import get_head, upgrade_schema
from tests.support.postgres import on_both_databases

LATER = """
import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "{head}"


def upgrade():
    op.add_column(
        "ticks", sa.Column("kept", sa.Boolean(), server_default=sa.false(), nullable=False)
    )
"""


@on_both_databases
async def test_what_was_recorded_is_kept_and_can_be_read(
    database: Database, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with database.writing() as connection:
        await connection.execute(text("INSERT INTO ticks VALUES ('sweep', 7)"))
    migrations = tmp_path / "migrations"
    shutil.copytree(Path(maintenance.__file__).parent / "migrations", migrations)
    (migrations / "versions" / "r9999_later.py").write_text(LATER.format(head=get_head()))
    monkeypatch.setattr(maintenance, "_MIGRATIONS", migrations)

    assert await upgrade_schema(database_url) == "9999"

    async with database.reading() as connection:
        rows = await connection.execute(text("SELECT name, tick, kept FROM ticks"))
        assert [tuple(row) for row in rows] == [("sweep", 7, False)]
