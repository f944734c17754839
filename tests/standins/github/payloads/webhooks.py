"""The payloads of webhook events."""

from __future__ import annotations

from tests.standins.github.accounts import Account, Installation
from tests.standins.github.checks import CheckRun, CheckSuite
from tests.standins.github.clock import timestamp
from tests.standins.github.conversation import REACTIONS, IssueComment, Review, ReviewComment
from tests.standins.github.payloads import accounts, checks, commits, conversation, pulls
from tests.standins.github.payloads.repositories import api_url, association, html_url
from tests.standins.github.payloads.repositories import repository as repository_payload
from tests.standins.github.pulls import PullRequest
from tests.standins.github.repositories import Repository
from tests.standins.github.world import Json, World

NO_COMMIT = "0" * 40
"""What a push event says of a branch that did not exist before, or does not any more."""


def envelope(
    world: World, repository: Repository, sender: Account, installation: Installation
) -> Json:
    """What every event of a repository carries."""
    common = {
        "repository": repository_payload(world, repository),
        "sender": accounts.user(world, sender),
        "installation": {"id": installation.id, "node_id": f"MDIz{installation.id}"},
    }
    if repository.owner.type == "Organization":
        common["organization"] = accounts.organization(world, repository.owner)
    return common


def pull_request(world: World, action: str, pull: PullRequest) -> Json:
    """A pull_request event."""
    return {
        "action": action,
        "number": pull.number,
        "pull_request": pulls.pull_request(world, pull) | _kept_in_webhooks(pull),
    }


def edited(old: Json) -> Json:
    """What an edited event says about the values before: {field: old value}."""
    changes: Json = {name: {"from": value} for name, value in old.items()}
    return {"changes": changes}


def issue_comment(world: World, action: str, comment: IssueComment) -> Json:
    """An issue_comment event; the issue is the pull request seen as one."""
    return {
        "action": action,
        "issue": _issue(world, comment.pull),
        "comment": conversation.issue_comment(world, comment),
    }


def review(world: World, action: str, one: Review) -> Json:
    """A pull_request_review event."""
    shown = conversation.review(world, one)
    return {
        "action": action,
        "review": shown | {"state": one.state.lower(), "body": one.body or None},
        "pull_request": _review_pull(world, one.pull),
    }


def review_comment(world: World, action: str, comment: ReviewComment) -> Json:
    """A pull_request_review_comment event."""
    return {
        "action": action,
        "comment": conversation.review_comment(world, comment),
        "pull_request": _review_pull(world, comment.pull),
    }


def check_run(world: World, action: str, run: CheckRun) -> Json:
    """A check_run event."""
    return {"action": action, "check_run": checks.webhook_check_run(world, run)}


def requested_action(world: World, run: CheckRun, identifier: str) -> Json:
    """A check_run event for a click on a button."""
    return check_run(world, "requested_action", run) | {
        "requested_action": {"identifier": identifier}
    }


def check_suite(world: World, action: str, suite: CheckSuite) -> Json:
    """A check_suite event."""
    return {"action": action, "check_suite": checks.webhook_check_suite(world, suite)}


def push(
    world: World, repository: Repository, ref: str, *, before: str, after: str, pusher: Account
) -> Json:
    """A push event. A `before` of NO_COMMIT makes the branch, an `after` of it deletes it."""
    created, deleted = before == NO_COMMIT, after == NO_COMMIT
    since = repository.head() if created else before
    new = [] if deleted else repository.git.log(since if since != after else None, after)
    merge_base = None if created or deleted else repository.git.merge_base(before, after)
    shown = [commits.pushed_commit(world, repository, sha) for sha in new[-20:]]
    created_at = int(repository.created_at.timestamp())
    pushed_at = int((repository.pushed_at or repository.created_at).timestamp())
    return {
        "ref": ref,
        "before": before,
        "after": after,
        "created": created,
        "deleted": deleted,
        "forced": not created and not deleted and merge_base != before,
        "base_ref": None,
        "compare": f"{html_url(world, repository)}/compare/{before[:12]}...{after[:12]}",
        "commits": shown,
        "head_commit": None if deleted else commits.pushed_commit(world, repository, after),
        "pusher": {"name": pusher.login, "email": f"{pusher.login}@users.noreply.github.com"},
        # Unlike all other events, a push gives the repository's times in seconds.
        "repository": repository_payload(world, repository)
        | {"created_at": created_at, "pushed_at": pushed_at},
    }


