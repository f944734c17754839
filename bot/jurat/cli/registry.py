"""The subcommands of `jurat`, each imported when it is named. A new one is a line in `COMMANDS`."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from pkgutil import resolve_name
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group

if TYPE_CHECKING:
    from typer._click.core import Command


COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "review": "jurat.cli.review:review_command",
        "init": "jurat.cli.init:write_first_config",
        "rules": "jurat.cli.rules:app",
        "lsp": "jurat.cli.lsp:serve_editor",
        "serve": "jurat.cli.serve:serve",
        "worker": "jurat.cli.serve:work",
        "replay": "jurat.cli.serve:replay",
        "db": "jurat.cli.serve:database",
        "forget": "jurat.cli.forget:forget",
        "doctor": "jurat.cli.serve:doctor",
        "demo": "jurat.cli.demo:demo",
        "audit": "jurat.cli.audit:audit",
        "probe": "jurat.cli.probe:app",
        "rate": "jurat.cli.rate:rate_command",
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
        found = _load_command(COMMANDS[cmd_name])
        if isinstance(found, typer.Typer):
            group = get_group(found)
            group.name = cmd_name
            return group
        alone = typer.Typer(add_completion=False)
        alone.command(cmd_name)(found)
        return get_command(alone)


def _load_command(name: str) -> Any:
    # Of what a module makes as it loads nothing is garbage, and looking for some takes a tenth of a
    # start. Frozen, it is not looked at later either: at once, for all that was made by then.
    gc.disable()
    try:
        return resolve_name(name)
    finally:
        gc.freeze()
        gc.enable()
