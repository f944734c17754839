"""Pull requests."""

from __future__ import annotations

from urllib.parse import quote
from zlib import crc32

from tests.standins.github.accounts import Account
from tests.standins.github.clock import timestamp
from tests.standins.github.payloads.accounts import user
from tests.standins.github.payloads.repositories import (
    api_url,
    association,
    html_url,
    repository,
    repository_reference,
)
from tests.standins.github.pulls import PullRequest
from tests.standins.github.repositories import Repository
from tests.standins.github.world import Json, World


def pull_html_url(world: World, pull: PullRequest) -> str:
    """The pull request's page."""
    return f"{html_url(world, pull.repository)}/pull/{pull.number}"


def pull_api_url(world: World, pull: PullRequest) -> str:
    """The pull request's place in the REST API."""
    return f"{api_url(world, pull.repository)}/pulls/{pull.number}"


def simple_pull(world: World, pull: PullRequest) -> Json:
    """A pull request in a list: without the numbers that cost a diff."""
    api, html = api_url(world, pull.repository), pull_html_url(world, pull)
    own, issue = pull_api_url(world, pull), f"{api}/issues/{pull.number}"
    links = {
        "self": own,
        "html": html,
        "issue": issue,
        "comments": f"{issue}/comments",
        "review_comments": f"{own}/comments",
        "review_comment": f"{api}/pulls/comments{{/number}}",
        "commits": f"{own}/commits",
        "statuses": f"{api}/statuses/{pull.head_sha}",
    }
    head_owner = pull.head_repository.owner if pull.head_repository else None
    return {
        "url": own,
        "id": pull.id,
        "node_id": f"PR_{pull.id}",
        "html_url": html,
        "diff_url": f"{html}.diff",
        "patch_url": f"{html}.patch",
        "issue_url": issue,
        "commits_url": links["commits"],
        "review_comments_url": links["review_comments"],
        "review_comment_url": links["review_comment"],
        "comments_url": links["comments"],
        "statuses_url": links["statuses"],
        "number": pull.number,
        "state": pull.state,
        "locked": pull.locked,
        "title": pull.title,
        "user": user(world, pull.author),
        "body": pull.body,
        "labels": [label(pull.repository, name) for name in pull.labels],
        "milestone": None,
        "active_lock_reason": None,
        "created_at": timestamp(pull.created_at),
        "updated_at": timestamp(pull.updated_at),
        "closed_at": timestamp(pull.closed_at) if pull.closed_at else None,
        "merged_at": timestamp(pull.merged_at) if pull.merged_at else None,
        "assignees": [],
        "requested_reviewers": [],
        "requested_teams": [],
        "head": _end(world, pull.head_repository, head_owner, pull.head_ref, pull.head_sha),
        "base": _end(world, pull.repository, pull.repository.owner, pull.base_ref, pull.base_sha),
        "_links": {name: {"href": url} for name, url in links.items()},
        "author_association": association(pull.repository, pull.author),
        "auto_merge": None,
        "draft": pull.draft,
    }


def label(repository: Repository, name: str) -> Json:
    """A label of a repository; its number follows from its name."""
    number = crc32(name.encode())
    return {
        "id": number,
        "node_id": f"LA_{number}",
        "url": f"https://api.github.com/repos/{repository.full_name}/labels/{quote(name)}",
        "name": name,
        "color": "ededed",
        "default": False,
        "description": None,
        "archived_at": None,
        "archived_by": None,
    }


def pull_request(world: World, pull: PullRequest) -> Json:
    """A pull request asked for by its number."""
    changes = pull.changes()
    return simple_pull(world, pull) | {
        "merged": pull.merged_at is not None,
        "mergeable": True if pull.state == "open" else None,
        "rebaseable": True if pull.state == "open" else None,
        "mergeable_state": "clean" if pull.state == "open" else "unknown",
        "merged_by": user(world, pull.merged_by) if pull.merged_by else None,
        "comments": len(pull.comments),
        "review_comments": len(pull.review_comments),
        "maintainer_can_modify": False,
        "commits": len(pull.commits()),
        "additions": sum(change.additions or 0 for change in changes),
        "deletions": sum(change.deletions or 0 for change in changes),
        "changed_files": len(changes),
    }


def pull_reference(world: World, pull: PullRequest) -> Json:
    """A pull request as it stands inside check runs and suites."""
    head = pull.head_repository or pull.repository
    return {
        "url": pull_api_url(world, pull),
        "id": pull.id,
        "number": pull.number,
        "head": {
            "ref": pull.head_ref,
            "sha": pull.head_sha,
            "repo": repository_reference(world, head),
        },
        "base": {
            "ref": pull.base_ref,
            "sha": pull.base_sha,
            "repo": repository_reference(world, pull.repository),
        },
    }


def _end(world: World, one: Repository | None, owner: Account | None, ref: str, sha: str) -> Json:
    return {
        "label": f"{owner.login}:{ref}" if owner else ref,
        "ref": ref,
        "sha": sha,
        "user": user(world, owner) if owner else None,
        "repo": repository(world, one) if one else None,
    }
