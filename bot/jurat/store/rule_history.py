"""The record of each rule: what became of its findings, and where that puts it.

Evidence comes in by three ways: `follow` sees the findings of each review, `settle` turns them into
events once the pull request is merged, and `record_decision` takes down what an authorised person
said.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from sqlalchemy import Row, delete, insert, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from jurat.review_interfaces import Review
from jurat.rules.maturity import EventKind, TrackRecord, pick_track_record
from jurat.rules.merit import OutcomeCounts
from jurat.rules.rule import Maturity, RuleSet
from jurat.store.database import Database
from jurat.store.repositories import is_of, keep_repository
from jurat.store.tables import findings, reviews, rule_events, rule_standings

Decided = Literal[EventKind.DISMISSED, EventKind.RESTORED, EventKind.CONFIRMED]
"""What people say of a finding."""

_SPOKEN = [kind.value for kind in EventKind if kind.is_spoken]


class RuleHistory:
    """The evidence on rules in a database. Every method raises DatabaseUnavailable."""

    def __init__(self, database: Database, now: Callable[[], dt.datetime]) -> None:
        self._database = database
        self._now = now

    async def follow(self, review: Review) -> None:
        """Note which findings a pull request has now. Doing it again changes nothing."""
        inputs = review.inputs
        if inputs.repository is None or inputs.number is None:
            return
        async with self._database.writing() as connection:
            kept = await connection.run_sync(
                keep_repository, inputs.repository_id or inputs.repository, inputs.repository
            )
            where = (findings.c.repository_id == kept, findings.c.number == inputs.number)
            place = {"repository_id": kept, "number": inputs.number}
            # One transaction: a crash in between must not leave a pull request without its
            # findings.
            rows = await connection.execute(select(findings).where(*where))
            now = update_tracked([_to_tracked_finding(row) for row in rows], review)
            await connection.execute(delete(findings).where(*where))
            if now:
                values = [{**place, **_to_row(item)} for item in now]
                await connection.execute(insert(findings), values)

    async def settle(self, repository: str | int, number: int, *, merged_head: str | None) -> None:
        """Draw the conclusions of a pull request that was closed.

        `merged_head` is the head that was merged, None if it was closed without. A finding that
        was gone by then had been fixed, one that stood was merged over. If that head was never
        reviewed to the end, and shown, nobody knows which, and nothing is concluded.
        """
        where = (is_of(findings.c.repository_id, repository), findings.c.number == number)
        async with self._database.writing() as connection:
            # The review that left these findings. One that nobody was shown concludes nothing:
            # who merged had not seen it.
            last = (
                await connection.execute(
                    select(reviews.c.head_sha, reviews.c.published_at)
                    .where(is_of(reviews.c.repository_id, repository), reviews.c.number == number)
                    .order_by(reviews.c.created_at.desc())
                    .limit(1)
                )
            ).one_or_none()
            reviewed = last.head_sha if last is not None and last.published_at else None
            rows = (await connection.execute(select(findings).where(*where))).all()
            await connection.execute(delete(findings).where(*where))
            # Deleted all the same: nothing more comes of a closed pull request, and reopened it is
            # reviewed anew.
            if merged_head is None or merged_head != reviewed:
                return
            for row in rows:
                kind = EventKind.MERGED_OVER if row.standing == "open" else EventKind.FIXED
                await self._add(connection, row, kind)

    async def record_decision(
        self,
        repository: str | int,
        number: int,
        fingerprint: str,
        kind: Decided,
    ) -> bool:
        """Take down what an authorised person said of a finding of an open pull request.

        False if no review has seen that finding there. Said twice, it counts once; who changes
        their mind is heard.
        """
        async with self._database.writing() as connection:
            return await self.record_decision_within(
                connection, repository, number, fingerprint, kind
            )

    async def record_decision_within(
        self,
        connection: AsyncConnection,
        repository: str | int,
        number: int,
        fingerprint: str,
        kind: Decided,
    ) -> bool:
        """`record_decision`, within the caller's transaction."""
        if kind is EventKind.RESTORED:
            return await self._take_back(connection, repository, fingerprint)
        of = rule_events.c
        row = (
            await connection.execute(
                select(findings).where(
                    is_of(findings.c.repository_id, repository),
                    findings.c.number == number,
                    findings.c.fingerprint == fingerprint,
                )
            )
        ).one_or_none()
        if row is None:
            return False
        said = await connection.scalar(
            select(of.kind)
            .where(
                is_of(of.repository_id, repository),
                of.number == number,
                of.fingerprint == fingerprint,
                of.kind.in_(_SPOKEN),
            )
            .order_by(of.id.desc())
            .limit(1)
        )
        # A job that ran twice, or a person who says it again, is one piece of evidence.
        if said != kind.value:
            await self._add(connection, row, kind)
        return True

    async def _take_back(
        self, connection: AsyncConnection, repository: str | int, fingerprint: str
    ) -> bool:
        """Note of every dismissal of a finding that it is undone, on closed pull requests too.

        It was said of all of them, and the record of the rule must not keep what nobody says.
        """
        of = rule_events.c
        rows = await connection.execute(
            select(rule_events)
            .where(
                is_of(of.repository_id, repository),
                of.fingerprint == fingerprint,
                of.kind.in_(_SPOKEN),
            )
            .order_by(of.id)
        )
        last = {row.number: row for row in rows}
        dismissed = [row for row in last.values() if row.kind == EventKind.DISMISSED.value]
        for row in dismissed:
            await self._add(connection, row, EventKind.RESTORED)
        return bool(dismissed)

    async def track_records(
        self, repository: str | int | None, rule_set: RuleSet
    ) -> Mapping[str, TrackRecord]:
        """Where the records of these rules stand in a repository, by the id of the rule.

        As of the worker's last look; a rule without a case has no standing. For whether a shipped
        rule may block, the repository's own findings count alone: whoever decides elsewhere, on a
        fork for one, neither gives a rule that right here nor takes it.
        """
        of = rule_standings.c
        own_too = [] if repository is None else [is_of(of.repository_id, repository)]
        query = select(rule_standings).where(or_(of.repository_id.is_(None), *own_too))
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        own: dict[str, TrackRecord] = {}
        overall: dict[str, TrackRecord] = {}
        for row in rows:
            rule = rule_set.rules.get(row.rule_id)
            # A rule that demands something else by now has no record yet, whatever its name has
            # earned.
            if rule is not None and rule.substance == row.substance:
                (overall if row.repository_id is None else own)[rule.id] = _to_track_record(row)
        return {
            rule_id: replace(
                pick_track_record(
                    own.get(rule_id, TrackRecord()), overall.get(rule_id, TrackRecord())
                ),
                decided=own.get(rule_id, TrackRecord()).tally,
            )
            for rule_id in own.keys() | overall.keys()
        }

    async def _add(self, connection: AsyncConnection, row: Row[Any], kind: EventKind) -> None:
        await connection.execute(
            insert(rule_events).values(
                at=self._now(),
                kind=kind.value,
                rule_id=row.rule_id,
                substance=row.substance,
                written=row.written,
                repository_id=row.repository_id,
                number=row.number,
                fingerprint=row.fingerprint,
            )
        )


