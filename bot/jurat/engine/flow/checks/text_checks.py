"""What follows for a text that begins as it must, holds only what it may, or fits a pattern."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from jurat.engine.flow.checks.open_folders import is_open_folder
from jurat.engine.flow.forms.program import UNKNOWN, Constant, Expression, Text
from jurat.engine.flow.values.allowed_text import find_allowed, is_plain
from jurat.engine.flow.values.evaluator import Evaluator
from jurat.engine.flow.values.matcher import Matcher
from jurat.engine.flow.values.patterns import compile_pattern
from jurat.engine.flow.values.taints import REMOTE
from jurat.engine.flow.values.value import NOTHING, iter_taints
from jurat.engine.flow.words import split_words

MATCHERS = split_words(
    """
    match fullmatch test exec matches MatchString Match find lookingAt
    """
)

WHOLE = frozenset({"fullmatch", "matches"})

SPELLINGS = MATCHERS | split_words(
    """
    isalnum isalpha isdigit isnumeric isdecimal isidentifier isascii isAlphanumeric isAlpha
    """
)
"""What asks of which characters a text is, or which pattern it fits."""

PREFIXES = frozenset({"startswith", "startsWith", "HasPrefix"})

_LISTS = frozenset({"Contains", "ContainsFunc"})
"""Functions that are given a list, and ask whether it has a value."""

_SUFFIXES = frozenset({"endswith", "endsWith", "HasSuffix"})

_OPEN_SUFFIX = re.compile(r"\w")
"""Begins the end of a host that another host may end with: `a.example`, `evil-a.example`."""

_SCHEME = re.compile(r"(?i)(?:https?|wss?|ftp|file|git|ssh)(?::/{0,2})?|//")

HOST = re.compile(r"(?i)(?:https?:)?//[^/?#\\%\0]+[/?#]")

_OPEN_HOST = re.compile(r"(?i)(?:[a-z]+:)?//[^/?#\\\0]+")
"""A host without an end: what follows may go on with it, as `https://a.example` + `.b.example`."""

_HOST_PART = re.compile(r"\.(?:[hH]ost(?:name|Name)?|netloc|getHost\(\)|Hostname\(\))$")
"""Ends the name of the host of an address."""

_NO_FOLDER = re.compile(r"[./\\~]*")
"""Begins a path in any folder."""

SLASH = re.compile(r"/")

_ARITHMETIC = frozenset("0123456789+-*/%().,<>=&|^~?  \t")
"""What a sum is written with: it names nothing, and no bracket reaches a part by its name."""


def _is_open_host(said: Expression) -> bool:
    """Whether a beginning ends with a host that nobody knows: `f"https://{HOST}"`."""
    if not isinstance(said, Text) or len(said.parts) < 2:
        return False
    first, last = said.parts[0], said.parts[-1]
    text = first.value if isinstance(first, Constant) else None
    is_scheme = isinstance(text, str) and _SCHEME.fullmatch(text) is not None
    return is_scheme and len(said.parts) == 2 and not isinstance(last, Constant)


def find_admitted(
    evaluator: Evaluator, name: str, receiver: Expression | None, arguments: Sequence[Expression]
) -> int:
    """The questions that a pattern answers, if a guard asks one; else all."""
    word = name.rpartition(".")[2]
    if word in PREFIXES:
        of = receiver if receiver is not None and len(arguments) == 1 else (*arguments, None)[0]
        if of is not None and _HOST_PART.search(evaluator.results.get(id(of), NOTHING).name):
            # `a.example` begins `a.example.evil`, too: it is the end that says whose host it is.
            return evaluator.matcher.everything & ~evaluator.matcher.get_rejected("//")
        mask = _find_begun(evaluator, name, arguments)
        if arguments and is_open_folder(evaluator, of, arguments[-1]):
            mask &= ~evaluator.matcher.find_bound(name)
        return mask
    if word in _SUFFIXES and is_beginning(evaluator, _OPEN_SUFFIX.match, arguments):
        return 0
    if (word in MATCHERS or word in _LISTS) and _is_anybodys(evaluator, (receiver, *arguments)):
        return 0
    finder = evaluator.results.get(id(receiver), NOTHING)
    if word in MATCHERS and finder.items and isinstance(finder.constant, str):
        # Java's matcher: it has the groups that its pattern, the constant, has found.
        return find_matched(evaluator, finder.constant, word)
    if word not in MATCHERS or not arguments:
        return evaluator.matcher.everything
    asked = [one for one in (receiver, *arguments) if one is not None]
    values = [value for one in asked if (value := evaluator.results.get(id(one))) is not None]
    patterns = [one.constant for one in values if isinstance(one.constant, str)]
    if not patterns and word == "exec":
        # Of no pattern, it runs something.
        return 0
    if not patterns or any(any(iter_taints(one)) for one in values if one.constant is not UNKNOWN):
        return evaluator.matcher.everything
    return find_matched(evaluator, patterns[0], word)


def _is_anybodys(evaluator: Evaluator, asked: Sequence[Expression | None]) -> bool:
    """Whether somebody outside says a value, and what is fit as well."""
    values = [evaluator.results.get(id(one), NOTHING) for one in asked if one is not None]
    said = (any(taint.strength == REMOTE for taint in iter_taints(one)) for one in values)
    return sum(said) > 1


def find_matched(evaluator: Evaluator, pattern: str, word: str) -> int:
    """The questions that a text can do no harm to which fits a pattern, asked by a method."""
    allowed = find_allowed(pattern, whole=word in WHOLE)
    known = 0 if allowed is None else find_unreached(evaluator, allowed)
    language = evaluator.language
    return known | _find_unheld(
        evaluator.matcher,
        pattern,
        starts=word == "match" and language.matches_at_start,
        whole=word in WHOLE,
        restarts_at_root=language.restarts_at_root,
    )


def _find_begun(evaluator: Evaluator, name: str, arguments: Sequence[Expression]) -> int:
    """The questions that the beginning of a text may answer, by what it must begin with."""
    if is_beginning(evaluator, _SCHEME.fullmatch, arguments):
        # It says no more of a URL than its scheme.
        return 0
    mask = evaluator.matcher.everything
    if arguments and _is_open_host(arguments[-1]):
        mask &= ~evaluator.matcher.get_rejected("//")
    if is_beginning(evaluator, SLASH.fullmatch, arguments) or is_beginning(
        evaluator, _OPEN_HOST.fullmatch, arguments
    ):
        mask &= ~evaluator.matcher.get_rejected("//")
    if is_beginning(evaluator, _NO_FOLDER.fullmatch, arguments):
        mask &= ~evaluator.matcher.find_bound(name)
    return mask


# Each guard in each file asks it, and a program has few patterns: to go through one takes its time
# for each text that rules list.
@lru_cache(maxsize=1024)
def _find_unheld(
    matcher: Matcher, text: str, *, starts: bool, whole: bool, restarts_at_root: bool
) -> int:
    """The questions that no text which fits a pattern does harm to, by what it may hold."""
    pattern = compile_pattern(text, starts=starts, whole=whole)
    if pattern is None:
        return 0
    mask = matcher.rejected.find_unheld(pattern.can_hold)
    stays = pattern.begins_without("/") or not restarts_at_root
    if stays and not pattern.can_hold(".."):
        # As if it had been looked for by itself.
        mask |= matcher.get_rejected("..")
    leading = matcher.get_rejected("//")
    if pattern.has_fixed_host():
        mask |= leading
    if pattern.begins_at_root():
        mask |= leading & matcher.get_rejected(":")
    return mask


def is_beginning(
    evaluator: Evaluator, fits: Callable[[str], object], arguments: Sequence[Expression]
) -> bool:
    """Whether the beginnings that a check asks for are all constants that fit."""
    if not arguments:
        return False
    known = evaluator.results.get(id(arguments[-1]), NOTHING)
    said = [known] if known.items is None else known.items.values()
    return bool(said) and all(
        isinstance(one.constant, str) and fits(one.constant) is not None for one in said
    )


def has_beginning(evaluator: Evaluator, text: str, arguments: Sequence[Expression]) -> bool:
    """Whether one of the beginnings that a check asks for is a text."""
    known = evaluator.results.get(id(arguments[-1]), NOTHING) if arguments else NOTHING
    said = [known] if known.items is None else known.items.values()
    return any(one.constant == text for one in said)


def find_unreached(evaluator: Evaluator, characters: frozenset[str]) -> int:
    """The questions that a text of these characters alone can do no harm to."""
    if is_plain(characters):
        return evaluator.matcher.everything
    sums = evaluator.matcher.get_rejected("(") if characters <= _ARITHMETIC else 0
    # A slash leads somewhere in a path or a URL, and is text in a statement or a shell.
    return sums | evaluator.matcher.find_safe(characters, otherwise=is_plain(characters - {"/"}))
