"""Repositories that the App was taken off: found, and forgotten after a period of grace.

Events say who leaves; once a day GitHub is asked as well, as an event may be lost, and nothing is
deleted of a repository of which GitHub did not say that day that the App is not there.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from jurat.app.registration import InstallationSummary
from jurat.errors import JuratError
from jurat.github.auth import GitHubApp, TokenScope
from jurat.github.models import InstalledRepositoryPayload
from jurat.jobs.queue import JobQueue
from jurat.jobs.worker import describe_error
from jurat.reports.limits import PAGE
from jurat.store.database import Database
from jurat.store.forgetting import forget_repository
from jurat.store.repositories import Arrival, Departure, News, Repositories

GRACE = dt.timedelta(days=30)
"""How long what is kept of a repository outlives the App there: whoever took it off by mistake, or
moves it from one account to another, finds everything as it was."""

_LOOKING = TokenScope.from_permissions({"metadata": "read"})
_log = structlog.stdlib.get_logger("jurat.app.leaving")


@dataclass(frozen=True, slots=True)
class DepartureSweep:
    """Looks where the App is installed, and forgets. `now` gives the time with its zone."""

    database: Database
    queue: JobQueue
    app: GitHubApp
    now: Callable[[], dt.datetime]

    async def __call__(self) -> None:
        """Do both once. Doing it twice, or in two places at once, does no harm."""
        known = Repositories(self.database)
        unheard = await self._look(known)
        for repository in await known.list_left(self.now() - GRACE):
            if repository.installation_id in unheard:
                continue
            deleted = await forget_repository(
                self.database,
                self.queue.delete_all,
                repository,
                asked_by="the end of the grace",
                at=self.now(),
            )
            _log.info("a repository was forgotten", id=repository.id, rows=sum(deleted.values()))

    async def _look(self, known: Repositories) -> frozenset[int]:
        """Take down where the App is installed; the installations that could not be asked."""
        unheard = set()
        news: list[News] = []
        theirs: dict[int, set[int]] = {}
        for repository in await known.list_installed():
            if repository.installation_id is not None:
                theirs.setdefault(repository.installation_id, set()).add(repository.id)
        async for one in self.app.api.iter_items(
            InstallationSummary, "/app/installations{?per_page}", {"per_page": PAGE.size}
        ):
            before = theirs.pop(one.id, set())
            # GitHub gives out no token for it: what it had is kept as it is.
            if one.suspended_at is not None:
                news.append(Departure(one.id, suspended=True))
                continue
            try:
                found = await self._list_repositories(one.id)
            except JuratError as error:
                _log.warning("an installation was not looked at: %s", describe_error(error))
                unheard.add(one.id)
                continue
            news += found
            gone = before - {item.repository_id for item in found}
            if gone:
                news.append(Departure(one.id, tuple(sorted(gone))))
        news += [Departure(number) for number in theirs]
        await known.note(news, self.now())
        return frozenset(unheard)

    async def _list_repositories(self, installation_id: int) -> list[Arrival]:
        github = self.app.get_installation(installation_id, _LOOKING)
        listed = github.iter_items(
            InstalledRepositoryPayload,
            "/installation/repositories{?per_page}",
            {"per_page": PAGE.size},
            key="repositories",
        )
        return [Arrival(item.id, item.full_name, installation_id) async for item in listed]
