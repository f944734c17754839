"""What changes while a review runs, between what it read and what it writes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from jurat.app.wiring import App
from jurat.review_interfaces import Stage
from tests.app.test_shared_commits import also, gate, soften
from tests.attacks.attack import attack
from tests.standins.github import actions
from tests.support.town import BASE, BROKEN, Town

EMPTY = "version: 1\npacks: []\nrules: []\n"


def during(app: App, act: Callable[[], object]) -> None:
    """Have something happen while the next review waits for the model."""
    done = False

    async def watch(stage: Stage, work: Awaitable[object]) -> object:
        nonlocal done
        if stage == "judge" and not done:
            done = True
            act()
        return await work

    object.__setattr__(app.services, "watch", watch)


@attack(
    "a fork's author",
    tries="retarget to a branch without rules while the review runs, and go back before it ends",
    gets="the failure of the base that it is for in the end",
)
@pytest.mark.parametrize("first", ["main", "soft"])
async def test_a_retarget_between_two_reads(town: Town, app: App, first: str) -> None:
    soften(town)
    actions.push(town.repository, "fix", {"digest.py": BROKEN})
    pull = also(town, first)
    await town.github.flush()
    other = "soft" if first == "main" else "main"
    during(app, lambda: actions.edit_pull_request(pull, base=other, by="mallory"))
    await app.worker.run_due()
    if other == "soft":
        actions.edit_pull_request(pull, base="main", by="mallory")
    await town.settle(app)
    assert gate(town, pull).conclusion == "failure"


@attack(
    "a fork's author",
    tries="close the strict pull request of their commit while the softer one is reviewed, and"
    " reopen it at once",
    gets="the failure: who reopens has it counted again",
)
async def test_a_closing_between_two_reads(town: Town, app: App) -> None:
    soften(town)
    hard = town.open({"digest.py": BROKEN}, by="mallory")
    await town.settle(app)
    also(town)
    await town.github.flush()

    def close_and_reopen() -> None:
        actions.close(hard, by="mallory")
        actions.reopen(hard, by="mallory")

    during(app, close_and_reopen)
    await asyncio.gather(app.worker.run_due(), app.worker.run_due())
    await town.settle(app)
    assert gate(town, hard).conclusion == "failure"


@attack(
    "a repository's admin",
    tries="soften the base while the review runs, and put it back before it ends",
    gets="the failure, by the rules that are in force in the end",
)
async def test_the_base_is_soft_for_a_moment(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.github.flush()
    soft = {".github/jurat.yml": EMPTY}
    during(app, lambda: actions.push(town.repository, "main", soft))
    await app.worker.run_due()
    actions.push(town.repository, "main", {".github/jurat.yml": BASE[".github/jurat.yml"]})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"


@attack(
    "a fork's author",
    tries="be a draft and ready again, over and over, while reviews run",
    gets="the failure, and no check that stays open",
)
async def test_drafts_that_flicker(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN}, by="mallory")
    await town.github.flush()

    def flicker() -> None:
        for _ in range(5):
            actions.convert_to_draft(pull, by="mallory")
            actions.mark_ready(pull, by="mallory")

    during(app, flicker)
    await app.worker.run_due()
    await town.settle(app)
    assert gate(town, pull).conclusion == "failure"


@attack(
    "a fork's author",
    tries="open the same commit in another repository of the organisation, which asks for nothing",
    gets="each repository's own check: the strict one fails, whatever the other says",
)
async def test_one_commit_in_two_repositories(town: Town, app: App) -> None:
    lax = town.github.create_repository("acme/lax", {".github/jurat.yml": EMPTY})
    pull = town.open({"digest.py": BROKEN}, by="mallory")
    lax.git.fetch(town.repository.git, "refs/heads/fix", "refs/heads/fix")
    lax.git.fetch(town.repository.git, "refs/heads/main", "refs/heads/soft")
    actions.push(lax, "soft", {".github/jurat.yml": EMPTY})
    other = actions.open_pull_request(lax, head="fix", base="soft", by="mallory")
    assert other.head_sha == pull.head_sha
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"
    (lax_check,) = [run for run in lax.check_runs.values() if run.name == "jurat"]
    assert lax_check.conclusion == "neutral"
    actions.close(other, by="mallory")
    actions.close(pull, by="mallory")
    actions.reopen(pull, by="mallory")
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"


@attack(
    "a colleague",
    tries="call a branch with soft rules as the base commit is abbreviated, or a base branch so"
    " that an address or a path would end in it",
    gets="the failure: a commit is asked for by its whole SHA, and a branch by its whole name",
)
@pytest.mark.parametrize(
    "name", ["{sha}", "refs/heads/main", "main#soft", "soft%2F.%2Fmain", "main&ref=soft"]
)
async def test_names_that_lead_elsewhere(town: Town, app: App, name: str) -> None:
    tip = town.repository.head("main") or ""
    called = name.format(sha=tip[:12])
    actions.push(town.repository, "soft", {".github/jurat.yml": EMPTY}, onto=tip)
    if "{sha}" in name:
        actions.push(town.repository, called, {".github/jurat.yml": EMPTY}, onto=tip)
        base = "main"
    else:
        actions.push(town.repository, called, {"notes.md": "A strict one.\n"}, onto=tip)
        base = called
    actions.push(town.repository, "fix", {"digest.py": BROKEN}, onto=tip)
    pull = actions.open_pull_request(town.repository, head="fix", base=base, by="mallory")
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"
