"""The pages of GitHub's that a person clicks through: to register an App, and to install it.

As GitHub does it, the App exists once "Create GitHub App" was clicked, and its key is handed out
for a code that works once and for an hour.
https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qs, urlencode, urlsplit

from tests.standins.github.accounts import Account
from tests.standins.github.auth import Gate, new_private_key
from tests.standins.github.routes.calls import Answer, Call, RouteTable
from tests.standins.github.site import HandOut, Site

if TYPE_CHECKING:
    from tests.standins.github.standin import StandIn

LONGEST_NAME = 34
PERSON = "octocat"
"""Who is signed in, and clicks."""

_KEYS = {
    "name": str,
    "url": str,
    "hook_attributes": dict,
    "redirect_url": str,
    "callback_urls": list,
    "setup_url": str,
    "description": str,
    "public": bool,
    "default_events": list,
    "default_permissions": dict,
    "request_oauth_on_install": bool,
    "setup_on_update": bool,
}

_EVENT_NEEDS = {
    "check_run": "checks",
    "check_suite": "checks",
    "issue_comment": "issues",
    "merge_group": "merge_queues",
    "pull_request": "pull_requests",
    "pull_request_review_comment": "pull_requests",
    "push": "contents",
    "repository": "metadata",
}
"""Without this permission GitHub does not let an App have the event."""

pages = RouteTable()


@pages.add("POST", "/settings/apps/new")
def begin_for_person(call: Call) -> Answer:
    """The page that asks for the App's name, for an App of one's own."""
    return _begin(call, call.world.account(PERSON))


@pages.add("POST", "/organizations/{org}/settings/apps/new")
def begin_for_organization(call: Call) -> Answer:
    """The same for an organisation's."""
    owner = call.world.accounts.get(call.params["org"].lower())
    if owner is None or owner.type != "Organization":
        return _page(404, "<h1>Page not found</h1>")
    return _begin(call, owner)


@pages.add("POST", "/settings/apps/manifest")
def create_app(call: Call) -> Answer:
    """Create the App, and send the browser back with a code."""
    form = _form(call)
    manifest = json.loads(form["manifest"]) | {"name": form["name"]}
    owner = call.world.accounts[form["owner"].lower()]
    if problems := _problems(call.github, manifest):
        return _page(422, f"<p role=alert>{escape('; '.join(problems))}</p>")
    code = hashlib.sha1(secrets.token_bytes(16)).hexdigest()
    call.github.codes[code] = _register(call.github, owner, manifest)
    query = {"code": code} | ({"state": form["state"]} if form["state"] else {})
    return Answer(302, b"", {"Location": f"{manifest['redirect_url']}?{urlencode(query)}"})


@pages.add("GET", "/apps/{slug}/installations/new")
def choose_account(call: Call) -> Answer:
    """The page that asks where to install an App."""
    app = call.world.app
    if app.slug != call.params["slug"]:
        return _page(404, "<h1>Page not found</h1>")
    return _page(
        200,
        f"<h1>Install {escape(app.name)}</h1>"
        f"<form method=post>on {escape(app.owner.login)}, all repositories"
        "<button>Install</button></form>",
    )


@pages.add("POST", "/apps/{slug}/installations/new")
def install(call: Call) -> Answer:
    """Install it on its owner's account, and send the browser to its set-up page."""
    github, app = cast("StandIn", call.github), call.world.app
    one = github.install(app.owner.login)
    place = github.setup_url or f"{call.world.html_url}/settings/installations/{one.id}"
    query = urlencode({"installation_id": one.id, "setup_action": "install"})
    return Answer(302, b"", {"Location": f"{place}?{query}" if github.setup_url else place})


def _begin(call: Call, owner: Account) -> Answer:
    form = _form(call)
    try:
        manifest = json.loads(form.get("manifest", ""))
    except ValueError:
        return _page(422, "<p role=alert>The manifest is not JSON.</p>")
    call.github.manifests.append(manifest)
    if problems := _problems(call.github, manifest):
        return _page(422, f"<p role=alert>{escape('; '.join(problems))}</p>")
    hidden = {
        "manifest": json.dumps(manifest),
        "state": call.query.get("state", ""),
        "owner": owner.login,
    }
    inputs = "".join(
        f'<input type=hidden name={name} value="{escape(value)}">' for name, value in hidden.items()
    )
    return _page(
        200,
        f"<h1>Create GitHub App for {escape(owner.login)}</h1>"
        f"<form method=post action=/settings/apps/manifest>{inputs}<label>GitHub App name"
        f'<input name=name value="{escape(manifest["name"])}"></label>'
        "<button>Create GitHub App</button></form>",
    )


def _problems(github: Site, manifest: Mapping[str, Any]) -> list[str]:
    """What GitHub would refuse in a manifest."""
    found = [f"{name}: unknown" for name in manifest if name not in _KEYS]
    found += [
        f"{name}: ill-typed"
        for name, kind in _KEYS.items()
        if name in manifest and not isinstance(manifest[name], kind)
    ]
    hook = manifest.get("hook_attributes", {})
    for name, url in (
        ("url", manifest.get("url")),
        ("hook_attributes.url", hook.get("url")),
        ("redirect_url", manifest.get("redirect_url")),
    ):
        if urlsplit(url or "").scheme not in ("http", "https"):
            found.append(f"{name}: must be a URL")
    name = str(manifest.get("name", ""))
    if not 0 < len(name) <= LONGEST_NAME:
        found.append("name: too long or missing")
    taken = {app.name.lower() for app in github.world.apps.values() if app is not github.world.app}
    if name.lower() in taken:
        found.append("name: is already taken")
    granted = manifest.get("default_permissions", {})
    for permission, level in granted.items():
        if level not in ("read", "write", "admin"):
            found.append(f"default_permissions.{permission}: {level!r}")
    for event in manifest.get("default_events", ()):
        if _EVENT_NEEDS.get(event) not in granted:
            found.append(f"default_events: {event} is not supported by permissions")
    return found


def _register(github: Site, owner: Account, manifest: Mapping[str, Any]) -> HandOut:
    """The App of the manifest takes the place of the one under test."""
    world = github.world
    slug = manifest["name"].lower().replace(" ", "-")
    app = world.add_app(
        slug,
        permissions=manifest["default_permissions"],
        events=frozenset(manifest["default_events"]),
        owner=owner,
    )
    pem, secret = new_private_key(), secrets.token_hex(20)
    world.app = app
    world.installations.clear()
    github.gate = Gate(app, pem)
    github.webhook_secret, github.webhook_url = secret, manifest["hook_attributes"]["url"]
    github.setup_url = manifest.get("setup_url", "")
    return HandOut(app, pem, secret, world.now())


def _form(call: Call) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(call.data.decode()).items()} | (
        {} if b"state=" in call.data else {"state": call.query.get("state", "")}
    )


def _page(status: int, body: str) -> Answer:
    text = f"<!doctype html><html lang=en><title>GitHub</title><body>{body}</body></html>"
    return Answer(status, text.encode(), {"Content-Type": "text/html; charset=utf-8"})
