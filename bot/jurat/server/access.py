"""Who may look: the token, the file that keeps one that nobody set, and how often one may guess."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import os
import secrets
import tempfile
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from aiohttp import web
from pydantic import SecretStr

from jurat.errors import UsageError
from jurat.setting_values import MIN_SECRET
from jurat.settings import Network
from jurat.store.database import find_sqlite_file


class TokenSettings(Protocol):
    """What says where the token is."""

    @property
    def api_token(self) -> SecretStr | None:
        """The token that somebody set."""

    @property
    def database_url(self) -> str:
        """The database, beside which one is kept that nobody set."""


def get_token(settings: TokenSettings) -> str:
    """The token of the settings, or the one in the file, which is made if there is none.

    Raises UsageError if that is not possible.
    """
    if settings.api_token is not None:
        return settings.api_token.get_secret_value()
    path = find_token_file(settings)
    try:
        if not path.exists():
            with suppress(FileExistsError):  # one that another process made meanwhile stays
                write_secret_file(path, f"{secrets.token_urlsafe(32)}\n")
        # Somebody may have copied a token that others could read: another one has to be made.
        readable = path.stat().st_mode & 0o077
        token = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"JURAT_API_TOKEN is not set, and no token can be kept in {path}: {error}.",
            hint="Set it to a long random text, such as `openssl rand -hex 32` prints.",
        ) from None
    if readable or len(token) < MIN_SECRET:
        what = "can be read by others" if readable else "holds no token"
        raise UsageError(f"{path} {what}.", hint="Delete it: the server makes another one.")
    return token


def find_token_file(settings: TokenSettings) -> Path:
    """Where a token is kept that nobody set: beside the database, or in the working directory."""
    return find_secret_file(settings.database_url, "token")


def find_secret_file(database_url: str, kind: str) -> Path:
    """Where a secret of this server is kept: beside the database, or in the working directory."""
    database = find_sqlite_file(database_url)
    return (
        Path(f"jurat.{kind}") if database is None else database.with_name(f"{database.name}.{kind}")
    )


def write_secret_file(path: Path, text: str) -> None:
    """Write ASCII text for the owner alone, whole or not at all. Raises OSError."""
    # mkstemp makes it with mode 0600, and `link` replaces nothing.
    number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(number, "w", encoding="ascii") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())  # a crash of the machine must not leave an empty one
        os.link(name, path)
    finally:
        Path(name).unlink()


def is_same_token(given: str, token: str) -> bool:
    """Whether what somebody gave is the token, in constant time."""
    # As bytes: compare_digest refuses text beyond ASCII, which a header may hold. By digest: the
    # time that it takes would tell the length.
    key = secrets.token_bytes(16)
    return hmac.compare_digest(_digest(key, given), _digest(key, token))


def _digest(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode("utf-8", "surrogatepass"), "sha256")


WINDOW = 60.0
"""Seconds in which wrong tokens are counted."""
FREE_BY_ADDRESS = 10
"""Wrong tokens of one address that cost no time."""
FREE_IN_ALL = 100
"""The same of all addresses together."""
FIRST_PAUSE = 0.25
LONGEST_PAUSE = 5.0
MAX_KNOWN = 4096
"""Addresses that are remembered, of those that guess and of those that do not."""

Sleep = Callable[[float], Awaitable[None]]


class Throttle:
    """Makes whoever guesses at the token wait, and refuses nobody.

    An address that has used up its free guesses waits before its token is looked at: twice as long
    each time, up to `LONGEST_PAUSE`. The right token waits as long as a wrong one, and is let in
    then, so that no stranger locks anybody out; how many wait at once, and so how many guesses a
    second there are, the limits on connections bound. Once all addresses together have used up
    theirs, those that never gave the right token wait for `FIRST_PAUSE`. `clock` counts seconds.
    """

    def __init__(self, clock: Callable[[], float], sleep: Sleep = asyncio.sleep) -> None:
        self._clock = clock
        self._sleep = sleep
        self._began = clock()
        self._in_all = 0
        # Both in the order in which addresses were seen last.
        self._guesses: dict[str, int] = {}
        self._known: dict[str, None] = {}

    async def try_token(self, address: str, given: str, token: str) -> bool:
        """Whether what somebody gave is the token, said when it is this address' time."""
        self._forget_old()
        network = to_network(address)
        # Counted as it comes, not when it has been looked at: many at once wait one for the other.
        count = self._guesses.pop(network, 0) + 1
        self._guesses[network] = count
        _drop_oldest(self._guesses)
        if count <= FREE_BY_ADDRESS:
            self._in_all += 1
        if pause := self._find_pause(network, count):
            await self._sleep(pause)
        if not is_same_token(given, token):
            return False
        self._take_back(network, count)
        return True

    def _find_pause(self, network: str, count: int) -> float:
        over = count - FREE_BY_ADDRESS
        if over > 0:
            # Capped before it is raised.
            return float(min(FIRST_PAUSE * 2.0 ** min(over - 1, 10), LONGEST_PAUSE))
        crowded = self._in_all > FREE_IN_ALL and network not in self._known
        return FIRST_PAUSE if crowded else 0.0

    def _take_back(self, network: str, count: int) -> None:
        """Take back the one guess that was none. What others guessed from there stays."""
        if (left := self._guesses.get(network, 0) - 1) >= 0:
            self._guesses[network] = left
        if count <= FREE_BY_ADDRESS:
            self._in_all = max(self._in_all - 1, 0)
        self._known.pop(network, None)
        self._known[network] = None
        _drop_oldest(self._known)

    def _forget_old(self) -> None:
        if self._clock() - self._began >= WINDOW:
            self._began, self._in_all = self._clock(), 0
            self._guesses.clear()


