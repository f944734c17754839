"""Changes of one file, made from its texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from difflib import unified_diff
from typing import Any

from jurat.engine.check import CheckResult, check_rules
from jurat.facts.context import EvaluationContext, Subject, SubjectKind
from jurat.rules.loader import load_ruleset
from jurat.rules.rule import RuleSet
from jurat.rules.selection import Selection
from jurat.source.diff import FileChange
from jurat.source.diff_parser import parse_diff
from jurat.source.file_text import with_language
from jurat.source.functions import find_touched_functions
from jurat.source.parsing import ParseMap, parse_in_process


def changed(base: str, head: str, path: str = "app.py", *, whole: bool = True) -> FileChange:
    """A modified file, with its texts at hand or, unless `whole`, as its diff alone shows it."""
    (file,) = parse_diff("".join(_diff(base, head, path)).encode()).files
    if whole:
        file = with_language(replace(file, base=base, head=head))
    return replace(file, functions=find_touched_functions(file))


def added(head: str, path: str = "app.py") -> FileChange:
    """A file that is new."""
    return changed("", head, path)


def code(*files: FileChange, **facts: Any) -> EvaluationContext:
    """A context of one code change."""
    return EvaluationContext((Subject(SubjectKind.CODE_DIFF, files, facts),))


def facts(kind: SubjectKind = SubjectKind.EVENT, **values: Any) -> EvaluationContext:
    """A context of facts alone."""
    return EvaluationContext((Subject(kind, facts=values),))


def rules(text: str, **more: str) -> RuleSet:
    """The corpus of a list of rules in YAML. A rule that says nothing else is computed."""
    return load_ruleset({"rules.yml": f"rules:\n{text}", **more})


def rule_text(*lines: str, kind: str = "computational", **keys: str) -> str:
    """One rule in YAML, with keys that a test does not care about."""
    values = {
        "id": "test.rule",
        "statement": "A statement.",
        "kind": kind,
        "modality": "MUST",
        "severity": "HIGH",
        **keys,
    }
    body = [*(f"{key}: {value}" for key, value in values.items()), *lines]
    return "  - " + "\n    ".join(body) + "\n"


def decided(
    rule_set: RuleSet, context: EvaluationContext, parse_map: ParseMap = parse_in_process
) -> CheckResult:
    """All rules of the corpus, dispatched."""
    return check_rules(context, Selection(tuple(rule_set.rules.values())), rule_set, parse_map)


def _diff(base: str, head: str, path: str) -> Iterator[str]:
    lines = unified_diff(
        base.splitlines(keepends=True) if "\r" not in base else _kept(base),
        head.splitlines(keepends=True) if "\r" not in head else _kept(head),
        f"a/{path}",
        f"b/{path}",
    )
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _kept(text: str) -> list[str]:
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])
