"""What a constructor or a maker of containers makes, and what it goes by."""

from __future__ import annotations

from collections.abc import Sequence

from jurat.engine.flow.calls.containers import is_builder, open_builder
from jurat.engine.flow.forms.lowering import CHANNEL
from jurat.engine.flow.values.mappings import put_entry
from jurat.engine.flow.values.value import NOTHING, Given, Value, extend_name
from jurat.engine.flow.words import split_words

_PATH_KEEPERS = split_words(
    """
    resolve absolute joinpath with_name with_stem with_suffix expanduser relative_to
    """
)
"""Methods of a path that return another one."""

_CASES = split_words(
    """
    lower upper casefold toLowerCase toUpperCase ToLower ToUpper TrimSpace strip trim
    """
)
"""What returns the same text in other letters, or without blanks: it stays what it was."""

_TEXT_ELEMENTS = {
    "style": "HTMLStyleElement", "textarea": "HTMLTextAreaElement", "title": "HTMLTitleElement",
}  # fmt: skip
"""Elements whose content is text, by their tags: a browser makes no other elements of it."""

_LISTS = split_words(
    """
    ArrayList LinkedList CopyOnWriteArrayList Vector ArrayDeque ConcurrentLinkedQueue
    ConcurrentLinkedDeque LinkedBlockingQueue HashSet LinkedHashSet TreeSet CopyOnWriteArraySet
    """
)

_LIST_MAKERS = split_words(
    """
    List.of Set.of Arrays.asList Stream.of ImmutableList.of ImmutableSet.of
    """
)
"""Ends, after the last dot but one, of the names of what makes a list of what it is given."""

_EMPTY_MAKERS = frozenset({"defaultdict", "OrderedDict"})

_MAPS = frozenset({"HashMap", "LinkedHashMap", "TreeMap", "ConcurrentHashMap"})

_MAP_MAKERS = frozenset({"java.util.Map.of", "Map.of"})


def build_name(name: str, receiver: Value, given: Given, *, is_made: bool) -> str:
    """What a callee's answer goes by: an object by its class, and by what some are told."""
    word = name.rpartition(".")[2]
    if word in _PATH_KEEPERS and receiver.name.endswith("Path"):
        return receiver.name
    if word in _CASES and not is_made:
        kept = receiver if receiver.taints or not given else given[0][1]
        return kept.name or extend_name(name, "()")
    if word == "createElement" and given and given[0][1].constant in _TEXT_ELEMENTS:
        return _TEXT_ELEMENTS[given[0][1].constant]
    # A request that is made here is one to be sent, and nobody's who asks.
    result = name if is_made and not word.endswith("Request") else extend_name(name, "()")
    return result + (_list_settings(given) if is_made and word.endswith("Parser") else "")


def _list_settings(given: Given) -> str:
    """What a parser is made to do, as a part of its name: sinks may ask for it."""
    options = {one.keyword: value for one, value in given if one.keyword is not None}
    for one, value in given:
        if one.spread and value.items is not None:
            options |= value.items
    return "".join(f"+{name}" for name, value in options.items() if value.constant is True)


_HOLDERS = frozenset(("vue.ref", "vue.shallowRef", "ref", "shallowRef"))
"""What makes an object of one part, called `value`."""

_SAYING_NOTHING = frozenset(("String", "List", "Object", "Function"))
"""Types of what anything may be: to call a `Function` is not to make one."""


def _read_table(values: Sequence[Value]) -> dict[str, Value]:
    """What Python's `str.maketrans` puts in the place of which character."""
    if len(values) == 1:
        return dict(values[0].items or {})
    old, new, *gone = [one.constant if isinstance(one.constant, str) else "" for one in values]
    table = {key: Value(constant=put) for key, put in zip(old, new, strict=False)}
    return table | {key: Value(constant=None) for text in gone for key in text}


def make_container(
    name: str, result: str, values: Sequence[Value], *, is_made: bool
) -> Value | None:
    """A new list or mapping, a copy of one, or what a text is put together in; None if none."""
    word = name.rpartition(".")[2]
    if is_made and word in _LISTS and (not values or values[0].is_list):
        copied = values[0].items if values else None
        return Value(name=result, items=dict(copied or {}), box=object())
    if is_made and word in _MAPS and not (values and values[0].items is None):
        return Value(name=result, items=dict(values[0].items or {}) if values else {}, box=object())
    if word in _EMPTY_MAKERS and not any(one.items or one.taints for one in values):
        return Value(name=result, items={}, box=object())
    if name in _MAP_MAKERS:
        made = Value(name=result, items={}, box=object())
        for key, value in zip(values[::2], values[1::2], strict=False):
            made = put_entry(made, key, value)
        return made
    if word == "maketrans" and values:
        return Value(name=result, items=_read_table(values))
    if name == CHANNEL:
        return Value(name=name, items={}, box=object())
    if name in _HOLDERS:
        return Value(name=result, items={"value": values[0]} if values else {}, box=object())
    if ".".join(name.split(".")[-2:]) in _LIST_MAKERS and not any(one.items for one in values):
        return Value(name=result, items=dict(enumerate(values)), box=object())
    made = open_builder(Value(name=result), values) if is_made else NOTHING
    return made if is_builder(made) else None


def is_class_name(name: str) -> bool:
    """Whether a name reads like one of a class whose objects are known by it."""
    last = name.rpartition(".")[2]
    return last[:1].isupper() and not last.isupper() and last not in _SAYING_NOTHING
