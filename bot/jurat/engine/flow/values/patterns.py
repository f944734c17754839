"""What a text that fits a regular expression may hold, and how it may begin.

The expression becomes a net of states. What is not known of it lets more texts through, so that an
answer "no" is one.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple

from jurat.engine.flow.values.allowed_text import find_end, read_character, read_class

_ALL: Final = frozenset(map(chr, range(128))) | {"\u0100"}
"""The characters that are told apart; one stands for all that are not ASCII."""

_FLAGS: Final = re.compile(r"\(\?([aimsuxUL]+)\)")
_GROUP: Final = re.compile(r"\(\?(?::|P?<\w+>|[imsux]+:|>)|\((?!\?)")
_LOOK: Final = re.compile(r"\(\?(=|!|<=|<!)")
_REPEAT: Final = re.compile(r"(?:\{(?P<least>\d*),?(?P<most>\d*)\}|[*+?])[?+]?")
_MOST_STATES = 2_000
_MOST_HOSTS = 32
_LABEL: Final = frozenset(string.ascii_letters + string.digits + "-._")
"""Characters of a host that may be any, as a subdomain's; `\\0` stands for them."""

_HOST: Final = re.compile(r"(?:https?:)?//(?:[^/?#\\\0]+|[^/?#\\]*\0\.[\w-]+(?:\.[\w-]+)+)[/?#]")


class _At(NamedTuple):
    """A state on the way through a text: whether it is the beginning or the end, what may not
    follow, and how much of the text that is looked for was met.
    """

    state: int
    is_start: bool
    is_end: bool
    barred: frozenset[str]
    met: int


@dataclass(slots=True)
class _Net:
    """States with the ways between them: over a character, or over none on a condition."""

    steps: list[list[tuple[frozenset[str], int]]] = field(default_factory=list)
    ways: list[list[tuple[str, frozenset[str], int]]] = field(default_factory=list)

    def add(self) -> int:
        """A new state. Raises ValueError if there are too many."""
        if len(self.steps) >= _MOST_STATES:
            raise ValueError
        self.steps.append([])
        self.ways.append([])
        return len(self.steps) - 1

    def connect(self, one: int, other: int, condition: str = "", barred: str = "") -> None:
        """A way over no character."""
        self.ways[one].append((condition, frozenset(barred), other))


