"""Review comments: Bylaw's own ones, and new ones without losing a review to one bad line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from bot.github.client import GitHub, Values
from bot.github.errors import NotFoundError, OversizedWriteError, RejectedError
from bot.github.payloads import CommentPayload, ReviewPayload
from bot.github.repeating import BeforeWrite, write_once
from bot.publishing.comment import Marker, read_marker
from bot.publishing.edits import EditComment, PostedComment, PostReview, ReviewComment

BODY_LIMIT = 65_536
"""Characters in the body of a review or comment, by GitHub's API."""
_MAX_TRIES = 24
"""Requests that one refused review may be cut into."""

_MARKER = re.compile(r"<!-- bylaw:.*?-->", re.DOTALL)
_COMMENT = "/repos/{+repository}/pulls/comments/{id}"


class ReviewComments:
    """The review comments of one pull request that the App's account wrote.

    `before_write` is awaited before each write, and stops it by raising.
    """

    def __init__(
        self,
        github: GitHub,
        repository: str,
        number: int,
        user_id: int,
        before_write: BeforeWrite,
    ) -> None:
        self._github = github
        self._repository = repository
        self._number = number
        self._user_id = user_id
        self._before_write = before_write

    async def posted(self) -> tuple[PostedComment, ...]:
        """Ours, oldest first: written by our account, and with our hidden marker."""
        comments = self._github.each(
            CommentPayload,
            "/repos/{+repository}/pulls/{number}/comments{?per_page}",
            {"repository": self._repository, "number": self._number, "per_page": 100},
        )
        ours = [
            PostedComment(item.id, item.path, item.line, item.body, item.original_commit_id)
            async for item in comments
            if item.user is not None and item.user.id == self._user_id and _MARKER.search(item.body)
        ]
        return tuple(ours)

    async def finding(self, comment_id: int) -> Marker | None:
        """The finding that one of our comments is about; None where it is no such comment."""
        values: Values = {"repository": self._repository, "id": comment_id}
        try:
            comment = await self._github.read(CommentPayload, _COMMENT, values)
        except NotFoundError:
            return None
        ours = comment.user is not None and comment.user.id == self._user_id
        return read_marker(comment.body) if ours else None

    async def post(self, review: PostReview, head_sha: str) -> tuple[ReviewComment, ...]:
        """Post the review on `head_sha`; the comments that GitHub refuses come back.

        One bad line fails a whole review with a 422 that does not name it, so a refused one is
        halved until the bad ones stand alone.
        """
        _guard(review.body)
        for comment in review.comments:
            _guard(comment.body)
        pending = [review.comments]
        body, tries = review.body, 0
        refused: list[ReviewComment] = []
        while pending:
            batch = pending.pop(0)
            tries += 1
            try:
                await self._post(body, batch, head_sha)
                body = ""
            except RejectedError as error:
                if error.status != 422 or not batch:
                    raise
                if len(batch) == 1 or tries >= _MAX_TRIES:
                    refused += batch
                else:
                    middle = len(batch) // 2
                    pending[:0] = [batch[:middle], batch[middle:]]
        return tuple(refused)

    async def edit(self, edit: EditComment) -> None:
        """Replace a comment's body. One that somebody deleted stays deleted."""
        _guard(edit.body)

        async def write() -> CommentPayload | None:
            await self._before_write()
            values: Values = {"repository": self._repository, "id": edit.comment_id}
            try:
                return await self._github.write(
                    "PATCH", CommentPayload, _COMMENT, values, {"body": edit.body}
                )
            except NotFoundError:
                return None

        await write_once(write, _never, self._github.sleep)

    async def _post(self, body: str, comments: Sequence[ReviewComment], head_sha: str) -> None:
        data = {
            "commit_id": head_sha,
            "event": "COMMENT",
            "body": body,
            "comments": [_comment(item) for item in comments],
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
            first = [(item.path, _marker(item.body)) for item in comments[:1]]
            posted = await self.posted()
            there = {(item.path, _marker(item.body)) for item in posted if item.commit == head_sha}
            return True if first and first[0] in there else None

        await write_once(post, find, self._github.sleep)


async def _never() -> None:
    """An edit gives the same body however often it is made: there is nothing to look for."""


def _comment(item: ReviewComment) -> dict[str, Any]:
    comment: dict[str, Any] = {
        "path": item.path,
        "body": item.body,
        "line": item.line,
        "side": "RIGHT",
    }
    if item.start_line is not None:
        comment |= {"start_line": item.start_line, "start_side": "RIGHT"}
    return comment


def _marker(body: str) -> str:
    """The last marker: a body may quote another one."""
    found = _MARKER.findall(body)
    return found[-1] if found else body.strip()


def _guard(body: str) -> None:
    if len(body) > BODY_LIMIT:
        raise OversizedWriteError(f"A comment has {len(body):,} characters; GitHub takes 65,536.")
