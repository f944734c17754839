"""Somebody who would have Jurat speak for them: notify, link, forge a line, or run a command."""

from __future__ import annotations

import re
from pathlib import Path

from jurat.app.wiring import App
from jurat.errors import ExitCode
from tests.attacks.attack import attack
from tests.cli.conftest import Run, run
from tests.support.gfm import show_markdown, show_plain
from tests.support.hostile_text import CORPUS
from tests.support.town import BROKEN, Town

__all__ = ["run"]

LOUD = " ".join(item for item in CORPUS if item.isprintable() and len(item) < 99)
COMMAND = re.compile(r"^\s*::|##\[|##vso\[|[\x00-\x08\x0b-\x1f\x7f\x9b]", re.MULTILINE)


def assert_silent(town: Town) -> None:
    """Nothing that the App wrote notifies, refers to or links anything, or is drawn."""
    said = [comment.body for comment in town.repository.review_comments.values()]
    said += [check.summary or "" for check in town.repository.check_runs.values()]
    assert len(said) > 1
    for text in said:
        shown = show_markdown(text)
        assert not shown.spoken
        links = [item for item in shown.skeleton if item.startswith(("<a", "<img", "<input"))]
        assert not links
    for check in town.repository.check_runs.values():
        assert not show_plain(check.title or "").spoken


@attack(
    "a fork's author",
    tries="mention, refer to and link what they like by a branch, a title, a path and a reason",
    gets="all of it shown as text",
)
async def test_every_text_of_a_pull_request(town: Town, app: App) -> None:
    path = "src/@octocat fixes #1 GH-7 www.evil.example :+1: $x$ [x](y) da39a3ee.py"
    reason = f"jurat: ignore no.such.rule until 2099-01-01 -- {LOUD}"
    pull = town.open({path: f"{BROKEN}# {reason}\n"}, title=LOUD, body=LOUD)
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"
    assert "octocat" in (town.check(pull).summary or "")
    assert_silent(town)


@attack(
    "a fork's author",
    tries="run commands of the build's machine, or of a terminal, by a path and a line of code",
    gets="both shown, and nothing that a runner or a terminal obeys",
)
def test_what_a_build_prints(run: Run, tmp_path: Path) -> None:
    line = 'x = hashlib.md5(b"##[add-path]/tmp ::set-output name=a::b \x1b]0;mine\x07")'
    (tmp_path / "change.diff").write_text(
        f"--- /dev/null\n+++ b/::error ##[set-env name=A]b.py\n@@ -0,0 +1,2 @@\n"
        f"+import hashlib\n+{line}\n"
    )
    for form in ("text", "json", "sarif"):
        done = run("review", "--diff", "change.diff", "--format", form)
        assert done.code == ExitCode.INCOMPLETE  # some of the rules want a model
        assert "add-path" in done.out
        assert not COMMAND.search(done.out + done.err)
