"""`bylaw rules`: check, test, list, explain and rank rules."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.explain import docs, explain
from bot.cli.options import RULES_DEFAULT, RULES_HELP, Form
from bot.cli.rank import rank

app = typer.Typer(help="Check, test, list, explain and rank rules.", no_args_is_help=True)


Paths = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="PATH",
        help=RULES_HELP,
        show_default=RULES_DEFAULT,
    ),
]


@app.command("check")
def check_rules(paths: Paths = None) -> None:
    """Check that rule files can be loaded; each error is one line with its file and line."""
    from bot.cli.rule_files import checked  # noqa: PLC0415 - a command loads what it runs

    typer.echo(checked(paths))


@app.command("test")
def run_examples(paths: Paths = None) -> None:
    """Run the examples that rules carry: each must catch what is invalid and pass what is valid."""
    from bot.cli.rule_files import tested  # noqa: PLC0415 - as above

    raise typer.Exit(tested(paths))


@app.command("list")
def list_rules(
    paths: Paths = None,
    form: Annotated[Form, typer.Option("--format", help="How to print the list.")] = Form.TEXT,
) -> None:
    """List rules with their severity, kind and statement."""
    from bot.cli.rule_files import listed  # noqa: PLC0415 - as above

    listed(paths, as_json=form is Form.JSON)


app.command("explain")(explain)
app.command("docs")(docs)
app.command("rank")(rank)
