"""Pull requests that such bots stumble over: forks, drafts, moved repositories, huge diffs."""

from __future__ import annotations

import pytest

from jurat.app.wiring import App
from tests.standins.gemini.reactions import Reaction, Reply, careful
from tests.standins.gemini.reading import Asked
from tests.standins.github import PullRequest, actions
from tests.standins.github.diffs import DiffLimits
from tests.support.town import BASE, BROKEN, Town

CLEAN = BROKEN.replace("md5", "sha512")


def conclusions(town: Town, pull: PullRequest) -> list[str | None]:
    return [run.conclusion for run in town.checks(pull)]


async def test_a_forks_pull_request_is_reviewed_and_can_be_rerequested(
    town: Town, app: App
) -> None:
    fork = actions.fork(town.repository, "contributor")
    actions.push(fork, "fix", {"digest.py": BROKEN}, by="contributor")
    pull = actions.open_pull_request(town.repository, head="contributor:fix", by="contributor")
    await town.settle(app)
    assert len(pull.review_comments) == 1
    actions.rerequest_run(town.check(pull), by="wendy")
    await town.settle(app)
    assert conclusions(town, pull) == ["failure", "failure"]


async def test_a_fork_that_is_deleted_before_the_review_is_reviewed_all_the_same(
    town: Town, app: App
) -> None:
    fork = actions.fork(town.repository, "contributor")
    actions.push(fork, "fix", {"digest.py": BROKEN}, by="contributor")
    pull = actions.open_pull_request(town.repository, head="contributor:fix", by="contributor")
    pull.head_repository = None
    await town.settle(app)
    assert conclusions(town, pull) == ["failure"]


async def test_a_bots_pull_request_is_reviewed_and_its_comments_are_no_commands(
    town: Town, app: App
) -> None:
    town.github.world.account("updater[bot]", "Bot")
    pull = town.open({"digest.py": BROKEN}, by="updater[bot]")
    await town.settle(app)
    assert conclusions(town, pull) == ["failure"]
    actions.comment(pull, "/recheck", by="updater[bot]")
    await town.settle(app)
    assert conclusions(town, pull) == ["failure"]


async def test_a_draft_is_left_alone_until_somebody_asks(town: Town, app: App) -> None:
    actions.push(town.repository, "fix", {"digest.py": BROKEN})
    pull = actions.open_pull_request(town.repository, head="fix", draft=True)
    actions.push(town.repository, "fix", {"more.py": BROKEN})
    await town.settle(app)
    assert conclusions(town, pull) == []
    actions.comment(pull, "/recheck", by="wendy")
    await town.settle(app)
    assert conclusions(town, pull) == ["failure"]


async def test_a_pull_request_without_a_change_is_no_pass_and_blocks_nothing(
    town: Town, app: App
) -> None:
    sha = actions.push(town.repository, "fix", {"digest.py": BASE["digest.py"]}, "Nothing.")
    pull = actions.open_pull_request(town.repository, head="fix")
    await town.settle(app)
    assert pull.head_sha == sha
    assert conclusions(town, pull) == ["neutral"]
    assert town.check(pull).title == "No rule applies"


async def test_a_branch_deleted_before_the_review_leaves_nothing_open(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    actions.delete_branch(town.repository, "fix")
    await town.settle(app)
    assert conclusions(town, pull) == []


async def test_a_pull_request_that_is_closed_while_it_is_reviewed_leaves_no_open_check(
    town: Town, app: App
) -> None:
    pull = town.open({"digest.py": BROKEN})

    def closing(asked: Asked, reply: Reply) -> Reaction:
        actions.close(pull)
        return careful(asked, reply)

    town.gemini.behave(closing)
    await town.settle(app)
    assert conclusions(town, pull) == ["cancelled"]
    assert pull.reviews == []


async def test_a_renamed_repository_is_found_under_its_new_name(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.github.flush()
    actions.rename_repository(town.repository, "acme/store")
    await app.worker.run_due()
    await town.settle(app)
    assert conclusions(town, pull) == ["failure"]
    assert len(pull.review_comments) == 1
    actions.push(town.repository, "fix", {"digest.py": CLEAN})
    await town.settle(app)
    assert conclusions(town, pull) == ["success"]


async def test_a_transferred_repository_goes_on_with_its_new_installation(
    town: Town, app: App
) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    town.github.installed_on("newowner")
    actions.rename_repository(town.repository, "newowner/shop")
    town.github.set_permission(town.repository, "wendy", "write")
    actions.push(town.repository, "fix", {"digest.py": f"# Moved.\n{BROKEN}"})
    await town.settle(app)
    assert conclusions(town, pull) == ["failure"]
    assert len(pull.review_comments) == 1


async def test_two_installations_know_nothing_of_each_other(town: Town, app: App) -> None:
    other = town.github.create_repository("globex/shop", BASE)
    first = town.open({"digest.py": BROKEN})
    actions.push(other, "fix", {"digest.py": BROKEN})
    second = actions.open_pull_request(other, head="fix")
    await town.settle(app)
    runs = [
        run for repository in (town.repository, other) for run in repository.check_runs.values()
    ]
    assert [run.conclusion for run in runs] == ["failure", "failure"]
    assert [len(pull.review_comments) for pull in (first, second)] == [1, 1]


class TestAHugePullRequest:
    """GitHub's limits, made small so that they are met quickly."""

    @pytest.fixture
    def diff_limits(self) -> DiffLimits:
        return DiffLimits(files=3, listed_files=5, file_lines=30)

    async def test_above_the_diffs_limit_it_is_read_file_by_file(
        self, town: Town, app: App
    ) -> None:
        pull = town.open({f"f{number}.py": BROKEN for number in range(5)})
        await town.settle(app)
        assert town.check(pull).conclusion == "failure"
        assert len(pull.review_comments) == 5
        assert "Read 5 of 5 files" in (town.check(pull).summary or "")

    async def test_a_file_whose_patch_is_withheld_is_read_from_its_contents(
        self, town: Town, app: App
    ) -> None:
        long = "x = 1\n" * 40 + BROKEN
        pull = town.open({"a.py": "", "b.py": "", "c.py": "", "long.py": long})
        await town.settle(app)
        check = town.check(pull)
        assert check.conclusion == "failure"
        assert "`long.py:45`" in (check.summary or "")

    async def test_files_that_are_not_even_listed_pass_no_rule(self, town: Town, app: App) -> None:
        pull = town.open({f"f{number}.py": CLEAN for number in range(7)})
        await town.settle(app)
        check = town.check(pull)
        assert check.conclusion == "action_required"
        assert "leaves out 2" in (check.summary or "")
        assert "Passed:" not in (check.summary or "")

    async def test_a_rule_file_that_is_not_even_listed_is_checked(
        self, town: Town, app: App
    ) -> None:
        laxer = BASE["policy/house.yml"].replace("severity: HIGH", "severity: LOW", 1)
        files = {f"a{number}.py": CLEAN for number in range(6)}
        pull = town.open({**files, "policy/house.yml": laxer})
        await town.settle(app)
        (own,) = town.named("jurat / rules", pull)
        assert "`py.no-md5` severity" in (own.summary or "")


class TestAnEnterpriseServer:
    @pytest.fixture
    def enterprise(self) -> bool:
        return True

    async def test_it_is_spoken_to_below_its_own_root(self, town: Town, app: App) -> None:
        assert town.github.api_url.endswith("/api/v3")
        pull = town.open({"digest.py": BROKEN})
        await town.settle(app)
        assert conclusions(town, pull) == ["failure"]
        assert len(pull.review_comments) == 1
