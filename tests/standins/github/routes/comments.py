"""Comments in the conversation, and reactions to comments of both kinds.

https://docs.github.com/rest/issues/comments and https://docs.github.com/rest/reactions
"""

from __future__ import annotations

from tests.standins.github import actions
from tests.standins.github.conversation import REACTIONS, IssueComment, ReviewComment
from tests.standins.github.payloads import conversation
from tests.standins.github.refusals import failed, not_found
from tests.standins.github.routes.calls import Answer, Call, RouteTable
from tests.standins.github.routes.reviews import review_comment_of
from tests.standins.github.routes.texts import body_text

_READ = ("pull_requests:read", "issues:read")
_WRITE = ("pull_requests:write", "issues:write")

routes = RouteTable()


@routes.add("GET", "/repos/{owner}/{repo}/issues/{number}/comments", *_READ)
def list_comments(call: Call) -> Answer:
    """The comments of a pull request's conversation, oldest first."""
    return call.listed(call.pull.comments, lambda one: conversation.issue_comment(call.world, one))


@routes.add("POST", "/repos/{owner}/{repo}/issues/{number}/comments", *_WRITE)
def create_comment(call: Call) -> Answer:
    """Write into the conversation."""
    text = body_text(call.body(), "IssueComment")
    written = actions.comment(call.unlocked_pull, text, by=call.bot)
    return Answer(201, conversation.issue_comment(call.world, written))


@routes.add("GET", "/repos/{owner}/{repo}/issues/comments/{comment}", *_READ)
def get_comment(call: Call) -> Answer:
    """One comment."""
    return Answer(200, conversation.issue_comment(call.world, _comment(call)))


@routes.add("PATCH", "/repos/{owner}/{repo}/issues/comments/{comment}", *_WRITE)
def edit_comment(call: Call) -> Answer:
    """Replace the text of a comment."""
    comment = _comment(call)
    call.own(comment.user)
    actions.edit_comment(comment, body_text(call.body(), "IssueComment"), by=call.bot)
    return Answer(200, conversation.issue_comment(call.world, comment))


@routes.add("DELETE", "/repos/{owner}/{repo}/issues/comments/{comment}", *_WRITE)
def delete_comment(call: Call) -> Answer:
    """Delete a comment."""
    comment = _comment(call)
    call.own(comment.user)
    actions.delete_comment(comment, by=call.bot)
    return Answer(204)


@routes.add("GET", "/repos/{owner}/{repo}/issues/comments/{comment}/reactions", *_READ)
def list_comment_reactions(call: Call) -> Answer:
    """The reactions to a comment."""
    return _reactions(call, _comment(call))


@routes.add("POST", "/repos/{owner}/{repo}/issues/comments/{comment}/reactions", *_WRITE)
def react_to_comment(call: Call) -> Answer:
    """React to a comment: 201, or 200 where that was done before."""
    return _react(call, _comment(call))


@routes.add(
    "DELETE", "/repos/{owner}/{repo}/issues/comments/{comment}/reactions/{reaction}", *_WRITE
)
def unreact_to_comment(call: Call) -> Answer:
    """Take a reaction back."""
    return _unreact(call, _comment(call))


@routes.add("GET", "/repos/{owner}/{repo}/pulls/comments/{comment}/reactions", "pull_requests:read")
def list_review_comment_reactions(call: Call) -> Answer:
    """The reactions to a comment on the diff."""
    return _reactions(call, review_comment_of(call))


@routes.add(
    "POST", "/repos/{owner}/{repo}/pulls/comments/{comment}/reactions", "pull_requests:write"
)
def react_to_review_comment(call: Call) -> Answer:
    """React to a comment on the diff."""
    return _react(call, review_comment_of(call))


@routes.add(
    "DELETE",
    "/repos/{owner}/{repo}/pulls/comments/{comment}/reactions/{reaction}",
    "pull_requests:write",
)
def unreact_to_review_comment(call: Call) -> Answer:
    """Take a reaction to a comment on the diff back."""
    return _unreact(call, review_comment_of(call))


def _comment(call: Call) -> IssueComment:
    found = call.repository.comments.get(call.number("comment"))
    if found is None:
        raise not_found()
    return found


def _reactions(call: Call, target: IssueComment | ReviewComment) -> Answer:
    wanted = call.query.get("content", "")
    found = [one for one in target.reactions if wanted in ("", one.content)]
    return call.listed(found, lambda one: conversation.reaction(call.world, one))


def _react(call: Call, target: IssueComment | ReviewComment) -> Answer:
    content = call.required(call.body(), "content")
    if content not in REACTIONS:
        raise failed("Reaction", "content", "invalid")
    reaction, new = actions.react(target, content, by=call.bot)
    return Answer(201 if new else 200, conversation.reaction(call.world, reaction))


def _unreact(call: Call, target: IssueComment | ReviewComment) -> Answer:
    number = call.number("reaction")
    found = next((one for one in target.reactions if one.id == number), None)
    if found is None:
        raise not_found()
    call.own(found.user)
    target.reactions.remove(found)
    return Answer(204)
