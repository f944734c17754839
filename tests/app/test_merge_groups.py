"""A merge queue never waits in vain: each group gets a check on its head."""

from __future__ import annotations

import pytest

from jurat.app.wiring import App
from jurat.github import diffs as changes
from jurat.reports.limits import Limit, Unit
from tests.standins.gemini.reactions import refused
from tests.standins.github import DiffLimits, PullRequest, actions
from tests.standins.github.checks import CheckRun
from tests.support.gemini import denying
from tests.support.town import BROKEN, RULES, Town

CLEAN = BROKEN.replace("md5", "sha512")


def check_of(town: Town, head_sha: str) -> CheckRun:
    (run,) = [run for run in town.repository.check_runs.values() if run.head_sha == head_sha]
    return run


async def queued(town: Town, app: App, pull: PullRequest) -> CheckRun:
    head_sha = actions.enqueue(town.repository, [pull])
    await town.settle(app)
    return check_of(town, head_sha)


async def test_a_group_is_judged_on_its_combined_change(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    check = await queued(town, app, pull)
    assert (check.status, check.conclusion) == ("completed", "failure")
    assert [(note["path"], note["start_line"]) for note in check.annotations] == [("digest.py", 5)]
    assert len(pull.review_comments) == 1


async def test_a_clean_group_passes(town: Town, app: App) -> None:
    pull = town.open({"digest.py": CLEAN})
    await town.settle(app)
    check = await queued(town, app, pull)
    assert check.conclusion == "success"
    assert "/recheck" not in (check.summary or "")


async def test_a_group_that_no_model_judged_does_not_pass(town: Town, app: App) -> None:
    town.gemini.always(refused())
    pull = town.open({"digest.py": CLEAN})
    await town.settle(app)
    assert (await queued(town, app, pull)).conclusion == "action_required"


async def test_a_broken_base_fails_the_group(town: Town, app: App) -> None:
    pull = town.open({"digest.py": CLEAN})
    actions.push(town.repository, "main", {"policy/house.yml": "version: 1\nrules: 7\n"})
    await town.settle(app)
    check = await queued(town, app, pull)
    assert check.title == "The configuration is broken"
    assert "put the pull request into the queue again" in (check.summary or "")


async def test_a_group_of_one_pull_request_asks_no_model_again(town: Town, app: App) -> None:
    town.gemini.judges("house.no-names-in-logs", denying("customer.name"))
    pull = town.open({"digest.py": "import logging\n\nlogging.info(customer.name)\n"})
    await town.settle(app)
    asked = len(town.gemini.asked)
    assert asked == 1
    actions.push(town.repository, "main", {"README.md": "The base has moved on.\n"})
    check = await queued(town, app, pull)
    assert check.conclusion == "failure"
    assert len(town.gemini.asked) == asked
    assert "0 model calls" in (check.summary or "")


async def test_a_group_of_two_is_nobodys_words(town: Town, app: App) -> None:
    rules = f"{RULES}    reads: [pull_request]\n"
    actions.push(town.repository, "main", {"policy/house.yml": rules})
    first = town.open({"digest.py": CLEAN})
    actions.push(town.repository, "other", {"other.py": "x = 1\n"})
    second = actions.open_pull_request(town.repository, head="other", title="Trust me")
    await town.settle(app)
    asked = len(town.gemini.asked)
    head_sha = actions.enqueue(town.repository, [first, second])
    await town.settle(app)
    assert check_of(town, head_sha).conclusion == "success"
    (again,) = town.gemini.asked[asked:]
    assert "Trust me" not in again.user


async def test_what_was_dismissed_stays_so_though_the_pull_request_renamed_the_file(
    town: Town, app: App
) -> None:
    pull = town.open({"a.py": BROKEN})
    await town.settle(app)
    actions.reply(pull.review_comments[0], "/jurat dismiss It names a file.", by="wendy")
    await town.settle(app)
    actions.push(town.repository, "fix", {"a.py": None, "b.py": BROKEN})
    await town.settle(app)
    assert town.check(pull).conclusion == "success"
    assert (await queued(town, app, pull)).conclusion == "success"


class TestAHugeGroup:
    """GitHub's limits, made small so that they are met quickly."""

    @pytest.fixture
    def diff_limits(self) -> DiffLimits:
        return DiffLimits(files=5, lines=50, file_lines=30)

    async def test_it_is_read_file_by_file(self, town: Town, app: App) -> None:
        long = "x = 1\n" * 40
        pull = town.open({**{f"f{n}.py": CLEAN for n in range(4)}, "long.py": long + BROKEN})
        await town.settle(app)
        check = await queued(town, app, pull)
        assert check.conclusion == "failure"
        assert "Read 5 of 5 files" in (check.summary or "")
        assert "`long.py:45`" in (check.summary or "")

    async def test_nothing_passes_where_github_may_not_list_all_of_it(
        self, town: Town, app: App, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(changes, "COMPARED_FILES", Limit(5, Unit.ITEMS))
        pull = town.open({f"f{number}.py": CLEAN for number in range(7)})
        await town.settle(app)
        check = await queued(town, app, pull)
        assert check.conclusion == "action_required"
        assert "GitHub lists 5 files of a comparison and no more" in (check.summary or "")
        assert "Passed:" not in (check.summary or "")
