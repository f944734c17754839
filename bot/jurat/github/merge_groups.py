"""A merge queue's group: read as one combined change, shown as a check on its head commit.

A required check that never reports on a merge group stalls the queue, so each group gets one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from jurat.findings.evaluation import Conclusion
from jurat.github.auth import AppIdentity
from jurat.github.base_attributes import read_attributes
from jurat.github.base_config import read_ruleset
from jurat.github.check_runs import CheckKey, CheckRunWriter
from jurat.github.client import GitHub
from jurat.github.commit_check import CommitCheckWriter, CommitRecord
from jurat.github.commits import read_commit
from jurat.github.contents import CommitFiles, attach_texts
from jurat.github.diffs import read_comparison
from jurat.github.models import PullRequestPayload
from jurat.github.pull_requests import read_pull_request, to_facts, to_intent
from jurat.reports.check_run import CheckRun
from jurat.reports.commit_check import MERGE_GROUP
from jurat.reports.pull_request import plan_check_run
from jurat.review_interfaces import Inputs, Review
from jurat.source.parsing import ParseMap, parse_in_process

_HEAD_REF = re.compile(r"(?:refs/heads/)?gh-readonly-queue/.+/pr-(?P<number>\d+)-[0-9a-f]+")


@dataclass(frozen=True, slots=True)
class MergeGroupRange:
    """What the queue is about to merge: the commits between two SHAs, of one or more requests.

    `head_ref` is the queue's own branch, which names the last of the pull requests.
    """

    repository: str
    base_sha: str
    head_sha: str
    head_ref: str = ""
    repository_id: int | None = None

    @property
    def last_number(self) -> int | None:
        """The last of its pull requests; None if the branch does not say."""
        named = _HEAD_REF.fullmatch(self.head_ref)
        return int(named["number"]) if named else None


class MergeGroupSource:
    """Reads the combined change, and what the group's base is judged by."""

    def __init__(
        self, github: GitHub, group: MergeGroupRange, parse_map: ParseMap = parse_in_process
    ) -> None:
        self._github = github
        self._group = group
        self._parse_map = parse_map

    async def fetch(self) -> Inputs:
        """Everything that is judged. Raises as PullRequestSource does.

        A group of one pull request is judged with that one's words and facts, so that what a model
        said of the pull request is remembered; of several requests, nobody's words are of the
        whole.
        """
        group = self._group
        base = CommitFiles(self._github, group.repository, group.base_sha)
        configuration, rule_set = await read_ruleset(base)
        change = await read_comparison(
            self._github, group.repository, group.base_sha, group.head_sha, self._parse_map
        )
        head = CommitFiles(self._github, group.repository, group.head_sha)
        pull = await _find_only_pull_request(self._github, group)
        return Inputs(
            change=await attach_texts(head, change),
            rule_set=rule_set,
            configuration=configuration,
            intent=to_intent(pull) if pull else "",
            facts=to_facts(pull) if pull else {},
            repository=group.repository,
            repository_id=group.repository_id,
            base_sha=group.base_sha,
            head_sha=group.head_sha,
            asked_by="merge_group.checks_requested",
            merging=True,
            queued=group.last_number,
            rules_sha=base.commit,
            attributes=await read_attributes(base, change),
        )


async def _find_only_pull_request(
    github: GitHub, group: MergeGroupRange
) -> PullRequestPayload | None:
    """The pull request of a group that holds no other; None if that is not certain.

    The queue puts one merge or squash commit a pull request on the base, so that if the head
    stands directly on the base, the one that the branch is named after is the only one. Rebased
    commits do not say whose they are.
    """
    if group.last_number is None:
        return None
    commit = await read_commit(github, group.repository, group.head_sha)
    # The first parent: a merge commit's second one is the pull request's head.
    if [parent.sha for parent in commit.parents[:1]] != [group.base_sha]:
        return None
    return await read_pull_request(github, group.repository, group.last_number)


class MergeGroupPublisher:
    """Shows a review as the check of a group's head: a group has no conversation to comment in."""

    def __init__(
        self,
        github: GitHub,
        identity: AppIdentity,
        group: MergeGroupRange,
        record: CommitRecord,
    ) -> None:
        key = CheckKey(group.repository_id, MERGE_GROUP, group.head_sha)
        # Its head is in nobody's hands, but anybody who sees it can open a pull request of it: so
        # that its check, too, is the strictest of all.
        run = CheckRunWriter(github, group.repository, key, identity.app_id, _allow_always)
        self._check = CommitCheckWriter(run, record)

    async def begin(self) -> int:
        """Show that the review has begun; the number of its check run."""
        return await self._check.begin()

    async def find_conclusion(self) -> Conclusion | None:
        """What the last review of this head came to; None while it is open."""
        own = await self._check.read_own()
        return own.check.conclusion if own and own.check else None

    async def align(self) -> None:
        """Have the check say what is known: whoever knew it may have been stopped before that."""
        await self._check.align()

    async def publish(self, review: Review) -> None:
        """Conclude the check, every finding with a line as an annotation."""
        configuration = review.inputs.configuration
        await self.conclude(plan_check_run(review.evaluation, configuration, review.track_records))

    async def conclude(self, edit: CheckRun) -> None:
        """Conclude the check. It has no buttons: there is no one pull request to act on."""
        await self._check.conclude(replace(edit, actions=()))


async def _allow_always() -> None:
    """A group's head never moves: the queue makes another group."""