def _drop_oldest(addresses: dict[str, Any]) -> None:
    if len(addresses) > MAX_KNOWN:
        del addresses[next(iter(addresses))]


@dataclass(frozen=True, slots=True)
class TokenGate:
    """Where tokens are shown: the one `token`, how often one may guess, and whose word counts.

    `proxies` are the networks of proxies that say truly for whom they ask.
    """

    token: str
    throttle: Throttle
    proxies: tuple[Network, ...] = ()

    async def admits(self, request: web.Request, given: str) -> bool:
        """Whether a visitor gave the right token."""
        return await self.throttle.try_token(self.find_visitor(request), given, self.token)

    def find_visitor(self, request: web.Request) -> str:
        """The address of whoever asks: of the peer, or of the one for whom a known proxy asks."""
        forwarded = ",".join(request.headers.getall("X-Forwarded-For", ()))
        return find_visitor(request.remote or "", forwarded, self.proxies)


def find_visitor(peer: str, forwarded: str, proxies: Collection[Network]) -> str:
    """The last address of the way here that is no known proxy's.

    Each proxy adds at the end of `forwarded`, the X-Forwarded-For header, who asked it: what stands
    before the first one that is not known may be anybody's invention.
    """
    address = peer
    for hop in reversed(forwarded.split(",")):
        if not is_within(address, proxies) or not (hop := hop.strip()):
            break
        try:
            ipaddress.ip_address(hop)
        except ValueError:
            break
        address = hop
    return address


def is_within(address: str, networks: Collection[Network]) -> bool:
    """Whether an address is in one of these networks."""
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = known.ipv4_mapped if isinstance(known, ipaddress.IPv6Address) else None
    return any((mapped or known) in network for network in networks)


@lru_cache(maxsize=MAX_KNOWN)
def to_network(address: str) -> str:
    """What one visitor has: an IPv4 address, or a network of 2 ** 64 IPv6 addresses."""
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return ""
    mapped = known.ipv4_mapped if isinstance(known, ipaddress.IPv6Address) else None
    if isinstance(known, ipaddress.IPv6Address) and mapped is None:
        return str(ipaddress.ip_network((int(known), 64), strict=False))
    return str(mapped or known)
