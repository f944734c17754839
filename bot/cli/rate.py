"""`bylaw rate`: how far a repository keeps regulations, clause by clause."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.options import RatingFormat


def rate_command(
    *,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The checkout to rate.")],
    regulation: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID",
            help="Rate by this regulation, such as eu-ai-act; repeatable.",
            show_default="what .github/bylaw.yml says, else all",
        ),
    ] = None,
    form: Annotated[
        RatingFormat, typer.Option("--format", help="How to print the rating.")
    ] = RatingFormat.TEXT,
) -> None:
    """Rate a checkout against regulations: what its code shows of each clause.

    Exit codes: 0 rated, 1 a regulation scores below rating.fail_below, 2 usage or configuration
    error, 3 a clause could not be rated, or not judged by the model that is configured.
    """
    from bot.cli.local_rating import run  # noqa: PLC0415 - a command loads what it runs

    raise typer.Exit(run(folder, tuple(regulation or ()), form))
