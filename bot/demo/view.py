"""A pull request as GitHub would show it, from what the stand-in holds after a review."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.demo.github.checks import CheckRun
from bot.demo.github.conversation import ReviewComment
from bot.demo.github.pulls import PullRequest
from bot.subjects.change import FileChange, Line
from bot.subjects.diff import parse_diff

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


def view_of(pull: PullRequest, check_name: str = "bylaw") -> PullRequestView:
    """What the stand-in holds of a pull request: its newest check, all reviews and comments."""
    runs = [
        run
        for run in pull.repository.check_runs.values()
        if run.head_sha == pull.head_sha and run.name == check_name
    ]
    return PullRequestView(
        repository=pull.repository.full_name,
        number=pull.number,
        title=pull.title,
        body=pull.body or "",
        author=pull.author.login,
        base=pull.base_ref,
        head=pull.head_ref,
        head_sha=pull.head_sha,
        files=parse_diff(pull.diff()).files,
        check=_check(runs[-1] if runs else None, check_name),
        review_body="\n\n".join(review.body for review in pull.reviews),
        comments=tuple(_comment(item) for item in pull.review_comments),
    )


def _check(run: CheckRun | None, name: str) -> CheckView:
    if run is None:
        return CheckView(name, "missing", "pending", "No check has been reported", "", ())
    return CheckView(
        name=run.name,
        status=run.status,
        conclusion=run.conclusion or "pending",
        title=run.title or "",
        summary=run.summary or "",
        buttons=tuple(action["label"] for action in run.actions),
        annotations=tuple(
            AnnotationView(
                note["path"],
                note["start_line"],
                note["annotation_level"],
                note.get("title", ""),
                note["message"],
            )
            for note in run.annotations
        ),
    )


def _comment(comment: ReviewComment) -> CommentView:
    """An outdated comment keeps the line it was written on."""
    now = comment.placement()
    line = now.line or comment.anchor.line or 1
    first = now.start_line if now.line else comment.anchor.start_line
    return CommentView(comment.user.login, comment.anchor.path, first or line, line, comment.body)
