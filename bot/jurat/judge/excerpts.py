"""The subject as a model sees it: excerpts of numbered lines, each of which can be traced back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from hashlib import sha256
from itertools import groupby
from typing import Any, Literal, NamedTuple

from jurat.facts.context import Facts, Passage, Subject, SubjectKind, find_passage
from jurat.facts.derived import DERIVED, PULL_REQUEST, is_measure
from jurat.facts.lock_files import PinChange, list_pin_changes
from jurat.facts.places import find_nearest_value
from jurat.judge.protocol import count_utf8_bytes
from jurat.judge.widening import expand_hunks
from jurat.source.diff import FileChange, Hunk, Line
from jurat.source.disguises import find_odd_codec
from jurat.source.secret_masks import (
    is_secret_name,
    list_key_lines,
    to_model_code,
    to_model_line,
)
from jurat.source.shared_names import find_heading
from jurat.source.strict_json import KeyPath, LineRange, format_json_path

# Facts as lines that can be quoted: one path and value a line, long texts line by line.


class FactLine(NamedTuple):
    """One line of rendered facts.

    `where` is the path of the value and `path` the same as it is shown. On a line of a text that
    has several lines, `text` is that line alone, `number` its own from 0 and `offset` the
    characters of the value before it; `opens` is True on the line that only names such a value. On
    any other line `text` is "path = value", and `value` the value as JSON has it, a string without
    its quotes.
    """

    where: KeyPath
    path: str
    text: str
    value: str
    offset: int | None = None
    number: int | None = None
    opens: bool = False


def list_fact_lines(facts: Mapping[str, Any]) -> Iterator[FactLine]:
    """Every value in `facts`, in order. Keys keep their order, so equal facts render alike."""
    for where, value in _iter_leaves(facts, ()):
        path = format_json_path(where).removeprefix("$").removeprefix(".") or "value"
        if isinstance(value, str) and "\n" in value:
            yield FactLine(where, path, f"{path}:", value, opens=True)
            offset = 0
            for number, line in enumerate(value.split("\n")):
                yield FactLine(where, path, line, line, offset, number)
                offset += len(line) + 1
        else:
            written = _format_scalar(value)
            plain = value if isinstance(value, str) else written
            yield FactLine(where, path, f"{path} = {written}", plain)


def _iter_leaves(value: object, where: KeyPath) -> Iterator[tuple[KeyPath, object]]:
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from _iter_leaves(item, (*where, str(key)))
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes) and value:
        for index, item in enumerate(value):
            yield from _iter_leaves(item, (*where, index))
    else:
        yield where, value


def _format_scalar(value: object) -> str:
    if isinstance(value, Mapping):
        return "{}"
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return "[]"
    if isinstance(value, Decimal):
        return str(value)
    if value is None or isinstance(value, str | int | float):
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(str(value), ensure_ascii=False)


class ExcerptLine(NamedTuple):
    """One line as the model sees it, `mark` and then `text`.

    `raw` is the line of the subject that `text` shows, its secrets masked. `line` is its number in
    the head version, None on a removed line and if there is no file. `head` says whether it stands
    after the change, `added` whether the change adds it. `fact` is what the line shows of facts.
    """

    mark: str
    text: str
    raw: str
    line: int | None = None
    head: bool = True
    added: bool = False
    fact: FactLine | None = None

    @property
    def display_text(self) -> str:
        """The whole line."""
        return f"{self.mark}{self.text}"


@dataclass(frozen=True)
class ExcerptBlock:
    """A run of rows that belong together: a hunk, or facts. `heading` may be empty."""

    heading: str
    rows: tuple[ExcerptLine, ...]
    section: str = ""

    @cached_property
    def text(self) -> str:
        """What the model sees of it."""
        lines = [self.heading] if self.heading else []
        return "\n".join([*lines, *(row.display_text for row in self.rows)])

    @cached_property
    def bytes(self) -> int:
        """The size of `text` with its last newline, in UTF-8."""
        return count_utf8_bytes(self.text) + 1


@dataclass(frozen=True)
class Excerpt:
    """One file, or the facts, of a subject. `label` names it in the prompt and in replies.

    `part` is non-empty if only some blocks are shown. A `control` is no part of the subject.
    `passages` are those of the file, `facts` what the rows show of facts. A `piece` of another
    excerpt, the `whole`, is called so, and has the rows `taken` of it (see `jurat.judge.pieces`),
    of which `own` are what it is about.
    """

    label: str
    about: str
    blocks: tuple[ExcerptBlock, ...]
    kind: SubjectKind | None = None
    file: FileChange | None = None
    part: str = ""
    control: bool = False
    passages: tuple[Passage, ...] = ()
    facts: Facts = field(default_factory=dict, compare=False, repr=False)
    piece: str = ""
    whole: Excerpt | None = field(default=None, compare=False, repr=False)
    taken: frozenset[tuple[int, int]] = frozenset()
    own: frozenset[tuple[int, int]] = field(default=frozenset(), compare=False, repr=False)

    @property
    def about_pull_request(self) -> bool:
        """Whether it shows what is known of a pull request beside its files."""
        return self.file is None and [*self.facts] == [PULL_REQUEST]

    @property
    def name(self) -> str:
        """What the line that opens it calls it."""
        return f"{self.label}{self.about}{self.part}"

    def render(self, number: int | None = None) -> str:
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
        return count_utf8_bytes(self.name) + len("=== 9999 \n")

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what is shown, without the line numbers that a rebase moves.

        Of a piece neither blank lines count nor where its hunks begin.
        """
        opening = f"{self.label}\0{self.about}" + (f"\0{self.piece}" if self.piece else "")
        content = sha256(opening.encode("utf-8", "surrogatepass"))
        for block in self.blocks:
            if not self.piece:
                content.update(f"\0@@{block.section}".encode("utf-8", "surrogatepass"))
            for row in block.rows:
                if self.piece and not row.text.strip():
                    continue
                # The sign is part of it: a line that was there before is judged otherwise than one
                # that is new.
                kind = "+" if row.added else " " if row.head else "-"
                content.update(f"\n{kind}{row.text}".encode("utf-8", "surrogatepass"))
        return content.hexdigest()

    def with_blocks(self, blocks: tuple[ExcerptBlock, ...], part: str) -> Excerpt:
        """The same excerpt with only some of its blocks."""
        return replace(self, blocks=blocks, part=part)


