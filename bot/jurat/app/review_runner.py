"""Reviews of pull requests and merge groups, each shown by a check.

A check is on record before it is begun and until it has ended, with the job that ends it should its
own one not: a crash leaves none open for good.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from jurat.errors import FileError, JuratError
from jurat.findings.evaluation import Conclusion, RatingOutcome
from jurat.github.client import GitHub
from jurat.github.errors import PullRequestClosedError, SupersededError
from jurat.github.merge_groups import MergeGroupPublisher, MergeGroupSource
from jurat.github.models import PullRequestPayload
from jurat.github.pull_requests import PullRequestSource
from jurat.github.reviews import PullRequestPublisher
from jurat.jobs.queue import Job
from jurat.jobs.requests import (
    CheckRequest,
    CommandRequest,
    MergeGroupRequest,
    ResumeRequest,
    ReviewRequest,
    to_job,
)
from jurat.judge.call_record import CallRecord
from jurat.judge.protocol import Judge, JudgeError, Prompt, Reply, Tier
from jurat.reports.check_run import REQUEUE, build_config_error_check
from jurat.review import review
from jurat.review_interfaces import Services
from jurat.rules.config import Config
from jurat.source.diff import Diff
from jurat.store.evaluations import Store
from jurat.store.open_checks import OpenCheck, OpenCheckStore

if TYPE_CHECKING:
    from jurat.app.rating_inputs import RatingHistory


@dataclass(frozen=True, slots=True)
class ReviewOutcome:
    """What came of a review.

    `conclusion` is what the check says, None if a push or the end came between. `change` is what
    was reviewed just now, None if nothing was. `postponed` says that a model is still to be asked,
    `unanswered` that it was and is away.
    """

    conclusion: Conclusion | None
    change: Diff | None = None
    postponed: bool = False
    unanswered: bool = False


class ModelAwayError(JuratError):
    """A model did not answer. All that could be said without it has been said."""

    # Each try may cost what an answer costs, if it is the question that takes too long.
    patience = 6 * 3_600.0
    is_needed_by_all = False
    retry_after = 120.0

    def __init__(self) -> None:
        super().__init__(
            "The model does not answer.", hint="It is asked again: `jurat doctor` says more."
        )


@dataclass(slots=True)
class _AttentiveJudge:
    """A judge, and whether it was away when it was asked."""

    judge: Judge
    was_away: bool = False

    async def ask(self, prompt: Prompt) -> Reply:
        """The judge's answer, or its JudgeError."""
        try:
            return await self.judge.ask(prompt)
        except JudgeError as error:
            self.was_away |= error.fault.is_passing
            raise

    def model_id(self, tier: Tier) -> str:
        """The judge's own."""
        return self.judge.model_id(tier)


