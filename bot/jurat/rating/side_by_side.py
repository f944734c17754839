"""Two questions about one program, neither of which waits for the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

A = TypeVar("A")
B = TypeVar("B")


class AskBoth(Protocol):
    """Asks two questions. The second's answer must be picklable, and neither may change a thing."""

    def __call__(self, first: Callable[[], A], second: Callable[[], B]) -> tuple[A, B]:
        """Both answers."""
        ...


def ask_in_turn(first: Callable[[], A], second: Callable[[], B]) -> tuple[A, B]:
    """One after the other, in this process."""
    return first(), second()
