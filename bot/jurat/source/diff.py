"""The parsed form of a change: files, hunks, lines and the functions that they touch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal, NamedTuple

from jurat.source.embedded import (
    detect_inner_language,
    has_code_inside,
    list_inner_languages,
    read_code,
)
from jurat.source.languages import UNSEEN, detect_language, is_language_named, is_page


class FileStatus(StrEnum):
    """What happened to a file."""

    ADDED = "added"
    MODIFIED = "modified"
    REMOVED = "removed"
    RENAMED = "renamed"
    COPIED = "copied"


class Line(NamedTuple):
    r"""One line of a hunk.

    `old` and `new` are 1-based line numbers; an added line has no `old`, a removed one no `new`.
    `text` has no "\n" but keeps a trailing "\r"; `newline` is False on a last line without one.
    """

    kind: Literal["context", "added", "removed"]
    old: int | None
    new: int | None
    text: str
    newline: bool = True


@dataclass(frozen=True, slots=True)
class Hunk:
    """A run of lines. Starts are 1-based; a side of length 0 starts at the line before it.

    `section` is what git printed behind the second @@, often the enclosing function.
    """

    old_start: int
    old_length: int
    new_start: int
    new_length: int
    section: str
    lines: tuple[Line, ...]


class RemovedLine(NamedTuple):
    """A line that the change takes away, by its 1-based number in the base version."""

    number: int
    text: str


class ChangeRun(NamedTuple):
    """Changed lines with none between them that was kept.

    `added` are numbers in the head version. `start` is the head's number of the first added line,
    or, if only lines were removed, of the line that follows them; it may lie behind the last one.
    """

    start: int
    added: tuple[int, ...]
    removed: tuple[RemovedLine, ...]


@dataclass(frozen=True, slots=True)
class TextFragment:
    """A run of whole lines of one side of a file, its first line being `first_line` (1-based)."""

    first_line: int
    text: str


class FunctionChange(StrEnum):
    """What the change did to a function."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class PriorFunction:
    """What a function measured before the change, and the path it had.

    `length` is what its old code would take among today's comments, with today's signature, so that
    neither is growth.
    """

    path: str
    length: int
    parameters: int
    nesting: int
    complexity: int


