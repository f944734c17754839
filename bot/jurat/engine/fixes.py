"""Fix templates filled in and turned into replacements of whole lines; fixes applied to a file.

ast-grep's Python API finds and edits but does not fill a template. As in its own command
(https://ast-grep.github.io/guide/rewrite-code.html), what a template or a capture has on further
lines is indented from the line on which the match stands.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from ast_grep_py import SgNode

from jurat.findings.finding import Fix
from jurat.rules.patterns import METAVARIABLE
from jurat.source.diff import FileChange, Hunk, Line


class Replacement(NamedTuple):
    """New text for a range of a source, in code points; `end` is exclusive."""

    start: int
    end: int
    text: str
    auto_applicable: bool = True
    consequence: str = ""


class _Capture(NamedTuple):
    text: str
    start: int


def fill_template(template: str, match: SgNode, source: str) -> str | None:
    """The template with the match's captures; None if one is not bound in this match.

    A newline at the end of the template is YAML's, not the author's. Newlines become those of the
    line on which the match starts.
    """
    start = match.range().start.index
    indent = _get_indent_at(source, start)
    newline = "\r\n" if _get_line_end(source, start).endswith("\r") else "\n"
    lines = []
    for number, line in enumerate(template.removesuffix("\n").split("\n")):
        lead = line[: len(line) - len(line.lstrip(" \t"))]
        filled = _fill_line(line, match, source, continuation=indent + lead)
        if filled is None:
            return None
        lines.append(indent + filled if number and filled.strip() else filled)
    return newline.join(lines)


def build_line_fixes(
    path: str, source: str, replacements: Iterable[Replacement], description: str
) -> list[Fix]:
    """The replacements as remediations of whole lines; those that share a line become one.

    Of replacements that overlap, the first and widest counts. Lines are counted from 1 at the start
    of `source`. A line of which nothing is left goes away.
    """
    source += "\n"
    starts = [0, *(index + 1 for index, character in enumerate(source) if character == "\n")]
    remediations = []
    for group in _group_replacements(
        [_expand_to_whole_lines(item, source) for item in replacements], starts
    ):
        first, last = _find_lines_of(group[0], starts)[0], _find_lines_of(group[-1], starts)[1]
        position, end = starts[first], starts[last + 1]
        original, pieces = source[position : end - 1], []
        for item in group:
            pieces += [source[position : item.start], item.text]
            position = item.end
        changed = "".join([*pieces, source[position:end]])
        gone = not changed.strip() and not any(item.text for item in group)
        remediations.append(
            Fix(
                type="delete" if gone else "replace",
                file_path=path,
                start_line=first + 1,
                end_line=last + 1,
                original=original,
                replacement="" if gone else changed.removesuffix("\n"),
                auto_applicable=all(item.auto_applicable for item in group),
                description=description,
                consequence=" ".join(dict.fromkeys(filter(None, (i.consequence for i in group)))),
            )
        )
    return remediations


def apply_fixes(text: str, remediations: Iterable[Fix]) -> str:
    """A file's text with remediations applied, from the last line to the first.

    Raises ValueError if what a remediation replaces does not stand in the text.
    """
    lines = text.split("\n")
    # From the bottom up: what is above keeps its line numbers.
    for item in sorted(remediations, key=lambda fix: fix.start_line or 0, reverse=True):
        if item.start_line is None or item.end_line is None:
            continue
        # Checked against the text each time: a fix on lines that moved would overwrite others.
        if "\n".join(lines[item.start_line - 1 : item.end_line]) != item.original:
            problem = f"lines {item.start_line} to {item.end_line} are not what the fix replaces"
            raise ValueError(problem)
        new = [] if item.type == "delete" else item.replacement.split("\n")
        lines[item.start_line - 1 : item.end_line] = new
    return "\n".join(lines)


def _fill_line(line: str, match: SgNode, source: str, continuation: str) -> str | None:
    pieces, position = [], 0
    for variable in METAVARIABLE.finditer(line):
        many = variable[1] is not None
        capture = _find_capture(match, variable[1] or variable[2], source, many=many)
        if capture is None:
            return None
        first, *further = capture.text.split("\n")
        old = _get_indent_at(source, capture.start)
        further = [
            continuation + more.removeprefix(old) if more.strip() else more for more in further
        ]
        pieces += [line[position : variable.start()], "\n".join([first, *further])]
        position = variable.end()
    return "".join([*pieces, line[position:]])


def find_capture(match: SgNode, name: str, source: str) -> str | None:
    """The text that a match captured under a name; None if it captured nothing."""
    found = _find_capture(match, name, source, many=False)
    return found.text if found else None


def _find_capture(match: SgNode, name: str, source: str, *, many: bool) -> _Capture | None:
    transformed = match.get_transformed(name)
    if transformed is not None:
        return _Capture(transformed, match.range().start.index)
    node = match.get_match(name)
    if node is not None:
        return _Capture(node.text(), node.range().start.index)
    nodes = match.get_multiple_matches(name)
    if nodes:
        start, end = nodes[0].range().start.index, nodes[-1].range().end.index
        return _Capture(source[start:end], start)
    return _Capture("", match.range().start.index) if many else None


def _get_indent_at(source: str, index: int) -> str:
    line = source[source.rfind("\n", 0, index) + 1 : index]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _get_line_end(source: str, index: int) -> str:
    end = source.find("\n", index)
    return source[index:end] if end >= 0 else source[index:]


def _expand_to_whole_lines(item: Replacement, source: str) -> Replacement:
    """A deletion that leaves nothing on its lines takes the lines along."""
    start = source.rfind("\n", 0, item.start) + 1
    end = source.index("\n", item.end) + 1
    if item.text or (source[start : item.start] + source[item.end : end]).strip():
        return item
    return item._replace(start=start, end=end)


def _find_lines_of(item: Replacement, starts: Sequence[int]) -> tuple[int, int]:
    """The first and the last line, from 0, that a replacement touches."""
    takes_lines = not item.text and starts[bisect_right(starts, item.start) - 1] == item.start
    # One that takes a line's end and puts none there joins the next line to what it writes.
    joins = not item.text.endswith("\n") and not takes_lines
    last = max(item.start, item.end if joins and item.end > item.start else item.end - 1)
    return bisect_right(starts, item.start) - 1, bisect_right(starts, last) - 1


def _group_replacements(
    replacements: Iterable[Replacement], starts: Sequence[int]
) -> list[list[Replacement]]:
    groups: list[list[Replacement]] = []
    # The widest first of those that begin alike: nested matches lie inside of it.
    for item in sorted(replacements, key=lambda edit: (edit.start, -edit.end)):
        previous = groups[-1][-1] if groups else None
        if previous is not None and item.start < previous.end:
            continue
        if (
            previous is not None
            and _find_lines_of(item, starts)[0] <= _find_lines_of(previous, starts)[1]
        ):
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


# A file of a change as it would be with fixes applied, still as a change against its base.


def apply_to_file(file: FileChange, fixes: Sequence[Fix]) -> FileChange:
    """The file with `fixes` applied to its head, as one hunk that shows all of it.

    Without fixes it is the same file in that form, so that two versions compare alike. Functions
    are left out: they are whoever's who parses it. Raises ValueError if the head version is not
    at hand, or a fix does not fit it.
    """
    if file.head is None:
        problem = "the whole file is not at hand"
        raise ValueError(problem)
    head = apply_fixes(file.head, fixes)
    lines = _align_lines(file, file.head)
    at = {line.new: index for index, line in enumerate(lines) if line.new is not None}
    for fix in sorted(fixes, key=lambda item: item.start_line or 0, reverse=True):
        if fix.start_line is None or fix.end_line is None:
            continue
        first, last = at[fix.start_line], at[fix.end_line]
        lines[first : last + 1] = _replace_lines(lines[first : last + 1], fix)
    hunk = _build_whole_hunk(_number_lines(lines, ends_open=bool(head) and not head.endswith("\n")))
    return replace(file, head=head, hunks=(hunk,), functions=())


def _align_lines(file: FileChange, head: str) -> list[Line]:
    """Every line of both versions, in order: the hunks, with what stands between them."""
    texts = head.split("\n")
    if not texts[-1]:
        texts.pop()
    lines: list[Line] = []
    old = new = 1

    def keep_until(end: int) -> None:
        nonlocal old, new
        while new < end:
            lines.append(Line("context", old, new, texts[new - 1]))
            old, new = old + 1, new + 1

    for hunk in file.hunks:
        keep_until(hunk.new_start if hunk.new_length else hunk.new_start + 1)
        lines += hunk.lines
        old += hunk.old_length
        new += hunk.new_length
    keep_until(len(texts) + 1)
    return lines


def _replace_lines(lines: Iterable[Line], fix: Fix) -> list[Line]:
    """What stood in the base goes, what the fix says comes."""
    removed = [Line("removed", line.old, None, line.text) for line in lines if line.old is not None]
    new = [] if fix.type == "delete" else fix.replacement.split("\n")
    return [*removed, *(Line("added", None, 0, text) for text in new)]


def _number_lines(lines: Iterable[Line], *, ends_open: bool) -> tuple[Line, ...]:
    """The lines with the numbers of the head version given anew."""
    numbered = []
    number, last = 0, None
    for index, line in enumerate(lines):
        if line.new is not None:
            number, last = number + 1, index
            line = line._replace(new=number, newline=True)  # noqa: PLW2901 - the line, renumbered
        numbered.append(line)
    if last is not None and ends_open:
        numbered[last] = numbered[last]._replace(newline=False)
    return tuple(numbered)


def _build_whole_hunk(lines: tuple[Line, ...]) -> Hunk:
    old = sum(line.kind != "added" for line in lines)
    new = sum(line.kind != "removed" for line in lines)
    return Hunk(min(old, 1), old, min(new, 1), new, "", lines)
