"""A look at the words of a file, which tells of most that nothing in them is looked for.

What is not passed over is parsed, and only then is anything found: a look may say yes too often,
and never no where parsing would find something.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from jurat.rating.signals.file_roles import Role
from jurat.rating.signals.recon_table import (
    build_name_pattern,
    compile_expression,
    load_recon_table,
    split_name,
)
from jurat.rules.constraints import LinearRegex, compile_regex

_SCREENED = frozenset(("python", "javascript", "typescript", "tsx", "component"))
"""Languages whose names hold nothing but letters, digits, "_" and "$". Others are parsed."""
_WORD = re.compile(r"[\w$]+")
_PARTS = re.compile(r"\w+")
_JOINT = re.compile(r"[\"']\s*\\?\s*[rfbuRFBU]{0,2}[\"']")
"""Between two strings that stand beside each other and are one."""
_LETTER = re.compile(r"([\"'])[rfbuRFBU]{1,2}\1\s*\\?\s*[rfbuRFBU]{0,2}[\"']")
"""A string that `_JOINT` would take for what stands between two others."""
_NO_LETTER = "[^A-Za-z0-9]"
_TOGETHER = 20
_MOST = 200_000
"""Words whose parts are remembered."""


def can_show(text: str, language: str | None, role: Role, among: frozenset[str]) -> bool:
    """Whether a file may show one of some signals: False only if nothing in it could."""
    if role not in (Role.CODE, Role.TEST):
        return True
    screen = build_screen(among, role)
    return language not in _SCREENED or screen.has_any(text)


class Screen:
    """What a file of a role must say to show one of some signals, word by word."""

    def __init__(self, among: frozenset[str], role: Role) -> None:
        sources = [one for one in load_recon_table().signals if one.name in among]
        every = [probe for one in sources for probe in one.probes]
        probes = [probe for probe in every if role in probe.within]
        self._modules = {
            frozenset(_PARTS.findall(module)) for one in probes for module in one.imports
        }
        self._parts: dict[str, int] = {}
        self._names = {
            frozenset({self._number(build_name_pattern(name))})
            for one in probes
            for name in (*one.defines, *one.names, *one.keys)
        }
        self._names |= {
            frozenset(
                self._number(build_name_pattern(part))
                for part in call.removeprefix("*.").split(".")
            )
            for one in probes
            for call in one.calls
        }
        self._groups = _compile_groups(list(self._parts))
        self._keys = _compile_spread([key for one in probes for key in one.keys])
        spoken = every if role is Role.CODE else []
        phrases = {e for one in spoken for kind in ("prompts", "texts") for e in getattr(one, kind)}
        self._phrases = _compile_phrases(sorted(phrases))
        self._known: dict[str, tuple[int, ...]] = {}

    def has_any(self, text: str) -> bool:
        """Whether a text has all the words of something that is looked for."""
        words = set(_WORD.findall(text)) if self._modules or self._names else set()
        words |= {part for word in words if "$" in word for part in _PARTS.findall(word)}
        if any(module <= words for module in self._modules):
            return True
        said = self._find_parts(words)
        if any(name <= said for name in self._names):
            return True
        return self._has_text(text)

    def _has_text(self, text: str) -> bool:
        if not self._keys and not self._phrases:
            return False
        data = text.encode("utf-8", "replace")
        if any(key.search(data) is not None for key in self._keys):
            return True
        # A phrase may go on from one string to the next, which is one string to Python.
        joined = _JOINT.sub(lambda gap: "\n" * gap[0].count("\n"), text).encode("utf-8", "replace")
        return _LETTER.search(text) is not None or any(
            phrase.search(one) is not None for phrase in self._phrases for one in (data, joined)
        )

    def _number(self, pattern: str) -> int:
        return self._parts.setdefault(pattern, len(self._parts))

    def _find_parts(self, words: Iterable[str]) -> set[int]:
        """The parts of wanted names that some words are."""
        known = self._known
        new = [word for word in words if word not in known and not word.isdigit()]
        if len(known) > _MOST:
            known.clear()
        if new:
            known.update(dict.fromkeys(new, ()))
            self._look_up(new)
        return {part for word in words for part in known.get(word, ())}

    def _look_up(self, words: list[str]) -> None:
        """Note the parts of words that were not met before: programs say the same ones again."""
        names = [split_name(word).encode("utf-8", "replace") for word in words]
        lines = b"\n".join(names)
        for first, whole, each in self._groups:
            # All words at once: nearly always none is meant, and a search costs more than a line.
            if whole.search(lines) is None:
                continue
            for word, name in zip(words, names, strict=True):
                if whole.search(name) is not None:
                    found = (
                        first + n for n, one in enumerate(each) if one.search(name) is not None
                    )
                    self._known[word] += tuple(found)


@cache
def build_screen(among: frozenset[str], role: Role) -> Screen:
    """The screen for some signals in files of a role."""
    return Screen(among, role)


def _compile_groups(
    patterns: list[str],
) -> list[tuple[int, LinearRegex, list[LinearRegex]]]:
    """Expressions for few patterns at once, each with its first one's number and all of them."""
    return [
        (
            first,
            compile_regex(f"(?m)^(?:{'|'.join(some)})$"),
            [compile_regex(f"^(?:{pattern})$") for pattern in some],
        )
        for first in range(0, len(patterns), _TOGETHER)
        for some in (patterns[first : first + _TOGETHER],)
    ]


def _compile_phrases(phrases: list[str]) -> tuple[LinearRegex, ...]:
    return tuple(
        compile_expression("|".join(f"(?:{one})" for one in phrases[at : at + _TOGETHER]))
        for at in range(0, len(phrases), _TOGETHER)
    )


def _compile_spread(keys: list[str]) -> tuple[LinearRegex, ...]:
    """Expressions for keys of several words wherever they stand, apart by whatever is no letter."""
    spread = [
        build_name_pattern(key)
        .replace("(?:_[a-z0-9]+)*", f"(?:{_NO_LETTER}(?s:.)*)?")
        .replace("(?:[a-z0-9]+_)*", "")
        .replace("_?", f"{_NO_LETTER}*")
        .replace("_", f"{_NO_LETTER}+")
        for key in dict.fromkeys(keys)
    ]
    several = [pattern for pattern in spread if _NO_LETTER in pattern]
    return tuple(
        compile_regex(
            f"(?i)(?:^|{_NO_LETTER})(?:{'|'.join(several[at : at + _TOGETHER])})(?:$|{_NO_LETTER})"
        )
        for at in range(0, len(several), _TOGETHER)
    )