@dataclass(frozen=True, slots=True)
class Function:
    """A function, method or named closure that the change touches.

    `qualified_name` joins the enclosing classes, modules and functions with ".". `start_line` and
    `end_line` are 1-based and inclusive, in the head version, or in the base version for a removed
    function. `kind` is "function", "method", "constructor" or "lambda". A `partial` function was
    seen through the diff alone, so its span, and the measures taken over it, cover only what the
    diff shows. `length` counts lines, `nesting` the depth of control structures, `complexity` is
    McCabe's cyclomatic number: one plus the decision points, `code_lines` counts the lines of its
    body that hold more than a comment. `before` is what it was, None if it is new.
    """

    name: str
    qualified_name: str
    kind: str
    change: FunctionChange
    start_line: int
    end_line: int
    parameters: tuple[str, ...] = ()
    nesting: int = 0
    complexity: int = 1
    partial: bool = False
    code_lines: int = 0
    before: PriorFunction | None = None

    @property
    def length(self) -> int:
        """Lines from the first to the last, both included."""
        return self.end_line - self.start_line + 1

    def with_prior(self, path: str, prior: Function) -> Function:
        """The function, with what it was in the base's file of that path."""
        measures = PriorFunction(
            path,
            self.length + prior.code_lines - self.code_lines,
            len(prior.parameters),
            prior.nesting,
            prior.complexity,
        )
        return replace(self, before=measures)


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file of a change.

    `path` is the head's path, or the base's for a removed file; `old_path` is None for an added
    file. `language` is ast-grep's name ("python", "tsx", "cpp"), None if there is no grammar; that
    of a component is its scripts', and a notebook's Python; the `script_language` is that of the
    scripts in a page, which has a grammar of its own.
    `base` and `head` are the whole texts if they are at hand. `unread` says why the file could
    not be read; a file with a reason there has no hunks that may be trusted, and no rule may pass
    on it. `unparsed` says why one that is no code, or whose code nobody can
    tell, is read line by line alone: no rule may pass on
    it that would have to parse it; `unread_part` says so of some of the code that the change
    touches, the rest of which is parsed. `unlisted` is one that stands for files whose names are
    not known: any rule may be about them. `was_ignored` is one that comes from where the
    configuration has nothing judged. A `private` one is shown to no model. `unwritten` says why
    nobody has written it by hand, so that rules about code leave it alone, and `was_unwritten`
    whether they did before the change; see `jurat.source.unwritten`.
    """

    path: str
    status: FileStatus
    old_path: str | None = None
    language: str | None = None
    hunks: tuple[Hunk, ...] = ()
    base: str | None = None
    head: str | None = None
    old_mode: str | None = None
    new_mode: str | None = None
    is_binary: bool = False
    is_submodule: bool = False
    functions: tuple[Function, ...] = ()
    unread: str | None = None
    unparsed: str | None = None
    unread_part: str = ""
    script_language: str = ""
    unlisted: bool = False
    was_ignored: bool = False
    private: bool = False
    unwritten: str = ""
    was_unwritten: bool = False

    @property
    def possible_languages(self) -> tuple[str | None, ...]:
        """What it may be written in: `language` alone, but for a script that nobody could open."""
        seen = self.unread is None or self.head is not None or self.base is not None
        # Whether it was seen first: each rule asks this of each file.
        if not seen and has_code_inside(self.path):
            return list_inner_languages(self.path)
        if self.script_language or (not seen and is_page(self.path)):
            return (self.language, self.script_language or "javascript")
        no_script = self.unlisted or self.is_binary or self.is_submodule
        if seen or no_script or self.language is not None or is_language_named(self.path):
            return (self.language,)
        return UNSEEN

    @property
    def added_lines(self) -> frozenset[int]:
        """Line numbers, in the head version, of the lines that the change adds."""
        return frozenset(
            line.new
            for hunk in self.hunks
            for line in hunk.lines
            if line.kind == "added" and line.new is not None
        )

    @property
    def runs(self) -> tuple[ChangeRun, ...]:
        """The runs of changed lines, in order."""
        found: list[ChangeRun] = []
        for hunk in self.hunks:
            # A side without lines starts behind the line that is named.
            at = hunk.new_start if hunk.new_length else hunk.new_start + 1
            start, added, removed = at, list[int](), list[RemovedLine]()
            for line in (*hunk.lines, None):
                if line is not None and line.kind == "added":
                    added.append(at)
                    at += 1
                elif line is not None and line.kind == "removed":
                    removed.append(RemovedLine(line.old or 0, line.text))
                else:
                    if added or removed:
                        found.append(ChangeRun(start, tuple(added), tuple(removed)))
                        added, removed = [], []
                    at += line is not None
                    start = at
        return tuple(found)

    def as_base(self) -> FileChange | None:
        """The file under the name and in the language that it had, None if it is new to the rules.

        A copy is new: what it was copied from still stands.
        """
        if self.was_ignored or self.status in (FileStatus.ADDED, FileStatus.COPIED):
            return None
        path = self.old_path or self.path
        if path == self.path and bool(self.unwritten) == self.was_unwritten:
            return self
        if self.was_unwritten and not self.unwritten:
            return None
        first_line = (self.base or "")[:200].partition("\n")[0]
        language = (
            detect_inner_language(path, (self.base,))
            if has_code_inside(path)
            else detect_language(path) or detect_language(path, first_line)
        )
        return replace(self, path=path, language=language)

    def list_fragments(self, side: Literal["base", "head"]) -> tuple[TextFragment, ...]:
        """What is at hand of one side: the whole text as one fragment, or one fragment a hunk."""
        whole = self.head if side == "head" else self.base
        if whole is not None:
            return (TextFragment(1, whole),)
        dropped = "removed" if side == "head" else "added"
        pieces = []
        for hunk in self.hunks:
            lines = [line for line in hunk.lines if line.kind != dropped]
            if not lines:
                continue
            text = "".join(line.text + ("\n" if line.newline else "") for line in lines)
            first = lines[0].new if side == "head" else lines[0].old
            pieces.append(TextFragment(first or 1, text))
        return tuple(pieces)

    def list_code(self, side: Literal["base", "head"]) -> tuple[TextFragment, ...]:
        """The fragments of one side as its grammar reads them, each character in its place."""
        return tuple(
            TextFragment(one.first_line, read_code(self.path, one.text))
            for one in self.list_fragments(side)
        )


@dataclass(frozen=True, slots=True)
class Diff:
    """All files of a change, in the order of the diff. No path stands twice."""

    files: tuple[FileChange, ...] = ()
