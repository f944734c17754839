"""`bylaw serve`, `bylaw worker` and `bylaw db`: the App on this machine."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from typing import Annotated

import typer

database = typer.Typer(help="Look after the database.", no_args_is_help=True)


def serve(
    *,
    host: Annotated[
        str | None, typer.Option(help="The address to listen on.", show_default="HOST or 127.0.0.1")
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
) -> None:
    """Receive GitHub's events and review pull requests.

    Needs APP_ID, PRIVATE_KEY or PRIVATE_KEY_PATH, and WEBHOOK_SECRET.
    """
    from bot import app  # noqa: PLC0415 - a command loads what it runs
    from bot.config import Settings  # noqa: PLC0415 - as above

    settings = Settings.from_environment(os.environ).for_server()
    settings = replace(
        settings,
        host=settings.host if host is None else host,
        port=settings.port if port is None else port,
    )
    asyncio.run(app.serve(settings, with_worker=worker))


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
    """Run jobs that `bylaw serve --no-worker` takes on."""
    from bot import app  # noqa: PLC0415 - a command loads what it runs
    from bot.config import Settings  # noqa: PLC0415 - as above

    settings = Settings.from_environment(os.environ).for_worker()
    asyncio.run(app.work(settings, host=host, port=port))


@database.callback()
def database_options() -> None:
    """Look after the database."""


@database.command("upgrade")
def upgrade_database() -> None:
    """Bring the database at DATABASE_URL to this release's tables."""
    from bot.config import Settings  # noqa: PLC0415 - a command loads what it runs
    from bot.store.schema import upgrade  # noqa: PLC0415 - as above

    revision = asyncio.run(upgrade(Settings.from_environment(os.environ).for_database()))
    typer.echo(f"The database is at revision {revision}.")
