"""Reviews, and comments on the diff.

https://docs.github.com/rest/pulls/reviews and https://docs.github.com/rest/pulls/comments
"""

from __future__ import annotations

from typing import Any, cast

from tests.standins.github import actions
from tests.standins.github.actions.conversation import (
    NotInDiffError,
    anchor_on_file,
    anchor_on_lines,
    comment_at,
    submit_review,
)
from tests.standins.github.conversation import Anchor, Review, ReviewComment, ReviewState
from tests.standins.github.diffs import Side
from tests.standins.github.payloads import conversation
from tests.standins.github.pulls import PullRequest
from tests.standins.github.refusals import RefusalError, failed, invalid, not_found
from tests.standins.github.routes.calls import Answer, Call, RouteTable
from tests.standins.github.routes.texts import (
    BODY_LIMIT,
    body_text,
    check_length,
    one_of,
    whole_number,
)
from tests.standins.github.world import Json

_STATES: dict[str, ReviewState] = {
    "COMMENT": "COMMENTED",
    "APPROVE": "APPROVED",
    "REQUEST_CHANGES": "CHANGES_REQUESTED",
    "PENDING": "PENDING",
}

_SIDES = ("LEFT", "RIGHT")

routes = RouteTable()


@routes.add("GET", "/repos/{owner}/{repo}/pulls/{number}/reviews", "pull_requests:read")
def list_reviews(call: Call) -> Answer:
    """The reviews, oldest first."""
    return call.listed(call.pull.reviews, lambda one: conversation.review(call.world, one))


@routes.add("POST", "/repos/{owner}/{repo}/pulls/{number}/reviews", "pull_requests:write")
def create_review(call: Call) -> Answer:
    """A review with all its comments, or nothing: one bad comment refuses the whole."""
    pull, body = call.unlocked_pull, call.body()
    event = one_of(body, "event", tuple(_STATES), "PENDING")
    commit = _reviewed_commit(pull, body)
    text = body_text(body, "PullRequestReview", required=False)
    given = body.get("comments") or []
    if event == "REQUEST_CHANGES" and not text:
        raise _unprocessable("Review Body can't be blank")
    if event == "COMMENT" and not text and not given:
        raise _unprocessable("Review Body can't be blank")
    comments = [_draft_comment(pull, commit, draft) for draft in given]
    review = submit_review(
        pull,
        body=text,
        state=_STATES[event],
        commit=commit,
        comments=comments,
        by=call.bot,
    )
    return Answer(200, conversation.review(call.world, review))


@routes.add("GET", "/repos/{owner}/{repo}/pulls/{number}/reviews/{review}", "pull_requests:read")
def get_review(call: Call) -> Answer:
    """One review."""
    return Answer(200, conversation.review(call.world, _review(call)))


@routes.add(
    "GET", "/repos/{owner}/{repo}/pulls/{number}/reviews/{review}/comments", "pull_requests:read"
)
def list_comments_of_review(call: Call) -> Answer:
    """The comments of one review."""
    review = _review(call)
    found = [one for one in review.pull.review_comments if one.review is review]
    return call.listed(found, lambda one: conversation.review_comment(call.world, one))


@routes.add("GET", "/repos/{owner}/{repo}/pulls/{number}/comments", "pull_requests:read")
def list_review_comments(call: Call) -> Answer:
    """All comments on the diff, oldest first, outdated ones among them."""
    found = call.pull.review_comments
    return call.listed(found, lambda one: conversation.review_comment(call.world, one))


@routes.add("POST", "/repos/{owner}/{repo}/pulls/{number}/comments", "pull_requests:write")
def create_review_comment(call: Call) -> Answer:
    """One comment on lines or on a file, or a reply."""
    pull, body = call.pull, call.body()
    text = body_text(body, "PullRequestReviewComment")
    if (answered := whole_number(body, "in_reply_to")) is not None:
        return _reply(call, answered, text)
    path, commit = str(call.required(body, "path")), str(call.required(body, "commit_id"))
    if commit not in pull.commits():
        raise _bad_thread("commit_id", "is not part of the pull request")
    try:
        if body.get("subject_type") == "file":
            anchor = anchor_on_file(pull, commit, path)
        else:
            anchor = _anchor(pull, commit, path, body)
    except NotInDiffError as error:
        raise _bad_thread("line", "must be part of the diff") from error
    written = comment_at(pull, anchor, text, by=call.bot)
    return Answer(201, conversation.review_comment(call.world, written))


