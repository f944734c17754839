"""Shows a review on a pull request, and posts its comments without losing any to one bad line."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol, assert_never

import structlog

from jurat.findings.evaluation import Conclusion
from jurat.github.auth import AppIdentity
from jurat.github.check_runs import STOPPED, SUPERSEDED, CheckKey, CheckRunWriter
from jurat.github.client import GitHub, Values
from jurat.github.commit_check import CommitCheckWriter, CommitRecord
from jurat.github.errors import (
    AccessRefusedError,
    GitHubError,
    NotFoundError,
    RejectedError,
    ensure_admitted,
    is_locked,
)
from jurat.github.models import CommentPayload, PullRequestPayload, ReviewPayload
from jurat.github.pull_requests import check_head_unmoved
from jurat.github.retries import BeforeWrite, write_once
from jurat.github.threads import ReviewThreads
from jurat.reports.check_run import (
    Annotation,
    CheckRun,
    Edit,
    EditComment,
    PostedComment,
    ReviewComment,
    ReviewPost,
)
from jurat.reports.comment import CommentMarker, parse_marker
from jurat.reports.limits import COMMENT_BODY, PAGE
from jurat.reports.pull_request import plan_writes

if TYPE_CHECKING:
    from jurat.review_interfaces import Review


REFUSED = "GitHub takes no comment on this line. The check's summary lists the finding."
UNPERMITTED = (
    "GitHub lets the App write no comment here: it lacks the permission to write pull requests."
    " Whoever owns the installation grants it; `jurat doctor` says where. The check's summary lists"
    " the finding."
)
"""Why a finding has no comment where it stands."""

_log = structlog.stdlib.get_logger("jurat.github.reviews")


class CommentRecord(Protocol):
    """Which findings have had a comment on a pull request, by their ids."""

    async def list_findings(self) -> Collection[str]:
        """All of them."""
        ...

    async def note_findings(self, findings: Collection[str]) -> None:
        """Keep that these have had one."""
        ...


class PullRequestPublisher:
    """Writes for one head of a pull request.

    Before every write the pull request is read again. Once its head moved, SupersededError is
    raised, and PullRequestClosedError once it was closed; nothing is written any more then but
    `cancel` or `stop`. `record` is what the pull requests of this head have its check say.
    `history` remembers comments, so that none is posted again that a person deleted; `resolving` is
    GitHub as it resolves threads, with a token that may do more than comment; none
    is resolved without.
    """

    def __init__(
        self,
        github: GitHub,
        identity: AppIdentity,
        pull: PullRequestPayload,
        record: CommitRecord,
        *,
        history: CommentRecord | None = None,
        resolving: GitHub | None = None,
    ) -> None:
        self._github = github
        self._history = history
        self._pull = pull
        key = CheckKey(pull.repository_id, pull.number, pull.head.sha)
        run = CheckRunWriter(github, pull.repository, key, identity.app_id, self._ensure_current)
        self._check = CommitCheckWriter(run, record)
        self._comments = ReviewComments(
            github,
            pull.repository,
            pull.number,
            identity.user_id,
            self._ensure_current,
            locked=pull.locked,
            threads=ReviewThreads(resolving, pull.repository, pull.number) if resolving else None,
        )

    @property
    def conclusion(self) -> Conclusion | None:
        """What the check says since this publisher concluded; None while it has said nothing."""
        return self._check.conclusion

    async def begin(self) -> int:
        """Show that the review has begun; the number of its check run."""
        return await self._check.begin()

    async def find_conclusion(self) -> Conclusion | None:
        """What the last review of this head came to; None while it is open, or was stopped."""
        own = await self._check.read_own()
        return own.check.conclusion if own and own.check else None

    async def is_concluded(self) -> bool:
        """Whether this head has been reviewed to the end already."""
        return await self.find_conclusion() is not None

    async def has_conclusion_onto_base(self) -> bool:
        """Whether this head has been reviewed to the end on its way to the branch that it has."""
        own = await self._check.read_own()
        return own is not None and own.check is not None and own.base_ref == self._pull.base.ref

    async def align(self) -> None:
        """Have the check say what is known: whoever knew it may have been stopped before that."""
        await self._check.align()

    async def find_marker(self, comment_id: int) -> CommentMarker | None:
        """The finding that a comment of ours is about; None if it is no such comment."""
        return await self._comments.find_marker(comment_id)

    async def list_posted(self) -> tuple[PostedComment, ...]:
        """The findings that earlier reviews left on this pull request."""
        return await self._comments.list_posted()

    async def publish(self, review: Review) -> None:
        """Make the edits that a review still lacks; if another one follows, the check's alone."""
        edits = await self.plan(review)
        if review.postponed:
            # Comments are the next one's: it knows all that there is to say.
            edits = tuple(edit for edit in edits if isinstance(edit, CheckRun))
        await self.apply(edits)

    async def plan(self, review: Review) -> tuple[Edit, ...]:
        """The edits that a review still lacks, the check's conclusion last."""
        posted = await self.list_posted()
        earlier = await self._history.list_findings() if self._history else ()
        # Known from here on, should the job that posted them have ended before it kept that.
        await self._note_findings([item.body for item in posted], known=earlier)
        return plan_writes(
            review.evaluation,
            review.context,
            review.inputs.configuration,
            posted,
            self._pull.head.sha,
            track_records=review.track_records,
            earlier=earlier,
        )

    async def _note_findings(self, bodies: Iterable[str], known: Collection[str] = ()) -> None:
        """Keep that the findings of these comments have had one."""
        if self._history is not None:
            markers = filter(None, map(parse_marker, bodies))
            new = {marker.fingerprint for marker in markers} - set(known)
            await self._history.note_findings(new)

    async def apply(self, edits: Sequence[Edit]) -> tuple[ReviewComment, ...]:
        """Make the edits in order; the comments that GitHub would not take come back.

        They are not lost: each becomes an annotation of a conclusion that follows.
        """
        refused: tuple[ReviewComment, ...] = ()
        for edit in edits:
            match edit:
                case ReviewPost():
                    denied = await self._comments.post(edit, self._pull.head.sha)
                    refused += denied
                    await self._note_findings(
                        item.body for item in edit.comments if item not in denied
                    )
                case EditComment():
                    await self._comments.edit(edit)
                case CheckRun():
                    # Reviews come before the check in the plan, so that what was refused is known
                    # by now.
                    why = REFUSED if self._comments.permitted else UNPERMITTED
                    notes = tuple(_to_annotation(item, why) for item in refused)
                    await self._check.conclude(replace(edit, annotations=edit.annotations + notes))
                case _:
                    assert_never(edit)
        return refused

    async def cancel(self) -> None:
        """Conclude the check of a head that is no longer the pull request's, if it is open."""
        await self._check.cancel(SUPERSEDED)

    async def stop(self) -> None:
        """Conclude the check of a review that nobody waits for any more, if it is open."""
        await self._check.cancel(STOPPED)

    async def _ensure_current(self) -> None:
        await check_head_unmoved(self._github, self._pull)


