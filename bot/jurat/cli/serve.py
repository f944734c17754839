"""`jurat serve`, `worker`, `db`, `replay` and `doctor`: the App on this machine."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from socket import socket

    from jurat.app.redelivery import RedeliveryResult
    from jurat.settings import Settings


def load_settings() -> Settings:
    """The environment's settings, with the App that was registered from here if they name none."""
    from jurat.server.credentials import add_credentials  # noqa: PLC0415 - a command loads what it runs
    from jurat.settings import Settings  # noqa: PLC0415 - as above

    return add_credentials(Settings.from_environment(os.environ))


# `jurat doctor`: looks at an installation, and says what to do.

_MARKS = {"well": "ok  ", "note": "note", "ill": "FAIL"}


def doctor() -> None:
    """Check the App on GitHub, its webhook, the required check, the model, database and job loop.

    Needs the environment of `jurat serve`. Changes nothing: it deletes the row that it writes to
    the database, and asks GitHub to send its last ping once more. Exit codes: 0 all is well, 1
    something is not, 2 the environment is incomplete.
    """
    from jurat.app.registration import Diagnostic, exit_code  # noqa: PLC0415 - as above

    settings = load_settings().for_server()
    found: list[Diagnostic] = []

    async def look() -> None:
        from jurat.app.doctor import run_diagnostics  # noqa: PLC0415 - as above

        async for finding in run_diagnostics(settings):
            found.append(finding)
            _show(finding.health.value, finding.about, finding.message, finding.todo)

    asyncio.run(look())
    counts = Counter(finding.health.value for finding in found)
    typer.echo(f"\n{counts['ill'] or 'Nothing'} to mend, {counts['note'] or 'nothing'} to look at.")
    raise typer.Exit(exit_code(found))


def _show(health: str, about: str, says: str, todo: str) -> None:
    from jurat.source.visible_text import to_terminal_line  # noqa: PLC0415 - as above

    typer.echo(f"{_MARKS[health]}  {to_terminal_line(about)}: {to_terminal_line(says)}")
    if todo:
        typer.echo(f"      -> {to_terminal_line(todo)}")


database = typer.Typer(help="Look after the database.", no_args_is_help=True)


def serve(
    *,
    host: Annotated[
        str | None,
        typer.Option(help="The address to listen on.", show_default="HOST, else 127.0.0.1"),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, help="The port to listen on.", show_default="PORT, else 3000"
        ),
    ] = None,
    worker: Annotated[
        bool, typer.Option(help="Run jobs in this process as well as taking them on.")
    ] = True,
    rules: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PATH",
            help="A rule file, or a folder of them, that the REST API judges by too; repeatable.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Receive GitHub's events and review pull requests.

    Needs APP_ID, PRIVATE_KEY or PRIVATE_KEY_PATH, and WEBHOOK_SECRET. With none of them it opens a
    page that registers the App on GitHub, keeps what GitHub hands out, and goes on from there.
    """
    from jurat.app.lifecycle import run_server, run_setup  # noqa: PLC0415 - a command loads what it runs
    from jurat.rules.files import read_rule_files  # noqa: PLC0415 - as above

    own = read_rule_files(rules or ())
    given = load_settings()
    place: dict[str, Any] = {} if host is None else {"host": host}
    place |= {} if port is None else {"port": port}

    async def run(sockets: Sequence[socket] = ()) -> None:
        settings = replace(load_settings().for_server(), **place)
        await run_server(settings, with_worker=worker, rules=own, sockets=sockets)

    is_registered = given.is_app_named
    asyncio.run(run() if is_registered else run_setup(replace(given.for_setup(), **place), run))


def work(
    *,
    host: Annotated[str, typer.Option(help="The address of --port.")] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, help="Answer /healthz, /readyz and /metrics there.", show_default="no"
        ),
    ] = None,
) -> None:
    """Run jobs that `jurat serve --no-worker` takes on."""
    from jurat.app.lifecycle import run_worker  # noqa: PLC0415 - a command loads what it runs

    settings = load_settings().for_worker()
    asyncio.run(run_worker(settings, host=host, port=port))


def replay(
    *,
    delivery: Annotated[
        str | None,
        typer.Argument(
            metavar="DELIVERY", help="The X-GitHub-Delivery of the event.", show_default=False
        ),
    ] = None,
    missed: Annotated[
        bool,
        typer.Option(
            "--missed",
            help="Every delivery that failed, and every open pull request without a check.",
        ),
    ] = False,
) -> None:
    """Do again what an event asked for, as GitHub remembers it.

    Needs what `jurat worker` needs. The jobs are run by whoever serves. Exits with 3 if a
    delivery cannot be read.
    """
    from jurat.app.lifecycle import redeliver as replay_delivery  # noqa: PLC0415 - a command loads what it runs
    from jurat.app.lifecycle import redeliver_missed  # noqa: PLC0415 - as above
    from jurat.app.redelivery import MissedEvents  # noqa: PLC0415 - as above
    from jurat.errors import ExitCode, UsageError  # noqa: PLC0415 - as above

    if (delivery is None) is not missed:
        raise UsageError("Name a delivery, or give --missed.")
    settings = load_settings().for_worker()
    if delivery is not None:
        found = MissedEvents((asyncio.run(replay_delivery(settings, delivery)),), ())
    else:
        found = asyncio.run(redeliver_missed(settings))
    for replayed in found.deliveries:
        typer.echo(_describe_redelivery(replayed))
    for key in found.pull_requests:
        typer.echo(f"{key} has no check: a review was enqueued.")
    if not found.deliveries and not found.pull_requests:
        typer.echo("Nothing was missed.")
    if any(replayed.unread for replayed in found.deliveries):
        raise typer.Exit(ExitCode.INCOMPLETE)


def _describe_redelivery(replayed: RedeliveryResult) -> str:
    what = f"Delivery {replayed.guid} ({replayed.event})"
    if replayed.unread:
        return f"{what} was not taken on: {replayed.reason}"
    if replayed.reason:
        return f"{what} asks for nothing: {replayed.reason}"
    return f"{what} was taken on again: {replayed.jobs} job{'s' * (replayed.jobs != 1)}."


@database.callback()
def database_options() -> None:
    """Look after the database."""


@database.command("upgrade")
def upgrade_database() -> None:
    """Bring the database at DATABASE_URL to this release's tables."""
    from jurat.settings import Settings  # noqa: PLC0415 - a command loads what it runs
    from jurat.store.maintenance import upgrade_schema  # noqa: PLC0415 - as above

    revision = asyncio.run(upgrade_schema(Settings.from_environment(os.environ).for_database()))
    typer.echo(f"The database is at revision {revision}.")
