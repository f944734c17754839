"""Repositories, and who may do what in them.

https://docs.github.com/rest/repos and https://docs.github.com/rest/collaborators
"""

from __future__ import annotations

from tests.standins.github.payloads import repositories
from tests.standins.github.refusals import RefusalError
from tests.standins.github.routes.calls import Answer, Call, RouteTable

routes = RouteTable()


@routes.add("GET", "/repos/{owner}/{repo}", "metadata:read")
def get_repository(call: Call) -> Answer:
    """A repository."""
    return Answer(200, repositories.full_repository(call.world, call.repository))


@routes.add("GET", "/repos/{owner}/{repo}/collaborators/{username}/permission", "metadata:read")
def get_permission(call: Call) -> Answer:
    """What somebody may do in the repository."""
    login = call.params["username"]
    account = call.world.accounts.get(login.lower())
    if account is None:
        raise RefusalError(404, f"{login} is not a user")
    return Answer(200, repositories.collaborator_permission(call.world, call.repository, account))
