"""`bylaw rules explain` and `bylaw rules docs`: rules as people read them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.options import RULES_DEFAULT, RULES_HELP, Form

Rules = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="PATH",
        help=RULES_HELP,
        show_default=RULES_DEFAULT,
    ),
]


def explain(
    rule: Annotated[str, typer.Argument(metavar="RULE", help="The rule's id.")],
    *,
    path: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Say whether the rule applies to a change of this file."),
    ] = None,
    rules: Rules = None,
    form: Annotated[
        Form, typer.Option("--format", help="How to print the explanation.")
    ] = Form.TEXT,
) -> None:
    """Say what a rule demands, how it is decided, and why it applies to a file or does not."""
    from bot.cli.explained import print_explanation  # noqa: PLC0415 - a command loads what it runs

    print_explanation(rule, path or [], rules, as_json=form is Form.JSON)


def docs(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATH",
            help=RULES_HELP,
            show_default=RULES_DEFAULT,
        ),
    ] = None,
) -> None:
    """Print the rules as one Markdown page, with their examples."""
    from bot.cli.explained import print_pages  # noqa: PLC0415 - as above

    print_pages(paths)
