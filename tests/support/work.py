"""Work for a pool: module-level, so that a worker can import it."""

from __future__ import annotations

import os
import signal


def shout(word: str) -> str:
    """Some words do what a hostile file makes a parser do."""
    while word == "hang":
        pass
    if word == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if word == "fail":
        raise ValueError(word)
    return word.upper()


def identify_process(_: str) -> int:
    """The process that the work is done in."""
    return os.getpid()
