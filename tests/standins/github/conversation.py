"""What is said in a pull request: comments, reviews, comments on lines, reactions."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from tests.standins.github.accounts import Account, App
from tests.standins.github.diffs import Side

if TYPE_CHECKING:
    from tests.standins.github.pulls import PullRequest

REACTIONS = ("+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes")

ReviewState = Literal["COMMENTED", "APPROVED", "CHANGES_REQUESTED", "PENDING", "DISMISSED"]


@dataclass(frozen=True, slots=True)
class Reaction:
    """One person's reaction; each person has each reaction at most once."""

    id: int
    user: Account
    content: str
    created_at: datetime


@dataclass(eq=False, slots=True)
class IssueComment:
    """A comment in the conversation. `app` is the App that wrote it, if one did."""

    id: int
    pull: PullRequest
    user: Account
    body: str
    created_at: datetime
    updated_at: datetime
    app: App | None = None
    reactions: list[Reaction] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Review:
    """A submitted (or pending) review."""

    id: int
    pull: PullRequest
    user: Account
    body: str
    state: ReviewState
    commit: str
    submitted_at: datetime | None


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where a comment was put, in the diff of the commit it was written on.

    `line` is None for a comment on the file; `start_line` is None for a single line.
    """

    path: str
    commit: str
    base: str
    line: int | None = None
    side: Side = "RIGHT"
    start_line: int | None = None
    start_side: Side | None = None
    position: int = 1
    hunk: str = ""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a comment stands in the current diff; all None once it is outdated."""

    line: int | None
    start_line: int | None
    position: int | None
    commit: str


@dataclass(eq=False, slots=True)
class ReviewComment:
    """A comment on lines of the diff, or on a file of it."""

    id: int
    pull: PullRequest
    review: Review
    user: Account
    body: str
    anchor: Anchor
    created_at: datetime
    updated_at: datetime
    in_reply_to: ReviewComment | None = None
    reactions: list[Reaction] = field(default_factory=list)
    resolved: bool = False
    """Of the comment that began a thread: whether that is resolved."""

    def placement(self) -> Placement:
        """Where the comment stands now. It goes with its lines until one of them changes."""
        anchor, pull = self.anchor, self.pull
        if anchor.line is None:
            gone = pull.file(anchor.path) is None
            return Placement(None, None, None if gone else 1, self._commit(outdated=gone))
        if anchor.side == "RIGHT":
            before, after = anchor.commit, pull.head_sha
        else:
            before, after = anchor.base, pull.merge_base
        first = anchor.start_line if anchor.start_side in (anchor.side, None) else None
        path = anchor.path if anchor.side == "RIGHT" else self._old_path()
        moved = pull.repository.diffs.follow(before, after, path, first or anchor.line, anchor.line)
        file = pull.file(anchor.path)
        if moved is None or file is None:
            return Placement(None, None, None, anchor.commit)
        shown = file.find(anchor.side, anchor.line + moved)
        if shown is None:
            return Placement(None, None, None, anchor.commit)
        return Placement(
            line=anchor.line + moved,
            # A start on the other side of the diff does not move with this one.
            start_line=first + moved if first is not None else anchor.start_line,
            position=shown.position,
            commit=pull.head_sha,
        )

    @property
    def outdated(self) -> bool:
        """Whether the lines it stands on are no longer in the diff."""
        return self.placement().position is None

    def _commit(self, *, outdated: bool) -> str:
        return self.anchor.commit if outdated else self.pull.head_sha

    def _old_path(self) -> str:
        file = self.pull.file(self.anchor.path, self.anchor.commit)
        return file.change.old_path if file else self.anchor.path