class _PatternReader:
    """An expression on its way into a net."""

    def __init__(self, pattern: str) -> None:
        flags = "".join(_FLAGS.findall(pattern))
        self.text = _FLAGS.sub("", pattern)
        self.by_line = "m" in flags
        self.at = 0
        self.net = _Net()

    def read_choice(self, start: int) -> int:
        """`a|b` from a state on; the state behind it."""
        end = self.net.add()
        while True:
            self.net.connect(self._read_sequence(start), end)
            if self.text[self.at : self.at + 1] != "|":
                return end
            self.at += 1

    def _read_sequence(self, start: int) -> int:
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            start = self._read_repeated(start)
        return start

    def _read_repeated(self, start: int) -> int:
        first = self.net.add()
        self.net.connect(start, first)
        last = self._read_one(first)
        match = _REPEAT.match(self.text, self.at)
        if match is None:
            return last
        self.at = match.end()
        mark = match[0][0]
        least, most = match["least"] or "", match["most"] or ""
        end = self.net.add()
        self.net.connect(last, end)
        if mark in "*?" or (mark == "{" and least in ("", "0")):
            self.net.connect(first, end)
        if mark != "?" and not (mark == "{" and {least, most} <= {"", "0", "1"} and most != ""):
            self.net.connect(last, first)
        return end

    def _read_one(self, start: int) -> int:
        text, at = self.text, self.at
        if look := _LOOK.match(text, at):
            return self._read_look(start, look)
        if group := _GROUP.match(text, at):
            self.at = group.end()
            end = self.read_choice(start)
            self.at += 1
            return end
        end = self.net.add()
        if text[at] in "^$" or text[at : at + 2] in (r"\A", r"\Z", r"\z"):
            self.at += 1 if text[at] in "^$" else 2
            if text[at] in "^$" and self.by_line:
                self.net.connect(start, end)
            else:
                is_start = text[at] == "^" or text[at : at + 2] == r"\A"
                self.net.connect(start, end, "start" if is_start else "end")
        elif text[at : at + 2] in (r"\b", r"\B"):
            self.at += 2
            self.net.connect(start, end)
        else:
            self.net.steps[start].append((self._read_set(), end))
        return end

    def _read_look(self, start: int, look: re.Match[str]) -> int:
        """`(?!…)`: what may not follow, if that is said by single characters; else anything may."""
        depth, first = 1, look.end()
        self.at = first
        while self.at < len(self.text) and depth:
            depth += {"(": 1, ")": -1}.get(self.text[self.at], 0)
            self.at += 2 if self.text[self.at] == "\\" else 1
        body = self.text[first : self.at - 1]
        barred = ""
        if look[1] == "!":
            for part in body.split("|"):
                read = read_class(part, 0) if part.startswith("[") else None
                one = read[0] if read and read[1] == len(part) else None
                if one is None and len(part) in (1, 2):
                    one = read_character(part, 0)
                barred += "".join(one or ()) if one and len(part) > 0 else ""
        end = self.net.add()
        self.net.connect(start, end, "", barred)
        return end

    def _read_set(self) -> frozenset[str]:
        """The characters of one place. Raises ValueError if it is written in a way unknown here."""
        text, at = self.text, self.at
        if text[at] == ".":
            self.at += 1
            return _ALL
        if text.startswith("[^", at):
            read = read_class("[" + text[at + 2 :], 0)
            if read is None:
                raise ValueError
            self.at = at + 1 + read[1]
            return _ALL - read[0]
        if text[at] == "[":
            read = read_class(text, at)
            if read is None:
                raise ValueError
            self.at = read[1]
            return read[0]
        one = read_character(text, at)
        self.at = find_end(text, at)
        if one is None and text[self.at - 1] in "SWD":
            return _ALL - (read_character("\\" + text[self.at - 1].lower(), 0) or frozenset())
        if one is None:
            raise ValueError
        return one


