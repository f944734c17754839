"""What `bylaw audit` reads and prints."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bot.cli.options import AuditSet
from bot.errors import ExitCode, FileError, UsageError
from bot.rationale.banking import banking_rules
from bot.rationale.checklist import RuleSet
from bot.rationale.decisions import decision_rationale_rules
from bot.rationale.verdicts import verdict_rationale_rules
from bot.subjects.strict_yaml import parse_yaml


@dataclass(frozen=True, slots=True)
class Audited:
    """What the command line names: files by their paths, the rest as it was given."""

    response: Path
    question: str
    context: Path | None
    metadata: Path | None
    rule_set: AuditSet | None
    rules: Path | None
    regulations: Sequence[str]
    assume_metadata: bool


def print_audit(given: Audited, *, as_json: bool) -> ExitCode:
    """Print the audit on standard output. Raises UsageError or FileError on bad input."""
    rule_set = _rule_set(given)
    metadata = _metadata(given.metadata)
    response = _read(given.response, "--response")
    if not response.strip():
        raise UsageError(
            f"--response: {_called(given.response)} is empty.", hint="There is nothing to audit."
        )
    result = rule_set.evaluate(
        question=given.question,
        response=response,
        context=_read(given.context, "--context") if given.context is not None else None,
        metadata=metadata,
        assume_metadata=given.assume_metadata,
    )
    text = (
        json.dumps({"rule_set": rule_set.name, **asdict(result)}, indent=2)
        if as_json
        else result.audit_explanation
    )
    sys.stdout.write(f"{text}\n")
    return ExitCode.FINDINGS if result.flagged else ExitCode.PASSED


def _rule_set(given: Audited) -> RuleSet:
    if given.rules is not None:
        if given.rule_set is not None:
            raise UsageError("--rules and --set exclude each other.", hint="Give one of them.")
        from bot.rationale.custom import load_rule_set  # noqa: PLC0415 - for files of rules alone

        return load_rule_set(str(given.rules), _read(given.rules, "--rules"))
    if given.regulations and given.rule_set not in (None, AuditSet.DECISION):
        raise UsageError("--regulation belongs to the set decision.", hint="Leave one out.")
    match given.rule_set:
        case AuditSet.BANKING:
            return banking_rules()
        case AuditSet.DENY | AuditSet.ALLOW:
            return verdict_rationale_rules(given.rule_set.value.upper())
        case _:
            return _decision_rules(given.regulations)


def _decision_rules(regulations: Sequence[str]) -> RuleSet:
    try:
        return decision_rationale_rules(regulations=tuple(regulations))
    except ValueError as error:
        raise UsageError(f"--regulation: {error}.") from None


def _metadata(path: Path | None) -> dict[str, Any]:
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
        raise UsageError(f"{option}: {path} cannot be read: {error.strerror}.") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileError(_called(path), line, "", "is not UTF-8 text") from None


def _called(path: Path) -> str:
    return "standard input" if str(path) == "-" else str(path)
