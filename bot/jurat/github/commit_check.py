"""The check `jurat` of a commit, as the reviews of all pull requests with that head write it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from jurat.findings.evaluation import Conclusion
from jurat.github.check_runs import STOPPED, CheckRunWriter, check_size
from jurat.reports.check_run import CheckRun
from jurat.reports.commit_check import CommitCheck, PullRequestCheck, combine_checks


class CommitRecord(Protocol):
    """What the pull requests of one commit have its check say, on behalf of one of them."""

    @property
    def number(self) -> int:
        """The number of that one; 0 for a merge queue's group."""
        ...

    async def open(self) -> None:
        """Keep that its review has begun: what it said before no longer holds."""
        ...

    async def record(self, check: CheckRun) -> None:
        """Keep what it says."""
        ...

    async def drop(self) -> None:
        """Forget it: nobody waits for its review on this commit any more."""
        ...

    async def list_checks(self) -> Sequence[PullRequestCheck]:
        """All of them, by number."""
        ...


class CommitCheckWriter:
    """Writes the check of a commit on behalf of one of its pull requests.

    Reviews of several may run at once, on several machines, and none waits for a lock. Each keeps
    what it says first, shows what all say together, and looks then whether that is still so: the
    last of two that write at once sees what both have kept, and what it shows stands.
    """

    def __init__(self, run: CheckRunWriter, record: CommitRecord) -> None:
        self._run = run
        self._record = record
        self._conclusion: Conclusion | None = None

    @property
    def conclusion(self) -> Conclusion | None:
        """What the commit's check says since this one concluded; None while it did not."""
        return self._conclusion

    async def begin(self) -> int:
        """Show that the review has begun; the number of the commit's open check run."""
        await self._record.open()
        await self.align()
        return (await self._run.begin()).id

    async def conclude(self, check: CheckRun) -> None:
        """Say what the review came to. The check says it once no other review is waited for."""
        # Before it is kept: what GitHub would refuse is not what the commit's check says.
        check_size(check)
        await self._record.record(check)
        outcome = await self.align()
        self._conclusion = outcome.check.conclusion if outcome else check.conclusion

    async def cancel(self, title_and_summary: tuple[str, str]) -> None:
        """Leave the commit to the other pull requests; without any its open run is cancelled."""
        await self._record.drop()
        await self.align(title_and_summary)

    async def read_own(self) -> PullRequestCheck | None:
        """What this one said last; None before its first review of this commit, or after a stop."""
        checks = await self._record.list_checks()
        return next((item for item in checks if item.number == self._record.number), None)

    async def align(self, title_and_summary: tuple[str, str] = STOPPED) -> CommitCheck | None:
        """Have the newest run of the commit say what its pull requests say; what that is.

        The title and summary are for its open run, should no pull request be left.
        """
        while True:
            checks = await self._record.list_checks()
            wanted = combine_checks(checks)
            if checks:
                await self._run.show(wanted)
            else:
                await self._run.cancel(title_and_summary)
            # Read again after the write: what was kept in between is shown by whoever kept it,
            # unless this write came after theirs.
            if list(await self._record.list_checks()) == list(checks):
                return wanted