def _to_row(item: TrackedFinding) -> dict[str, Any]:
    return {
        "fingerprint": item.fingerprint,
        "code_print": item.code_print,
        "rule_id": item.rule_id,
        "substance": item.substance,
        "written": item.written.value,
        "path": item.path,
        "standing": "open" if item.open else "gone",
    }


def _to_tracked_finding(row: Row[Any]) -> TrackedFinding:
    return TrackedFinding(
        row.fingerprint,
        row.code_print,
        row.rule_id,
        row.substance,
        Maturity(row.written),
        row.path,
        open=row.standing == "open",
    )


def _to_track_record(row: Row[Any]) -> TrackRecord:
    maturity = None if row.maturity is None else Maturity(row.maturity)
    return TrackRecord(maturity, row.since, OutcomeCounts(row.cases, row.faults))


# Which findings a pull request has had, and which of them its last review still saw.


@dataclass(frozen=True, slots=True)
class TrackedFinding:
    """A finding of a pull request that is still open. Prints are as `Finding` has them.

    `open` says whether the last review that looked for it saw it. `written` is the maturity in the
    rule's file, whatever its record has made of it.
    """

    fingerprint: str
    code_print: str
    rule_id: str
    substance: str
    written: Maturity
    path: str | None
    open: bool = True


def update_tracked(before: Iterable[TrackedFinding], review: Review) -> tuple[TrackedFinding, ...]:
    """The findings after a review. Each is in exactly one state.

    A finding that is not there any more is gone only if it was looked for: its rule decided, with
    all its places listed, and its file read. One whose rule is no longer in force proves nothing
    and is forgotten, and so is one whose code moved to another file, where it is seen again. A
    finding that does not count, as it was dismissed before or is suppressed, says nothing new: one
    that was counted here stays as it was.
    """
    waived = {finding.id for finding in review.evaluation.findings if finding.waiver}
    now = {finding.fingerprint: finding for finding in _iter_findings(review)}
    moved_to = {finding.code_print for finding in now.values()}
    unread = {file.path for file in review.evaluation.coverage.unread}
    undecided = review.evaluation.undecided
    kept = []
    for known in before:
        rule = review.inputs.rule_set.rules.get(known.rule_id)
        if known.fingerprint in now or rule is None or rule.substance != known.substance:
            continue
        if known.fingerprint in waived or known.rule_id in undecided or known.path in unread:
            kept.append(known)
        elif known.code_print not in moved_to:
            kept.append(replace(known, open=False))
    return (*now.values(), *kept)


def _iter_findings(review: Review) -> Iterator[TrackedFinding]:
    for finding in review.evaluation.findings:
        if finding.waiver is not None:
            continue
        rule = review.inputs.rule_set.rules[finding.rule.id]
        yield TrackedFinding(
            finding.id,
            finding.code_id,
            rule.id,
            rule.substance,
            rule.maturity,
            finding.path,
        )
