"""Whether what arrives at a sink does harm there: in a statement, as a program, as a host."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from jurat.engine.flow.forms.program import UNKNOWN
from jurat.engine.flow.sinks.pages import (
    PAGES,
    is_no_page,
    list_bodies,
    list_markup,
    list_sent,
    list_unescaped,
)
from jurat.engine.flow.sinks.queries import (
    list_clauses,
    list_filters,
    list_queries,
    list_scripts,
    list_searches,
    list_sql,
)
from jurat.engine.flow.values.addresses import CONTENT, list_forwards, list_hosts, list_redirects
from jurat.engine.flow.values.arrivals import list_all, list_chosen_names, list_mixed, list_own
from jurat.engine.flow.values.commands import list_argv, list_command
from jurat.engine.flow.values.settings import Given, are_met, list_said
from jurat.engine.flow.values.taints import REMOTE, ROOT, Taint
from jurat.engine.flow.values.value import NOTHING, Value, iter_taints
from jurat.engine.flow.words import split_words
from jurat.engine.units import split_words as list_words
from jurat.rules.callee_names import compile_name
from jurat.rules.sinks import ABSENT, UNLIKE, Sink, SinkArgument

_STREAMS = frozenset({"file", "stream"})
_FILE_NAMES = frozenset({"filename", "name", "originalname", "originalFilename"})
"""Parts of a file that somebody sends: what is in it, and what they call it.

The path that it was put down at is the server's own choice.
"""


def find_harm(sink: Sink, given: Given) -> list[Taint]:
    """The origins of what arrives at a sink and does harm there; none if a condition is not met."""
    if not all(_is_given(name, wanted, given) for name, wanted in sink.conditions):
        return []
    if sink.parts and not are_met(sink.parts, given):
        return []
    if is_no_page(given) and PAGES.issuperset(one.kind for one in sink.arguments):
        return []
    found = [
        taint
        for argument in sink.arguments
        for taint in _FITTING[argument.kind](
            _pick(argument, _leave_keys(given) if argument.kind == _KEYED else given)
        )
    ]
    if any(argument.kind == "program" for argument in sink.arguments) and _is_hosted(given):
        # What runs a program in surroundings of its own is there for it: its callers are asked.
        return [one for one in found if one.mixed or one.strength == REMOTE]
    return found


def find_kept(name: str, given: Given, trusts: Callable[[str], bool]) -> list[Taint]:
    """The origins of what is kept under a name that is believed later, `name` being the sink's.

    A name that somebody outside chooses as a whole may be any of them.
    """
    found: list[Taint] = []
    for key, value in _list_entries(name, given):
        found += (taint for taint in list_own([key]) if not taint.before and not taint.mixed)
        if isinstance(key.constant, str) and trusts(key.constant):
            found += _list_believed(value, trusts)
    return found


_KEYED = "keyed"

_KEY = re.compile(r"(?:\w+\.)*(\w+)(?:\.\w+\([^()]*\))?")
"""What an argument is called, maybe turned to bytes: `self.key.encode()`."""

_FOUND_BY = split_words("cache sort primary public index map bucket storage shard idempotency test")
"""Begin the names of keys by which something is found, and which nobody keeps to himself."""


def _leave_keys(given: Given) -> Given:
    """What a callee is given, nothing in place of what is not called a key."""
    return [
        (one, value if one is not None and _is_called_key(one.value.node.text()) else NOTHING)
        for one, value in given
    ]


def _is_called_key(said: str) -> bool:
    """Whether an argument is called somebody's key: `key`, `door_key`, `apiKey.encode()`."""
    called = _KEY.fullmatch(said)
    words = list_words(called[1]) if called else []
    return words[-1:] == ["key"] and _FOUND_BY.isdisjoint(words)


_IDENTITIES = frozenset({"id", "_id", "uid", "sub"})
"""Of what is believed, the parts that say who or which it is."""


def _list_believed(value: Value, trusts: Callable[[str], bool]) -> Iterable[Taint]:
    """The origins of what is believed of a value: of a mapping by its keys, those of its parts."""
    if value.items is None or value.is_list:
        return list_own([value])
    named = ((key, part) for key, part in value.items.items() if isinstance(key, str))
    parts = [part for key, part in named if trusts(key) or key in _IDENTITIES]
    return [*value.taints, *list_own(parts)]


def _list_entries(name: str, given: Given) -> Iterator[tuple[Value, Value]]:
    """What is kept, each with its name: `a[k] = v`, `a.k = v`, `set(k, v)`, `update({k: v})`."""
    words = [value for one, value in given if one is None or one.keyword is None]
    for argument, value in given:
        if argument is not None and argument.keyword not in (None, "this"):
            yield Value(constant=argument.keyword), value
    if given[0][0] is None and len(words) > 1:
        yield words[1], words[0]
    elif len(words) > 1:
        yield words[-2], words[-1]
    elif words and words[0].items is not None and not words[0].is_list:
        for key, value in words[0].items.items():
            yield Value(constant=key), value
    elif words and words[0].items is None and name.endswith(".update"):
        # Whoever sends the whole of it has chosen its names.
        yield words[0], words[0]
    if given[0][0] is None and len(words) == 1:
        yield Value(constant=name.rpartition(".")[2]), words[0]


