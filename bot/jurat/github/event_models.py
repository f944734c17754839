"""What Jurat reads of GitHub's events. Everything else in them is ignored.

https://docs.github.com/en/webhooks/webhook-events-and-payloads
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from jurat.github.models import (
    GitObjectPayload,
    Id,
    IdPayload,
    Name,
    Number,
    Sha,
    StrictPayload,
    Word,
)


class OwnerPayload(StrictPayload):
    """The person or organisation that a repository belongs to."""

    login: Name


class EventRepositoryPayload(StrictPayload):
    """The repository that an event is about."""

    id: Id
    name: Name
    owner: OwnerPayload


class EventAccountPayload(StrictPayload):
    """Whoever did something. `type` is User, Bot, Organization or Mannequin."""

    id: Id
    login: Word
    type: str = "User"


class EnvelopePayload(StrictPayload):
    """What every event of a repository carries.

    `installation` is absent for a webhook that is no App's.
    """

    repository: EventRepositoryPayload
    installation: IdPayload
    sender: EventAccountPayload | None = None


class EventPullRequestPayload(StrictPayload):
    """A pull request. `updated_at` tells two events of one head apart."""

    number: Number
    head: GitObjectPayload
    draft: bool = False
    merged: bool = False
    updated_at: Word
    user: IdPayload | None = None


class PullRequestEventPayload(EnvelopePayload):
    """`pull_request`. `before` is the head that a push left; `changes` is what an edit changed."""

    pull_request: EventPullRequestPayload
    before: str = ""
    changes: Mapping[str, Any] = Field(default_factory=dict)


class EventCommentPayload(StrictPayload):
    """A comment. `user` is None if the account was deleted.

    `in_reply_to_id` is the first comment of the thread on the diff that it was written into.
    """

    id: Id
    in_reply_to_id: Id | None = None
    body: str | None = None
    user: EventAccountPayload | None = None
    updated_at: Word


class IssuePayload(StrictPayload):
    """An issue; a pull request if `pull_request` is there."""

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


class BasePayload(StrictPayload):
    """The base of a pull request that a check names."""

    repo: IdPayload


class CheckedPullRequestPayload(StrictPayload):
    """A pull request that a check names. It may be another repository's, that has the same head."""

    number: Number
    base: BasePayload


class EventCheckRunPayload(StrictPayload):
    """A check run. `pull_requests` is empty for the head of a fork."""

    id: Id
    name: Word
    head_sha: Sha
    external_id: str | None = None
    app: IdPayload | None = None
    pull_requests: tuple[CheckedPullRequestPayload, ...] = Field(default=(), strict=False)


class RequestedActionPayload(StrictPayload):
    """The button that was pressed."""

    identifier: Word


class CheckRunEventPayload(EnvelopePayload):
    """`check_run`."""

    check_run: EventCheckRunPayload
    requested_action: RequestedActionPayload | None = None


class CheckSuitePayload(StrictPayload):
    """A check suite."""

    id: Id
    head_sha: Sha
    app: IdPayload | None = None
    pull_requests: tuple[CheckedPullRequestPayload, ...] = Field(default=(), strict=False)


class CheckSuiteEventPayload(EnvelopePayload):
    """`check_suite`."""

    check_suite: CheckSuitePayload


class MergeGroupPayload(StrictPayload):
    """A group of pull requests that the merge queue wants checked together."""

    head_sha: Sha
    head_ref: Word
    base_sha: Sha
    base_ref: Word


class MergeGroupEventPayload(EnvelopePayload):
    """`merge_group`."""

    merge_group: MergeGroupPayload


class PushedCommitPayload(StrictPayload):
    """A commit of a push, with the files that it touched."""

    added: tuple[str, ...] = Field(default=(), strict=False)
    modified: tuple[str, ...] = Field(default=(), strict=False)
    removed: tuple[str, ...] = Field(default=(), strict=False)

    def list_paths(self) -> tuple[str, ...]:
        """Every file that it touched."""
        return self.added + self.modified + self.removed


class PushedRepositoryPayload(EventRepositoryPayload):
    """The repository of a push, and when it was pushed: a Unix time or, as GitHub allows, text."""

    pushed_at: int | str | None = None


class PushEventPayload(EnvelopePayload):
    """`push`: a branch or tag moved."""

    repository: PushedRepositoryPayload
    ref: str
    before: str
    after: str
    created: bool = False
    deleted: bool = False
    forced: bool = False
    commits: tuple[PushedCommitPayload, ...] = Field(default=(), strict=False)


class InstallationAccountPayload(StrictPayload):
    """A person or organisation has a login, an enterprise a slug."""

    login: str | None = None
    slug: str | None = None


class InstallationOwnerPayload(StrictPayload):
    """An installation and the account it belongs to."""

    id: Id
    account: InstallationAccountPayload | None = None


class NamedRepositoryPayload(StrictPayload):
    """A repository in a list of them."""

    id: Id
    full_name: Word


class InstallationEventPayload(StrictPayload):
    """`installation`, with all its `repositories`, and `installation_repositories`."""

    installation: InstallationOwnerPayload
    repositories: tuple[NamedRepositoryPayload, ...] = Field(default=(), strict=False)
    repositories_added: tuple[NamedRepositoryPayload, ...] = Field(default=(), strict=False)
    repositories_removed: tuple[NamedRepositoryPayload, ...] = Field(default=(), strict=False)
