"""Pushes of one pull request: what could have been said before is late, and if judged, advice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import delete

from jurat.app.wiring import App
from jurat.store.tables import ledger
from tests.standins.gemini.reading import Asked, ListedRule
from tests.standins.gemini.script import Function, allowed, denied
from tests.standins.github import PullRequest, actions
from tests.support.talk import finding_of, said
from tests.support.town import RULES, Town

RULE = "house.no-names-in-logs"
HEAD = "import logging\n\nlog = logging.getLogger(__name__)\n"
WRITES = "def greet(buyer):\n    text = render(buyer)\n    log.info(text)\n    log.debug(text)\n"
RENDERS = "def render(buyer):\n    return f'{buyer}'\n"
COUNTS = "def count(orders):\n    return len(orders)\n"
LATE = "Late: an earlier push held this"


def build_file(*functions: str, head: str = HEAD) -> str:
    return "\n\n".join([head, *functions])


class Moods:
    """A judge that denies the added lines which hold one of `words`, and one of them at a time."""

    def __init__(self, *words: str) -> None:
        self.words: Sequence[str] = words

    def __call__(self, asked: Asked, rule: ListedRule) -> Any:
        for word in self.words:
            for shown in asked.about(rule):
                for line in shown.lines:
                    if line.added and word in line.text:
                        reasoning = f"`{line.text.strip()}` writes a customer's name to the log."
                        return {**denied(asked, rule, shown, line), "reasoning": reasoning}
        return allowed(asked, rule)


async def push(town: Town, app: App, pull: PullRequest, text: str, mood: Function) -> Any:
    """Push the file, to a judge that has forgotten what it said; the check of that head."""
    async with app.database.writing() as connection:
        await connection.execute(delete(ledger))
    town.gemini.judges(RULE, mood)
    actions.push(town.repository, "fix", {"shop.py": text})
    await town.settle(app)
    return town.check(pull)


async def opened(town: Town, app: App, text: str, mood: Function) -> PullRequest:
    town.gemini.judges(RULE, mood)
    pull = town.open({"shop.py": text})
    await town.settle(app)
    return pull


async def test_what_was_passed_before_is_late_and_never_blocks(town: Town, app: App) -> None:
    pull = await opened(town, app, build_file(WRITES, RENDERS, COUNTS), Moods())
    assert town.check(pull).conclusion == "success"
    grown = COUNTS.replace("len(orders)", "len(orders) + 1")
    check = await push(town, app, pull, build_file(WRITES, RENDERS, grown), Moods("log.info"))
    assert check.conclusion == "neutral"
    assert "1 finding is late" in check.summary
    (comment,) = pull.review_comments
    assert LATE in comment.body
    assert "only advises" in comment.body
    # It was late when it was found, and so it stays.
    again = COUNTS.replace("len(orders)", "len(orders) + 2")
    check = await push(town, app, pull, build_file(WRITES, RENDERS, again), Moods("log.info"))
    assert (check.conclusion, len(pull.review_comments)) == ("neutral", 1)


@pytest.mark.parametrize(
    "pushed",
    [
        build_file(WRITES.replace("text)", "text, 1)"), RENDERS, COUNTS),
        build_file(WRITES, RENDERS.replace("{buyer}", "{buyer.name}"), COUNTS),
        build_file(WRITES, RENDERS, COUNTS, head=HEAD.replace("__name__", "'mail'")),
    ],
    ids=["the function itself", "a function that it calls", "a name that it reads"],
)
async def test_what_changed_can_reach_is_in_time(town: Town, app: App, pushed: str) -> None:
    pull = await opened(town, app, build_file(WRITES, RENDERS, COUNTS), Moods())
    check = await push(town, app, pull, pushed, Moods("log.info"))
    assert (check.conclusion, LATE in check.summary) == ("failure", False)


async def test_a_decoy_makes_nothing_late(town: Town, app: App) -> None:
    """A denial is silent about the rest: whoever takes the decoy away has not made it late."""
    decoy = "def wave(buyer):\n    log.info(buyer.surname)\n"
    mood = Moods("surname", "log.info")
    pull = await opened(town, app, build_file(WRITES, RENDERS, decoy), mood)
    assert town.check(pull).conclusion == "failure"
    check = await push(town, app, pull, build_file(WRITES, RENDERS), mood)
    assert (check.conclusion, LATE in check.summary) == ("failure", False)


async def test_a_rule_that_changed_is_a_new_rule(town: Town, app: App) -> None:
    pull = await opened(town, app, build_file(WRITES, RENDERS, COUNTS), Moods())
    town.gemini.judges(RULE, Moods("log.info"))
    stricter = RULES.replace("hold no names of", "hold neither names nor mail of")
    actions.push(town.repository, "main", {"policy/house.yml": stricter})
    await town.settle(app)
    check = town.check(pull)
    assert (check.conclusion, LATE in (check.summary or "")) == ("failure", False)


async def test_what_was_dismissed_does_not_return_in_other_words(town: Town, app: App) -> None:
    text = build_file(WRITES, RENDERS, COUNTS)
    pull = await opened(town, app, text, Moods("log.info"))
    await said(town, app, pull, f"/jurat dismiss {finding_of(pull.review_comments)} A test's.")
    assert town.check(pull).conclusion == "success"

    def quote_more(asked: Asked, rule: ListedRule) -> Any:
        given = Moods("log.info")(asked, rule)
        for item in given["findings"]:
            item["quote"] = "log.info(text)\n    log.debug(text)"
        return given

    grown = build_file(WRITES, RENDERS, COUNTS.replace("len(orders)", "len(orders) + 1"))
    check = await push(town, app, pull, grown, quote_more)
    assert (check.conclusion, len(pull.review_comments)) == ("success", 1)
