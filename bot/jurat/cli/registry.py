"""The subcommands of `jurat`, each imported when it is used. A new one is a line in `COMMANDS`."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from pkgutil import resolve_name
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

if TYPE_CHECKING:
    from typer._click.core import Command


class Subcommand(NamedTuple):
    """Where a subcommand is: a module, and in it a function or a Typer app. And what it `does`.

    `does` is the first sentence of its own help, so that the list of all loads none.
    """

    target: str
    does: str


COMMANDS: Mapping[str, Subcommand] = MappingProxyType(
    {
        "demo": Subcommand(
            "jurat.cli.demo:demo",
            "Show a review from webhook to suggestions, with no key and no network.",
        ),
        "review": Subcommand(
            "jurat.cli.review:review_command",
            "Review what has changed, against the rules in force.",
        ),
        "rate": Subcommand(
            "jurat.cli.rate:rate_command",
            "Rate a checkout against regulations: what its code shows of each clause.",
        ),
        "init": Subcommand(
            "jurat.cli.init:write_first_config",
            "Write a first .github/jurat.yml, with levels that would have blocked nothing merged.",
        ),
        "rules": Subcommand(
            "jurat.cli.rules:app",
            "Write, check, test, list, explain, rank and backtest rules; list laws.",
        ),
        "lsp": Subcommand(
            "jurat.cli.lsp:serve_editor",
            "Tell an editor what is found while somebody types: a language server on standard"
            " input.",
        ),
        "serve": Subcommand(
            "jurat.cli.serve:serve", "Receive GitHub's events and review pull requests."
        ),
        "worker": Subcommand(
            "jurat.cli.serve:work", "Run jobs that `jurat serve --no-worker` takes on."
        ),
        "doctor": Subcommand(
            "jurat.cli.serve:doctor",
            "Check the App on GitHub, its webhook, the required check, the model, database and job"
            " loop.",
        ),
        "replay": Subcommand(
            "jurat.cli.serve:replay", "Do again what an event asked for, as GitHub remembers it."
        ),
        "forget": Subcommand(
            "jurat.cli.forget:forget",
            "Delete all that is kept of a repository in the database at DATABASE_URL.",
        ),
        "db": Subcommand("jurat.cli.serve:database", "Look after the database."),
        "audit": Subcommand(
            "jurat.cli.audit:audit", "Audit a rationale by a checklist, without a model."
        ),
        "probe": Subcommand(
            "jurat.cli.probe:app",
            "Measure how safely a judge behaves before it may gate changes.",
        ),
    }
)
"""The subcommands by their names. Help keeps the order."""


class CommandGroup(TyperGroup):
    """A group that lists its subcommands by name and imports the one that is used."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]  # Typer re-exports the context
        """Every subcommand, in the order of `COMMANDS`."""
        return list(COMMANDS)

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Command | None:  # type: ignore[override]  # as above
        """A subcommand as a list of all shows it, None if there is none. It cannot be run."""
        known = COMMANDS.get(cmd_name)
        return TyperCommand(cmd_name, help=known.does) if known else None

    def resolve_command(  # type: ignore[override]  # as above
        self, ctx: typer.Context, args: list[str]
    ) -> tuple[str | None, Command | None, list[str]]:
        """The subcommand that is used, which is loaded, and what is left of the arguments."""
        name, listed, rest = super().resolve_command(ctx, args)
        return name, listed and load_command(str(name)), rest


def load_command(name: str) -> Command:
    """The subcommand of a name in `COMMANDS`."""
    found = _load_target(COMMANDS[name].target)
    if isinstance(found, typer.Typer):
        group = get_group(found)
        group.name = name
        return group
    alone = typer.Typer(add_completion=False)
    alone.command(name)(found)
    return get_command(alone)


def _load_target(target: str) -> Any:
    # Of what a module makes as it loads nothing is garbage, and looking for some takes a tenth of a
    # start. Frozen, it is not looked at later either: at once, for all that was made by then.
    gc.disable()
    try:
        return resolve_name(target)
    finally:
        gc.freeze()
        gc.enable()
