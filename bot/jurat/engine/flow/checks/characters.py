"""What a condition lets through of the characters of a text, which a loop asks it of each."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

from jurat.engine.flow.checks.answers import get_callee_name, get_constant
from jurat.engine.flow.checks.text_checks import MATCHERS, find_unreached
from jurat.engine.flow.forms.program import (
    Attribute,
    Call,
    Expression,
    Index,
    Logical,
    Name,
    Not,
    Relationship,
)
from jurat.engine.flow.values.evaluator import Evaluator
from jurat.engine.flow.values.patterns import compile_pattern
from jurat.engine.flow.values.taints import EACH, Taint, Taints
from jurat.engine.flow.values.value import NOTHING, Env, Value, iter_taints
from jurat.engine.flow.words import split_words

_ALL = frozenset(map(chr, range(128))) | {"\u0100"}
"""The characters that are told apart; one stands for all that are not ASCII."""

_LETTERS, _DIGITS = frozenset(string.ascii_letters), frozenset(string.digits)

_CLASSES = {
    **dict.fromkeys(split_words("isalpha isLetter IsLetter isAlphabetic isAlpha"), _LETTERS),
    **dict.fromkeys(
        split_words("isdigit isDigit IsDigit IsNumber isnumeric isdecimal isNumeric"), _DIGITS
    ),
    **dict.fromkeys(split_words("isalnum isLetterOrDigit isAlphanumeric"), _LETTERS | _DIGITS),
    **dict.fromkeys(split_words("islower isLowerCase IsLower"), frozenset(string.ascii_lowercase)),
    **dict.fromkeys(split_words("isupper isUpperCase IsUpper"), frozenset(string.ascii_uppercase)),
    **dict.fromkeys(split_words("isspace isWhitespace IsSpace"), frozenset(string.whitespace)),
}
"""The last words of what asks what a character is."""

_HOLDING = split_words("contains includes Contains ContainsRune")
_PLACING = split_words("indexOf IndexRune IndexByte Index find")
"""Methods that ask whether a text has a character, and where."""

_AT = split_words("charAt at codePointAt charCodeAt")
_STEPS = {(EACH,), *((word,) for word in _AT)}
_FORMS = split_words("rune byte string String chr")
"""What returns a character by its place, and what makes the same of one."""

_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    ">=": lambda one, other: one >= other,
    "==": lambda one, other: one == other,
    "===": lambda one, other: one == other,
}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "===": "==="}


class _Fits(NamedTuple):
    """The characters for which a condition may hold, and those for which it may fail."""

    held: frozenset[str]
    failed: frozenset[str]


_ANY = _Fits(_ALL, _ALL)

_READABLE = (Call, Logical, Not, Relationship)
"""Conditions that may be about a character."""


def narrow_characters(
    evaluator: Evaluator, condition: Expression, env: Env, *, holds: bool
) -> bool:
    """Note what follows for each character of a text; whether that is all that a condition says."""
    if not isinstance(condition, _READABLE):
        return False
    reader = _ConditionReader(evaluator)
    fits = reader.read(condition)
    allowed = fits.held if holds else fits.failed
    if allowed is _ALL or allowed == _ALL:
        return False
    env.clear(reader.subject, find_unreached(evaluator, allowed), literal=True)
    return reader.is_whole


@lru_cache(maxsize=256)
def _list_fitting(operator: str, code: int) -> frozenset[str]:
    """The characters that compare so with one: programs ask for the same few again and again."""
    holds = _COMPARISONS[operator]
    return frozenset(sign for sign in _ALL if holds(ord(sign), code))


class _ConditionReader:
    """A condition about one character, as far as it is one.

    `subject` are the origins of that character, `is_whole` says whether nothing else was asked.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.subject: Taints = ()
        self.is_whole = True

    def read(self, condition: Expression) -> _Fits:
        """The characters for which it may hold and fail."""
        if isinstance(condition, Not):
            fits = self.read(condition.of)
            return _Fits(fits.failed, fits.held)
        if isinstance(condition, Logical) and condition.operator in ("and", "or"):
            left, right = self.read(condition.left), self.read(condition.right)
            if left is right is _ANY:
                return _ANY
            if condition.operator == "and":
                return _Fits(left.held & right.held, left.failed | right.failed)
            return _Fits(left.held | right.held, left.failed & right.failed)
        held = self._read_one(condition)
        if held is None:
            self.is_whole = False
            return _ANY
        return _Fits(held, _ALL - held)

    def _read_one(self, condition: Expression) -> frozenset[str] | None:
        if isinstance(condition, Call):
            return self._read_call(condition)
        if not isinstance(condition, Relationship):
            return None
        operator, left, right = condition.operator, condition.left, condition.right
        if operator in ("!=", "!==", "not in"):
            positive = "in" if operator == "not in" else "=="
            held = self._compare(positive, left, right)
            return None if held is None else _ALL - held
        return self._compare(operator, left, right)

    def _compare(self, operator: str, left: Expression, right: Expression) -> frozenset[str] | None:
        if operator == "in":
            return self._list_held(right) if self._is_subject(left) else None
        if isinstance(left, Call) and get_constant(self.evaluator, right) in (0, -1):
            return self._read_place(operator, left, get_constant(self.evaluator, right))
        for one, other, said in ((left, right, operator), (right, left, _TURNED.get(operator))):
            code = _read_code(get_constant(self.evaluator, other))
            if said in _COMPARISONS and code is not None and self._is_subject(one):
                return _list_fitting(said, code)
        return None

    def _read_place(self, operator: str, call: Call, bound: int) -> frozenset[str] | None:
        """`TEXT.indexOf(c) >= 0`, and `== -1`."""
        held = self._read_holding(call, _PLACING)
        if held is None or (operator, bound) in ((">=", 0), (">", -1)):
            return held
        return _ALL - held if (operator, bound) in (("<", 0), ("==", -1), ("===", -1)) else None

    def _read_call(self, call: Call) -> frozenset[str] | None:
        word = get_callee_name(self.evaluator, call).rpartition(".")[2]
        asked = [one.value for one in call.arguments]
        if word in _CLASSES:
            if not asked and isinstance(call.callee, Attribute):
                asked = [call.callee.of]
            return _CLASSES[word] if len(asked) == 1 and self._is_subject(asked[0]) else None
        if word in MATCHERS and isinstance(call.callee, Attribute) and len(asked) == 1:
            return self._read_pattern(call.callee.of, asked[0])
        return self._read_holding(call, _HOLDING)

    def _read_pattern(self, pattern: Expression, one: Expression) -> frozenset[str] | None:
        text = get_constant(self.evaluator, pattern)
        # What is asked is seldom a character, and to read a pattern takes its time.
        if not isinstance(text, str) or not any(_list_origins(self.evaluator, one)):
            return None
        held = _find_fitting(text)
        return held if held is not None and self._is_subject(one) else None

    def _read_holding(self, call: Call, words: Iterable[str]) -> frozenset[str] | None:
        """`TEXT.includes(c)`, `strings.ContainsRune(TEXT, c)`."""
        asked = [one.value for one in call.arguments]
        word = get_callee_name(self.evaluator, call).rpartition(".")[2]
        if word not in words or not asked:
            return None
        if len(asked) == 1 and isinstance(call.callee, Attribute):
            asked = [call.callee.of, *asked]
        held = self._list_held(asked[0]) if len(asked) == 2 else None
        return held if held is not None and self._is_subject(asked[1]) else None

    def _list_held(self, box: Expression) -> frozenset[str] | None:
        """The characters that a text has, or a list of some."""
        value = self.evaluator.results.get(id(box), NOTHING)
        if isinstance(value.constant, str):
            return frozenset(value.constant)
        said = [one.constant for one in (value.items or {}).values()]
        texts = [one for one in said if isinstance(one, str) and len(one) == 1]
        return frozenset(texts) if texts and len(texts) == len(said) else None

    def _is_subject(self, one: Expression) -> bool:
        """Whether an expression is the character that all of a condition is about."""
        found = tuple(_list_origins(self.evaluator, one))
        keys = {(taint.source, taint.path) for taint in self.subject}
        if not found or (keys and keys != {(taint.source, taint.path) for taint in found}):
            return False
        self.subject = found
        return True


