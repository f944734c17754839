"""What `make demo` shows is what a person would want to see, and every suggestion works."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from jurat.cli.demo import run
from jurat.cli.demo_page import CommentView, print_view
from jurat.errors import IncompleteError, UsageError
from jurat.reports.comment import parse_marker
from jurat.source.languages import detect_language
from jurat.source.syntax import is_parsable
from tests.cli.stage import Stage, staged
from tests.standins.github import actions

SPOKEN_OF = {
    ("payments/client.py", "verify=False,"),
    ("web/src/receipt.ts", "rejectUnauthorized: false"),
    ("gateway/client.go", "InsecureSkipVerify: true"),
    ("payments/desk.py", "yaml.load(file)"),
    ("payments/desk.py", "hashlib.md5(payload)"),
    ("payments/ledger.py", "SELECT reference, amount FROM refunds"),
    ("payments/ledger.py", "logger.info("),
}


@pytest.fixture
async def stage() -> Stage:
    async with staged() as running:
        await running.settle()
        yield running


def applied(text: str, comment: CommentView) -> str:
    """A file after the comment's button was pressed."""
    assert comment.suggestion is not None
    lines = text.splitlines(keepends=True)
    lines[comment.start_line - 1 : comment.line] = [comment.suggestion]
    return "".join(lines)


def head_text(stage: Stage, path: str) -> str:
    content = stage.pull.repository.read(path, stage.pull.head_sha)
    assert content is not None
    return content.decode()


async def test_the_check_denies_and_each_comment_stands_on_the_line_it_speaks_of(
    stage: Stage,
) -> None:
    view = stage.view()
    assert view.check.conclusion == "failure"
    commented = [
        (comment.path, "\n".join(line.text for line in view.list_commented_lines(comment)))
        for comment in view.comments
    ]
    for path, code in SPOKEN_OF:
        assert any(path == at and code in text for at, text in commented), (path, code)


async def test_one_call_asks_the_model_and_one_verdict_is_its(stage: Stage) -> None:
    assert len(stage.gemini.asked) == 1
    judged = [item for item in stage.view().comments if "Judged by `gemini" in item.body]
    assert [item.path for item in judged] == ["payments/ledger.py"]


async def test_each_suggestion_applied_alone_leaves_a_file_that_parses(stage: Stage) -> None:
    suggested = [item for item in stage.view().comments if item.suggestion is not None]
    assert len(suggested) >= 3
    for comment in suggested:
        language = detect_language(comment.path)
        assert language is not None
        assert is_parsable(applied(head_text(stage, comment.path), comment), language), comment


async def test_each_suggestion_applied_ends_its_finding(stage: Stage) -> None:
    suggested = [item for item in stage.view().comments if item.suggestion is not None]
    for comment in suggested:
        text = applied(head_text(stage, comment.path), comment)
        actions.push(stage.pull.repository, "nordic-refunds", {comment.path: text})
        await stage.settle()
    ended = [
        marker.state
        for item in stage.view().comments
        if item.suggestion is not None and (marker := parse_marker(item.body))
    ]
    assert ended == ["fixed"] * len(suggested)


async def test_in_a_terminal_a_finding_and_its_place_are_told_apart(stage: Stage) -> None:
    out = io.StringIO()
    print_view(stage.view(), Console(file=out, width=300))
    assert "a statement with email in its text. — payments/ledger.py:25" in out.getvalue()


def test_a_page_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^--page: .* cannot be written: No such file"):
        run(tmp_path / "none" / "demo.html", Console(file=io.StringIO()))


def test_a_review_that_no_job_completed_is_shown_and_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise RuntimeError("out of order")

    monkeypatch.setattr("jurat.app.handlers.JobHandlers.handle", fail)
    page, shown = tmp_path / "demo.html", io.StringIO()
    with pytest.raises(
        IncompleteError, match=r"^The demo's review was not completed: .*RuntimeErr"
    ):
        run(page, Console(file=shown))
    assert "pending" in shown.getvalue()
    assert "pending" in page.read_text()
