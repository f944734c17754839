"""Budgets as people configure them: what is used up is said in the check, and passes nothing."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from jurat.app.wiring import App
from jurat.judge.models_file import ModelsFile, TokenPrice
from tests.standins.github import PullRequest, actions
from tests.support.town import Town

BASE = "version: 1\npacks: []\nrules: [policy]\n"
RULE = "house.no-names-in-logs"


async def review(town: Town, app: App, path: str, budget: str = "") -> PullRequest:
    actions.push(town.repository, "main", {".github/jurat.yml": f"{BASE}{budget}"})
    actions.push(town.repository, path, {f"{path}.py": f"log.info('{path}')\n"})
    pull = actions.open_pull_request(town.repository, head=path)
    await town.settle(app)
    return pull


async def test_a_days_budget_is_held_over_all_reviews_of_a_repository(town: Town, app: App) -> None:
    first = await review(town, app, "one")
    assert (town.check(first).conclusion, len(town.gemini.asked)) == ("success", 1)
    midnight = app.services.clock().replace(hour=0, minute=0, second=0, microsecond=0)
    spent = await app.store.count_tokens(midnight, first.repository.id)
    assert spent == await app.store.count_tokens(midnight) > 1_000
    assert await app.store.count_tokens(midnight + dt.timedelta(days=1)) == 0
    second = await review(town, app, "two", f"budget: {{day: {spent + 99}}}\n")
    check = town.check(second)
    assert (check.conclusion, len(town.gemini.asked)) == ("action_required", 1)
    assert f"the budget of {spent + 99:,} tokens a day for this repository is used up" in (
        check.summary or ""
    )


async def test_a_reviews_budget_is_the_bases(town: Town, app: App) -> None:
    pull = await review(town, app, "one", "budget: {review: 100}\n")
    assert (town.check(pull).conclusion, town.gemini.asked) == ("action_required", [])


async def test_the_operators_budget_and_prices_hold_everywhere(town: Town) -> None:
    assert town.settings.model is not None
    prices = {"gemini-3-flash-preview": TokenPrice(input=0.5, output=3.0)}
    for file, conclusion in (
        (ModelsFile(prices=prices), "success"),
        (ModelsFile(day_tokens=10), "action_required"),
    ):
        model = replace(town.settings.model, file=file)
        town.settings = replace(town.settings, model=model)
        async with town.running() as app:
            pull = await review(town, app, f"branch-{conclusion}")
            check = town.check(pull)
            assert check.conclusion == conclusion
            if conclusion == "success":
                assert " tokens for 0.00" in (check.summary or "")
