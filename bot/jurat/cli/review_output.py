"""Where a local review goes: to standard output, into files, and as fixes into the work tree."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from types import MappingProxyType
from typing import TextIO

from jurat.cli.local_source import LocalSource
from jurat.cli.options import FailOn, print_note
from jurat.engine.fix_verifier import FixedFile, apply_safe_fixes
from jurat.errors import ExitCode, UsageError
from jurat.findings.evaluation import Conclusion, Evaluation, is_incomplete
from jurat.reports.counts import pluralize
from jurat.reports.formats import FORMAT_OF_SUFFIX, REVIEW_FORMATS, Detail, ReviewReport
from jurat.review_interfaces import Review
from jurat.source.diff import FileChange
from jurat.source.parsing import ParseMap
from jurat.source.visible_text import to_terminal_text


@dataclass(frozen=True, slots=True)
class OutputArgs:
    """How a review is printed: a format on standard output, and files by their names."""

    form: str = "text"
    files: tuple[Path, ...] = ()
    detail: Detail = Detail.NORMAL


def check_outputs(asked: OutputArgs) -> None:
    """Raise UsageError for a file that cannot be written, before anything is reviewed."""
    for path in asked.files:
        if path.suffix not in FORMAT_OF_SUFFIX:
            raise UsageError(
                f"--output {path}: its name does not say its format.",
                hint=f"End it with {', '.join(FORMAT_OF_SUFFIX)}.",
            )
        if not path.parent.is_dir() or path.is_dir():
            raise UsageError(f"--output {path}: there is no folder to write such a file into.")


class Printer:
    """A Publisher that prints the review of `source`, and nothing but the review, on `stream`."""

    def __init__(self, asked: OutputArgs, stream: TextIO, source: LocalSource) -> None:
        self._asked = asked
        self._stream = stream
        self._source = source

    async def publish(self, review: Review) -> None:
        """Print it, and write the files."""
        report = ReviewReport(
            review.evaluation,
            {file.path: file for file in review.context.files},
            self._source.rules_from,
            self._asked.detail,
            self._source.find_repository,
            self._source.commit,
        )
        for path in self._asked.files:
            try:
                with path.open("w", encoding="utf-8", errors="backslashreplace") as file:
                    _write_report(report, FORMAT_OF_SUFFIX[path.suffix], file)
            except OSError as error:
                raise UsageError(f"--output {path} was not written: {error.strerror}.") from error
        _write_report(report, self._asked.form, self._stream)


def _write_report(report: ReviewReport, form: str, stream: TextIO) -> None:
    # A format's module is loaded only when it is used.
    resolve_name(REVIEW_FORMATS[form])(report, stream)


def exit_code(evaluation: Evaluation, fail_on: FailOn) -> ExitCode:
    """3 if the review could not be completed, else 1 if its conclusion is one of `fail_on`, else 0.

    Findings are printed in any case; a code of 1 would say that they are all there is to find.
    """
    # First: 1 would say that these are all the findings, 0 that there are none.
    if is_incomplete(evaluation):
        return ExitCode.INCOMPLETE
    return ExitCode.FINDINGS if evaluation.conclusion in _FAILING[fail_on] else ExitCode.PASSED


_FAILING: Mapping[FailOn, frozenset[Conclusion]] = MappingProxyType(
    {
        FailOn.DENY: frozenset({Conclusion.FAILURE}),
        FailOn.CONFIRM: frozenset({Conclusion.FAILURE, Conclusion.ACTION_REQUIRED}),
        FailOn.NEVER: frozenset(),
    }
)
"""The conclusions that make the exit code 1."""


# The fixes that were proven, as a diff or in the work tree, and nothing else.


class FixPrinter:
    """A Publisher that prints the proven fixes as a diff that `git apply` takes."""

    def __init__(self, stream: TextIO, parse_map: ParseMap) -> None:
        self._stream = stream
        self._parse_map = parse_map

    async def publish(self, review: Review) -> None:
        """Print the diff; nothing if there is nothing to fix."""
        heads = {file.path: file for file in review.context.files}
        for file in _list_held(review, self._parse_map):
            diff = "".join(_diff_fixed(file, heads[file.path]))
            # A person's terminal obeys what a change's author has put into a line; git reads bytes.
            self._stream.write(to_terminal_text(diff) if self._stream.isatty() else diff)


class WorkTreeFixer:
    """A Publisher that writes the proven fixes into the work tree at `root`.

    `count` is how many it wrote.
    """

    def __init__(self, root: Path, parse_map: ParseMap) -> None:
        self._root = root
        self._parse_map = parse_map
        self.count = 0

    async def publish(self, review: Review) -> None:
        """Write them, and say which were not."""
        heads = {file.path: file.head or "" for file in review.context.files}
        held = _list_held(review, self._parse_map)
        written = [file for file in held if self._write(file, heads[file.path])]
        self.count = sum(len(file.fixes) for file in written)
        if written:
            fixes = pluralize(self.count, "fix", "fixes")
            print_note(f"applied {fixes} in {pluralize(len(written), 'file')}.")

    def _write(self, file: FixedFile, head: str) -> bool:
        root = self._root.resolve()
        path = root / file.path
        if not _is_within(path, root):
            print_note(f"{file.path} was not fixed: it is reached by a symbolic link.")
            return False
        # Whoever works there may have deleted it meanwhile; one that is not there is not made.
        with suppress(OSError):
            there = path.read_bytes()
            for newline in ("\n", "\r\n"):
                # What git compares may lie on the disk with other line ends (core.autocrlf).
                if there == head.replace("\n", newline).encode():
                    path.write_bytes(file.text.replace("\n", newline).encode())
                    return True
        print_note(f"{file.path} was not fixed: it is not on the disk as git has it.")
        return False


def _is_within(path: Path, root: Path) -> bool:
    """Whether a path that a change named is a file of the checkout at `root`, and not git's own."""
    try:
        # A link or `..` would lead out of the checkout, or to another of its files.
        straight = path.resolve() == path
    except (OSError, ValueError):  # too long, or a character that no name holds
        return False
    if not straight or not path.is_relative_to(root):
        return False
    return ".git" not in (part.casefold() for part in path.relative_to(root).parts)


