"""The parsing of a whole repository on all cores, and what is asked of it on two.

It stands apart: a review of one change loads no processes.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, suppress
from functools import partial
from multiprocessing.connection import Connection
from typing import TypeVar

from jurat.cli.options import WORTH_SHOWING, parse_map, show_progress
from jurat.rating.side_by_side import ask_in_turn
from jurat.source.parsing import ParseFailure, attempt
from jurat.source.syntax import forget_trees

T = TypeVar("T")
R = TypeVar("R")


class AllCores(AbstractContextManager["AllCores"]):
    """As many processes as there are cores, for a command that reads a whole repository.

    They start with the first call that is worth it, are forks of this process, and are kept: what
    one has learnt of a repository's words it knows of the next files too. Whoever has it starts no
    thread. Where the system cannot fork, or has one core, all is done in this process.
    """

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes. What is read after that starts others."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def parse(self, work: Callable[[T], R], items: Sequence[T]) -> Sequence[R | ParseFailure]:
        """A ParseMap."""
        if len(items) < WORTH_SHOWING or not _can_fork():
            return parse_map()(work, items)
        try:
            size = count_share(len(items), os.cpu_count() or 1)
            results = self._get_pool().map(partial(_attempt_once, work), items, chunksize=size)
            is_watched = sys.stderr.isatty()
            return list(show_progress(results, len(items), "Reading") if is_watched else results)
        except BrokenProcessPool:
            self.close()
            # A grammar took its process along. This pool loses the one file that did it, not all.
            from jurat.source.parser_pool import ParserPool  # noqa: PLC0415 - for that alone

            with ParserPool() as careful:
                return careful(work, items)

    def _get_pool(self) -> ProcessPoolExecutor:
        if self._pool is None:
            # Forks hold what this process has loaded, grammars and expressions. Started afresh,
            # each would load for longer than many a repository takes.
            context = multiprocessing.get_context("fork")
            self._pool = ProcessPoolExecutor(os.cpu_count() or 1, mp_context=context)
        return self._pool

    def ask_both(self, first: Callable[[], T], second: Callable[[], R]) -> tuple[T, R]:
        """Ask the first here and the second in a fork of this process, if there can be one.

        What the fork could not answer is asked here again.
        """
        # The pool has a thread, which a fork must not find half way through something.
        self.close()
        return _ask_both_at_once(first, second) if _can_fork() else ask_in_turn(first, second)


_AT_A_TIME = 24
"""Files that a process takes at once at most, and hands back: what they say alike is sent once."""
_TURNS = 8
"""Times that each process takes some: who is done early does not wait long for the others."""


def count_share(items: int, processes: int) -> int:
    """How many of some items a process takes at once."""
    return max(1, min(_AT_A_TIME, items // (_TURNS * processes)))


def _attempt_once(work: Callable[[T], R], item: T) -> R | ParseFailure:
    try:
        return attempt(work, item)
    finally:
        # Each file is read by one process, once: trees of others would be held for nobody.
        forget_trees()


def _can_fork() -> bool:
    """Whether another process may take over what this one holds, and runs beside it."""
    methods = multiprocessing.get_all_start_methods()
    return (os.cpu_count() or 1) > 1 and "fork" in methods


def _ask_both_at_once(first: Callable[[], T], second: Callable[[], R]) -> tuple[T, R]:
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    beside = context.Process(target=_hand_back, args=(second, sender), daemon=True)
    beside.start()
    sender.close()
    try:
        here = first()
        try:
            there: R = receiver.recv()
        except EOFError:
            there = second()
        return here, there
    finally:
        beside.kill()
        beside.join()


def _hand_back(ask: Callable[[], object], sender: Connection) -> None:
    with suppress(Exception):  # whoever waits hears nothing, asks itself, and meets the same
        sender.send(ask())
    sender.close()
