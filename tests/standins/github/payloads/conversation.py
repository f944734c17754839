"""Comments, reviews, review comments and reactions."""

from __future__ import annotations

from tests.standins.github.clock import timestamp
from tests.standins.github.conversation import (
    REACTIONS,
    IssueComment,
    Reaction,
    Review,
    ReviewComment,
)
from tests.standins.github.payloads.accounts import embedded_app, user
from tests.standins.github.payloads.pulls import pull_api_url, pull_html_url
from tests.standins.github.payloads.repositories import api_url, association
from tests.standins.github.world import Json, World


def reaction(world: World, one: Reaction) -> Json:
    """One reaction."""
    return {
        "id": one.id,
        "node_id": f"REA_{one.id}",
        "user": user(world, one.user),
        "content": one.content,
        "created_at": timestamp(one.created_at),
    }


def issue_comment(world: World, comment: IssueComment) -> Json:
    """A comment in the conversation."""
    repository, pull = comment.pull.repository, comment.pull
    api = api_url(world, repository)
    own = f"{api}/issues/comments/{comment.id}"
    return {
        "url": own,
        "html_url": f"{pull_html_url(world, pull)}#issuecomment-{comment.id}",
        "issue_url": f"{api}/issues/{pull.number}",
        "id": comment.id,
        "node_id": f"IC_{comment.id}",
        "user": user(world, comment.user),
        "created_at": timestamp(comment.created_at),
        "updated_at": timestamp(comment.updated_at),
        "body": comment.body,
        "author_association": association(repository, comment.user),
        "reactions": _rollup(f"{own}/reactions", comment.reactions),
        "performed_via_github_app": embedded_app(world, comment.app) if comment.app else None,
    }


def review(world: World, one: Review) -> Json:
    """A review."""
    html = f"{pull_html_url(world, one.pull)}#pullrequestreview-{one.id}"
    api = pull_api_url(world, one.pull)
    shown = {
        "id": one.id,
        "node_id": f"PRR_{one.id}",
        "user": user(world, one.user),
        "body": one.body,
        "state": one.state,
        "html_url": html,
        "pull_request_url": api,
        "author_association": association(one.pull.repository, one.user),
        "_links": {"html": {"href": html}, "pull_request": {"href": api}},
        "commit_id": one.commit,
    }
    if one.submitted_at is not None:
        shown["submitted_at"] = timestamp(one.submitted_at)
    return shown


def review_comment(world: World, comment: ReviewComment) -> Json:
    """A comment on the diff; `line` and `position` are null once it is outdated."""
    anchor, now = comment.anchor, comment.placement()
    own = f"{api_url(world, comment.pull.repository)}/pulls/comments/{comment.id}"
    html = f"{pull_html_url(world, comment.pull)}#discussion_r{comment.id}"
    pull = pull_api_url(world, comment.pull)
    shown = {
        "url": own,
        "pull_request_review_id": comment.review.id,
        "id": comment.id,
        "node_id": f"PRRC_{comment.id}",
        "diff_hunk": anchor.hunk,
        "path": anchor.path,
        "commit_id": now.commit,
        "original_commit_id": anchor.commit,
        "user": user(world, comment.user),
        "body": comment.body,
        "created_at": timestamp(comment.created_at),
        "updated_at": timestamp(comment.updated_at),
        "html_url": html,
        "pull_request_url": pull,
        "author_association": association(comment.pull.repository, comment.user),
        "_links": {
            "self": {"href": own},
            "html": {"href": html},
            "pull_request": {"href": pull},
        },
        "reactions": _rollup(f"{own}/reactions", comment.reactions),
        "start_line": now.start_line,
        "original_start_line": anchor.start_line,
        "start_side": anchor.start_side,
        "line": now.line,
        "original_line": anchor.line,
        "side": anchor.side,
        "original_position": anchor.position,
        "position": now.position,
        "subject_type": "file" if anchor.line is None else "line",
    }
    if comment.in_reply_to is not None:
        shown["in_reply_to_id"] = comment.in_reply_to.id
    return shown


def _rollup(url: str, reactions: list[Reaction]) -> Json:
    counts = {name: sum(one.content == name for one in reactions) for name in REACTIONS}
    return {"url": url, "total_count": len(reactions), **counts}
