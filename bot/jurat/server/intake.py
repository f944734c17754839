"""Takes deliveries on: claims each once and enqueues its jobs, in one transaction, on the disk."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Self, TypedDict, assert_never

from sqlalchemy import Connection, select, update

from jurat.github.check_runs import BACKTEST, RULES
from jurat.github.events import (
    BranchChanged,
    CheckRerunRequested,
    CommentCommand,
    Event,
    InstallationChanged,
    MergeGroupRequested,
    Origin,
    Ping,
    PullRequestChanged,
    PullRequestClosed,
    RepositoryChanged,
)
from jurat.jobs.queue import JobQueue, JobRequest
from jurat.jobs.requests import (
    BacktestRequest,
    BaseRequest,
    CheckRequest,
    ClosedRequest,
    CommandLine,
    CommandRequest,
    MergeGroupRequest,
    Request,
    ReviewRequest,
    RulesRequest,
    build_pull_request_key,
    build_rules_key,
    to_job,
)
from jurat.store.bulk import BulkInsert
from jurat.store.database import Database
from jurat.store.repositories import (
    Arrival,
    Departure,
    News,
    keep_repository,
    note_news,
)
from jurat.store.tables import deliveries

LEFT = "The App is not installed there any more, or rests."
"""The reason of a job that is cancelled because nothing can be done in its repository."""


@dataclass(frozen=True, slots=True)
class JobCancellation:
    """Jobs of one key and kind are no longer wanted."""

    key: str
    kind: str
    reason: str


Work = JobRequest | JobCancellation


def plan_jobs(event: Event) -> tuple[Work, ...]:
    """The jobs that an event asks for or takes back, in order. Some events ask for nothing."""
    match event:
        case InstallationChanged():
            return _look_back(event)
        case Ping() | RepositoryChanged():
            return ()
        case PullRequestClosed():
            return _cancel_jobs(event)
        case (
            PullRequestChanged()
            | CommentCommand()
            | CheckRerunRequested()
            | MergeGroupRequested()
            | BranchChanged()
        ):
            delivery = event.origin.delivery
            return tuple(to_job(request, delivery) for request in _build_requests(event))
        case _:
            assert_never(event)


MAX_LOOKED_BACK = 20
"""Repositories of one installation whose history is replayed: the App is installed on hundreds."""


def _look_back(event: InstallationChanged) -> tuple[Work, ...]:
    """Replay what was merged in the repositories that the App has come to."""
    return tuple(
        to_job(
            BacktestRequest(
                repository=name, repository_id=number, installation_id=event.installation_id
            )
        )
        for number, name in [*event.added.items()][:MAX_LOOKED_BACK]
    )


def list_news(event: Event) -> tuple[News, ...]:
    """What an event says of the repositories on which the App is installed."""
    match event:
        case Ping():
            return ()
        case InstallationChanged(installation_id=number, action="deleted"):
            return (Departure(number),)
        case InstallationChanged(installation_id=number, action="suspend" | "unsuspend"):
            return (Departure(number, suspended=event.action == "suspend"),)
        case InstallationChanged(installation_id=number, added=added, removed=removed):
            seen = (Arrival(each, name, number) for each, name in added.items())
            return (*seen, *([Departure(number, removed)] if removed else []))
        case RepositoryChanged(origin=origin, deleted=True):
            return (Departure(origin.installation_id, (origin.repository_id,)),)
        case (
            RepositoryChanged()
            | PullRequestChanged()
            | PullRequestClosed()
            | CommentCommand()
            | CheckRerunRequested()
            | MergeGroupRequested()
            | BranchChanged()
        ):
            where = event.origin
            return (Arrival(where.repository_id, where.repository, where.installation_id),)
        case _:
            assert_never(event)


def _cancel_jobs(event: PullRequestClosed) -> tuple[Work, ...]:
    repository_id, number = event.origin.repository_id, event.number
    reason = "The pull request was closed."
    learn = ClosedRequest(
        **_to_where(event.origin),
        number=number,
        merged_head=event.head_sha if event.merged else None,
        for_id=event.author_id,
    )
    return (
        # A review that runs is asked to stop: what learns from the closing has its key, and waits.
        JobCancellation(build_pull_request_key(repository_id, number), "review", reason),
        JobCancellation(build_rules_key(repository_id, number), "rules", reason),
        to_job(learn, event.origin.delivery),
    )


class _Where(TypedDict):
    repository: str
    repository_id: int
    installation_id: int


def _to_where(origin: Origin) -> _Where:
    return _Where(
        repository=origin.repository,
        repository_id=origin.repository_id,
        installation_id=origin.installation_id,
    )


def _build_requests(
    event: PullRequestChanged
    | CommentCommand
    | CheckRerunRequested
    | MergeGroupRequested
    | BranchChanged,
) -> Iterator[Request]:
    where = _to_where(event.origin)
    match event:
        case PullRequestChanged():
            cause = f"pull_request.{event.action}"
            yield ReviewRequest(**where, number=event.number, cause=cause, for_id=event.author_id)
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
                author_id=event.author_id,
                thread=event.thread,
                commands=lines,
            )
        case CheckRerunRequested():
            yield from _build_rerun_requests(event)
        case BranchChanged():
            yield BaseRequest(**where, branch=event.branch, before=event.before, after=event.after)
        case MergeGroupRequested():
            yield MergeGroupRequest(
                **where,
                head_sha=event.head_sha,
                head_ref=event.head_ref,
                base_sha=event.base_sha,
                base_ref=event.base_ref,
            )


def _build_rerun_requests(event: CheckRerunRequested) -> Iterator[Request]:
    """What GitHub's button on a check asks for: what the check is about, once more."""
    where = _to_where(event.origin)
    if event.check == BACKTEST:
        yield BacktestRequest(**where, again=True)
        return
    if event.button is not None or not event.numbers:
        yield CheckRequest(
            **where,
            head_sha=event.head_sha,
            numbers=event.numbers,
            sender=event.sender,
            sender_id=event.sender_id,
            check_run_id=event.check_run_id,
            button=event.button,
        )
        return
    for number in event.numbers:
        if event.check == RULES:
            yield RulesRequest(**where, number=number, again=True, for_id=event.sender_id)
        else:
            yield ReviewRequest(
                **where,
                number=number,
                cause="check.rerequested",
                again=True,
                for_id=event.sender_id,
            )


