"""Evaluations are kept for the days of their surface, and the audit log for good."""

from __future__ import annotations

import datetime as dt

import pytest
from sqlalchemy import func, select

from jurat.facts.context import Surface
from jurat.findings.evaluation import Coverage, Evaluation
from jurat.findings.finding import Location
from jurat.findings.verdict import Verdict
from jurat.store.database import Database
from jurat.store.evaluations import Store
from jurat.store.maintenance import DAYS, delete_expired
from jurat.store.rows import About
from jurat.store.tables import audit_log, evaluations, reviews
from tests.support.postgres import on_both_databases
from tests.support.server import FakeTime
from tests.support.values import a_rule, a_verdict


async def saved(store: Store, surface: Surface, *others: Surface) -> None:
    """A review of one surface, with verdicts on it and on others."""
    verdicts = tuple(
        a_verdict(a_rule(f"r.{number}"), locations=(Location(each),))
        for number, each in enumerate((surface, *others))
    )
    evaluation = Evaluation(f"e-{surface}", Verdict.DENY, verdicts, Coverage(1))
    await store.save(evaluation, About("api", "0" * 64, surface=surface))


async def counts(database: Database) -> tuple[int, int, int]:
    async with database.reading() as connection:
        found = [
            await connection.scalar(select(func.count()).select_from(table))
            for table in (reviews, evaluations, audit_log)
        ]
    return found[0] or 0, found[1] or 0, found[2] or 0


@pytest.mark.parametrize(
    ("surface", "days"),
    [
        (Surface.CODE, 365),
        (Surface.GENERIC, 365),
        (Surface.MESSAGE, 1_095),
        (Surface.HUMAN_ACTION, 2_555),
        (Surface.CONTRACT, 3_650),
        (Surface.TRANSACTION, 3_650),
        (Surface.DOCUMENT, 3_650),
    ],
)
async def test_a_review_is_kept_for_its_days_and_not_longer(
    store: Store, database: Database, time: FakeTime, surface: Surface, days: int
) -> None:
    await saved(store, surface)
    end = time.now() + dt.timedelta(days=days)
    assert await delete_expired(database, end) == 0
    assert await counts(database) == (1, 1, 1)
    assert await delete_expired(database, end + dt.timedelta(seconds=1)) == 1
    assert await counts(database) == (0, 0, 1)


@on_both_databases
async def test_a_review_stays_while_a_verdict_on_another_surface_does(
    store: Store, database: Database, time: FakeTime
) -> None:
    await saved(store, Surface.CODE, Surface.CONTRACT)
    after_a_year = time.now() + dt.timedelta(days=366)
    assert await delete_expired(database, after_a_year) == 1
    assert await counts(database) == (1, 1, 1)
    assert await delete_expired(database, time.now() + dt.timedelta(days=3_651)) == 1
    assert await counts(database) == (0, 0, 1)


def test_every_surface_has_its_days() -> None:
    assert DAYS.keys() == set(Surface)
