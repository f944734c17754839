"""A pull request as GitHub would show it, from what GitHub holds after a review."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.subjects.change import FileChange, Line
from bot.subjects.diff import parse_diff

Json = Mapping[str, Any]

_SUGGESTION = re.compile(r"^(`{3,})suggestion[^\n]*\n(.*?)^\1\s*$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class CommentView:
    """An inline comment on head lines `start_line` to `line` of `path`."""

    author: str
    path: str
    start_line: int
    line: int
    body: str

    @property
    def suggestion(self) -> str | None:
        """The lines a click would put in place of the commented ones; None without a button."""
        match = _SUGGESTION.search(self.body)
        return match[2] if match else None


@dataclass(frozen=True, slots=True)
class AnnotationView:
    """A note of the check on a line."""

    path: str
    start_line: int
    level: str
    title: str
    message: str


@dataclass(frozen=True, slots=True)
class CheckView:
    """The check run."""

    name: str
    status: str
    conclusion: str
    title: str
    summary: str
    annotations: tuple[AnnotationView, ...]
    buttons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PullRequestView:
    """Everything that a person sees of a pull request after a review."""

    repository: str
    number: int
    title: str
    body: str
    author: str
    base: str
    head: str
    head_sha: str
    files: tuple[FileChange, ...]
    check: CheckView
    review_body: str
    comments: tuple[CommentView, ...]

    def comments_on(self, path: str, line: int | None) -> tuple[CommentView, ...]:
        """The comments that GitHub shows below one head line."""
        return tuple(
            comment for comment in self.comments if comment.path == path and comment.line == line
        )

    def commented_lines(self, comment: CommentView) -> tuple[Line, ...]:
        """The head lines that a comment stands on."""
        return tuple(
            line
            for file in self.files
            if file.path == comment.path
            for hunk in file.hunks
            for line in hunk.lines
            if line.new is not None and comment.start_line <= line.new <= comment.line
        )


def view_of(
    pull: Json,
    diff: bytes,
    *,
    checks: Sequence[Json],
    reviews: Sequence[Json],
    comments: Sequence[Json],
    check_name: str = "bylaw",
) -> PullRequestView:
    """A pull request with its newest check of that name, and all reviews and comments.

    All but the diff is as the REST API has it; a check run has its annotations and actions too, as
    they were sent.
    """
    runs = [
        run
        for run in checks
        if run["head_sha"] == pull["head"]["sha"] and run["name"] == check_name
    ]
    return PullRequestView(
        repository=pull["base"]["repo"]["full_name"],
        number=pull["number"],
        title=pull["title"],
        body=pull["body"] or "",
        author=pull["user"]["login"],
        base=pull["base"]["ref"],
        head=pull["head"]["ref"],
        head_sha=pull["head"]["sha"],
        files=parse_diff(diff).files,
        check=_check(runs[-1] if runs else None, check_name),
        review_body="\n\n".join(review["body"] for review in reviews),
        comments=tuple(_comment(item) for item in comments),
    )


def _check(run: Json | None, name: str) -> CheckView:
    if run is None:
        return CheckView(name, "missing", "pending", "No check has been reported", "", ())
    output = run["output"]
    return CheckView(
        name=run["name"],
        status=run["status"],
        conclusion=run["conclusion"] or "pending",
        title=output["title"] or "",
        summary=output["summary"] or "",
        buttons=tuple(action["label"] for action in run.get("actions", ())),
        annotations=tuple(
            AnnotationView(
                note["path"],
                note["start_line"],
                note["annotation_level"],
                note.get("title", ""),
                note["message"],
            )
            for note in output.get("annotations", ())
        ),
    )


def _comment(comment: Json) -> CommentView:
    """An outdated comment, whose line is null, keeps the line it was written on."""
    old = "" if comment["line"] else "original_"
    line = comment[f"{old}line"] or 1
    first = comment.get(f"{old}start_line") or line
    return CommentView(comment["user"]["login"], comment["path"], first, line, comment["body"])