def slice_block(block: ExcerptBlock, start: int, end: int) -> ExcerptBlock:
    """The rows of a block from `start` to before `end`, under the number of the first line."""
    rows = block.rows[start:end]
    first = next((row.line for row in rows if row.line is not None), None)
    heading = block.heading
    if heading and start and rows[0].fact is None:
        heading = f"@@ {first if first is not None else '?'} {block.section}".rstrip()
    return ExcerptBlock(heading, rows, block.section)


def build_excerpts(subject: Subject) -> tuple[Excerpt, ...]:
    """Everything of `subject` that can be shown, files in their order and then the facts.

    Files with a reason in `unread` are left out: what they hold cannot be trusted. So are private
    ones, with what they state: no model ever sees them.
    """
    readable = [file for file in subject.files if file.unread is None and not file.private]
    stated = {key: value for key, value in subject.facts.items() if (key,) in subject.spans}
    if readable and stated:
        excerpts = [_build_facts_excerpt(stated, subject, readable[0])]
    else:
        excerpts = [build_file_excerpt(file, subject.kind, subject.passages) for file in readable]
    given = {
        key: value
        for key, value in subject.facts.items()
        # What is derived from the files repeats what they show line by line.
        if key not in stated
        and not is_measure(subject, key)
        and not (subject.files and key == DERIVED)
    }
    # Apart, if there are files: few rules about code ask who opened a pull request, and to what.
    about = {key: value for key, value in given.items() if subject.files and key == PULL_REQUEST}
    for facts in (about, {key: value for key, value in given.items() if key not in about}):
        if facts:
            excerpts.append(_build_facts_excerpt(facts, subject, None))
    return tuple(excerpts)


def build_file_excerpt(
    file: FileChange, kind: SubjectKind | None, passages: tuple[Passage, ...] = ()
) -> Excerpt:
    """A file of a change, hunk by hunk; those of a text in the whole of their passages, by name."""
    about = [file.status.value]
    if file.old_path is not None and file.old_path != file.path:
        about.append(f"was {to_model_line(file.old_path)}")
    if file.language is not None:
        about.append(file.language)
    if file.is_binary:
        about.append("binary, content not shown")
    if file.is_submodule:
        about.append("submodule")
    if file.old_mode and file.new_mode and file.old_mode != file.new_mode:
        about.append(f"mode {file.old_mode} -> {file.new_mode}")
    if codec := find_odd_codec(file):
        about.append(f"decoded as {to_model_line(codec)}")
    pinned = list_pin_changes(file) if file.unwritten else None
    if pinned is not None:
        about.append("a lock file: what it pins, from, to and by which source")
        rows = tuple(_build_pin_row(pin, file) for pin in pinned)
        blocks: tuple[ExcerptBlock, ...] = (ExcerptBlock("", rows),)
    else:
        keys, hunks = _KeyLines.of(file), expand_hunks(file, passages)
        blocks = tuple(_build_hunk_block(file, hunk, passages, keys) for hunk in hunks)
    return Excerpt(
        to_model_line(file.path),
        f" ({', '.join(about)})",
        blocks,
        kind,
        file,
        passages=passages,
    )


