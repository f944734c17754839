"""All that a review sends to a model is on its record, and counts in its budgets."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from sqlalchemy import select

from jurat.app.wiring import App
from jurat.store.tables import audit_log
from tests.app.test_model_away import CLEAN, run_in_time
from tests.app.test_ratings_in_pull_requests import LOGGED, adopt
from tests.app.test_relevance_by_meaning import crowded
from tests.standins.gemini.reactions import server_error
from tests.support.town import Town


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
