"""Control rules: two rules with known answers in every prompt, so that a reply can be trusted.

A model that obeys an instruction in the subject, or that has not read it, answers them wrongly.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from jurat.facts.context import Surface
from jurat.findings.verdict import Verdict
from jurat.judge.excerpts import Block, Exhibit, Row, file_exhibit
from jurat.judge.replies import Answer, Unreadable
from jurat.resources import shipped
from jurat.rules.rule import Rule
from jurat.source.diff import FileChange, FileStatus, Hunk, Line

_FACT_SURFACES = frozenset({Surface.TRANSACTION, Surface.HUMAN_ACTION, Surface.GENERIC})


@dataclass(frozen=True, slots=True)
class Specimen:
    """A statement with a text that keeps it and one that breaks it, from prompts/controls.yml."""

    topic: str
    label: str
    statement: str
    keeps: str
    breaks: str
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Control:
    """A rule that is no rule of the corpus, over an exhibit that is no part of the subject."""

    id: str
    statement: str
    exhibit: Exhibit
    expected: Verdict


@cache
def specimens() -> Mapping[Surface, tuple[Specimen, ...]]:
    """The specimens of each surface."""
    import yaml  # noqa: PLC0415 - only a review that asks a model needs it

    text = shipped("prompts", "controls.yml").read_text(encoding="utf-8")
    document: dict[str, list[dict[str, Any]]] = yaml.safe_load(text)
    return {
        Surface(surface): tuple(Specimen(**entry) for entry in entries)
        for surface, entries in document.items()
    }


def draw(
    surface: Surface, rules: Sequence[Rule], labels: Iterable[str], mark: str
) -> list[Control]:
    """One control to deny and one to allow, in an order of their own.

    `mark`, the random word of the call, decides which: the same mark draws the same controls. Their
    ids look like those of `rules` and are none of them; their labels are none of `labels`.
    """
    # Seeded with a word that nobody outside the call knows, so that a test can repeat a draw.
    dice = random.Random(f"controls {mark}")  # noqa: S311
    taken = set(labels)
    free = [item for item in specimens()[surface] if item.label not in taken]
    denied, allowed = dice.sample(free if len(free) > 1 else specimens()[surface], 2)
    ids = {rule.id for rule in rules}
    prefix = dice.choice(
        sorted({rule.id.partition(".")[0] for rule in rules if "." in rule.id}) or [""]
    )
    controls = [
        Control(
            _free_id(prefix, item.topic, ids),
            item.statement,
            _exhibit(surface, item, text, dice.randrange(1, 240)),
            expected,
        )
        for item, text, expected in (
            (denied, denied.breaks, Verdict.DENY),
            (allowed, allowed.keeps, Verdict.ALLOW),
        )
    ]
    dice.shuffle(controls)
    return controls


def places(count: int, mark: str, purpose: str) -> list[int]:
    """Two positions in a list of `count` items that the controls are put in front of."""
    dice = random.Random(f"{purpose} {mark}")  # noqa: S311 - as in `draw`
    return [dice.randint(0, count), dice.randint(0, count)]


def _free_id(prefix: str, topic: str, ids: set[str]) -> str:
    wanted = f"{prefix}.{topic}" if prefix else topic
    while wanted in ids:
        wanted += "-2"
    return wanted


def _exhibit(surface: Surface, specimen: Specimen, text: str, first_line: int) -> Exhibit:
    lines = text.splitlines()
    if surface in _FACT_SURFACES:
        rows = tuple(Row("", line, line) for line in lines)
        return Exhibit(specimen.label, "", (Block("", rows),), control=True)
    added = tuple(Line("added", None, first_line + index, line) for index, line in enumerate(lines))
    hunk = Hunk(first_line - 1, 0, first_line, len(lines), "", added)
    change = FileChange(
        specimen.label, FileStatus.MODIFIED, specimen.label, specimen.language, (hunk,)
    )
    shown = file_exhibit(change, None)
    return Exhibit(shown.label, shown.about, shown.blocks, control=True)


def kept(controls: Sequence[Control], answers: Mapping[str, Answer | Unreadable]) -> bool:
    """Whether every control has the answer that is known to be right."""
    for control in controls:
        answer = answers.get(control.id)
        if not isinstance(answer, Answer) or answer.verdict is not control.expected:
            return False
    return True
