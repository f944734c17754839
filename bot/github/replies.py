"""Answers to a person's comment: a reaction at once, and a reply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel

from bot.github.client import GitHub
from bot.github.payloads import Comment
from bot.github.repeating import write_once

Reaction = Literal["eyes", "+1", "confused", "rocket"]


@dataclass(frozen=True, slots=True)
class CommentPlace:
    """A comment on a pull request: in its conversation, or on its diff."""

    repository: str
    number: int
    comment_id: int
    kind: Literal["issue_comment", "review_comment"]

    @property
    def values(self) -> dict[str, str | int]:
        """What fills the URL templates."""
        return {"repository": self.repository, "number": self.number, "id": self.comment_id}


class _Reaction(BaseModel):
    id: int


async def react(github: GitHub, place: CommentPlace, reaction: Reaction) -> None:
    """Add a reaction. The same one twice is one: GitHub answers with that which is there."""
    kind = "issues" if place.kind == "issue_comment" else "pulls"
    url = f"/repos/{{+repository}}/{kind}/comments/{{id}}/reactions"

    async def write() -> _Reaction:
        return await github.write("POST", _Reaction, url, place.values, {"content": reaction})

    async def find() -> None:
        """A reaction can be repeated."""

    await write_once(write, find, github.sleep)


async def reply(github: GitHub, place: CommentPlace, body: str) -> None:
    """Answer below the comment, or in the conversation; once.

    An answer that is there already stays the only one: whoever gave it may have been killed before
    it could say so.
    """
    marker = f"<!-- bylaw:reply to={place.comment_id} -->"
    if place.kind == "issue_comment":
        target = listing = "/repos/{+repository}/issues/{number}/comments"
    else:
        target = "/repos/{+repository}/pulls/{number}/comments/{id}/replies"
        listing = "/repos/{+repository}/pulls/{number}/comments"

    async def write() -> Comment:
        data = {"body": f"{body}\n\n{marker}"}
        return await github.write("POST", Comment, target, place.values, data)

    async def find() -> Comment | None:
        comments = github.each(Comment, listing + "{?per_page}", {**place.values, "per_page": 100})
        found = [item async for item in comments if item.body.rstrip().endswith(marker)]
        # Anyone may write the marker; only an App's account has brackets in its name.
        ours = [item for item in found if item.user and item.user.login.endswith("[bot]")]
        return ours[-1] if ours else None

    if await find() is None:
        await write_once(write, find, github.sleep)
