"""A model that is away for a while: what needs none is said at once, the rest once it is back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import update

from jurat.app.wiring import App
from jurat.judge.models_file import ModelNames, ModelsFile
from jurat.store.tables import jobs
from tests.app.test_partial_denials import FILES, RULE, name_first
from tests.standins.gemini.reactions import (
    Behaviour,
    Reaction,
    Reply,
    careful,
    rate_limited,
    refused,
    server_error,
)
from tests.standins.gemini.reading import Asked
from tests.standins.github import PullRequest, actions
from tests.support.town import BROKEN, Town

CLEAN = BROKEN.replace("md5", "sha512")


async def run_in_time(town: Town, app: App) -> None:
    """Run what is due, and what waits for its time."""
    async with app.database.writing() as connection:
        await connection.execute(update(jobs).values(due_at=app.services.clock()))
    await app.worker.run_due()
    await town.settle(app)


async def jobs_of(town: Town, app: App, pull: PullRequest) -> list[tuple[str, int]]:
    """State and counted attempts of what was asked for."""
    records = await app.queue.records(keys=[f"{town.repository.id}#{pull.number}"])
    return [(record.state, record.attempts) for record in records]


@pytest.mark.parametrize("away", [server_error(503), rate_limited("3600")], ids=["503", "429"])
async def test_it_is_asked_again_until_it_answers(town: Town, app: App, away: Behaviour) -> None:
    town.gemini.always(away)
    pull = town.open({"digest.py": CLEAN})
    await town.settle(app)
    (first,) = town.checks(pull)
    assert first.conclusion == "action_required"
    for _ in range(10):
        await run_in_time(town, app)
    # Waited, and said nothing twice.
    assert (await jobs_of(town, app, pull))[-1] == ("queued", 0)
    assert town.checks(pull) == [first]
    town.gemini.always(careful)
    await run_in_time(town, app)
    assert town.check(pull).conclusion == "success"
    assert {state for state, _ in await jobs_of(town, app, pull)} == {"done"}


async def test_what_needs_no_model_fails_at_once_and_the_rest_joins_it(
    town: Town, app: App
) -> None:
    town.gemini.always(server_error(503))
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"
    assert len(pull.review_comments) == 1
    town.gemini.always(careful)
    await run_in_time(town, app)
    assert town.check(pull).conclusion == "failure"
    assert "not assessed" not in (town.check(pull).summary or "")
    assert len(pull.review_comments) == 1


@pytest.mark.parametrize("away", ["first", "second"])
async def test_one_of_two_judges_is_asked_again_as_well(town: Town, away: str) -> None:
    """What the other one alone denies is a person's only until both have spoken."""
    models = {"first": "gemini-3-flash-preview", "second": "gemini-3.1-pro-preview"}
    one, other = (
        replace(town.settings.model, file=ModelsFile(models=ModelNames(flash=name, pro=name)))
        for name in models.values()
    )
    town.settings = replace(town.settings, model=replace(one, second=other))

    def be_away(asked: Asked, reply: Reply) -> Reaction:
        return (server_error(503) if asked.model == models[away] else careful)(asked, reply)

    town.gemini.judges(RULE, name_first)
    town.gemini.always(be_away)
    async with town.running() as app:
        pull = town.open(FILES)
        await town.settle(app)
        assert town.check(pull).conclusion == "action_required"
        assert "One judge alone" in pull.review_comments[0].body
        await run_in_time(town, app)
        assert (await jobs_of(town, app, pull))[-1] == ("queued", 0)
        town.gemini.always(careful)
        await run_in_time(town, app)
        assert town.check(pull).conclusion == "failure"
        assert {state for state, _ in await jobs_of(town, app, pull)} == {"done"}


async def test_a_model_that_refuses_is_not_asked_again(town: Town, app: App) -> None:
    town.gemini.always(refused())
    pull = town.open({"digest.py": CLEAN})
    await town.settle(app)
    assert town.check(pull).conclusion == "action_required"
    assert {state for state, _ in await jobs_of(town, app, pull)} == {"done"}


async def test_a_push_meanwhile_is_what_is_reviewed(town: Town, app: App) -> None:
    town.gemini.always(server_error(503))
    pull = town.open({"digest.py": CLEAN})
    await town.settle(app)
    town.gemini.always(careful)
    actions.push(town.repository, "fix", {"digest.py": BROKEN})
    await town.settle(app)
    await run_in_time(town, app)
    assert [run.conclusion for run in town.checks(pull)] == ["failure"]
    assert {state for state, _ in await jobs_of(town, app, pull)} == {"done"}
