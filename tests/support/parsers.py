"""One pool of parsers for every App of a test session."""

from __future__ import annotations

import atexit
from functools import cache

from jurat.source.parser_pool import ParserPool


@cache
def share_parsers() -> ParserPool:
    """The pool, which runs until this process ends: it takes a while to start and to stop."""
    pool = ParserPool()
    atexit.register(pool.close)
    return pool
