"""Words without which a pattern cannot match, so that most patterns need not look at most files.

ast-grep compiles a pattern anew for every file. Looking for a word first costs a thousandth of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

Needles = frozenset[str] | None
"""One of these stands in every text that matches; None where nothing is known."""

_WORD = re.compile(r"(?<![A-Za-z0-9_$])[A-Za-z_][A-Za-z0-9_]{2,}")
_LITERAL = r"(?:[A-Za-z0-9_=:,@!%&<>/ \"'`-]|\\[.\-$/])"
_PLAIN_REGEX = re.compile(
    rf"(?:\(\?-u\))?\^?({_LITERAL}*)(?:\(((?:{_LITERAL}+\|)*{_LITERAL}+)\))?([^|]*)"
)
_QUANTIFIERS = ("?", "*", "{")
_CONJUNCTS = ("inside", "has", "precedes", "follows")


def needles(rule: object, utils: Mapping[str, Any]) -> Needles:
    """What must stand in a text for an ast-grep rule to match in it."""
    return _of_rule(rule, utils, depth=0)


def may_match(wanted: Needles, texts: Iterable[str]) -> bool:
    """Whether a rule with these needles can match in one of the texts."""
    return wanted is None or any(needle in text for text in texts for needle in wanted)


def _of_rule(rule: object, utils: Mapping[str, Any], depth: int) -> Needles:
    if not isinstance(rule, Mapping) or depth > 20:
        return None
    found = [_of_pattern(rule.get("pattern")), _of_regex(rule.get("regex"))]
    found += [_of_rule(rule.get(key), utils, depth + 1) for key in _CONJUNCTS]
    found += [_of_rule(item, utils, depth + 1) for item in _items(rule.get("all"))]
    found.append(_of_any([_of_rule(item, utils, depth + 1) for item in _items(rule.get("any"))]))
    name = rule.get("matches")
    if isinstance(name, str):
        found.append(_of_rule(utils.get(name), utils, depth + 1))
    return min((item for item in found if item), key=_selectivity, default=None)


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _selectivity(wanted: frozenset[str]) -> tuple[int, int]:
    """Fewer and longer needles exclude more."""
    return len(wanted), -min(len(needle) for needle in wanted)


def _of_any(branches: list[Needles]) -> Needles:
    known = [branch for branch in branches if branch]
    if not branches or len(known) < len(branches):
        return None
    return frozenset().union(*known)


def _of_pattern(pattern: object) -> Needles:
    """The longest word of a pattern. A context says less: only a part of it must match."""
    if not isinstance(pattern, str):
        return None
    words = _WORD.findall(pattern)
    return frozenset({max(words, key=len)}) if words else None


def _of_regex(regex: object) -> Needles:
    """The literal that an expression begins with, with the choices of a group right behind it."""
    match = _PLAIN_REGEX.fullmatch(regex) if isinstance(regex, str) else None
    if match is None:
        return None
    prefix, choices, rest = match[1], match[2], match[3]
    if rest.startswith(_QUANTIFIERS):
        if choices is None:
            prefix = re.sub(r"(?:\\.|.)$", "", prefix)
        choices = None
    literals = {_unescaped(prefix + choice) for choice in (choices or "").split("|")}
    return frozenset(literals) if min(map(len, literals)) >= 3 else None


def _unescaped(literal: str) -> str:
    return re.sub(r"\\(.)", r"\1", literal)
