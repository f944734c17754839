"""Why a database refuses, in clauses of ours.

The driver's own words are shown to nobody: what it could not make sense of in an address, a piece
of the password among it, it repeats.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

NO_ANSWER = "it does not answer"
LOCKED = "another process holds its write lock"
STARTING = "it starts or shuts down"
USER = "it refuses the user"
PASSWORD = "it refuses the password"  # noqa: S105 - a clause
UNKNOWN = "it does not exist"

_SQLITE: Mapping[str, str] = MappingProxyType(
    {
        "BUSY": LOCKED,
        "LOCKED": LOCKED,
        "READONLY": "it is read-only",
        "FULL": "its disk is full",
        "IOERR": "its disk cannot be read or written",
        "CANTOPEN": "its file cannot be opened",
        "PERM": "its file may not be opened",
        "CORRUPT": "its file is damaged",
        "NOTADB": "its file is no SQLite database",
    }
)
"""By the primary result code. https://www.sqlite.org/rescode.html"""

_POSTGRESQL: Mapping[str, str] = MappingProxyType(
    {
        "25006": "it is read-only",
        "28000": USER,
        "28P01": PASSWORD,
        "3D000": UNKNOWN,
        "42501": "its user may not write there",
        "42P01": "it lacks this release's tables",
        "53100": "its disk is full",
        "53300": "it takes no more connections",
        "55P03": "another transaction holds a lock",
        "57014": "it took too long",
        "57P01": "it shuts down",
        "57P02": "it shuts down",
        "57P03": STARTING,
    }
)
"""By SQLSTATE. https://www.postgresql.org/docs/current/errcodes-appendix.html"""

_CONNECTING: Mapping[str, str] = MappingProxyType(
    {
        "starting up": STARTING,
        "shutting down": STARTING,
        "recovery mode": STARTING,
        "not yet accepting": STARTING,
        "does not exist": UNKNOWN,
        "authentication failed": PASSWORD,
        "no pg_hba.conf entry": USER,
        "too many clients": "it takes no more connections",
        "connection slots": "it takes no more connections",
        "Connection refused": "nobody listens at its address",
        "No such file": "nobody listens at its address",
        "resolve host": "its host is not known",
        "translate host": "its host is not known",
    }
)
"""By what the server says in English: the driver gives no SQLSTATE for what it was told before it
was connected. What none of them says may pass."""


def describe_driver_error(error: BaseException | None) -> str:
    """What a driver's error means, in a clause that holds nothing of what the error says."""
    if name := getattr(error, "sqlite_errorname", None):
        # Extended codes follow the primary one: SQLITE_READONLY_DBMOVED.
        return _SQLITE.get(name.split("_")[1], f"it refuses ({name})")
    if state := getattr(error, "sqlstate", None):
        return _POSTGRESQL.get(state, f"it refuses (SQLSTATE {state})")
    said = str(error)
    return next((clause for words, clause in _CONNECTING.items() if words in said), NO_ANSWER)


def is_passing(error: BaseException | None) -> bool:
    """Whether a driver's error may be over in a while, with nobody changing the settings."""
    if name := getattr(error, "sqlite_errorname", None):
        return name.split("_")[1] in {"BUSY", "LOCKED", "FULL", "IOERR"}
    if state := getattr(error, "sqlstate", None):
        # Connections, resources, an operator at work, a standby that is to take over, locks.
        return state[:2] in {"08", "53", "57", "40"} or state in {"25006", "55P03"}
    return describe_driver_error(error) not in {UNKNOWN, PASSWORD, USER}
