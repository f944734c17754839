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
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from typing import TypeVar

from jurat.cli.options import WORTH_SHOWING, parse_map, show_progress
from jurat.rating.side_by_side import ask_in_turn
from jurat.source.parsing import ParseFailure, attempt

T = TypeVar("T")
R = TypeVar("R")


def parse_on_all_cores(work: Callable[[T], R], items: Sequence[T]) -> Sequence[R | ParseFailure]:
    """The ParseMap of a command that reads a whole repository: as many processes as there are
    cores, in this one if there are few items or the system cannot fork.

    Call it before anything starts a thread: the processes are forks of this one.
    """
    workers = os.cpu_count() or 1
    if len(items) < WORTH_SHOWING or not _can_fork():
        return parse_map()(work, items)
    # Forks hold what this process has loaded, grammars and expressions. Started afresh, each would
    # load for longer than many a repository takes.
    context = multiprocessing.get_context("fork")
    try:
        with ProcessPoolExecutor(workers, mp_context=context) as pool:
            results = pool.map(partial(attempt, work), items, chunksize=_AT_A_TIME)
            is_watched = sys.stderr.isatty()
            return list(show_progress(results, len(items), "Reading") if is_watched else results)
    except BrokenProcessPool:
        # A grammar took its process along. This pool loses the one file that did it, not the rest.
        from jurat.source.parser_pool import ParserPool  # noqa: PLC0415 - for that alone

        with ParserPool() as careful:
            return careful(work, items)


_AT_A_TIME = 8
"""Files that a process takes at once."""


def _can_fork() -> bool:
    """Whether another process may take over what this one holds, and runs beside it."""
    methods = multiprocessing.get_all_start_methods()
    return (os.cpu_count() or 1) > 1 and "fork" in methods


def ask_both_at_once(first: Callable[[], T], second: Callable[[], R]) -> tuple[T, R]:
    """Ask the first here and the second in a fork of this process, or both here if there is none.

    Call it before anything starts a thread. What the fork could not answer is asked here again.
    """
    if not _can_fork():
        return ask_in_turn(first, second)
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
