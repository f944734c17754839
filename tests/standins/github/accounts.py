"""Who is on the stand-in: people, organisations, Apps and where they are installed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Role = Literal["none", "read", "triage", "write", "maintain", "admin"]
"""What somebody may do in a repository, weakest first."""


@dataclass(eq=False, slots=True)
class Account:
    """A person, an organisation or the bot user of an App. A login may change, an id does not."""

    id: int
    login: str
    type: Literal["User", "Organization", "Bot"]


@dataclass(frozen=True, slots=True)
class App:
    """A registered GitHub App. `permissions` maps a name to read or write."""

    id: int
    slug: str
    name: str
    owner: Account
    bot: Account
    permissions: Mapping[str, str]
    events: frozenset[str]
    created_at: datetime

    @property
    def client_id(self) -> str:
        """The App's other identity, which a JWT may name as its issuer."""
        return f"Iv23standin{self.id}"


@dataclass(frozen=True, slots=True)
class Installation:
    """An App on an account. `selected` holds repository ids; None means all of the account's."""

    id: int
    account: Account
    app: App
    selected: frozenset[int] | None
    created_at: datetime
    suspended_at: datetime | None = None
