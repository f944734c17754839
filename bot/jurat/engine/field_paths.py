"""Field paths: `change.functions[*].complexity` against nested facts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from jurat.engine.outcome import Admits


class _MissingValue:
    """Marks a path that leads nowhere."""

    def __repr__(self) -> str:
        return "missing"


MISSING: Final = _MissingValue()
_ALL: Final = -1
_STEP = re.compile(r"\[([0-9]+|\*)\]|\.?([^.\[\]]+)")

Steps = tuple[str | int, ...]
"""A compiled path: a key, an index, or -1 for every item."""


class Found(NamedTuple):
    """A value, or MISSING, at a concrete path.

    `holder` is the innermost mapping around the value, `place` the innermost that has a `path`.
    """

    path: str
    value: object
    holder: Mapping[str, Any] | None
    place: Mapping[str, Any] | None


def compile_path(path: str) -> Steps:
    """The steps of a path that `corpus.constraints.FieldPath` has checked."""
    return tuple(
        key or (_ALL if index == "*" else int(index)) for index, key in _STEP.findall(path)
    )


def resolve(
    facts: Mapping[str, Any], steps: Steps, admits: Admits | None = None
) -> Iterator[Found]:
    """Every value at a path. No value at all if a `[*]` meets an empty list.

    A null counts as missing: nobody has said anything. List items that `admits` refuses are
    passed over.
    """
    return _walk(facts, steps, "", None, None, admits=admits)


def _walk(
    node: object,
    steps: Steps,
    path: str,
    holder: Mapping[str, Any] | None,
    place: Mapping[str, Any] | None,
    *,
    admits: Admits | None,
) -> Iterator[Found]:
    if isinstance(node, Mapping) and isinstance(node.get("path"), str):
        place = node
    if not steps or node is None or node is MISSING:
        yield Found(_format_path(path, steps), MISSING if node is None else node, holder, place)
        return
    step, rest = steps[0], steps[1:]
    if isinstance(step, str):
        inner = f"{path}.{step}" if path else step
        if isinstance(node, Mapping):
            yield from _walk(node.get(step, MISSING), rest, inner, node, place, admits=admits)
        else:
            yield from _walk(MISSING, rest, inner, holder, place, admits=admits)
    elif not isinstance(node, (list, tuple)):
        yield Found(_format_path(path, steps), MISSING, holder, place)
    elif step != _ALL:
        item = node[step] if step < len(node) else MISSING
        yield from _walk(item, rest, f"{path}[{step}]", holder, place, admits=admits)
    else:
        for index, item in enumerate(node):
            if admits is None or not isinstance(item, Mapping) or admits(item):
                yield from _walk(item, rest, f"{path}[{index}]", holder, place, admits=admits)


def _format_path(path: str, steps: Steps) -> str:
    for step in steps:
        if isinstance(step, int):
            path += "[*]" if step == _ALL else f"[{step}]"
        else:
            path += f".{step}" if path else step
    return path
