"""`jurat lsp`: findings, explanations and fixes in an editor, as one types."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from jurat.cli.local_source import RulesFrom
from jurat.cli.review import Base, Packs, RulePaths
from jurat.errors import UsageError


def serve_editor(
    *,
    base: Base = None,
    rules: RulePaths = None,
    pack: Packs = None,
    rules_from: Annotated[
        RulesFrom,
        typer.Option(
            help="Whose rules and configuration judge: those that lie there, or the base's, as in"
            " a pull request."
        ),
    ] = RulesFrom.HEAD,
) -> None:
    """Tell an editor what is found while somebody types: a language server on standard input.

    Only rules that are decided without a model, and of one file at a time. No network is used.
    """
    try:
        from jurat.cli.editor import EditorArgs  # noqa: PLC0415 - a command loads what it runs
        from jurat.cli.language_server import build_server  # noqa: PLC0415 - as above
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise UsageError(
            "A language server needs pygls, which is not installed.",
            hint="Run: pip install 'jurat[lsp]'",
        ) from None
    added = tuple(Path(path).resolve() for path in rules or ())
    asked = EditorArgs(base, added, None if pack is None else tuple(pack), rules_from)
    # Copies: the server closes both at its end, and what anybody prints would break the protocol.
    with os.fdopen(os.dup(0), "rb") as questions, os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        build_server(asked).start_io(questions, answers)
