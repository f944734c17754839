"""A pull request, and the diff it stands for."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from tests.standins.github.accounts import Account
from tests.standins.github.conversation import IssueComment, Review, ReviewComment
from tests.standins.github.diffs import FileDiff
from tests.standins.github.git import EMPTY_TREE, ChangedPath

if TYPE_CHECKING:
    from tests.standins.github.repositories import Repository


@dataclass(eq=False, slots=True)
class PullRequest:
    """One pull request. `head_repository` is None once a fork was deleted."""

    id: int
    number: int
    repository: Repository
    head_repository: Repository | None
    head_ref: str
    head_sha: str
    base_ref: str
    base_sha: str
    title: str
    body: str | None
    author: Account
    draft: bool
    created_at: datetime
    updated_at: datetime
    state: Literal["open", "closed"] = "open"
    locked: bool = False
    closed_at: datetime | None = None
    merged_at: datetime | None = None
    merged_by: Account | None = None
    merge_commit: str | None = None
    labels: list[str] = field(default_factory=list)
    comments: list[IssueComment] = field(default_factory=list)
    reviews: list[Review] = field(default_factory=list)
    review_comments: list[ReviewComment] = field(default_factory=list)

    @property
    def merge_base(self) -> str:
        """Where the three-dot diff starts."""
        return self.base_of(self.head_sha)

    def base_of(self, commit: str) -> str:
        """Where the diff starts that ends at `commit`, a commit of this pull request."""
        tip = self.base_sha
        if self.state == "open":  # commits merged in from the base do not count as changes
            tip = self.repository.head(self.base_ref) or self.base_sha
        return self.repository.git.merge_base(tip, commit) or EMPTY_TREE

    def files(self, commit: str = "") -> tuple[FileDiff, ...]:
        """The changed files at `commit` (the head if unnamed), in git's order."""
        commit = commit or self.head_sha
        return self.repository.diffs.files(self.base_of(commit), commit)

    def changes(self) -> tuple[ChangedPath, ...]:
        """The changed files by name and number, for which no diff is read."""
        return self.repository.git.changed_paths(self.merge_base, self.head_sha)

    def file(self, path: str, commit: str = "") -> FileDiff | None:
        """The changed file at `path`, or None."""
        return next((file for file in self.files(commit) if file.path == path), None)

    def diff(self) -> bytes:
        """The whole diff, as `git diff` prints it."""
        return self.repository.git.patch(self.merge_base, self.head_sha)

    def commits(self) -> tuple[str, ...]:
        """The commits of the pull request, oldest first."""
        base = self.merge_base
        return self.repository.git.log(None if base == EMPTY_TREE else base, self.head_sha)