class FittingTexts(NamedTuple):
    """What fits a regular expression: a net, from its first state to its last."""

    net: _Net
    first: int
    last: int

    def _open(self, at: _At) -> Iterator[_At]:
        """A place and all that are reached over no character."""
        seen, waiting = {at}, [at]
        while waiting:
            one = waiting.pop()
            yield one
            for condition, barred, state in self.net.ways[one.state]:
                if condition == "start" and not one.is_start:
                    continue
                is_end = one.is_end or condition == "end"
                other = one._replace(state=state, is_end=is_end, barred=one.barred | barred)
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)

    def _list_steps(self, at: _At) -> Iterator[tuple[_At, frozenset[str], int]]:
        for one in self._open(at):
            if not one.is_end:
                for characters, state in self.net.steps[one.state]:
                    yield one, characters - one.barred, state

    def fits(self, text: str) -> bool:
        """Whether a text may fit."""
        places = {_At(self.first, True, False, frozenset(), 0)}
        for character in text:
            like = character if character in _ALL else "\u0100"
            places = {
                _At(state, False, False, frozenset(), 0)
                for at in places
                for _, characters, state in self._list_steps(at)
                if like in characters
            }
        return any(one.state == self.last for at in places for one in self._open(at))

    def can_hold(self, text: str) -> bool:
        """Whether a fitting text may hold another."""
        start = _At(self.first, True, False, frozenset(), 0)
        seen, waiting = {start}, [start]
        while waiting:
            for one, characters, state in self._list_steps(waiting.pop()):
                for character in characters & {*text, "\u0100"}:
                    met = _count_met(text, one.met, character)
                    if met == len(text):
                        return True
                    other = _At(state, False, False, frozenset(), met)
                    if other not in seen:
                        seen.add(other)
                        waiting.append(other)
                if characters and not characters & {*text, "\u0100"}:
                    other = _At(state, False, False, frozenset(), 0)
                    if other not in seen:
                        seen.add(other)
                        waiting.append(other)
        return False

    def begins_with(self, character: str) -> bool:
        """Whether each fitting text begins with a character."""
        start = _At(self.first, True, False, frozenset(), 0)
        steps = [characters for _, characters, _ in self._list_steps(start)]
        ends = any(one.state == self.last for one in self._open(start))
        return bool(steps) and not ends and all(one <= {character} for one in steps)

    def begins_without(self, character: str) -> bool:
        """Whether no fitting text begins with a character."""
        start = _At(self.first, True, False, frozenset(), 0)
        steps = [characters for _, characters, _ in self._list_steps(start)]
        return bool(steps) and all(character not in one for one in steps)

    def begins_at_root(self) -> bool:
        """Whether each fitting text is empty or a path of one's own: a slash, and no second one."""
        for _, characters, state in self._list_steps(_At(self.first, True, False, frozenset(), 0)):
            if not characters:
                continue
            if characters != {"/"}:
                return False
            behind = _At(state, False, False, frozenset(), 0)
            if any("/" in second for _, second, _ in self._list_steps(behind)):
                return False
        return True

    def has_fixed_host(self) -> bool:
        """Whether each fitting text begins with a scheme and one of a few hosts, and their end.

        Hosts of one domain, as a pattern of subdomains says, are its owner's.
        """
        waiting = [("", _At(self.first, True, False, frozenset(), 0))]
        done: set[tuple[str, int]] = set()
        while waiting:
            text, at = waiting.pop()
            if _HOST.fullmatch(text):
                continue
            steps = [step for step in self._list_steps(at) if step[1]]
            ends = [one for one in self._open(at) if one.state == self.last]
            # Where the text ends, the host does.
            if ends and not (_HOST.fullmatch(text + "/") and all(map(self._is_at_end, ends))):
                return False
            if len(text) > 80 or len(done) > 40 * _MOST_HOSTS:
                return False
            for _, characters, state in steps:
                if len(characters) > 2 and not characters <= _LABEL:
                    return False
                any_one = frozenset({"" if text.endswith("\0") else "\0"})
                for character in any_one if len(characters) > 2 else characters:
                    key = text + character, state
                    if key not in done:
                        done.add(key)
                        waiting.append((key[0], _At(state, False, False, frozenset(), 0)))
        return bool(done)

    def _is_at_end(self, at: _At) -> bool:
        """Whether nothing may follow a place that a text has come to."""
        return at.is_end or not self.net.steps[at.state]


def _is_anchored(net: _Net, first: int, last: int) -> bool:
    """Whether nothing fits that does not begin where the text does."""
    middle = FittingTexts(net, first, last)._open(_At(first, False, False, frozenset(), 0))
    return all(not net.steps[one.state] and one.state != last for one in middle)


def _count_met(text: str, met: int, character: str) -> int:
    """How much of a text was met after one more character."""
    said = text[:met] + character
    while said and not text.startswith(said):
        said = said[1:]
    return len(said)


@lru_cache(maxsize=256)
def compile_pattern(pattern: str, *, starts: bool, whole: bool) -> FittingTexts | None:
    """The net of an expression that is looked for anywhere, at the start, or as the whole text.

    None for one that is written in a way unknown here.
    """
    reader = _PatternReader(pattern)
    net = reader.net
    try:
        first = net.add()
        last = reader.read_choice(first)
        if not (starts or whole or _is_anchored(net, first, last)):
            net.steps[first].append((_ALL, first))
        if reader.at < len(reader.text):
            return None
        if not whole:
            net.steps[last].append((_ALL, last))
    except (ValueError, IndexError, RecursionError):
        return None
    return FittingTexts(net, first, last)
