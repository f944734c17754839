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
from jurat.judge.batches import JudgeQuestion
from jurat.judge.excerpts import Excerpt, ExcerptBlock, ExcerptLine, build_file_excerpt
from jurat.judge.replies import ReplyVerdict, UnreadableAnswer
from jurat.judge.twins import make_twins
from jurat.resources import get_bundled_path
from jurat.rules.rule import Rule
from jurat.source.diff import FileChange, FileStatus, Hunk, Line

_FACT_SURFACES = frozenset({Surface.TRANSACTION, Surface.HUMAN_ACTION, Surface.GENERIC})


@dataclass(frozen=True, slots=True)
class ControlRule:
    """A statement with a text that keeps it and one that breaks it, from prompts/controls.yml."""

    topic: str
    label: str
    statement: str
    keeps: str
    breaks: str
    language: str | None = None


@dataclass(frozen=True, slots=True)
class AskedControl:
    """A question with a known answer, over an excerpt that is no part of the subject.

    `twin_of` is the id of the rule whose own example it asks about, "" if it is no rule of ours.
    """

    id: str
    statement: str
    excerpt: Excerpt
    expected: Verdict
    twin_of: str = ""


@cache
def load_control_rules() -> Mapping[Surface, tuple[ControlRule, ...]]:
    """The specimens of each surface."""
    import yaml  # noqa: PLC0415 - only a review that asks a model needs it

    text = get_bundled_path("prompts", "controls.yml").read_text(encoding="utf-8")
    document: dict[str, list[dict[str, Any]]] = yaml.safe_load(text)
    return {
        Surface(surface): tuple(ControlRule(**entry) for entry in entries)
        for surface, entries in document.items()
    }


def draw_controls(
    surface: Surface, rules: Sequence[Rule], labels: Iterable[str], mark: str
) -> list[AskedControl]:
    """One control to deny and one to allow, in an order of their own.

    `mark`, the random word of the call, decides which: the same mark draws the same controls. Their
    ids look like those of `rules` and are none of them; their labels are none of `labels`.
    """
    # Seeded with a word that nobody outside the call knows, so that a test can repeat a draw.
    dice = random.Random(f"controls {mark}")  # noqa: S311
    taken = set(labels)
    free = [item for item in load_control_rules()[surface] if item.label not in taken]
    # Not a label of the subject's: a quote from one could be taken for a quote from the other.
    denied, allowed = dice.sample(free if len(free) > 1 else load_control_rules()[surface], 2)
    ids = {rule.id for rule in rules}
    # With a prefix of the rules' own: a control that looks like one could be told from them.
    prefix = dice.choice(
        sorted({rule.id.partition(".")[0] for rule in rules if "." in rule.id}) or [""]
    )
    controls = [
        AskedControl(
            _choose_free_id(prefix, item.topic, ids),
            item.statement,
            _build_excerpt(surface, item, text, dice.randrange(1, 240)),
            expected,
        )
        for item, text, expected in (
            (denied, denied.breaks, Verdict.DENY),
            (allowed, allowed.keeps, Verdict.ALLOW),
        )
    ]
    dice.shuffle(controls)
    return controls


def draw_twins(questions: Sequence[JudgeQuestion], mark: str) -> list[AskedControl]:
    """Two questions with known answers for each rule that may block, and for one other by turns.

    They ask by a rule's own statement about code made of its examples; a rule without examples of
    code has none, and so has one over anything but code.
    """
    dice = random.Random(f"twins {mark}")  # noqa: S311 - as in `draw_controls`
    able = [item for item in questions if item.surface is Surface.CODE and item.rule.examples.valid]
    others = [item for item in able if not item.rule.blocking]
    chosen = [item for item in able if item.rule.blocking]
    chosen += dice.sample(others, min(1, len(others)))
    ids = {item.rule.id for item in questions}
    drawn: list[AskedControl] = []
    for question in chosen:
        rule = question.rule
        paths = [item.file.path for item in question.excerpts if item.file is not None]
        for twin in make_twins(rule, paths, dice):
            if twin.path in {item.excerpt.label for item in drawn}:
                # Two files of one name would be one to whoever reads them.
                continue
            name = _choose_free_id(rule.id.rpartition(".")[0], _build_twin_id(rule, dice), ids)
            ids.add(name)
            expected = Verdict.DENY if twin.breaks else Verdict.ALLOW
            excerpt = _build_code_excerpt(
                twin.path, twin.language, twin.lines, dice.randrange(1, 240)
            )
            drawn.append(AskedControl(name, rule.statement, excerpt, expected, rule.id))
    return drawn


def _build_twin_id(rule: Rule, dice: random.Random) -> str:
    return f"{rule.id.rpartition('.')[2]}-{dice.randrange(2, 9)}"


def choose_places(count: int, mark: str, purpose: str, controls: int = 2) -> list[int]:
    """A position in a list of `count` items that each of the controls is put in front of."""
    dice = random.Random(f"{purpose} {mark}")  # noqa: S311 - as in `draw`
    return [dice.randint(0, count) for _ in range(controls)]


def _choose_free_id(prefix: str, topic: str, ids: set[str]) -> str:
    wanted = f"{prefix}.{topic}" if prefix else topic
    while wanted in ids:
        wanted += "-2"
    return wanted


def _build_excerpt(surface: Surface, specimen: ControlRule, text: str, first_line: int) -> Excerpt:
    lines = text.splitlines()
    if surface in _FACT_SURFACES:
        rows = tuple(ExcerptLine("", line, line) for line in lines)
        return Excerpt(specimen.label, "", (ExcerptBlock("", rows),), control=True)
    return _build_code_excerpt(specimen.label, specimen.language, lines, first_line)


def _build_code_excerpt(
    label: str, language: str | None, lines: Sequence[str], first_line: int
) -> Excerpt:
    added = tuple(Line("added", None, first_line + index, line) for index, line in enumerate(lines))
    hunk = Hunk(first_line - 1, 0, first_line, len(lines), "", added)
    change = FileChange(label, FileStatus.MODIFIED, label, language, (hunk,))
    rendered = build_file_excerpt(change, None)
    return Excerpt(rendered.label, rendered.about, rendered.blocks, control=True)


def are_controls_kept(
    controls: Sequence[AskedControl], answers: Mapping[str, ReplyVerdict | UnreadableAnswer]
) -> bool:
    """Whether every control that is no rule's twin has the answer that is known to be right."""
    return all(_is_kept(item, answers) for item in controls if not item.twin_of)


def list_misjudged_rules(
    controls: Sequence[AskedControl], answers: Mapping[str, ReplyVerdict | UnreadableAnswer]
) -> frozenset[str]:
    """The rules of which a twin is answered wrongly: nothing that was said of them counts."""
    return frozenset(
        item.twin_of for item in controls if item.twin_of and not _is_kept(item, answers)
    )


def _is_kept(control: AskedControl, answers: Mapping[str, ReplyVerdict | UnreadableAnswer]) -> bool:
    answer = answers.get(control.id)
    # Left out counts as wrong: who skips a control may have skipped what stands beside it.
    return isinstance(answer, ReplyVerdict) and answer.verdict is control.expected
