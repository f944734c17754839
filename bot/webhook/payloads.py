"""What Bylaw reads of GitHub's webhook payloads. Everything else in them is ignored.

https://docs.github.com/en/webhooks/webhook-events-and-payloads
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

# What becomes part of a URL or of a job's key is checked here, once.
Name = Annotated[str, StringConstraints(pattern=r"^\.?[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$")]
Sha = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")]
Id = Annotated[int, Field(gt=0, lt=2**63)]
Number = Annotated[int, Field(gt=0, lt=2**31)]
Word = Annotated[str, StringConstraints(min_length=1, max_length=255)]


class _Payload(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)


class Owner(_Payload):
    """The person or organisation that a repository belongs to."""

    login: Name


class Repository(_Payload):
    """The repository that an event is about."""

    id: Id
    name: Name
    owner: Owner


class Account(_Payload):
    """Whoever did something. `type` is User, Bot, Organization or Mannequin."""

    id: Id
    login: Word
    type: str = "User"


class Installation(_Payload):
    """The installation that an event was sent to; absent for a webhook that is no App's."""

    id: Id


class Envelope(_Payload):
    """What every event of a repository carries."""

    repository: Repository
    installation: Installation
    sender: Account | None = None


class Head(_Payload):
    """The head of a pull request."""

    sha: Sha


class PullRequest(_Payload):
    """A pull request. `updated_at` tells two events of one head apart."""

    number: Number
    head: Head
    draft: bool = False
    merged: bool = False
    updated_at: Word


class PullRequestEvent(Envelope):
    """`pull_request`. `changes` says what an edit changed."""

    pull_request: PullRequest
    changes: Mapping[str, Any] = Field(default_factory=dict)


class Comment(_Payload):
    """A comment. `user` is None where the account was deleted.

    `in_reply_to_id` is the first comment of the thread on the diff that it was written into.
    """

    id: Id
    in_reply_to_id: Id | None = None
    body: str | None = None
    user: Account | None = None
    updated_at: Word


class Issue(_Payload):
    """An issue; a pull request where `pull_request` is there."""

    number: Number
    pull_request: Mapping[str, Any] | None = None


class IssueCommentEvent(Envelope):
    """`issue_comment`."""

    issue: Issue
    comment: Comment


class ReviewCommentEvent(Envelope):
    """`pull_request_review_comment`."""

    pull_request: PullRequest
    comment: Comment


class App(_Payload):
    """The App that a check belongs to."""

    id: Id


class BaseRepository(_Payload):
    """The repository a pull request goes to."""

    id: Id


class Base(_Payload):
    """The base of a pull request that a check names."""

    repo: BaseRepository


class CheckedPullRequest(_Payload):
    """A pull request that a check names. It may be another repository's, that has the same head."""

    number: Number
    base: Base


class CheckRun(_Payload):
    """A check run. `pull_requests` is empty for the head of a fork."""

    id: Id
    name: Word
    head_sha: Sha
    external_id: str | None = None
    app: App | None = None
    pull_requests: tuple[CheckedPullRequest, ...] = Field(default=(), strict=False)


class RequestedAction(_Payload):
    """The button that was pressed."""

    identifier: Word


class CheckRunEvent(Envelope):
    """`check_run`."""

    check_run: CheckRun
    requested_action: RequestedAction | None = None


class CheckSuite(_Payload):
    """A check suite."""

    id: Id
    head_sha: Sha
    app: App | None = None
    pull_requests: tuple[CheckedPullRequest, ...] = Field(default=(), strict=False)


class CheckSuiteEvent(Envelope):
    """`check_suite`."""

    check_suite: CheckSuite


class MergeGroup(_Payload):
    """A group of pull requests that the merge queue wants checked together."""

    head_sha: Sha
    head_ref: Word
    base_sha: Sha
    base_ref: Word


class MergeGroupEvent(Envelope):
    """`merge_group`."""

    merge_group: MergeGroup


class InstallationAccount(_Payload):
    """A person or organisation has a login, an enterprise a slug."""

    login: str | None = None
    slug: str | None = None


class InstallationOwner(_Payload):
    """An installation and the account it belongs to."""

    id: Id
    account: InstallationAccount | None = None


class InstallationEvent(_Payload):
    """`installation` and `installation_repositories`."""

    installation: InstallationOwner
