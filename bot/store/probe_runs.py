"""Probe runs in the database."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Row, select

from bot.probes.report import report_from_json, report_to_json
from bot.probes.standing import ProbeRun
from bot.store.columns import insert_into
from bot.store.database import Database
from bot.store.tables import probe_runs


async def save_probe_run(database: Database, run: ProbeRun) -> None:
    """Keep a run in place of an earlier one with the same key. Raises DatabaseUnavailable."""
    model, prompt_digest, probe_digest = run.key
    values = {
        "resilience_index": run.report.metrics.composite.resilience_index,
        "report": report_to_json(run.report),
        "created_at": run.created_at,
    }
    async with database.writing() as connection:
        await connection.execute(
            insert_into(connection, probe_runs)
            .values(model=model, prompt_digest=prompt_digest, probe_digest=probe_digest, **values)
            .on_conflict_do_update(
                index_elements=["model", "prompt_digest", "probe_digest"], set_=values
            )
        )


async def last_probe_run(database: Database, model: str) -> ProbeRun | None:
    """The latest run of a model, with whatever prompts. Raises DatabaseUnavailable."""
    query = (
        select(probe_runs)
        .where(probe_runs.c.model == model)
        .order_by(probe_runs.c.created_at.desc())
        .limit(1)
    )
    async with database.reading() as connection:
        row: Row[Any] | None = (await connection.execute(query)).one_or_none()
    return None if row is None else ProbeRun(report_from_json(row.report), row.created_at)
