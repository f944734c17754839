"""The chaos run once more, small enough for every day; `make chaos` is the whole of it."""

from __future__ import annotations

from pathlib import Path

from tests.chaos.run import play
from tests.chaos.tale import Plan


async def test_nothing_is_lost_and_nothing_done_twice(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'jurat.sqlite3'}"
    plan = Plan(
        seed=7,
        events=20,
        pulls=4,
        database_url=url,
        roles=["serve"],
        mortal=["serve"],
        act_every=(0.0, 0.4),
        kill_every=(1.5, 2.5),
        # Rare, and long: those are for the whole of it.
        storm=0.0,
        harder=0.0,
    )

    tale = await play(plan)

    assert tale.violations == []
    assert tale.counts["workers killed"] > 0
    assert tale.faults.total() > 0