@dataclass(frozen=True, slots=True)
class Delivery:
    """A delivery that asks for something, or brings `news` of where the App is installed.

    `dedupe_key` is None if only the GUID tells it apart.
    """

    guid: str
    event: str
    dedupe_key: str | None
    work: tuple[Work, ...]
    news: tuple[News, ...] = ()

    @classmethod
    def of(cls, guid: str, name: str, event: Event) -> Self:
        """The delivery of an event that GitHub calls `name`."""
        return cls(guid, name, event.dedupe_key, plan_jobs(event), list_news(event))

    @property
    def repository_id(self) -> int | None:
        """The repository that it is about, None if it is about several or none."""
        seen = [item.repository_id for item in self.news if isinstance(item, Arrival)]
        return seen[0] if len(seen) == len(self.news) == 1 else None


class ClaimResult(StrEnum):
    """What became of a delivery."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"


class _RepeatedError(Exception):
    """A delivery was claimed before, or stands in the batch twice."""


_Waiting = tuple[Delivery, "asyncio.Future[ClaimResult]"]


class Intake:
    """Claims deliveries and enqueues what they ask for.

    Deliveries that arrive while a transaction is being written share the next one, so that many
    cost one wait for the disk. `now` gives the time with its zone; `enqueued` is called after each
    transaction, to wake the workers of this process.
    """

    def __init__(
        self,
        database: Database,
        queue: JobQueue,
        *,
        now: Callable[[], dt.datetime],
        enqueued: Callable[[], None] = lambda: None,
    ) -> None:
        self._database = database
        self._queue = queue
        self._now = now
        self._enqueued = enqueued
        # By GUID or by what it means.
        self._claiming = BulkInsert(
            database.engine,
            deliveries,
            each=("guid", "event", "meaning", "outcome", "repository_id"),
            shared=("received_at",),
            completed=lambda insert: insert.on_conflict_do_nothing(),
        )
        self._waiting: list[_Waiting] = []
        self._writing: asyncio.Task[None] | None = None

    async def accept(self, delivery: Delivery) -> ClaimResult:
        """Take a delivery on. When this returns, a crash no longer loses it.

        Raises DatabaseUnavailable, after which GitHub should be told that it failed.
        """
        claim: asyncio.Future[ClaimResult] = asyncio.get_running_loop().create_future()
        self._waiting.append((delivery, claim))
        if self._writing is None or self._writing.done():
            # A task, so that a caller that goes away does not take the others' transaction along.
            self._writing = asyncio.create_task(self._write_all())
        return await claim

    async def repeat(self, delivery: Delivery, *, if_unclaimed: bool = False) -> bool:
        """Do what a delivery asks for, whether it was claimed before or not; whether it was done.

        With `if_unclaimed` it is done once: of several processes that found it missing one does it.
        """
        row = _to_row(delivery)

        def work(connection: Connection) -> bool:
            for item in delivery.news:
                if isinstance(item, Arrival):
                    # It happened a while ago: what is known by now is newer.
                    keep_repository(connection, item.repository_id, item.name)
            claimed = self._claiming.execute(connection, [row], received_at=self._now())
            if if_unclaimed and not claimed:
                return False
            gone = [item for item in delivery.news if not isinstance(item, Arrival)]
            self._note(connection, gone)
            connection.execute(
                update(deliveries)
                .where(deliveries.c.guid == delivery.guid)
                .values(outcome=row["outcome"])
            )
            self._carry_out(connection, delivery.work)
            return True

        done = await self._database.transact(work)
        self._enqueued()
        return done

    async def enqueue(self, jobs: Sequence[JobRequest]) -> None:
        """Enqueue jobs that no delivery asked for."""
        await self._database.transact(lambda connection: self._queue.enqueue(connection, jobs))
        self._enqueued()

    async def find_claimed(self, guids: Collection[str]) -> frozenset[str]:
        """Those of the deliveries that were claimed."""
        query = select(deliveries.c.guid).where(deliveries.c.guid.in_(guids))
        async with self._database.reading() as connection:
            return frozenset(await connection.scalars(query))

    async def _write_all(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            await self._write(batch)

    async def _write(self, batch: Sequence[_Waiting]) -> None:
        given = [delivery for delivery, _ in batch]
        outcome: ClaimResult | Exception = ClaimResult.ACCEPTED
        try:
            # Nothing is answered before this has ended: what GitHub was told is taken is on the
            # disk.
            await self._database.transact(lambda connection: self._claim(connection, given))
        except _RepeatedError:
            # Which one was repeated nobody knows, and the transaction is undone: one by one it
            # shows.
            if len(batch) > 1:
                for alone in batch:
                    await self._write([alone])
                return
            outcome = ClaimResult.DUPLICATE
        except Exception as error:  # noqa: BLE001 - each caller of accept raises it
            outcome = error
        for _, waiting in batch:
            if waiting.done():
                continue
            if isinstance(outcome, Exception):
                waiting.set_exception(outcome)
            else:
                waiting.set_result(outcome)
        self._enqueued()

    def _claim(self, connection: Connection, batch: Sequence[Delivery]) -> None:
        """Claim all of them, or raise _RepeatedError, which undoes the transaction."""
        self._note(connection, [item for delivery in batch for item in delivery.news])
        # Sorted, so that two processes that claim the same events wait rather than deadlock.
        ordered = sorted(batch, key=lambda delivery: delivery.dedupe_key or delivery.guid)
        rows = [_to_row(delivery) for delivery in ordered]
        if self._claiming.execute(connection, rows, received_at=self._now()) < len(rows):
            raise _RepeatedError
        self._carry_out(connection, [item for delivery in batch for item in delivery.work])

    def _note(self, connection: Connection, news: Sequence[News]) -> None:
        """Take down where the App is installed; what waits to be done elsewhere is dropped."""
        for repository_id in note_news(connection, news, self._now()):
            self._queue.cancel_all(connection, repository_id, LEFT)

    def _carry_out(self, connection: Connection, work: Sequence[Work]) -> None:
        """Enqueue and cancel in order: a pull request may be closed and opened again."""
        jobs: list[JobRequest] = []
        # Key by key, as the queue does: two processes take the same locks in the same order.
        for item in sorted(work, key=lambda item: item.key):
            if isinstance(item, JobRequest):
                jobs.append(item)
                continue
            self._queue.enqueue(connection, jobs)
            jobs = []
            self._queue.cancel(connection, item.key, item.kind, item.reason)
        self._queue.enqueue(connection, jobs)


def _to_row(delivery: Delivery) -> dict[str, str | int | None]:
    enqueues = any(isinstance(item, JobRequest) for item in delivery.work)
    return {
        "guid": delivery.guid,
        "event": delivery.event,
        "meaning": delivery.dedupe_key,
        "outcome": "enqueued" if enqueues else "cancelled",
        "repository_id": delivery.repository_id,
    }
