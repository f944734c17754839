"""What Bylaw reads of GitHub's answers. Everything else in them is ignored."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict


class _Payload(BaseModel):
    model_config = ConfigDict(frozen=True)


class Account(_Payload):
    """A person, an organisation or a bot."""

    id: int
    login: str


class Repository(_Payload):
    """`full_name` is "owner/name", as it is called now."""

    full_name: str


class PullRequestBase(_Payload):
    """Where a pull request goes to."""

    sha: str
    ref: str
    repo: Repository


class PullRequestHead(_Payload):
    """Where a pull request comes from. `repo` is None once the fork was deleted."""

    sha: str
    ref: str
    repo: Repository | None = None


class Label(_Payload):
    """A label of a pull request."""

    name: str


class PullRequest(_Payload):
    """A pull request at one moment. `user` is None where the account was deleted."""

    number: int
    title: str
    body: str | None = None
    state: Literal["open", "closed"]
    draft: bool = False
    user: Account | None = None
    head: PullRequestHead
    base: PullRequestBase
    labels: tuple[Label, ...] = ()
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


class PullRequestRow(_Payload):
    """A pull request in a list."""

    number: int
    head: PullRequestHead
    draft: bool = False


class PullRequestFile(_Payload):
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


class Commit(_Payload):
    """A commit, by its name alone."""

    sha: str


class Comparison(_Payload):
    """Two commits compared. `files` stand on the first page alone."""

    merge_base_commit: Commit
    files: tuple[PullRequestFile, ...] = ()


class ContentEntry(_Payload):
    """One entry of a folder. `path` is from the repository's root."""

    type: str
    path: str


class GitTreeEntry(_Payload):
    """One entry of a tree. `sha` is the id of what it holds; only a blob has a size."""

    type: str
    mode: str
    path: str
    sha: str
    size: int | None = None


class GitTree(_Payload):
    """A tree and all below it; `truncated` says that GitHub left some out."""

    tree: list[GitTreeEntry]
    truncated: bool


class CheckRunApp(_Payload):
    """The App that a check run belongs to."""

    id: int


class CheckRunOutput(_Payload):
    """What a check run holds so far."""

    annotations_count: int = 0


class CheckRun(_Payload):
    """A check run."""

    id: int
    name: str
    status: str
    conclusion: str | None = None
    external_id: str | None = None
    app: CheckRunApp | None = None
    output: CheckRunOutput


class CheckAnnotation(_Payload):
    """An annotation as GitHub holds it."""

    path: str
    start_line: int
    end_line: int
    annotation_level: str | None = None
    title: str | None = None
    message: str | None = None


class Comment(_Payload):
    """A comment on a diff or on the conversation. `line` is None on an outdated one."""

    id: int
    body: str
    user: Account | None = None
    path: str = ""
    line: int | None = None
    original_commit_id: str = ""


class Review(_Payload):
    """A submitted review."""

    id: int
