"""Whether a loop goes round, for whoever looks at it from outside."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Pulse:
    """Beaten by a loop each time that a round of it did what it is for.

    `within` is how many seconds may lie between two beats. `clock` counts seconds.
    """

    def __init__(self, within: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._within = within
        self._clock = clock
        self._latest = 0.0
        self._failure = ""
        self._end: str | None = "it has not begun"

    @contextmanager
    def living(self) -> Iterator[None]:
        """Around the loop: it lives, and how it ends is kept."""
        self._end = None
        self.beat()
        try:
            yield
        except BaseException as error:
            # Not what it says, which anybody may read here.
            self._end = f"it was ended by an error ({type(error).__name__})"
            raise
        self._end = "it has ended"

    def beat(self) -> None:
        """A round was made."""
        self._latest = self._clock()
        self._failure = ""

    def miss(self, failure: str) -> None:
        """A round failed, and another will be tried. `failure` is for anybody to read."""
        self._failure = failure

    def problem(self) -> str | None:
        """What is wrong with the loop, in a clause; None while it goes round."""
        if self._end is not None:
            return self._end
        silent = self._clock() - self._latest
        if silent <= self._within:
            return None
        why = f" ({self._failure})" if self._failure else ""
        return f"it has made no round for {silent:.0f} s{why}"
