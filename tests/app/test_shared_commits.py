"""Pull requests with one head: the commit has one check, and it is the strictest of theirs."""

from __future__ import annotations

import asyncio

import pytest

from jurat.app.wiring import App
from tests.standins.gemini.reactions import Reaction, Reply, careful
from tests.standins.gemini.reading import Asked
from tests.standins.github import PullRequest, actions
from tests.standins.github.checks import CheckRun
from tests.standins.github.faults import Fault, always
from tests.support.talk import replies, said
from tests.support.town import BROKEN, RULES, Town

EMPTY = "version: 1\npacks: []\nrules: []\n"
CLEAN = BROKEN.replace("md5", "sha512")


def soften(town: Town) -> None:
    """A branch that nothing is asked of."""
    tip = town.repository.head("main")
    assert tip is not None
    actions.push(town.repository, "soft", {".github/jurat.yml": EMPTY}, onto=tip)


def also(
    town: Town, base: str = "soft", *, draft: bool = False, by: str = "mallory"
) -> PullRequest:
    """A second pull request from the branch of the first."""
    return actions.open_pull_request(town.repository, head="fix", base=base, draft=draft, by=by)


async def opened_twice(town: Town, app: App, text: str = BROKEN) -> tuple[PullRequest, PullRequest]:
    """One onto `main`, reviewed, then one of the same commit onto `soft`."""
    soften(town)
    hard = town.open({"digest.py": text})
    await town.settle(app)
    soft = also(town)
    await town.settle(app)
    return hard, soft


def gate(town: Town, pull: PullRequest) -> CheckRun:
    """What GitHub requires: the newest run of the name, whichever pull request it was made for."""
    runs = town.checks(pull)
    assert [run.id for run in runs if run.status != "completed" and run is not runs[-1]] == []
    return runs[-1]


async def test_a_second_pull_request_onto_a_softer_base_does_not_pass_the_first(
    town: Town, app: App
) -> None:
    hard, soft = await opened_twice(town, app)
    run = gate(town, hard)
    assert (run.conclusion, run.title) == ("failure", f"#{hard.number}: 1 rule blocks")
    summary = run.summary or ""
    assert "**2 open pull requests have this commit as their head**" in summary
    assert f"| #{hard.number} | `main` | failure: 1 rule blocks |" in summary
    assert f"| #{soft.number} | `soft` | neutral: " in summary


@pytest.mark.parametrize("asked", ["hard", "soft"])
async def test_whichever_is_reviewed_last(town: Town, app: App, asked: str) -> None:
    hard, soft = await opened_twice(town, app)
    await said(town, app, hard if asked == "hard" else soft, "/recheck")
    assert gate(town, hard).conclusion == "failure"


async def test_both_at_once(town: Town, app: App) -> None:
    """Four workers' worth: nobody waits for a lock, and the newest run is of both."""
    soften(town)
    hard = town.open({"digest.py": BROKEN})
    soft = also(town)
    await town.github.flush()
    await asyncio.gather(app.worker.run_due(), app.worker.run_due())
    await town.settle(app)
    assert gate(town, hard).conclusion == "failure"
    assert f"#{soft.number}" in (gate(town, hard).summary or "")


async def test_a_soft_one_that_is_done_first_passes_nothing_while_the_other_is_reviewed(
    town: Town, app: App
) -> None:
    soften(town)
    hard = town.open({"digest.py": "import logging\n"})
    seen: list[str] = []

    def meanwhile(asked: Asked, reply: Reply) -> Reaction:
        seen.append(town.check(hard).status)
        return careful(asked, reply)

    town.gemini.behave(meanwhile)
    soft = also(town)
    # The soft one's job first.
    town.github.outbox.reverse()
    await town.settle(app)
    assert set(seen) == {"in_progress"}
    assert gate(town, soft).conclusion == "neutral"


async def test_the_check_is_made_anew_when_the_strictest_is_closed(town: Town, app: App) -> None:
    hard, soft = await opened_twice(town, app)
    asked = len(town.gemini.asked)
    actions.close(hard)
    await town.settle(app)
    assert (gate(town, soft).conclusion, gate(town, soft).title) == ("neutral", "No rule applies")
    actions.reopen(hard)
    await town.settle(app)
    assert gate(town, hard).conclusion == "failure"
    assert len(town.gemini.asked) == asked


async def test_a_push_leaves_the_old_commit_to_the_others(town: Town, app: App) -> None:
    soften(town)
    sha = actions.push(town.repository, "fix", {"digest.py": BROKEN})
    actions.push_commit(town.repository, "same", sha)
    hard = actions.open_pull_request(town.repository, head="fix")
    soft = actions.open_pull_request(town.repository, head="same", base="soft")
    await town.settle(app)
    assert gate(town, soft).conclusion == "failure"
    actions.push(town.repository, "fix", {"digest.py": BROKEN + "\n"})
    await town.settle(app)
    assert gate(town, soft).conclusion == "neutral"
    assert gate(town, hard).conclusion == "failure"
    assert "open pull requests have this commit" not in (gate(town, hard).summary or "")


async def test_a_review_that_cannot_be_made_is_stricter_than_a_neutral_one(
    town: Town, app: App
) -> None:
    soften(town)
    refused = Fault(403, "Resource not accessible by integration")
    town.github.faults.append(always(refused, path="/contents/policy"))
    hard = town.open({"digest.py": CLEAN})
    also(town)
    await town.settle(app)
    run = gate(town, hard)
    assert (run.conclusion, run.title) == (
        "action_required",
        f"#{hard.number}: The review could not be completed",
    )


