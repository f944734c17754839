"""Comments, reviews and reactions."""

from __future__ import annotations

from tests.standins.github.accounts import App
from tests.standins.github.actions.announcing import announce
from tests.standins.github.conversation import (
    Anchor,
    IssueComment,
    Reaction,
    Review,
    ReviewComment,
    ReviewState,
)
from tests.standins.github.diffs import Side
from tests.standins.github.payloads import webhooks
from tests.standins.github.pulls import PullRequest


class NotInDiffError(Exception):
    """A place to comment on that the diff does not show. The message is GitHub's."""


def comment(pull: PullRequest, body: str, *, by: str) -> IssueComment:
    """Write into the conversation."""
    world = pull.repository.world
    now = world.now()
    written = IssueComment(
        id=world.next_id("comment"),
        pull=pull,
        user=world.account(by),
        body=body,
        created_at=now,
        updated_at=now,
        app=_app_of(pull, by),
    )
    pull.comments.append(written)
    pull.repository.comments[written.id] = written
    announce(
        pull.repository, "issue_comment", webhooks.issue_comment(world, "created", written), by=by
    )
    return written


def edit_comment(target: IssueComment | ReviewComment, body: str, *, by: str) -> None:
    """Replace the text of a comment."""
    changes = webhooks.edited({"body": target.body})
    target.body = body
    target.updated_at = target.pull.repository.world.now()
    _announce_comment(target, "edited", by=by, more=changes)


def delete_comment(target: IssueComment | ReviewComment, *, by: str) -> None:
    """Delete a comment."""
    repository, pull = target.pull.repository, target.pull
    if isinstance(target, ReviewComment):
        pull.review_comments.remove(target)
        del repository.review_comments[target.id]
    else:
        pull.comments.remove(target)
        del repository.comments[target.id]
    _announce_comment(target, "deleted", by=by)


def submit_review(
    pull: PullRequest,
    *,
    body: str,
    state: ReviewState,
    commit: str,
    comments: list[tuple[Anchor, str]],
    by: str,
) -> Review:
    """A review with its comments on the diff."""
    world = pull.repository.world
    author, now = world.account(by), world.now()
    submitted = None if state == "PENDING" else now
    review = Review(world.next_id("review"), pull, author, body, state, commit, submitted)
    pull.reviews.append(review)
    written = [_add_review_comment(review, anchor, text) for anchor, text in comments]
    if submitted is not None:
        announce(
            pull.repository,
            "pull_request_review",
            webhooks.review(world, "submitted", review),
            by=by,
        )
        for one in written:
            _announce_comment(one, "created", by=by)
    return review


def comment_on_line(
    pull: PullRequest,
    path: str,
    line: int,
    body: str,
    *,
    by: str,
    side: Side = "RIGHT",
    start_line: int | None = None,
) -> ReviewComment:
    """One comment on lines of the current diff, which GitHub wraps into a review of its own."""
    anchor = anchor_on_lines(
        pull, pull.head_sha, path, line, side=side, start_line=start_line, start_side=side
    )
    return comment_at(pull, anchor, body, by=by)


def comment_on_file(pull: PullRequest, path: str, body: str, *, by: str) -> ReviewComment:
    """One comment on a changed file."""
    return comment_at(pull, anchor_on_file(pull, pull.head_sha, path), body, by=by)


def reply(target: ReviewComment, body: str, *, by: str) -> ReviewComment:
    """Answer in the thread of a review comment."""
    pull = target.pull
    first = target.in_reply_to or target
    return comment_at(pull, first.anchor, body, by=by, thread=first)


def react(target: IssueComment | ReviewComment, content: str, *, by: str) -> tuple[Reaction, bool]:
    """React to a comment; the reaction, and whether it is new."""
    world = target.pull.repository.world
    user = world.account(by)
    for known in target.reactions:
        if known.user is user and known.content == content:
            return known, False
    reaction = Reaction(world.next_id("reaction"), user, content, world.now())
    target.reactions.append(reaction)
    return reaction, True


def anchor_on_file(pull: PullRequest, commit: str, path: str) -> Anchor:
    """The place of a comment on a whole file."""
    if pull.file(path, commit) is None:
        raise NotInDiffError("Path could not be resolved")
    return Anchor(path=path, commit=commit, base=pull.base_of(commit))


def anchor_on_lines(
    pull: PullRequest,
    commit: str,
    path: str,
    line: int,
    *,
    side: Side = "RIGHT",
    start_line: int | None = None,
    start_side: Side | None = None,
) -> Anchor:
    """The place of a comment on lines: inside one hunk of the diff that ends at `commit`."""
    file = pull.file(path, commit)
    if file is None:
        raise NotInDiffError("Path could not be resolved")
    last = file.find(side, line)
    if last is None:
        raise NotInDiffError(
            "Pull request review thread line must be part of the diff and "
            "Pull request review thread diff hunk can't be blank"
        )
    if start_line is not None:
        start_side = start_side or side
        first = file.find(start_side, start_line)
        if first is None or first.hunk != last.hunk:
            raise NotInDiffError(
                "Pull request review thread start line must be part of the same hunk as the line."
            )
        if first.position >= last.position:
            raise NotInDiffError("Pull request review thread start line must precede the end line.")
    return Anchor(
        path=path,
        commit=commit,
        base=pull.base_of(commit),
        line=line,
        side=side,
        start_line=start_line,
        start_side=start_side if start_line is not None else None,
        position=last.position,
        hunk=file.hunk_up_to(last),
    )


def comment_at(
    pull: PullRequest,
    anchor: Anchor,
    body: str,
    *,
    by: str,
    thread: ReviewComment | None = None,
) -> ReviewComment:
    """One comment at a place, or in the thread of another, in a review of its own."""
    world = pull.repository.world
    now, author = world.now(), world.account(by)
    review = Review(world.next_id("review"), pull, author, "", "COMMENTED", anchor.commit, now)
    pull.reviews.append(review)
    written = _add_review_comment(review, anchor, body)
    written.in_reply_to = thread
    payload = webhooks.review(world, "submitted", review)
    announce(pull.repository, "pull_request_review", payload, by=by)
    _announce_comment(written, "created", by=by)
    return written


def _add_review_comment(review: Review, anchor: Anchor, body: str) -> ReviewComment:
    pull = review.pull
    world = pull.repository.world
    now = world.now()
    written = ReviewComment(
        id=world.next_id("review_comment"),
        pull=pull,
        review=review,
        user=review.user,
        body=body,
        anchor=anchor,
        created_at=now,
        updated_at=now,
    )
    pull.review_comments.append(written)
    pull.repository.review_comments[written.id] = written
    return written


def _announce_comment(
    target: IssueComment | ReviewComment,
    action: str,
    *,
    by: str,
    more: dict[str, object] | None = None,
) -> None:
    world = target.pull.repository.world
    if isinstance(target, ReviewComment):
        name, payload = (
            "pull_request_review_comment",
            webhooks.review_comment(world, action, target),
        )
    else:
        name, payload = "issue_comment", webhooks.issue_comment(world, action, target)
    announce(target.pull.repository, name, payload | (more or {}), by=by)


def _app_of(pull: PullRequest, login: str) -> App | None:
    apps = pull.repository.world.apps.values()
    return next((app for app in apps if app.bot.login == login), None)
