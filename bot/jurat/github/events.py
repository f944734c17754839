"""The events that Jurat acts on. GitHub's payload shapes stop here.

Each event knows its `dedupe_key`: GitHub may deliver one event under two GUIDs, and what has the
same key is done once. It is None if the same event may rightly come twice, such as a button pressed
again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from jurat.errors import JuratError
from jurat.github.check_runs import REVIEW, CheckKey
from jurat.github.comment_commands import ParsedCommand, parse_commands
from jurat.github.event_models import (
    CheckedPullRequestPayload,
    CheckRunEventPayload,
    CheckSuiteEventPayload,
    EnvelopePayload,
    EventCommentPayload,
    InstallationEventPayload,
    IssueCommentEventPayload,
    MergeGroupEventPayload,
    PullRequestEventPayload,
    PushEventPayload,
    ReviewCommentEventPayload,
)
from jurat.reports.commit_check import MERGE_GROUP
from jurat.rules.loader import RULE_FILES, TABLE_FILES

NOBODY = 0
"""The id of an account that GitHub does not name: no account has it, so that it may do nothing."""

MAX_PUSHED_COMMITS = 20
"""Commits from which on a push is not taken at its word; GitHub tells 2,048 at most, older servers
20: https://docs.github.com/en/webhooks/webhook-events-and-payloads#push"""


class PayloadError(JuratError):
    """An event that Jurat acts on lacks what it needs, or holds it in another form."""

    retryable = False


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an event comes from: the delivery's GUID, the installation and the repository."""

    delivery: str
    installation_id: int
    owner: str
    name: str
    repository_id: int

    @property
    def repository(self) -> str:
        """The repository as "owner/name"."""
        return f"{self.owner}/{self.name}"


@dataclass(frozen=True, slots=True)
class PullRequestChanged:
    """There is something new to review.

    `action` is opened, synchronize, reopened, ready_for_review or converted_to_draft; edited for
    another base, title or description; labeled or unlabeled. `author_id` has opened the pull
    request; it is `NOBODY` if that account was deleted.
    """

    origin: Origin
    action: str
    number: int
    head_sha: str
    draft: bool
    dedupe_key: str | None
    author_id: int = NOBODY


@dataclass(frozen=True, slots=True)
class PullRequestClosed:
    """There is nothing more to review."""

    origin: Origin
    number: int
    head_sha: str
    merged: bool
    dedupe_key: str
    author_id: int = NOBODY


@dataclass(frozen=True, slots=True)
class CommentCommand:
    """Someone asks for something in a comment. Whether they may is still to be asked.

    `place` says which of GitHub's two kinds of comment `comment_id` counts; `thread` is the comment
    on the diff below which it was written.
    """

    origin: Origin
    number: int
    place: Literal["issue_comment", "review_comment"]
    comment_id: int
    author: str
    author_id: int
    commands: tuple[ParsedCommand, ...]
    dedupe_key: str
    thread: int | None = None


@dataclass(frozen=True, slots=True)
class CheckRerunRequested:
    """Someone wants a check again, or pressed one of its buttons.

    `button` is None for a re-run. `check_run_id` is None if the whole suite was asked for.
    `numbers` are the pull requests concerned: none if GitHub does not say, as for forks. `check`
    is the name of the run.
    """

    origin: Origin
    head_sha: str
    numbers: tuple[int, ...]
    sender: str
    sender_id: int
    check_run_id: int | None = None
    button: str | None = None
    check: str = REVIEW
    dedupe_key: None = None


@dataclass(frozen=True, slots=True)
class MergeGroupRequested:
    """The merge queue waits for a check on `head_sha`."""

    origin: Origin
    head_sha: str
    head_ref: str
    base_sha: str
    base_ref: str
    dedupe_key: str


@dataclass(frozen=True, slots=True)
class BranchChanged:
    """A branch that was there moved, and files that rules or configuration may be in changed."""

    origin: Origin
    branch: str
    before: str
    after: str
    dedupe_key: str


@dataclass(frozen=True, slots=True)
class RepositoryChanged:
    """A repository has another name or owner; or is gone, if `deleted`."""

    origin: Origin
    deleted: bool
    dedupe_key: None = None


@dataclass(frozen=True, slots=True)
class InstallationChanged:
    """An account installed the App, removed it, or chose other repositories for it.

    `added` has the names of the repositories that it may work in from now on, by their ids, and
    `removed` the ids of those that it may not any more.
    """

    action: str
    installation_id: int
    account: str
    added: Mapping[int, str] = field(default_factory=dict)
    removed: tuple[int, ...] = ()
    dedupe_key: None = None


@dataclass(frozen=True, slots=True)
class Ping:
    """GitHub asks whether anyone listens."""

    dedupe_key: None = None


Event = (
    PullRequestChanged
    | PullRequestClosed
    | CommentCommand
    | CheckRerunRequested
    | MergeGroupRequested
    | BranchChanged
    | RepositoryChanged
    | InstallationChanged
    | Ping
)


@dataclass(frozen=True, slots=True)
class IgnoredEvent:
    """Nothing to do, and why."""

    reason: str


