"""Calls that put a text together: of a format, of a list, of the parts of an address."""

from __future__ import annotations

from collections.abc import Sequence

from jurat.engine.flow.calls.texts import BRACE_HOLE, PERCENT_HOLE, fill_text, join_text
from jurat.engine.flow.checks.replacements import find_replaced, mark_replaced
from jurat.engine.flow.forms.lowering import TEXT_OF_BYTES
from jurat.engine.flow.forms.program import Argument
from jurat.engine.flow.values.evaluator import Evaluator
from jurat.engine.flow.values.pieces import is_splitter, read_step
from jurat.engine.flow.values.taints import merge_taints
from jurat.engine.flow.values.value import NOTHING, Given, Value, extend_name
from jurat.engine.flow.words import split_words

_TEXT_JOINERS = frozenset({"join", "Join"})

_JOINERS = _TEXT_JOINERS | {"urlunsplit", "urlunparse"}

_FORMATTERS = split_words(
    """
    fmt.Sprintf fmt.Fprintf fmt.Errorf String.format util.format java.lang.String.format
    fmt.Sprint
    """
)


def put_together(
    evaluator: Evaluator, name: str, receiver: Value, values: Sequence[Value]
) -> Value | None:
    """A text that is filled in or joined; None if a callee does neither."""
    word = name.rpartition(".")[2]
    text: Value | None = None
    if name == TEXT_OF_BYTES and len(values) == 1:
        return _join_items(evaluator, NOTHING, values[0]) if values[0].items else values[0]
    if name in _FORMATTERS and values and isinstance(values[0].constant, str):
        text = fill_text(evaluator, values[0].constant, values[1:], PERCENT_HOLE)
    elif word in ("format", "formatted") and isinstance(receiver.constant, str):
        holes = BRACE_HOLE if word == "format" else PERCENT_HOLE
        text = fill_text(evaluator, receiver.constant, values, holes)
    elif word == "concat" and values and _is_text(receiver):
        text = join_text(evaluator, [receiver, *values])
    elif word in _JOINERS and (values or receiver.items is not None):
        return _join(evaluator, word, receiver, values)
    return text and text._replace(name=extend_name(name, "()"))


def _is_text(of: Value) -> bool:
    """Whether what something is put behind is a text, and no list."""
    if isinstance(of.constant, str):
        return True
    return of.items is None and (bool(of.start) or any(taint.mixed for taint in of.taints))


def _join_items(evaluator: Evaluator, separator: Value, items: Value) -> Value:
    """The items as one text: what else their list may hold stands behind the first one."""
    if items.items is None:
        taken = evaluator.take_parts(items.taints, items.name)
        return Value(tuple(t._replace(mixed=True, foreign=False) for t in taken))
    parts: list[Value] = []
    for item in items.items.values():
        parts += [item] if not parts else [separator, item]
    joined = join_text(evaluator, parts)
    rest = Value(items.taints)
    if rest.taints and 0 in items.items:
        rest = join_text(evaluator, [items.items[0], separator, rest])
    return joined._replace(taints=merge_taints((*joined.taints, *rest.taints)))


def _join(
    evaluator: Evaluator, word: str, receiver: Value, values: Sequence[Value]
) -> Value | None:
    """A text of the parts of a list, or an address; None if it is no text that joins them."""
    if (again := _join_again(evaluator, [receiver, *values[:2]])) is not None:
        return again
    if word not in _TEXT_JOINERS:
        items = values[0] if values else NOTHING
        return (
            _join_address(evaluator, list((items.items or {}).values())) if items.is_list else None
        )
    if word == "join" and isinstance(receiver.constant, str) and values:
        return _join_items(evaluator, receiver, values[0])
    # `list.join(", ")`, `strings.Join(list, ", ")`, `String.join(", ", list)`.
    several = [receiver, *values[:2]]
    separators = [one.constant for one in several if isinstance(one.constant, str)]
    lists = [one for one in several if one.is_list]
    if len(lists) != 1 or len(separators) > 1:
        return None
    if not separators and not receiver.is_list:
        # `one_of_several.join(list)`: nobody knows what stands between. `shlex.join` has a name.
        is_text = not receiver.name and len(values) == 1
        return _join_items(evaluator, NOTHING, lists[0]) if is_text else None
    return _join_items(evaluator, Value(constant=separators[0] if separators else ","), lists[0])


def _join_again(evaluator: Evaluator, several: Sequence[Value]) -> Value | None:
    """A text that was split and is put together by another text, which then stands wherever it was
    split: the one in place of the other. None if it is no such text.
    """
    split = [one for one in several if one.taints and one.items is None]
    joined_by = [one for one in several if isinstance(one.constant, str)]
    if len(split) != 1 or len(joined_by) != 1:
        return None
    steps = {taint.path[-1] if taint.path else "" for taint in split[0].taints}
    word, character = read_step(steps.pop())
    if steps or len(character) != 1 or not is_splitter(word):
        return None
    values = [Value(constant=character), joined_by[0]]
    replaced = find_replaced(evaluator, "replaceAll", NOTHING, values)
    if replaced is None or not (replaced.answered or replaced.without):
        return None
    taints = (mark_replaced(evaluator, one, replaced) for one in split[0].taints)
    return Value(tuple(one for one in taints if one.matters))


def _join_address(evaluator: Evaluator, parts: Sequence[Value]) -> Value:
    """An address of its parts: the scheme, the host and what follows."""
    slashes = Value(constant="://"), Value(constant="/")
    return join_text(evaluator, [*parts[:1], slashes[0], *parts[1:2], slashes[1], *parts[2:]])


def fill_format(evaluator: Evaluator, name: str, given: Given) -> list[tuple[Argument, Value]]:
    """What is written by a format, as one text: a number in its place is none."""
    if name == "fmt.Fprintf" and len(given) > 1 and isinstance(given[1][1].constant, str):
        text = fill_text(
            evaluator, given[1][1].constant, [value for _, value in given[2:]], PERCENT_HOLE
        )
        return [given[0], (given[1][0], text)]
    return list(given)
