"""Edits of a pull request's words, labels and draft state: reviewed, and mostly for nothing."""

from __future__ import annotations

import pytest

from jurat.app.wiring import App
from tests.standins.github import PullRequest, actions
from tests.support.rules import BROKEN, NO_MD5
from tests.support.talk import reactions, said
from tests.support.town import RULES, Town

TITLED = f"""{NO_MD5}  - id: house.finished
    statement: What is under way says so.
    kind: computational
    modality: MUST
    severity: HIGH
    subject_kinds: [code_diff]
    constraints:
      - {{type: enum, field_path: pull_request.title, allowed_values: [Ready]}}
"""
CLEAN = BROKEN.replace("md5", "sha512")


def change_everything(pull: PullRequest) -> None:
    """All that a reader edits, in one second."""
    actions.edit_pull_request(pull, title="Better", body="Because.")
    actions.label(pull, "bug")
    actions.unlabel(pull, "bug")
    actions.convert_to_draft(pull)


@pytest.fixture
async def pull(town: Town, app: App) -> PullRequest:
    """One that was reviewed, by rules that read no words and need no model."""
    actions.push(town.repository, "main", {"policy/house.yml": NO_MD5})
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"
    return pull


async def test_an_edit_that_no_rule_reads_writes_nothing_and_asks_no_model(
    town: Town, app: App, pull: PullRequest
) -> None:
    written, asked = len(town.github.writes()), len(town.gemini.asked)
    change_everything(pull)
    await town.settle(app)
    assert len(town.github.writes()) == written
    assert len(town.gemini.asked) == asked == 0
    assert len(town.checks(pull)) == len(pull.review_comments) == 1


async def test_an_edit_that_a_rule_reads_has_another_check(town: Town, app: App) -> None:
    actions.push(town.repository, "main", {"policy/house.yml": TITLED})
    pull = town.open({"digest.py": CLEAN}, title="Ready")
    await town.settle(app)
    assert town.check(pull).conclusion == "success"
    actions.edit_pull_request(pull, title="Not yet")
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"
    actions.edit_pull_request(pull, title="Ready")
    actions.edit_pull_request(pull, title="Not yet")
    actions.edit_pull_request(pull, title="Ready")
    await town.settle(app)
    assert [run.conclusion for run in town.checks(pull)] == ["success", "failure", "success"]


@pytest.mark.parametrize(("reads", "asked"), [("pull_request", 2), ("", 1)])
async def test_words_that_a_model_was_shown_before_are_remembered(
    town: Town, app: App, reads: str, asked: int
) -> None:
    rules = f"{RULES}    reads: [{reads}]\n"
    actions.push(town.repository, "main", {"policy/house.yml": rules})
    pull = town.open({"digest.py": CLEAN}, title="One")
    await town.settle(app)
    for title in ("Two", "One", "Two", "One"):
        actions.edit_pull_request(pull, title=title)
        await town.settle(app)
    assert len(town.gemini.asked) == asked


async def test_a_double_recheck_is_one_review(town: Town, app: App, pull: PullRequest) -> None:
    first = actions.comment(pull, "/recheck", by="wendy")
    second = actions.comment(pull, "/recheck\n\n/recheck", by="wendy")
    await town.settle(app)
    assert len(town.checks(pull)) == 2
    assert reactions(first) == reactions(second) == ["eyes", "+1"]


@pytest.mark.parametrize("command", ["/RECHECK", "/Recheck", "/JURAT recheck", "/jurat ReCheck"])
async def test_commands_work_in_any_letter_case(
    town: Town, app: App, pull: PullRequest, command: str
) -> None:
    await said(town, app, pull, command)
    assert len(town.checks(pull)) == 2


@pytest.mark.parametrize("whole", [False, True])
async def test_a_merge_queues_check_is_run_again(town: Town, app: App, whole: bool) -> None:
    pull = town.open({"digest.py": CLEAN})
    await town.settle(app)
    head_sha = actions.enqueue(town.repository, [pull])
    await town.settle(app)

    def runs() -> list[str | None]:
        found = town.repository.check_runs.values()
        return [run.conclusion for run in found if run.head_sha == head_sha]

    (run,) = [run for run in town.repository.check_runs.values() if run.head_sha == head_sha]
    if whole:
        actions.rerequest_suite(run.suite, by="wendy")
    else:
        actions.rerequest_run(run, by="wendy")
    await town.settle(app)
    assert runs() == ["success", "success"]
