"""How parsing is run: here in this process, or in a pool whose processes can be killed."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.context import BaseContext
from threading import Lock
from types import TracebackType
from typing import Any, Self

from pebble import ProcessExpired, ProcessFuture, ProcessPool

from jurat.source.parsing import ParseFailure, R, T, attempt

_DEADLINE = 10.0
"""Seconds for one file: the slowest grammar takes 0.3 s for a megabyte of ordinary source."""
_ITEMS_A_WORKER = 2_000
"""After so many a worker is replaced, so that what a grammar leaks does not add up."""


class ParserPool:
    """Runs each item in a worker process, with a deadline in seconds from when a worker takes it.

    A worker past its deadline is killed, and one that dies is replaced; either costs its item
    alone, which becomes a ParseFailure. May be called from several threads at once, but not once
    closed (RuntimeError). The workers start with the first call and do not fork this process, which
    has threads.
    """

    def __init__(self, workers: int | None = None, *, deadline: float = _DEADLINE) -> None:
        self._workers = workers or os.cpu_count() or 1
        self._deadline = deadline
        # Of threads, not of asyncio: reviews call from `to_thread`.
        self._lock = Lock()
        self._closed = False
        self._waited_for: set[ProcessFuture[Any]] = set()
        self._pool = self._create_pool()

    def __call__(self, work: Callable[[T], R], items: Sequence[T]) -> Sequence[R | ParseFailure]:
        """One result or ParseFailure for each item. Blocks until all are there."""
        with self._lock:
            pool = self._get_pool()
            # pebble counts from when a worker takes the item: items that wait behind others are not
            # late.
            futures = [
                pool.schedule(attempt, args=(work, item), timeout=self._deadline) for item in items
            ]
            self._waited_for.update(futures)
        try:
            return [self._await_outcome(future) for future in futures]
        finally:
            with self._lock:
                self._waited_for.difference_update(futures)

    @property
    def busy(self) -> bool:
        """Whether somebody waits for a result."""
        return bool(self._waited_for)

    def close(self) -> None:
        """Stop the workers. What they have not finished becomes ParseFailures."""
        with self._lock:
            self._closed = True
            _stop_pool(self._pool)
            for future in self._waited_for:
                # A stopped pool leaves these as they are, and their callers waiting.
                future.cancel()  # type: ignore[no-untyped-call] # as in _stop

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _await_outcome(self, future: ProcessFuture[R | ParseFailure]) -> R | ParseFailure:
        try:
            return future.result()
        except TimeoutError:
            return ParseFailure(f"parsing it took longer than {self._deadline:g} seconds")
        except ProcessExpired:
            return ParseFailure("its parser died")
        except (BrokenProcessPool, CancelledError):
            return ParseFailure("the parsers were stopped before it was parsed")

    def _get_pool(self) -> ProcessPool:
        """The pool, or another one if its own threads have failed."""
        # A pool whose own threads have failed takes no work for good: every file from then on would
        # be unread.
        if not self._closed and not self._pool.active:
            _stop_pool(self._pool)
            self._pool = self._create_pool()
        return self._pool

    def _create_pool(self) -> ProcessPool:
        context = get_start_context()
        # Loaded once in the server that forks: a worker is then there at once, grammars and all.
        context.set_forkserver_preload(["jurat.source.functions"])
        return ProcessPool(self._workers, max_tasks=_ITEMS_A_WORKER, context=context)


def get_start_context() -> BaseContext:
    """How worker processes are started, on every platform without a fork of this process."""
    methods = multiprocessing.get_all_start_methods()
    # A fork of a process with threads copies locks that nobody will ever release:
    # https://docs.python.org/3/library/multiprocessing.html#contexts-and-start-methods
    return multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")


def _stop_pool(pool: ProcessPool) -> None:
    pool.stop()  # type: ignore[no-untyped-call] # pebble left it untyped
    pool.join()
