"""`jurat forget`: deletes what is kept of a repository, now."""

from __future__ import annotations

import asyncio
import datetime as dt
import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from jurat.errors import UsageError
from jurat.source.visible_text import to_terminal_line

if TYPE_CHECKING:
    from jurat.store.database import Database
    from jurat.store.repositories import KnownRepository


def forget(
    repository: Annotated[
        str, typer.Argument(metavar="OWNER/NAME", help="The repository, or GitHub's number of it.")
    ],
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask first.")] = False,
) -> None:
    """Delete all that is kept of a repository in the database at DATABASE_URL.

    Reviews, findings, decisions, ratings, its part of each rule's record and of the audit log go,
    and no backup is touched. While the App is installed there, its next pull request begins anew.
    """
    from jurat.settings import Settings  # noqa: PLC0415 - a command loads what it runs

    url = Settings.from_environment(os.environ).for_database()
    asyncio.run(_forget(url, repository, ask=not yes))


async def _forget(url: str, named: str, *, ask: bool) -> None:
    from jurat.store.database import Database  # noqa: PLC0415 - as above
    from jurat.store.maintenance import upgrade_schema  # noqa: PLC0415 - as above

    await upgrade_schema(url)
    database = Database.at(url)
    try:
        every = await _find(database, named)
        if ask:
            _confirm(every)
        for found in every:
            _tell(found, await _delete(database, found))
    finally:
        await database.close()


async def _find(database: Database, named: str) -> tuple[KnownRepository, ...]:
    from jurat.store.repositories import Repositories  # noqa: PLC0415 - as above

    known = Repositories(database)
    found = await known.list_named(named)
    if not found and named.isascii() and named.isdigit() and (one := await known.find(int(named))):
        found = (one,)
    if not found:
        raise UsageError(
            f"Nothing is kept of a repository called {named!r}.",
            hint="Give its name as it is now, such as acme/shop, or GitHub's number of it.",
        )
    return found


def _confirm(every: Sequence[KnownRepository]) -> None:
    if not sys.stdin.isatty():
        raise UsageError("Nobody is here to be asked.", hint="Say --yes to delete without asking.")
    stays = any(found.id > 0 and found.removed_at is None for found in every)
    still = " The App is still installed there." if stays else ""
    question = (
        f"Delete all that is kept of {_describe(every[0])}?{still} It cannot be brought back."
    )
    typer.confirm(question, abort=True, err=True)


async def _delete(database: Database, found: KnownRepository) -> Mapping[str, int]:
    from jurat.jobs.table_queue import open_queue  # noqa: PLC0415 - as above
    from jurat.store.forgetting import forget_repository  # noqa: PLC0415 - as above

    queue = open_queue(database, _get_now)
    return await forget_repository(
        database, queue.delete_all, found, asked_by="jurat forget", at=_get_now()
    )


def _tell(found: KnownRepository, deleted: Mapping[str, int]) -> None:
    typer.echo(f"Deleted all that was kept of {_describe(found)}:")
    for table, rows in deleted.items():
        typer.echo(f"  {rows:>7,} {table.replace('_', ' ')}")
    if not deleted:
        typer.echo("  nothing but its name")


def _describe(found: KnownRepository) -> str:
    # Whoever asks by the API calls a repository what they like.
    return to_terminal_line(found.name or f"repository {found.id}")


def _get_now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)
