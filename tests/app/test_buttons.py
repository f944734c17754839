"""The check's buttons, and GitHub's own for running a check again."""

from __future__ import annotations

import pytest

from jurat.app.wiring import App
from jurat.store.listings import list_recent_decisions
from tests.standins.gemini.reactions import refused
from tests.standins.github import actions
from tests.standins.github.checks import CheckRun
from tests.standins.github.faults import Fault, once
from tests.support.talk import (
    DENIED,
    RULES,
    UNSURE,
    governed,
    opened,
    reactions,
    replies,
    said,
)
from tests.support.town import Town

CLEAN = DENIED.replace("md5", "sha512")


def labels(run: CheckRun) -> list[str]:
    return [action["label"] for action in run.actions]


@pytest.mark.parametrize(
    ("text", "conclusion", "shown"),
    [
        (DENIED, "failure", ["Apply fixes", "Recheck"]),
        (UNSURE, "action_required", ["Confirm", "Recheck"]),
        (CLEAN, "success", []),
    ],
)
async def test_a_check_offers_what_helps(
    town: Town, app: App, text: str, conclusion: str, shown: list[str]
) -> None:
    pull = await opened(town, app, text)
    check = town.check(pull)
    assert (check.conclusion, labels(check)) == (conclusion, shown)


async def test_a_button_that_another_person_presses_too_is_not_lost(town: Town, app: App) -> None:
    pull = await opened(town, app, UNSURE)
    for who in ("wendy", "rita"):
        actions.click(town.check(pull), "confirm", by=who)
    await town.settle(app)
    assert town.check(pull).conclusion == "success"
    (told,) = replies(pull)
    assert told.startswith("`rita` pressed a button of the check. Only people with write")


async def test_a_check_whose_model_failed_offers_to_try_again(town: Town, app: App) -> None:
    governed(town, RULES.replace("SHOULD", "MUST"))
    town.gemini.always(refused())
    pull = town.open({"digest.py": CLEAN})
    await town.settle(app)
    check = town.check(pull)
    assert (check.conclusion, labels(check)) == ("action_required", ["Retry"])


async def test_a_broken_configuration_can_be_checked_again_once_it_is_mended(
    town: Town, app: App
) -> None:
    actions.push(town.repository, "main", {"policy/house.yml": "version: 2\n"})
    # Now: a push that comes to be read once the pull request is open has it judged again.
    await town.settle(app)
    pull = town.open({"digest.py": CLEAN})
    await town.settle(app)
    assert labels(town.check(pull)) == ["Recheck"]
    actions.click(town.check(pull), "recheck", by="wendy")
    await town.settle(app)
    assert [run.title for run in town.checks(pull)] == ["The configuration is broken"] * 2


async def test_confirm_lets_the_commit_pass(town: Town, app: App) -> None:
    pull = await opened(town, app, UNSURE)
    actions.click(town.check(pull), "confirm", by="wendy")
    await town.settle(app)
    check = town.check(pull)
    assert (check.conclusion, check.title, labels(check)) == (
        "success",
        "2 rules passed, 1 set aside",
        [],
    )
    assert "**Confirmed by `wendy`:** Confirmed with the button of the check." in (
        check.summary or ""
    )
    assert replies(pull) == []


async def test_recheck_reviews_again(town: Town, app: App) -> None:
    pull = await opened(town, app, DENIED)
    actions.click(town.check(pull), "recheck", by="wendy")
    await town.settle(app)
    assert [run.conclusion for run in town.checks(pull)] == ["failure", "failure"]
    assert replies(pull) == []


@pytest.mark.parametrize("button", ["confirm", "recheck"])
async def test_a_button_pressed_without_permission_does_nothing_and_says_why(
    town: Town, app: App, button: str
) -> None:
    pull = await opened(town, app, UNSURE)
    actions.click(town.check(pull), button, by="tom")
    await town.settle(app)
    assert len(town.checks(pull)) == 1
    assert replies(pull) == [
        "`tom` pressed a button of the check. Only people with write permission can ask for that."
    ]


async def test_a_button_of_an_older_commit_confirms_nothing(town: Town, app: App) -> None:
    pull = await opened(town, app, UNSURE)
    old = town.check(pull)
    actions.push(town.repository, "fix", {"digest.py": UNSURE + "\nx = 1\n"})
    await town.settle(app)
    actions.click(old, "confirm", by="wendy")
    await town.settle(app)
    assert town.check(pull).conclusion == "action_required"
    assert replies(pull) == [
        "`wendy` pressed a button of the check. That check is about an older commit: use the"
        " buttons of the newest."
    ]


