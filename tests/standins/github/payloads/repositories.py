"""Repositories."""

from __future__ import annotations

from tests.standins.github.accounts import Account, Role
from tests.standins.github.clock import timestamp
from tests.standins.github.payloads.accounts import user
from tests.standins.github.repositories import Repository
from tests.standins.github.world import Json, World

_TEMPLATES = {
    "archive_url": "/{archive_format}{/ref}",
    "assignees_url": "/assignees{/user}",
    "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}",
    "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}",
    "commits_url": "/commits{/sha}",
    "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}",
    "contributors_url": "/contributors",
    "deployments_url": "/deployments",
    "downloads_url": "/downloads",
    "events_url": "/events",
    "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}",
    "git_refs_url": "/git/refs{/sha}",
    "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks",
    "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}",
    "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}",
    "languages_url": "/languages",
    "merges_url": "/merges",
    "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}",
    "stargazers_url": "/stargazers",
    "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers",
    "subscription_url": "/subscription",
    "tags_url": "/tags",
    "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}",
}

_RANK: tuple[Role, ...] = ("none", "read", "triage", "write", "maintain", "admin")


def api_url(world: World, repository: Repository) -> str:
    """The repository's place in the REST API."""
    return f"{world.api_url}/repos/{repository.full_name}"


def html_url(world: World, repository: Repository) -> str:
    """The repository's page."""
    return f"{world.html_url}/{repository.full_name}"


def minimal_repository(world: World, repository: Repository) -> Json:
    """A repository as it stands inside check suites."""
    api, html = api_url(world, repository), html_url(world, repository)
    return {
        "id": repository.id,
        "node_id": f"R_{repository.id}",
        "name": repository.name,
        "full_name": repository.full_name,
        "private": repository.private,
        "owner": user(world, repository.owner),
        "html_url": html,
        "description": None,
        "fork": repository.fork_of is not None,
        "url": api,
        **{key: f"{api}{path}" for key, path in _TEMPLATES.items()},
    }


def repository(world: World, one: Repository) -> Json:
    """A repository as it stands inside pull requests and webhooks."""
    html = html_url(world, one)
    host = html.split("/")[2]
    pushed = one.pushed_at or one.created_at
    open_pulls = sum(pull.state == "open" for pull in one.pulls.values())
    forks = sum(other.fork_of is one for other in world.repositories.values())
    return minimal_repository(world, one) | {
        "created_at": timestamp(one.created_at),
        "updated_at": timestamp(pushed),
        "pushed_at": timestamp(pushed),
        "git_url": f"git://{host}/{one.full_name}.git",
        "ssh_url": f"git@{host}:{one.full_name}.git",
        "clone_url": f"{html}.git",
        "svn_url": html,
        "homepage": None,
        "size": 0,
        "stargazers_count": 0,
        "watchers_count": 0,
        "language": None,
        "has_issues": True,
        "has_projects": False,
        "has_wiki": False,
        "has_pages": False,
        "has_discussions": False,
        "forks_count": forks,
        "mirror_url": None,
        "archived": False,
        "disabled": False,
        "open_issues_count": open_pulls,
        "license": None,
        "allow_forking": True,
        "is_template": False,
        "web_commit_signoff_required": False,
        "topics": [],
        "visibility": "private" if one.private else "public",
        "forks": forks,
        "open_issues": open_pulls,
        "watchers": 0,
        "default_branch": one.default_branch,
    }


def full_repository(world: World, one: Repository) -> Json:
    """A repository asked for by its name."""
    whole = repository(world, one) | {
        "temp_clone_token": None,
        "allow_squash_merge": True,
        "allow_merge_commit": True,
        "allow_rebase_merge": True,
        "allow_auto_merge": False,
        "delete_branch_on_merge": False,
        "network_count": 0,
        "subscribers_count": 0,
    }
    if one.fork_of is not None:
        origin = repository(world, one.fork_of)
        whole |= {"parent": origin, "source": origin}
    if one.owner.type == "Organization":
        whole["organization"] = user(world, one.owner)
    return whole


def repository_reference(world: World, one: Repository) -> Json:
    """A repository as it stands inside the pull requests of a check run."""
    return {"id": one.id, "url": api_url(world, one), "name": one.name}


def collaborator_permission(world: World, one: Repository, account: Account) -> Json:
    """What somebody may do: `permission` knows four levels, `role_name` all six."""
    role = one.role(account.login)
    level = {"maintain": "write", "triage": "read"}.get(role, role)
    rank = _RANK.index(role)
    return {
        "permission": level,
        "role_name": role,
        "user": user(world, account)
        | {
            "permissions": {
                "pull": rank >= _RANK.index("read"),
                "triage": rank >= _RANK.index("triage"),
                "push": rank >= _RANK.index("write"),
                "maintain": rank >= _RANK.index("maintain"),
                "admin": rank >= _RANK.index("admin"),
            },
            "role_name": role,
        },
    }


def association(one: Repository, account: Account) -> str:
    """How GitHub labels somebody beside their comments."""
    if account.login.lower() == one.owner.login.lower():
        return "OWNER"
    role = one.roles.get(account.login.lower(), "none")
    if _RANK.index(role) < _RANK.index("write"):
        return "NONE"
    return "MEMBER" if one.owner.type == "Organization" else "COLLABORATOR"
