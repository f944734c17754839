"""Answers to a person's comment: a reaction at once, and a reply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel

from jurat.github.client import GitHub
from jurat.github.errors import AccessRefusedError, NotFoundError, is_locked
from jurat.github.models import CommentPayload
from jurat.github.retries import write_once
from jurat.reports.limits import COMMENT_BODY, PAGE, fit

Reaction = Literal["eyes", "+1", "confused", "rocket"]

_CONVERSATION = "/repos/{+repository}/issues/{number}/comments"


@dataclass(frozen=True, slots=True)
class CommentPlace:
    """A comment on a pull request: in its conversation, or on its diff.

    `thread` is the first comment of its thread, if it is an answer itself.
    """

    repository: str
    number: int
    comment_id: int
    kind: Literal["issue_comment", "review_comment"]
    thread: int | None = None

    @property
    def values(self) -> dict[str, str | int]:
        """What fills the URL templates."""
        return {"repository": self.repository, "number": self.number, "id": self.comment_id}


class _Reaction(BaseModel):
    id: int


async def react(github: GitHub, place: CommentPlace, reaction: Reaction) -> bool:
    """Add a reaction; False if the comment was deleted.

    The same one twice is one: GitHub answers with that which is there.
    """
    kind = "issues" if place.kind == "issue_comment" else "pulls"
    url = f"/repos/{{+repository}}/{kind}/comments/{{id}}/reactions"

    async def write() -> _Reaction:
        return await github.write("POST", _Reaction, url, place.values, {"content": reaction})

    async def find() -> None:
        """A reaction can be repeated."""

    try:
        await write_once(write, find, github.sleep)
    except NotFoundError:
        return False
    except AccessRefusedError as error:
        if not is_locked(error):
            raise
    return True


async def reply(github: GitHub, place: CommentPlace, body: str) -> None:
    """Answer in the comment's thread, or in the conversation if it is in none any more; once.

    An answer that is there already stays the only one: whoever gave it may have been killed before
    it could say so.
    """
    text = _append_marker(body, f"reply to={place.comment_id}")
    if place.kind == "review_comment":
        # GitHub takes no answer to an answer: it goes to the first comment of the thread.
        values = place.values | {"id": place.thread or place.comment_id}
        listing = "/repos/{+repository}/pulls/{number}/comments"
        try:
            await _write_once(github, listing + "/{id}/replies", listing, values, text)
        except NotFoundError:
            pass
        else:
            return
    await _write_once(github, _CONVERSATION, _CONVERSATION, place.values, text)


async def post_notice(github: GitHub, repository: str, number: int, body: str, key: str) -> None:
    """Write into the conversation of a pull request, about what was asked for elsewhere.

    Once for each `key`, a name of letters, digits and `:`, even if an answer was lost.
    """
    values: dict[str, str | int] = {"repository": repository, "number": number}
    text = _append_marker(body, f"about {key}")
    await _write_once(github, _CONVERSATION, _CONVERSATION, values, text)


def _append_marker(body: str, about: str) -> str:
    """The body above a marker by which it is found again, whatever had to be cut for it."""
    marker = f"\n\n<!-- jurat:{about} -->"
    ending = "\n\n_The rest was too long to show._"
    return fit(body, COMMENT_BODY.subtract(marker), ending) + marker


async def _write_once(
    github: GitHub, target: str, listing: str, values: dict[str, str | int], body: str
) -> None:
    """Post a comment whose last line, a marker, nobody else writes; `listing` is where to look."""
    marker = body.rpartition("\n")[2]

    async def write() -> CommentPayload:
        return await github.write("POST", CommentPayload, target, values, {"body": body})

    async def find() -> CommentPayload | None:
        comments = github.iter_items(
            CommentPayload, listing + "{?per_page}", {**values, "per_page": PAGE.size}
        )
        found = [item async for item in comments if item.body.rstrip().endswith(marker)]
        # Anyone may write the marker; only an App's account has brackets in its name.
        ours = [item for item in found if item.user and item.user.login.endswith("[bot]")]
        return ours[-1] if ours else None

    # Looked for before the first attempt too: a job that was killed after it wrote runs again.
    if await find() is None:
        try:
            await write_once(write, find, github.sleep)
        except AccessRefusedError as error:
            # The check is still ours to write: nothing else of the job is lost.
            if not is_locked(error):
                raise
