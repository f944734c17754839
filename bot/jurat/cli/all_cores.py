"""The parsing of a whole repository on all cores.

It stands apart: a review of one change loads no processes.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import TypeVar

from jurat.cli.options import WORTH_SHOWING, parse_map, show_progress
from jurat.source.parser_pool import ParserPool
from jurat.source.parsing import ParseFailure, attempt

T = TypeVar("T")
R = TypeVar("R")


def parse_on_all_cores(work: Callable[[T], R], items: Sequence[T]) -> Sequence[R | ParseFailure]:
    """The ParseMap of a command that reads a whole repository: as many processes as there are
    cores, in this one if there are few items or the system cannot fork.

    Call it before anything starts a thread: the processes are forks of this one.
    """
    workers = os.cpu_count() or 1
    methods = multiprocessing.get_all_start_methods()
    if workers == 1 or len(items) < WORTH_SHOWING or "fork" not in methods:
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
        with ParserPool() as careful:
            return careful(work, items)


_AT_A_TIME = 8
"""Files that a process takes at once."""