async def test_confirm_pressed_twice_is_one_confirmation(town: Town, app: App) -> None:
    pull = await opened(town, app, UNSURE)
    check = town.check(pull)
    actions.click(check, "confirm", by="wendy")
    actions.click(check, "confirm", by="wendy")
    await town.settle(app)
    assert town.check(pull).conclusion == "success"
    assert len(await list_recent_decisions(app.database, limit=10)) == 1


async def test_a_button_on_the_check_of_a_fork_works(town: Town, app: App) -> None:
    governed(town)
    copy = actions.fork(town.repository, "mallory")
    actions.push(copy, "fix", {"digest.py": UNSURE})
    pull = actions.open_pull_request(town.repository, head="mallory:fix")
    await town.settle(app)
    actions.click(town.check(pull), "confirm", by="wendy")
    await town.settle(app)
    assert town.check(pull).conclusion == "success"


@pytest.mark.parametrize("fork", [False, True])
@pytest.mark.parametrize("whole_suite", [False, True])
async def test_githubs_own_buttons_run_the_check_again(
    town: Town, app: App, whole_suite: bool, fork: bool
) -> None:
    governed(town)
    home = actions.fork(town.repository, "mallory") if fork else town.repository
    actions.push(home, "fix", {"digest.py": DENIED})
    pull = actions.open_pull_request(town.repository, head="mallory:fix" if fork else "fix")
    await town.settle(app)
    run = town.check(pull)
    if whole_suite:
        actions.rerequest_suite(run.suite, by="wendy")
    else:
        actions.rerequest_run(run, by="wendy")
    await town.settle(app)
    assert [run.conclusion for run in town.checks(pull)] == ["failure", "failure"]


async def test_a_re_run_of_a_forks_suite_waits_for_the_review_that_runs(
    town: Town, app: App
) -> None:
    """GitHub does not say which pull request it is about; two reviews of one would post twice."""
    home = actions.fork(town.repository, "mallory")
    actions.push(home, "fix", {"digest.py": DENIED, "policy/more.yml": "version: 1\nrules: []\n"})
    pull = actions.open_pull_request(town.repository, head="mallory:fix")
    await town.settle(app)
    actions.rerequest_suite(town.check(pull).suite, by="wendy")
    await town.settle(app)
    of_suite = await app.queue.records(keys=[f"{town.repository.id}@{pull.head_sha}"])
    of_pull = await app.queue.records(keys=[f"{town.repository.id}#{pull.number}"])
    assert [record.kind for record in (*of_suite, *of_pull)] == ["check", "review", "review"]
    assert [run.conclusion for run in town.checks(pull)] == ["failure", "failure"]


async def test_a_confirmed_commit_stays_confirmed_when_it_is_checked_again(
    town: Town, app: App
) -> None:
    pull = await opened(town, app, UNSURE)
    await said(town, app, pull, "/jurat confirm fine")
    actions.rerequest_run(town.check(pull), by="wendy")
    await town.settle(app)
    assert town.check(pull).conclusion == "success"


@pytest.mark.parametrize("how", ["command", "button", "re-run"])
async def test_a_second_check_that_is_given_up_is_not_left_open(
    town: Town, app: App, how: str
) -> None:
    governed(town)
    copy = actions.fork(town.repository, "mallory")
    actions.push(copy, "fix", {"digest.py": DENIED})
    pull = actions.open_pull_request(town.repository, head="mallory:fix")
    await town.settle(app)
    run = town.check(pull)
    # Who may ask is found out first, with the configuration; the review reads it again.
    refusal = once(
        Fault(403, "No"), "GET", "/contents/.github/jurat.yml", skip=0 if how == "re-run" else 1
    )
    town.github.faults.append(refusal)
    if how == "command":
        comment = await said(town, app, pull, "/recheck")
        # The review was asked for, which is all that the command does: the check says its end.
        assert reactions(comment) == ["eyes", "+1"]
    elif how == "button":
        actions.click(run, "recheck", by="wendy")
    else:
        actions.rerequest_suite(run.suite, by="wendy")
    await town.settle(app)
    check = town.check(pull)
    assert (len(town.checks(pull)), check.status, check.conclusion, check.title) == (
        2,
        "completed",
        "action_required",
        "The review could not be completed",
    )
    assert labels(check) == ["Retry"]
    actions.click(check, "recheck", by="wendy")
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"