class _KeyLines(NamedTuple):
    """The lines of a file, by number on either side, that are part of a private key."""

    head: frozenset[int]
    base: frozenset[int]

    @classmethod
    def of(cls, file: FileChange) -> _KeyLines:
        """Of the whole texts if they are at hand: a hunk may begin in the midst of a key."""
        return cls(_find_key_lines(file, "head"), _find_key_lines(file, "base"))

    def hold(self, line: Line) -> bool:
        """Whether a line of a hunk is part of one."""
        return line.new in self.head or line.old in self.base


def _find_key_lines(file: FileChange, side: Literal["head", "base"]) -> frozenset[int]:
    return frozenset(
        fragment.first_line + index
        for fragment in file.list_fragments(side)
        if "PRIVATE KEY" in fragment.text
        for index, inside in enumerate(list_key_lines(fragment.text.split("\n")))
        if inside
    )


def _build_hunk_block(
    file: FileChange, hunk: Hunk, passages: tuple[Passage, ...], keys: _KeyLines
) -> ExcerptBlock:
    around = find_passage(passages, hunk.new_start)
    inside = around is not None and around.first_line < hunk.new_start
    section = around.name if around is not None and inside else hunk.section
    if around is None and file.language == "markdown" and file.head is not None:
        # Git names the last line that begins with a letter, as of a program.
        section = find_heading(file.head.split("\n"), hunk.new_start)
    section = to_model_line(section)
    heading = f"@@ {hunk.new_start} {section}".rstrip()
    return ExcerptBlock(heading, tuple(_build_hunk_rows(hunk, keys)), section)


def _build_pin_row(pin: PinChange, file: FileChange) -> ExcerptLine:
    # What stands in the file is another line: no fix may take this one for it.
    text = to_model_line(pin.describe())
    if pin.after is None:
        return ExcerptLine("-", text, "", head=False)
    mark = f"{pin.line or '?'}+"
    return ExcerptLine(mark, text, file.path, pin.line, added=True)


def _build_hunk_rows(hunk: Hunk, keys: _KeyLines) -> Iterator[ExcerptLine]:
    for line in hunk.lines:
        text = to_model_code(line.text.removesuffix("\r"), inside=keys.hold(line))
        match line.kind:
            case "added":
                yield ExcerptLine(f"{line.new}+", text, line.text, line.new, added=True)
            case "removed":
                yield ExcerptLine("-", text, line.text, head=False)
            case "context":
                yield ExcerptLine(" ", text, line.text, line.new)


def _build_facts_excerpt(facts: Facts, subject: Subject, file: FileChange | None) -> Excerpt:
    """Facts in their order. Entries of lists that the change leaves as they were stand apart."""
    added = file.added_lines if file is not None else frozenset()
    runs = groupby(list_fact_lines(facts), key=lambda fact: _is_old(fact, subject.unchanged))
    blocks = []
    for old, run in runs:
        rows = tuple(
            _build_fact_row(fact, find_nearest_value(subject.spans, fact.where), added)
            for fact in run
        )
        section = ("unchanged" if old else "changed") if subject.unchanged and file else ""
        blocks.append(ExcerptBlock(f"@@ {section}" if section else "", rows, section))
    about = "pull request" if [*facts] == [PULL_REQUEST] else subject.kind.value
    label = to_model_line(file.path) if file is not None else f"facts: {about}"
    return Excerpt(label, "", tuple(blocks), subject.kind, file, facts=facts)


def _is_old(fact: FactLine, unchanged: frozenset[KeyPath]) -> bool:
    return any(fact.where[:length] in unchanged for length in range(1, len(fact.where)))


def _build_fact_row(fact: FactLine, span: LineRange | None, added: frozenset[int]) -> ExcerptLine:
    """A line of facts. `span` is the place of its value; a text may have a line for each of its."""
    mark = "| " if fact.offset is not None else ""
    text = _show_fact(fact)
    if span is None:
        return ExcerptLine(mark, text, fact.text, fact=fact)
    if span.body_line and fact.number is not None:
        line = min(span.body_line + fact.number, span.last_line)
        return ExcerptLine(mark, text, fact.text, line, added=line in added, fact=fact)
    is_new = not added.isdisjoint(range(span.first_line, span.last_line + 1))
    return ExcerptLine(mark, text, fact.text, span.first_line, added=is_new, fact=fact)


def _show_fact(fact: FactLine) -> str:
    if fact.number is None:
        return to_model_line(fact.text)
    # A line of a text has lost its name, and its place in a key.
    if is_secret_name(fact.path) and fact.text.strip():
        return "⟦masked: password⟧"
    inside = "PRIVATE KEY" in fact.value and list_key_lines(fact.value.split("\n"))[fact.number]
    return to_model_line(fact.text, inside=inside)