def _to_annotation(comment: ReviewComment, why: str) -> Annotation:
    first = comment.start_line or comment.line
    marker = parse_marker(comment.body)
    title = marker.rule_id if marker else "Finding"
    return Annotation(comment.path, first, comment.line, "warning", title, why)


_MAX_TRIES = 24
"""Requests that one refused review may be cut into."""

_MARKER = re.compile(r"<!-- jurat:.*?-->", re.DOTALL)
_COMMENT = "/repos/{+repository}/pulls/comments/{id}"


class ReviewComments:
    """The review comments of one pull request that the App's account wrote.

    `before_write` is awaited before each write, and stops it by raising. `locked` is whether the
    conversation was locked when it was read. `permitted` turns False once GitHub says that the App
    may not comment, whatever the conversation is.
    """

    def __init__(
        self,
        github: GitHub,
        repository: str,
        number: int,
        user_id: int,
        before_write: BeforeWrite,
        *,
        locked: bool = False,
        threads: ReviewThreads | None = None,
    ) -> None:
        self._github = github
        self._repository = repository
        self._number = number
        self._user_id = user_id
        self._before_write = before_write
        self._locked = locked
        self._threads = threads
        self._nodes: dict[int, str] = {}
        self.permitted = True

    async def list_posted(self) -> tuple[PostedComment, ...]:
        """Ours, oldest first: written by our account, and with our hidden marker."""
        comments = self._github.iter_items(
            CommentPayload,
            "/repos/{+repository}/pulls/{number}/comments{?per_page}",
            {"repository": self._repository, "number": self._number, "per_page": PAGE.size},
        )
        ours = [
            item
            async for item in comments
            # By the account's id: anyone may copy the marker, and logins can be renamed.
            if item.user is not None and item.user.id == self._user_id and _MARKER.search(item.body)
        ]
        self._nodes = {item.id: item.node_id for item in ours}
        return tuple(
            PostedComment(item.id, item.path, item.line, item.body, item.original_commit_id)
            for item in ours
        )

    async def find_marker(self, comment_id: int) -> CommentMarker | None:
        """The finding that one of our comments is about; None if it is no such comment."""
        values: Values = {"repository": self._repository, "id": comment_id}
        try:
            comment = await self._github.read(CommentPayload, _COMMENT, values)
        except NotFoundError:
            return None
        ours = comment.user is not None and comment.user.id == self._user_id
        return parse_marker(comment.body) if ours else None

    async def post(self, review: ReviewPost, head_sha: str) -> tuple[ReviewComment, ...]:
        """Post the review on `head_sha`; the comments that GitHub refuses come back.

        One bad line fails a whole review with a 422 that does not name it, so a refused one is
        halved until the bad ones stand alone.
        """
        ensure_admitted("review", review.body, COMMENT_BODY)
        for comment in review.comments:
            ensure_admitted("comment", comment.body, COMMENT_BODY)
        pending = [review.comments]
        body, tries = review.body, 0
        refused: list[ReviewComment] = []
        while pending:
            batch = pending.pop(0)
            tries += 1
            try:
                await self._post(body, batch, head_sha)
                # The body goes with the first part that GitHub takes, once.
                body = ""
            except AccessRefusedError as error:
                self._note_refusal(error)
                return (*refused, *batch, *chain.from_iterable(pending))
            except RejectedError as error:
                # A 422 without comments is not about a line: halving would go on for ever.
                if error.status != 422 or not batch:
                    raise
                # Each try is a content write, of which GitHub takes 80 a minute:
                # https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
                if len(batch) == 1 or tries >= _MAX_TRIES:
                    refused += batch
                else:
                    middle = len(batch) // 2
                    # In front: comments stay in the order in which they were planned.
                    pending[:0] = [batch[:middle], batch[middle:]]
        return tuple(refused)

    async def edit(self, edit: EditComment) -> None:
        """Replace a comment's body. One that somebody deleted stays deleted."""
        ensure_admitted("comment", edit.body, COMMENT_BODY)
        if edit.resolved is not None:
            # First: once the comment says so nobody looks at its thread again.
            await self._resolve(self._nodes.get(edit.comment_id, ""), resolved=edit.resolved)

        async def write() -> CommentPayload | None:
            await self._before_write()
            values: Values = {"repository": self._repository, "id": edit.comment_id}
            try:
                return await self._github.write(
                    "PATCH", CommentPayload, _COMMENT, values, {"body": edit.body}
                )
            except NotFoundError:
                return None
            except AccessRefusedError as error:
                self._note_refusal(error)
                return None  # it stays as it was

        await write_once(write, _find_nothing, self._github.sleep)

    async def _resolve(self, node: str, *, resolved: bool) -> None:
        """Resolve a comment's thread, or open it again, if GitHub lets the App.

        The comment says it in any case, so that nothing waits for what GraphQL does not do now.
        """
        if self._threads is None or not node:
            return
        try:
            await self._before_write()
            await self._threads.resolve(node, resolved=resolved)
        except GitHubError as error:  # a limit too: GraphQL has one of its own
            self._threads = None
            _log.info("no thread is resolved", why=error.message)

    def _note_refusal(self, error: AccessRefusedError) -> None:
        """Go on without comments: the check says it all. Raises what is no refusal of comments."""
        if error.status != 403:
            raise error
        # GitHub says of one that is locked that it is, and if it does not, the pull request did.
        if not (self._locked or is_locked(error)):
            self.permitted = False
            _log.error("the App may not comment: %s", error.message, hint=error.hint)

    async def _post(self, body: str, comments: Sequence[ReviewComment], head_sha: str) -> None:
        data = {
            "commit_id": head_sha,
            # Never REQUEST_CHANGES: it blocks until dismissed, even after a push that fixed it. The
            # check gates.
            "event": "COMMENT",
            "body": body,
            "comments": [_build_comment(item) for item in comments],
        }

        async def post() -> bool:
            await self._before_write()
            await self._github.write(
                "POST",
                ReviewPayload,
                "/repos/{+repository}/pulls/{number}/reviews",
                {"repository": self._repository, "number": self._number},
                data,
            )
            return True

        async def find() -> bool | None:
            # A review arrives whole or not at all, so its first comment stands for it.
            first = [(item.path, _find_marker(item.body)) for item in comments[:1]]
            posted = await self.list_posted()
            there = {
                (item.path, _find_marker(item.body)) for item in posted if item.commit == head_sha
            }
            return True if first and first[0] in there else None

        await write_once(post, find, self._github.sleep)


async def _find_nothing() -> None:
    """An edit gives the same body however often it is made: there is nothing to look for."""


def _build_comment(item: ReviewComment) -> dict[str, Any]:
    comment: dict[str, Any] = {
        "path": item.path,
        "body": item.body,
        "line": item.line,
        # Findings are about the new text; LEFT lines are gone with the merge.
        "side": "RIGHT",
    }
    if item.start_line is not None:
        comment |= {"start_line": item.start_line, "start_side": "RIGHT"}
    return comment


def _find_marker(body: str) -> str:
    """The last marker: a body may quote another one."""
    found = _MARKER.findall(body)
    return found[-1] if found else body.strip()
