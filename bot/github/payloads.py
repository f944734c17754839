"""What Bylaw reads of GitHub's answers. Everything else in them is ignored."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict


class _Payload(BaseModel):
    model_config = ConfigDict(frozen=True)


class AccountPayload(_Payload):
    """A person, an organisation or a bot."""

    id: int
    login: str


class RepositoryPayload(_Payload):
    """`full_name` is "owner/name", as it is called now."""

    full_name: str


class PullRequestBasePayload(_Payload):
    """Where a pull request goes to."""

    sha: str
    ref: str
    repo: RepositoryPayload


class PullRequestHeadPayload(_Payload):
    """Where a pull request comes from. `repo` is None once the fork was deleted."""

    sha: str
    ref: str
    repo: RepositoryPayload | None = None


class LabelPayload(_Payload):
    """A label of a pull request."""

    name: str


class PullRequestPayload(_Payload):
    """A pull request at one moment. `user` is None where the account was deleted."""

    number: int
    title: str
    body: str | None = None
    state: Literal["open", "closed"]
    draft: bool = False
    user: AccountPayload | None = None
    head: PullRequestHeadPayload
    base: PullRequestBasePayload
    labels: tuple[LabelPayload, ...] = ()
    changed_files: int
    html_url: str = ""

    @property
    def repository(self) -> str:
        """The repository it goes to, as it is called now."""
        return self.base.repo.full_name

    @property
    def fork(self) -> bool:
        """Whether the head stands in another repository than the base."""
        return self.head.repo != self.base.repo


class PullRequestRowPayload(_Payload):
    """A pull request in a list."""

    number: int
    head: PullRequestHeadPayload
    draft: bool = False


class PullRequestFilePayload(_Payload):
    """One row of a pull request's list of files.

    `sha` is the blob at head. `patch` is absent for binary and for large files.
    """

    filename: str
    status: Literal["added", "removed", "modified", "renamed", "copied", "changed", "unchanged"]
    sha: str | None = None
    previous_filename: str | None = None
    additions: int = 0
    deletions: int = 0
    patch: str | None = None


class CommitPayload(_Payload):
    """A commit, by its name alone."""

    sha: str


class ComparisonPayload(_Payload):
    """Two commits compared. `files` stand on the first page alone."""

    merge_base_commit: CommitPayload
    files: tuple[PullRequestFilePayload, ...] = ()


class ContentEntryPayload(_Payload):
    """One entry of a folder. `path` is from the repository's root."""

    type: str
    path: str


class GitTreeEntryPayload(_Payload):
    """One entry of a tree. `sha` is the id of what it holds; only a blob has a size."""

    type: str
    mode: str
    path: str
    sha: str
    size: int | None = None


class GitTreePayload(_Payload):
    """A tree and all below it; `truncated` says that GitHub left some out."""

    tree: list[GitTreeEntryPayload]
    truncated: bool


class CheckRunAppPayload(_Payload):
    """The App that a check run belongs to."""

    id: int


class CheckRunOutputPayload(_Payload):
    """What a check run holds so far."""

    annotations_count: int = 0


class CheckRunPayload(_Payload):
    """A check run."""

    id: int
    name: str
    status: str
    conclusion: str | None = None
    external_id: str | None = None
    app: CheckRunAppPayload | None = None
    output: CheckRunOutputPayload


class CheckAnnotationPayload(_Payload):
    """An annotation as GitHub holds it."""

    path: str
    start_line: int
    end_line: int
    annotation_level: str | None = None
    title: str | None = None
    message: str | None = None


class CommentPayload(_Payload):
    """A comment on a diff or on the conversation. `line` is None on an outdated one."""

    id: int
    body: str
    user: AccountPayload | None = None
    path: str = ""
    line: int | None = None
    original_commit_id: str = ""


class ReviewPayload(_Payload):
    """A submitted review."""

    id: int
