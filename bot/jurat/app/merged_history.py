"""The check `jurat / backtest`: what the rules would have said of what was merged here before.

It is made when the App arrives, on the newest commit of the default branch, and proposes levels:
it sets none, and blocks nothing. No model is asked, nothing is kept, and nothing of what is read
goes into a log.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import structlog

from jurat.app.rules_check import UnseenReview
from jurat.engine.rule_examples import build_added_files
from jurat.errors import FileError
from jurat.findings.backtest import (
    LaterState,
    ReplayedChange,
    replay_evaluation,
    summarize_backtest,
)
from jurat.findings.evaluation import Evaluation
from jurat.github.auth import AppIdentity
from jurat.github.base_attributes import read_attributes
from jurat.github.base_config import read_ruleset
from jurat.github.check_runs import BACKTEST, CheckKey, CheckRunWriter
from jurat.github.client import GitHub
from jurat.github.contents import CommitFiles
from jurat.github.errors import NotFoundError
from jurat.github.models import PullRequestRowPayload
from jurat.github.past import CommitGoneError, read_past_diff
from jurat.github.pull_requests import (
    list_merged_pull_requests,
    read_branch_tip,
    read_default_branch,
    to_facts,
)
from jurat.github.retries import run_concurrently
from jurat.jobs.requests import BacktestRequest
from jurat.reports.backtest_check import build_backtest_check
from jurat.reports.commit_check import MERGE_GROUP
from jurat.review import review
from jurat.review_interfaces import Inputs, Services, run_untimed
from jurat.source.diff import Diff
from jurat.store.evaluations import Store

MAX_CHANGES = 30
"""Merged pull requests that are looked at, those that moved last."""
MAX_FILES = 300
"""Changed files that are read for them in all, each a request at most; older ones are left."""

_log = structlog.stdlib.get_logger("jurat.app.merged_history")


@dataclass(frozen=True, slots=True)
class MergedHistory:
    """What was merged in a repository lately, replayed by what is in force there now."""

    github: GitHub
    identity: AppIdentity
    services: Services
    store: Store

    async def replay(self, request: BacktestRequest, *, resumed: bool) -> None:
        """Show the check, unless the newest commit has it or there is nothing to look back at.

        Resumed, it may have been shown already: the same is not shown twice.
        """
        try:
            branch = await read_default_branch(self.github, request.repository)
            tip = await read_branch_tip(self.github, request.repository, branch)
        except NotFoundError:
            return  # it is empty: nothing was merged
        check = self._build_check(request, tip)
        if not request.again and await check.is_concluded():
            return
        base = CommitFiles(self.github, request.repository, tip)
        try:
            configuration, rule_set = await read_ruleset(base)
        except FileError:
            # The first pull request says so, on the line that is wrong.
            _log.info("nothing was replayed: the configuration cannot be loaded")
            return
        if not configuration.review.backtest:
            return
        standard = Inputs(
            change=Diff(()),
            rule_set=rule_set,
            configuration=configuration.model_copy(update={"judge": "none"}),
            repository=request.repository,
            repository_id=request.repository_id,
            attributes=await read_attributes(base),
        )
        changes, left_out = await self._replay_all(standard, base, branch)
        if not changes:
            return
        # At once and not begun before: a job that is run again finds another newest commit, and
        # nobody would come back to the one whose check it left open.
        await check.post(
            build_backtest_check(summarize_backtest(changes), branch, left_out),
            anew=request.again and not resumed,
        )

    async def _replay_all(
        self, standard: Inputs, base: CommitFiles, branch: str
    ) -> tuple[list[ReplayedChange], Counter[str]]:
        changes: list[ReplayedChange] = []
        left_out: Counter[str] = Counter()
        files = 0
        for row in await list_merged_pull_requests(
            self.github, base.repository, branch, limit=MAX_CHANGES
        ):
            if files >= MAX_FILES:
                left_out[f"older than {MAX_FILES} changed files"] += 1
                continue
            try:
                change, number = await self._replay_one(standard, base, row)
            except CommitGoneError as error:
                left_out[error.message] += 1
                continue
            changes.append(change)
            files += number
        return changes, left_out

    async def _replay_one(
        self, standard: Inputs, base: CommitFiles, row: PullRequestRowPayload
    ) -> tuple[ReplayedChange, int]:
        """What comes of one change, and how many files it has."""
        pull, change = await read_past_diff(
            self.github, base.repository, row.number, row.base.sha, row.head.sha
        )
        then = replace(
            standard,
            change=change,
            base_sha=row.base.sha,
            head_sha=row.head.sha,
            facts=to_facts(pull),
        )
        evaluation = await self._evaluate(then)
        paths = sorted({finding.path for finding in evaluation.findings if finding.path})
        contents = dict(zip(paths, await run_concurrently(base.find, paths), strict=True))
        present = {path: text for path, text in contents.items() if text is not None}
        # The files of today as if each were new: every finding that still stands in them is found.
        today = (
            await self._evaluate(replace(standard, change=build_added_files(present)))
            if present
            else None
        )
        later = LaterState(today.findings if today else (), frozenset(paths) - present.keys())
        replayed = replay_evaluation(f"#{pull.number}", pull.title, evaluation, later)
        return replayed, len(change.files)

    async def _evaluate(self, inputs: Inputs) -> Evaluation:
        trial = UnseenReview(inputs, self.store)
        services = replace(
            self.services, judge=None, semantic=None, watch=run_untimed, records=trial
        )
        return (await review(trial, trial, services)).evaluation

    def _build_check(self, request: BacktestRequest, tip: str) -> CheckRunWriter:
        async def before_write() -> None:
            """The commit stays what it is: nothing makes this check moot."""

        return CheckRunWriter(
            self.github,
            request.repository,
            # Of no pull request, as a merge group's.
            CheckKey(request.repository_id, MERGE_GROUP, tip),
            self.identity.app_id,
            before_write,
            name=BACKTEST,
            shared=False,
        )
