"""`jurat rules`: write, check, try, list, explain, rank and backtest rules, and list laws."""

from __future__ import annotations

import datetime as dt
import json
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from pkgutil import resolve_name
from typing import Annotated

import typer
from rich.text import Text

from jurat.cli.backtest import backtest_command
from jurat.cli.law import list_law
from jurat.cli.new_rule import write_rule
from jurat.cli.options import RULES_DEFAULT, RULES_HELP, Form, RuleCheckFormat
from jurat.cli.rank import rank
from jurat.cli.rule_files import (
    CONFIGURATION_PATH,
    NO_CONFIGURATION,
    load_local_ruleset,
    read_worktree_attributes,
    read_worktree_config,
)
from jurat.engine.rule_examples import ExampleFailure, is_runnable, run_examples
from jurat.engine.rule_mutations import MutationScore, score_mutants
from jurat.errors import (
    ExitCode,
    FileError,
    IncompleteError,
    RuleError,
    UsageError,
)
from jurat.facts.assembly import build_subjects
from jurat.reports.answer import MeritAnswer
from jurat.reports.counts import pluralize
from jurat.reports.formats import RULE_CHECK_FORMATS
from jurat.reports.rule_docs import describe_applicability, describe_how_decided, render_rules
from jurat.reports.text import build_console
from jurat.rules.config import Config
from jurat.rules.enforcement import apply_levels
from jurat.rules.files import read_rule_files, read_text
from jurat.rules.loader import load_ruleset
from jurat.rules.messages import list_written_messages
from jurat.rules.rule import Rule, RuleSet
from jurat.rules.schemas import SchemaName, build_schema
from jurat.rules.selection import SelectionCriteria, select_applicable
from jurat.rules.vocabulary import with_known_authorities
from jurat.source.diff import Diff
from jurat.source.file_text import build_path_only_file
from jurat.source.strict_yaml import parse_yaml
from jurat.source.unwritten import Unwritten
from jurat.source.visible_text import escape_json, to_terminal_line

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
    *,
    site: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write a folder of pages with a search instead."),
    ] = None,
) -> None:
    """Print the rules as one Markdown page, or write them as a site, with their examples."""
    if site is None:
        print_pages(paths)
    else:
        from jurat.cli.rule_pages import write_site  # noqa: PLC0415 - few ask for it

        write_site(load_rules_at(paths), site)


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
    rule_set, configuration = load_local_rules(files)
    rule_set = apply_levels(rule_set, configuration)
    rule = rule_set.rules.get(rule_id)
    if rule is None:
        close = get_close_matches(rule_id, rule_set.rules, n=1, cutoff=0.6)
        meant = f"; did you mean {close[0]!r}?" if close else "."
        raise UsageError(
            f"No rule is called {rule_id!r}{meant}", hint="`jurat rules list` shows them all."
        )
    today = dt.datetime.now(dt.UTC).date()
    change = Diff(tuple(map(build_path_only_file, paths)))
    said = Unwritten(read_worktree_attributes(Path.cwd(), change))
    applications = [
        _explain_for_path(rule, path, rule_set, configuration, today, unwritten=said)
        for path in paths
    ]
    if as_json:
        row = {
            **rule.model_dump(mode="json", exclude_defaults=True),
            "origin": rule.origin,
            "level": rule.enforcement.level.value,
            "level_reason": rule.enforcement.reason,
        }
        if rule.merit is not None:
            row["merit"] = MeritAnswer.build(rule.merit).model_dump(mode="json")
        found = [
            {"path": item.path, "applies": item.applies, "reason": item.reason}
            for item in applications
        ]
        document = json.dumps({"rule": row, "paths": found}, indent=2)
        sys.stdout.write(escape_json(document) + "\n")
        return
    console = build_console(sys.stdout)
    for line in (*_describe_rule(rule), *_render_applications(applications)):
        console.print(line, soft_wrap=True)


def print_pages(files: Sequence[Path] | None) -> None:
    """Print all rules as one Markdown document."""
    rule_set, _ = load_local_rules(files)
    sys.stdout.write(render_rules(rule_set))


def _explain_for_path(
    rule: Rule,
    path: str,
    rule_set: RuleSet,
    configuration: Config,
    today: dt.date,
    *,
    unwritten: Unwritten,
) -> _RuleApplication:
    context = build_subjects(
        Diff((build_path_only_file(path),)),
        unwritten=unwritten,
        surfaces=configuration.surfaces,
        ignored=configuration.ignore,
    )
    if path in context.ignored:
        return _RuleApplication(path, applies=False, reason="the configuration ignores this path")
    selection = select_applicable(context, rule_set, SelectionCriteria.of(configuration), today)
    left_out = {item.rule.id: item.reason for item in selection.omitted}
    if rule.id in left_out:
        return _RuleApplication(path, applies=True, reason=f"not assessed: {left_out[rule.id]}")
    if any(chosen.id == rule.id for chosen in selection.rules):
        return _RuleApplication(path, applies=True, reason="")
    (reason,) = (item.reason for item in selection.inapplicable if item.rule.id == rule.id)
    if why := unwritten.explain(path, None):
        reason = f"nobody writes this file by hand: {why}"
    return _RuleApplication(path, applies=False, reason=reason)


