"""Which events reach the App."""

from __future__ import annotations

from tests.standins.github.payloads import webhooks
from tests.standins.github.repositories import Repository
from tests.standins.github.world import Json

_UNASKED = frozenset({"installation", "installation_repositories"})


def announce(
    repository: Repository, name: str, payload: Json, *, by: str, unasked: bool = False
) -> None:
    """Queue an event, if the App is installed on the repository and subscribed to it.

    `unasked` events come without a subscription: clicks on one's own check runs, for one.
    """
    world = repository.world
    installation = world.installation_of(repository)
    if installation is None or installation.suspended_at is not None:
        return
    if not unasked and name not in world.app.events | _UNASKED:
        return
    sender = world.account(by)
    world.emit(name, payload | webhooks.envelope(world, repository, sender, installation))
