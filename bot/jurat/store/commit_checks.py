"""What each open pull request has the check of its head say, and who excluded one from it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Row, and_, delete, insert, select

from jurat.reports.check_run import CheckRun
from jurat.reports.commit_check import MERGE_GROUP, Exclusion, PullRequestCheck
from jurat.store.database import Database, insert_into
from jurat.store.repositories import keep_repository
from jurat.store.tables import audit_log, commit_checks, exclusions

_CHECK: TypeAdapter[CheckRun] = TypeAdapter(CheckRun)
_of = commit_checks.c


@dataclass(frozen=True, slots=True)
class Share:
    """The part of one pull request in the check of its head. `number` is 0 for a merge group."""

    repository_id: int
    head_sha: str
    number: int
    base_ref: str


class CommitCheckStore:
    """Every method raises DatabaseUnavailable. `now` gives the time with its zone."""

    def __init__(self, database: Database, now: Callable[[], dt.datetime]) -> None:
        self._database = database
        self._now = now

    async def open(self, share: Share, again: Mapping[str, Any] | None = None) -> None:
        """Keep that a review has begun: what its pull request said before no longer holds.

        `again` is the job that reviews a merge group once more.
        """
        await self._write(share, {"said": None, "again": again}, replacing=True)

    async def expect(self, share: Share) -> None:
        """Keep that a pull request shares a commit and is still to be reviewed, unless known."""
        # A review of it that began, or ended, meanwhile knows better.
        await self._write(share, {"said": None}, replacing=False)

    async def record(self, share: Share, check: CheckRun) -> None:
        """Keep what a pull request has its head's check say."""
        await self._write(share, {"said": _CHECK.dump_python(check, mode="json")}, replacing=True)

    async def drop(self, share: Share) -> None:
        """Forget the part of a pull request in one commit's check."""
        async with self._database.writing() as connection:
            await connection.execute(delete(commit_checks).where(_is_share(share)))

    async def list_heads(self, repository_id: int, number: int) -> tuple[str, ...]:
        """The commits in whose check a pull request has a part: its head, and earlier ones."""
        query = select(_of.head_sha).where(_of.repository_id == repository_id, _of.number == number)
        async with self._database.reading() as connection:
            return tuple(await connection.scalars(query))

    async def list_checks(self, repository_id: int, head_sha: str) -> tuple[PullRequestCheck, ...]:
        """All that have a part in a commit's check, by number."""
        said = (
            select(commit_checks)
            .where(_of.repository_id == repository_id, _of.head_sha == head_sha)
            .order_by(_of.number)
        )
        decided = (
            select(exclusions)
            .where(exclusions.c.repository_id == repository_id, exclusions.c.head_sha == head_sha)
            .order_by(exclusions.c.id)
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(said)).all()
            # A commit has few: the latest of each pull request stays.
            words = {(row.number, row.base_ref): row for row in await connection.execute(decided)}
        # Onto another branch it would be another judge that is left out.
        return tuple(_to_check(row, words.get((row.number, row.base_ref))) for row in rows)

    async def read_again(self, repository_id: int, head_sha: str) -> Mapping[str, Any] | None:
        """The job that reviews the merge group at a commit once more; None if none is known."""
        query = select(_of.again).where(
            _of.repository_id == repository_id,
            _of.head_sha == head_sha,
            _of.number == MERGE_GROUP,
        )
        async with self._database.reading() as connection:
            again: Mapping[str, Any] | None = await connection.scalar(query)
            return again

    async def decide(self, share: Share, word: Exclusion, *, excluded: bool) -> None:
        """Keep, on record, that a pull request counts for its head's check no more, or again."""
        at = self._now()
        row = {
            "repository_id": share.repository_id,
            "head_sha": share.head_sha,
            "number": share.number,
            "base_ref": share.base_ref,
        }
        audited = {
            "at": at,
            "asked_by": f"github:{word.by}",
            "action": "exclude" if excluded else "include",
            "subject_digest": "",
            "rules": {},
            "models": [],
            "result": {**row, "why": word.why},
            "repository_id": share.repository_id,
        }
        said = {"excluded": excluded, "decided_by": word.by, "why": word.why, "at": at}
        async with self._database.writing() as connection:
            await connection.run_sync(keep_repository, share.repository_id)
            await connection.execute(insert(exclusions), {**row, **said})
            await connection.execute(insert(audit_log), audited)

    async def forget_groups(self, before: dt.datetime) -> None:
        """Delete the parts of merge groups that were shown before that time: none is closed."""
        async with self._database.writing() as connection:
            await connection.execute(
                delete(commit_checks).where(_of.number == MERGE_GROUP, _of.at < before)
            )

    async def _write(self, share: Share, said: Mapping[str, Any], *, replacing: bool) -> None:
        row = {
            "repository_id": share.repository_id,
            "head_sha": share.head_sha,
            "number": share.number,
            "base_ref": share.base_ref,
            "at": self._now(),
            **said,
        }
        async with self._database.writing() as connection:
            await connection.run_sync(keep_repository, share.repository_id)
            adding = insert_into(connection, commit_checks).values(row)
            keys = ["repository_id", "head_sha", "number"]
            await connection.execute(
                adding.on_conflict_do_update(index_elements=keys, set_=row)
                if replacing
                else adding.on_conflict_do_nothing(index_elements=keys)
            )


def _is_share(share: Share) -> ColumnElement[bool]:
    return and_(
        _of.repository_id == share.repository_id,
        _of.head_sha == share.head_sha,
        _of.number == share.number,
    )


def _to_check(row: Row[Any], word: Row[Any] | None) -> PullRequestCheck:
    return PullRequestCheck(
        number=row.number,
        base_ref=row.base_ref,
        check=None if row.said is None else _CHECK.validate_python(row.said),
        excluded=Exclusion(word.decided_by, word.why) if word and word.excluded else None,
    )
