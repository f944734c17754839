"""A commit that somebody opens twice, to have the softer of two judges."""

from __future__ import annotations

import asyncio

import pytest

from jurat.app.wiring import App
from tests.app.test_shared_commits import also, gate, soften
from tests.attacks.attack import attack
from tests.standins.github import PullRequest, actions
from tests.support.talk import reactions, replies, said
from tests.support.town import BASE, BROKEN, Town

EMPTY = "version: 1\npacks: []\nrules: []\n"


@pytest.fixture
async def hard(town: Town, app: App) -> PullRequest:
    """A pull request onto `main` that fails; `soft` is a branch that asks for nothing."""
    soften(town)
    pull = town.open({"digest.py": BROKEN}, by="mallory")
    await town.settle(app)
    assert gate(town, pull).conclusion == "failure"
    return pull


@attack(
    "a fork's author",
    tries="put a newer, neutral check on a failing commit, by a second pull request onto a branch"
    " without rules",
    gets="the failure: the newest check of a commit is the strictest of all its pull requests",
)
async def test_the_same_head_onto_a_softer_base(town: Town, app: App, hard: PullRequest) -> None:
    also(town)
    await town.settle(app)
    assert gate(town, hard).conclusion == "failure"


@attack(
    "a fork's author",
    tries="have the second pull request's check made last, by `/recheck` and by a re-run",
    gets="the failure, whichever was reviewed last",
)
async def test_the_soft_one_is_made_the_newest(town: Town, app: App, hard: PullRequest) -> None:
    soft = also(town)
    await town.settle(app)
    await said(town, app, soft, "/recheck")
    actions.rerequest_run(gate(town, soft), by="mallory")
    actions.rerequest_suite(gate(town, soft).suite, by="mallory")
    await town.settle(app)
    assert gate(town, hard).conclusion == "failure"


@attack(
    "a fork's author",
    tries="close the failing pull request, let the softer one set the check, and reopen it",
    gets="the failure again, once it is open",
)
async def test_it_is_closed_and_reopened(town: Town, app: App, hard: PullRequest) -> None:
    also(town)
    actions.close(hard, by="mallory")
    await town.settle(app)
    actions.reopen(hard, by="mallory")
    await town.settle(app)
    assert gate(town, hard).conclusion == "failure"


@attack(
    "a fork's author",
    tries="retarget to a branch without a configuration, take its check, and go back",
    gets="the failure of the base that it goes to",
)
async def test_it_is_retargeted_and_back(town: Town, app: App, hard: PullRequest) -> None:
    actions.edit_pull_request(hard, base="soft", by="mallory")
    await town.settle(app)
    assert gate(town, hard).conclusion == "neutral"
    actions.edit_pull_request(hard, base="main", by="mallory")
    await town.settle(app)
    assert gate(town, hard).conclusion == "failure"


@attack(
    "a fork's author",
    tries="have a draft onto the strict branch, which nobody reviews, and pass it with the check of"
    " a softer pull request of its commit once it is ready",
    gets="a review of the draft, and its failure before it is ready",
)
async def test_a_draft_waits_behind_a_soft_one(town: Town, app: App) -> None:
    soften(town)
    actions.push(town.repository, "fix", {"digest.py": BROKEN})
    draft = also(town, "main", draft=True)
    await town.settle(app)
    also(town)
    await town.settle(app)
    assert gate(town, draft).conclusion == "failure"


@attack(
    "a fork's author",
    tries="take a failing pull request back to draft, so that it no longer counts for its commit",
    gets="the failure: a draft that was judged counts",
)
async def test_it_is_taken_back_to_draft(town: Town, app: App, hard: PullRequest) -> None:
    actions.convert_to_draft(hard, by="mallory")
    also(town)
    await town.settle(app)
    assert gate(town, hard).conclusion == "failure"
    actions.mark_ready(hard, by="mallory")
    await town.settle(app)
    assert gate(town, hard).conclusion == "failure"


