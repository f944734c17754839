"""Path globs of one meaning everywhere: `**` crosses folders, `*` does not, {a,b} is a choice."""

from __future__ import annotations

from functools import lru_cache

from wcmatch import glob

_FLAGS = glob.GLOBSTAR | glob.BRACE | glob.DOTGLOB


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> glob.WcMatcher[str]:
    return glob.compile(pattern, flags=_FLAGS)


def matches(pattern: str, path: str) -> bool:
    """Whether a path, relative and with "/", is one that the pattern means."""
    return _compiled(pattern).match(path)
