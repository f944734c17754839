"""Takes on once more what GitHub delivered and nobody handled. GitHub remembers three days.

https://docs.github.com/en/rest/apps/webhooks
"""

from __future__ import annotations

import datetime as dt
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from jurat.app.registration import InstallationSummary
from jurat.errors import UsageError
from jurat.github.auth import AppIdentity, GitHubApp, TokenScope
from jurat.github.check_runs import CheckKey, CheckRunWriter
from jurat.github.client import GitHub
from jurat.github.events import IgnoredEvent, PayloadError, parse_event
from jurat.github.models import (
    HookDeliveryPayload,
    InstalledRepositoryPayload,
    PullRequestRowPayload,
)
from jurat.jobs.queue import LIVE, JobQueue, JobRequest
from jurat.jobs.requests import ReviewRequest, to_job
from jurat.reports.limits import PAGE
from jurat.server.intake import Delivery, Intake

KEPT = dt.timedelta(days=3)
"""How long GitHub keeps a delivery."""
POLL = dt.timedelta(minutes=2)
"""How often GitHub is asked what it could not hand over."""
_OVERLAP = dt.timedelta(minutes=10)
"""By which a look goes back behind the one before: clocks differ, and a delivery may take long."""
_log = logging.getLogger(__name__)
_LOOKING = TokenScope.from_permissions({"checks": "read", "pull_requests": "read"})


class _SentRequest(BaseModel):
    payload: Mapping[str, Any] | None = None


class _WholeDelivery(BaseModel):
    request: _SentRequest


def list_attempts(app: GitHub) -> AsyncIterator[HookDeliveryPayload]:
    """Every attempt that GitHub remembers, newest first. `app` speaks as the App itself."""
    return app.iter_items(
        HookDeliveryPayload, "/app/hook/deliveries{?per_page}", {"per_page": PAGE.size}
    )


async def read_payload(app: GitHub, attempt: HookDeliveryPayload) -> Mapping[str, Any]:
    """What was sent."""
    whole = await app.read(_WholeDelivery, "/app/hook/deliveries/{id}", {"id": attempt.id})
    return whole.request.payload or {}


# Events once more: those that GitHub remembers, and what became of pull requests without them.
#
# GitHub does not deliver again by itself, so a delivery that failed is lost until someone asks.


@dataclass(frozen=True, slots=True)
class RedeliveryResult:
    """What became of a delivery: `jobs` were enqueued, or none for `reason`.

    `unread` is True of one whose payload could not be read: nobody knows what it asks for.
    """

    guid: str
    event: str
    jobs: int
    reason: str = ""
    unread: bool = False


