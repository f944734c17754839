"""What a person at a terminal sees besides the report: progress and remarks, all on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

from bot.publishing.plaintext import one_line
from bot.subjects.parsing import ParseFailure, ParseMap, attempt, in_process

T = TypeVar("T")
R = TypeVar("R")

_WORTH_SHOWING = 100
"""Files from which on a stage takes long enough, about half a second, for a person to wonder."""


def remark(text: str) -> None:
    """Say something that is no part of the report."""
    print(f"bylaw: {one_line(text)}", file=sys.stderr)  # noqa: T201 - a command speaks by printing


def parse_map() -> ParseMap:
    """How the command line parses: in this process, with a progress bar where a person looks on."""
    return _with_progress if sys.stderr.isatty() else in_process


def _with_progress(work: Callable[[T], R], items: Sequence[T]) -> Sequence[R | ParseFailure]:
    if len(items) < _WORTH_SHOWING:
        return in_process(work, items)
    from rich.console import Console  # noqa: PLC0415 - loaded for long reviews alone
    from rich.progress import track  # noqa: PLC0415 - as above

    watched = track(
        items,
        description="Reviewing",
        console=Console(stderr=True),
        transient=True,
    )
    return [attempt(work, item) for item in watched]
