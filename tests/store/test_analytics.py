"""Analytics over known rows, on both databases."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import insert

from jurat.facts.context import Mode
from jurat.findings.evaluation import Coverage, Evaluation
from jurat.findings.model_usage import ModelUsage
from jurat.findings.verdict import DecidedBy, RuleVerdict, Verdict
from jurat.store.analytics import AnalyticsQuestion, Period, RuleActivity, count_rule_activity
from jurat.store.database import Database
from jurat.store.evaluations import Store
from jurat.store.maintenance import upgrade_schema
from jurat.store.repositories import keep_repository
from jurat.store.rows import About
from jurat.store.tables import evaluations, reviews
from tests.support.evaluations import save_published
from tests.support.values import a_rule, a_verdict

SUNDAY = dt.datetime(2026, 3, 1, 23, 59, 59, 999_999, dt.UTC)
MONDAY = dt.datetime(2026, 3, 2, 0, 0, tzinfo=dt.UTC)
MD5, LOGS = a_rule("py.no-md5"), a_rule("house.no-names-in-logs")


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(f"upgraded_{request.param}_url"))


class Town:
    """Where reviews happen at given times."""

    def __init__(self, database: Database) -> None:
        self._now = MONDAY
        self._count = 0
        self._store = Store(database, lambda: self._now)

    async def reviewed(
        self,
        *verdicts: RuleVerdict,
        at: dt.datetime = MONDAY,
        repository: str | None = "acme/shop",
        mode: Mode = Mode.PREFLIGHT,
        models: Sequence[ModelUsage] = (),
    ) -> None:
        self._now = at
        self._count += 1
        evaluation = Evaluation(
            f"e-{self._count}", Verdict.ALLOW, verdicts, Coverage(), models=tuple(models)
        )
        about = About("api", "0" * 64, repository=repository, mode=mode)
        await save_published(self._store, evaluation, about)

    async def ask(self, *, limit: int = 100, **question: Any) -> tuple[RuleActivity, ...]:
        return await self._store.activity(AnalyticsQuestion(**question), limit=limit)


@pytest.fixture
async def town(database: Database) -> Town:
    return Town(database)


async def test_verdicts_are_counted_by_rule(town: Town) -> None:
    for verdict in (Verdict.ALLOW, Verdict.ALLOW, Verdict.DENY, Verdict.NOT_ASSESSED):
        await town.reviewed(a_verdict(MD5, verdict), a_verdict(LOGS, Verdict.ALLOW))
    await town.reviewed(a_verdict(MD5, Verdict.NEEDS_CONFIRMATION, would_block=True))

    logs, md5 = await town.ask()

    assert (logs.rule_id, logs.evaluations, logs.allowed, logs.denied) == (LOGS.id, 4, 4, 0)
    assert (md5.rule_id, md5.repository, md5.start) == (MD5.id, "acme/shop", MONDAY.date())
    assert (md5.evaluations, md5.allowed, md5.denied) == (5, 2, 1)
    assert (md5.needs_confirmation, md5.not_assessed, md5.would_block) == (1, 1, 1)


async def test_latency_is_the_mean_the_95th_percentile_and_the_longest(town: Town) -> None:
    for milliseconds in range(1, 21):
        await town.reviewed(a_verdict(MD5, latency_ms=float(milliseconds)))

    (row,) = await town.ask()

    assert (row.latency_mean, row.latency_p95, row.latency_max) == (10.5, 19.0, 20.0)


async def test_tokens_add_up_to_those_of_the_calls(town: Town) -> None:
    asked = {"decided_by": DecidedBy.BATCH, "model_id": "flash"}
    for _ in range(2):
        await town.reviewed(
            a_verdict(MD5, **asked),
            a_verdict(LOGS, **asked),
            models=[ModelUsage("flash", 1, input_tokens=101, output_tokens=7)],
        )

    rows = await town.ask()

    assert sum(row.input_tokens for row in rows) == 202
    assert sum(row.output_tokens for row in rows) == 14


@pytest.mark.parametrize(
    ("period", "starts"),
    [
        (Period.DAY, ["2026-03-02", "2026-03-01", "2026-02-23"]),
        (Period.WEEK, ["2026-03-02", "2026-02-23"]),
        (Period.MONTH, ["2026-03-01", "2026-02-01"]),
    ],
)
async def test_periods_are_those_of_utc_and_the_latest_comes_first(
    town: Town, period: Period, starts: list[str]
) -> None:
    for at in (SUNDAY, MONDAY, MONDAY.astimezone(dt.timezone(dt.timedelta(hours=-8)))):
        await town.reviewed(a_verdict(MD5), at=at)
    await town.reviewed(a_verdict(MD5), at=SUNDAY - dt.timedelta(days=6))

    rows = await town.ask(period=period)

    assert [row.start.isoformat() for row in rows] == starts
    assert sum(row.evaluations for row in rows) == 4


async def test_the_first_and_the_last_day_are_both_included(town: Town) -> None:
    for at in (SUNDAY, MONDAY, MONDAY + dt.timedelta(days=1)):
        await town.reviewed(a_verdict(MD5), at=at)

    def days(rows: Sequence[RuleActivity]) -> list[int]:
        return [row.start.day for row in rows]

    assert days(await town.ask(since=MONDAY.date())) == [3, 2]
    assert days(await town.ask(until=SUNDAY.date())) == [1]
    assert days(await town.ask(since=MONDAY.date(), until=MONDAY.date())) == [2]
    assert days(await town.ask(since=dt.date.min, until=dt.date.max)) == [3, 2, 1]


async def test_rows_are_narrowed_by_repository_rule_and_mode(town: Town) -> None:
    await town.reviewed(a_verdict(MD5), a_verdict(LOGS))
    await town.reviewed(a_verdict(MD5), repository="acme/tools", mode=Mode.POSTHOC)
    await town.reviewed(a_verdict(MD5), repository=None)

    def named(rows: Sequence[RuleActivity]) -> list[tuple[str, str | None]]:
        return [(row.rule_id, row.repository) for row in rows]

    assert named(await town.ask()) == [
        (LOGS.id, "acme/shop"),
        (MD5.id, None),
        (MD5.id, "acme/shop"),
        (MD5.id, "acme/tools"),
    ]
    assert named(await town.ask(repository="acme/tools")) == [(MD5.id, "acme/tools")]
    assert named(await town.ask(rule_id=LOGS.id)) == [(LOGS.id, "acme/shop")]
    assert named(await town.ask(mode=Mode.POSTHOC)) == [(MD5.id, "acme/tools")]
    assert await town.ask(rule_id="no.such-rule") == ()


async def test_no_more_rows_come_back_than_were_asked_for(town: Town) -> None:
    for days in range(5):
        await town.reviewed(a_verdict(MD5), at=MONDAY + dt.timedelta(days=days))

    assert [row.start.day for row in await town.ask(limit=2)] == [6, 5]


_COUNTED = st.tuples(
    st.sampled_from(["py.a", "py.b"]),
    st.sampled_from(["acme/shop", "acme/tools", None]),
    st.datetimes(dt.datetime(2026, 1, 1), dt.datetime(2026, 3, 31)),  # noqa: DTZ001 - made UTC below
    st.sampled_from(list(Verdict)),
    st.integers(0, 1_000),
)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for a database a test's example."""
    return tmp_path_factory.mktemp("counted")


