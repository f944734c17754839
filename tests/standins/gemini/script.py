"""The careful judge that the stand-in plays: a table of patterns, read against the material.

What the table does not know it allows. Control rules it answers by reading their text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from string import Template
from typing import Any, Literal

import re2
import yaml
from pydantic import BaseModel, ConfigDict

from jurat.judge.control_rules import ControlRule, load_control_rules
from jurat.judge.twins import is_broken_example
from jurat.resources import get_bundled_path
from jurat.rules.loader import load_ruleset, read_pack
from jurat.rules.rule import Rule
from tests.standins.gemini.reading import Asked, ListedRule, Shown, ShownLine

Verdict = dict[str, Any]
"""One entry of a reply's `verdicts`."""

Function = Callable[[Asked, ListedRule], Verdict]
"""Judges one rule of one prompt."""


class ScriptedFix(BaseModel):
    r"""A fix: what `find` (RE2) matches in the quote becomes `replacement` (`\1` for a group)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    type: str
    find: str
    replacement: str


class Entry(BaseModel):
    """What the judge says where `pattern` (RE2) matches a line that the change adds.

    In the texts $path, $line, $quote and $statement stand for what was found.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    pattern: str
    paths: str = ""
    verdict: Literal["DENY", "NEEDS_CONFIRMATION"] = "DENY"
    confidence: float = 0.93
    reasoning: str
    issue: str
    fix_suggestion: str = ""
    remediation: ScriptedFix | None = None


class Script(BaseModel):
    """Entries by rule id, as fixtures/demo/judge.yml has them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: Literal[1] = 1
    rules: Mapping[str, tuple[Entry, ...]] = {}


def load_script(path: Path | None = None) -> Script:
    """The script of a file, or the demo's."""
    text = (path or get_bundled_path("fixtures", "demo", "judge.yml")).read_text(encoding="utf-8")
    return Script.model_validate(yaml.safe_load(text))


def reply(asked: Asked, script: Script, functions: Mapping[str, Function]) -> dict[str, Any]:
    """The whole reply: one verdict for each rule listed, in their order."""
    return {"verdicts": [_judged(asked, rule, script, functions) for rule in asked.rules]}


def _judged(
    asked: Asked, rule: ListedRule, script: Script, functions: Mapping[str, Function]
) -> Verdict:
    if rule.id in functions:
        return functions[rule.id](asked, rule)
    if control := control_of(rule):
        return _control_verdict(asked, rule, control)
    if twin := _twin_verdict(asked, rule):
        return twin
    for sibling in asked.rules:
        if sibling.statement == rule.statement and sibling.id in functions:
            return functions[sibling.id](asked, rule)
    found = [
        (entry, shown, line)
        for entry in script.rules.get(rule.id, ())
        for shown, line in _matching(asked.about(rule), entry)
    ]
    if not found:
        return allowed(asked, rule)
    entry = found[0][0]
    values = _values(rule, *found[0][1:])
    return {
        "rule": rule.id,
        "reasoning": Template(entry.reasoning).safe_substitute(values),
        "findings": [
            finding(asked, shown, line, item.remediation)
            for item, shown, line in found
            if item.verdict == entry.verdict
        ],
        "verdict": entry.verdict,
        "confidence": entry.confidence,
        "issue": Template(entry.issue).safe_substitute(values),
        "fix_suggestion": Template(entry.fix_suggestion).safe_substitute(values),
    }


def _matching(parts: Sequence[Shown], entry: Entry) -> Iterator[tuple[Shown, ShownLine]]:
    for shown in parts:
        if entry.paths and not re2.search(entry.paths, shown.label):
            continue
        for line in shown.lines:
            if line.added and re2.search(entry.pattern, line.text):
                yield shown, line


def _values(rule: ListedRule, shown: Shown, line: ShownLine) -> dict[str, str]:
    return {
        "path": shown.label,
        "line": "?" if line.line is None else str(line.line),
        "quote": line.text.strip(),
        "statement": rule.statement,
    }


def finding(
    asked: Asked, shown: Shown, line: ShownLine, fix: ScriptedFix | None = None
) -> dict[str, Any]:
    """A finding that quotes a whole line, without its indentation."""
    quote = line.text.strip()
    given: dict[str, Any] = {asked.source_field: shown.label, "quote": quote, "why": ""}
    if fix is not None:
        replacement = re2.sub(fix.find, fix.replacement, quote)
        given["remediation"] = {"type": fix.type, "replacement": replacement}
    return given


def allowed(asked: Asked, rule: ListedRule) -> Verdict:
    """A rule that nothing in the material breaks."""
    parts = asked.about(rule)
    added = (line.text.strip() for shown in parts for line in shown.lines if line.added)
    place = parts[0].label if parts else "the material"
    # A reason that says only what the rule says is none: see jurat.audit.bearing.
    quoted = f', "{text}" among it,' if (text := next(filter(None, added), "")) else ""
    return {
        "rule": rule.id,
        "reasoning": f"In {place}{quoted} nothing breaks it: {rule.statement}",
        "findings": [],
        "checked": [place],
        "verdict": "ALLOW",
        "confidence": 0.9,
        "issue": "",
        "fix_suggestion": "",
    }


@cache
def _known_controls() -> Mapping[str, ControlRule]:
    return {item.statement: item for items in load_control_rules().values() for item in items}


def control_of(rule: ListedRule) -> ControlRule | None:
    """The specimen that a listed rule was made of, if it is a control."""
    return _known_controls().get(rule.statement)


@cache
def _known_rules() -> Mapping[str, Rule]:
    rules = load_ruleset(read_pack("engineering")).rules.values()
    return {" ".join(rule.statement.split()): rule for rule in rules}


def is_twin(asked: Asked, rule: ListedRule) -> bool:
    """Whether a listed rule says what another does, and is none that ships."""
    known = _known_rules().get(rule.statement)
    return known is not None and rule.id != known.id


def _twin_verdict(asked: Asked, rule: ListedRule) -> Verdict | None:
    """The verdict on code made of a shipped rule's examples, known by its form."""
    if not is_twin(asked, rule):
        return None
    for shown in asked.about(rule):
        code = "\n".join(line.text for line in shown.lines)
        if is_broken_example(_known_rules()[rule.statement], code):
            return denied(asked, rule, shown, shown.lines[0])
    return allowed(asked, rule)


def _control_verdict(asked: Asked, rule: ListedRule, control: ControlRule) -> Verdict:
    """The verdict on a control by its text: a line that only the broken text has breaks it."""
    telling = set(control.breaks.splitlines()) - set(control.keeps.splitlines())
    for shown in asked.about(rule):
        for line in shown.lines:
            if shown.label == control.label and line.text in telling:
                return denied(asked, rule, shown, line)
    return allowed(asked, rule)


def denied(asked: Asked, rule: ListedRule, shown: Shown, line: ShownLine) -> Verdict:
    """A rule that one line breaks."""
    quote = line.text.strip()
    return {
        "rule": rule.id,
        "reasoning": f'{shown.label} has "{quote}", which breaks it: {rule.statement}',
        "findings": [finding(asked, shown, line)],
        "verdict": "DENY",
        "confidence": 0.95,
        "issue": f"This breaks the rule: {rule.statement}",
        "fix_suggestion": "Change the line so that the rule holds.",
    }
