"""How parsing is run: in this process, or in a server's worker processes that can be killed.

What only the pool needs is imported by it: the command line starts without.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from jurat.source.syntax import TooDeeplyNestedError

if TYPE_CHECKING:
    from pebble import ProcessFuture, ProcessPool

T = TypeVar("T")
R = TypeVar("R")

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
        self._lock = Lock()
        self._closed = False
        self._waited_for: set[ProcessFuture[Any]] = set()
        self._pool = self._new_pool()

    def __call__(self, work: Callable[[T], R], items: Sequence[T]) -> Sequence[R | ParseFailure]:
        """One result or ParseFailure for each item. Blocks until all are there."""
        with self._lock:
            pool = self._running()
            futures = [
                pool.schedule(attempt, args=(work, item), timeout=self._deadline) for item in items
            ]
            self._waited_for.update(futures)
        try:
            return [self._outcome(future) for future in futures]
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
            _stop(self._pool)
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

    def _outcome(self, future: ProcessFuture[R | ParseFailure]) -> R | ParseFailure:
        from concurrent.futures import CancelledError  # noqa: PLC0415 - see the module
        from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415 - as above

        from pebble import ProcessExpired  # noqa: PLC0415 - as above

        try:
            return future.result()
        except TimeoutError:
            return ParseFailure(f"parsing it took longer than {self._deadline:g} seconds")
        except ProcessExpired:
            return ParseFailure("its parser died")
        except (BrokenProcessPool, CancelledError):
            return ParseFailure("the parsers were stopped before it was parsed")

    def _running(self) -> ProcessPool:
        """The pool, or another one where its own threads have failed."""
        if not self._closed and not self._pool.active:
            _stop(self._pool)
            self._pool = self._new_pool()
        return self._pool

    def _new_pool(self) -> ProcessPool:
        import multiprocessing  # noqa: PLC0415 - see the module

        from pebble import ProcessPool  # noqa: PLC0415 - as above

        methods = multiprocessing.get_all_start_methods()
        context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
        context.set_forkserver_preload(["jurat.source.functions"])
        return ProcessPool(self._workers, max_tasks=_ITEMS_A_WORKER, context=context)


def _stop(pool: ProcessPool) -> None:
    pool.stop()  # type: ignore[no-untyped-call] # pebble left it untyped
    pool.join()


# How parsing work is run: here in this process, or in a pool that can kill it.
#
# The core hands a plain function and its inputs to a ParseMap and gets one result, or one
# ParseFailure, for each input. The command line uses `in_process`; the server uses a ParserPool.

SIZE_CAP = 1_000_000
"""Characters of a text beyond which it is not parsed, by whatever door: about 40 MB of tree.

The core holds to it (`assembly.assemble`), so that a file over it is unread, and a ParseMap never
sees one.
"""


@dataclass(frozen=True, slots=True)
class ParseFailure:
    """Why an input gave no result: too large, past its deadline, or a parser that died."""

    reason: str


class ParseMap(Protocol):
    """Runs `work` over `items`, in order. `work` is a module-level function of picklable values."""

    def __call__(self, work: Callable[[T], R], items: Sequence[T]) -> Sequence[R | ParseFailure]:
        """One result or ParseFailure for each item, in the items' order."""
        ...


def in_process(work: Callable[[T], R], items: Sequence[T]) -> Sequence[R | ParseFailure]:
    """The ParseMap of the command line: one after the other, no deadline."""
    return [attempt(work, item) for item in items]


def attempt(work: Callable[[T], R], item: T) -> R | ParseFailure:
    """The result of `work`, or a ParseFailure where it raised anything but an order to stop."""
    try:
        return work(item)
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except TooDeeplyNestedError as error:
        return ParseFailure(str(error))
    except BaseException as error:  # noqa: BLE001 - a panic in a grammar is no Exception; all are reported
        return ParseFailure(f"its parser failed ({type(error).__name__})")
