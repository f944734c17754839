"""Which of a file's names are sources, sinks, sanitizers or checks, and for which questions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from jurat.rules.flows import FlowQuestion, Sink, compile_name, expand_braces, parse_sink

Mask = int
"""A bit for each question."""

_LAST_WORD = re.compile(r"(\w+)(?:\[\]|\(\))*$")


class _NameTable:
    """Names with globs, each with the questions it is for, looked up by their last word."""

    def __init__(self) -> None:
        self._by_word: dict[str, list[tuple[str, Mask]]] = {}
        self._others: list[tuple[str, Mask]] = []
        self._found: dict[str, Mask] = {}

    def add(self, said: str, mask: Mask) -> None:
        for one in expand_braces(said):
            word = _find_word(one)
            entry = one, mask
            if word is None:
                self._others.append(entry)
            else:
                self._by_word.setdefault(word, []).append(entry)

    def find(self, name: str) -> Mask:
        """The questions that a name matters to."""
        found = self._found.get(name)
        if found is None:
            found = 0
            match = _LAST_WORD.search(name)
            entries = self._by_word.get(match[1], ()) if match else ()
            for said, mask in (*entries, *self._others):
                # Compiled here: of the hundreds of names that rules know, a change has a few.
                if mask & ~found and compile_name(said).fullmatch(name):
                    found |= mask
            self._found[name] = found
        return found


def _find_word(said: str) -> str | None:
    """The word that every name it fits ends with, None if there is none."""
    match = _LAST_WORD.search(said)
    if match is None or (match.start() and said[match.start() - 1] in "*?"):
        return None
    return match[1]


class KnownSink(NamedTuple):
    """A sink with the questions that are about it."""

    sink: Sink
    mask: Mask


class Matcher:
    """All questions about the files of one language, compiled together."""

    def __init__(self, questions: Sequence[FlowQuestion]) -> None:
        self.everything: Mask = (1 << len(questions)) - 1
        self.parameters: Mask = 0
        tables = {name: _NameTable() for name in _TABLES}
        said: dict[tuple[str, str], Mask] = {}
        self._sinks: list[KnownSink] = []
        self._sink_table = _NameTable()
        self._sinks_found: dict[str, tuple[KnownSink, ...]] = {}
        self._rejected: dict[str, Mask] = {}
        sinks: dict[str, Mask] = {}
        for index, question in enumerate(questions):
            bit = 1 << index
            if question.parameters:
                self.parameters |= bit
            for table in _TABLES:
                for name in getattr(question, table):
                    said[table, name] = said.get((table, name), 0) | bit
            for text in question.sinks:
                sinks[text] = sinks.get(text, 0) | bit
            for text in question.rejected:
                self._rejected[text] = self._rejected.get(text, 0) | bit
        for (table, name), mask in said.items():
            tables[table].add(name, mask)
        for number, (text, mask) in enumerate(sinks.items()):
            self._sinks.append(KnownSink(parse_sink(text), mask))
            self._sink_table.add(self._sinks[-1].sink.callee, 1 << number)
        self.find_source = tables["sources"].find
        self.find_sanitizer = tables["sanitizers"].find
        self.find_guard = tables["guards"].find
        self.find_check = tables["checks"].find
        self.find_carrier = tables["carriers"].find
        self.find_propagator = tables["propagators"].find

    def find_sinks(self, name: str) -> tuple[KnownSink, ...]:
        """The sinks that a callee or a property is."""
        found = self._sinks_found.get(name)
        if found is None:
            bits = self._sink_table.find(name)
            found = tuple(one for n, one in enumerate(self._sinks) if bits >> n & 1)
            self._sinks_found[name] = found
        return found

    def get_rejected(self, text: object) -> Mask:
        """The questions that are answered for a value that does not hold a text."""
        return self._rejected.get(text, 0) if isinstance(text, str) else 0

    def find_safe(self, characters: frozenset[str]) -> Mask:
        """The questions with texts to be rejected, none of which these characters make up."""
        safe = unsafe = 0
        for text, mask in self._rejected.items():
            safe |= mask
            unsafe |= mask if characters.issuperset(text) else 0
        return safe & ~unsafe


_TABLES = ("sources", "sanitizers", "guards", "checks", "carriers", "propagators")


@lru_cache(maxsize=64)
def compile_questions(questions: tuple[FlowQuestion, ...]) -> Matcher:
    """The matcher of some questions, made once in each process."""
    return Matcher(questions)


def list_needles(sinks: Iterable[str]) -> frozenset[str] | None:
    """Words of which one stands in every file that has one of these sinks, None if unknown."""
    return list_name_needles(name for text in sinks for name in _list_written(parse_sink(text)))


def _list_written(sink: Sink) -> Iterator[str]:
    """What the code says of a sink: of an element of JSX it is the attribute."""
    if sink.callee == _ELEMENT:
        yield from (item.keyword for item in sink.arguments if item.keyword is not None)
    else:
        yield sink.callee


_ELEMENT = "jsx"


def list_name_needles(names: Iterable[str]) -> frozenset[str] | None:
    """Words of which one stands in every file that has one of these names, None if unknown."""
    found = frozenset[str]()
    for name in names:
        needles = _find_needles(name)
        if needles is None:
            return None
        found |= needles
    return found


# Rules share their sources: 14 shipped ones ask 25 times for the same hundreds of names.
@lru_cache(maxsize=4096)
def _find_needles(name: str) -> frozenset[str] | None:
    found = set()
    for one in expand_braces(name):
        words = _WORDS.findall(re.split(r"[*?]\w*", one)[-1]) or _WORDS.findall(one)
        if not words:
            return None
        found.add(words[-1])
    return frozenset(found)


_WORDS = re.compile(r"\w+")
