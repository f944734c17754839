"""The button "Apply fixes": one commit by the App with the clicker, or the reason why not."""

from __future__ import annotations

import pytest

from jurat.app.wiring import App
from jurat.reports.check_run import APPLY_FIXES
from tests.standins.gemini.reading import Asked, ListedRule
from tests.standins.gemini.script import Verdict, allowed, denied
from tests.standins.github import PullRequest, StandIn, actions
from tests.standins.github.faults import Fault
from tests.standins.github.git import Executable
from tests.standins.github.standin import PERMISSIONS
from tests.support.town import BROKEN, Town

FIXED = BROKEN.replace("md5", "sha256")


@pytest.fixture
def permissions() -> dict[str, str]:
    """An App that may commit."""
    return PERMISSIONS | {"contents": "write"}


async def clicked(town: Town, app: App, pull: PullRequest, by: str = "wendy") -> None:
    actions.click(town.check(pull), APPLY_FIXES, by=by)
    await town.settle(app)


def texts(town: Town, *paths: str) -> list[str]:
    return [(town.repository.read(path, "fix") or b"").decode() for path in paths]


async def test_all_fixes_are_one_commit_with_the_clicker(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN, "lib/more.py": BROKEN, "lib/readme.py": "x = 1\n"})
    await town.settle(app)
    before = pull.head_sha
    await clicked(town, app, pull)
    assert texts(town, "digest.py", "lib/more.py") == [FIXED, FIXED]
    commit = town.repository.git.read_commit(pull.head_sha)
    assert commit.parents == (before,)
    assert commit.author.name == "jurat[bot]"
    wendy = town.github.world.account("wendy")
    assert commit.message.rstrip("\n") == (
        "Apply 2 fixes checked by Jurat\n\n"
        "- digest.py (1 fix, 1 rule re-run)\n"
        "- lib/more.py (1 fix, 1 rule re-run)\n\n"
        f"Jurat-Fixes: {before}\n"
        f"Co-authored-by: wendy <{wendy.id}+wendy@users.noreply.github.com>"
    )
    assert town.check(pull).conclusion == "success"
    assert all(item.body.startswith("> ✔ Fixed in ") for item in pull.review_comments)
    assert pull.comments == []


async def test_a_file_keeps_its_mode_and_its_line_ends(town: Town, app: App) -> None:
    crlf = BROKEN.replace("\n", "\r\n")
    pull = town.open({"run.py": Executable(crlf.encode())})  # type: ignore[dict-item]
    await town.settle(app)
    await clicked(town, app, pull)
    assert texts(town, "run.py") == [crlf.replace("md5", "sha256")]
    modes = {item.path: item.mode for item in town.repository.git.list_tree(pull.head_sha)}
    assert modes["run.py"] == "100755"


async def test_there_is_no_button_where_nothing_can_be_fixed(town: Town, app: App) -> None:
    pull = town.open({"digest.py": FIXED.replace("256", "512")})
    await town.settle(app)
    assert town.check(pull).actions == []


async def test_a_button_of_an_older_head_says_that_the_branch_moved(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    old = town.check(pull)
    sha = actions.push(town.repository, "fix", {"more.py": BROKEN})
    await town.settle(app)
    actions.click(old, APPLY_FIXES, by="wendy")
    await town.settle(app)
    assert pull.head_sha == sha
    assert "The branch has moved on since that check" in pull.comments[-1].body


async def test_a_click_that_comes_twice_commits_once_and_says_nothing(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    check = town.check(pull)
    await clicked(town, app, pull)
    head = pull.head_sha
    actions.click(check, APPLY_FIXES, by="wendy")
    await town.settle(app)
    assert pull.head_sha == head
    assert pull.comments == []


async def test_a_branch_that_moves_while_the_fixes_are_worked_out_is_left_alone(
    town: Town, app: App
) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)

    def moving(_method: str, path: str) -> Fault | None:
        if path.endswith("/contents/policy"):
            town.github.faults.clear()
            actions.push(town.repository, "fix", {"more.py": "x = 1\n"})
        return None

    town.github.faults.append(moving)
    await clicked(town, app, pull)
    assert texts(town, "digest.py") == [BROKEN]
    (told,) = pull.comments
    assert "The branch moved meanwhile" in told.body


async def test_a_protected_branch_is_left_alone(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    town.repository.protected.add("fix")
    await clicked(town, app, pull)
    assert texts(town, "digest.py") == [BROKEN]
    assert "Changes must be made through a pull request" in pull.comments[-1].body


async def test_a_fork_is_left_alone(town: Town, app: App) -> None:
    fork = actions.fork(town.repository, "contributor")
    actions.push(fork, "fix", {"digest.py": BROKEN}, by="contributor")
    pull = actions.open_pull_request(town.repository, head="contributor:fix", by="contributor")
    await town.settle(app)
    await clicked(town, app, pull)
    assert "The branch is in a fork" in pull.comments[-1].body


async def test_someone_who_may_only_read_is_refused(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    await clicked(town, app, pull, by="rita")
    assert texts(town, "digest.py") == [BROKEN]
    assert "Only people with write permission can ask for that." in pull.comments[-1].body


@pytest.mark.parametrize(
    ("replacement", "told"),
    [
        ("logging.info(customer.id)", "```suggestion\nlogging.info(customer.id)\n```"),
        ("logging.info(customer.id", "by hand (the file would no longer parse)"),
        ("logging.info(hashlib.md5(name))", "by hand (it would break py.no-md5)"),
    ],
)
async def test_a_models_fix_is_tried_as_well_and_left_to_people(
    town: Town, app: App, replacement: str, told: str
) -> None:
    def judged(asked: Asked, rule: ListedRule) -> Verdict:
        for shown in asked.about(rule):
            for line in shown.lines:
                if "customer.name" in line.text:
                    verdict = denied(asked, rule, shown, line)
                    fix = {"type": "replace", "replacement": replacement}
                    verdict["findings"][0]["remediation"] = fix
                    return verdict
        return allowed(asked, rule)

    town.gemini.judges("house.no-names-in-logs", judged)
    pull = town.open({"log.py": "import logging\n\nlogging.info(customer.name)\n"})
    await town.settle(app)
    (comment,) = pull.review_comments
    assert told in comment.body.replace("\\", "")
    assert ("Checked: parses, 1 rule re-run." in comment.body) == ("```suggestion" in comment.body)
    offered = [action["identifier"] for action in town.check(pull).actions]
    assert "apply_fixes" not in offered


class TestAnAppThatMayOnlyRead:
    @pytest.fixture
    def permissions(self) -> dict[str, str]:
        return dict(PERMISSIONS)

    async def test_it_says_what_to_do(self, town: Town, app: App) -> None:
        pull = town.open({"digest.py": BROKEN})
        await town.settle(app)
        await clicked(town, app, pull)
        assert "*Contents: Read and write*" in pull.comments[-1].body
        assert texts(town, "digest.py") == [BROKEN]


async def test_a_click_asks_no_model_again(town: Town, app: App, github: StandIn) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    asked = len(town.gemini.asked)
    town.repository.protected.add("fix")
    await clicked(town, app, pull)
    assert len(town.gemini.asked) == asked
