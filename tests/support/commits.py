"""The record of who shares a commit, in memory: for tests that have no database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from jurat.reports.check_run import CheckRun
from jurat.reports.commit_check import PullRequestCheck


@dataclass(slots=True)
class MemoryRecord:
    """A `CommitRecord` of one pull request; `checks` may be given to several."""

    number: int
    checks: dict[int, PullRequestCheck] = field(default_factory=dict)

    async def open(self) -> None:
        self.checks[self.number] = PullRequestCheck(self.number, "main")

    async def record(self, check: CheckRun) -> None:
        self.checks[self.number] = PullRequestCheck(self.number, "main", check)

    async def drop(self) -> None:
        self.checks.pop(self.number, None)

    async def list_checks(self) -> Sequence[PullRequestCheck]:
        return tuple(self.checks[number] for number in sorted(self.checks))
