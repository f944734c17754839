"""Who Jurat is on GitHub: the App's signed token, and one client for each installation."""

from __future__ import annotations

import asyncio
import datetime as dt
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum

import aiohttp
import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from gidgethub import sansio
from pydantic import BaseModel

from jurat.github.client import REPEATABLE, GitHub
from jurat.github.errors import NotFoundError, RejectedError, UncoveredError
from jurat.github.models import AccountPayload
from jurat.github.pace import Clock, Meter, Pace, Sleep, Turn

_BACKDATED = 60
_LIFETIME = 9 * 60
# Seconds. Clocks differ, and a token must outlast the request that takes it, an archive's too.
_RENEW_BEFORE = 5 * 60
_CLIENTS = 1_000
"""Clients that are kept, each with its token."""


@dataclass(frozen=True, slots=True)
class AppIdentity:
    """The App's id, and the account under which its comments stand."""

    app_id: int
    slug: str
    user_id: int


def sign_app_jwt(app_id: int, private_key: RSAPrivateKey, now: float) -> str:
    """The App's own token, good for nine minutes from `now` (Unix time). The key is RSA.

    GitHub takes at most ten, and wants `iat` a minute in the past against clocks that run ahead:
    https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app
    """
    claims = {"iat": int(now) - _BACKDATED, "exp": int(now) + _LIFETIME, "iss": str(app_id)}
    return jwt.encode(claims, private_key, algorithm="RS256")


class AppCredentials:
    """Speaks as the App, whose key is RSA in PEM. Signing takes a millisecond: no token is kept."""

    def __init__(self, app_id: int, private_key: str, clock: Clock) -> None:
        self._app_id = app_id
        # Read once: to read a key takes 20 ms. The settings have validated it, with another 20.
        key = load_pem_private_key(
            private_key.encode(), password=None, unsafe_skip_rsa_key_validation=True
        )
        if not isinstance(key, RSAPrivateKey):
            raise TypeError("an App's key is RSA")
        self._private_key = key
        self._clock = clock

    async def get_authorization(self, refused: str | None = None) -> str:
        """A token signed now."""
        return f"Bearer {sign_app_jwt(self._app_id, self._private_key, self._clock())}"


_METADATA = ("metadata", "read")
"""Every App has it; asked for always, as a list of none would stand for all that there are."""


@dataclass(frozen=True, slots=True)
class TokenScope:
    """What a token is for: `permissions`, each a name and read or write, in these repositories.

    They are named by id, or by name within the installation's account; without either, the token is
    for all that the installation covers.
    """

    permissions: frozenset[tuple[str, str]]
    repository_ids: tuple[int, ...] = ()
    repositories: tuple[str, ...] = ()

    @classmethod
    def from_permissions(cls, permissions: Mapping[str, str], *repository_ids: int) -> TokenScope:
        """The scope of a job in one repository."""
        return cls(frozenset(permissions.items()), repository_ids)

    @classmethod
    def from_repository(cls, repository: str) -> TokenScope:
        """The scope of reading another repository's files; "owner/name"."""
        name = repository.partition("/")[2]
        return cls(frozenset({("contents", "read")}), repositories=(name,))

    def limit_to(self, granted: Mapping[str, str]) -> TokenScope:
        """As much of it as an installation has that was granted so much."""
        held = {
            (name, level if granted[name] == "write" else granted[name])
            for name, level in self.permissions
            if name in granted
        }
        return replace(self, permissions=frozenset(held))

    def to_body(self) -> dict[str, object]:
        """What GitHub is asked for.

        https://docs.github.com/en/rest/apps/apps#create-an-installation-access-token-for-an-app
        """
        body: dict[str, object] = {"permissions": dict(sorted({*self.permissions, _METADATA}))}
        if self.repository_ids:
            body["repository_ids"] = list(self.repository_ids)
        if self.repositories:
            body["repositories"] = list(self.repositories)
        return body


class _AccessToken(BaseModel):
    token: str
    expires_at: dt.datetime


class _Installation(BaseModel):
    permissions: Mapping[str, str]
    repository_selection: str = "selected"


