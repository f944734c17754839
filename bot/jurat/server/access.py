"""Who may look: the token, the file that keeps one that nobody set, and how often one may guess."""

from __future__ import annotations

import hmac
import ipaddress
import os
import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path

from jurat.errors import UsageError
from jurat.settings import MIN_SECRET, WorkerSettings
from jurat.store.database import find_sqlite_file


def get_token(settings: WorkerSettings) -> str:
    """The token of the settings, or the one in the file, which is made if there is none.

    Raises UsageError if that is not possible.
    """
    if settings.api_token is not None:
        return settings.api_token.get_secret_value()
    path = find_token_file(settings)
    try:
        if not path.exists():
            _make_token_file(path)
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


def find_token_file(settings: WorkerSettings) -> Path:
    """Where a token is kept that nobody set: beside the database, or in the working directory."""
    database = find_sqlite_file(settings.database_url)
    return Path("jurat.token") if database is None else database.with_name(f"{database.name}.token")


def _make_token_file(path: Path) -> None:
    """Write a new token for the owner alone; one that another process made meanwhile stays."""
    # mkstemp makes it with mode 0600, and `link` puts it there whole or not at all.
    number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(number, "w", encoding="ascii") as file:
            file.write(f"{secrets.token_urlsafe(32)}\n")
        os.link(name, path)
    except FileExistsError:
        pass
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
"""Seconds in which guesses are counted."""
MAX_BY_ADDRESS = 10
MAX_IN_ALL = 100


class Throttle:
    """Counts wrong tokens, by address and in all, within a window. `clock` counts seconds.

    An address that has used up its guesses is refused before its token is looked at, and so is
    everybody once all have used up theirs: who is refused learns nothing.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._began = clock()
        self._in_all = 0
        self._by_address: dict[str, int] = {}

    def wait_for(self, address: str) -> float:
        """Seconds until this address may try again, 0 if it may now."""
        left = self._began + WINDOW - self._clock()
        if left <= 0:
            self._began, self._in_all = self._clock(), 0
            self._by_address.clear()
            return 0.0
        used_up = self._by_address.get(_to_network(address), 0) >= MAX_BY_ADDRESS
        return left if used_up or self._in_all >= MAX_IN_ALL else 0.0

    def count(self, address: str) -> None:
        """One more wrong token came from this address."""
        network = _to_network(address)
        self._in_all += 1
        self._by_address[network] = self._by_address.get(network, 0) + 1


def _to_network(address: str) -> str:
    """What one visitor has: an IPv4 address, or a network of 2 ** 64 IPv6 addresses."""
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return ""
    mapped = known.ipv4_mapped if isinstance(known, ipaddress.IPv6Address) else None
    if isinstance(known, ipaddress.IPv6Address) and mapped is None:
        return str(ipaddress.ip_network((int(known), 64), strict=False))
    return str(mapped or known)
