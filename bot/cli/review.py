"""`bylaw review`: review a checkout, a diff or facts, and say what was found."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.options import FailOn, ReportFormat
from bot.subjects.kinds import SubjectKind

Folder = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="The checkout to review.", show_default="the one around here"),
]
Base = Annotated[
    str | None,
    typer.Option(
        metavar="REF",
        help="Review what has changed since the merge base with this branch, tag or commit.",
        show_default="origin/HEAD, else main, else master",
    ),
]
Head = Annotated[
    str | None,
    typer.Option(
        metavar="REF",
        help="Review up to this commit.",
        show_default="the work tree, uncommitted work included",
    ),
]
Diff = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|-",
        help="Review a unified diff instead, - for standard input. Needs no checkout.",
    ),
]
FactsFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Judge these facts, as JSON or YAML; alone, or together with a change.",
    ),
]
Kind = Annotated[
    SubjectKind | None,
    typer.Option(
        metavar="KIND",
        help=f"What is judged, where `surfaces:` does not say: {', '.join(SubjectKind)}.",
        show_default="code_diff; of facts what the rules that compute with them are about, else "
        "decision",
    ),
]
Intent = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT", help="What the change is for.", show_default="its commit messages"
    ),
]
RulePaths = Annotated[
    list[Path] | None,
    typer.Option(metavar="PATH", help="Add a rule file, or a folder of them, to those in force."),
]
Packs = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME|none",
        help="Use these shipped packs, or none of them.",
        show_default="what .github/bylaw.yml says, else engineering",
    ),
]


def review_command(
    *,
    repo: Folder = None,
    base: Base = None,
    head: Head = None,
    diff: Diff = None,
    facts: FactsFile = None,
    subject: Kind = None,
    intent: Intent = None,
    rules: RulePaths = None,
    pack: Packs = None,
    form: Annotated[
        ReportFormat, typer.Option("--format", help="How to print the review.")
    ] = ReportFormat.TEXT,
    fail_on: Annotated[
        FailOn, typer.Option(help="The weakest verdict that makes the exit code 1.")
    ] = FailOn.DENY,
) -> None:
    """Review what has changed, against the rules in force.

    Exit codes: 0 passed, 1 findings at or above --fail-on, 2 usage or configuration error,
    3 the review could not be completed; what was found is printed all the same.
    """
    # What a review makes lives until its end, so that looking for garbage finds none.
    gc.disable()
    from bot.cli.local_review import Asked, run  # noqa: PLC0415 - a command loads what it runs

    asked = Asked(
        folder=repo,
        base=base,
        head=head,
        diff=diff,
        facts=facts,
        kind=subject,
        intent=intent,
        rules=tuple(rules or ()),
        packs=None if pack is None else tuple(pack),
    )
    raise typer.Exit(run(asked, form, fail_on))