def _list_held(review: Review, parse_map: ParseMap) -> list[FixedFile]:
    """The files with their fixes, those left out that do not hold together, which is said."""
    fixed = apply_safe_fixes(review.context, review.evaluation, review.inputs.rule_set, parse_map)
    for file in fixed:
        if file.problem:
            print_note(f"{file.path} was not fixed. Together its fixes fail: {file.problem}.")
    return [file for file in fixed if not file.problem]


def _diff_fixed(file: FixedFile, change: FileChange) -> Iterator[str]:
    """A unified diff from the head to the fixed text (git-diff, "Generating patch text")."""
    old, new = _split_lines(change.head or ""), _split_lines(file.text)
    lines = difflib.unified_diff(old, new, _quote(f"a/{file.path}"), _quote(f"b/{file.path}"))
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _split_lines(text: str) -> Sequence[str]:
    # Not splitlines: to git a form feed or a carriage return ends no line.
    *whole, last = text.split("\n")
    return [*(f"{line}\n" for line in whole), *([last] if last else [])]


def _quote(name: str) -> str:
    r"""A path as git writes it: in quotes, as C has them, if it holds a control, " or \."""
    if not any(mark in '"\\' or not mark.isprintable() for mark in name):
        return name
    marks = (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}" for byte in _escape_path(name))
    return f'"{"".join(marks)}"'


def _escape_path(name: str) -> bytes:
    return name.replace("\\", "\\\\").replace('"', '\\"').encode(errors="surrogateescape")
