"""The tables of a database that a program's own statements name, make, and give the time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain

from jurat.rating.code.function_facts import FunctionFacts
from jurat.rating.code.sql_statements import (
    MadeTable,
    has_cascade,
    list_made_tables,
    list_made_views,
    list_named_tables,
)
from jurat.rating.program.reach import Program


@dataclass(frozen=True)
class KnownTables:
    """The tables of one program by their names, in lower case."""

    program: Program

    @cached_property
    def named(self) -> frozenset[str]:
        """Those that statements name."""
        said = (_list_named(function.says) for function in self._iter_functions())
        return frozenset().union(*said)

    @cached_property
    def made(self) -> frozenset[str]:
        """Those that statements make."""
        return frozenset(table.name for table in self._schema)

    @cached_property
    def clocked(self) -> frozenset[str]:
        """Those whose rows are given the time by themselves."""
        return frozenset(table.name for table in self._schema if table.is_clocked)

    def list_columns(self, names: frozenset[str]) -> frozenset[str]:
        """The columns of those of some tables that statements make, or that a view shows of one."""
        names |= {self._views[name] for name in names if name in self._views}
        made = (table.columns for table in self._schema if table.name in names)
        return frozenset().union(*made)

    @cached_property
    def has_cascade(self) -> bool:
        """Whether what hangs on a row goes with it, as a schema here has it."""
        return any(
            _has_cascade(function.says) or _has_cascade(function.refers)
            for function in self._iter_functions()
        )

    @cached_property
    def _views(self) -> dict[str, str]:
        made = (_list_views(function.says) for function in self._iter_functions())
        return dict(chain.from_iterable(made))

    @cached_property
    def _schema(self) -> tuple[MadeTable, ...]:
        made = (_list_made(function.says) for function in self._iter_functions())
        return tuple(chain.from_iterable(made))

    def _iter_functions(self) -> Iterator[FunctionFacts]:
        for facts in self.program.files.values():
            yield from facts.functions


# An attack asks the same of most functions again.


@lru_cache(maxsize=131_072)
def _list_named(texts: frozenset[str]) -> frozenset[str]:
    return frozenset(table for text in texts for table in list_named_tables(text))


@lru_cache(maxsize=131_072)
def _list_made(texts: frozenset[str]) -> tuple[MadeTable, ...]:
    return tuple(table for text in texts for table in list_made_tables(text))


@lru_cache(maxsize=131_072)
def _list_views(texts: frozenset[str]) -> tuple[tuple[str, str], ...]:
    return tuple(made for text in texts for made in list_made_views(text))


@lru_cache(maxsize=131_072)
def _has_cascade(texts: frozenset[str]) -> bool:
    return any(map(has_cascade, texts))
