"""Apps, installations, tokens, webhook deliveries, rate limits.

https://docs.github.com/rest/apps
"""

from __future__ import annotations

from datetime import timedelta

from tests.standins.github.accounts import Installation
from tests.standins.github.clock import timestamp
from tests.standins.github.payloads import accounts, deliveries
from tests.standins.github.payloads.repositories import repository
from tests.standins.github.refusals import RefusalError, not_found
from tests.standins.github.routes.calls import Answer, Call, RouteTable
from tests.standins.github.world import Json

routes = RouteTable()


@routes.add("GET", "/app", "app")
def get_app(call: Call) -> Answer:
    """The App that asks."""
    return Answer(200, accounts.app(call.world, call.world.app))


@routes.add("GET", "/users/{username}")
def get_user(call: Call) -> Answer:
    """An account, the bot user of an App among them."""
    found = call.world.accounts.get(call.params["username"].lower())
    if found is None:
        raise not_found()
    return Answer(200, accounts.public_user(call.world, found))


@routes.add("GET", "/app/installations", "app")
def list_installations(call: Call) -> Answer:
    """Where the App is installed."""
    found = list(call.world.installations.values())
    return call.listed(found, lambda one: accounts.installation(call.world, one))


@routes.add("GET", "/app/installations/{installation}", "app")
def get_installation(call: Call) -> Answer:
    """One installation."""
    return Answer(200, accounts.installation(call.world, _installation(call)))


@routes.add("GET", "/repos/{owner}/{repo}/installation", "app")
def get_repository_installation(call: Call) -> Answer:
    """The installation that covers a repository."""
    found = call.world.repository(f"{call.params['owner']}/{call.params['repo']}")
    installation = call.world.installation_of(found) if found else None
    if installation is None:
        raise not_found()
    return Answer(200, accounts.installation(call.world, installation))


@routes.add("POST", "/app/installations/{installation}/access_tokens", "app")
def create_token(call: Call) -> Answer:
    """A token for an hour, narrowed to the repositories and permissions asked for."""
    installation, body = _installation(call), call.body()
    if installation.suspended_at is not None:
        raise RefusalError(403, "This installation has been suspended")
    granted = dict(installation.app.permissions)
    asked = body.get("permissions") or granted
    for name, level in asked.items():
        if granted.get(name) not in (level, "write", "admin"):
            raise RefusalError(
                422,
                "The permissions requested are not granted to this installation.",
            )
    visible = call.world.covered(installation)
    names = {one.name.lower(): one.id for one in visible}
    wanted = [names.get(name.lower()) for name in body.get("repositories") or ()]
    wanted += [
        number if number in names.values() else None for number in body.get("repository_ids") or ()
    ]
    if None in wanted:
        raise RefusalError(
            422,
            "There is at least one repository that does not exist or is not accessible to the "
            "parent installation.",
        )
    selected = frozenset(number for number in wanted if number is not None) or None
    caller = call.github.gate.issue(
        installation, call.world.now(), permissions=asked, selected=selected
    )
    told: Json = {
        "token": caller.token,
        "expires_at": timestamp(caller.expires_at),
        "permissions": asked,
        "repository_selection": "selected" if selected else accounts.selection(installation),
    }
    if selected:
        told["repositories"] = [
            repository(call.world, one) for one in visible if one.id in selected
        ]
    return Answer(201, told)


@routes.add("GET", "/installation/repositories", "metadata:read")
def list_repositories(call: Call) -> Answer:
    """The repositories that the token covers."""
    caller = call.installation
    found = [one for one in call.world.repositories.values() if caller.sees(one)]
    page, headers = call.page(found)
    body = {
        "total_count": len(found),
        "repository_selection": accounts.selection(caller.installation),
        "repositories": [repository(call.world, one) for one in page],
    }
    return Answer(200, body, headers)


@routes.add("GET", "/rate_limit")
def rate_limit(call: Call) -> Answer:
    """What is left of the budget; asking costs nothing."""
    name = call.github.budget_name(call.caller)
    return Answer(200, {"resources": call.github.limits.overview(name, call.world.now())})


@routes.add("GET", "/app/hook/config", "app")
def hook_config(call: Call) -> Answer:
    """Where webhooks go."""
    shown = {"content_type": "json", "insecure_ssl": "0", "secret": "********"}
    return Answer(200, shown | {"url": call.github.webhook_url or ""})


@routes.add("GET", "/app/hook/deliveries", "app")
def list_deliveries(call: Call) -> Answer:
    """Deliveries, newest first."""
    found = list(reversed(call.github.deliveries))
    if status := call.query.get("status"):
        found = [one for one in found if one.ok == (status == "success")]
    return call.listed(found, deliveries.item)


@routes.add("GET", "/app/hook/deliveries/{delivery}", "app")
def get_delivery(call: Call) -> Answer:
    """One delivery with what was sent and answered."""
    number = call.number("delivery")
    for one in call.github.deliveries:
        if one.id == number:
            return Answer(200, deliveries.whole(one))
    raise not_found()


@routes.add("POST", "/app/hook/deliveries/{delivery}/attempts", "app")
def redeliver(call: Call) -> Answer:
    """Put a delivery into the queue again, under the same GUID."""
    number = call.number("delivery")
    for one in call.github.deliveries:
        if one.id == number:
            call.world.outbox.append(one.event)
            return Answer(202, {})
    raise not_found()


CODE_LIFETIME = timedelta(hours=1)


@routes.add("POST", "/app-manifests/{code}/conversions")
def convert_code(call: Call) -> Answer:
    """Hand out the App that was created from a manifest, with its secrets, once."""
    found = call.github.codes.pop(call.params["code"], None)
    if found is None or call.world.now() - found.made_at > CODE_LIFETIME:
        raise not_found()
    secrets = {"client_secret": "0" * 40, "webhook_secret": found.secret, "pem": found.pem}
    return Answer(201, accounts.app(call.world, found.app) | secrets)


def _installation(call: Call) -> Installation:
    found = call.world.installations.get(call.number("installation"))
    if found is None:
        raise not_found()
    return found
