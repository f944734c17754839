"""What taking characters out of a text answers, and by which pattern they are found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from jurat.engine.flow.checks.text_checks import find_unreached
from jurat.engine.flow.forms.program import UNKNOWN
from jurat.engine.flow.values.allowed_text import find_characters, find_kept
from jurat.engine.flow.values.evaluator import Evaluator
from jurat.engine.flow.values.taints import NO_SLASH, REMOTE, Taint
from jurat.engine.flow.values.value import Value, iter_taints
from jurat.engine.flow.words import split_words

_LINE_FLAG = re.compile(r"[dgimsuvy]*m[dgimsuvy]*")

_BY_LINE = ("re.M", "re.MULTILINE", "Pattern.MULTILINE")

EACH = "/g"
"""Ends the name of a pattern that is looked for all over a text."""

_REPLACERS = split_words(
    """
    replace replaceAll ReplaceAll Replace sub ReplaceAllString ReplaceAllLiteralString
    ReplaceAllStringFunc
    """
)

_PATTERN_REPLACERS = frozenset(
    {"ReplaceAllString", "ReplaceAllLiteralString", "ReplaceAllStringFunc"}
)
"""Methods of a pattern alone: of `sub` and `replace` the pattern may be an argument."""

_SUBJECT_FIRST = re.compile(r"(?:^strings\.Replace(?:All)?|StringUtils\.replace(?:All|Each)?)$")
"""What is given the text that it replaces in before what it replaces."""


_FOUND_TEXT = re.compile(r"\$(?:&|[01]|\{[01]\})|\\(?:g<[01]>|[01])")
"""What stands for the text that was found in what is put in its place."""

_FIRST = "replaceFirst"
"""What leaves all but the first."""

_STRIPPERS = frozenset({"lstrip", "strip", "TrimLeft", "Trim", "stripStart"})
"""Methods that take characters off the beginning of a text, as many as there are."""

_LEADING = re.compile(r"\^(.+)[+*]")
"""A pattern of as many characters at the beginning."""

_AT_START = frozenset({NO_SLASH})


def is_unseen_pattern(name: str, receiver: Value) -> bool:
    """Whether a text is made anew by a pattern that stands in no file that is read.

    What it leaves of the text is as hidden as what another function does with it.
    """
    is_asked = name.rpartition(".")[2] in _PATTERN_REPLACERS
    is_anybodys = any(taint.strength == REMOTE for taint in receiver.taints)
    return is_asked and receiver.constant is UNKNOWN and not is_anybodys


def read_pattern(name: str, values: Sequence[Value]) -> Value:
    """A pattern is known by its text, and by whether it fits more than once, or in any line."""
    text = values[0].constant
    flags = str(values[1].constant) if len(values) > 1 else ""
    by_line = _LINE_FLAG.fullmatch(flags) or any(
        one.name.endswith(_BY_LINE) for one in _list_flags(values[1:])
    )
    text = f"(?m){text}" if by_line and isinstance(text, str) else text
    # Of a program that is compiled, that is said where it is handed over.
    said = values[0].taints if text is UNKNOWN and name != "compile()" else ()
    return Value(said, constant=text, name=f"{name}{EACH}" if "g" in flags else name)


def _list_flags(values: Sequence[Value]) -> Iterator[Value]:
    """What a pattern is told, each of several that are put together."""
    for one in values:
        yield from (one.items or {"": one}).values()


class TextReplacement(NamedTuple):
    """What taking characters out of a text did: the questions it answers, and what is left out."""

    answered: int
    without: frozenset[str] = frozenset()


def find_replaced(
    evaluator: Evaluator, name: str, receiver: Value, values: Sequence[Value]
) -> TextReplacement | None:
    """What a callee did that takes characters out of a text; None for any other."""
    word = name.rpartition(".")[2]
    if word in _STRIPPERS:
        said = values[-1].constant if values else ""
        return TextReplacement(0, _AT_START) if isinstance(said, str) and "/" in said else None
    if word == "translate" and values:
        return _take_out(evaluator, _list_translated(values[0]))
    if (word not in _REPLACERS and word != _FIRST) or len(values) < 2:
        return None
    if _SUBJECT_FIRST.search(name):
        # `strings.Replace(text, old, new, 2)` leaves all but the first two.
        if word == "Replace" and [one.constant for one in values[3:]] != [-1]:
            return None
        values = values[1:]
    pattern = values[0].constant
    if isinstance(receiver.constant, str):
        pattern = receiver.constant
    if len(values) < 2 or not isinstance(pattern, str) or _is_put_back(values[1]):
        return None
    if values[1].constant == "" and (start := _LEADING.fullmatch(pattern)):
        return TextReplacement(0, _AT_START) if "/" in find_characters(start[1]) else None
    if word == _FIRST:
        return None
    if evaluator.language.replaces_once and word == "replace" and not values[0].name.endswith(EACH):
        return None
    kept = find_kept(pattern)
    if kept is not None:
        return TextReplacement(find_unreached(evaluator, kept))
    put = values[1].constant
    # What is put in its own place is there still.
    characters = find_characters(pattern) - {put}
    # A single character is gone for good; longer texts come back out of their halves.
    taken = _take_out(evaluator, characters)
    mask = taken.answered
    if put == "\\" + pattern:
        mask &= ~evaluator.matcher.in_shells
    return TextReplacement(
        mask, frozenset(one for one in taken.without if not (isinstance(put, str) and one in put))
    )


def _is_put_back(value: Value) -> bool:
    """Whether what is put in the place of a text may be that text, with nothing before it."""
    if any(one.live for one in iter_taints(value)):
        return True
    put = value.constant
    found = _FOUND_TEXT.search(put) if isinstance(put, str) else None
    return found is not None and not found.string[: found.start()].endswith("\\")


def _take_out(evaluator: Evaluator, characters: Iterable[str]) -> TextReplacement:
    """What is known of a text in which none of some characters is left."""
    gone = frozenset(characters)
    mask = 0
    for character in gone:
        mask |= evaluator.matcher.get_rejected(character)
    if "." in gone:
        # Where there is none, there are no two of them.
        mask |= evaluator.matcher.get_rejected("..")
    return TextReplacement(mask, gone)


def _list_translated(table: Value) -> Iterator[str]:
    """The characters in whose place a table has others."""
    for key, value in (table.items or {}).items():
        character = chr(key) if isinstance(key, int) and key < 0x110000 else key
        put = value.constant
        if not isinstance(character, str) or len(character) != 1 or put is UNKNOWN:
            continue
        if not (isinstance(put, str) and character in put):
            yield character


def mark_replaced(evaluator: Evaluator, taint: Taint, replaced: TextReplacement) -> Taint:
    """An origin of a text of which characters were taken out, maybe after others."""
    rest = taint._replace(without=taint.without | replaced.without)
    together = evaluator.matcher.rejected.find_missing(rest.without)
    return rest.drop_answered(replaced.answered | together)
