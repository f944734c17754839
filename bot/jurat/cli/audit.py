"""`jurat audit`: the checklist over one rationale."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, assert_never

import typer

from jurat.audit.banking import banking_rules
from jurat.audit.checklist import RuleSet
from jurat.audit.decision_rationales import decision_rationale_rules
from jurat.audit.verdict_rules import verdict_rationale_rules
from jurat.cli.options import AuditSet, Form
from jurat.errors import ExitCode, FileError, UsageError
from jurat.source.strict_yaml import parse_yaml
from jurat.source.visible_text import escape_json, to_terminal_text


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

    Exits with 0 if it passes and 1 if it is flagged.
    """
    given = AuditResult(
        response, question, context, metadata, rule_set, rules, regulation or (), assume_metadata
    )
    raise typer.Exit(print_audit(given, as_json=form is Form.JSON))


@dataclass(frozen=True, slots=True)
class AuditResult:
    """What the command line names: files by their paths, the rest as it was given."""

    response: Path
    question: str
    context: Path | None
    metadata: Path | None
    rule_set: AuditSet | None
    rules: Path | None
    regulations: Sequence[str]
    assume_metadata: bool


def print_audit(given: AuditResult, *, as_json: bool) -> ExitCode:
    """Print the audit on standard output. Raises UsageError or FileError on bad input."""
    rule_set = _choose_rule_set(given)
    metadata = _read_metadata(given.metadata)
    response = _read(given.response, "--response")
    if not response.strip():
        raise UsageError(
            f"--response: {_format_path(given.response)} is empty.",
            hint="There is nothing to audit.",
        )
    result = rule_set.evaluate(
        question=given.question,
        response=response,
        context=_read(given.context, "--context") if given.context is not None else None,
        metadata=metadata,
        assume_metadata=given.assume_metadata,
    )
    text = (
        escape_json(json.dumps({"rule_set": rule_set.name, **asdict(result)}, indent=2))
        if as_json
        else to_terminal_text(result.audit_explanation)
    )
    sys.stdout.write(f"{text}\n")
    return ExitCode.FINDINGS if result.flagged else ExitCode.PASSED


def _choose_rule_set(given: AuditResult) -> RuleSet:
    if given.rules is not None:
        if given.rule_set is not None:
            raise UsageError("--rules and --set exclude each other.", hint="Give one of them.")
        from jurat.audit.custom import load_rule_set  # noqa: PLC0415 - for files of rules alone

        return load_rule_set(str(given.rules), _read(given.rules, "--rules"))
    if given.regulations and given.rule_set not in (None, AuditSet.DECISION):
        raise UsageError("--regulation belongs to the set decision.", hint="Leave one out.")
    match given.rule_set:
        case AuditSet.BANKING:
            return banking_rules()
        case AuditSet.DENY | AuditSet.ALLOW:
            return verdict_rationale_rules(given.rule_set.value.upper())
        case AuditSet.DECISION | None:
            return _build_decision_rules(given.regulations)
        case _:
            assert_never(given.rule_set)


def _build_decision_rules(regulations: Sequence[str]) -> RuleSet:
    try:
        return decision_rationale_rules(regulations=tuple(regulations))
    except ValueError as error:
        raise UsageError(f"--regulation: {error}.") from None


def _read_metadata(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    # JSON is YAML, but for what no metadata holds.
    data = parse_yaml(_read(path, "--metadata"), str(path), FileError).data
    if not isinstance(data, dict):
        hint = "Such as {flags_present: [AML], audit_logged: true}."
        raise FileError(str(path), 1, "", "must hold a mapping of names to values", hint=hint)
    return data


def _read(path: Path, option: str) -> str:
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"{option}: {path} cannot be read: {error.strerror}.",
            hint=f"See `jurat audit --help` for what {option} takes.",
        ) from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileError(_format_path(path), line, "", "is not UTF-8 text") from None


def _format_path(path: Path) -> str:
    return "standard input" if str(path) == "-" else str(path)