def _describe_rule(rule: Rule) -> Iterator[Text]:
    weight = f"  {rule.modality} {rule.severity} {rule.kind} {rule.maturity}"
    yield Text.assemble((rule.id, "bold cyan"), weight)
    yield Text(f"  {to_terminal_line(rule.statement)}")
    rows = [
        ("why", rule.rationale),
        ("decided", describe_how_decided(rule)),
        ("applies to", describe_applicability(rule)),
        ("level", f"{rule.enforcement.level}: {rule.enforcement.reason}"),
        ("says", " · ".join(list_written_messages(rule))),
        ("fix", rule.fix or ""),
        ("known as", ", ".join(rule.also_known_as)),
        ("sources", ", ".join(rule.references)),
        ("written in", rule.origin),
    ]
    for name, text in rows:
        if text:
            yield Text.assemble((f"  {name:<11}", "dim"), to_terminal_line(text))


def _render_applications(applications: Sequence[_RuleApplication]) -> Iterator[Text]:
    for item in applications:
        said = "applies" if item.applies else "does not apply"
        style = "green" if item.applies else "yellow"
        reason = f": {to_terminal_line(item.reason)}" if item.reason else ""
        yield Text.assemble(f"{to_terminal_line(item.path)}  ", (said, style), reason)


_SHOWN_LINES = 5
"""Lines shown of an example that failed."""

app = typer.Typer(
    help="Write, check, test, list, explain, rank and backtest rules; list laws.",
    no_args_is_help=True,
)


Paths = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="PATH",
        help=RULES_HELP,
        show_default=RULES_DEFAULT,
    ),
]


@app.command("check")
def check_rules(
    paths: Paths = None,
    form: Annotated[
        RuleCheckFormat, typer.Option("--format", help="How to print what is wrong.")
    ] = RuleCheckFormat("text"),
) -> None:
    """Check that rule files can be loaded; each error is one line with its file and line."""
    write = resolve_name(RULE_CHECK_FORMATS[form])
    try:
        write(check_rule_files(paths), (), sys.stdout)
    except FileError as error:
        if form == "text":
            raise  # to standard error, as every command says it
        write("", (error, *error.others), sys.stdout)
        raise typer.Exit(error.exit_code) from None


@app.command("schema")
def print_schema(
    name: Annotated[SchemaName, typer.Argument(help="Of which file.")] = SchemaName.RULES,
) -> None:
    """Print the JSON Schema of rule files or of the configuration, for editors."""
    sys.stdout.write(json.dumps(build_schema(name), indent=2) + "\n")


@app.command("test")
def run_tests(paths: Paths = None) -> None:
    """Run the examples that rules carry: each must catch what is invalid and pass what is valid."""
    raise typer.Exit(run_rule_examples(paths))


@app.command("mutate")
def try_disguises(paths: Paths = None) -> None:
    """Disguise the examples that rules carry, and say how many each still treats as it should."""
    raise typer.Exit(print_mutation_scores(paths))


@app.command("list")
def list_rules(
    paths: Paths = None,
    form: Annotated[Form, typer.Option("--format", help="How to print the list.")] = Form.TEXT,
) -> None:
    """List rules with their severity, kind and statement."""
    print_rules(paths, as_json=form is Form.JSON)


app.command("new")(write_rule)
app.command("explain")(explain)
app.command("docs")(docs)
app.command("rank")(rank)
app.command("backtest")(backtest_command)
app.command("law")(list_law)


def load_rules_at(paths: Sequence[Path] | None) -> RuleSet:
    """The rules of `load_local_rules`."""
    return load_local_rules(paths)[0]


def load_local_rules(paths: Sequence[Path] | None) -> tuple[RuleSet, Config]:
    """The rules in `paths`; without any, those that the nearest configuration around here names.

    As they lie there, not as in the base: whoever edits rules wants to know of these. With `paths`
    the configuration is the default.
    """
    if paths:
        return with_known_authorities(load_ruleset(read_rule_files(paths))), Config()
    here = Path.cwd()
    root = next((up for up in (here, *here.parents) if (up / CONFIGURATION_PATH).is_file()), None)
    if root is None:
        return load_local_ruleset(NO_CONFIGURATION)
    file, own = read_worktree_config(root)
    return load_local_ruleset(file, own)


