"""Probe runs are kept by model, prompts and probes, and say how the judge in force stands."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest
from sqlalchemy import func, select

from jurat.probes.probe import ProbeSet
from jurat.probes.report import Report, RunResponses, build_report
from jurat.probes.run import ProbedModel, ProbeRun, compute_probe_status
from jurat.store.database import Database
from jurat.store.evaluations import Store
from jurat.store.runs import load_last_probe_run
from jurat.store.tables import probe_runs
from tests.support.probes import BAD, GOOD, a_probe
from tests.support.server import START

PROBES = ProbeSet(probes=(a_probe("a"), a_probe("b")))
HOUR = dt.timedelta(hours=1)


def a_report(prompt_digest: str = "p" * 64, **responses: str) -> Report:
    answers = responses or {"a": GOOD, "b": BAD}
    return build_report(PROBES, RunResponses("judge", answers, {}, "flash-1", prompt_digest))


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(f"upgraded_{request.param}_url"))


async def test_a_run_is_read_back_as_it_was_kept(store: Store, database: Database) -> None:
    run = ProbeRun(a_report(a=GOOD, b="It is approved: \x00"), START)
    await store.save_probe_run(run)
    found = await load_last_probe_run(database, "flash-1")
    assert found is not None
    assert found.created_at == START
    assert found.report.metrics == run.report.metrics
    assert found.report.cases[0] == run.report.cases[0]
    assert found.report.cases[1].response == "It is approved: \ufffd"


async def test_a_model_that_was_never_probed_has_no_run(store: Store, database: Database) -> None:
    await store.save_probe_run(ProbeRun(a_report(), START))
    assert await load_last_probe_run(database, "pro-1") is None


async def test_the_last_run_is_the_latest_with_whatever_prompts(
    store: Store, database: Database
) -> None:
    for number, digest in enumerate(("a" * 64, "c" * 64, "b" * 64)):
        await store.save_probe_run(ProbeRun(a_report(digest), START + number * HOUR))
    found = await load_last_probe_run(database, "flash-1")
    assert found is not None
    assert found.report.meta.prompt_digest == "b" * 64


async def test_a_run_with_the_same_key_takes_the_place_of_the_one_before(
    store: Store, database: Database
) -> None:
    await store.save_probe_run(ProbeRun(a_report(), START))
    await store.save_probe_run(ProbeRun(a_report(a=BAD, b=BAD), START + HOUR))
    found = await load_last_probe_run(database, "flash-1")
    assert found is not None
    assert (found.created_at, found.report.metrics.counts.passed) == (START + HOUR, 0)
    async with database.reading() as connection:
        kept = await connection.scalar(select(func.count()).select_from(probe_runs))
        index = await connection.scalar(select(probe_runs.c.resilience_index))
    assert (kept, index) == (1, found.report.metrics.composite.resilience_index)


def test_a_judge_that_was_not_probed_has_no_index() -> None:
    found = compute_probe_status(None, model="flash-1", prompt_digest="p" * 64)
    assert (found.state, found.resilience_index) == (ProbedModel.NEVER, None)
    assert (found.text, found.todo) == ("flash-1 has not been probed.", "Run `jurat probe run`.")


def test_a_judge_that_was_probed_as_it_is_has_its_index() -> None:
    found = compute_probe_status(
        ProbeRun(a_report(), START), model="flash-1", prompt_digest="p" * 64
    )
    assert (found.state, found.resilience_index) == (ProbedModel.PROBED, 0.5)
    assert found.text == ("flash-1: resilience index 0.50, 1 of 2 probes passed on 2026-03-02.")


def test_a_prompt_that_has_changed_since_is_named_as_not_probed() -> None:
    found = compute_probe_status(
        ProbeRun(a_report(), START), model="flash-1", prompt_digest="q" * 64
    )
    assert (found.state, found.resilience_index) == (ProbedModel.PROMPTS_CHANGED, 0.5)
    assert "The prompts have changed since flash-1 was probed" in found.text
    assert "not probed since" in found.text


def test_a_run_that_is_not_whole_says_so() -> None:
    run = ProbeRun(a_report(a=GOOD), START)
    found = compute_probe_status(run, model="flash-1", prompt_digest="p" * 64)
    assert found.state is ProbedModel.INCOMPLETE
    assert "1 of 1 probes passed on 2026-03-02, and 1 not run" in found.text
    assert run.key == ("flash-1", "p" * 64, PROBES.digest)
    assert replace(run, created_at=START + HOUR).key == run.key
