"""Whether what was quoted or escaped stands where that makes it fit."""

from __future__ import annotations

from jurat.engine.flow.taints import Did, Taint

_QUOTES = {'"': '"', "`": "`", "'": "'", "[": "]"}
"""What begins a name or a text in a statement, each with what ends it."""


def fit_quotes(taint: Taint, statements: int) -> Taint:
    """An origin behind what stands before it: in quotes that it has doubled, it ends no name.

    `statements` are the questions about statements of a database.
    """
    closing = _QUOTES.get(taint.before[-1:])
    if closing is None or (Did.DOUBLE, closing) not in taint.marks:
        return taint
    return taint.drop_answered(statements)
