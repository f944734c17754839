"""Accounts, Apps, installations."""

from __future__ import annotations

from tests.standins.github.accounts import Account, App, Installation
from tests.standins.github.clock import timestamp
from tests.standins.github.world import Json, World


def user(world: World, account: Account) -> Json:
    """A simple user, as it stands inside every other object."""
    api = f"{world.api_url}/users/{account.login}"
    return {
        "login": account.login,
        "id": account.id,
        "node_id": f"{account.type[0]}_{account.id}",
        "avatar_url": f"{world.html_url}/avatars/{account.id}",
        "gravatar_id": "",
        "url": api,
        "html_url": f"{world.html_url}/{_page(account)}",
        "followers_url": f"{api}/followers",
        "following_url": f"{api}/following{{/other_user}}",
        "gists_url": f"{api}/gists{{/gist_id}}",
        "starred_url": f"{api}/starred{{/owner}}{{/repo}}",
        "subscriptions_url": f"{api}/subscriptions",
        "organizations_url": f"{api}/orgs",
        "repos_url": f"{api}/repos",
        "events_url": f"{api}/events{{/privacy}}",
        "received_events_url": f"{api}/received_events",
        "type": account.type,
        "site_admin": False,
        "user_view_type": "public",
    }


def public_user(world: World, account: Account) -> Json:
    """A user as everybody may see them."""
    return {
        **user(world, account),
        "name": None,
        "company": None,
        "blog": "",
        "location": None,
        "email": None,
        "hireable": None,
        "bio": None,
        "public_repos": 0,
        "public_gists": 0,
        "followers": 0,
        "following": 0,
        "created_at": timestamp(world.now()),
        "updated_at": timestamp(world.now()),
    }


def _page(account: Account) -> str:
    return f"apps/{account.login.removesuffix('[bot]')}" if account.type == "Bot" else account.login


def organization(world: World, account: Account) -> Json:
    """The organisation of a webhook's envelope."""
    api = f"{world.api_url}/orgs/{account.login}"
    return {
        "login": account.login,
        "id": account.id,
        "node_id": f"O_{account.id}",
        "url": api,
        "repos_url": f"{api}/repos",
        "events_url": f"{api}/events",
        "hooks_url": f"{api}/hooks",
        "issues_url": f"{api}/issues",
        "members_url": f"{api}/members{{/member}}",
        "public_members_url": f"{api}/public_members{{/member}}",
        "avatar_url": f"{world.html_url}/avatars/{account.id}",
        "description": None,
    }


def owner(world: World, account: Account) -> Json:
    """A user or an organization, each under its own key."""
    if account.type == "Organization":
        return {"organization": organization(world, account)}
    return {"user": user(world, account)}


def app(world: World, one: App) -> Json:
    """A GitHub App."""
    installed = sum(installation.app is one for installation in world.installations.values())
    return {
        "id": one.id,
        "client_id": one.client_id,
        "slug": one.slug,
        "node_id": f"A_{one.id}",
        "owner": user(world, one.owner),
        "name": one.name,
        "description": None,
        "external_url": f"{world.html_url}/apps/{one.slug}",
        "html_url": f"{world.html_url}/apps/{one.slug}",
        "created_at": timestamp(one.created_at),
        "updated_at": timestamp(one.created_at),
        "permissions": dict(one.permissions),
        "events": sorted(one.events),
        "installations_count": installed,
    }


def embedded_app(world: World, one: App) -> Json:
    """A GitHub App as it stands inside another object: without its count of installations."""
    whole = app(world, one)
    del whole["installations_count"]
    return whole


def installation(world: World, one: Installation) -> Json:
    """An installation of an App."""
    return {
        "id": one.id,
        "account": user(world, one.account),
        "repository_selection": selection(one),
        "access_tokens_url": f"{world.api_url}/app/installations/{one.id}/access_tokens",
        "repositories_url": f"{world.api_url}/installation/repositories",
        "html_url": f"{world.html_url}/settings/installations/{one.id}",
        "app_id": one.app.id,
        "client_id": one.app.client_id,
        "app_slug": one.app.slug,
        "target_id": one.account.id,
        "target_type": one.account.type,
        "permissions": dict(one.app.permissions),
        "events": sorted(one.app.events),
        "created_at": timestamp(one.created_at),
        "updated_at": timestamp(one.created_at),
        "single_file_name": None,
        "has_multiple_single_files": False,
        "single_file_paths": [],
        "suspended_by": None,
        "suspended_at": timestamp(one.suspended_at) if one.suspended_at else None,
    }


def selection(one: Installation) -> str:
    """Whether an installation covers all repositories of its account."""
    return "all" if one.selected is None else "selected"
