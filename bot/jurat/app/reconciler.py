"""What a crash, an outage or a restored backup left unfinished, found at start and now and then."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import delete, select, update

from jurat.app.redelivery import Redelivery
from jurat.errors import JuratError, UsageError
from jurat.jobs.queue import LIVE, JobQueue, JobRequest, JobState
from jurat.jobs.worker import describe_error
from jurat.server.intake import Intake
from jurat.store.commit_checks import CommitCheckStore
from jurat.store.database import Database
from jurat.store.open_checks import OpenCheckStore
from jurat.store.tables import deliveries

CLOCK = "sweep"
"""The name under which sweeps are enqueued: who keeps the time leaves its ticks there."""
EVERY = dt.timedelta(minutes=5)
"""How often the sweep is made."""
SETTLED = dt.timedelta(minutes=10)
"""The age from which a delivery should have a job to show for itself."""
KEPT = dt.timedelta(days=30)
"""How long ended jobs and deliveries are kept: far longer than GitHub may deliver one again."""
LOST = "lost"
"""The outcome of a delivery that has no job, and that GitHub does not remember."""
IGNORED = "ignored"
UNREADABLE = "unreadable"
"""The outcomes of one that GitHub remembers, and that this release ignores, or cannot read."""

_PAGE = 500
_WORST_FIRST: Sequence[JobState] = ("dead", "cancelled", "done")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reconciler:
    """Ends what was left open. `now` gives the time with its zone."""

    database: Database
    queue: JobQueue
    intake: Intake
    open_checks: OpenCheckStore
    commits: CommitCheckStore
    replay: Redelivery
    now: Callable[[], dt.datetime]

    async def __call__(self) -> None:
        """Sweep once. Doing it twice, or in two places at once, does no harm."""
        await self._reconcile_checks()
        await self._reconcile_deliveries()

    async def forget(self) -> None:
        """Delete what ended long ago."""
        await self.queue.forget(KEPT)
        await self.commits.forget_groups(self.now() - KEPT)
        old = (deliveries.c.received_at < self.now() - KEPT, deliveries.c.outcome != "enqueued")
        async with self.database.writing() as connection:
            await connection.execute(delete(deliveries).where(*old))

    async def _reconcile_checks(self) -> None:
        """A check that is open while no job of its key lives gets a job that ends it."""
        checks = await self.open_checks.all()
        # After the checks were read: a job that ends between the two has taken its check off the
        # record, or leaves one that the job below finds concluded.
        records = await self.queue.records(keys={check.key for check in checks})
        busy = {record.key for record in records if record.state in LIVE}
        left = [check for check in checks if check.key not in busy]
        for check in left:
            _log.warning("a check was left open", extra={"key": check.key, "head": check.head_sha})
        await self.intake.enqueue(
            [
                # By head: two heads of one pull request may each have a check open.
                JobRequest(check.key, check.kind, check.payload, variant=check.head_sha)
                for check in left
            ]
        )

    async def _reconcile_deliveries(self) -> None:
        """A delivery ends as its jobs did; one that has none is asked for again."""
        after = ""
        while page := await self._list_open_deliveries(after):
            # By key, not by OFFSET: rows leave the listing as they are ended.
            after = page[-1]
            records = await self.queue.records(deliveries=page)
            for guid in page:
                states = {record.state for record in records if record.delivery == guid}
                if not states:
                    await self._find(guid)
                elif not states & LIVE:
                    await self._end_delivery(
                        guid, next(end for end in _WORST_FIRST if end in states)
                    )

    async def _list_open_deliveries(self, after: str) -> list[str]:
        """A page of the deliveries that have not ended, by GUID."""
        query = (
            select(deliveries.c.guid)
            .where(
                deliveries.c.outcome == "enqueued",
                # Younger ones may still be in the transaction of another process.
                deliveries.c.received_at <= self.now() - SETTLED,
                deliveries.c.guid > after,
            )
            .order_by(deliveries.c.guid)
            .limit(_PAGE)
        )
        async with self.database.reading() as connection:
            return list(await connection.scalars(query))

    async def _find(self, guid: str) -> None:
        _log.warning("a delivery has no job: it is asked for again", extra={"delivery": guid})
        try:
            # A restored backup has the delivery and not its job: GitHub still has the payload.
            again = await self.replay.redeliver(guid)
        except UsageError:
            _log.error("a delivery is lost", extra={"delivery": guid})
            await self._end_delivery(guid, LOST)
        except JuratError as error:
            _log.warning("a delivery could not be asked for: %s", describe_error(error))
        else:
            # Another release took it on: asked for again in five minutes it would read the same.
            if again.reason:
                _log.error("a delivery is left: %s", again.reason, extra={"delivery": guid})
                await self._end_delivery(guid, UNREADABLE if again.unread else IGNORED)

    async def _end_delivery(self, guid: str, outcome: str) -> None:
        async with self.database.writing() as connection:
            await connection.execute(
                update(deliveries).where(deliveries.c.guid == guid).values(outcome=outcome)
            )
