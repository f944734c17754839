"""Regular expressions that take linear time, by RE2, whose library ships no types."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol, cast

import re2

_MAX_MEMORY = 8 << 20
"""RE2's own default bound on a compiled expression, in bytes."""


class Expression(Protocol):
    """A compiled expression over UTF-8 bytes. Its matches are as the standard library's."""

    def search(self, text: bytes, /) -> re.Match[bytes] | None:
        """The first match."""

    def finditer(self, text: bytes, /) -> Iterator[re.Match[bytes]]:
        """All matches that do not overlap, in order."""


def compile_regex(pattern: str) -> Expression:
    """The expression that `pattern` writes. Raises re2.error."""
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MAX_MEMORY
    return cast("Expression", re2.compile(pattern.encode(), options))


def regex_problem(pattern: str, everything: str) -> str | None:
    """Why nothing may be looked for by `pattern`; None if it is fine.

    RE2 refuses it, or it matches the empty text and so `everything`, which is a noun phrase.
    """
    try:
        matches_all = compile_regex(pattern).search(b"") is not None
    except re2.error as error:
        cause = error.args[0] if error.args else error
        told = cause.decode(errors="replace") if isinstance(cause, bytes) else cause
        return f"not a regular expression for RE2: {told}"
    return f"matches the empty text, and so {everything}" if matches_all else None
