"""All that a review sends to a model is on its record, and counts in its budgets."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest
from sqlalchemy import delete, select

from jurat.app.wiring import App
from jurat.reports.check_run import APPLY_FIXES
from jurat.store.tables import audit_log, ledger
from tests.app.test_model_away import CLEAN, run_in_time
from tests.app.test_ratings_in_pull_requests import LOGGED, adopt
from tests.app.test_relevance_by_meaning import TASTES, crowded
from tests.server.conftest import connected
from tests.standins.gemini.reactions import server_error
from tests.standins.github import actions
from tests.standins.github.standin import PERMISSIONS
from tests.support.town import BROKEN, Town


@pytest.fixture
def permissions() -> dict[str, str]:
    """An App that may commit."""
    return PERMISSIONS | {"contents": "write"}


async def read_audit(app: App) -> list[Any]:
    async with app.database.reading() as connection:
        return list((await connection.execute(select(audit_log).order_by(audit_log.c.id))).all())


def digest_asked(town: Town) -> set[str]:
    """What the stand-in was really sent."""
    prompts = [f"{item.system}\0{item.user}" for item in town.gemini.asked]
    embedded = [
        "\0".join(item["content"]["parts"][0]["text"] for item in body["requests"])
        for body in town.gemini.embedded
    ]
    return {sha256(text.encode()).hexdigest() for text in (*prompts, *embedded)}


def list_digests(rows: list[Any]) -> set[str]:
    return {item["digest"] for row in rows for item in row.result["sent"]}


async def test_what_rules_are_ranked_by_is_on_the_record_of_the_review(
    town: Town, app: App
) -> None:
    crowded(town)
    town.open({"tls.py": "connect()\n"}, title="Certificates are verified again")
    await town.settle(app)
    (row,) = await read_audit(app)
    assert len(town.gemini.embedded) == 2
    assert list_digests([row]) == digest_asked(town)
    purposes = [item["purpose"] for item in row.result["sent"]]
    assert sorted(purposes) == ["relevance", "relevance", "verdicts"]


async def test_what_a_rating_asks_is_on_the_record_of_the_review(town: Town, app: App) -> None:
    adopt(town)
    town.open({"agent.py": LOGGED})
    await town.settle(app)
    rows = await read_audit(app)
    assert {item["purpose"] for row in rows for item in row.result["sent"]} == {
        "rating",
        "verdicts",
    }
    assert list_digests(rows) == digest_asked(town)
    midnight = app.services.clock().replace(hour=0, minute=0, second=0, microsecond=0)
    spent = await app.store.count_tokens(midnight)
    assert spent > 1_000 * len(town.gemini.asked) / 2


async def test_a_rating_keeps_to_the_budget_of_its_review(town: Town, app: App) -> None:
    adopt(town, ", risk: high}\nbudget: {review: 10")
    town.open({"agent.py": LOGGED})
    await town.settle(app)
    assert town.gemini.asked == []


async def test_what_was_sent_for_a_review_that_is_not_kept_is_on_record_as_well(
    town: Town, app: App
) -> None:
    town.gemini.always(server_error(503))
    town.open({"digest.py": CLEAN})
    await town.settle(app)
    kept = await read_audit(app)
    await run_in_time(town, app)
    rows = await read_audit(app)
    later = [row.action for row in rows[len(kept) :]]
    assert later
    assert set(later) == {"model_calls"}
    assert list_digests(rows) == digest_asked(town)


async def test_what_the_fix_button_asks_is_on_record(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    kept, asked = await read_audit(app), len(town.gemini.asked)
    # An answer that is kept would have it ask nothing.
    async with app.database.writing() as connection:
        await connection.execute(delete(ledger))
    actions.click(town.check(pull), APPLY_FIXES, by="wendy")
    await town.settle(app)
    assert len(town.gemini.asked) > asked
    rows = (await read_audit(app))[len(kept) :]
    assert [row.action for row in rows].count("model_calls") == 1
    assert list_digests([*kept, *rows]) == digest_asked(town)


async def test_what_the_api_asks_to_find_rules_is_on_record(town: Town, app: App) -> None:
    rules = {"policy/house.yml": TASTES}
    async with connected(app.services, app.store, rules=rules) as api:
        body = {"files": ["tls.py"], "packs": [], "max_rules": 1}
        answer = await api.post("/evaluate/applicable-rules", body)
        assert answer.status == 200
    assert len(town.gemini.embedded) == 2
    (row,) = await read_audit(app)
    assert row.action == "model_calls"
    assert {item["purpose"] for item in row.result["sent"]} == {"relevance"}
    assert list_digests([row]) == digest_asked(town)
