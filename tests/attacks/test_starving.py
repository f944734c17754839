"""Somebody who asks for so much that nobody else is served."""

from __future__ import annotations

from collections.abc import Awaitable

from jurat.app.wiring import App
from jurat.review_interfaces import Stage
from tests.attacks.attack import attack
from tests.standins.github import actions
from tests.support.town import BASE, BROKEN, Town


@attack(
    "a fork's author",
    tries="push a hundred times, to have each push reviewed",
    gets="one review, of the last push",
)
async def test_a_hundred_pushes(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    for number in range(100):
        actions.push(town.repository, "fix", {"digest.py": f"{BROKEN}# {number}\n"})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"
    runs = [run for run in town.repository.check_runs.values() if run.name == "jurat"]
    assert len(runs) == 1


@attack(
    "a fork's author",
    tries="push while a review runs, so that the old commit's result is shown as well",
    gets="the old commit's check cancelled, and one review of the new one",
)
async def test_a_push_during_the_review(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    old, pushed = pull.head_sha, False
    await town.github.flush()

    async def watch(stage: Stage, work: Awaitable[object]) -> object:
        nonlocal pushed
        if stage == "judge" and not pushed:
            pushed = True
            for number in range(20):
                actions.push(town.repository, "fix", {"digest.py": f"{BROKEN}# {number}\n"})
        return await work

    object.__setattr__(app.services, "watch", watch)
    await app.worker.run_due()
    await town.settle(app)
    runs = [run for run in town.repository.check_runs.values() if run.name == "jurat"]
    assert [(run.head_sha, run.conclusion) for run in runs] == [
        (old, "cancelled"),
        (pull.head_sha, "failure"),
    ]


@attack(
    "a fork's author",
    tries="open pull request after pull request, so that another author's one is never reviewed",
    gets="the other author's review after one of the many: the people of a repository take turns",
)
async def test_many_pull_requests_and_one_of_another_author(town: Town, app: App) -> None:
    for number in range(8):
        actions.push(town.repository, f"many-{number}", {"digest.py": f"{BROKEN}# {number}\n"})
        actions.open_pull_request(town.repository, head=f"many-{number}", by="mallory")
    actions.push(town.repository, "fix", {"digest.py": BROKEN})
    quiet = actions.open_pull_request(town.repository, head="fix", by="quincy")
    await town.github.flush()
    await app.worker.run_due()
    runs = town.repository.check_runs.values()
    begun = [run.head_sha for run in sorted(runs, key=lambda run: run.id)]
    assert len(begun) == 9
    assert quiet.head_sha in begun[:2]


@attack(
    "a fork's author",
    tries="open pull request after pull request, so that another repository is never reviewed",
    gets="the other repository's review after one of the many",
)
async def test_many_pull_requests_and_one_of_another_repository(town: Town, app: App) -> None:
    other = town.github.create_repository("acme/quiet", BASE)
    for number in range(8):
        actions.push(town.repository, f"many-{number}", {"digest.py": f"{BROKEN}# {number}\n"})
        actions.open_pull_request(town.repository, head=f"many-{number}")
    actions.push(other, "fix", {"digest.py": BROKEN})
    quiet = actions.open_pull_request(other, head="fix")
    await town.github.flush()
    await app.worker.run_due()
    runs = [*town.repository.check_runs.values(), *other.check_runs.values()]
    # Numbered as they are begun, and one worker's jobs run one after the other.
    begun = [run.head_sha for run in sorted(runs, key=lambda run: run.id)]
    assert len(begun) == 9
    assert quiet.head_sha in begun[:2]
