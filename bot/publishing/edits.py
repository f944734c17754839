"""The writes that a review makes on GitHub, as values that can be compared and counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bot.verdicts import Conclusion


@dataclass(frozen=True, slots=True)
class Annotation:
    """A note on lines of a file, in the diff or not. Message up to 64 KB, title 255 characters."""

    path: str
    start_line: int
    end_line: int
    level: Literal["notice", "warning", "failure"]
    title: str
    message: str


@dataclass(frozen=True, slots=True)
class CheckAction:
    """A button. At most 3 a check; label 20, description 40, identifier 20 characters."""

    label: str
    description: str
    identifier: str


@dataclass(frozen=True, slots=True)
class ConcludeCheck:
    """Completes the check run. Annotations may be any number; the adapter sends them by 50."""

    conclusion: Conclusion
    title: str
    summary: str
    text: str = ""
    annotations: tuple[Annotation, ...] = ()
    actions: tuple[CheckAction, ...] = ()


@dataclass(frozen=True, slots=True)
class ReviewComment:
    """One inline comment. `start_line` is None for a single line; both lines lie in one hunk."""

    path: str
    line: int
    body: str
    start_line: int | None = None


@dataclass(frozen=True, slots=True)
class PostReview:
    """One review (event COMMENT) with all new inline comments."""

    body: str
    comments: tuple[ReviewComment, ...]


@dataclass(frozen=True, slots=True)
class EditComment:
    """Replaces the body of a comment that Bylaw wrote earlier."""

    comment_id: int
    body: str


Edit = PostReview | EditComment | ConcludeCheck


@dataclass(frozen=True, slots=True)
class PostedComment:
    """A review comment that Bylaw wrote earlier, as GitHub holds it now.

    `line` is None once the comment is outdated; `commit` is the head it was written on.
    """

    comment_id: int
    path: str
    line: int | None
    body: str
    commit: str
