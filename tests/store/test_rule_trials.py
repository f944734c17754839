"""Trials of the judge on rules are kept by model, prompts and rule; the latest counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jurat.rules.trial import RuleTrial
from jurat.store import runs
from jurat.store.database import Database
from jurat.store.evaluations import Store

FAILED = RuleTrial("house.names", 5, 3, 5, model="flash-1")
REVISION = "a" * 64


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(f"upgraded_{request.param}_url"))


async def test_one_is_read_back_as_it_was_kept(store: Store) -> None:
    cut = replace(FAILED, problem="no answer: \x00")
    await store.save_trials({REVISION: FAILED, "b" * 64: cut})
    assert await store.read_trials("flash-1") == {
        REVISION: FAILED,
        "b" * 64: replace(cut, problem="no answer: \ufffd"),
    }
    assert await store.read_trials("pro-1") == {}


async def test_the_latest_counts_and_one_without_an_answer_is_none(store: Store) -> None:
    passed = replace(FAILED, caught=5)
    for trial in (FAILED, passed, RuleTrial("house.names", problem="no answer", model="flash-1")):
        await store.save_trials({REVISION: trial})
    assert await store.read_trials("flash-1") == {REVISION: passed}


async def test_other_prompts_make_another_judge(
    store: Store, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.save_trials({REVISION: FAILED})
    monkeypatch.setattr(runs, "compute_prompts_digest", lambda: "c" * 64)
    assert await runs.load_trials(database, "flash-1") == {}
