"""The subject as a model sees it: exhibits of numbered lines, each of which can be traced back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple

from bot.judgment.facts import FactLine, fact_lines, lines_by_path
from bot.judgment.options import size
from bot.judgment.visible import visible
from bot.subjects.change import FileChange, Hunk
from bot.subjects.context import Subject
from bot.subjects.facts import DERIVED
from bot.subjects.kinds import SubjectKind, Surface

_FACT_SURFACES = frozenset({Surface.TRANSACTION, Surface.HUMAN_ACTION, Surface.GENERIC})
"""Surfaces whose files hold facts: the values are shown rather than the lines of the diff."""


class Row(NamedTuple):
    """One line as the model sees it, `mark` and then `text`.

    `raw` is the line of the subject that `text` shows. `line` is its number in the head version,
    None on a removed line and where there is no file. `head` says whether it stands after the
    change, `added` whether the change adds it. `fact` is what the line shows of facts.
    """

    mark: str
    text: str
    raw: str
    line: int | None = None
    head: bool = True
    added: bool = False
    fact: FactLine | None = None

    @property
    def shown(self) -> str:
        """The whole line."""
        return f"{self.mark}{self.text}"


@dataclass(frozen=True)
class Block:
    """A run of rows that belong together: a hunk, or facts. `heading` may be empty."""

    heading: str
    rows: tuple[Row, ...]
    section: str = ""

    @cached_property
    def text(self) -> str:
        """What the model sees of it."""
        lines = [self.heading] if self.heading else []
        return "\n".join([*lines, *(row.shown for row in self.rows)])

    @cached_property
    def bytes(self) -> int:
        """The size of `text` with its last newline, in UTF-8."""
        return size(self.text) + 1


@dataclass(frozen=True)
class Exhibit:
    """One file, or the facts, of a subject. `label` names it in the prompt and in replies.

    `part` is non-empty where only some blocks are shown. A `control` is no part of the subject.
    """

    label: str
    about: str
    blocks: tuple[Block, ...]
    kind: SubjectKind | None = None
    file: FileChange | None = None
    part: str = ""
    control: bool = False

    @property
    def name(self) -> str:
        """What the line that opens it calls it."""
        return f"{self.label}{self.about}{self.part}"

    def text(self, number: int | None = None) -> str:
        """What the model sees of it, without a last newline, under its number in the prompt."""
        heading = f"=== {self.name}" if number is None else f"=== {number} {self.name}"
        return "\n".join([heading, *(block.text for block in self.blocks)])

    @cached_property
    def bytes(self) -> int:
        """The size of its text with a number and a last newline, in UTF-8."""
        return self.opening_bytes + sum(block.bytes for block in self.blocks)

    @property
    def opening_bytes(self) -> int:
        """The size of the line that opens it, with its last newline and a number up to 9999."""
        return size(self.name) + len("=== 9999 \n")

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what is shown, without the line numbers that a rebase moves."""
        content = sha256(f"{self.label}\0{self.about}".encode("utf-8", "surrogatepass"))
        for block in self.blocks:
            content.update(f"\0@@{block.section}".encode("utf-8", "surrogatepass"))
            for row in block.rows:
                kind = "+" if row.added else " " if row.head else "-"
                content.update(f"\n{kind}{row.text}".encode("utf-8", "surrogatepass"))
        return content.hexdigest()

    def of(self, blocks: tuple[Block, ...], part: str) -> Exhibit:
        """The same exhibit with only some of its blocks."""
        return replace(self, blocks=blocks, part=part)


def exhibits_of(subject: Subject) -> tuple[Exhibit, ...]:
    """Everything of `subject` that can be shown, files in their order and then the facts.

    Files with a reason in `unread` are left out: what they hold cannot be trusted.
    """
    readable = [file for file in subject.files if file.unread is None]
    if subject.surface in _FACT_SURFACES and len(subject.files) == 1 and readable and subject.facts:
        file = readable[0]
        lines = lines_by_path(file.head) if file.head is not None else {}
        if lines:
            return (_facts_exhibit(subject.facts, subject.kind, file, lines),)
    shown = [file_exhibit(file, subject.kind) for file in readable]
    facts = {
        key: value
        for key, value in subject.facts.items()
        # What is derived from the files repeats what they show line by line.
        if not (subject.files and key == DERIVED)
    }
    if facts:
        shown.append(_facts_exhibit(facts, subject.kind, None, {}))
    return tuple(shown)


def file_exhibit(file: FileChange, kind: SubjectKind | None) -> Exhibit:
    """A file of a change, hunk by hunk."""
    about = [file.status.value]
    if file.old_path is not None and file.old_path != file.path:
        about.append(f"was {visible(file.old_path)}")
    if file.language is not None:
        about.append(file.language)
    if file.is_binary:
        about.append("binary, content not shown")
    if file.is_submodule:
        about.append("submodule")
    if file.old_mode and file.new_mode and file.old_mode != file.new_mode:
        about.append(f"mode {file.old_mode} -> {file.new_mode}")
    return Exhibit(
        visible(file.path),
        f" ({', '.join(about)})",
        tuple(_hunk_block(hunk) for hunk in file.hunks),
        kind,
        file,
    )


def _hunk_block(hunk: Hunk) -> Block:
    section = visible(hunk.section)
    heading = f"@@ {hunk.new_start} {section}".rstrip()
    return Block(heading, tuple(_hunk_rows(hunk)), section)


def _hunk_rows(hunk: Hunk) -> Iterator[Row]:
    for line in hunk.lines:
        text = visible(line.text.removesuffix("\r"))
        match line.kind:
            case "added":
                yield Row(f"{line.new}+", text, line.text, line.new, added=True)
            case "removed":
                yield Row("-", text, line.text, head=False)
            case "context":
                yield Row(" ", text, line.text, line.new)


def _facts_exhibit(
    facts: Mapping[str, Any], kind: SubjectKind, file: FileChange | None, lines: Mapping[str, int]
) -> Exhibit:
    rows = []
    added = file.added_lines if file is not None else frozenset()
    for fact in fact_lines(facts):
        line = lines.get(fact.path)
        mark = "| " if fact.offset is not None else ""
        rows.append(Row(mark, visible(fact.text), fact.text, line, added=line in added, fact=fact))
    label = visible(file.path) if file is not None else f"facts: {kind.value}"
    return Exhibit(label, "", (Block("", tuple(rows)),), kind, file)