@attack(
    "a fork's author",
    tries="have both reviewed at the same moment by two workers, and the softer written last",
    gets="the failure, five times of five: who wrote last saw what both had kept",
)
async def test_both_are_written_at_once(town: Town, app: App, hard: PullRequest) -> None:
    soft = also(town)
    await town.settle(app)
    for _ in range(5):
        actions.comment(hard, "/recheck", by="wendy")
        actions.comment(soft, "/recheck", by="wendy")
        await town.github.flush()
        await asyncio.gather(app.worker.run_due(), app.worker.run_due())
        await town.settle(app)
        assert gate(town, hard).conclusion == "failure"


@attack(
    "a fork's author",
    tries="open the merge queue's own commit onto a branch without rules, to pass what is queued",
    gets="the group's failure: its check is the strictest too",
)
async def test_the_queues_commit_is_opened(town: Town, app: App, hard: PullRequest) -> None:
    head_sha = actions.enqueue(town.repository, [hard])
    await town.settle(app)
    actions.push_commit(town.repository, "copy", head_sha)
    copy = actions.open_pull_request(town.repository, head="copy", base="soft", by="mallory")
    await town.settle(app)
    assert gate(town, copy).conclusion == "failure"


@attack(
    "a fork's author",
    tries="have the strict pull request of their commit left out, without the right to",
    gets="a refusal, in any letter case, and the failure",
)
@pytest.mark.parametrize("command", ["/jurat exclude", "/JURAT Exclude", "/Jurat EXCLUDE"])
async def test_somebody_without_rights_excludes(
    town: Town, app: App, hard: PullRequest, command: str
) -> None:
    soft = also(town)
    await town.settle(app)
    comment = await said(
        town, app, soft, f"{command} #{hard.number} It is only a test.", by="mallory"
    )
    assert "Only people with write permission" in replies(soft)[-1]
    assert reactions(comment) == ["eyes", "confused"]
    assert gate(town, hard).conclusion == "failure"


@attack(
    "a fork's author",
    tries="have the strict pull request of their commit left out by a reader, if readers may ask"
    " for reviews",
    gets="a refusal: who may ask does not decide",
)
async def test_a_reader_excludes(town: Town, app: App) -> None:
    soften(town)
    asking = f"{BASE['.github/jurat.yml']}commands: {{permission: read}}\n"
    actions.push(town.repository, "main", {".github/jurat.yml": asking})
    soft = f"{EMPTY}commands: {{permission: read}}\n"
    actions.push(town.repository, "soft", {".github/jurat.yml": soft})
    hard = town.open({"digest.py": BROKEN}, by="mallory")
    second = also(town)
    await town.settle(app)
    await said(town, app, second, f"/jurat exclude #{hard.number} It is only a test.", by="rita")
    assert "Only people with write permission" in replies(second)[-1]
    assert gate(town, hard).conclusion == "failure"


@attack(
    "a repository's admin",
    tries="open their own failing commit onto a softer branch, and leave the first one out",
    gets="a refusal: who wrote the change does not excuse it from its base, whatever the softer"
    " base says",
)
async def test_an_author_with_rights_excludes(town: Town, app: App) -> None:
    tip = town.repository.head("main") or ""
    own = f"{EMPTY}commands: {{own_decisions: true}}\n"
    actions.push(town.repository, "soft", {".github/jurat.yml": own}, onto=tip)
    hard = town.open({"digest.py": BROKEN}, by="wendy")
    soft = also(town, by="wendy")
    await town.settle(app)
    await said(town, app, soft, f"/jurat exclude #{hard.number} I know what I do.")
    assert "You wrote some of this change" in replies(soft)[-1]
    assert gate(town, hard).conclusion == "failure"


@attack(
    "a fork's author",
    tries="fail a stranger's passing pull request for good, by opening its commit onto a stricter"
    " branch",
    gets="one word of a maintainer, on record, and the check passes again",
)
async def test_others_are_failed(town: Town, app: App) -> None:
    soften(town)
    actions.push(town.repository, "fix", {"digest.py": BROKEN})
    victim = also(town, by="octocat")
    await town.settle(app)
    hostile = also(town, "main", by="mallory")
    await town.settle(app)
    assert gate(town, victim).conclusion == "failure"
    await said(town, app, victim, f"/jurat exclude #{hostile.number} Not ours.")
    assert gate(town, victim).conclusion == "neutral"
    assert "left out by `wendy`: Not ours." in (gate(town, victim).summary or "")