@dataclass(frozen=True, slots=True)
class ReviewRunner:
    """Reviews on record. `services` is what they need of the world, `ratings` keeps ratings."""

    services: Services
    ratings: RatingHistory
    open_checks: OpenCheckStore
    store: Store

    async def run(
        self,
        github: GitHub,
        pull: PullRequestPayload,
        publisher: PullRequestPublisher,
        check: OpenCheck,
        *,
        asked_by: str,
        behind: bool = False,
        computed_only: bool = False,
        until_judged: bool = False,
    ) -> ReviewOutcome:
        """Review a pull request at the head in `pull`, and show it.

        `behind` leaves the check that stands as it is until the review has another conclusion.
        `computed_only` asks no model: if one must be asked, the check says at most that the change
        fails, and is left open, and on record, if it does not. `until_judged` shows nothing while
        a model does not answer.
        """
        change, postponed, unanswered = None, False, False
        judges = [
            None if judge is None else _AttentiveJudge(judge)
            for judge in (self.services.judge, self.services.second_judge)
        ]

        def is_away() -> bool:
            return any(judge is not None and judge.was_away for judge in judges)

        services = replace(
            self.services, judge=judges[0], second_judge=judges[1], computed_only=computed_only
        )
        if until_judged:
            services = replace(services, is_model_away=is_away)
        try:
            if not behind and (said := await self._begin(check, publisher)) is not None:
                return ReviewOutcome(said)
            source = PullRequestSource(github, pull, self.services.parse_map, asked_by=asked_by)
            rate = partial(self._rate, github, pull)
            finished = await review(source, publisher, services, rate)
            change, postponed = finished.inputs.change, finished.postponed
            unanswered = is_away() and finished.evaluation.has_model_failure
        except SupersededError:
            # The push has a job of its own: it waits for the end of this one.
            await publisher.cancel()
        except PullRequestClosedError:
            await publisher.stop()
        except FileError as error:
            await publisher.apply([build_config_error_check(error)])
        if not postponed or publisher.conclusion is not None:
            await self.end(check.key, check.head_sha)
        return ReviewOutcome(publisher.conclusion, change, postponed, unanswered)

    async def run_group(
        self, source: MergeGroupSource, publisher: MergeGroupPublisher, check: OpenCheck
    ) -> None:
        """Review what a merge queue is about to merge, as one change, and show it."""
        try:
            if await self._begin(check, publisher) is not None:
                return
            await review(source, publisher, self.services)
        except FileError as error:
            await publisher.conclude(build_config_error_check(error, REQUEUE))
        await self.end(check.key, check.head_sha)

    async def _rate(
        self, github: GitHub, pull: PullRequestPayload, configuration: Config, record: CallRecord
    ) -> RatingOutcome | None:
        """The rating of a pull request, None if its configuration names no regulation."""
        if not configuration.rating.regulations:
            return None
        # Loaded here: few repositories ask for one, and what rates takes a fifth of a start.
        from jurat.app.rating_inputs import RatingReader  # noqa: PLC0415

        return await RatingReader(github, pull, self.services, self.ratings).read(
            configuration, record
        )

    async def acknowledge(self, check: OpenCheck, publisher: PullRequestPublisher) -> None:
        """Mark what another job concluded as shown, if it was stopped before it could say so.

        It may wait longer than this one to be tried again, and a head needs no second check.
        """
        left = await self.open_checks.find(check.key, check.head_sha)
        if left is not None and left.check_run_id is not None and left.job_id != check.job_id:
            await self._end_concluded(check, publisher)

    async def end(self, key: str, head_sha: str) -> None:
        """Take the check of a head off the record: it has ended, or nobody can end it."""
        await self.open_checks.end(key, head_sha)

    async def _begin(
        self, check: OpenCheck, publisher: PullRequestPublisher | MergeGroupPublisher
    ) -> Conclusion | None:
        """Begin a check, on record first.

        What it says if this very job concluded it already: it was killed before it could say so.
        The review that it shows is then marked as shown.
        """
        # On record before it is on GitHub: a crash between the two leaves a row that the sweep
        # ends, never a check that nobody knows of.
        before = await self.open_checks.begin(check)
        if before is not None and (said := await self._end_concluded(check, publisher)) is not None:
            return said
        await self.open_checks.number(check.key, check.head_sha, await publisher.begin())
        return None

    async def _end_concluded(
        self, check: OpenCheck, publisher: PullRequestPublisher | MergeGroupPublisher
    ) -> Conclusion | None:
        """End a check that is concluded and not known to be, by what it says; None if it is not."""
        said = await publisher.find_conclusion()
        if said is None:
            return None
        await publisher.align()
        repository, number = check.payload["repository_id"], check.payload.get("number")
        await self.store.mark_last_published(repository, number, check.head_sha, said)
        await self.end(check.key, check.head_sha)
        return said


def build_open_check(
    request: ReviewRequest | CommandRequest | CheckRequest | ResumeRequest,
    number: int,
    head_sha: str,
    job: Job,
) -> OpenCheck:
    """The record of the check that `job` is to begin on the head of pull request `number`."""
    resume = to_job(
        ResumeRequest(
            repository=request.repository,
            repository_id=request.repository_id,
            installation_id=request.installation_id,
            number=number,
            head_sha=head_sha,
        )
    )
    return OpenCheck(resume.key, head_sha, job.id, resume.kind, resume.payload)


def build_group_check(request: MergeGroupRequest, job: Job) -> OpenCheck:
    """The record of the check that `job` is to begin on a merge group's head: it ends it itself."""
    return OpenCheck(job.key, request.head_sha, job.id, job.kind, job.payload)