@routes.add(
    "POST",
    "/repos/{owner}/{repo}/pulls/{number}/comments/{comment}/replies",
    "pull_requests:write",
)
def create_reply(call: Call) -> Answer:
    """A reply in a thread."""
    text = body_text(call.body(), "PullRequestReviewComment")
    return _reply(call, call.number("comment"), text)


@routes.add("GET", "/repos/{owner}/{repo}/pulls/comments/{comment}", "pull_requests:read")
def get_review_comment(call: Call) -> Answer:
    """One comment on the diff."""
    return Answer(200, conversation.review_comment(call.world, review_comment_of(call)))


@routes.add("PATCH", "/repos/{owner}/{repo}/pulls/comments/{comment}", "pull_requests:write")
def edit_review_comment(call: Call) -> Answer:
    """Replace the text of a comment on the diff."""
    comment = review_comment_of(call)
    call.own(comment.user)
    text = body_text(call.body(), "PullRequestReviewComment")
    actions.edit_comment(comment, text, by=call.bot)
    return Answer(200, conversation.review_comment(call.world, comment))


@routes.add("DELETE", "/repos/{owner}/{repo}/pulls/comments/{comment}", "pull_requests:write")
def delete_review_comment(call: Call) -> Answer:
    """Delete a comment on the diff."""
    comment = review_comment_of(call)
    call.own(comment.user)
    actions.delete_comment(comment, by=call.bot)
    return Answer(204)


def review_comment_of(call: Call) -> ReviewComment:
    """The comment on the diff that the path names."""
    found = call.repository.review_comments.get(call.number("comment"))
    if found is None:
        raise not_found()
    return found


def _review(call: Call) -> Review:
    number = call.number("review")
    found = next((one for one in call.pull.reviews if one.id == number), None)
    if found is None:
        raise not_found()
    return found


def _reply(call: Call, answered: int, text: str) -> Answer:
    thread = call.repository.review_comments.get(answered)
    if thread is None or thread.pull is not call.pull or thread.in_reply_to is not None:
        raise not_found()  # replies to replies are not supported
    written = actions.reply(thread, text, by=call.bot)
    return Answer(201, conversation.review_comment(call.world, written))


def _reviewed_commit(pull: PullRequest, body: Json) -> str:
    commit = body.get("commit_id")
    if commit is None:
        return pull.head_sha
    if commit not in pull.commits():
        raise _unprocessable("The commit_id is not part of the pull request")
    return str(commit)


def _draft_comment(pull: PullRequest, commit: str, draft: Any) -> tuple[Anchor, str]:
    """A comment of a review. What is wrong with it is told without saying which one it is."""
    if not isinstance(draft, dict) or not isinstance(draft.get("path"), str):
        raise invalid('"path" wasn\'t supplied.')
    text = draft.get("body")
    if not isinstance(text, str):
        raise invalid('"body" wasn\'t supplied.')
    if not text.strip():
        raise _unprocessable("Pull request review comment body can't be blank")
    if len(text) > BODY_LIMIT:
        check_length(text, "PullRequestReviewComment")
    if "subject_type" in draft:
        raise invalid('"subject_type" is not a permitted key.')
    try:
        return _anchor(pull, commit, draft["path"], draft), text
    except NotInDiffError as error:
        raise _unprocessable(str(error)) from error


def _anchor(pull: PullRequest, commit: str, path: str, given: Json) -> Anchor:
    line = whole_number(given, "line")
    if line is None:
        raise NotInDiffError("Line could not be resolved")
    start_line = whole_number(given, "start_line")
    side = one_of(given, "side", _SIDES, "RIGHT")
    start_side = one_of(given, "start_side", _SIDES, side)
    return anchor_on_lines(
        pull,
        commit,
        path,
        line,
        side=cast("Side", side),
        start_line=start_line,
        start_side=cast("Side", start_side),
    )


def _unprocessable(reason: str) -> RefusalError:
    return RefusalError(422, "Unprocessable Entity", errors=[reason])


def _bad_thread(field: str, reason: str) -> RefusalError:
    name = f"pull_request_review_thread.{field}"
    return failed("PullRequestReviewComment", name, "custom", f"{name} {reason}")
