"""GitHub does not hand out what is there, just when a pull request is judged."""

from __future__ import annotations

import pytest

from jurat.app.wiring import App
from jurat.github.client import DIFF
from tests.attacks.attack import attack
from tests.standins.github import actions
from tests.standins.github.faults import Fault, always, once
from tests.support.town import BASE, BROKEN, Town

GONE = Fault(404, "Not Found")
BUSY = Fault(422, "Server Error: Sorry, this diff is temporarily unavailable due to heavy load.")
ABUSE = Fault(403, "You have triggered an abuse detection mechanism.", {"Retry-After": "1"})


@attack(
    "a fork's author",
    tries="be judged while GitHub answers 404 to the configuration, the rules or their folder",
    gets="the failure that the base's rules give: the commit's tree says that they are there",
)
@pytest.mark.parametrize(
    "path",
    ["contents/.github/jurat.yml", "contents/policy", "contents/policy/house.yml"],
)
async def test_one_404_is_no_absence(town: Town, app: App, path: str) -> None:
    town.github.faults.append(once(GONE, "GET", path))
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"


@attack(
    "a fork's author",
    tries="be judged while GitHub answers 404 to all files, and then to trees too",
    gets="no conclusion at all: the review waits, and is tried again",
)
@pytest.mark.parametrize("path", ["/contents/", "/repos/acme/shop/"])
async def test_a_storm_of_404_concludes_nothing(town: Town, app: App, path: str) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.github.flush()
    town.github.faults.append(always(GONE, "GET", path))
    await app.worker.run_due()
    assert [run.conclusion for run in town.checks(pull)] in ([], [None])
    (job,) = await app.queue.records(keys=[f"{town.repository.id}#1"])
    assert job.state == "queued"


@attack(
    "a fork's author",
    tries="be judged while GitHub hides the organisation's `.github` repository for a moment",
    gets="the failure that the organisation's rules give",
)
async def test_the_owners_repository_is_hidden(town: Town, app: App) -> None:
    rules = {name: text for name, text in BASE.items() if name != "digest.py"}
    town.github.create_repository("acme/.github", rules)
    actions.push(town.repository, "main", {".github/jurat.yml": None})
    # The push has a job of its own, which must not meet the fault in the review's place.
    await town.settle(app)
    town.github.faults.append(once(GONE, "GET", "/repos/acme/.github/commits"))
    pull = town.open({"digest.py": BROKEN})
    await town.github.flush()
    await app.worker.run_due()
    assert [run.conclusion for run in town.checks(pull)] == [None]
    actions.comment(pull, "/recheck", by="wendy")
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"


@attack(
    "a fork's author",
    tries="have GitHub refuse the diff, by its size or its weight",
    gets="the failure: the change is read from its list of files",
)
async def test_a_refused_diff_is_read_from_its_files(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN, **{f"many/{n}.txt": f"{n}\n" for n in range(301)}})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"


async def test_a_diff_that_github_cannot_make_now_is_read_from_its_files(
    town: Town, app: App
) -> None:
    # The same address gives the pull request, which is read twice before its diff.
    town.github.faults.append(once(BUSY, "GET", "/pulls/1", skip=2))
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    (refused,) = [one for one in town.github.exchanges if one.faulty]
    assert refused.headers["accept"] == DIFF
    assert town.check(pull).conclusion == "failure"


async def test_a_commit_that_checks_do_not_know_yet_gets_its_check(town: Town, app: App) -> None:
    early = Fault(422, "No commit found for SHA: 1234")
    town.github.faults.append(once(early, "POST", "/check-runs"))
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"


async def test_an_older_name_of_the_limit_is_waited_out(town: Town, app: App) -> None:
    town.github.faults.append(once(ABUSE, "GET", "/contents/"))
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"


@attack(
    "a fork's author",
    tries="have the conversation locked, so that nothing can be said in it",
    gets="the failing check, with each finding as an annotation on its line",
)
async def test_a_locked_conversation_still_gets_its_check(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    pull.locked = True
    await town.settle(app)
    check = town.check(pull)
    assert check.conclusion == "failure"
    assert [(note["path"], note["title"]) for note in check.annotations] == [
        ("digest.py", "py.no-md5")
    ]
    assert not pull.review_comments
    assert not pull.comments
