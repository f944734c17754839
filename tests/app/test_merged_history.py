"""The App comes to a repository and looks back: webhooks in, the check `jurat / backtest` out."""

from __future__ import annotations

import pytest

from jurat.app.wiring import App
from jurat.github.events import InstallationChanged
from jurat.jobs.queue import JobRequest
from jurat.server.intake import MAX_LOOKED_BACK, plan_jobs
from tests.standins.github import PullRequest, Repository, actions
from tests.standins.github.checks import CheckRun
from tests.support.town import BASE, BROKEN, Town

CLEAN = BROKEN.replace("md5", "sha512")


async def merge(town: Town, app: App, *texts: str) -> None:
    """Merge pull requests before the App is there, each with another text of the file."""
    world, one = town.github.world, town.github.installed_on("acme")
    actions.choose_repositories(world, one, [])
    await town.settle(app)
    for number, text in enumerate(texts, 1):
        actions.push(town.repository, f"earlier-{number}", {"digest.py": f"# {number}\n{text}"})
        actions.merge(actions.open_pull_request(town.repository, head=f"earlier-{number}"))
    await town.settle(app)


async def come(town: Town, app: App, *others: Repository) -> None:
    """The owner lets the App into the repository, and into others."""
    world, one = town.github.world, town.github.installed_on("acme")
    actions.choose_repositories(world, world.installations[one.id], [town.repository, *others])
    await town.settle(app)


def looks(town: Town) -> list[CheckRun]:
    runs = town.repository.check_runs.values()
    return [run for run in runs if run.name == "jurat / backtest"]


async def test_where_the_app_comes_it_says_what_it_would_have_stopped_and_sets_nothing(
    town: Town, app: App
) -> None:
    await merge(town, app, BROKEN, CLEAN)
    await come(town, app)
    (check,) = looks(town)
    assert check.head_sha == town.repository.git.resolve("refs/heads/main")
    assert (check.status, check.conclusion) == ("completed", "neutral")
    assert check.title == "1 of 2 merged pull requests would have been stopped"
    summary = check.summary or ""
    assert "**1 of the 2 pull requests merged last would have been stopped**" in summary
    assert "| `py.no-md5` | 1 | 1 | 1 | 1 | as it is |" in summary
    assert "- #1: `digest.py:" in summary
    assert "(fixed)" in summary
    assert town.gemini.asked == []


async def test_what_was_merged_and_stands_has_a_level_proposed(town: Town, app: App) -> None:
    await merge(town, app, BROKEN)
    await come(town, app)
    (check,) = looks(town)
    assert "levels:\n  py.no-md5: " in (check.summary or "")
    assert ".github/jurat.yml" not in {
        path for pull in town.repository.pulls.values() for path in _list_paths(pull)
    }


def _list_paths(pull: PullRequest) -> list[str]:
    return [file.path for file in pull.files()]


async def test_without_a_past_there_is_nothing_to_show(town: Town, app: App) -> None:
    await merge(town, app)
    await come(town, app)
    assert looks(town) == []


async def test_it_is_made_once_and_again_if_somebody_asks(town: Town, app: App) -> None:
    await merge(town, app, BROKEN)
    await come(town, app)
    await merge(town, app)
    await come(town, app)
    (check,) = looks(town)
    actions.rerequest_run(check, by="octocat")
    await town.settle(app)
    assert [run.conclusion for run in looks(town)] == ["neutral", "neutral"]


async def test_a_broken_configuration_is_left_to_the_first_pull_request(
    town: Town, app: App
) -> None:
    await merge(town, app, BROKEN)
    actions.push(town.repository, "main", {".github/jurat.yml": "version: 1\nrule: []\n"})
    await come(town, app)
    assert looks(town) == []


async def test_it_is_turned_off_though_somebody_asks(town: Town, app: App) -> None:
    await merge(town, app, BROKEN)
    await come(town, app)
    (check,) = looks(town)
    off = BASE[".github/jurat.yml"] + "review: {backtest: false}\n"
    actions.push(town.repository, "main", {".github/jurat.yml": off})
    actions.rerequest_run(check, by="octocat")
    await merge(town, app)
    await come(town, app)
    assert looks(town) == [check]


@pytest.mark.parametrize(
    ("required", "shown"), [("required: {settings: [review.backtest]}\n", 0), ("", 1)]
)
async def test_an_owner_who_requires_it_turns_it_off_everywhere(
    town: Town, app: App, required: str, shown: int
) -> None:
    owners = "version: 1\nreview: {backtest: false}\n" + required
    policy = town.github.create_repository("acme/.github", {".github/jurat.yml": owners})
    on = BASE[".github/jurat.yml"] + "review: {backtest: true}\n"
    actions.push(town.repository, "main", {".github/jurat.yml": on})
    await merge(town, app, BROKEN)
    await come(town, app, policy)
    assert len(looks(town)) == shown


def test_of_hundreds_of_repositories_a_few_are_looked_at() -> None:
    many = {number: f"acme/r{number}" for number in range(1, 300)}
    work = plan_jobs(InstallationChanged("created", 7, "acme", many))
    assert len(work) == MAX_LOOKED_BACK
    assert all(isinstance(item, JobRequest) and item.unasked for item in work)
    assert {item.kind for item in work} == {"backtest"}
