"""The subject as a model sees it: exhibits of numbered lines, each of which can be traced back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from itertools import groupby
from typing import NamedTuple

from bot.judgment.facts import FactLine, fact_lines
from bot.judgment.options import size
from bot.judgment.visible import mark_hidden
from bot.judgment.widening import widened
from bot.subjects.change import FileChange, Hunk
from bot.subjects.context import Facts, Subject
from bot.subjects.facts import DERIVED
from bot.subjects.key_paths import KeyPath, Span
from bot.subjects.kinds import SubjectKind
from bot.subjects.passages import Passage, passage_at
from bot.subjects.surface_fields import nearest
from bot.subjects.text_facts import is_measure


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
    `passages` are those of the file, `facts` what the rows show of facts.
    """

    label: str
    about: str
    blocks: tuple[Block, ...]
    kind: SubjectKind | None = None
    file: FileChange | None = None
    part: str = ""
    control: bool = False
    passages: tuple[Passage, ...] = ()
    facts: Facts = field(default_factory=dict, compare=False, repr=False)

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
    stated = {key: value for key, value in subject.facts.items() if (key,) in subject.spans}
    if readable and stated:
        shown = [_facts_exhibit(stated, subject, readable[0])]
    else:
        shown = [file_exhibit(file, subject.kind, subject.passages) for file in readable]
    given = {
        key: value
        for key, value in subject.facts.items()
        # What is derived from the files repeats what they show line by line.
        if key not in stated
        and not is_measure(subject, key)
        and not (subject.files and key == DERIVED)
    }
    if given:
        shown.append(_facts_exhibit(given, subject, None))
    return tuple(shown)


def file_exhibit(
    file: FileChange, kind: SubjectKind | None, passages: tuple[Passage, ...] = ()
) -> Exhibit:
    """A file of a change, hunk by hunk; those of a text in the whole of their passages, by name."""
    about = [file.status.value]
    if file.old_path is not None and file.old_path != file.path:
        about.append(f"was {mark_hidden(file.old_path)}")
    if file.language is not None:
        about.append(file.language)
    if file.is_binary:
        about.append("binary, content not shown")
    if file.is_submodule:
        about.append("submodule")
    if file.old_mode and file.new_mode and file.old_mode != file.new_mode:
        about.append(f"mode {file.old_mode} -> {file.new_mode}")
    return Exhibit(
        mark_hidden(file.path),
        f" ({', '.join(about)})",
        tuple(_hunk_block(hunk, passages) for hunk in widened(file, passages)),
        kind,
        file,
        passages=passages,
    )


def _hunk_block(hunk: Hunk, passages: tuple[Passage, ...]) -> Block:
    around = passage_at(passages, hunk.new_start)
    inside = around is not None and around.first_line < hunk.new_start
    section = mark_hidden(around.name if around is not None and inside else hunk.section)
    heading = f"@@ {hunk.new_start} {section}".rstrip()
    return Block(heading, tuple(_hunk_rows(hunk)), section)


def _hunk_rows(hunk: Hunk) -> Iterator[Row]:
    for line in hunk.lines:
        text = mark_hidden(line.text.removesuffix("\r"))
        match line.kind:
            case "added":
                yield Row(f"{line.new}+", text, line.text, line.new, added=True)
            case "removed":
                yield Row("-", text, line.text, head=False)
            case "context":
                yield Row(" ", text, line.text, line.new)


def _facts_exhibit(facts: Facts, subject: Subject, file: FileChange | None) -> Exhibit:
    """Facts in their order. Entries of lists that the change leaves as they were stand apart."""
    added = file.added_lines if file is not None else frozenset()
    runs = groupby(fact_lines(facts), key=lambda fact: _is_old(fact, subject.unchanged))
    blocks = []
    for old, run in runs:
        rows = tuple(_fact_row(fact, nearest(subject.spans, fact.where), added) for fact in run)
        section = ("unchanged" if old else "changed") if subject.unchanged and file else ""
        blocks.append(Block(f"@@ {section}" if section else "", rows, section))
    label = mark_hidden(file.path) if file is not None else f"facts: {subject.kind.value}"
    return Exhibit(label, "", tuple(blocks), subject.kind, file, facts=facts)


def _is_old(fact: FactLine, unchanged: frozenset[KeyPath]) -> bool:
    return any(fact.where[:length] in unchanged for length in range(1, len(fact.where)))


def _fact_row(fact: FactLine, span: Span | None, added: frozenset[int]) -> Row:
    """A line of facts. `span` is the place of its value; a text may have a line for each of its."""
    mark = "| " if fact.offset is not None else ""
    text = mark_hidden(fact.text)
    if span is None:
        return Row(mark, text, fact.text, fact=fact)
    if span.body_line and fact.number is not None:
        line = min(span.body_line + fact.number, span.last_line)
        return Row(mark, text, fact.text, line, added=line in added, fact=fact)
    is_new = not added.isdisjoint(range(span.first_line, span.last_line + 1))
    return Row(mark, text, fact.text, span.first_line, added=is_new, fact=fact)
