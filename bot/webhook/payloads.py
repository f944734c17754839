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


class _EventPayload(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)


class OwnerPayload(_EventPayload):
    """The person or organisation that a repository belongs to."""

    login: Name


class EventRepositoryPayload(_EventPayload):
    """The repository that an event is about."""

    id: Id
    name: Name
    owner: OwnerPayload


class EventAccountPayload(_EventPayload):
    """Whoever did something. `type` is User, Bot, Organization or Mannequin."""

    id: Id
    login: Word
    type: str = "User"


class InstallationPayload(_EventPayload):
    """The installation that an event was sent to; absent for a webhook that is no App's."""

    id: Id


class EnvelopePayload(_EventPayload):
    """What every event of a repository carries."""

    repository: EventRepositoryPayload
    installation: InstallationPayload
    sender: EventAccountPayload | None = None


class HeadPayload(_EventPayload):
    """The head of a pull request."""

    sha: Sha


class EventPullRequestPayload(_EventPayload):
    """A pull request. `updated_at` tells two events of one head apart."""

    number: Number
    head: HeadPayload
    draft: bool = False
    merged: bool = False
    updated_at: Word


class PullRequestEventPayload(EnvelopePayload):
    """`pull_request`. `changes` says what an edit changed."""

    pull_request: EventPullRequestPayload
    changes: Mapping[str, Any] = Field(default_factory=dict)


class EventCommentPayload(_EventPayload):
    """A comment. `user` is None where the account was deleted.

    `in_reply_to_id` is the first comment of the thread on the diff that it was written into.
    """

    id: Id
    in_reply_to_id: Id | None = None
    body: str | None = None
    user: EventAccountPayload | None = None
    updated_at: Word


class IssuePayload(_EventPayload):
    """An issue; a pull request where `pull_request` is there."""

    number: Number
    pull_request: Mapping[str, Any] | None = None


class IssueCommentEventPayload(EnvelopePayload):
    """`issue_comment`."""

    issue: IssuePayload
    comment: EventCommentPayload


class ReviewCommentEventPayload(EnvelopePayload):
    """`pull_request_review_comment`."""

    pull_request: EventPullRequestPayload
    comment: EventCommentPayload


class AppPayload(_EventPayload):
    """The App that a check belongs to."""

    id: Id


class BaseRepositoryPayload(_EventPayload):
    """The repository a pull request goes to."""

    id: Id


class BasePayload(_EventPayload):
    """The base of a pull request that a check names."""

    repo: BaseRepositoryPayload


class CheckedPullRequestPayload(_EventPayload):
    """A pull request that a check names. It may be another repository's, that has the same head."""

    number: Number
    base: BasePayload


class EventCheckRunPayload(_EventPayload):
    """A check run. `pull_requests` is empty for the head of a fork."""

    id: Id
    name: Word
    head_sha: Sha
    external_id: str | None = None
    app: AppPayload | None = None
    pull_requests: tuple[CheckedPullRequestPayload, ...] = Field(default=(), strict=False)


class RequestedActionPayload(_EventPayload):
    """The button that was pressed."""

    identifier: Word


class CheckRunEventPayload(EnvelopePayload):
    """`check_run`."""

    check_run: EventCheckRunPayload
    requested_action: RequestedActionPayload | None = None


class CheckSuitePayload(_EventPayload):
    """A check suite."""

    id: Id
    head_sha: Sha
    app: AppPayload | None = None
    pull_requests: tuple[CheckedPullRequestPayload, ...] = Field(default=(), strict=False)


class CheckSuiteEventPayload(EnvelopePayload):
    """`check_suite`."""

    check_suite: CheckSuitePayload


class MergeGroupPayload(_EventPayload):
    """A group of pull requests that the merge queue wants checked together."""

    head_sha: Sha
    head_ref: Word
    base_sha: Sha
    base_ref: Word


class MergeGroupEventPayload(EnvelopePayload):
    """`merge_group`."""

    merge_group: MergeGroupPayload


class InstallationAccountPayload(_EventPayload):
    """A person or organisation has a login, an enterprise a slug."""

    login: str | None = None
    slug: str | None = None


class InstallationOwnerPayload(_EventPayload):
    """An installation and the account it belongs to."""

    id: Id
    account: InstallationAccountPayload | None = None


class InstallationEventPayload(_EventPayload):
    """`installation` and `installation_repositories`."""

    installation: InstallationOwnerPayload