@given(rows=st.lists(_COUNTED, max_size=30), period=st.sampled_from(Period))
async def test_the_sums_are_those_that_plain_python_makes(
    empty: Path, rows: list[tuple[str, str | None, dt.datetime, Verdict, int]], period: Period
) -> None:
    url = f"sqlite:///{empty / 'jurat.sqlite3'}"
    await upgrade_schema(url)
    database = Database.at(url)
    async with database.writing() as connection:
        await connection.execute(reviews.delete())
        for number, (rule, repository, at, verdict, latency) in enumerate(rows):
            shared = {"evaluation_id": f"e-{number}", "created_at": at.replace(tzinfo=dt.UTC)}
            await connection.execute(insert(reviews), {**_REVIEW, **shared})
            of = repository and await connection.run_sync(keep_repository, repository)
            row = {"rule_id": rule, "repository_id": of, "verdict": verdict.value}
            row["latency_ms"] = latency
            await connection.execute(insert(evaluations), {**_VERDICT, **shared, **row})
    found = await count_rule_activity(database, AnalyticsQuestion(period), limit=1_000)
    await database.close()

    groups: dict[tuple[str, str | None, dt.date], list[tuple[Verdict, int]]] = {}
    for rule, repository, at, verdict, latency in rows:
        group = groups.setdefault((rule, repository, _start(at.date(), period)), [])
        group.append((verdict, latency))
    assert {(row.rule_id, row.repository, row.start) for row in found} == set(groups)
    for row in found:
        group = groups[row.rule_id, row.repository, row.start]
        latencies = sorted(latency for _, latency in group)
        assert row.evaluations == len(group)
        assert row.denied == [verdict for verdict, _ in group].count(Verdict.DENY)
        assert row.latency_p95 == latencies[-(-len(group) * 95 // 100) - 1]
        assert row.latency_max == latencies[-1]


def _start(day: dt.date, period: Period) -> dt.date:
    if period is Period.MONTH:
        return day.replace(day=1)
    return day - dt.timedelta(days=day.weekday() if period is Period.WEEK else 0)


_REVIEW = {
    "overall": "ALLOW",
    "mode": "preflight",
    "surface": "code",
    "subject_digest": "0" * 64,
    "answer": {},
    "latency_ms": 0.0,
}
_VERDICT = {
    "revision": "0" * 64,
    "severity": "HIGH",
    "maturity": "stable",
    "would_block": False,
    "confidence": 1.0,
    "decided_by": "deterministic",
    "input_tokens": 0,
    "output_tokens": 0,
    "evidence": [],
    "surface": "code",
    "mode": "preflight",
    "counted": True,
}
