"""Threads of findings that are fixed are resolved, if the App may; a person's deletion stands."""

from __future__ import annotations

import pytest
from sqlalchemy import delete

from jurat.app.wiring import App
from jurat.reports.comment import parse_marker
from jurat.store.tables import comment_history
from tests.standins.github import actions
from tests.standins.github.auth import InstallationCaller
from tests.standins.github.faults import BAD_GATEWAY, DROPPED, Fault, always, secondary_limit
from tests.standins.github.pulls import PullRequest
from tests.standins.github.standin import PERMISSIONS
from tests.support.town import BROKEN, Town

CLEAN = BROKEN.replace("md5", "sha512")


@pytest.fixture
def permissions(request: pytest.FixtureRequest) -> dict[str, str]:
    """Contents too may be written, unless a test says what the owner granted."""
    return {**PERMISSIONS, "contents": getattr(request, "param", "write")}


def states(pull: PullRequest) -> list[tuple[str, bool]]:
    """What each comment says of its finding, and whether its thread is resolved."""
    markers = [(parse_marker(item.body), item.resolved) for item in pull.review_comments]
    return [(marker.state, resolved) for marker, resolved in markers if marker]


async def test_a_thread_is_resolved_by_the_commit_that_fixes_it_and_opened_again(
    town: Town, app: App
) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    broken = pull.head_sha
    assert states(pull) == [("open", False)]
    actions.push(town.repository, "fix", {"digest.py": CLEAN})
    await town.settle(app)
    assert states(pull) == [("fixed", True)]
    assert pull.head_sha[:12] in pull.review_comments[0].body
    actions.push_commit(town.repository, "fix", broken)
    await town.settle(app)
    assert states(pull) == [("open", False)]


async def test_a_thread_that_a_person_opened_again_is_left_open(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    actions.push(town.repository, "fix", {"digest.py": CLEAN})
    await town.settle(app)
    pull.review_comments[0].resolved = False
    actions.push(town.repository, "fix", {"digest.py": f"{CLEAN}\n"})
    await town.settle(app)
    assert states(pull) == [("fixed", False)]


async def test_only_what_resolves_may_write_contents(town: Town, app: App) -> None:
    town.open({"digest.py": BROKEN})
    await town.settle(app)

    def writers() -> list[InstallationCaller]:
        issued = town.github.gate.issued
        return [token for token in issued if token.permissions.get("contents") == "write"]

    assert writers() == []
    actions.push(town.repository, "fix", {"digest.py": CLEAN})
    await town.settle(app)
    (token,) = writers()
    assert set(token.permissions) <= {"contents", "pull_requests", "metadata"}
    assert token.selected == frozenset({town.repository.id})


@pytest.mark.parametrize("permissions", ["read"], indirect=True)
async def test_without_the_permission_the_comment_says_it(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    actions.push(town.repository, "fix", {"digest.py": CLEAN})
    await town.settle(app)
    assert states(pull) == [("fixed", False)]
    assert town.check(pull).conclusion == "success"


@pytest.mark.parametrize(
    "fault", [BAD_GATEWAY, DROPPED, Fault(404, "Not Found"), secondary_limit(1)]
)
async def test_no_check_waits_for_graphql(town: Town, app: App, fault: Fault) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    town.github.faults.append(always(fault, "POST", "/graphql"))
    actions.push(town.repository, "fix", {"digest.py": CLEAN})
    await town.settle(app)
    assert states(pull) == [("fixed", False)]
    assert town.check(pull).conclusion == "success"


class TestOnAServerOfOnesOwn:
    @pytest.fixture
    def enterprise(self) -> bool:
        return True

    async def test_threads_are_resolved_beside_its_rest_api(self, town: Town, app: App) -> None:
        pull = town.open({"digest.py": BROKEN})
        await town.settle(app)
        actions.push(town.repository, "fix", {"digest.py": CLEAN})
        await town.settle(app)
        assert states(pull) == [("fixed", True)]


async def test_a_comment_that_a_person_deleted_is_not_posted_again(town: Town, app: App) -> None:
    other = "import hashlib\n\n\ndef other(data):\n    return hashlib.md5(data)\n"
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    (comment,) = pull.review_comments
    actions.delete_comment(comment, by="wendy")
    actions.push(town.repository, "fix", {"digest.py": f"{BROKEN}\n", "other.py": other})
    await town.settle(app)
    # What is new is said; what was deleted stands in the check alone, which still blocks.
    assert [item.anchor.path for item in pull.review_comments] == ["other.py"]
    check = town.check(pull)
    assert check.conclusion == "failure"
    assert [note["path"] for note in check.annotations] == ["digest.py"]
    actions.push(town.repository, "fix", {"digest.py": CLEAN, "other.py": other})
    await town.settle(app)
    actions.push(town.repository, "fix", {"digest.py": BROKEN, "other.py": other})
    await town.settle(app)
    assert [item.anchor.path for item in pull.review_comments] == ["other.py"]


async def test_a_deletion_is_known_though_the_job_ended_right_after_it_posted(
    town: Town, app: App
) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    async with app.database.writing() as connection:
        await connection.execute(delete(comment_history))
    # The next review finds the comment, and knows from there on that there was one.
    actions.push(town.repository, "fix", {"digest.py": f"{BROKEN}\n"})
    await town.settle(app)
    actions.delete_comment(pull.review_comments[0], by="wendy")
    actions.push(town.repository, "fix", {"digest.py": f"{BROKEN}\n\n"})
    await town.settle(app)
    assert pull.review_comments == []
