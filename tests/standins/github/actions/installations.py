"""What the owner of an account does with the App: takes it off, lets it rest, brings it back.

https://docs.github.com/en/webhooks/webhook-events-and-payloads#installation
"""

from __future__ import annotations

from dataclasses import replace

from tests.standins.github.accounts import Installation
from tests.standins.github.actions.announcing import announce
from tests.standins.github.payloads import webhooks
from tests.standins.github.repositories import Repository
from tests.standins.github.world import World


def uninstall(world: World, one: Installation, *, by: str = "octocat") -> None:
    """Take the App off an account."""
    covered = world.covered(one)
    del world.installations[one.id]
    payload = webhooks.installation(world, "deleted", one, covered, world.account(by))
    world.emit("installation", payload)


def suspend(world: World, one: Installation, *, by: str = "octocat") -> None:
    """Let the App rest on an account: it gets no token there, and no event."""
    _announce(world, "suspend", _change(world, replace(one, suspended_at=world.now())), by=by)


def unsuspend(world: World, one: Installation, *, by: str = "octocat") -> None:
    """Wake it."""
    _announce(world, "unsuspend", _change(world, replace(one, suspended_at=None)), by=by)


def _change(world: World, one: Installation) -> Installation:
    world.installations[one.id] = one
    return one


def _announce(world: World, action: str, one: Installation, *, by: str) -> None:
    payload = webhooks.installation(world, action, one, world.covered(one), world.account(by))
    world.emit("installation", payload)


def choose_repositories(
    world: World, one: Installation, chosen: list[Repository], *, by: str = "octocat"
) -> None:
    """Let an installation work in these repositories alone."""
    before = world.covered(one)
    now = _change(world, replace(one, selected=frozenset(each.id for each in chosen)))
    after = world.covered(now)
    sender = world.account(by)
    for action, changed in (
        ("added", [each for each in after if each not in before]),
        ("removed", [each for each in before if each not in after]),
    ):
        if changed:
            payload = webhooks.installation_repositories(world, action, now, changed, sender)
            world.emit("installation_repositories", payload)


def delete_repository(repository: Repository, *, by: str = "octocat") -> None:
    """Delete a repository: its name is free for anybody from now on."""
    announce(repository, "repository", {"action": "deleted"}, by=by)
    del repository.world.repositories[repository.full_name.lower()]
    repository.git.close()