@dataclass(frozen=True, slots=True)
class MissedEvents:
    """What was found missing and asked for again: deliveries, and reviews ("owner/name#12")."""

    deliveries: tuple[RedeliveryResult, ...]
    pull_requests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Redelivery:
    """Takes events on once more. `now` gives the time with its zone."""

    app: GitHubApp
    app_id: int
    intake: Intake
    queue: JobQueue
    now: Callable[[], dt.datetime]

    async def redeliver(self, guid: str) -> RedeliveryResult:
        """Do again what a delivery asked for. Raises UsageError if GitHub knows none such."""
        async for attempt in list_attempts(self.app.api):
            if attempt.guid == guid:
                return await self._redeliver_attempt(attempt)
        raise UsageError(
            f"GitHub knows no delivery {guid} to this App.",
            hint=f"It keeps them for {KEPT.days} days: see the App's settings, Advanced.",
        )

    async def redeliver_missed(self) -> MissedEvents:
        """Take on what failed to arrive, and the open pull requests whose head has no check."""
        deliveries = await self.redeliver_failed(self.now() - KEPT)
        return MissedEvents(deliveries, tuple([name async for name in self._enqueue_unchecked()]))

    async def redeliver_failed(
        self, since: dt.datetime, handled: Collection[str] = ()
    ) -> tuple[RedeliveryResult, ...]:
        """Take on what GitHub could not hand over since then, oldest first, but for those GUIDs."""
        failed = [item for item in await self._list_failed(since) if item.guid not in handled]
        # Somebody else may have found them at the same time, and be done with some by now.
        return tuple([await self._redeliver_attempt(item, if_unclaimed=True) for item in failed])

    async def _list_failed(self, oldest: dt.datetime) -> list[HookDeliveryPayload]:
        """The deliveries of which no attempt was taken on, oldest first."""
        taken: set[str] = set()
        failed: dict[str, HookDeliveryPayload] = {}
        async for attempt in list_attempts(self.app.api):
            # Newest first, so that the first that is too old ends the listing.
            if attempt.delivered_at < oldest:
                break
            if attempt.arrived:
                taken.add(attempt.guid)
            else:
                failed[attempt.guid] = attempt
        missing = [guid for guid in failed if guid not in taken]
        known = await self.intake.find_claimed(missing)
        # In the order in which they happened: a closing must not come before the push that preceded
        # it.
        return [failed[guid] for guid in reversed(missing) if guid not in known]

    async def _redeliver_attempt(
        self, attempt: HookDeliveryPayload, *, if_unclaimed: bool = False
    ) -> RedeliveryResult:
        payload = await read_payload(self.app.api, attempt)
        try:
            event = parse_event(attempt.event, payload, delivery=attempt.guid, app_id=self.app_id)
        except PayloadError as error:
            return RedeliveryResult(attempt.guid, attempt.event, 0, error.message, unread=True)
        if isinstance(event, IgnoredEvent):
            return RedeliveryResult(attempt.guid, attempt.event, 0, event.reason)
        delivery = Delivery.of(attempt.guid, attempt.event, event)
        jobs = sum(isinstance(item, JobRequest) for item in delivery.work)
        if (jobs or delivery.news) and not await self.intake.repeat(
            delivery, if_unclaimed=if_unclaimed
        ):
            return RedeliveryResult(attempt.guid, attempt.event, 0, "it was taken on meanwhile")
        reason = "" if jobs else "it asks for nothing"
        return RedeliveryResult(attempt.guid, attempt.event, jobs, reason)

    async def _enqueue_unchecked(self) -> AsyncIterator[str]:
        """Enqueue a review for each open pull request whose head has no check; their names."""
        async for installation in self.app.api.iter_items(
            InstallationSummary, "/app/installations"
        ):
            # GitHub gives out no token for a suspended installation.
            if installation.suspended_at is not None:
                continue
            github = self.app.get_installation(installation.id, _LOOKING)
            identity = await self.app.get_identity(github)
            repositories = github.iter_items(
                InstalledRepositoryPayload, "/installation/repositories", key="repositories"
            )
            async for repository in repositories:
                if repository.archived:
                    continue
                async for name in self._enqueue_unchecked_in(
                    github, identity, installation.id, repository
                ):
                    yield name

    async def _enqueue_unchecked_in(
        self,
        github: GitHub,
        identity: AppIdentity,
        installation_id: int,
        repository: InstalledRepositoryPayload,
    ) -> AsyncIterator[str]:
        pulls = github.iter_items(
            PullRequestRowPayload,
            "/repos/{+repository}/pulls{?state,per_page}",
            {"repository": repository.full_name, "state": "open", "per_page": PAGE.size},
        )
        rows = [row async for row in pulls]
        sharing = Counter(row.head.sha for row in rows)
        for pull in rows:
            job = to_job(
                ReviewRequest(
                    repository=repository.full_name,
                    repository_id=repository.id,
                    installation_id=installation_id,
                    number=pull.number,
                    cause="replay.missed",
                )
            )
            key = CheckKey(repository.id, pull.number, pull.head.sha)
            check = CheckRunWriter(github, repository.full_name, key, identity.app_id, _do_nothing)
            records = await self.queue.records(keys=[job.key])
            busy = any(record.state in LIVE for record in records)
            # A check of a head that several share may be without this one's word: the job looks.
            if pull.draft or busy:
                continue
            # Looked up one after the other: each is a request.
            alone = sharing[pull.head.sha] == 1
            if alone and (await check.is_concluded() or await check.find()):
                continue
            await self.intake.enqueue([job])
            yield f"{repository.full_name}#{pull.number}"


@dataclass(slots=True)
class DeliveryPoll:
    """Looks now and then for what GitHub could not hand over; nobody has to ask for it.

    `done` is when it last was, in this process: the first look goes back as far as GitHub does.
    `handled` has the GUIDs that were found of late: what asks for nothing leaves no other trace.
    """

    replay: Redelivery
    done: dt.datetime | None = None
    handled: dict[str, dt.datetime] = field(default_factory=dict)

    async def __call__(self) -> None:
        """Take on what failed to arrive. Doing it twice, or in two places at once, does no harm."""
        now = self.replay.now()
        since = now - KEPT if self.done is None else self.done - _OVERLAP
        self.handled = {guid: at for guid, at in self.handled.items() if at >= since}
        for found in await self.replay.redeliver_failed(since, self.handled):
            self.handled[found.guid] = now
            _log.warning(
                "a delivery had failed to arrive",
                extra={"delivery": found.guid, "jobs": found.jobs},
            )
        self.done = now


async def _do_nothing() -> None:
    """Nothing is written here."""
