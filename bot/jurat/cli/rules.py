"""`jurat rules`: check, test, list, explain and rank rules."""

from __future__ import annotations

import datetime as dt
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from jurat.cli.options import RULES_DEFAULT, RULES_HELP, Form
from jurat.cli.rank import rank
from jurat.cli.rule_files import load_local_rules
from jurat.errors import UsageError
from jurat.facts.assembly import build_subjects
from jurat.reports.rule_docs import applies_to, how_decided, render_rules
from jurat.reports.text import console_for
from jurat.rules.config import Config
from jurat.rules.rule import Rule, RuleSet
from jurat.rules.selection import SelectionCriteria, select
from jurat.source.diff import Diff
from jurat.source.file_text import build_path_only_file
from jurat.source.visible_text import one_line

# `jurat rules explain` and `jurat rules docs`: rules as people read them.

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
    print_pages(paths)


# What `jurat rules explain` and `jurat rules docs` print.


@dataclass(frozen=True, slots=True)
class _RuleApplication:
    """What becomes of a rule in a change of one path."""

    path: str
    applies: bool
    reason: str


def print_explanation(
    rule_id: str, paths: Sequence[str], files: Sequence[Path] | None, *, as_json: bool
) -> None:
    """Print the rule, and whether it applies to each path. Raises UsageError for an unknown id."""
    corpus, configuration = load_local_rules(files)
    rule = corpus.rules.get(rule_id)
    if rule is None:
        close = get_close_matches(rule_id, corpus.rules, n=1, cutoff=0.6)
        meant = f"; did you mean {close[0]!r}?" if close else "."
        raise UsageError(
            f"No rule is called {rule_id!r}{meant}", hint="`jurat rules list` shows them all."
        )
    today = dt.datetime.now(dt.UTC).date()
    standings = [_standing(rule, path, corpus, configuration, today) for path in paths]
    if as_json:
        row = {**rule.model_dump(mode="json", exclude_defaults=True), "origin": rule.origin}
        found = [
            {"path": item.path, "applies": item.applies, "reason": item.reason}
            for item in standings
        ]
        sys.stdout.write(json.dumps({"rule": row, "paths": found}, indent=2) + "\n")
        return
    console = console_for(sys.stdout)
    for line in (*_about(rule), *_standings(standings)):
        console.print(line, soft_wrap=True)


def print_pages(files: Sequence[Path] | None) -> None:
    """Print all rules as one Markdown document."""
    corpus, _ = load_local_rules(files)
    sys.stdout.write(render_rules(corpus))


def _standing(
    rule: Rule, path: str, corpus: RuleSet, configuration: Config, today: dt.date
) -> _RuleApplication:
    context = build_subjects(
        Diff((build_path_only_file(path),)),
        surfaces=configuration.surfaces,
        ignored=configuration.ignore,
    )
    selection = select(context, corpus, SelectionCriteria.of(configuration), today)
    left_out = {item.rule.id: item.reason for item in selection.omitted}
    if rule.id in left_out:
        return _RuleApplication(path, applies=True, reason=f"not assessed: {left_out[rule.id]}")
    if any(chosen.id == rule.id for chosen in selection.rules):
        return _RuleApplication(path, applies=True, reason="")
    (reason,) = (item.reason for item in selection.inapplicable if item.rule.id == rule.id)
    return _RuleApplication(path, applies=False, reason=reason)


def _about(rule: Rule) -> Iterator[Text]:
    weight = f"  {rule.modality} {rule.severity} {rule.kind} {rule.maturity}"
    yield Text.assemble((rule.id, "bold cyan"), weight)
    yield Text(f"  {one_line(rule.statement)}")
    rows = [
        ("why", rule.rationale),
        ("decided", how_decided(rule)),
        ("applies to", applies_to(rule)),
        ("fix", rule.fix or ""),
        ("sources", ", ".join(rule.references)),
        ("written in", rule.origin),
    ]
    for name, text in rows:
        if text:
            yield Text.assemble((f"  {name:<11}", "dim"), one_line(text))


def _standings(standings: Sequence[_RuleApplication]) -> Iterator[Text]:
    for item in standings:
        said = "applies" if item.applies else "does not apply"
        style = "green" if item.applies else "yellow"
        reason = f": {one_line(item.reason)}" if item.reason else ""
        yield Text.assemble(f"{one_line(item.path)}  ", (said, style), reason)


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
    from jurat.cli.rule_files import check_rule_files  # noqa: PLC0415 - a command loads what it runs

    typer.echo(check_rule_files(paths))


@app.command("test")
def run_examples(paths: Paths = None) -> None:
    """Run the examples that rules carry: each must catch what is invalid and pass what is valid."""
    from jurat.cli.rule_files import run_rule_examples  # noqa: PLC0415 - as above

    raise typer.Exit(run_rule_examples(paths))


@app.command("list")
def list_rules(
    paths: Paths = None,
    form: Annotated[Form, typer.Option("--format", help="How to print the list.")] = Form.TEXT,
) -> None:
    """List rules with their severity, kind and statement."""
    from jurat.cli.rule_files import print_rules  # noqa: PLC0415 - as above

    print_rules(paths, as_json=form is Form.JSON)


app.command("explain")(explain)
app.command("docs")(docs)
app.command("rank")(rank)
