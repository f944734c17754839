"""What follows from how a text begins: not up from a folder, and on this host."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from jurat.engine.flow.checks.answers import clear_dots, get_constant, note_half
from jurat.engine.flow.checks.text_checks import (
    MATCHERS,
    PREFIXES,
    SLASH,
    WHOLE,
    has_beginning,
    is_beginning,
)
from jurat.engine.flow.forms.program import Attribute, Call, Expression, Index
from jurat.engine.flow.values.commands import note_undashed
from jurat.engine.flow.values.evaluator import Evaluator
from jurat.engine.flow.values.patterns import compile_pattern
from jurat.engine.flow.values.taints import ROOTED
from jurat.engine.flow.values.value import NOTHING, Env

_DASH, _NO_DASH = re.compile(r"-$"), re.compile(r"[^-]")

_UPWARD = re.compile(r"\.(?:\.[/\\]?)?$")

_NO_HOST = "\0//"
"""Ends the name of an origin of which the other half of an answer is known."""

_AT = frozenset({"charAt", "at"})
_BETWEEN = frozenset({"slice", "substring", "subSequence"})
"""Methods that return the character at a place, and what stands between two."""


def narrow_beginning(
    evaluator: Evaluator,
    name: str,
    asked: Sequence[Expression],
    arguments: Sequence[Expression],
    env: Env,
    *,
    holds: bool,
) -> None:
    """What follows from the beginning of a path.

    `/` alone says nothing of the host, as `//host` begins so, too; both answers together do.
    """
    if name.rpartition(".")[2] not in PREFIXES:
        return
    if is_beginning(evaluator, (_DASH if not holds else _NO_DASH).match, arguments):
        note_undashed(evaluator, asked, env)
    if not holds and is_beginning(evaluator, _UPWARD.match, arguments):
        for one in asked:
            clear_dots(evaluator, one, env, evaluator.matcher.get_rejected(".."), as_given=False)
    elif holds and is_beginning(evaluator, SLASH.fullmatch, arguments):
        note_half(evaluator, asked, env, ROOTED, _NO_HOST)
    elif not holds and has_beginning(evaluator, "//", arguments):
        note_no_host(evaluator, asked, env)


def narrow_fitting(
    evaluator: Evaluator, name: str, asked: Sequence[Expression], env: Env, *, holds: bool
) -> None:
    """What follows if a text fits a pattern that asks for a slash at its beginning."""
    word = name.rpartition(".")[2]
    if not holds or word not in MATCHERS:
        return
    said = [text for one in asked if isinstance(text := get_constant(evaluator, one), str)]
    starts = word == "match" and evaluator.language.matches_at_start
    known = compile_pattern(said[0], starts=starts, whole=word in WHOLE) if said else None
    if known is not None and known.begins_with("/"):
        note_half(evaluator, asked, env, ROOTED, _NO_HOST)
    if known is not None and known.begins_without("-"):
        note_undashed(evaluator, asked, env)


def note_no_host(evaluator: Evaluator, asked: Sequence[Expression], env: Env) -> None:
    """A text that does not begin with two slashes: the half of an answer."""
    note_half(evaluator, asked, env, _NO_HOST, ROOTED)


def narrow_character(
    evaluator: Evaluator, one: Expression, said: Expression, env: Env, *, holds: bool
) -> None:
    """What follows if the first or the second character of a text is compared with a slash."""
    place = _find_character(evaluator, one)
    known = set(_list_characters(evaluator, said)) if place is not None else set()
    if place is None:
        return
    of, at = place
    if at == 0 and holds is not ("-" in known):
        note_undashed(evaluator, [of], env)
    if "/" not in known:
        return
    if at == 1 and not holds:
        note_no_host(evaluator, [of], env)
    elif at == 0 and holds and known == {"/"}:
        note_half(evaluator, [of], env, ROOTED, _NO_HOST)


def _list_characters(evaluator: Evaluator, said: Expression) -> Iterator[str]:
    """The characters that one is compared with: a text, or the texts of a list."""
    value = evaluator.results.get(id(said), NOTHING)
    for one in (value,) if value.items is None else value.items.values():
        if isinstance(one.constant, str):
            yield from one.constant if value.items is None else (one.constant,)


def _find_character(evaluator: Evaluator, one: Expression) -> tuple[Expression, int] | None:
    """The text of which an expression is one character, and which; None if it is none."""
    of: Expression
    ends: Sequence[Expression | None]
    if isinstance(one, Index):
        of, ends = one.of, (one.key,) if one.key is not None else (one.start, one.end)
    elif isinstance(one, Call) and isinstance(one.callee, Attribute):
        of, ends = one.callee.of, [argument.value for argument in one.arguments]
        if one.callee.name not in (_AT if len(ends) == 1 else _BETWEEN):
            return None
    else:
        return None
    numbers = [0 if end is None else get_constant(evaluator, end) for end in ends]
    if len(numbers) == 2 and (ends[-1] is None or numbers[1] != numbers[0] + 1):
        return None
    return (of, numbers[0]) if numbers and numbers[0] in (0, 1) else None
