"""What is known of a text that does not fit a pattern, or is not no number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from jurat.engine.flow.checks.answers import clear_value, get_callee_name, get_constant, reject_text
from jurat.engine.flow.checks.beginnings import note_no_host
from jurat.engine.flow.checks.text_checks import find_unreached
from jurat.engine.flow.forms.program import Attribute, Call, Expression, Index, Name
from jurat.engine.flow.values.allowed_text import find_kept
from jurat.engine.flow.values.evaluator import Evaluator
from jurat.engine.flow.values.matcher import Matcher
from jurat.engine.flow.values.patterns import FittingTexts, compile_pattern
from jurat.engine.flow.values.value import Env

_ANYWHERE = frozenset({"exec", "search", "test", "MatchString", "find"})
_AT_START = frozenset({"match"})
"""Methods that look for a pattern anywhere in a text, and at its start."""

_LOOKING = _ANYWHERE | _AT_START

_HIDDEN = re.compile(r"\(\?[=!<]|\\[bB]|\(\?[a-zA-Z]*m")
"""What a pattern asks of the text around, so that what fits it is not known."""

_ROOTS = ("//", "//a")
"""How a text begins that leads to another host."""

_WHOLE_NUMBERS = re.compile(r"(?:^|\.)(?:Number|BigInt)(?:\(\))?$")
"""Ends the name of what makes a number of a text, and of no part of it."""


def narrow_unfit(evaluator: Evaluator, name: str, asked: Sequence[Expression], env: Env) -> None:
    """A pattern was looked for in a text, and not found: the text has nothing that fits it."""
    word = name.rpartition(".")[2]
    is_start = word in _AT_START and evaluator.language.matches_at_start
    if word not in _LOOKING or len(asked) < 2:
        return
    said = {id(one): get_constant(evaluator, one) for one in asked}
    pattern = next((text for text in said.values() if isinstance(text, str)), None)
    if pattern is None or _HIDDEN.search(pattern):
        return
    boxes = [one for one in asked if not isinstance(said[id(one)], str)]
    known = compile_pattern(pattern, starts=is_start, whole=False)
    kept = find_kept(pattern) if not is_start else None
    for box in boxes:
        if kept is not None:
            clear_value(evaluator, box, env, find_unreached(evaluator, kept), literal=True)
        for text in _list_found(evaluator.matcher, pattern, is_start=is_start):
            reject_text(evaluator, box, text, env)
    if known is not None and all(known.fits(root) for root in _ROOTS):
        note_no_host(evaluator, boxes, env)


# Each guard in each file asks it of all texts that rules list, and a program has few patterns.
@lru_cache(maxsize=1024)
def _list_found(matcher: Matcher, pattern: str, *, is_start: bool) -> tuple[str, ...]:
    """The texts that rules list of which a pattern is found in whatever holds them."""
    known = compile_pattern(pattern, starts=is_start, whole=False)
    texts = matcher.rejected.texts if known is not None else ()
    return tuple(text for text in texts if known is not None and _is_found_in_all(known, text))


def _is_found_in_all(known: FittingTexts, text: str) -> bool:
    """Whether a pattern is found in whatever holds a text, wherever it stands there."""
    return all(known.fits(one) for one in (text, f"a{text}", f"{text}a", f" {text} "))


def narrow_number(
    evaluator: Evaluator, name: str, arguments: Sequence[Expression], env: Env, *, holds: bool
) -> None:
    """A text that as a whole is a number: `!isNaN(text)`, `Number.isInteger(Number(text))`."""
    word = name.rpartition(".")[2]
    if word not in ("isNaN", "isFinite", "isInteger", "isSafeInteger") or len(arguments) != 1:
        return
    asked = arguments[0]
    if holds is (word == "isNaN"):
        return
    if isinstance(asked, Call) and _WHOLE_NUMBERS.search(get_callee_name(evaluator, asked)):
        texts = [one.value for one in asked.arguments[:1]]
    else:
        # The one that is nobody's method makes a number of it first.
        texts = [asked] if name in ("isNaN", "isFinite") else []
    for text in texts:
        fit = evaluator.matcher.everything & ~evaluator.matcher.believed
        clear_value(evaluator, text, env, fit)


def narrow_ordered(
    evaluator: Evaluator, left: Expression, right: Expression, env: Env, *, holds: bool
) -> None:
    """A value is a number that is more or less than one; in some languages also one that is not."""
    if holds not in evaluator.language.numbers_by_order:
        return
    fit = evaluator.matcher.everything & ~evaluator.matcher.believed
    for one, other in ((left, right), (right, left)):
        bound = get_constant(evaluator, other)
        is_number = isinstance(bound, int | float) and not isinstance(bound, bool)
        if is_number and isinstance(one, Name | Attribute | Index):
            clear_value(evaluator, one, env, fit)
