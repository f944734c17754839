"""Reads a prompt as a model would: the rules that are listed, and the material inside the fence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_MARK = re.compile(r"^MARK is (?P<mark>\S+)$", re.MULTILINE)
_RULE = re.compile(
    r"^- (?P<id>\S+) \((?P<force>\w+), on (?P<on>[\d -]*)\): (?P<statement>.*)$", re.MULTILINE
)
_HEADING = re.compile(
    r"^=== (?:(?P<number>\d+) )?(?P<label>.*?)"
    r"(?: \((?:added|modified|removed|renamed|copied)\b[^()]*\))?(?: \(in part\))?$"
)
_ADDED = re.compile(r"^(?P<line>\d+)\+(?P<text>.*)$")


@dataclass(frozen=True, slots=True)
class ListedRule:
    """A rule as the prompt lists it, with the numbers of the parts that it is about."""

    id: str
    statement: str
    on: frozenset[int]


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line of the material that stands after the change; `added` where the change adds it."""

    text: str
    added: bool = True
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """One file, document or set of facts of the material. What explains it has no number."""

    number: int | None
    label: str
    lines: tuple[ShownLine, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request to generate content, and what its prompt says.

    `fenced` is the text between the ends of the fence; `unfenced` is all the rest of the prompt.
    """

    model: str
    body: Mapping[str, Any]
    system: str
    user: str
    mark: str
    fenced: str
    rules: tuple[ListedRule, ...]
    shown: tuple[Shown, ...]

    @property
    def unfenced(self) -> str:
        """Everything that is not fenced in."""
        return self.system + self.user.replace(self.fenced, "")

    @property
    def schema(self) -> Mapping[str, Any]:
        """The JSON schema that the reply must satisfy."""
        schema: Mapping[str, Any] = self._generation.get("responseJsonSchema", {})
        return schema

    @property
    def thinking(self) -> str:
        """The thinking level, in lower case. JSON may name a field either way, as protobuf does."""
        thinking = self._generation.get("thinkingConfig", {})
        return str(thinking.get("thinkingLevel") or thinking.get("thinking_level", "")).lower()

    @property
    def _generation(self) -> Mapping[str, Any]:
        generation: Mapping[str, Any] = self.body.get("generationConfig", {})
        return generation

    @property
    def source_field(self) -> str:
        """How a finding names what its quote stands in: it is the first field it must have."""
        entry = self.schema["properties"]["verdicts"]["items"]["properties"]
        return str(entry["findings"]["items"]["required"][0])

    def about(self, rule: ListedRule) -> tuple[Shown, ...]:
        """What of the material a rule is about."""
        return tuple(item for item in self.shown if item.number in rule.on)


def read_request(model: str, body: Mapping[str, Any]) -> Asked:
    """What a request asks. A prompt of an unknown form has neither rules nor material."""
    system = _text(body.get("systemInstruction"))
    user = "".join(_text(content) for content in body.get("contents", ()))
    found = _MARK.search(user)
    mark = found["mark"] if found else ""
    opening, closing = f"<<<{mark}\n", f"\n{mark}>>>"
    listed, _, fenced = user.partition(opening)
    material = fenced.rpartition(closing)[0] if mark else ""
    return Asked(
        model, body, system, user, mark, material, _rules(listed), _shown(material.split("\n"))
    )


def _text(content: object) -> str:
    parts = content.get("parts", ()) if isinstance(content, Mapping) else ()
    return "".join(str(part.get("text", "")) for part in parts)


def _rules(text: str) -> tuple[ListedRule, ...]:
    return tuple(
        ListedRule(match["id"], match["statement"], _numbers(match["on"]))
        for match in _RULE.finditer(text)
    )


def _numbers(ranges: str) -> frozenset[int]:
    """The numbers in ranges such as "1-4 7"."""
    found: set[int] = set()
    for item in ranges.split():
        first, _, last = item.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return frozenset(found)


def _shown(lines: list[str]) -> tuple[Shown, ...]:
    shown: list[tuple[int | None, str, list[ShownLine]]] = []
    for line in lines:
        if heading := _HEADING.match(line):
            number = heading["number"]
            shown.append((int(number) if number else None, heading["label"], []))
        elif shown and (row := _row(line)) is not None:
            shown[-1][2].append(row)
    return tuple(Shown(number, label, tuple(rows)) for number, label, rows in shown)


def _row(line: str) -> ShownLine | None:
    if match := _ADDED.match(line):
        return ShownLine(match["text"], line=int(match["line"]))
    if line.startswith(("@@ ", "-")):
        return None
    if line.startswith(" "):
        return ShownLine(line[1:], added=False)
    return ShownLine(line.removeprefix("| "))
