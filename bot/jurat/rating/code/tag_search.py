"""What the tags of a value say, by a pattern: a text, or the name of what is called."""

from __future__ import annotations

import re

from jurat.rating.code.function_facts import Tags


def has_text(tags: Tags, pattern: re.Pattern[str]) -> bool:
    """Whether a text or key among the tags fits."""
    return _has_any(tags, pattern, ("t:", "k:"))


def has_name(tags: Tags, pattern: re.Pattern[str]) -> bool:
    """Whether a name of a call among the tags fits."""
    return _has_any(tags, pattern, ("x:",))


_MOST_REMEMBERED = 20_000
_FOUND: dict[tuple[str, int, tuple[str, ...]], dict[Tags | str, bool]] = {}
"""What was found by each pattern, in tags and in single ones."""


def _has_any(tags: Tags, pattern: re.Pattern[str], kinds: tuple[str, ...]) -> bool:
    # Programs say the same again, and an attack asks all again. Not `lru_cache` over the pattern:
    # its hash is computed from all of it each time.
    if not tags:
        return False
    known = _FOUND.setdefault((pattern.pattern, pattern.flags, kinds), {})
    found = known.get(tags)
    if found is None:
        if len(known) > _MOST_REMEMBERED:
            known.clear()
        found = known[tags] = any(
            tag[:2] in kinds and _fits(pattern, tag[2:], known) for tag in tags
        )
    return found


def _fits(pattern: re.Pattern[str], said: str, known: dict[Tags | str, bool]) -> bool:
    found = known.get(said)
    if found is None:
        found = known[said] = pattern.search(said) is not None
    return found
