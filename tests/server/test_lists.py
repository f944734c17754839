"""Lists, a page at a time: nothing twice, nothing missing, and only what was asked for."""

from __future__ import annotations

import base64
import datetime as dt
from typing import Any

import pytest
from sqlalchemy import insert

from jurat.findings.evaluation import Conclusion, Coverage, Evaluation
from jurat.findings.verdict import Verdict
from jurat.findings.waivers import DecisionKind
from jurat.store.database import Database
from jurat.store.evaluations import Store
from jurat.store.rows import About
from jurat.store.tables import findings
from tests.server.conftest import Client
from tests.support.evaluations import a_decision, save_published
from tests.support.postgres import on_both_databases
from tests.support.server import START, FakeTime

pytestmark = on_both_databases


async def _pages(api: Client, path: str, **asked: str) -> list[Any]:
    """The items of all pages, each asked for by the `next` of the one before."""
    items: list[Any] = []
    after: dict[str, str] = {}
    while True:
        answer = await api.get(path, **asked, **after)
        said = await answer.json()
        assert answer.status == 200, said
        assert len(said["items"]) <= int(asked.get("limit", 50))
        items += said["items"]
        if said["next"] is None:
            return items
        after = {"after": said["next"]}


def _about(repository: str, number: int) -> About:
    return About("github:wendy", "0" * 64, repository, number, "a" * 40)


async def test_evaluations_come_latest_first(store: Store, time: FakeTime, api: Client) -> None:
    for number in range(7):
        conclusion = Conclusion.FAILURE if number % 2 else Conclusion.SUCCESS
        evaluation = Evaluation(f"e-{number}", Verdict.ALLOW, (), Coverage(), conclusion=conclusion)
        where = "octo/hello" if number < 5 else "octo/other"
        await save_published(store, evaluation, _about(where, 7))
        # Three at one time: their order is by id then.
        time.advance(0 if number in (1, 2) else 60)
    unshown = Evaluation("e-unshown", Verdict.ALLOW, (), Coverage())
    await store.save(unshown, _about("octo/hello", 7))
    for limit in ("1", "2", "3", "7", "8", "100"):
        listed = [item["evaluation_id"] for item in await _pages(api, "/evaluations", limit=limit)]
        assert listed == ["e-6", "e-5", "e-4", "e-1", "e-2", "e-3", "e-0"]
    found = await _pages(api, "/evaluations", repository="Octo/Hello", conclusion="failure")
    assert [item["evaluation_id"] for item in found] == ["e-1", "e-3"]
    assert (await _pages(api, "/evaluations", number="8")) == []
    first = found[0]
    assert (first["repository"], first["number"], first["override"]) == ("octo/hello", 7, None)
    assert dt.datetime.fromisoformat(first["created_at"]) == START + dt.timedelta(seconds=60)


async def test_an_evaluation_that_comes_meanwhile_moves_none_to_another_page(
    store: Store, time: FakeTime, api: Client
) -> None:
    for number in range(4):
        evaluation = Evaluation(f"e-{number}", Verdict.ALLOW, (), Coverage())
        await save_published(store, evaluation, _about("octo/hello", number + 1))
        time.advance(1)
    first = await (await api.get("/evaluations", limit="2")).json()
    late = Evaluation("e-late", Verdict.ALLOW, (), Coverage())
    await save_published(store, late, _about("octo/hello", 9))
    rest = await (await api.get("/evaluations", limit="2", after=first["next"])).json()
    assert [item["evaluation_id"] for item in first["items"] + rest["items"]] == [
        "e-3",
        "e-2",
        "e-1",
        "e-0",
    ]


