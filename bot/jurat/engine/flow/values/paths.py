"""What stands before each part of a path that is put together, and what became of its `..`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from jurat.engine.flow.values.evaluator import Evaluator
from jurat.engine.flow.values.taints import HOLE, Start, Taint, Taints, extend_before
from jurat.engine.flow.values.value import Value, extend_name, iter_taints

_STARTS = {
    **dict.fromkeys(
        (
            *("realpath", "abspath", "resolve", "realpathSync", "native", "Abs", "toRealPath"),
            *("getCanonicalPath", "getCanonicalFile"),
        ),
        Start.ROOT,
    ),
    **dict.fromkeys(("relpath", "relative", "Rel", "relativize"), Start.FOLDER),
}
"""What works out the `..` of a path and makes it begin elsewhere."""

_STRIPPERS = frozenset(
    {"lstrip", "strip", "removeprefix", "TrimPrefix", "TrimLeft", "substring", "slice"}
)


def write_path(parts: Sequence[Value], *, restarts: bool) -> Iterator[Value]:
    """The parts of a path that are put one behind the other, each with what stands before it.

    With `restarts`, one that begins at the root stands alone.
    """
    before = ""
    for part in parts:
        constant = part.constant if isinstance(part.constant, str) else None
        head = before + "/" if before and before != "/" else before
        kept = (
            one
            if restarts and one.is_rooted
            else one._replace(before=extend_before(head, one.before))
            for one in iter_taints(part)
        )
        yield Value(tuple(kept), name=part.name)
        before = extend_before(head, HOLE if constant is None else constant)


def _is_slash_stripped(word: str, values: Sequence[Value]) -> bool:
    """Whether the slash at a path's beginning is taken off, of what is said to be taken off."""
    if word not in _STRIPPERS:
        return False
    said = [value.constant for value in values[:2]]
    return (word in ("substring", "slice") and said[:1] == [1]) or "/" in said


def settle_path(evaluator: Evaluator, name: str, taints: Taints, values: Sequence[Value]) -> Taints:
    """The origins of a path behind what works out its `..`, or takes its first slash off."""
    if not taints:
        return taints
    if evaluator.matcher.find_normalizer(extend_name(name, "()")):
        start = _STARTS.get(name.rpartition(".")[2], Start.GIVEN)
        taints = tuple(one.settle(start) for one in taints)
    if _is_slash_stripped(name.rpartition(".")[2], values):
        taints = tuple(one.unroot() for one in taints)
    return taints


def keep_front(taints: Taints, front: Iterable[Taint]) -> Taints:
    """The folder that another function found stays its own, whatever is put behind it."""
    kept = {one.key for one in front if one.foreign}
    return tuple(one if one.key in kept else one._replace(foreign=False) for one in taints)