def check_rule_files(paths: Sequence[Path] | None) -> str:
    """One line on what was loaded. Raises FileError if anything cannot be."""
    rule_set = load_rules_at(paths)
    rules, files = pluralize(len(rule_set), "rule"), pluralize(_files(rule_set), "file")
    return f"{rules} in {files} can be loaded."


def run_rule_examples(paths: Sequence[Path] | None) -> ExitCode:
    """Print each example that its rule does not treat as it says, and how many there were."""
    rule_set = load_rules_at(paths)
    failures = run_examples(rule_set)
    for failure in failures:
        for line in _describe_failure(failure):
            print(to_terminal_line(line), file=sys.stderr)  # noqa: T201 - a command speaks by printing
    examples = sum(
        len(rule.examples.valid) + len(rule.examples.invalid)
        for rule in rule_set.rules.values()
        if is_runnable(rule)
    )
    if not examples:
        raise IncompleteError(
            f"Nothing was tested: {pluralize(len(rule_set), 'rule')}, and no example to run.",
            hint="Give a rule that a computer decides `examples:`; see docs/rules.md.",
        )
    outcome = f"{pluralize(len(failures), 'example')} failed" if failures else "all as they say"
    ran = f"{pluralize(examples, 'example')} of {pluralize(len(rule_set), 'rule')}: {outcome}."
    print(ran)  # noqa: T201 - as above
    return ExitCode.FINDINGS if failures else ExitCode.PASSED


def _describe_failure(failure: ExampleFailure) -> Iterator[str]:
    """Where the example stands and what is wrong with it, then its own first lines."""
    path, _, line = failure.rule.origin.rpartition(":")
    if Path(path).is_file():
        document = parse_yaml(read_text(Path(path)), path, RuleError)
        ids = [entry.get("id") for entry in document.data["rules"]]
        where = ("rules", ids.index(failure.rule.id), "examples", failure.kind, failure.index)
        line = str(document.line(where))
    yield f"{path}:{line}: {failure.rule.id}: {failure.example} {failure.problem}"
    lines = failure.text.splitlines()
    yield from (f"| {text}" for text in lines[:_SHOWN_LINES])
    if len(lines) > _SHOWN_LINES:
        yield "| …"


def print_mutation_scores(paths: Sequence[Path] | None) -> ExitCode:
    """Print what each rule makes of its disguised examples, and what it gets wrong."""
    rule_set = load_rules_at(paths)
    scores = [score_mutants(rule, rule_set) for rule in rule_set.rules.values()]
    tried = [score for score in scores if score.invalid or score.valid]
    if not tried:
        raise IncompleteError(
            f"Nothing was tried: {pluralize(len(rule_set), 'rule')}, and no example to disguise.",
            hint="Give a rule that a computer decides `examples:`; see docs/rules.md.",
        )
    for score in tried:
        print(to_terminal_line(_describe_score(score)))  # noqa: T201 - a command speaks by printing
        for word, mutants in (("missed", score.missed), ("fooled by", score.fooled)):
            for mutant in mutants:
                line = f"  {word} {mutant.example}: {mutant.disguise}"
                print(to_terminal_line(line))  # noqa: T201 - as above
    invalid, valid = sum(one.invalid for one in tried), sum(one.valid for one in tried)
    caught, fooled = sum(one.caught for one in tried), sum(len(one.fooled) for one in tried)
    rules = pluralize(len(tried), "rule")
    print(f"{rules}: caught {caught} of {invalid}, fooled by {fooled} of {valid}.")  # noqa: T201
    return ExitCode.FINDINGS if caught < invalid or fooled else ExitCode.PASSED


def _describe_score(score: MutationScore) -> str:
    return (
        f"{score.rule.id}: caught {score.caught} of {score.invalid}, "
        f"fooled by {len(score.fooled)} of {score.valid}"
    )


def print_rules(paths: Sequence[Path] | None, *, as_json: bool) -> None:
    """Print the rules, each with its statement below it, or as JSON."""
    rules = list(load_rules_at(paths).rules.values())
    if as_json:
        print(escape_json(json.dumps([_row(rule) for rule in rules], indent=2)))  # noqa: T201 - as above
        return
    console = build_console(sys.stdout)
    for rule in rules:
        shadow = ", shadow" if rule.shadow else ""
        heading = Text.assemble((rule.id, "bold cyan"), f"  {rule.severity} {rule.kind}{shadow}")
        console.print(heading, soft_wrap=True)
        for line in textwrap.wrap(to_terminal_line(rule.statement), console.width - 4):
            console.print(Text(f"    {line}"), soft_wrap=True)


def _row(rule: Rule) -> dict[str, object]:
    return {**rule.model_dump(mode="json", exclude_defaults=True), "origin": rule.origin}


def _files(rule_set: RuleSet) -> int:
    """How many files the rules stand in; an origin is `path:line`."""
    return len({rule.origin.rpartition(":")[0] for rule in rule_set.rules.values()})
