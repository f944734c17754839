"""Runs of the probes, and ratings, in the database."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Row, select

from jurat.judge.prompts import compute_prompts_digest
from jurat.probes.report import from_json, to_json
from jurat.probes.run import ProbeRun, ProbeStatus, compute_probe_status
from jurat.rules.trial import RuleTrial
from jurat.store.database import Database, insert_into
from jurat.store.repositories import is_of, keep_repository
from jurat.store.tables import probe_runs, ratings, rule_trials


async def save_probe_run(database: Database, run: ProbeRun) -> None:
    """Keep a run in place of an earlier one with the same key. Raises DatabaseUnavailable."""
    model, prompt_digest, probe_digest = run.key
    values = {
        "resilience_index": run.report.metrics.composite.resilience_index,
        "report": to_json(run.report),
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


async def load_last_probe_run(database: Database, model: str) -> ProbeRun | None:
    """The latest run of a model, with whatever prompts. Raises DatabaseUnavailable."""
    query = (
        select(probe_runs)
        .where(probe_runs.c.model == model)
        .order_by(probe_runs.c.created_at.desc())
        .limit(1)
    )
    async with database.reading() as connection:
        row: Row[Any] | None = (await connection.execute(query)).one_or_none()
    return None if row is None else ProbeRun(from_json(row.report), row.created_at)


async def save_trials(
    database: Database, trials: Mapping[str, RuleTrial], now: dt.datetime
) -> None:
    """Keep trials by rule revision, with the prompts in use, in place of earlier ones.

    One that no pair was asked in says nothing, and leaves what is known. Raises
    DatabaseUnavailable.
    """
    async with database.writing() as connection:
        for revision, trial in trials.items():
            if not trial.pairs:
                continue
            values = {**asdict(trial), "created_at": now}
            del values["model"]
            await connection.execute(
                insert_into(connection, rule_trials)
                .values(
                    model=trial.model,
                    prompt_digest=compute_prompts_digest(),
                    revision=revision,
                    **values,
                )
                .on_conflict_do_update(
                    index_elements=["model", "prompt_digest", "revision"], set_=values
                )
            )


async def load_trials(database: Database, model: str) -> dict[str, RuleTrial]:
    """The trials of a model with the prompts in use, by rule revision.

    Raises DatabaseUnavailable.
    """
    query = select(rule_trials).where(
        rule_trials.c.model == model, rule_trials.c.prompt_digest == compute_prompts_digest()
    )
    async with database.reading() as connection:
        rows = (await connection.execute(query)).all()
    return {
        row.revision: RuleTrial(row.rule, row.pairs, row.caught, row.passed, row.problem, row.model)
        for row in rows
    }


@dataclass(frozen=True, slots=True)
class StoredRating:
    """A rating of one commit. `document` is its JSON form; `number` the pull request's, if any."""

    commit: str
    number: int | None
    overall: float | None
    document: Mapping[str, Any]
    created_at: dt.datetime


class Ratings:
    """Ratings in a database. Every method raises DatabaseUnavailable."""

    def __init__(self, database: Database, now: Callable[[], dt.datetime]) -> None:
        self._database = database
        self._now = now

    async def keep_rating(
        self, repository_id: int, commit: str, document: Mapping[str, Any], *, number: int | None
    ) -> None:
        """Keep a rating's document; the same rating of the same commit is kept once."""
        row = {
            "repository_id": repository_id,
            "commit": commit,
            "number": number,
            "risk": document["risk_classification"],
            "overall": document["overall"],
            "sha256": document["sha256"],
            "document": dict(document),
            "created_at": self._now(),
        }
        async with self._database.writing() as connection:
            await connection.run_sync(keep_repository, repository_id)
            await connection.execute(
                insert_into(connection, ratings).values(row).on_conflict_do_nothing()
            )

    async def history(self, repository: str | int, *, limit: int) -> tuple[StoredRating, ...]:
        """The latest ratings of a repository, the newest first."""
        query = (
            select(ratings)
            .where(is_of(ratings.c.repository_id, repository))
            .order_by(ratings.c.created_at.desc(), ratings.c.id.desc())
            .limit(limit)
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        return tuple(
            StoredRating(row.commit, row.number, row.overall, row.document, row.created_at)
            for row in rows
        )


# How the judge in use stands: what is known from the last time it was probed.


async def load_probe_status(database: Database, model: str) -> ProbeStatus:
    """The standing of a model with the prompts in use. Raises DatabaseUnavailable."""
    run = await load_last_probe_run(database, model)
    return compute_probe_status(run, model=model, prompt_digest=compute_prompts_digest())