def parse_event(
    name: str, payload: Mapping[str, Any], *, delivery: str, app_id: int
) -> Event | IgnoredEvent:
    """What a delivery asks for. Raises PayloadError if that cannot be read.

    `name` is the X-GitHub-Event header; checks of other Apps than `app_id` are none of ours.
    """
    read = _READERS.get(name)
    if read is None:
        return IgnoredEvent(f"{name} is not an event that Jurat acts on")
    if name not in UNASKED and not isinstance(payload.get("installation"), dict):
        return IgnoredEvent("the event was not sent to an installation of the App")
    sent = _ReceivedEvent(name, str(payload.get("action")), payload, delivery, app_id)
    try:
        return read(sent)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise PayloadError(f"The {name} event cannot be read: {place}: {first['msg']}.") from None


_PULL_REQUEST_ACTIONS = frozenset(
    {
        "opened",
        "synchronize",
        "reopened",
        "ready_for_review",
        "converted_to_draft",
        "edited",
        "labeled",
        "unlabeled",
        "closed",
    }
)

_OFTEN = frozenset({"reopened", "edited", "labeled", "unlabeled"})
"""What a program may do twice in one second, the smallest step of GitHub's clock."""

_Model = TypeVar("_Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class _ReceivedEvent:
    """A delivery that is still to be read."""

    name: str
    action: str
    payload: Mapping[str, Any]
    delivery: str
    app_id: int

    @property
    def ignored(self) -> IgnoredEvent:
        return IgnoredEvent(f"{self.name}.{self.action} is not an action that Jurat acts on")

    def read(self, model: type[_Model]) -> _Model:
        return model.model_validate(self.payload)

    def build_origin(self, event: EnvelopePayload) -> Origin:
        return Origin(
            delivery=self.delivery,
            installation_id=event.installation.id,
            owner=event.repository.owner.login,
            name=event.repository.name,
            repository_id=event.repository.id,
        )


def _parse_pull_request(sent: _ReceivedEvent) -> Event | IgnoredEvent:
    if sent.action not in _PULL_REQUEST_ACTIONS:
        return sent.ignored
    event = sent.read(PullRequestEventPayload)
    pull = event.pull_request
    origin = sent.build_origin(event)
    # The time of the change belongs to the key: a pull request may be closed, or pushed back
    # to the same head, any number of times; and the head before it, since a push and the one that
    # takes the next back may fall into one second.
    dedupe_key = (
        f"pull_request:{origin.repository_id}#{pull.number}@{event.before}..{pull.head.sha}"
        f":{sent.action}:{pull.updated_at}"
    )
    author_id = pull.user.id if pull.user else NOBODY
    if sent.action == "closed":
        ending = f"{dedupe_key}:{'merged' if pull.merged else 'closed'}"
        return PullRequestClosed(origin, pull.number, pull.head.sha, pull.merged, ending, author_id)
    if sent.action == "edited" and event.changes.keys().isdisjoint(("base", "title", "body")):
        return IgnoredEvent("the edit changed nothing that is reviewed")
    return PullRequestChanged(
        origin,
        sent.action,
        pull.number,
        pull.head.sha,
        pull.draft,
        # Each of these counts: a second one in the same second, such as a base that is given back
        # or a closing that was taken back, would pass for the first one sent again.
        dedupe_key if sent.action not in _OFTEN else None,
        author_id,
    )


def _parse_issue_comment(sent: _ReceivedEvent) -> Event | IgnoredEvent:
    if sent.action != "created":
        return sent.ignored
    event = sent.read(IssueCommentEventPayload)
    # GitHub sends comments on issues and on pull requests as one event.
    if event.issue.pull_request is None:
        return IgnoredEvent("the comment stands on an issue, not on a pull request")
    return _parse_comment(sent, event, "issue_comment", event.issue.number, event.comment)


def _parse_review_comment(sent: _ReceivedEvent) -> Event | IgnoredEvent:
    if sent.action != "created":
        return sent.ignored
    event = sent.read(ReviewCommentEventPayload)
    return _parse_comment(sent, event, "review_comment", event.pull_request.number, event.comment)


def _parse_comment(
    sent: _ReceivedEvent,
    event: EnvelopePayload,
    place: Literal["issue_comment", "review_comment"],
    number: int,
    comment: EventCommentPayload,
) -> Event | IgnoredEvent:
    # Two bots that answer each other would never stop.
    if comment.user is None or comment.user.type == "Bot":
        return IgnoredEvent("the comment is not a person's")
    commands = parse_commands(comment.body or "")
    if not commands:
        return IgnoredEvent("the comment holds no command")
    return CommentCommand(
        origin=sent.build_origin(event),
        number=number,
        place=place,
        comment_id=comment.id,
        author=comment.user.login,
        author_id=comment.user.id,
        commands=commands,
        dedupe_key=f"{place}:{comment.id}@{comment.updated_at}",
        thread=comment.in_reply_to_id,
    )


def _parse_check_run(sent: _ReceivedEvent) -> Event | IgnoredEvent:
    if sent.action not in ("rerequested", "requested_action"):
        return sent.ignored
    event = sent.read(CheckRunEventPayload)
    run = event.check_run
    # Checks of other Apps arrive as well: what is asked of them is not asked of us.
    if run.app is None or run.app.id != sent.app_id:
        return IgnoredEvent("the check run is another App's")
    key = CheckKey.read(run.external_id)
    # The external_id first: GitHub's list is empty for forks, and may name other pull requests that
    # have the same head. A merge group's number is none: it is found by its head.
    named = (key.number,) if key else _list_numbers(event, run.pull_requests)
    return CheckRerunRequested(
        origin=sent.build_origin(event),
        head_sha=run.head_sha,
        numbers=named if named != (MERGE_GROUP,) else (),
        sender=event.sender.login if event.sender else "",
        sender_id=event.sender.id if event.sender else NOBODY,
        check_run_id=run.id,
        button=event.requested_action.identifier if event.requested_action else None,
        check=run.name,
    )


def _parse_check_suite(sent: _ReceivedEvent) -> Event | IgnoredEvent:
    if sent.action != "rerequested":
        return sent.ignored
    event = sent.read(CheckSuiteEventPayload)
    suite = event.check_suite
    if suite.app is None or suite.app.id != sent.app_id:
        return IgnoredEvent("the check suite is another App's")
    return CheckRerunRequested(
        origin=sent.build_origin(event),
        head_sha=suite.head_sha,
        numbers=_list_numbers(event, suite.pull_requests),
        sender=event.sender.login if event.sender else "",
        sender_id=event.sender.id if event.sender else NOBODY,
    )


def _list_numbers(
    event: EnvelopePayload, pulls: tuple[CheckedPullRequestPayload, ...]
) -> tuple[int, ...]:
    return tuple(pull.number for pull in pulls if pull.base.repo.id == event.repository.id)


def _merge_group(sent: _ReceivedEvent) -> Event | IgnoredEvent:
    if sent.action != "checks_requested":
        return sent.ignored
    event = sent.read(MergeGroupEventPayload)
    origin = sent.build_origin(event)
    group = event.merge_group
    return MergeGroupRequested(
        origin=origin,
        head_sha=group.head_sha,
        head_ref=group.head_ref,
        base_sha=group.base_sha,
        base_ref=group.base_ref,
        dedupe_key=f"merge_group:{origin.repository_id}@{group.head_sha}:{group.head_ref}",
    )


def _parse_push(sent: _ReceivedEvent) -> Event | IgnoredEvent:
    event = sent.read(PushEventPayload)
    branch = event.ref.removeprefix("refs/heads/")
    if branch == event.ref or event.created or event.deleted:
        return IgnoredEvent("no branch moved")
    touched = {path for commit in event.commits for path in commit.list_paths()}
    # What a forced push takes away stands in no commit of it, and of a long one not all are told.
    is_complete = not event.forced and 0 < len(event.commits) < MAX_PUSHED_COMMITS
    if is_complete and not any(path.endswith((*RULE_FILES, *TABLE_FILES)) for path in touched):
        return IgnoredEvent("the push changed neither rules nor configuration")
    origin = sent.build_origin(event)
    # With its time: what was pushed, taken back and pushed again is three pushes.
    moved = f"{event.ref}:{event.before}..{event.after}:{event.repository.pushed_at}"
    dedupe_key = f"push:{origin.repository_id}:{moved}"
    return BranchChanged(origin, branch, event.before, event.after, dedupe_key)


def _parse_installation(sent: _ReceivedEvent) -> Event | IgnoredEvent:
    event = sent.read(InstallationEventPayload)
    account = event.installation.account
    named = account and (account.login or account.slug)
    # Of one that is removed GitHub lists the repositories as well.
    added = event.repositories_added if sent.action != "created" else event.repositories
    return InstallationChanged(
        sent.action,
        event.installation.id,
        named or "",
        {each.id: each.full_name for each in added},
        tuple(each.id for each in event.repositories_removed),
    )


def _parse_repository(sent: _ReceivedEvent) -> Event | IgnoredEvent:
    if sent.action not in ("renamed", "transferred", "deleted"):
        return sent.ignored
    origin = sent.build_origin(sent.read(EnvelopePayload))
    return RepositoryChanged(origin, sent.action == "deleted")


def _parse_ping(_: _ReceivedEvent) -> Event | IgnoredEvent:
    return Ping()


_READERS: Mapping[str, Callable[[_ReceivedEvent], Event | IgnoredEvent]] = MappingProxyType(
    {
        "pull_request": _parse_pull_request,
        "issue_comment": _parse_issue_comment,
        "pull_request_review_comment": _parse_review_comment,
        "check_run": _parse_check_run,
        "check_suite": _parse_check_suite,
        "merge_group": _merge_group,
        "push": _parse_push,
        "repository": _parse_repository,
        "installation": _parse_installation,
        "installation_repositories": _parse_installation,
        "ping": _parse_ping,
    }
)

UNASKED = frozenset({"installation", "installation_repositories", "ping"})
"""Events that GitHub sends to every App; the others must be subscribed to in app.yml."""

SUBSCRIBED = frozenset(_READERS) - UNASKED
"""Events that app.yml must name."""