async def test_a_broken_configuration_is_the_strictest(town: Town, app: App) -> None:
    tip = town.repository.head("main")
    assert tip is not None
    actions.push(town.repository, "soft", {".github/jurat.yml": "version: 7\n"}, onto=tip)
    good = town.open({"digest.py": CLEAN})
    await town.settle(app)
    assert gate(town, good).conclusion == "success"
    broken = also(town)
    await town.settle(app)
    assert gate(town, good).title == f"#{broken.number}: The configuration is broken"
    assert gate(town, good).conclusion == "failure"


async def test_one_that_is_older_than_the_app_is_found_and_reviewed(town: Town, app: App) -> None:
    soften(town)
    hard = town.open({"digest.py": BROKEN})
    town.github.outbox.clear()
    soft = also(town)
    await town.settle(app)
    assert gate(town, soft).conclusion == "failure"
    assert len(hard.review_comments) == 1


async def test_a_merge_groups_head_that_somebody_opens_keeps_its_groups_check(
    town: Town, app: App
) -> None:
    soften(town)
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    head_sha = actions.enqueue(town.repository, [pull])
    await town.settle(app)
    actions.push_commit(town.repository, "copy", head_sha)
    copy = actions.open_pull_request(town.repository, head="copy", base="soft", by="mallory")
    await town.settle(app)
    assert copy.head_sha == head_sha
    assert (gate(town, copy).conclusion, gate(town, copy).title) == (
        "failure",
        "merge queue: 1 rule blocks",
    )


async def test_a_required_check_of_the_rules_keeps_its_failure(town: Town, app: App) -> None:
    """`jurat / rules` fails for what stands in the head, which no other base makes whole."""
    soften(town)
    hard = town.open({"policy/house.yml": RULES.replace("modality: MUST_NOT", "modalty: NO", 1)})
    also(town)
    await town.settle(app)
    runs = town.named("jurat / rules", hard)
    assert runs
    assert {run.conclusion for run in runs} == {"failure"}


class TestExclusion:
    """A stranger cannot fail others' checks by opening their commit elsewhere, for good."""

    async def hurt(self, town: Town, app: App) -> tuple[PullRequest, PullRequest]:
        """One onto a soft branch that passes, and a stranger's of the same commit onto `main`."""
        soften(town)
        actions.push(town.repository, "fix", {"digest.py": BROKEN})
        mine = also(town, by="octocat")
        await town.settle(app)
        theirs = also(town, "main", by="mallory")
        await town.settle(app)
        assert gate(town, mine).conclusion == "failure"
        return mine, theirs

    async def test_it_is_on_record_and_shown(self, town: Town, app: App) -> None:
        mine, theirs = await self.hurt(town, app)
        await said(town, app, mine, f"/jurat exclude #{theirs.number} It is a *stranger's*.")
        assert f"#{theirs.number} does not count for" in replies(mine)[-1]
        run = gate(town, mine)
        assert run.conclusion == "neutral"
        assert "left out by `wendy`: It is a \\*stranger's\\*." in (run.summary or "")
        await said(town, app, theirs, "/recheck")
        assert gate(town, mine).conclusion == "neutral"

    async def test_it_is_taken_back_the_same_way(self, town: Town, app: App) -> None:
        mine, theirs = await self.hurt(town, app)
        await said(town, app, mine, f"/jurat exclude {theirs.number} A stranger's.")
        await said(town, app, mine, f"/jurat include #{theirs.number} I was wrong.")
        assert gate(town, mine).conclusion == "failure"

    async def test_it_ends_when_the_other_goes_to_another_branch(
        self, town: Town, app: App
    ) -> None:
        mine, theirs = await self.hurt(town, app)
        await said(town, app, mine, f"/jurat exclude #{theirs.number} A stranger's.")
        actions.push_commit(town.repository, "release", town.repository.head("main") or "")
        actions.edit_pull_request(theirs, base="release", by="mallory")
        await town.settle(app)
        assert gate(town, mine).conclusion == "failure"

    async def test_the_last_one_left_counts(self, town: Town, app: App) -> None:
        """Left out of a check that nobody else has, it would pass unjudged."""
        mine, theirs = await self.hurt(town, app)
        await said(town, app, mine, f"/jurat exclude #{theirs.number} A stranger's.")
        actions.close(mine)
        await town.settle(app)
        assert gate(town, theirs).conclusion == "failure"

    @pytest.mark.parametrize(
        ("command", "answer"),
        [
            ("exclude", "Which pull request?"),
            ("exclude soon", "Which pull request?"),
            ("exclude #0 no", "Which pull request?"),
            ("exclude #{theirs}", "needs a reason"),
            ("exclude #99 no", "does not have"),
            ("exclude #{mine} no", "does not leave itself out"),
            ("include #{theirs}", "is not left out"),
        ],
    )
    async def test_what_is_wrong_is_told(
        self, town: Town, app: App, command: str, answer: str
    ) -> None:
        mine, theirs = await self.hurt(town, app)
        command = command.format(mine=mine.number, theirs=theirs.number)
        await said(town, app, mine, f"/jurat {command}")
        assert answer in replies(mine)[-1]
        assert gate(town, mine).conclusion == "failure"
