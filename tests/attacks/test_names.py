"""A name that somebody gave up, in somebody else's hands."""

from __future__ import annotations

import aiohttp

from jurat.app.wiring import App
from jurat.jobs.requests import ReviewRequest, to_job
from tests.attacks.attack import attack
from tests.standins.github import Repository, actions
from tests.support.rules import NO_MD5
from tests.support.talk import DENIED, RULES, finding_of, opened, said
from tests.support.town import API_TOKEN, BASE, Town


async def dismissed(town: Town, app: App) -> None:
    """The only finding of acme/shop#1 does not count any more."""
    pull = await opened(town, app, DENIED)
    finding = finding_of(pull.review_comments)
    await said(town, app, pull, f"/jurat dismiss {finding} It names a file.")
    assert town.check(pull).conclusion == "success"


async def judged(town: Town, app: App, repository: Repository) -> str | None:
    """What the check says of the same change in that repository."""
    actions.push(repository, "same", {"digest.py": DENIED})
    pull = actions.open_pull_request(repository, head="same")
    await town.settle(app)
    runs = [run for run in repository.check_runs.values() if run.head_sha == pull.head_sha]
    return runs[-1].conclusion


def taken(town: Town) -> Repository:
    """Somebody else's repository, which is called acme/shop now."""
    files = BASE | {"policy/house.yml": RULES}
    return town.github.create_repository("acme/shop", files, private=False)


@attack(
    "a stranger",
    tries="create a repository of the name that a deleted one had, to inherit its dismissals",
    gets="a record that begins empty: what is kept hangs on GitHub's number",
)
async def test_a_deleted_repositorys_name(town: Town, app: App) -> None:
    await dismissed(town, app)
    actions.delete_repository(town.repository)
    await town.settle(app)
    assert await judged(town, app, taken(town)) == "failure"


@attack(
    "a stranger",
    tries="read the reviews of a renamed repository under the name that it gave up",
    gets="nothing: the name leads to the repository that has it now",
)
async def test_reading_under_a_name_that_was_given_up(town: Town, app: App) -> None:
    await dismissed(town, app)
    actions.rename_repository(town.repository, "acme/store")
    await town.settle(app)
    other = taken(town)
    actions.push(other, "fix", {"README.md": "Hello\n"})
    actions.open_pull_request(other, head="fix")
    await town.settle(app)
    found = await app.store.last_review("acme/shop", 1)
    assert found is not None
    assert found.answer.violations == ()
    assert await app.store.last_review("acme/store", 1) is not None


@attack(
    "a stranger",
    tries="take a renamed repository's name before its waiting job runs, to be reviewed for it",
    gets="nothing: the job finds that the name is another repository's, and waits for the new one",
)
async def test_a_job_that_waits_under_a_name_that_was_given_up(town: Town, app: App) -> None:
    await dismissed(town, app)
    request = ReviewRequest(
        repository="acme/shop",
        repository_id=town.repository.id,
        installation_id=town.github.installed_on("acme").id,
        number=1,
        cause="test",
        again=True,
    )
    actions.rename_repository(town.repository, "acme/store")
    town.github.outbox.clear()
    other = taken(town)
    actions.push(other, "fix", {"digest.py": DENIED})
    actions.open_pull_request(other, head="fix")
    town.github.outbox.clear()
    await app.intake.enqueue([to_job(request)])
    await app.worker.run_due()
    assert not other.check_runs
    records = await app.queue.records(keys=[to_job(request).key])
    assert "another repository" in (records[-1].reason or "")


@attack(
    "a repository's admin",
    tries="rename a repository between two pushes, to have both reviewed at once",
    gets="one review: jobs wait for each other by GitHub's number, and the later one takes over",
)
async def test_a_rename_between_two_pushes(town: Town, app: App) -> None:
    pull = town.open({"digest.py": DENIED})
    await town.github.flush()
    actions.rename_repository(town.repository, "acme/store")
    actions.push(town.repository, "fix", {"digest.py": f"{DENIED}\n"})
    await town.github.flush()
    assert (await app.queue.backlog()).waiting == 1
    await app.worker.run_due()
    assert [run.conclusion for run in town.checks(pull)] == ["failure"]


@attack(
    "a repository's admin",
    tries="transfer a repository to be rid of one owner's law, and keep the other's out",
    gets="the law of the new owner; the dismissals of its own people stay with it",
)
async def test_a_transfer_out_of_the_law(town: Town, app: App) -> None:
    await dismissed(town, app)
    law = "version: 1\npacks: []\nrules: [law]\nrequired: {rules: [py.no-md5], waivers: refused}\n"
    town.github.installed_on("globex")
    owners = {".github/jurat.yml": law, "law/house.yml": NO_MD5}
    town.github.create_repository("globex/.github", owners)
    actions.rename_repository(town.repository, "globex/shop")
    await town.settle(app)
    assert await judged(town, app, town.repository) == "failure"
    actions.rename_repository(town.repository, "acme/shop")
    await town.settle(app)
    actions.push(town.repository, "back", {"digest.py": DENIED + "\n"})
    pull = actions.open_pull_request(town.repository, head="back")
    await town.settle(app)
    assert town.check(pull).conclusion == "success"


@attack(
    "a holder of the API's token",
    tries="write reviews of their own under a repository's name into its record",
    gets="a record of what was said: GitHub's repository has none of it",
)
async def test_a_name_that_was_only_said(town: Town, app: App) -> None:
    await dismissed(town, app)
    before = await app.store.last_review(town.repository.id, 1)
    url = (town.github.webhook_url or "").removesuffix(town.settings.webhook_path)
    body = {"files": [{"path": "digest.py", "content": DENIED}], "repository": "acme/shop"}
    headers = {"Authorization": f"Bearer {API_TOKEN}"}
    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.post(f"{url}/api/v1/evaluate", json=body) as answer,
    ):
        assert answer.status == 200
    assert await app.store.last_review(town.repository.id, 1) == before
    assert {one.id for one in await app.store.repositories.list_named("acme/shop")} == {
        -1,
        town.repository.id,
    }