def merge_group(repository: Repository, base_ref: str, base: str, head_ref: str, head: str) -> Json:
    """A merge_group event that asks for checks."""
    return {
        "action": "checks_requested",
        "merge_group": {
            "head_sha": head,
            "head_ref": head_ref,
            "base_sha": base,
            "base_ref": base_ref,
            "head_commit": commits.simple_commit(repository, head),
        },
    }


def installation(
    world: World, action: str, one: Installation, repositories: list[Repository], sender: Account
) -> Json:
    """An installation event, which belongs to no repository."""
    return {
        "action": action,
        "installation": accounts.installation(world, one),
        "repositories": [_brief(repository) for repository in repositories],
        "requester": None,
        "sender": accounts.user(world, sender),
    }


def installation_repositories(
    world: World, action: str, one: Installation, changed: list[Repository], sender: Account
) -> Json:
    """Repositories that an installation was given, or that were taken from it."""
    listed = [_brief(repository) for repository in changed]
    return {
        "action": action,
        "installation": accounts.installation(world, one),
        "repository_selection": accounts.selection(one),
        "repositories_added": listed if action == "added" else [],
        "repositories_removed": listed if action == "removed" else [],
        "requester": None,
        "sender": accounts.user(world, sender),
    }


def ping(world: World, hook_id: int, app_id: int, url: str) -> Json:
    """The event that GitHub sends when a webhook is set up."""
    moment = timestamp(world.now())
    return {
        "zen": "Practicality beats purity.",
        "hook_id": hook_id,
        "hook": {
            "type": "App",
            "id": hook_id,
            "name": "web",
            "active": True,
            "app_id": app_id,
            "events": ["pull_request"],
            "config": {"content_type": "json", "insecure_ssl": "0", "url": url},
            "created_at": moment,
            "updated_at": moment,
            "deliveries_url": f"{world.api_url}/app/hook/deliveries",
        },
    }


def _brief(repository: Repository) -> Json:
    return {
        "id": repository.id,
        "node_id": f"R_{repository.id}",
        "name": repository.name,
        "full_name": repository.full_name,
        "private": repository.private,
    }


def _kept_in_webhooks(pull: PullRequest) -> Json:
    """Fields that the REST API dropped in 2026-03-10 and that events still carry."""
    return {"assignee": None, "merge_commit_sha": pull.merge_commit}


def _review_pull(world: World, pull: PullRequest) -> Json:
    return pulls.simple_pull(world, pull) | _kept_in_webhooks(pull)


def _issue(world: World, pull: PullRequest) -> Json:
    api, html = api_url(world, pull.repository), pulls.pull_html_url(world, pull)
    own = f"{api}/issues/{pull.number}"
    return {
        "url": own,
        "repository_url": api,
        "labels_url": f"{own}/labels{{/name}}",
        "comments_url": f"{own}/comments",
        "events_url": f"{own}/events",
        "html_url": html,
        "id": pull.id,
        "node_id": f"PR_{pull.id}",
        "number": pull.number,
        "title": pull.title,
        "user": accounts.user(world, pull.author),
        "labels": [],
        "state": pull.state,
        "locked": False,
        "assignee": None,
        "assignees": [],
        "milestone": None,
        "comments": len(pull.comments),
        "created_at": timestamp(pull.created_at),
        "updated_at": timestamp(pull.updated_at),
        "closed_at": timestamp(pull.closed_at) if pull.closed_at else None,
        "author_association": association(pull.repository, pull.author),
        "active_lock_reason": None,
        "draft": pull.draft,
        "pull_request": {
            "url": pulls.pull_api_url(world, pull),
            "html_url": html,
            "diff_url": f"{html}.diff",
            "patch_url": f"{html}.patch",
            "merged_at": timestamp(pull.merged_at) if pull.merged_at else None,
        },
        "body": pull.body,
        "reactions": {
            "url": f"{own}/reactions",
            "total_count": 0,
            **dict.fromkeys(REACTIONS, 0),
        },
        "timeline_url": f"{own}/timeline",
        "performed_via_github_app": None,
        "state_reason": None,
    }
