"""`bylaw doctor`: looks at an installation, and says what to do."""

from __future__ import annotations

import asyncio
import os
from collections import Counter

import typer

_MARKS = {"well": "ok  ", "note": "note", "ill": "FAIL"}


def doctor() -> None:
    """Check the App on GitHub, its webhook, the required check, the model, database and job loop.

    Needs the environment of `bylaw serve`. Changes nothing: it deletes the row that it writes to
    the database, and asks GitHub to send its last ping once more. Exit codes: 0 all is well, 1
    something is not, 2 the environment is incomplete.
    """
    from bot.config import Settings  # noqa: PLC0415 - a command loads what it runs
    from bot.doctor.findings import Finding, exit_code  # noqa: PLC0415 - as above

    settings = Settings.from_environment(os.environ).for_server()
    found: list[Finding] = []

    async def look() -> None:
        from bot.doctor.examination import examine  # noqa: PLC0415 - as above

        async for finding in examine(settings):
            found.append(finding)
            _show(finding.health.value, finding.about, finding.says, finding.todo)

    asyncio.run(look())
    counts = Counter(finding.health.value for finding in found)
    typer.echo(f"\n{counts['ill'] or 'Nothing'} to mend, {counts['note'] or 'nothing'} to look at.")
    raise typer.Exit(exit_code(found))


def _show(health: str, about: str, says: str, todo: str) -> None:
    from bot.publishing.plaintext import one_line  # noqa: PLC0415 - as above

    typer.echo(f"{_MARKS[health]}  {one_line(about)}: {one_line(says)}")
    if todo:
        typer.echo(f"      -> {one_line(todo)}")
