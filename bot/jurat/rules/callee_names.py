"""Names of callees as rules write them: `*` for anything, `{a,b}` for either."""

from __future__ import annotations

import re
from functools import lru_cache

NAME = re.compile(r"[\w.*?{},$/<>@()\[\]~:|-]+")
"""What a name may be written with."""

_CHOICE = re.compile(r"\{([^{}]*)\}")


# Each rule spells out the vocabulary that it shares with others.
@lru_cache(maxsize=8192)
def expand_braces(said: str) -> tuple[str, ...]:
    """`a.{b,c}` is `a.b` and `a.c`."""
    if "{" not in said or (match := _CHOICE.search(said)) is None:
        return (said,)
    before, after = said[: match.start()], said[match.end() :]
    parts = match[1].split(",")
    return tuple(one for part in parts for one in expand_braces(f"{before}{part}{after}"))


@lru_cache(maxsize=4096)
def compile_name(said: str) -> re.Pattern[str]:
    """The expression for a name without braces."""
    return re.compile(
        "".join(".*" if part == "*" else re.escape(part) for part in re.split(r"(\*)", said))
    )
