"""Whether a review that somebody asks for is due, or was shown already."""

from __future__ import annotations

from dataclasses import dataclass

from jurat.app.command_context import BaseRules
from jurat.app.shared_commits import SharedCommits
from jurat.errors import FileError
from jurat.findings.verdict import DecidedBy, NotAssessedReason
from jurat.github.base_config import read_ruleset
from jurat.github.client import GitHub
from jurat.github.contents import CommitFiles
from jurat.github.models import PullRequestPayload
from jurat.github.reviews import PullRequestPublisher
from jurat.jobs.requests import MODEL_AWAY, ReviewRequest
from jurat.store.evaluations import Store


@dataclass(frozen=True, slots=True)
class PastReviews:
    """What is known of the last review of a pull request.

    `commits` says which pull requests share a head; `has_second` whether two models judge.
    """

    store: Store
    commits: SharedCommits
    has_second: bool

    async def has_head(self, pull: PullRequestPayload, publisher: PullRequestPublisher) -> bool:
        """Whether the head has its check, by the rules of this base, and was reviewed last.

        A push may go back to a head that has its check: comments and commands follow the last one.
        """
        last = await self.store.last_review(pull.repository_id, pull.number, published=False)
        # A check may also say that its review was given up: that is none.
        if last is None or not last.published:
            return False
        if (last.base_sha, last.head_sha) != (pull.base.sha, pull.head.sha):
            return False
        if any(item.gap == NotAssessedReason.POSTPONED for item in last.answer.not_assessed):
            return False  # a model is still to be asked
        return await publisher.is_concluded()

    async def is_due(
        self,
        request: ReviewRequest,
        github: GitHub,
        pull: PullRequestPayload,
        publisher: PullRequestPublisher,
    ) -> bool:
        """Whether what a request asks for is to be done now.

        A draft's review is not, unless drafts are reviewed all the same. One that was reviewed
        before it was a draft keeps its check true. One that shares its head would, made ready, have
        the other one's check at once.
        """
        if request.cause == MODEL_AWAY:
            return await self._is_unanswered(pull)
        return (
            request.again
            or not pull.draft
            or await publisher.is_concluded()
            or await self.commits.is_shared(pull)
            or await _is_draft_reviewed(github, pull)
        )

    async def is_unpublished(self, pull: PullRequestPayload) -> bool:
        """Whether the last review was kept and is not known to have been shown."""
        last = await self.store.last_review(pull.repository_id, pull.number, published=False)
        return last is not None and not last.published

    async def _is_unanswered(self, pull: PullRequestPayload) -> bool:
        """Whether the head was reviewed by a model that did not answer, or by one of two.

        What is kept does not say whether two judges disagreed or one was silent: the one that
        spoke is not asked again, its answers are known.
        """
        last = await self.store.last_review(pull.repository_id, pull.number)
        if last is None or (last.base_sha, last.head_sha) != (pull.base.sha, pull.head.sha):
            return False
        if any(item.gap == NotAssessedReason.MODEL_FAILED for item in last.answer.not_assessed):
            return True
        return self.has_second and any(
            item.decided_by == DecidedBy.CONFIRMATION for item in last.answer.warnings
        )


async def load_base_rules(github: GitHub, pull: PullRequestPayload) -> BaseRules | FileError:
    """What a pull request is judged by, or why that cannot be loaded."""
    try:
        return BaseRules(*await read_ruleset(CommitFiles(github, pull.repository, pull.base.sha)))
    except FileError as error:
        return error


async def _is_draft_reviewed(github: GitHub, pull: PullRequestPayload) -> bool:
    """Whether drafts are reviewed; a broken configuration is reported on a draft too."""
    base = await load_base_rules(github, pull)
    return isinstance(base, FileError) or base.configuration.review.drafts
