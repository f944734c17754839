"""The demo's model: it reads the prompt as a model would, and answers from fixtures/demo/judge.yml.

What the script does not know it allows. Control rules it answers by reading the lines shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import Template
from typing import Any, NamedTuple

import yaml

from bot.judgment.controls import specimens
from bot.judgment.models_file import ModelNames
from bot.judgment.options import estimate_tokens
from bot.judgment.protocol import Prompt, Reply, Tier
from bot.resources import shipped

Script = Mapping[str, Sequence[Mapping[str, Any]]]
"""What to say of a rule: for each pattern that an added line may match, the parts of a verdict."""

_RULE = re.compile(r"^- (\S+) \(\w+, on ([\d -]*)\): (.*)$", re.MULTILINE)
_HEADING = re.compile(r"^=== (\d+) (.*?)(?: \(\w+\b[^()]*\))?(?: \(in part\))?$")
_ADDED = re.compile(r"^(\d+)\+(.*)$")


class _Line(NamedTuple):
    """A line that the change adds, as the prompt shows it."""

    path: str
    number: str
    text: str


@dataclass(frozen=True, slots=True)
class _ListedRule:
    """A rule of a prompt, and the added lines that it is about."""

    id: str
    statement: str
    lines: tuple[_Line, ...]


class ScriptedJudge:
    """A Judge without a network. It signs with the names of the models whose place it takes."""

    def __init__(self, script: Script, models: ModelNames) -> None:
        self._script = script
        self._models = models

    def model_id(self, tier: Tier) -> str:
        """The model whose place it takes."""
        return self._models.flash if tier == "flash" else self._models.pro

    async def ask(self, prompt: Prompt) -> Reply:
        """One verdict for each rule that the prompt lists. The tokens are estimates."""
        verdicts = [_verdict(rule, self._script) for rule in _listed(prompt.user)]
        text = json.dumps({"verdicts": verdicts})
        asked = estimate_tokens(prompt.system + prompt.user + json.dumps(prompt.schema))
        return Reply(text, self.model_id(prompt.tier), asked, estimate_tokens(text), latency_ms=0.0)


def demo_script() -> Script:
    """The script that belongs to the demo's pull request."""
    text = shipped("fixtures", "demo", "judge.yml").read_text(encoding="utf-8")
    script: Script = yaml.safe_load(text)["rules"]
    return script


def _listed(prompt: str) -> Iterator[_ListedRule]:
    """The rules stand before the material, which is fenced in with a word of its own."""
    rules, _, material = prompt.partition("\n<<<")
    parts: dict[int, list[_Line]] = {}
    path, lines = "", list[_Line]()
    for row in material.split("\n"):
        if heading := _HEADING.match(row):
            path, lines = heading[2], parts.setdefault(int(heading[1]), [])
        elif added := _ADDED.match(row):
            lines.append(_Line(path, *added.groups()))
    for name, ranges, statement in _RULE.findall(rules):
        about = [line for number in _numbers(ranges) for line in parts.get(number, ())]
        yield _ListedRule(name, statement, tuple(about))


def _numbers(ranges: str) -> Iterator[int]:
    """The numbers in ranges such as "1-4 7"."""
    for item in ranges.split():
        first, _, last = item.partition("-")
        yield from range(int(first), int(last or first) + 1)


def _verdict(rule: _ListedRule, script: Script) -> dict[str, Any]:
    for line in rule.lines:
        if _breaks_control(rule, line):
            return _denied(rule, line, {})
        for entry in script.get(rule.id, ()):
            if re.search(entry["pattern"], line.text):
                return _denied(rule, line, entry)
    return _allowed(rule)


def _breaks_control(rule: _ListedRule, line: _Line) -> bool:
    """Whether the rule is a control, and the line one that only its broken text has."""
    return any(
        (item.statement, item.label) == (rule.statement, line.path)
        and line.text in item.breaks.splitlines()
        and line.text not in item.keeps.splitlines()
        for items in specimens().values()
        for item in items
    )


def _denied(rule: _ListedRule, line: _Line, entry: Mapping[str, Any]) -> dict[str, Any]:
    quote = line.text.strip()
    values = {"path": line.path, "line": line.number, "quote": quote, "statement": rule.statement}

    def worded(field: str, otherwise: str) -> str:
        return Template(entry.get(field, otherwise)).safe_substitute(values)

    finding: dict[str, Any] = {"file_path": line.path, "quote": quote}
    if fix := entry.get("remediation"):
        replacement = re.sub(fix["find"], fix["replacement"], quote)
        finding["remediation"] = {"type": fix["type"], "replacement": replacement}
    return {
        "rule": rule.id,
        "reasoning": worded("reasoning", '$path has "$quote", which breaks it: $statement'),
        "findings": [finding],
        "verdict": "DENY",
        "confidence": entry.get("confidence", 0.95),
        "issue": worded("issue", "This breaks the rule: $statement"),
        "fix_suggestion": worded("fix_suggestion", "Change the line so that the rule holds."),
    }


def _allowed(rule: _ListedRule) -> dict[str, Any]:
    first = next(iter(rule.lines), None)
    place = f'{first.path}, "{first.text.strip()}" among it,' if first else "the material"
    return {
        "rule": rule.id,
        "reasoning": f"In {place} nothing breaks it: {rule.statement}",
        "findings": [],
        "verdict": "ALLOW",
        "confidence": 0.9,
        "issue": "",
        "fix_suggestion": "",
    }
