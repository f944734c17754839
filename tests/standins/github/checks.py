"""Check suites and check runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tests.standins.github.accounts import App

if TYPE_CHECKING:
    from tests.standins.github.repositories import Repository


@dataclass(eq=False, slots=True)
class CheckSuite:
    """All runs of one App on one commit. GitHub makes it on the push."""

    id: int
    repository: Repository
    app: App
    head_sha: str
    head_branch: str | None
    created_at: datetime
    updated_at: datetime
    before: str | None = None
    runs: list[CheckRun] = field(default_factory=list)

    def latest_runs(self) -> list[CheckRun]:
        """The newest run of each name."""
        return list({run.name: run for run in self.runs}.values())

    @property
    def status(self) -> str:
        """Queued before the first run; completed when all of the latest runs are."""
        if not self.runs:
            return "queued"
        done = all(run.status == "completed" for run in self.latest_runs())
        return "completed" if done else "in_progress"

    @property
    def conclusion(self) -> str | None:
        """The gravest conclusion of the latest runs, or None before they have completed."""
        if self.status != "completed":
            return None
        reached = {run.conclusion for run in self.latest_runs()}
        return next((grave for grave in _GRAVITY if grave in reached), "neutral")


_GRAVITY = (
    "failure",
    "timed_out",
    "action_required",
    "cancelled",
    "success",
    "neutral",
    "skipped",
)


@dataclass(eq=False, slots=True)
class CheckRun:
    """One check run. Annotations and actions are kept as they were sent."""

    id: int
    suite: CheckSuite
    name: str
    status: str
    conclusion: str | None
    started_at: datetime
    completed_at: datetime | None
    external_id: str = ""
    details_url: str | None = None
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations: list[dict[str, Any]] = field(default_factory=list)
    actions: list[dict[str, str]] = field(default_factory=list)

    @property
    def head_sha(self) -> str:
        """The commit it reports on."""
        return self.suite.head_sha
