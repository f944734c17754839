"""What an event makes Bylaw do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypedDict

from bot.github.checks import RULES
from bot.jobs.protocol import NewJob
from bot.jobs.requests import (
    CheckRequest,
    ClosedRequest,
    CommandLine,
    CommandRequest,
    MergeGroupRequest,
    Request,
    ReviewRequest,
    RulesRequest,
    job_for,
    pull_request_key,
    rules_key,
)
from bot.webhook.events import (
    CheckRequested,
    CommentCommand,
    Event,
    InstallationChanged,
    MergeGroupRequested,
    Origin,
    Ping,
    PullRequestChanged,
    PullRequestClosed,
)


@dataclass(frozen=True, slots=True)
class Cancellation:
    """Jobs of one key and kind are no longer wanted."""

    key: str
    kind: str
    reason: str


Work = NewJob | Cancellation


def work_for(event: Event) -> tuple[Work, ...]:
    """The jobs that an event asks for or takes back, in order. Some events ask for nothing."""
    match event:
        case Ping() | InstallationChanged():
            return ()
        case PullRequestClosed():
            return _closed(event)
        case _:
            delivery = event.origin.delivery
            return tuple(job_for(request, delivery) for request in _requests(event))


def _closed(event: PullRequestClosed) -> tuple[Work, ...]:
    repository, number = event.origin.repository, event.number
    reason = "The pull request was closed."
    learn = ClosedRequest(
        **_where(event.origin),
        number=number,
        merged_head=event.head_sha if event.merged else None,
    )
    return (
        Cancellation(pull_request_key(repository, number), "review", reason),
        Cancellation(rules_key(repository, number), "rules", reason),
        job_for(learn, event.origin.delivery),
    )


class _Where(TypedDict):
    repository: str
    repository_id: int
    installation_id: int


def _where(origin: Origin) -> _Where:
    return _Where(
        repository=origin.repository,
        repository_id=origin.repository_id,
        installation_id=origin.installation_id,
    )


def _requests(
    event: PullRequestChanged | CommentCommand | CheckRequested | MergeGroupRequested,
) -> Iterator[Request]:
    where = _where(event.origin)
    match event:
        case PullRequestChanged():
            cause = f"pull_request.{event.action}"
            yield ReviewRequest(**where, number=event.number, cause=cause)
        case CommentCommand():
            lines = tuple(
                CommandLine(name=command.name, arguments=command.arguments)
                for command in event.commands
            )
            yield CommandRequest(
                **where,
                number=event.number,
                place=event.place,
                comment_id=event.comment_id,
                author=event.author,
                thread=event.thread,
                commands=lines,
            )
        case CheckRequested(button=None, numbers=(_, *_)):
            for number in event.numbers:
                if event.check == RULES:
                    yield RulesRequest(**where, number=number, again=True)
                else:
                    cause = "check.rerequested"
                    yield ReviewRequest(**where, number=number, cause=cause, again=True)
        case CheckRequested():
            yield CheckRequest(
                **where,
                head_sha=event.head_sha,
                numbers=event.numbers,
                sender=event.sender,
                check_run_id=event.check_run_id,
                button=event.button,
            )
        case MergeGroupRequested():
            yield MergeGroupRequest(
                **where,
                head_sha=event.head_sha,
                head_ref=event.head_ref,
                base_sha=event.base_sha,
                base_ref=event.base_ref,
            )
