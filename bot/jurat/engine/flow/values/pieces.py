"""Pieces of a text in which a character stands no more, such as what is behind its last dot.

`..` takes two dots, and a step of a path a slash: a piece without the one leads up nowhere, though
it may begin at the root, and the last one without the other is a name in its folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from jurat.engine.flow.values.allowed_text import find_characters
from jurat.engine.flow.values.taints import ROOT, Taint
from jurat.engine.flow.values.value import Value
from jurat.engine.flow.words import split_words

_FINDERS = split_words("lastIndexOf LastIndex LastIndexByte rfind rindex")
"""What says where a text has another one last."""

_LAST = "@"
"""In the name of such a number, between what the text is called and what was looked for."""

_SPLITTERS = frozenset({"split", "Split"})
_ENDING = frozenset({"rsplit", "rpartition"})
"""What splits a text once, from behind."""

_PATH_SPLITTER = re.compile(r"(?:os\.path|posixpath|ntpath)\.split")
"""What splits a path into its folder and its last step."""

_TAKERS = split_words("pop at last Last getLast slice")
_CUTTERS = split_words("substring substr slice subSequence")
_BEHIND_LAST = frozenset({"substringAfterLast"})

_AT = " at "
"""In the step to the pieces of a text, between what splits it and the characters it does so at."""


def find_place(word: str, receiver: Value, values: Sequence[Value]) -> str:
    """The name of the number that a callee returns of where a text has a character last, or ""."""
    if word not in _FINDERS or not values:
        return ""
    # `name.rfind(".")`, `strings.LastIndex(name, ".")`.
    is_method = not (len(values) > 1 and isinstance(values[1].constant, str))
    text, sought = (receiver, values[0]) if is_method else (values[0], values[1])
    if not text.name or not isinstance(sought.constant, str) or len(sought.constant) != 1:
        return ""
    return f"{text.name}{_LAST}{sought.constant}"


def is_place(name: str) -> bool:
    """Whether a name is one of such a number."""
    return name[-2:-1] == _LAST


def find_behind(text: Value, place: Value) -> str:
    """What stands no more in a text from such a place on, "" if it is none of that text."""
    is_its = is_place(place.name) and place.name[:-2] == text.name
    return place.name[-1] if is_its else ""


def find_step(name: str, values: Sequence[Value]) -> str:
    """The step to what a callee makes of a text, with the characters that it splits the text at."""
    if _PATH_SPLITTER.fullmatch(name):
        return f"rsplit{_AT}/"
    word = name.rpartition(".")[2]
    said = [one.constant for one in values]
    texts = [one for one in said[:2] if isinstance(one, str)]
    if not texts or not (word in _ENDING or (word in _SPLITTERS and said[-1] == texts[0])):
        return word
    characters = "".join(sorted(find_characters(texts[0])))
    return f"{word}{_AT}{characters}" if characters else word


def is_splitter(word: str) -> bool:
    """Whether a callee splits a text wherever it has what it is split at."""
    return word in _SPLITTERS


def read_step(step: str) -> tuple[str, str]:
    """The word of the callee that a step is called by, and where it splits a text, if it does."""
    word, _, characters = step.partition(_AT)
    return word, characters


def cut_text(
    word: str, receiver: Value, values: Sequence[Value], answered: int
) -> tuple[Taint, ...] | None:
    """The origins of a piece that a callee takes of a text; None if it takes none.

    `answered` are the questions that a text without a slash is fit for.
    """
    if word in _CUTTERS and values and (without := find_behind(receiver, values[0])):
        return tuple(strip_off(receiver.taints, without, answered))
    if word in _BEHIND_LAST and len(values) > 1 and isinstance(values[1].constant, str):
        return tuple(strip_off(values[0].taints, values[1].constant, answered))
    if word not in _TAKERS or any(one.constant != -1 for one in values):
        return None
    if not any(_is_split(one) for one in receiver.taints):
        return None
    return tuple(take_piece(receiver.taints, answered, last=True, later=True))


def take_piece(
    taints: Iterable[Taint], answered: int, *, last: bool, later: bool
) -> Iterator[Taint]:
    """The origins of one piece of a text that was split.

    `last` says that it is the last of all, `later` that it is not the first.
    """
    for one in taints:
        word, without = read_step(one.path[-1]) if one.path else ("", "")
        if word in _ENDING and not later:
            without = ""
        elif word in _SPLITTERS and not last:
            # Steps that are put one behind the other lead as far up as before.
            without = without.replace("/", "")
        yield from strip_off([one], without, answered)


def _is_split(taint: Taint) -> bool:
    return bool(taint.path) and bool(read_step(taint.path[-1])[1])


def strip_off(taints: Iterable[Taint], characters: str, answered: int) -> Iterator[Taint]:
    """The origins of a piece in which none of some characters stands."""
    for one in taints:
        left = one.drop_answered(answered) if "/" in characters else one
        if "." in characters:
            left = left._replace(before=ROOT, settled=None)
        if left.matters:
            yield left