def _is_hosted(given: Given) -> bool:
    """Whether a program is handed surroundings that live elsewhere, as an interpreter does.

    A mapping that is written for it, such as `{}` or `{"__builtins__": {}}`, is a cage instead:
    whoever builds one fears what the text holds. `dict(app=app)` brings what there is.
    """
    around = [value for argument, value in given[1:] if getattr(argument, "keyword", "") != "this"]
    if not around or around[0].constant is not UNKNOWN:
        return False
    return around[0].items is None or around[0].name == "dict()"


def _is_given(name: str, wanted: str, given: Given) -> bool:
    """Whether an argument is the constant that it must be; one nobody knows may be."""
    if wanted == ABSENT:
        return not _pick(SinkArgument(None, onwards=False, keyword=name, kind=""), given)
    if wanted.startswith(UNLIKE):
        return not _is_given(name, wanted.removeprefix(UNLIKE), given)
    for number, (argument, value) in enumerate(given):
        keyword = argument.keyword if argument is not None else None
        if keyword == name or (keyword is None and name == str(number)):
            return _is_called(value, wanted)
        if keyword is None and value.items is not None and name in value.items:
            part = value.items[name]
            is_unknown = part.constant is UNKNOWN and not part.name
            return is_unknown or _is_called(part, wanted)
    return False


def _is_called(value: Value, wanted: str) -> bool:
    """Whether a value is the constant that is wanted, or goes by that name."""
    fits = compile_name(wanted.lower()).fullmatch
    return any(fits(said) for said in list_said(value))


def _pick(wanted: SinkArgument, given: Given) -> list[Value]:
    """The arguments that a sink looks at."""
    if wanted.keyword is not None and "." in wanted.keyword:
        # A part of what stands there, as of `{headers: {Location: a}}`.
        keyword, _, step = wanted.keyword.rpartition(".")
        around = _pick(wanted._replace(keyword=keyword), given)
        return [one.items[step] for one in around if one.items is not None and step in one.items]
    if wanted.keyword is not None:
        # By keyword, or as a part of an object, if a language has no keywords.
        # What has a keyword of its own, such as `params={"url": a}`, is no list of options.
        parts = (
            value.items
            for argument, value in given
            if value.items is not None and (argument is None or argument.keyword is None)
        )
        found = [items[wanted.keyword] for items in parts if wanted.keyword in items]
        return found or [
            value for argument, value in given if argument and argument.keyword == wanted.keyword
        ]
    found = []
    for number, (argument, value) in enumerate(given):
        if argument is not None and argument.spread:
            if number <= (wanted.position or 0) or wanted.onwards:
                found.append(value)
            continue
        if (wanted.onwards and number >= (wanted.position or 0)) or (
            number == wanted.position and (argument is None or argument.keyword is None)
        ):
            # In the place of all the rest a list stands for what is in it.
            is_rest = wanted.onwards and wanted.kind == "page" and value.is_list
            found += (value.items or {}).values() if is_rest else [value]
    return found


def _list_paths(values: Iterable[Value]) -> Iterator[Taint]:
    """What chooses a file: no stream of what is in one, and no path that stays below a folder."""
    for value in values:
        if not CONTENT.fullmatch(value.name):
            yield from (
                one
                for one in list_own([value])
                if one.before.rfind(ROOT) < 1 and not _is_uploaded(one)
            )


def _is_uploaded(taint: Taint) -> bool:
    """Whether an origin is a file that somebody sends, and not what they call it."""
    if len(taint.path) > 1 and taint.path[-1] in _STREAMS:
        return True
    if taint.source.endswith(".FILES"):
        # Django takes the last step of what they call it.
        return True
    is_file = taint.source.endswith((".files", ".file"))
    return is_file and not taint.before and _FILE_NAMES.isdisjoint(taint.path)


def _list_callbacks(values: Iterable[Value]) -> Iterator[Taint]:
    """What is a text in the place of a function: what a call returned may be one."""
    for value in values:
        for taint in iter_taints(value):
            if taint.mixed or (taint.strength == REMOTE and value.name.startswith(taint.source)):
                yield taint


_FITTING: dict[str, Callable[[Sequence[Value]], Iterator[Taint]]] = {
    "": list_all,
    "argv": list_argv,
    "callback": _list_callbacks,
    "clause": list_clauses,
    "command": list_command,
    "filter": list_filters,
    "forward": list_forwards,
    "html": list_unescaped,
    "kept": list_own,
    _KEYED: list_own,
    "markup": list_markup,
    "name": list_chosen_names,
    "own": list_own,
    "page": list_bodies,
    "path": _list_paths,
    "program": list_all,
    "query": list_queries,
    "redirect": list_redirects,
    "script": list_scripts,
    "search": list_searches,
    "secret": list_own,
    "sent": list_sent,
    "sql": list_sql,
    "text": list_mixed,
    "url": list_hosts,
}
