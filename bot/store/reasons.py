"""Why a database refuses, in clauses of ours.

The driver's own words are shown to nobody: what it could not make sense of in an address, a piece
of the password among it, it repeats.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

NO_ANSWER = "it does not answer"
LOCKED = "another process holds its write lock"

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
        "28000": "it refuses the user",
        "28P01": "it refuses the password",
        "3D000": "it does not exist",
        "42501": "its user may not write there",
        "42P01": "it lacks this release's tables",
        "53100": "its disk is full",
        "53300": "it takes no more connections",
        "57P01": "it shuts down",
        "57P02": "it shuts down",
        "57P03": "it starts or shuts down",
    }
)
"""By SQLSTATE. https://www.postgresql.org/docs/current/errcodes-appendix.html"""


def reason_of(error: BaseException | None) -> str:
    """What a driver's error means, in a clause that holds nothing of what the error says."""
    if name := getattr(error, "sqlite_errorname", None):
        # Extended codes follow the primary one: SQLITE_READONLY_DBMOVED.
        return _SQLITE.get(name.split("_")[1], f"it refuses ({name})")
    if state := getattr(error, "sqlstate", None):
        return _POSTGRESQL.get(state, f"it refuses (SQLSTATE {state})")
    return NO_ANSWER
