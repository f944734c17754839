"""Who is asking: an App with a JWT, or one of its installations with a token."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import count

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.standins.github.accounts import App, Installation
from tests.standins.github.refusals import RefusalError
from tests.standins.github.repositories import Repository
from tests.standins.github.world import covers

TOKEN_LIFETIME = timedelta(hours=1)

_LEVELS = ("read", "write", "admin")


@dataclass(frozen=True, slots=True)
class AppCaller:
    """An App, by its JWT."""

    app: App


@dataclass(frozen=True, slots=True)
class InstallationCaller:
    """An installation, by its token, which may be narrower than the installation."""

    installation: Installation
    token: str
    expires_at: datetime
    permissions: Mapping[str, str]
    selected: frozenset[int] | None

    def sees(self, repository: Repository) -> bool:
        """Whether the token covers the repository."""
        if not covers(self.installation, repository):
            return False
        return self.selected is None or repository.id in self.selected

    def may(self, need: str) -> bool:
        """Whether the token has a permission, written `checks:write`."""
        name, _, level = need.partition(":")
        granted = "read" if name == "metadata" else self.permissions.get(name)
        return granted is not None and _LEVELS.index(granted) >= _LEVELS.index(level)


Caller = AppCaller | InstallationCaller


class Gate:
    """Checks JWTs against the App's public key, and issues and checks installation tokens."""

    def __init__(self, app: App, private_key: str) -> None:
        self._app = app
        self._key = _public_half(private_key)
        self._tokens: dict[str, InstallationCaller] = {}
        self._issued = count(1)

    def issue(
        self,
        installation: Installation,
        now: datetime,
        *,
        permissions: Mapping[str, str],
        selected: frozenset[int] | None,
    ) -> InstallationCaller:
        """A fresh token."""
        digest = hashlib.sha256(f"{installation.id}:{next(self._issued)}".encode()).hexdigest()
        caller = InstallationCaller(
            installation, f"ghs_{digest[:36]}", now + TOKEN_LIFETIME, permissions, selected
        )
        self._tokens[caller.token] = caller
        return caller

    @property
    def issued(self) -> tuple[InstallationCaller, ...]:
        """The tokens that are in force, oldest first."""
        return tuple(self._tokens.values())

    def revoke_all(self) -> None:
        """Make every token worthless, as GitHub does now and then before the hour is over."""
        self._tokens.clear()

    def identify(self, authorization: str | None, now: datetime) -> Caller | None:
        """Who sent this Authorization header; None without one."""
        if not authorization:
            return None
        scheme, _, credential = authorization.partition(" ")
        if scheme.lower() not in ("bearer", "token") or not credential:
            raise RefusalError(401, "Bad credentials")
        if credential.count(".") == 2:
            return AppCaller(self._check_jwt(credential, now))
        caller = self._tokens.get(credential)
        if caller is None or caller.expires_at <= now:
            raise RefusalError(401, "Bad credentials")
        return caller

    def _check_jwt(self, token: str, now: datetime) -> App:
        """The App that signed a JWT; its times are held against the injected clock.

        https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
        """
        try:
            claims = jwt.decode(
                token,
                self._key,
                algorithms=["RS256"],
                options={"verify_exp": False, "verify_iat": False, "verify_nbf": False},
            )
        except jwt.InvalidTokenError as error:
            raise RefusalError(401, "A JSON web token could not be decoded") from error
        if str(claims.get("iss")) not in (str(self._app.id), self._app.client_id):
            raise RefusalError(404, "Integration not found")
        issued, expires = claims.get("iat"), claims.get("exp")
        if not isinstance(issued, int) or issued > now.timestamp():
            raise RefusalError(
                401,
                "'Issued at' claim ('iat') must be an Integer representing the time that the "
                "assertion was issued",
            )
        if not isinstance(expires, int) or expires <= now.timestamp():
            raise RefusalError(
                401,
                "'Expiration time' claim ('exp') must be a numeric value representing the future "
                "time at which the assertion expires",
            )
        if expires > now.timestamp() + 600:
            raise RefusalError(401, "'Expiration time' claim ('exp') is too far in the future")
        return self._app


@lru_cache(maxsize=8)
def _public_half(private_key: str) -> rsa.RSAPublicKey:
    """What GitHub keeps of a key. Loading one checks its primes, which takes 50 ms."""
    loaded = serialization.load_pem_private_key(private_key.encode(), password=None)
    if not isinstance(loaded, rsa.RSAPrivateKey):
        raise TypeError("a GitHub App's key is an RSA key")
    return loaded.public_key()


def new_private_key() -> str:
    """An RSA key in PEM, of the size and form that GitHub hands out."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    ).decode()
