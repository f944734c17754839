"""A merge queue's group: read as one combined change, shown as a check on its head commit.

A required check that never reports on a merge group stalls the queue, so each group gets one.
"""

from __future__ import annotations

from asyncio import to_thread
from dataclasses import dataclass

from bot.github.app_auth import Identity
from bot.github.base_files import read_base
from bot.github.changes import DIFF_LIMIT
from bot.github.checks import Check, CheckKey
from bot.github.client import DIFF, GitHub
from bot.github.contents import Snapshot
from bot.github.texts import with_texts
from bot.material import Material
from bot.publishing.edits import ConcludeCheck
from bot.publishing.plan import plan_check
from bot.review import Review
from bot.subjects.diff import parse_diff

NO_PULL_REQUEST = 0
"""The number in the key of a check that is about no single pull request."""


@dataclass(frozen=True, slots=True)
class MergeGroup:
    """What the queue is about to merge: the commits between two SHAs, of one or more requests."""

    repository: str
    base_sha: str
    head_sha: str


class MergeGroupSource:
    """Reads the combined change, and what the group's base is judged by."""

    def __init__(self, github: GitHub, group: MergeGroup) -> None:
        self._github = github
        self._group = group

    async def fetch(self) -> Material:
        """Everything that is judged. Raises as PullRequestSource does, and TooLargeError.

        TooLargeError is a diff that GitHub withholds: a group is not rebuilt file by file.
        """
        group = self._group
        base = Snapshot(self._github, group.repository, group.base_sha)
        configuration, corpus = await read_base(base)
        diff = await self._github.raw(
            "/repos/{+repository}/compare/{base}...{head}",
            {"repository": group.repository, "base": group.base_sha, "head": group.head_sha},
            accept=DIFF,
            limit=DIFF_LIMIT,
        )
        change = await to_thread(parse_diff, diff)
        head = Snapshot(self._github, group.repository, group.head_sha)
        return Material(
            change=await with_texts(head, change),
            corpus=corpus,
            configuration=configuration,
            repository=group.repository,
            base_sha=group.base_sha,
            head_sha=group.head_sha,
            asked_by="merge_group.checks_requested",
        )


class MergeGroupPublisher:
    """Shows a review as the check of a group's head: a group has no conversation to comment in."""

    def __init__(self, github: GitHub, identity: Identity, group: MergeGroup) -> None:
        key = CheckKey(group.repository, NO_PULL_REQUEST, group.head_sha)
        self._check = Check(github, key, identity.app_id, _always)

    async def begin(self) -> int:
        """Show that the review has begun; the number of its check run."""
        return (await self._check.begin()).id

    async def concluded_as(self, check_run_id: int) -> bool:
        """Whether that check run was concluded already, other than by a cancellation."""
        return await self._check.concluded_as(check_run_id)

    async def publish(self, review: Review) -> None:
        """Conclude the check, every finding with a line as an annotation."""
        await self.conclude(plan_check(review.evaluation, review.material.configuration))

    async def conclude(self, edit: ConcludeCheck) -> None:
        """Conclude the check in another way: the review could not be done."""
        await self._check.conclude(edit)


async def _always() -> None:
    """A group's head never moves: the queue makes another group."""
