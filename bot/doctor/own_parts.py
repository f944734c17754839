"""The parts of this installation itself: its database, its model, its job loop, its server.

The doctor is a process of its own, and can look into no other. Of the job loop it sees what the
database shows: a worker that lives adds a tick to the clock of the sweep every few minutes, and no
job stays due for long while none is run. Of a loop that hangs in a process that still keeps the
time, and of which no job shows it yet, only that process's /readyz can tell; it is asked if it
answers where the webhook does.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import AsyncIterator
from urllib.parse import urlsplit, urlunsplit

import aiohttp
from pydantic import BaseModel, ValidationError

from bot.config import ModelSettings
from bot.doctor.findings import Finding, failed, ill, note, well
from bot.errors import BylawError
from bot.gemini.access import unreachable_models
from bot.gemini.models import opened
from bot.jobs.engines import queue_in
from bot.judgment.protocol import JudgeError
from bot.probes.standing import Probed
from bot.store.database import Database, DatabaseUnavailable
from bot.store.schema import head, revision
from bot.store.standings import standing_of
from bot.store.write_trial import WriteTrial
from bot.sweep import CLOCK, EVERY

OVERDUE = 60.0
"""Seconds after which a job that is due, while none is run, has been forgotten: a worker looks
every 2."""

_WRITING = 10.0
"""Seconds that the database may take to be written: nobody waits for the doctor but its user."""


class _Readiness(BaseModel):
    """What /readyz answers."""

    status: str
    problems: tuple[str, ...] = ()


async def of_database(url: str) -> Finding:
    """Whether it answers, has the tables of this release, and can be written."""
    about = "database"
    try:
        found = await revision(url)
    except DatabaseUnavailable as error:
        says = f"It cannot be used: {error.reason}."
        return ill(about, says, "Check DATABASE_URL, and that the database runs.")
    except BylawError as error:
        return failed(about, error, "Check DATABASE_URL.")
    if found != head():
        says = f"It is at revision {found or 'none'}; this release works with {head()}."
        return ill(about, says, "Run `bylaw db upgrade`, or start `bylaw serve`, which does.")
    database = Database.at(url)
    try:
        problem = await WriteTrial(database, deadline=_WRITING).problem()
    finally:
        await database.close()
    if problem is not None:
        todo = "Look at its disk, how that is mounted, and who may write there."
        return ill(about, f"It cannot be written: {problem}.", todo)
    return well(about, f"It can be written and is at revision {found}.")


async def of_models(settings: ModelSettings | None) -> AsyncIterator[Finding]:
    """Whether the judge can be constructed, and the key may use its models."""
    if settings is None:
        yield note(
            "model",
            "None is configured: rules that no program can decide are not assessed.",
            "Set GEMINI_API_KEY.",
        )
        return
    try:
        async with opened(settings) as models:
            await models.construct()
    except JudgeError as error:
        says = f"The judge cannot be constructed: {error.detail}."
        yield ill("model", says, "Install Bylaw anew, with what deploy/requirements.lock names.")
        return
    for model, problem in (await unreachable_models(settings)).items():
        if problem:
            todo = "Check GEMINI_API_KEY, and GOOGLE_GEMINI_BASE_URL if it is set."
            yield ill(f"model {model}", problem, todo)
        else:
            yield well(f"model {model}", "The key may use it.")


async def of_standing(database: Database, settings: ModelSettings) -> Finding:
    """How the judge did when it was probed."""
    tier = settings.file.options().batch.tier
    names = {"flash": settings.file.models.flash, "pro": settings.file.models.pro}
    try:
        found = await standing_of(database, names[tier])
    except DatabaseUnavailable as error:
        return failed("resilience", error, "Check that the database runs.")
    if found.state is Probed.PROBED:
        return well("resilience", found.text)
    return note("resilience", found.text, found.todo)


async def of_job_loop(database: Database, now: dt.datetime) -> Finding:
    """Whether a worker lives, by what the database shows. `now` has its zone."""
    about, todo = (
        "job loop",
        "Start `bylaw serve` or `bylaw worker`, or restart the one that hangs.",
    )
    queue = queue_in(database, lambda: now)
    try:
        tick, backlog = await queue.latest_tick(CLOCK), await queue.backlog()
    except DatabaseUnavailable as error:
        return failed(about, error, "Check that the database runs.")
    if tick is None:
        return ill(about, "No worker has ever run on this database.", todo)
    kept = dt.datetime.fromtimestamp(tick * EVERY.total_seconds(), dt.UTC)
    if now - kept > 2 * EVERY:
        return ill(
            about, f"No worker lives: the last sweep was due {kept:%Y-%m-%d %H:%M} UTC.", todo
        )
    if not backlog.running and backlog.oldest_seconds > OVERDUE:
        says = f"A job has been due for {backlog.oldest_seconds:.0f} s, and none is run."
        return ill(about, says, todo)
    return well(about, f"A worker lives: {backlog.waiting} jobs wait and {backlog.running} run.")


async def of_server(session: aiohttp.ClientSession, webhook: str) -> Finding | None:
    """What the server behind the webhook's URL says of itself; None if it cannot be asked there."""
    address = urlunsplit((*urlsplit(webhook)[:2], "/readyz", "", ""))
    try:
        async with session.get(address, allow_redirects=False) as answer:
            said = _Readiness.model_validate_json(await answer.read())
    except (aiohttp.ClientError, OSError, ValueError, ValidationError):
        return None  # a proxy may well let nothing but deliveries through
    if said.status == "ready":
        return well("server", "It is ready.")
    says = f"It is not ready: {'; '.join(said.problems)}."
    return ill("server", says, "Mend what it names: it is ready again by itself.")
