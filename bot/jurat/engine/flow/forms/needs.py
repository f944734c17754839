"""What must stand in a file for a flow to be found there: most files need not be followed.

The name of a value is put together from what the file says: imports, members, types, keys. So
every word of a source's and of a sink's name stands somewhere in a file in which they meet.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from enum import Enum, auto
from functools import cached_property, lru_cache
from typing import Generic, NamedTuple, Protocol, TypeVar

from jurat.engine.needles import FileWords
from jurat.rules.callbacks import Callback, parse_callback
from jurat.rules.callee_names import expand_braces
from jurat.rules.callee_settings import parse_setting
from jurat.rules.flows import FlowQuestion
from jurat.rules.sinks import ABSENT, UNLIKE, Sink, parse_sink

T = TypeVar("T")

STATEMENT_WORDS = (
    "select|insert|update|delete|replace|merge|create|alter|drop|truncate|call|with|exec|execute|"
    "explain|pragma|grant|set|show|declare|begin|from"
)
"""What a statement of SQL begins with, as a part of an expression."""

_BEGINNING = (
    r"(?:[\s(]|\\.)*+(?:\{\s*+(?:\?\s*+=\s*+)?+(?=call\b))?+"
    rf"""(?:--|(?:{STATEMENT_WORDS})(?=[\s(*"'`\\%${{]|$))"""
)

_STATEMENT = re.compile(_BEGINNING, re.IGNORECASE | re.DOTALL)
"""The beginning of a text that may be a statement.

Behind its first word stands what a statement has there (`_SQL` in queries.py), as it is written:
an escape, the end of the text, or the place for a value. "settings" begins with no statement.
"""

_QUOTED_STATEMENT = re.compile(rf"""["'`]{_BEGINNING}""", re.IGNORECASE | re.DOTALL)
"""The same in the code of any language."""

MAPPING = "mapping"
"""In place of a mark: what a function returns that is one."""

_MADE_UP = frozenset({"jsx", MAPPING, "this"})
"""Words of names that no file has to say: what a tag calls, and what Java leaves out."""

_CHOICE = re.compile(r"\{[^{}]*\}")
_PARAMETER = re.compile(r"<(\w+)>")
_WORD = re.compile(r"\w+")
_CALLED = re.compile(r"[\w$]+")
_BARE = re.compile(r"\w+(?:\(\))?")
_OVERRIDDEN = re.compile(r"@.*[A-Z]\w*\.[a-z]\w*\Z")
"""A method that is marked by no more than what its class is for."""

_NAME_PART = re.compile(r"\*?\w+\*?|@")


class NameEnd(NamedTuple):
    """How a name ends: with a word, or with one that has a text in it if it is no `whole`.

    `marks` says that what has the name is marked with it, `answers` that it is what a call of it
    returns.
    """

    word: str
    whole: bool = True
    marks: bool = False
    answers: bool = False

    def list_fitting(self, words: Collection[str]) -> Iterable[str]:
        """Those of some words that a name with this end may have as its last."""
        if self.whole:
            return (self.word,) if self.word in words else ()
        return (one for one in words if self.word in one)


class Uses(Protocol):
    """What a program calls, sets, hands on and writes."""

    @property
    def texts(self) -> Iterable[str]:
        """The constant texts that may come to be a part of another one."""
        ...

    def is_used(self, end: NameEnd) -> bool:
        """Whether something with a name that ends so may be called or set."""
        ...

    def can_take(self, end: NameEnd, sink: Sink) -> bool:
        """Whether something with a name that ends so may be a sink that is given an origin."""
        ...

    def can_begin(self, end: NameEnd) -> bool:
        """Whether something with a name that ends so may be an origin."""
        ...


class _NameParts(NamedTuple):
    """Words that stand in a file which has a name, and texts that stand somewhere in them.

    `rarest` is the longest of the words, "" if there is none. A name that `is_bare` is a part of
    nothing: `compile` is not what `re.compile` is. `parameters` stand in it that may go by other
    names, if something calls their function.
    """

    words: frozenset[str]
    pieces: tuple[str, ...]
    rarest: str
    said: str
    is_bare: bool = False
    parameters: frozenset[str] = frozenset()

    @property
    def end(self) -> NameEnd:
        """How a name ends that is meant."""
        return _read_end(self.said)

    def is_met(self, file: FileWords, given: frozenset[str]) -> bool:
        """Whether a file has the words; `given` are the names that its parameters may go by."""
        if self.is_bare and self.rarest not in file.bare_words:
            return False
        # Most names have neither: asked for each name in each file, it counts.
        return (
            self.words <= file.words
            and (not self.parameters or self.parameters <= file.words | given)
            and (not self.pieces or all(map(file.holds, self.pieces)))
        )


class _NameIndex(Generic[T]):
    """What the names of a list need, by one word of each, with what each is a name of.

    Names with braces are taken apart when a file has the words that all they stand for share: of
    the hundreds that rules know, a change has a few.
    """

    def __init__(self, parameters: frozenset[str]) -> None:
        self._parameters = parameters
        self._together: dict[str, list[tuple[str, T, frozenset[str]]]] = {}
        self._by_word: dict[str, list[tuple[_NameParts, T]]] = {}
        self._others: list[tuple[_NameParts, T]] = []

    def add(self, name: str, what: T, words: Iterable[str] = ()) -> None:
        """One more name, and words that must stand in a file beside it."""
        said = name, what, frozenset(words) - _MADE_UP
        if word := _find_shared_word(name):
            self._together.setdefault(word, []).append(said)
        else:
            self._take_apart(*said)

    def list_near(self, file: FileWords) -> Iterator[tuple[_NameParts, T]]:
        """Those of the names of which one word stands in a file, if they have any."""
        for word in file.words.intersection(self._together):
            # Forgotten afterwards: another thread that asks meanwhile takes them apart as well.
            for said in self._together.get(word, ()):
                self._take_apart(*said)
            self._together.pop(word, None)
        yield from self._others
        for word in file.words.intersection(self._by_word):
            yield from self._by_word[word]

    def _take_apart(self, name: str, what: T, beside: frozenset[str]) -> None:
        for one in _read_needs(name, self._parameters):
            need = _add_words(one, beside) if beside else one
            kept = self._by_word.setdefault(need.rarest, []) if need.words else self._others
            kept.append((need, what))


class _NameNeeds(Generic[T]):
    """Names that values may have, or what is called."""

    def __init__(self, named: Iterable[tuple[str, T]], callbacks: _CallbackNeeds) -> None:
        self._callbacks = callbacks
        self._names = _NameIndex[T](callbacks.names)
        for name, what in named:
            self.add(name, what)

    def add(self, name: str, what: T, words: Iterable[str] = ()) -> None:
        """One more name, and words that must stand in a file beside it."""
        self._names.add(name, what, words)

    def list_met(self, file: FileWords) -> Iterator[tuple[_NameParts, T]]:
        """Those of the names that may stand in a file."""
        given = self._callbacks.list_given(file)
        return (one for one in self._names.list_near(file) if one[0].is_met(file, given))


class _CallbackNeeds:
    """What calls functions of a file, and by which names their parameters go then."""

    def __init__(self, said: Iterable[str]) -> None:
        found = [parse_callback(one) for one in said]
        self.names = frozenset(name for one in found for name in one.names)
        self._callbacks = _NameIndex[Callback](self.names)
        for one in found:
            # What its parameters are called stands there as well.
            said = (text for _, text in one.given if one.is_by_name and "*" not in text)
            self._callbacks.add(one.callee.removeprefix("function."), one, said)

    def list_given(self, file: FileWords) -> frozenset[str]:
        """The names that parameters may go by in a file, whatever they are called there."""
        return file.ask(self, lambda: self._find_given(file))

    def _find_given(self, file: FileWords) -> frozenset[str]:
        waiting = [
            # A function of a name is defined there, or put under it.
            (need._replace(is_bare=False), callback.names)
            for need, callback in self._callbacks.list_near(file)
            if callback.is_by_name or all(_can_say(file, text) for _, text in callback.given)
        ]
        given: frozenset[str] = frozenset()
        while True:
            # What is called may be such a parameter itself.
            met = (names for need, names in waiting if need.is_met(file, given))
            more = given.union(*met)
            if more == given:
                return given
            given = more


def _can_say(file: FileWords, said: str) -> bool:
    """Whether a text that begins as a glob does may stand in a file."""
    begun = said.partition("*")[0]
    return not begun or any(f"{quote}{begun}" in text for quote in "\"'`" for text in file.texts)


# Rules share their sources: 14 shipped ones ask 25 times for the same hundreds of names.
@lru_cache(maxsize=4096)
def _read_needs(name: str, given: frozenset[str]) -> tuple[_NameParts, ...]:
    return tuple(_read_need(one, given) for one in expand_braces(name))


def _read_need(name: str, given: frozenset[str]) -> _NameParts:
    # `return@` marks what a function returns, before the name of its decorator or of the method
    # that it overrides.
    said = name.replace("return@", "@")
    parameters = given.intersection(_PARAMETER.findall(said))
    said = _PARAMETER.sub(lambda one: "" if one[1] in parameters else one[0], said)
    parts = set(_NAME_PART.findall(said)) - _MADE_UP
    words = frozenset(part for part in parts if "*" not in part and part != "@")
    unmarked = {"@"} if "return@" in name or _OVERRIDDEN.search(said) else set[str]()
    pieces = tuple(sorted({part.strip("*") for part in parts - words - unmarked}))
    is_bare = bool(words) and _BARE.fullmatch(name) is not None
    rarest = max(words, key=len, default="")
    return _NameParts(words, pieces, rarest, said, is_bare, parameters)


@lru_cache(maxsize=4096)
def _find_shared_word(name: str) -> str:
    """A word that all names have which one with braces stands for, "" if there is none."""
    name = name.replace("return@", "@")
    while "{" in name and (rest := _CHOICE.sub("*", name)) != name:
        name = rest
    shared = {one for one in _NAME_PART.findall(_PARAMETER.sub("*", name)) if "*" not in one}
    return max(shared - _MADE_UP - {"@"}, key=len, default="")


@lru_cache(maxsize=4096)
def _read_end(name: str) -> NameEnd:
    last = name.rpartition(".")[2]
    said = _CALLED.findall(last)
    whole = "*" not in last and bool(said)
    return NameEnd(said[-1] if said else "", whole, name.startswith("@"), last.endswith("()"))


def _add_words(need: _NameParts, words: frozenset[str]) -> _NameParts:
    wanted = need.words | words
    if need.is_bare:
        # The word of the name itself: of what it is given none need stand alone.
        return need._replace(words=wanted)
    return need._replace(words=wanted, rarest=max(wanted, key=len))


# Most questions of a language have the same sources.
@lru_cache(maxsize=256)
def _read_sources(names: tuple[str, ...], callbacks: tuple[str, ...]) -> _NameNeeds[None]:
    return _NameNeeds(((name, None) for name in names), _read_callbacks(callbacks))


@lru_cache(maxsize=64)
def _read_callbacks(said: tuple[str, ...]) -> _CallbackNeeds:
    return _CallbackNeeds(said)


class FlowNeeds:
    """What a question needs in a file."""

    def __init__(self, question: FlowQuestion) -> None:
        self._question = question
        self._callbacks = _read_callbacks(question.callbacks)
        # Handing on what sources are read from makes an origin as well.
        sources = (*question.sources, *question.carriers)
        self._sources = _read_sources(sources, question.callbacks)
        settings = ((parse_setting(said).callee, None) for said in question.settings)
        self._settings = _NameNeeds(settings, self._callbacks)

    @cached_property
    def _sinks(self) -> _NameNeeds[Sink]:
        # Read when a file has an origin: most have none.
        needs = _NameNeeds[Sink]((), self._callbacks)
        for sink in map(parse_sink, self._question.sinks):
            for given in _list_keywords(sink):
                needs.add(sink.callee, sink, given)
        return needs

    def are_met(self, file: FileWords, uses: Uses | None = None) -> bool:
        """Whether one of the question's origins may arrive at one of its sinks in a file.

        `uses` are those of the file's program, if that is known.
        """
        # Most questions have no settings, and are asked of each file.
        settings = self._settings.list_met(file) if self._question.settings else ()
        if any(uses is None or uses.is_used(one.end) for one, _ in settings):
            return True
        # First what most questions of a language have in common, and is known of a file by then.
        has_source = file.ask((self._sources, uses), lambda: self._find_source(file, uses))
        if not has_source and not self._question.parameters:
            return False
        if has_source and self._question.secrets:
            # Any name may be that of a secret.
            return True
        kinds = (
            _find_kind(sink)
            for one, sink in self._sinks.list_met(file)
            if uses is None or uses.can_take(one.end, sink)
        )
        return any(_is_fed(kind, file, uses, has_source=has_source) for kind in kinds)

    def can_end(self, file: FileWords, uses: Uses | None = None) -> bool:
        """Whether a file may have a sink of the question, wherever the value comes from.

        `uses` are those of the file's program, if that is known.
        """
        if self._question.secrets:
            return True
        return any(
            uses is None or uses.can_take(one.end, sink) for one, sink in self._sinks.list_met(file)
        ) or any(uses is None or uses.is_used(one.end) for one, _ in self._settings.list_met(file))

    def _find_source(self, file: FileWords, uses: Uses | None) -> bool:
        met = self._sources.list_met(file)
        return any(uses is None or uses.can_begin(one.end) for one, _ in met)


def _is_fed(kind: _SinkKind, file: FileWords, uses: Uses | None, *, has_source: bool) -> bool:
    """Whether a file has what a sink takes, if it has an origin at all.

    What somebody outside sends may be all of a statement, a parameter only a part of one.
    """
    if kind is _SinkKind.ANY or (kind is _SinkKind.STATEMENT and has_source):
        return True
    return file.ask((_STATEMENT, uses), lambda: _has_statement(file, uses))


def _has_statement(file: FileWords, uses: Uses | None) -> bool:
    if uses is None:
        return any(map(_QUOTED_STATEMENT.search, file.texts))
    return any(map(_STATEMENT.match, uses.texts))


def _list_keywords(sink: Sink) -> Iterator[frozenset[str]]:
    """The arguments that must be given by name, once for each of those that will do.

    Each is said by its keyword, or as a key of an object.
    """
    asked = frozenset(
        name
        for name, wanted in sink.conditions
        if name.isidentifier() and wanted != ABSENT and not wanted.startswith(UNLIKE)
    )
    named = [one.keyword for one in sink.arguments if one.position is None]
    if not named or len(named) < len(sink.arguments):
        # What is looked at may be given by its place.
        yield asked
        return
    for keyword in named:
        yield asked.union(_WORD.findall(keyword or ""))


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
