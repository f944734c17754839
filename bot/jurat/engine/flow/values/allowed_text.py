"""What a regular expression lets through: the characters of all texts that fit it as a whole.

A pattern that fits anything, or only a part of a text, has checked nothing.
"""

from __future__ import annotations

import re
import string
from functools import lru_cache
from typing import Final

_WORD: Final = frozenset(string.ascii_letters + string.digits + "_")
_DIGIT: Final = frozenset(string.digits)
_SPACE: Final = frozenset(" \t\n\r\f\v")
_CLASSES: Final = {
    "w": _WORD, "d": _DIGIT, "s": _SPACE, "t": frozenset("\t"), "n": frozenset("\n"),
    "r": frozenset("\r"), "f": frozenset("\f"), "v": frozenset("\v"),
}  # fmt: skip
_CODED: Final = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,5})\}|(0)(?!\d))"
)
"""A character by its number."""
_PROPERTY: Final = re.compile(r"\\p(?:\{(?:Is|(?:Script|sc|gc)=)?(\w+)\}|([LMNZ]))")
"""Characters by what Unicode says of them."""
_NO_CHARACTER: Final = frozenset("bBAZzGQE")
_PLAIN: Final = _WORD | frozenset("-.,:@+=#%~ ")
"""What no shell, statement, path, page or program takes for more than text."""

_FLAGS: Final = re.compile(r"\(\?[aimsuxUL]+(?:-[imsx]+)?\)")
_LOOK: Final = re.compile(r"\(\?(?:=|!|<=|<!)")
_GROUP: Final = re.compile(r"\(\?(?::|P?<\w+>|[imsux-]+:|>)|\((?!\?)")
_REPEAT: Final = re.compile(r"\{\d*,?\d*\}|[*+?]")
_ALTERNATIVE: Final = re.compile(r"\|(?![^\[]*\])")
_LETTERS: Final = frozenset(string.ascii_letters)
_PROPERTIES: Final = {
    **dict.fromkeys(("L", "Letter", "Latin", "Alphabetic", "Alpha", "Lm", "Lo"), _LETTERS),
    **dict.fromkeys(("Lu", "Upper", "Uppercase"), frozenset(string.ascii_uppercase)),
    **dict.fromkeys(("Ll", "Lower", "Lowercase"), frozenset(string.ascii_lowercase)),
    **dict.fromkeys(("N", "Nd", "Number", "Digit"), _DIGIT),
    **dict.fromkeys(("Z", "Zs", "Separator"), frozenset(" ")),
    **dict.fromkeys(("M", "Mn", "Mc", "Mark", "Han", "Greek", "Cyrillic"), frozenset[str]()),
    "Alnum": _LETTERS | _DIGIT, "Space": _SPACE, "Pd": frozenset("-"), "Pc": frozenset("_"),
}  # fmt: skip
"""Those of them that are ASCII: the others are text anywhere, as those are that fit `\\w`."""

_NAMED: Final = re.compile(r"\[:(\w+):\]")
_POSIX: Final = {
    "alnum": _WORD - {"_"}, "alpha": _WORD - {"_"} - _DIGIT, "digit": _DIGIT, "word": _WORD,
    "upper": frozenset(string.ascii_uppercase), "lower": frozenset(string.ascii_lowercase),
    "xdigit": frozenset(string.hexdigits), "space": _SPACE,
}  # fmt: skip


@lru_cache(maxsize=256)
def find_allowed(pattern: str, *, whole: bool = False) -> frozenset[str] | None:
    """The characters that a text which fits is made of; None if it may hold any, or if that is not
    known. With `whole` the pattern is asked about the whole text, whatever it says of its ends.
    """
    if not whole and not _is_anchored(pattern):
        return None
    found: set[str] = set()
    at = 0
    while at < len(pattern):
        if match := (_FLAGS.match(pattern, at) or _GROUP.match(pattern, at)):
            at = match.end()
        elif _LOOK.match(pattern, at):
            return None
        elif pattern[at] in ")^$|":
            at += 1
        elif pattern[at] == ".":
            return None
        elif pattern[at] == "[":
            read = read_class(pattern, at)
            if read is None:
                return None
            allowed, at = read
            found |= allowed
        elif match := _REPEAT.match(pattern, at):
            at = match.end()
        else:
            one = read_character(pattern, at)
            if one is None:
                return None
            found |= one
            at = find_end(pattern, at)
    return frozenset(found)


