"""The subcommands of `bylaw`, each imported when it is named. A new one is a line in `COMMANDS`."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group

if TYPE_CHECKING:
    from typer._click.core import Command

COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "review": "bot.cli.review:review_command",
        "rules": "bot.cli.rules:app",
        "serve": "bot.cli.serving:serve",
        "worker": "bot.cli.serving:work",
        "replay": "bot.cli.serving:replay",
        "db": "bot.cli.serving:database",
        "doctor": "bot.cli.doctor:doctor",
        "demo": "bot.cli.demo:demo",
        "audit": "bot.cli.audit:audit",
        "probe": "bot.cli.probe:app",
        "rate": "bot.cli.rate:rate_command",
    }
)
"""Where each subcommand is: a module, and in it a function or a Typer app. Help keeps the order."""


class CommandGroup(TyperGroup):
    """A group that knows its subcommands by name and imports the one that is used."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]  # Typer re-exports the context
        """Every subcommand, in the order of `COMMANDS`."""
        return list(COMMANDS)

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Command | None:  # type: ignore[override]  # as above
        """The subcommand of that name, None if there is none."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].partition(":")
        found = getattr(importlib.import_module(module), attribute)
        if isinstance(found, typer.Typer):
            group = get_group(found)
            group.name = cmd_name
            return group
        alone = typer.Typer(add_completion=False)
        alone.command(cmd_name)(found)
        return get_command(alone)
