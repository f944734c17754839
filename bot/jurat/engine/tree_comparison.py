"""Whether a change of a text changes the meaning of what stands around it.

`if (x) debugger; return 1;` without its `debugger;` parses, and returns only if x: the next
statement has moved into the branch. So the trees of both texts are walked down together, parent by
parent, to where they differ; only what the change itself covers may be different there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ast_grep_py import SgNode

from jurat.source.syntax import parse


class _Edit(NamedTuple):
    """The characters that differ: from `start` to `end` in one text."""

    start: int
    end: int


def has_changed_around(before: str, after: str, language: str) -> bool:
    """Whether anything is another part of its parents than before, beside what was replaced.

    True as well if the trees are too deep to be compared.
    """
    start = _count_common(before, after)
    ending = min(_count_common(before[::-1], after[::-1]), len(before) - start, len(after) - start)
    edits = _Edit(start, len(before) - ending), _Edit(start, len(after) - ending)
    try:
        return not _is_same_around(
            parse(before, language).root(), parse(after, language).root(), *edits
        )
    except RecursionError:
        return True


def _is_same_around(one: SgNode, other: SgNode, before: _Edit, after: _Edit) -> bool:
    """Whether two nodes are alike but for what an edit covers in each."""
    if one.kind() != other.kind():
        return _is_covered([one], before) and _is_covered([other], after)
    mine, its = one.children(), other.children()
    if not mine and not its:
        return True
    first = next(
        (at for at, (a, b) in enumerate(zip(mine, its, strict=False)) if not _is_equal(a, b)),
        min(len(mine), len(its)),
    )
    mine, its = mine[first:], its[first:]
    while mine and its and _is_equal(mine[-1], its[-1]):
        mine.pop()
        its.pop()
    alike = len(mine) == len(its) and all(
        _is_equal(a, b) or _is_same_around(a, b, before, after)
        for a, b in zip(mine, its, strict=True)
    )
    return alike or (_is_covered(mine, before) and _is_covered(its, after))


def _is_equal(one: SgNode, other: SgNode) -> bool:
    return one.kind() == other.kind() and one.text() == other.text()


def _is_covered(nodes: Sequence[SgNode], edit: _Edit) -> bool:
    """Whether the first and the last word of some siblings are part of an edit."""
    if not nodes:
        return True
    first, last = nodes[0], nodes[-1]
    while children := first.children():
        first = children[0]
    while children := last.children():
        last = children[-1]
    # What is put in between two characters touches the words on both of its sides.
    slack = 1 if edit.start == edit.end else 0
    begins, ends = first.range().end.index, last.range().start.index
    return begins > edit.start - slack and ends < edit.end + slack


def _count_common(one: str, other: str) -> int:
    """The characters that both begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