def find_kept(pattern: str) -> frozenset[str] | None:
    """The characters that are left if all that fits is taken out: those of `[^…]`, else None."""
    text = pattern.rstrip("+*")
    if not text.startswith("[^"):
        return _WORD if text == r"\W" else _DIGIT if text == r"\D" else None
    read = read_class("[" + text[2:], 0)
    return read[0] if read is not None and read[1] == len(text) - 1 else None


def find_characters(pattern: str) -> frozenset[str]:
    """The characters of which each is a fitting text by itself: `a`, `[ab]`, `a|b`."""
    found: set[str] = set()
    bare = pattern[1:-1] if re.fullmatch(r"\((?!\?).*[^\\]\)", pattern) else pattern
    for part in _ALTERNATIVE.split(bare) if len(bare) > 1 else [bare]:
        text = part.removesuffix("+")
        if len(text) == 1:
            found.add(text)
        elif text.startswith("[") and (read := read_class(text, 0)) and read[1] == len(text):
            found |= read[0]
        elif len(text) == 2 and text[0] == "\\" and not text[1].isalnum():
            found.add(text[1])
    return frozenset(found)


def is_plain(characters: frozenset[str]) -> bool:
    """Whether a text of these can be nothing but text, wherever it stands."""
    return characters <= _PLAIN


def _is_anchored(pattern: str) -> bool:
    """Whether it asks about all of a text, from its beginning to its end, on each of its ways."""
    bare = _FLAGS.sub("", pattern)
    if any("m" in flags for flags in _FLAGS.findall(pattern)):
        # `^` and `$` are about any line then.
        return False
    if not bare.startswith(("^", r"\A")) or not bare.endswith(("$", r"\Z", r"\z")):
        return False
    depth = 0
    for mark in re.findall(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()|]", bare):
        depth += {"(": 1, ")": -1}.get(mark, 0)
        if mark == "|" and not depth:
            return False
    return not bare.endswith(r"\$")


def read_character(pattern: str, at: int) -> frozenset[str] | None:
    """The characters of one place outside of brackets; None if they are not known."""
    if pattern[at] != "\\":
        return frozenset(pattern[at])
    if coded := _CODED.match(pattern, at):
        return frozenset(chr(int(next(filter(None, coded.groups())), 16)))
    if named := _PROPERTY.match(pattern, at):
        return _PROPERTIES.get(named[1] or named[2])
    mark = pattern[at + 1 : at + 2]
    if mark in _CLASSES:
        return _CLASSES[mark]
    if mark in _NO_CHARACTER:
        return frozenset()
    # Another class, a number, a reference: whatever that is.
    return None if mark.isalnum() or not mark else frozenset(mark)


def find_end(pattern: str, at: int) -> int:
    """Where one character ends that begins at a place."""
    if coded := _CODED.match(pattern, at) or _PROPERTY.match(pattern, at):
        return coded.end()
    return at + (2 if pattern[at] == "\\" else 1)


def read_class(pattern: str, at: int) -> tuple[frozenset[str], int] | None:
    """The characters of `[…]` that begins here, and where it ends; None for one that excludes."""
    at += 1
    if pattern[at : at + 1] == "^":
        return None
    found: set[str] = set()
    first = True
    while at < len(pattern) and (first or pattern[at] != "]"):
        if match := _NAMED.match(pattern, at):
            found |= _POSIX.get(match[1], frozenset("\0"))
            at = match.end()
        else:
            one = read_character(pattern, at)
            if one is None:
                return None
            at = find_end(pattern, at)
            is_range = pattern[at : at + 1] == "-" and pattern[at + 1 : at + 2] not in ("]", "")
            if len(one) == 1 and is_range:
                end = read_character(pattern, at + 1)
                if end is None or len(end) != 1:
                    return None
                last = ord(min(end))
                if not 0 <= last - ord(min(one)) < 200:
                    return None
                found |= {chr(code) for code in range(ord(min(one)), last + 1)}
                at = find_end(pattern, at + 1)
            else:
                found |= one
        first = False
    return (frozenset(found), at + 1) if at < len(pattern) else None