@lru_cache(maxsize=256)
def _find_fitting(pattern: str) -> frozenset[str] | None:
    """The characters that a pattern fits; None for one that is written in a way unknown here."""
    known = compile_pattern(pattern, starts=False, whole=False)
    return None if known is None else frozenset(sign for sign in _ALL if known.fits(sign))


def _read_code(said: object) -> int | None:
    """The number of a character that stands for itself, or is said by its number."""
    if isinstance(said, str) and len(said) == 1:
        return ord(said)
    return said if isinstance(said, int) and not isinstance(said, bool) else None


def _list_origins(evaluator: Evaluator, one: Expression) -> Iterable[Taint]:
    """The origins of a character of a text, whichever it is; none of anything else."""
    if isinstance(one, Name):
        taints = tuple(iter_taints(evaluator.results.get(id(one), NOTHING)))
        if any(taint.path[-1:] not in _STEPS for taint in taints):
            return ()
        return tuple(taint._replace(path=(*taint.path[:-1], EACH)) for taint in taints)
    if isinstance(one, Call) and len(one.arguments) == 1:
        argument = one.arguments[0].value
        if isinstance(one.callee, Attribute) and one.callee.name in _AT:
            return _list_each(evaluator, one.callee.of, argument)
        if get_callee_name(evaluator, one).rpartition(".")[2] in _FORMS:
            return _list_origins(evaluator, argument)
    if isinstance(one, Index) and one.key is not None:
        return _list_each(evaluator, one.of, one.key)
    return ()


def _list_each(evaluator: Evaluator, of: Expression, place: Expression) -> Iterable[Taint]:
    """The origins of the character at a place that has a name: a loop goes through them."""
    value: Value = evaluator.results.get(id(of), NOTHING)
    if not isinstance(place, Name) or value.items is not None:
        return ()
    return tuple(taint.enter(EACH) for taint in iter_taints(value))