class InstallationCredentials:
    """Speaks as one installation, with a token that is for `scope` alone.

    The token is kept until five minutes before it expires; whoever comes while one is fetched
    waits for that one.
    """

    def __init__(self, app: GitHub, installation_id: int, scope: TokenScope, clock: Clock) -> None:
        self._app = app
        self._installation_id = installation_id
        self._scope = scope
        self._clock = clock
        self._fetching = asyncio.Lock()
        self._authorization = ""
        self._renew_at = 0.0

    async def get_authorization(self, refused: str | None = None) -> str:
        """The token in force, or a new one if it is about to expire or was refused.

        Raises UncoveredError if the installation does not cover the repositories.
        """
        # Held while one fetches: ten reads that find the token expired ask for one new token, not
        # ten.
        async with self._fetching:
            # Compared with the refused one: by now another request may have brought a fresh token.
            if self._authorization == refused or self._clock() >= self._renew_at:
                answer = await self._create_token()
                self._authorization = f"Bearer {answer.token}"
                self._renew_at = answer.expires_at.timestamp() - _RENEW_BEFORE
            return self._authorization

    async def _create_token(self) -> _AccessToken:
        try:
            return await self._ask(self._scope)
        except RejectedError as error:
            if error.status != 422:
                raise
        # Either the owner has not granted that much: then what there is must do, and whatever needs
        # more is refused by name. Or the repositories are not this installation's.
        granted = await self._app.read(
            _Installation, "/app/installations/{id}", {"id": self._installation_id}
        )
        held = self._scope.limit_to(granted.permissions)
        try:
            if held != self._scope:
                return await self._ask(held)
        except RejectedError as error:
            if error.status != 422:
                raise
        # Of an owner who chose all repositories, one that is not covered is not there.
        raise UncoveredError(hidden=granted.repository_selection != "all")

    async def _ask(self, scope: TokenScope) -> _AccessToken:
        return await self._app.write(
            "POST",
            _AccessToken,
            "/app/installations/{id}/access_tokens",
            {"id": self._installation_id},
            scope.to_body(),
        )


class _App(BaseModel):
    id: int
    slug: str


class GitHubApp:
    """The App on one GitHub. Its installations share a session, and nothing else.

    `meter` gives what counts the requests of one installation, by its id; the App's own are "app".
    `turns` gives where an installation takes its turns to write, if others do too. Each client
    is told `floors` (see `GitHub`).
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
        floors: frozenset[str] = frozenset(),
    ) -> None:
        self._session = session
        self._base_url = base_url
        self._clock = clock
        self._sleep = sleep
        self._write_interval = write_interval
        self._turns = turns
        self._meter = meter
        self._floors = floors
        self.api = GitHub(
            session,
            AppCredentials(app_id, private_key, clock),
            base_url=base_url,
            clock=clock,
            sleep=sleep,
            pace=Pace(clock, sleep, write_interval=0.0, meter=meter("app") if meter else None),
            # The App itself only asks for tokens: a second one does no harm.
            repeatable=REPEATABLE | {"POST"},
            meter=meter("app") if meter else None,
        )
        self._paces: dict[int, Pace] = {}
        self._clients: OrderedDict[tuple[int, TokenScope], GitHub] = OrderedDict()
        self._identity: AppIdentity | None = None

    def get_installation(self, installation_id: int, scope: TokenScope) -> GitHub:
        """The client of one installation whose token is for `scope`; all of them share its pace.

        It opens clients that read other repositories of the account (see `GitHub.open_repository`).
        """
        # No await between look and entry: two paces of one installation would each let a write go.
        key = (installation_id, scope)
        if key not in self._clients:
            self._clients[key] = self._build_client(installation_id, scope)
        self._clients.move_to_end(key)
        # Bounded: each repository has its own. A job that holds one that is dropped keeps it.
        if len(self._clients) > _CLIENTS:
            self._clients.popitem(last=False)
        return self._clients[key]

    async def get_identity(self, github: GitHub) -> AppIdentity:
        """Who the App is; `github` is any of its installations (the App itself may not ask)."""
        if self._identity is None:
            app = await self.api.read(_App, "/app")
            user = await github.read(
                AccountPayload, "/users/{login}", {"login": f"{app.slug}[bot]"}
            )
            self._identity = AppIdentity(app.id, app.slug, user.id)
        return self._identity

    def _build_client(self, installation_id: int, scope: TokenScope) -> GitHub:
        meter = self._meter(str(installation_id)) if self._meter else None
        if installation_id not in self._paces:
            self._paces[installation_id] = Pace(
                self._clock,
                self._sleep,
                write_interval=self._write_interval,
                turn=self._turns(installation_id) if self._turns else None,
                meter=meter,
            )

        def open_repository(repository: str) -> GitHub:
            return self.get_installation(installation_id, TokenScope.from_repository(repository))

        return GitHub(
            self._session,
            InstallationCredentials(self.api, installation_id, scope, self._clock),
            base_url=self._base_url,
            clock=self._clock,
            sleep=self._sleep,
            pace=self._paces[installation_id],
            meter=meter,
            open_repository=open_repository,
            floors=self._floors,
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
