"""What a person may do in a repository: the gate before every command."""

from __future__ import annotations

from enum import IntEnum

from pydantic import BaseModel

from bot.github.client import GitHub
from bot.github.errors import NotFoundError


class Permission(IntEnum):
    """GitHub's roles, each including those below it."""

    NONE = 0
    READ = 1
    TRIAGE = 2
    WRITE = 3
    MAINTAIN = 4
    ADMIN = 5


class _Answer(BaseModel):
    permission: str
    role_name: str = ""


async def permission_of(github: GitHub, repository: str, login: str) -> Permission:
    """What `login` may do now, as GitHub says; NONE for whoever it does not know.

    `permission` folds maintain into write and triage into read, `role_name` does not. A custom
    role has a name of its own: then the base role under `permission` counts.
    """
    try:
        answer = await github.read(
            _Answer,
            "/repos/{+repository}/collaborators/{login}/permission",
            {"repository": repository, "login": login},
        )
    except NotFoundError:
        return Permission.NONE
    known = {permission.name.lower(): permission for permission in Permission}
    return known.get(answer.role_name) or known.get(answer.permission) or Permission.NONE
