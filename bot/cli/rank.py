"""`bylaw rules rank`: the last step of rule selection alone, for tuning and for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.options import Form


def rank(
    *,
    query: Annotated[
        str, typer.Option(metavar="TEXT", help="What is asked, such as a pull request's title.")
    ],
    candidates: Annotated[
        Path,
        typer.Option(
            metavar="FILE|-",
            help="JSON list of {id, score, text, references, authority}, - for standard input; "
            "score is the relevance, from 0 to 1.",
        ),
    ],
    vocabulary: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Source classes, domains and bodies. [default: Bylaw's own]"
        ),
    ] = None,
    form: Annotated[Form, typer.Option("--format", help="How to print the ranking.")] = Form.TEXT,
) -> None:
    """Order candidates by authority, as the last step of rule selection does, and say why.

    Nothing is dropped: the output holds every candidate with its computed score.
    """
    from bot.cli.ranked import print_ranking  # noqa: PLC0415 - a command loads what it runs

    print_ranking(query, candidates, vocabulary, as_json=form is Form.JSON)
