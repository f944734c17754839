"""Where a review is shown on GitHub: a check run, one review, and edits of earlier comments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from bot.github.app_auth import Identity
from bot.github.checks import STOPPED, Check, CheckKey
from bot.github.client import GitHub
from bot.github.payloads import PullRequestPayload
from bot.github.pulls import ensure_current
from bot.github.reviews import ReviewComments
from bot.publishing.comment import Marker, read_marker
from bot.publishing.edits import (
    Annotation,
    ConcludeCheck,
    Edit,
    EditComment,
    PostedComment,
    PostReview,
    ReviewComment,
)
from bot.publishing.plan import plan
from bot.verdicts import Conclusion

if TYPE_CHECKING:
    from bot.review import Review

REFUSED = "GitHub takes no comment on this line. The check's summary lists the finding."


class PullRequestPublisher:
    """Writes for one head of a pull request.

    Before every write the pull request is read again. Once its head moved, Superseded is raised,
    and ClosedMeanwhile once it was closed; nothing is written any more then but `cancel` or `stop`.
    """

    def __init__(self, github: GitHub, identity: Identity, pull: PullRequestPayload) -> None:
        self._github = github
        self._pull = pull
        self._conclusion: Conclusion | None = None
        key = CheckKey(pull.repository, pull.number, pull.head.sha)
        self._check = Check(github, key, identity.app_id, self._ensure_current)
        self._comments = ReviewComments(
            github, pull.repository, pull.number, identity.user_id, self._ensure_current
        )

    @property
    def conclusion(self) -> Conclusion | None:
        """What this publisher had the check say; None while it has said nothing."""
        return self._conclusion

    async def begin(self) -> int:
        """Show that the review has begun; the number of its check run."""
        return (await self._check.begin()).id

    async def concluded_as(self, check_run_id: int) -> Conclusion | None:
        """What that check run says already; None where it is open, or was cancelled."""
        return await self._check.concluded_as(check_run_id)

    async def concluded(self) -> bool:
        """Whether this head has been reviewed to the end already."""
        return await self._check.concluded()

    async def is_open(self) -> bool:
        """Whether a check of this head was begun and not concluded."""
        return await self._check.find() is not None

    async def awaited(self) -> bool:
        """Whether somebody waits for a check of this head: one is open, or none was concluded."""
        return await self.is_open() or not await self.concluded()

    async def finding(self, comment_id: int) -> Marker | None:
        """The finding that a comment of ours is about; None where it is no such comment."""
        return await self._comments.finding(comment_id)

    async def posted(self) -> tuple[PostedComment, ...]:
        """The findings that earlier reviews left on this pull request."""
        return await self._comments.posted()

    async def publish(self, review: Review) -> None:
        """Make the edits that a review still lacks."""
        await self.apply(await self.planned(review))

    async def planned(self, review: Review) -> tuple[Edit, ...]:
        """The edits that a review still lacks, the check's conclusion last."""
        return plan(
            review.evaluation,
            review.context,
            review.material.configuration,
            await self.posted(),
            self._pull.head.sha,
            standings=review.standings,
        )

    async def apply(self, edits: Sequence[Edit]) -> tuple[ReviewComment, ...]:
        """Make the edits in order; the comments that GitHub would not take come back.

        They are not lost: each becomes an annotation of a conclusion that follows.
        """
        refused: tuple[ReviewComment, ...] = ()
        for edit in edits:
            match edit:
                case PostReview():
                    refused += await self._comments.post(edit, self._pull.head.sha)
                case EditComment():
                    await self._comments.edit(edit)
                case ConcludeCheck():
                    notes = tuple(_annotated(item) for item in refused)
                    await self._check.conclude(replace(edit, annotations=edit.annotations + notes))
                    self._conclusion = edit.conclusion
                case _:
                    assert_never(edit)
        return refused

    async def cancel(self) -> None:
        """Conclude the check of a head that is no longer the pull request's, if it is open."""
        await self._check.cancel()

    async def stop(self) -> None:
        """Conclude the check of a review that nobody waits for any more, if it is open."""
        await self._check.cancel(STOPPED)

    async def _ensure_current(self) -> None:
        await ensure_current(self._github, self._pull)


def _annotated(comment: ReviewComment) -> Annotation:
    first = comment.start_line or comment.line
    marker = read_marker(comment.body)
    title = marker.rule_id if marker else "Finding"
    return Annotation(comment.path, first, comment.line, "warning", title, REFUSED)
