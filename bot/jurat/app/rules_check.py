"""The check `jurat / rules`: a pull request that would change its own judge shows what that means.

The review of such a pull request is by its base's rules alone. This second check loads what it
would put in force, and tries both sets of rules on what was reviewed lately, without a model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from jurat.errors import FileError
from jurat.findings.waivers import Decision
from jurat.github.auth import AppIdentity
from jurat.github.base_config import OutOfReachError, list_shared_files, read_ruleset
from jurat.github.check_runs import RULES, STOPPED, SUPERSEDED, CheckKey, CheckRunWriter
from jurat.github.client import GitHub
from jurat.github.contents import CommitFiles
from jurat.github.diffs import merge_base
from jurat.github.errors import PullRequestClosedError, SupersededError
from jurat.github.models import PullRequestPayload
from jurat.github.past import CommitGoneError, read_past_diff
from jurat.github.pull_requests import check_head_unmoved, to_facts
from jurat.judge.flights import NoAnswers
from jurat.judge.protocol import AnswerCache
from jurat.reports.check_run import CheckRun
from jurat.reports.rule_change import (
    BEGUN,
    ReplayedReview,
    RuleChange,
    build_broken_check,
    build_given_up_check,
    build_loaded_check,
    build_repaired_check,
    build_unread_check,
)
from jurat.review import review
from jurat.review_interfaces import Inputs, NullStore, Review, Services, run_untimed
from jurat.rules.config import ConfigReference
from jurat.rules.loader import RULE_FILES, TABLE_FILES
from jurat.rules.maturity import TrackRecord
from jurat.rules.rule import RuleSet
from jurat.rules.ruleset_diff import ActiveRules, diff_rulesets, list_changed_normative
from jurat.store.evaluations import Store
from jurat.store.open_checks import OpenCheck, OpenCheckStore
from jurat.store.rows import PastReview

RULE_LIKE = (*RULE_FILES, *TABLE_FILES)
"""How the names of the configuration, of rule files and of their tables end."""
MAX_TRIALS = 50
"""Past reviews that new rules are tried on. Each costs two requests and one a changed file."""


@dataclass(frozen=True, slots=True)
class RulesCheck:
    """The second check of one head of a pull request.

    `record` is how it stands in `open_checks` while it is open: by it the sweep ends what a crash,
    a closing or a lost lease left. Who is cancelled writes nothing more, as another worker may have
    the job by then, and its run.
    """

    github: GitHub
    pull: PullRequestPayload
    identity: AppIdentity
    services: Services
    store: Store
    open_checks: OpenCheckStore
    record: OpenCheck

    async def run(self, *, again: bool) -> None:
        """Check the rules, unless they do not change or were checked at this head already."""
        check = self._check()
        current = self.pull.head.sha == self.record.head_sha
        if self.pull.state != "open" or not current:
            # The sweep sent the job, for a check that was left open if nobody waits any more.
            await check.cancel(SUPERSEDED if self.pull.state == "open" else STOPPED)
        elif again or not await check.is_concluded():
            try:
                await self._show(check)
            except SupersededError:
                await check.cancel()
            except PullRequestClosedError:
                await check.cancel(STOPPED)
        await self.open_checks.end(self.record.key, self.record.head_sha)

    async def give_up(self, reason: str) -> None:
        """Say that the check could not be carried out."""
        check = self._check()
        if self.pull.state == "open" and not await check.is_concluded():
            await check.conclude(build_given_up_check(reason))
        await self.open_checks.end(self.record.key, self.record.head_sha)

    async def _show(self, check: CheckRunWriter) -> None:
        base = CommitFiles(self.github, self.pull.repository, self.pull.base.sha)
        # Both commits are the author's choice. What either names elsewhere is not read for them.
        shared = await list_shared_files(base)
        at = replace(base, commit=await merge_base(self.github, self.pull))
        head = replace(base, commit=self.pull.head.sha)
        old = await _load_active_rules(at, shared)
        new = await _load_active_rules(head, shared)
        out_of_reach = [item for item in (new, old) if isinstance(item, OutOfReachError)]
        if out_of_reach:
            await self._conclude(check, build_unread_check(out_of_reach[0]))
        elif isinstance(new, FileError):
            await self._conclude(check, build_broken_check(new))
        elif isinstance(old, FileError):
            await self._conclude(check, build_repaired_check())
        elif not old.has_same_text(new):
            # Begun when all is known: a crash during the trial leaves no check that waits for ever.
            await self._conclude(check, build_loaded_check(await self._replay_reviews(old, new)))

    async def _conclude(self, check: CheckRunWriter, edit: CheckRun) -> None:
        # On record before it is on GitHub, as the review's own check is.
        await self.open_checks.begin(self.record)
        await check.begin()
        await check.conclude(edit)

    async def _replay_reviews(self, old: ActiveRules, new: ActiveRules) -> RuleChange:
        found = diff_rulesets(old, new)
        change = RuleChange(found, untried=list_changed_normative(old, new))
        if not found:
            return change
        past = await self.store.past_reviews(
            self.pull.repository_id, limit=MAX_TRIALS, besides=self.pull.number
        )
        trials: list[ReplayedReview] = []
        left_out: Counter[str] = Counter()
        for one in past:
            try:
                trials.append(await self._replay_review(one, old, new))
            except CommitGoneError as error:
                left_out[error.message] += 1
        return replace(change, trials=tuple(trials), left_out=left_out)

    async def _replay_review(
        self, past: PastReview, old: ActiveRules, new: ActiveRules
    ) -> ReplayedReview:
        if past.base_sha is None:
            raise CommitGoneError("reviewed by an earlier release")
        pull, change = await read_past_diff(
            self.github, self.pull.repository, past.number, past.base_sha, past.head_sha
        )
        inputs = Inputs(
            change=change,
            rule_set=old.rule_set,
            configuration=old.configuration,
            repository=self.pull.repository,
            repository_id=self.pull.repository_id,
            base_sha=past.base_sha,
            head_sha=past.head_sha,
            facts=to_facts(pull),
        )
        before = await self._list_denying_rules(inputs)
        after = await self._list_denying_rules(
            replace(inputs, rule_set=new.rule_set, configuration=new.configuration)
        )
        return ReplayedReview(past.number, pull.html_url, before, after)

    async def _list_denying_rules(self, inputs: Inputs) -> tuple[str, ...]:
        """The rules that block a change, as far as they are decided without a model."""
        trial = UnseenReview(inputs, self.store)
        # Without a model: fifty changes by two sets of rules would cost what a month of reviews
        # does.
        services = replace(self.services, judge=None, watch=run_untimed, records=trial)
        evaluation = (await review(trial, trial, services)).evaluation
        return tuple(item.rule.id for item in evaluation.blocking)

    def _check(self) -> CheckRunWriter:
        async def before_write() -> None:
            await check_head_unmoved(self.github, self.pull)

        key = CheckKey(self.pull.repository_id, self.pull.number, self.record.head_sha)
        return CheckRunWriter(
            self.github,
            self.pull.repository,
            key,
            self.identity.app_id,
            before_write,
            name=RULES,
            begun=BEGUN,
            # Each pull request its own: it fails only for what stands in the head itself, which
            # says the same onto every branch.
            shared=False,
        )


async def _load_active_rules(
    at: CommitFiles, shared: Collection[ConfigReference]
) -> ActiveRules | FileError:
    """What is in force at a commit, or why that cannot be loaded."""
    try:
        return ActiveRules(*await read_ruleset(at, shared))
    except FileError as error:
        return error


@dataclass(frozen=True, slots=True)
class UnseenReview(NullStore):
    """Source, publisher and records of a review of what is at hand, which leaves nothing."""

    inputs: Inputs
    store: Store

    async def fetch(self) -> Inputs:
        """What is tried."""
        return self.inputs

    async def publish(self, review: Review) -> None:
        """Nobody sees it."""

    def get_answers(self, repository: str | int | None) -> AnswerCache:
        """No model is asked."""
        return NoAnswers()

    async def track_records(
        self, repository: str | int | None, rule_set: RuleSet
    ) -> Mapping[str, TrackRecord]:
        """A rule counts as far as it has earned that here."""
        return await self.store.rules.track_records(repository, rule_set)

    async def decisions(
        self, repository: str | int | None, code_prints: Sequence[str]
    ) -> Sequence[Decision]:
        """A finding is tried as if nobody had set it aside."""
        return ()