async def test_findings_of_open_pull_requests(
    store: Store, database: Database, api: Client
) -> None:
    one = await store.repositories.keep(71, "octo/hello")
    two = await store.repositories.keep(72, "octo/other")
    rows = [
        {
            "repository_id": known.id,
            "number": number,
            "fingerprint": f"{place:016x}",
            "code_print": "c" * 16,
            "rule_id": "py.weak-hash" if place % 2 else "py.eval",
            "substance": "s",
            "written": "stable",
            "path": None if place == 0 else "app.py",
            "standing": "gone" if place == 3 else "open",
        }
        for known in (one, two)
        for number in (3, 12)
        for place in range(4)
    ]
    async with database.writing() as connection:
        await connection.execute(insert(findings), rows)
    names = {one.id: "octo/hello", two.id: "octo/other"}
    whole = await _pages(api, "/findings")
    assert [(item["repository"], item["number"], item["id"]) for item in whole] == [
        (names[row["repository_id"]], row["number"], row["fingerprint"]) for row in rows
    ]
    assert await _pages(api, "/findings", limit="3") == whole
    found = await _pages(
        api, "/findings", repository="octo/other", number="12", rule="py.weak-hash", state="gone"
    )
    assert [(item["id"], item["state"]) for item in found] == [(f"{3:016x}", "gone")]
    assert await _pages(api, "/findings", repository="octo/nowhere") == []


async def test_decisions_come_latest_first(store: Store, api: Client) -> None:
    for number in range(5):
        await store.decide([a_decision(f"{number:016x}", number=number + 1)], "0" * 64)
    override = a_decision("f" * 16, kind=DecisionKind.OVERRIDDEN, until=dt.date(2027, 1, 31))
    await store.decide([override], "0" * 64)
    whole = await _pages(api, "/decisions")
    assert [item["number"] for item in whole] == [7, 5, 4, 3, 2, 1]
    assert await _pages(api, "/decisions", limit="2") == whole
    (found,) = await _pages(api, "/decisions", kind="overridden")
    assert (found["until"], found["by"], found["why"]) == ("2027-01-31", "wendy", "A fixture.")
    assert await _pages(api, "/decisions", rule="team.rule-1", number="7") == [found]


async def test_rules_come_by_id(api: Client) -> None:
    whole = await _pages(api, "/rules", limit="7")
    ids = [item["rule_id"] for item in whole]
    assert ids == sorted(set(ids))
    assert "pay.refund-cap" in ids
    tagged = await _pages(api, "/rules", tag="crypto")
    assert tagged == [item for item in whole if "crypto" in item["tags"]] != []


def _place(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


@pytest.mark.parametrize("path", ["/evaluations", "/findings", "/decisions", "/rules"])
@pytest.mark.parametrize(
    "after",
    [
        "x",
        "____",
        _place("[]"),
        _place("{}"),
        _place('["2026-01-01", 3]'),
        _place('["2026-01-01T00:00:00", "e-1"]'),
        _place('["a\\u0000"]'),
        _place('["\\ud800"]'),
        _place(f"[{2**64}]"),
        _place(f"[{2**64}, 1, 2]"),
        _place("[" * 200),
    ],
)
async def test_a_place_that_no_page_named_is_refused(api: Client, path: str, after: str) -> None:
    answer = await api.get(path, after=after)
    said = await answer.json()
    assert (answer.status, said["detail"]) == (422, "after: must be the `next` of a page.")


@pytest.mark.parametrize(
    ("query", "detail"),
    [
        ({"limit": "0"}, "limit: must be at least 1, not '0'."),
        ({"limit": "101"}, "limit: must be at most 100, not '101'."),
        ({"limit": "ten"}, "limit: must be a whole number, not 'ten'."),
        ({"limit": "1.0"}, "limit: must be a whole number, not '1.0'."),
        ({"number": "99999999999999999999"}, "number: must be a whole number, "),
        ({"after": "a b"}, "after: must be the `next` of a page."),
        ({"conclusion": "fine"}, "conclusion: must be one of "),
        ({"page": "2"}, "page: unknown key"),
    ],
)
async def test_a_query_that_says_something_wrong_is_told_what(
    api: Client, query: dict[str, str], detail: str
) -> None:
    answer = await api.get("/evaluations", **query)
    assert answer.status == 422
    assert (await answer.json())["detail"].startswith(detail)
