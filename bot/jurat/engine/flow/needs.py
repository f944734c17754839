"""What must stand in a file for a flow to be found there: most files need not be followed.

The name of a value is put together from what the file says: imports, members, types, keys. So
every word of a source's and of a sink's name stands somewhere in a file in which they meet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum, auto
from functools import lru_cache
from typing import NamedTuple

from jurat.engine.needles import FileWords
from jurat.rules.callbacks import parse_callback
from jurat.rules.callee_names import expand_braces
from jurat.rules.callee_settings import parse_setting
from jurat.rules.flows import FlowQuestion
from jurat.rules.sinks import ABSENT, UNLIKE, Sink, parse_sink

STATEMENT_WORDS = (
    "select|insert|update|delete|replace|merge|create|alter|drop|truncate|call|with|exec|execute|"
    "explain|pragma|grant|set|show|declare|begin|from"
)
"""What a statement of SQL begins with, as a part of an expression."""

_STATEMENT = re.compile(
    rf"""["'`](?:[\s(]|\\.)*+(?:--|(?:{STATEMENT_WORDS})(?=[\s(*"'`\\%${{]|$))""",
    re.IGNORECASE | re.DOTALL,
)
"""The beginning of a text that may be a statement, in the code of any language.

Behind its first word stands what a statement has there (`_SQL` in queries.py), as it is written:
an escape, the end of the text, or the place for a value. "settings" begins with no statement.
"""

_MADE_UP = frozenset({"jsx", "this"})
"""Words of names that no file has to say: what a tag calls, and what Java leaves out."""

_PARAMETER = re.compile(r"<(\w+)>")
_BARE = re.compile(r"\w+(?:\(\))?")
_NAME_PART = re.compile(r"\*?\w+\*?|@")


class _NameParts(NamedTuple):
    """Words that stand in a file which has a name, and texts that stand somewhere in them.

    `rarest` is the longest of the words, "" if there is none. A name that `is_bare` is a part of
    nothing: `compile` is not what `re.compile` is.
    """

    words: frozenset[str]
    pieces: tuple[str, ...]
    rarest: str
    is_bare: bool = False

    def is_met(self, file: FileWords) -> bool:
        if self.is_bare and self.rarest not in file.bare_words:
            return False
        return self.words <= file.words and all(map(file.holds, self.pieces))


class _NameNeeds:
    """What the names of a list need, by one word of each."""

    def __init__(self, names: Iterable[str], made_up: frozenset[str]) -> None:
        self._made_up = made_up
        self._by_word: dict[str, list[_NameParts]] = {}
        self._others: list[_NameParts] = []
        for name in names:
            self.add(name)

    def add(self, name: str, words: Iterable[str] = ()) -> None:
        """One more name, and words that must stand in a file beside it."""
        beside = frozenset(words)
        for one in _read_needs(name, self._made_up):
            need = _add_words(one, beside) if beside else one
            kept = self._by_word.setdefault(need.rarest, []) if need.words else self._others
            kept.append(need)

    def are_met(self, file: FileWords) -> bool:
        """Whether one of the names may stand in a file."""
        return any(need.is_met(file) for need in self._others) or any(
            need.is_met(file)
            for word in self._by_word.keys() & file.words
            for need in self._by_word[word]
        )


# Rules share their sources: 14 shipped ones ask 25 times for the same hundreds of names.
@lru_cache(maxsize=4096)
def _read_needs(name: str, made_up: frozenset[str]) -> tuple[_NameParts, ...]:
    return tuple(_read_need(one, made_up) for one in expand_braces(name))


def _read_need(name: str, made_up: frozenset[str]) -> _NameParts:
    # `return@` marks what a function returns, before the name of its decorator. What a parameter
    # goes by need not stand anywhere.
    said = name.replace("return@", "@")
    said = _PARAMETER.sub(lambda one: "" if one[1] in made_up else one[0], said)
    parts = set(_NAME_PART.findall(said)) - _MADE_UP
    words = frozenset(part for part in parts if "*" not in part and part != "@")
    pieces = tuple(sorted({part.strip("*") for part in parts - words}))
    is_bare = bool(words) and _BARE.fullmatch(name) is not None
    return _NameParts(words, pieces, max(words, key=len, default=""), is_bare)


def _add_words(need: _NameParts, words: frozenset[str]) -> _NameParts:
    wanted = need.words | words
    if need.is_bare:
        # The word of the name itself: of what it is given none need stand alone.
        return need._replace(words=wanted)
    return need._replace(words=wanted, rarest=max(wanted, key=len))


class FlowNeeds:
    """What a question needs in a file."""

    def __init__(self, question: FlowQuestion) -> None:
        self._parameters = question.parameters
        made_up = frozenset(
            name for said in question.callbacks for name in parse_callback(said).names
        )
        settings = (parse_setting(said).callee for said in question.settings)
        self._settings = _NameNeeds(settings, made_up)
        # Handing on what sources are read from makes an origin as well.
        self._sources = _NameNeeds((*question.sources, *question.carriers), made_up)
        self._sinks = {kind: _NameNeeds((), made_up) for kind in _SinkKind}
        for sink in map(parse_sink, question.sinks):
            # An argument that must be given is said by its keyword, or as a key of an object.
            given = (
                name
                for name, wanted in sink.conditions
                if name.isidentifier() and wanted != ABSENT and not wanted.startswith(UNLIKE)
            )
            self._sinks[_find_kind(sink)].add(sink.callee, given)

    def are_met(self, file: FileWords) -> bool:
        """Whether one of the question's origins may arrive at one of its sinks in a file."""
        if self._settings.are_met(file):
            return True
        kinds = [kind for kind, needs in self._sinks.items() if needs.are_met(file)]
        if not kinds:
            return False
        if kinds != [_SinkKind.ANY] and not any(map(_STATEMENT.search, file.texts)):
            # What somebody outside sends may be all of a statement, a parameter only a part of one.
            if self._parameters and _SinkKind.ANY in kinds:
                return True
            return kinds != [_SinkKind.QUERY] and self._sources.are_met(file)
        return self._parameters or self._sources.are_met(file)


class _SinkKind(Enum):
    """What a sink takes: anything, statements, or only what is known to begin like one."""

    ANY = auto()
    STATEMENT = auto()
    QUERY = auto()


def _find_kind(sink: Sink) -> _SinkKind:
    kinds = {argument.kind for argument in sink.arguments}
    if not kinds <= {"sql", "query"}:
        return _SinkKind.ANY
    return _SinkKind.STATEMENT if "sql" in kinds else _SinkKind.QUERY


@lru_cache(maxsize=256)
def compile_needs(question: FlowQuestion) -> FlowNeeds:
    """What a question needs, worked out once in each process."""
    return FlowNeeds(question)
