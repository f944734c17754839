"""Safeguards that a change took away: matched in the base, gone from the head.

A guard is missed only if what it guarded is still there, and nothing has taken its place: the same
code elsewhere, another match of the same rule around it, or a line that reads like its successor.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ast_grep_py import SgNode

from jurat.engine.baseline import LineMap, Occurrence
from jurat.findings.finding import Cause
from jurat.rules.constraints import compile_regex
from jurat.source.definitions import build_enclosing_name
from jurat.source.diff import ChangeRun, FileChange

_LEAST_SHARE = 0.5
"""Of the lines that a change took away, those of the guard: who takes more removed a feature."""

_REMARKS = ("#", "//", "/*", "*", "--", "<!--")
"""What a line begins with that says something and does nothing."""


@dataclass(frozen=True, slots=True)
class GuardMatch:
    """What a rule found in one version of a file. `guarded` is the name of what it stands before.

    `first` and `last` are its lines in that version.
    """

    node: SgNode
    occurrence: Occurrence
    guarded: str
    first: int
    last: int


def find_guarded(node: SgNode, language: str) -> str:
    """The qualified name of the function or scope that a guard is about, "" for the file.

    A decorator is about what it decorates, anything else about what it stands in.
    """
    if node.kind() != "decorator":
        return build_enclosing_name(node, language)
    after = node.next()
    while after is not None and after.kind() in ("decorator", "comment", "export"):
        after = after.next()
    body = after.field("body") if after is not None else None
    if body is None and after is not None:
        # `export class A`, whose decorators stand before the statement.
        body = next((one.field("body") for one in after.children() if one.field("body")), None)
    return build_enclosing_name(body if body is not None else node, language)


def find_removed(
    before: Sequence[GuardMatch],
    after: Sequence[GuardMatch],
    names: Callable[[], frozenset[str]],
    lines: LineMap,
    is_deletion: Callable[[ChangeRun], bool],
) -> list[tuple[int, Cause]]:
    """Of what the base had, what a deletion took from something that is still there.

    By its index, with the deletion. `after` is what the head has, `names` its functions and scopes.
    A guard is the same if it says the same of the same function or scope.
    """
    left = Counter((one.guarded, one.occurrence.code) for one in after)
    gone = []
    for at, one in enumerate(before):
        key = one.guarded, one.occurrence.code
        left[key] -= 1
        if left[key] < 0:
            gone.append(at)
    brought = [guarded for (guarded, _), number in left.items() if number > 0]
    found = []
    for at in gone:
        one = before[at]
        index = lines.find_run(one.first, one.last, head=False)
        if index is None:
            continue
        run = lines.runs[index]
        if not is_deletion(run) or not _is_most_of(one, run):
            continue
        if one.guarded and one.guarded not in names():
            continue
        # One around more than this, or several around its parts, serve it as well.
        if any(_is_around(new, one.guarded) or _is_around(one.guarded, new) for new in brought):
            continue
        removed = tuple(line.number for line in run.removed)
        found.append((at, Cause(run.start, removed, safeguard=True)))
    return found


def _is_most_of(one: GuardMatch, run: ChangeRun) -> bool:
    numbers = [line.number for line in run.removed if line.text.strip()]
    own = sum(one.first <= number <= one.last for number in numbers)
    return own >= _LEAST_SHARE * len(numbers)


def _is_around(outer: str, inner: str) -> bool:
    return not outer or inner == outer or inner.startswith(f"{outer}.")


def is_more_than_remark(line: str) -> bool:
    """Whether a line is more than a remark: what was commented out is gone."""
    return bool(line.strip()) and not line.lstrip().startswith(_REMARKS)


def list_brought_lines(file: FileChange) -> tuple[str, ...]:
    """The lines that a change adds to a file and that do something."""
    added = (line.text for hunk in file.hunks for line in hunk.lines if line.kind == "added")
    return tuple(filter(is_more_than_remark, added))


def is_replaced(instead: str, brought: Iterable[str]) -> bool:
    """Whether an added line reads like what may stand in a guard's place; never, for no pattern."""
    if not instead:
        return False
    successor = compile_regex(instead)
    return any(successor.search(line.encode("utf-8", "replace")) for line in brought)
