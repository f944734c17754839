"""Who Jurat is on GitHub: the App's signed token, and one client for each installation."""

from __future__ import annotations

import asyncio
import datetime as dt
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

import aiohttp
import jwt
from gidgethub import sansio
from pydantic import BaseModel

from jurat.github.client import REPEATABLE, Clock, Credentials, GitHub, Meter, Sleep, Turn
from jurat.github.errors import NotFoundError
from jurat.github.models import AccountPayload

_BACKDATED = 60
_LIFETIME = 9 * 60
# Seconds. Clocks differ, and a token must outlast the request that takes it, an archive's too.
_RENEW_BEFORE = 5 * 60


@dataclass(frozen=True, slots=True)
class AppIdentity:
    """The App's id, and the account under which its comments stand."""

    app_id: int
    slug: str
    user_id: int


def sign_app_jwt(app_id: int, private_key: str, now: float) -> str:
    """The App's own token, good for nine minutes from `now` (Unix time). The key is RSA, in PEM.

    GitHub takes at most ten, and wants `iat` a minute in the past against clocks that run ahead:
    https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app
    """
    claims = {"iat": int(now) - _BACKDATED, "exp": int(now) + _LIFETIME, "iss": str(app_id)}
    return jwt.encode(claims, private_key, algorithm="RS256")


class AppCredentials:
    """Speaks as the App. Signing takes a millisecond, so nothing is kept."""

    def __init__(self, app_id: int, private_key: str, clock: Clock) -> None:
        self._app_id = app_id
        self._private_key = private_key
        self._clock = clock

    async def get_authorization(self, refused: str | None = None) -> str:
        """A token signed now."""
        return f"Bearer {sign_app_jwt(self._app_id, self._private_key, self._clock())}"


class _AccessToken(BaseModel):
    token: str
    expires_at: dt.datetime


class InstallationCredentials:
    """Speaks as one installation.

    The token is kept until five minutes before it expires; whoever comes while one is fetched
    waits for that one.
    """

    def __init__(self, app: GitHub, installation_id: int, clock: Clock) -> None:
        self._app = app
        self._installation_id = installation_id
        self._clock = clock
        self._fetching = asyncio.Lock()
        self._authorization = ""
        self._renew_at = 0.0

    async def get_authorization(self, refused: str | None = None) -> str:
        """The token in force, or a new one where it is about to expire or was refused."""
        # Held while one fetches: ten reads that find the token expired ask for one new token, not
        # ten.
        async with self._fetching:
            # Compared with the refused one: by now another request may have brought a fresh token.
            if self._authorization == refused or self._clock() >= self._renew_at:
                answer = await self._app.write(
                    "POST",
                    _AccessToken,
                    "/app/installations/{id}/access_tokens",
                    {"id": self._installation_id},
                    {},
                )
                self._authorization = f"Bearer {answer.token}"
                self._renew_at = answer.expires_at.timestamp() - _RENEW_BEFORE
            return self._authorization


class _App(BaseModel):
    id: int
    slug: str


class GitHubApp:
    """The App on one GitHub. Its installations share a session, and nothing else.

    `meter` gives what counts the requests of one installation, by its id; the App's own are "app".
    `turns` gives where an installation takes its turns to write, if others do too.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        app_id: int,
        private_key: str,
        *,
        base_url: str = sansio.DOMAIN,
        clock: Clock = time.time,
        sleep: Sleep = asyncio.sleep,
        write_interval: float = 1.0,
        turns: Callable[[int], Turn] | None = None,
        meter: Callable[[str], Meter] | None = None,
    ) -> None:
        self._session = session
        self._base_url = base_url
        self._clock = clock
        self._sleep = sleep
        self._write_interval = write_interval
        self._turns = turns
        self._meter = meter
        # The App itself only asks for tokens: a second one does no harm.
        self.api = self._build_client(
            "app", AppCredentials(app_id, private_key, clock), 0.0, REPEATABLE | {"POST"}
        )
        self._installations: dict[int, GitHub] = {}
        self._identity: AppIdentity | None = None

    def get_installation(self, installation_id: int) -> GitHub:
        """The client of one installation, always the same one: it paces that one's writes."""
        # No await between look and entry: two clients of one installation would each keep its own
        # pace.
        if installation_id not in self._installations:
            credentials = InstallationCredentials(self.api, installation_id, self._clock)
            client = self._build_client(
                str(installation_id),
                credentials,
                self._write_interval,
                turn=self._turns(installation_id) if self._turns else None,
            )
            self._installations[installation_id] = client
        return self._installations[installation_id]

    async def get_identity(self, github: GitHub) -> AppIdentity:
        """Who the App is; `github` is any of its installations (the App itself may not ask)."""
        if self._identity is None:
            app = await self.api.read(_App, "/app")
            user = await github.read(
                AccountPayload, "/users/{login}", {"login": f"{app.slug}[bot]"}
            )
            self._identity = AppIdentity(app.id, app.slug, user.id)
        return self._identity

    def _build_client(
        self,
        name: str,
        credentials: Credentials,
        write_interval: float,
        repeatable: frozenset[str] = REPEATABLE,
        turn: Turn | None = None,
    ) -> GitHub:
        return GitHub(
            self._session,
            credentials,
            base_url=self._base_url,
            clock=self._clock,
            sleep=self._sleep,
            write_interval=write_interval,
            turn=turn,
            repeatable=repeatable,
            meter=self._meter(name) if self._meter else None,
        )


# What a person may do in a repository: the gate before every command. Asked each time, since
# `author_association` in a payload says who somebody is, and not what they may do.


class Permission(IntEnum):
    """GitHub's roles, each including those below it."""

    NONE = 0
    READ = 1
    TRIAGE = 2
    WRITE = 3
    MAINTAIN = 4
    ADMIN = 5


class _CollaboratorPermission(BaseModel):
    permission: str
    role_name: str = ""
    user: AccountPayload | None = None


async def read_permission(
    github: GitHub, repository: str, login: str, account_id: int
) -> Permission:
    """What an account may do now, as GitHub says; NONE for whoever it does not know.

    GitHub is asked by login: NONE too if that is another account's by now.
    `permission` folds maintain into write and triage into read, `role_name` does not. A custom
    role has a name of its own: then the base role under `permission` counts.
    """
    try:
        answer = await github.read(
            _CollaboratorPermission,
            "/repos/{+repository}/collaborators/{login}/permission",
            {"repository": repository, "login": login},
        )
    # 404 is how GitHub says that it knows no such account.
    except NotFoundError:
        return Permission.NONE
    # A login that was given up can be taken by anybody: what its new owner may do is theirs.
    if answer.user is None or answer.user.id != account_id:
        return Permission.NONE
    known = {permission.name.lower(): permission for permission in Permission}
    return known.get(answer.role_name) or known.get(answer.permission) or Permission.NONE
