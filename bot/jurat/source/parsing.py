"""How parsing work is run: here in this process, or in a pool that can kill it.

The core hands a plain function and its inputs to a ParseMap and gets one result, or one
ParseFailure, for each input. The command line uses `parse_in_process`, the server a ParserPool.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from jurat.source.syntax import TooDeeplyNestedError

T = TypeVar("T")
R = TypeVar("R")


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


def parse_in_process(work: Callable[[T], R], items: Sequence[T]) -> Sequence[R | ParseFailure]:
    """The ParseMap of the command line: one after the other, no deadline."""
    return [attempt(work, item) for item in items]


def attempt(work: Callable[[T], R], item: T) -> R | ParseFailure:
    """The result of `work`, or a ParseFailure if it raised anything but an order to stop."""
    try:
        return work(item)
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except TooDeeplyNestedError as error:
        return ParseFailure(str(error))
    except BaseException as error:  # noqa: BLE001 - a panic in a grammar is no Exception; all are reported
        return ParseFailure(f"its parser failed ({type(error).__name__})")
