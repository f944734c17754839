"""`bylaw audit`: the checklist over one rationale."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.options import AuditSet, Form


def audit(
    *,
    response: Annotated[
        Path, typer.Option(metavar="FILE|-", help="The rationale, - for standard input.")
    ],
    question: Annotated[
        str, typer.Option(metavar="TEXT", help="What the rationale answers, or the rule it judges.")
    ] = "",
    context: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="What the rationale was given: sources, or the subject."),
    ] = None,
    metadata: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="JSON or YAML: what is known of it, such as flags_present."
        ),
    ] = None,
    rule_set: Annotated[
        AuditSet | None,
        typer.Option(
            "--set",
            help="Rules for decisions in finance, the older ones for banking, or those for the"
            " reasoning of a review's DENY or ALLOW.",
            show_default="decision",
        ),
    ] = None,
    rules: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Rules of your own, in YAML.")
    ] = None,
    regulation: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID", help="Show only sources in this regulation, such as gdpr; repeatable."
        ),
    ] = None,
    assume_metadata: Annotated[
        bool,
        typer.Option("--assume-metadata", help="Take for granted what the metadata does not say."),
    ] = False,
    form: Annotated[Form, typer.Option("--format", help="How to print the audit.")] = Form.TEXT,
) -> None:
    """Audit a rationale by a checklist, without a model.

    Exits with 0 where it passes and 1 where it is flagged.
    """
    from bot.cli.auditing import Audited, print_audit  # noqa: PLC0415 - a command loads what it runs

    given = Audited(
        response, question, context, metadata, rule_set, rules, regulation or (), assume_metadata
    )
    raise typer.Exit(print_audit(given, as_json=form is Form.JSON))
