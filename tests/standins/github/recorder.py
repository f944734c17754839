"""What was asked and answered, for tests that count writes and check every body."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_CREDENTIALS = frozenset({"authorization", "cookie"})


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer. `path` is without /api/v3 and without the query.

    `route` is the pattern that it matched, empty if none. `status` is None if the connection
    was closed instead of an answer. Bodies are parsed where they are JSON, else bytes; None is
    an empty one. Request headers have lower-case names, and no credentials.
    """

    method: str
    path: str
    route: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    sent: Any
    status: int | None
    answer_headers: Mapping[str, str]
    answered: Any
    faulty: bool = False

    @property
    def is_write(self) -> bool:
        """Whether it changes something on GitHub; asking for a token does not."""
        return self.method != "GET" and not self.path.endswith("/access_tokens")


def without_credentials(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers as they may be kept."""
    lowered = {name.lower(): value for name, value in headers.items()}
    return {name: value for name, value in lowered.items() if name not in _CREDENTIALS}
