"""Everything the stand-in remembers, and the events that are still to be delivered."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from tests.standins.github.accounts import Account, App, Installation
from tests.standins.github.clock import Clock
from tests.standins.github.diffs import DiffLimits
from tests.standins.github.git import GitStore
from tests.standins.github.repositories import Repository

Json = dict[str, Any]
"""A JSON object as it goes over the wire."""

_KINDS = (
    "account",
    "app",
    "installation",
    "repository",
    "pull",
    "comment",
    "review",
    "review_comment",
    "reaction",
    "check_suite",
    "check_run",
    "delivery",
)


@dataclass(frozen=True, slots=True)
class Event:
    """A webhook event as it was when it happened. A redelivery has the same `guid`."""

    guid: str
    name: str
    payload: Json

    @property
    def action(self) -> str | None:
        """The payload's action, which not every event has."""
        action: str | None = self.payload.get("action")
        return action


class World:
    """The state behind the API. Ids count up from a base for each kind, so that they repeat."""

    def __init__(
        self, *, clock: Clock, api_url: str, html_url: str, folder: Path, limits: DiffLimits
    ) -> None:
        self.clock = clock
        self.api_url = api_url
        self.html_url = html_url
        self.folder = folder
        self.limits = limits
        self.accounts: dict[str, Account] = {}
        self.apps: dict[int, App] = {}
        self.app: App
        self.installations: dict[int, Installation] = {}
        self.repositories: dict[str, Repository] = {}
        self.moved: dict[str, Repository] = {}
        self.outbox: list[Event] = []
        self.events: list[Event] = []
        self._used: Counter[str] = Counter()

    def now(self) -> datetime:
        """The present, in whole seconds as GitHub keeps it."""
        return self.clock().replace(microsecond=0)

    def next_id(self, kind: str) -> int:
        """The next id of a kind; no two kinds share one."""
        self._used[kind] += 1
        return (_KINDS.index(kind) + 1) * 10_000_000 + self._used[kind]

    def next_guid(self) -> str:
        """The next delivery id."""
        self._used["guid"] += 1
        return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.html_url}#{self._used['guid']}"))

    def account(self, login: str, kind: Literal["User", "Organization", "Bot"] = "User") -> Account:
        """The account with that login, made on first mention."""
        known = self.accounts.get(login.lower())
        if known is None:
            known = Account(self.next_id("account"), login, kind)
            self.accounts[login.lower()] = known
        return known

    def rename_account(self, old: str, new: str) -> None:
        """Give an account another login; the old one is free for anybody. Its roles go with it."""
        account = self.accounts.pop(old.lower())
        account.login = new
        self.accounts[new.lower()] = account
        for repository in self.repositories.values():
            if (role := repository.roles.pop(old.lower(), None)) is not None:
                repository.roles[new.lower()] = role

    def add_app(
        self,
        slug: str,
        *,
        permissions: Mapping[str, str],
        events: frozenset[str],
        app_id: int = 0,
        owner: Account | None = None,
    ) -> App:
        """Register an App together with its bot user."""
        app = App(
            id=app_id or self.next_id("app"),
            slug=slug,
            name=slug.replace("-", " ").title(),
            owner=owner or self.account(f"{slug}-makers", "Organization"),
            bot=self.account(f"{slug}[bot]", "Bot"),
            permissions=permissions,
            events=events,
            created_at=self.now(),
        )
        self.apps[app.id] = app
        return app

    def repository(self, full_name: str) -> Repository | None:
        """The repository called `owner/name`, in any case, or None."""
        return self.repositories.get(full_name.lower())

    def add_repository(self, owner: Account, name: str, *, private: bool) -> Repository:
        """An empty repository; its owner is its administrator."""
        number = self.next_id("repository")
        store = GitStore(self.folder / f"{number}.git")
        repository = Repository(self, number, owner, name, store, private, self.now())
        self.repositories[repository.full_name.lower()] = repository
        return repository

    def move_repository(self, repository: Repository, owner: Account, name: str) -> None:
        """Rename a repository, or give it to another owner. Its old name leads to it."""
        del self.repositories[repository.full_name.lower()]
        self.moved[repository.full_name.lower()] = repository
        repository.owner, repository.name = owner, name
        self.repositories[repository.full_name.lower()] = repository

    def installation_of(self, repository: Repository) -> Installation | None:
        """The installation of the App under test that covers the repository, or None."""
        for installation in self.installations.values():
            if covers(installation, repository):
                return installation
        return None

    def covered(self, installation: Installation) -> list[Repository]:
        """The repositories that an installation may see."""
        return [one for one in self.repositories.values() if covers(installation, one)]

    def emit(self, name: str, payload: Json) -> Event:
        """Queue an event for delivery, and remember it."""
        event = Event(self.next_guid(), name, payload)
        self.events.append(event)
        self.outbox.append(event)
        return event

    def close(self) -> None:
        """End the processes that read the repositories."""
        for repository in self.repositories.values():
            repository.git.close()


def covers(installation: Installation, repository: Repository) -> bool:
    """Whether an installation includes a repository."""
    if installation.account.id != repository.owner.id:
        return False
    return installation.selected is None or repository.id in installation.selected
