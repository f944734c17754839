"""What Jurat reads of GitHub's answers. Everything else in them is ignored.

https://docs.github.com/en/rest
"""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

# What becomes part of a URL or of a job's key is checked here, once.
Name = Annotated[str, StringConstraints(pattern=r"^\.?[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$")]
Sha = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")]
Id = Annotated[int, Field(gt=0, lt=2**63)]
Number = Annotated[int, Field(gt=0, lt=2**31)]
Word = Annotated[str, StringConstraints(min_length=1, max_length=255)]


class StrictPayload(BaseModel):
    """A part of an event: each value is of its type already, as what was signed says it."""

    model_config = ConfigDict(frozen=True, strict=True)


class IdPayload(StrictPayload):
    """An App, an installation or a repository, by its id alone."""

    id: Id


class GitObjectPayload(StrictPayload):
    """A commit or a tree, by its name alone."""

    sha: Sha


class _Payload(BaseModel):
    model_config = ConfigDict(frozen=True)


class AccountPayload(_Payload):
    """A person, an organisation or a bot."""

    id: int
    login: str


class RepositoryPayload(_Payload):
    """`full_name` is "owner/name", as it is called now; `id` stays if it is renamed or moves."""

    id: int
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
    """A pull request at one moment. `user` is None if the account was deleted."""

    number: int
    title: str
    body: str | None = None
    state: Literal["open", "closed"]
    draft: bool = False
    locked: bool = False
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
    def repository_id(self) -> int:
        """The same repository, whatever it is called."""
        return self.base.repo.id

    @property
    def fork(self) -> bool:
        """Whether the head stands in another repository than the base."""
        return self.head.repo != self.base.repo


class PullRequestRowPayload(_Payload):
    """A pull request in a list."""

    number: int
    head: PullRequestHeadPayload
    base: PullRequestBasePayload
    draft: bool = False
    user: CommitAccountPayload | None = None
    merged_at: str | None = None


class CommitAccountPayload(_Payload):
    """Whose a commit is. GitHub says `{}` or null if the e-mail address is no account's."""

    id: int | None = None
    login: str = ""


class VerificationPayload(_Payload):
    """What GitHub says of a commit's signature."""

    verified: bool = False


class CommitDetailPayload(_Payload):
    """What stands in the commit itself."""

    verification: VerificationPayload = VerificationPayload()


class PullRequestCommitPayload(_Payload):
    """A commit of a pull request."""

    author: CommitAccountPayload | None = None
    committer: CommitAccountPayload | None = None
    parents: tuple[GitObjectPayload, ...] = ()
    commit: CommitDetailPayload = CommitDetailPayload()

    @property
    def made_by_github(self) -> bool:
        """Whether GitHub itself merged the base into the branch, for whoever pressed that button.

        It signs such a commit, so that nobody else can make one.
        """
        committer = self.committer.login if self.committer else ""
        signed = committer == "web-flow" and self.commit.verification.verified
        return signed and len(self.parents) > 1


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


class ComparisonPayload(_Payload):
    """Two commits compared. `files` stand on the first page alone."""

    merge_base_commit: GitObjectPayload
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


class CheckRunOutputPayload(_Payload):
    """What a check run holds so far."""

    title: str | None = None
    summary: str | None = None
    annotations_count: int = 0


class CheckRunPayload(_Payload):
    """A check run."""

    id: int
    name: str
    status: str
    conclusion: str | None = None
    external_id: str | None = None
    app: IdPayload | None = None
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
    node_id: str = ""
    body: str
    user: AccountPayload | None = None
    path: str = ""
    line: int | None = None
    original_commit_id: str = ""


class ReviewPayload(_Payload):
    """A submitted review."""

    id: int


class InstalledRepositoryPayload(_Payload):
    """A repository that an installation reaches."""

    id: int
    full_name: str
    default_branch: str
    archived: bool = False


class HookDeliveryPayload(_Payload):
    """One attempt at a delivery. `status_code` is what we answered, 0 or less if we did not."""

    id: int
    guid: str
    event: str
    action: str | None = None
    delivered_at: dt.datetime
    status: str
    status_code: int

    @property
    def arrived(self) -> bool:
        """Whether the App answered that it took the delivery on."""
        return 200 <= self.status_code < 300
