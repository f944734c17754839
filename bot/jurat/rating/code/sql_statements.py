"""What a database's statement says: what it does, to which tables, with which columns.

The one reader of SQL here. Programs say their statements in pieces, in many dialects, and with
gaps for what is put in when they run, so that no parser takes them: words at their places tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

_REMEMBERED = 20_000
_STATEMENT = re.compile(
    r"\s*(?:WITH\b.*?\)\s*)?(SELECT|INSERT|REPLACE|UPDATE|DELETE|MERGE|UPSERT|TRUNCATE)\b",
    re.IGNORECASE | re.DOTALL,
)
_SOMEWHERE = re.compile(r"\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|REPLACE)\b", re.IGNORECASE)
_PUTS_OVER = re.compile(r"\bDO\s+UPDATE\b|\bON\s+DUPLICATE\s+KEY\b|\bOR\s+REPLACE\b", re.IGNORECASE)
_TABLE = re.compile(
    r"\b(?:INTO|UPDATE|FROM|JOIN|TRUNCATE(?:\s+TABLE)?)\s+(?:ONLY\s+)?[\"`]?(?:\w+\.)?(\w+)",
    re.IGNORECASE,
)
_ANY_TABLE = re.compile(
    r"\b(?:INTO|UPDATE|FROM|JOIN|TABLE(?: IF NOT EXISTS)?)\s+[\"`]?(\w+)", re.IGNORECASE
)
_OF_PROSE = frozenset(
    ("a", "an", "the", "this", "that", "these", "those", "each", "any", "all", "one", "your")
)
"""What follows such words in a sentence, which then names no table."""
_OPEN_END = re.compile(r"\b(?:INTO|UPDATE|FROM)\s+[\"`]?$", re.IGNORECASE)
_COLUMNS = re.compile(r"\bINTO\s+[\w.\"`]+\s*\(([^)]*)", re.IGNORECASE)
_SELECTED = re.compile(r"\s*SELECT\s+(?:DISTINCT\s+)?(.*?)\s+FROM\b", re.IGNORECASE | re.DOTALL)
_COLUMN = re.compile(r"(?:\w+\.)?[\"`]?(\w+)[\"`]?(?:\s+(?:as\s+)?\w+)?")
_SET = re.compile(r"(\w+)\s*=")
_WHERE = re.compile(r"\bWHERE\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_NAME = re.compile(r"[a-z_]\w*")


class SqlStatement(NamedTuple):
    """A statement. Names are in lower case.

    `columns` are those that it puts or sets; `looks_for` the names behind WHERE. `is_open` says
    that the table is put in when it runs.
    """

    verb: str
    tables: frozenset[str]
    columns: frozenset[str]
    looks_for: frozenset[str]
    is_open: bool


@lru_cache(maxsize=_REMEMBERED)
def read_statement(text: str) -> SqlStatement | None:
    """The statement with which a text begins, None if it is none."""
    found = _STATEMENT.match(text)
    if found is None:
        return None
    verb = found[1].upper()
    return SqlStatement(
        verb,
        frozenset(name.lower() for name in _TABLE.findall(text)),
        list_columns(text) or (_list_set(text) if verb == "UPDATE" else frozenset()),
        list_looked_for(text),
        _OPEN_END.search(text) is not None,
    )


def has_statement(text: str) -> bool:
    """Whether words of a statement stand anywhere in a text."""
    return _SOMEWHERE.search(text) is not None


def is_put_over(text: str) -> bool:
    """Whether a row takes the place of the one before."""
    return _PUTS_OVER.search(text) is not None


def list_tables(text: str) -> frozenset[str]:
    """The tables that are named anywhere in a text of statements, in lower case."""
    return frozenset(name.lower() for name in _ANY_TABLE.findall(text)) - _OF_PROSE


def list_columns(text: str) -> frozenset[str]:
    """The columns into which a text puts a row, in lower case."""
    columns = _COLUMNS.search(text)
    return frozenset(_WORD.findall(columns[1].lower())) if columns else frozenset()


def list_selected(text: str) -> frozenset[str]:
    """The columns that a text reads, in lower case, none if it reads all of them or reckons."""
    selected = _SELECTED.match(text)
    columns = selected[1].lower().split(",") if selected else []
    named = [_COLUMN.fullmatch(column.strip()) for column in columns]
    return frozenset(column[1] for column in named if column) if all(named) else frozenset()


def _list_set(text: str) -> frozenset[str]:
    return frozenset(_SET.findall(_WHERE.split(text)[0].lower()))


@lru_cache(maxsize=_REMEMBERED)
def list_looked_for(text: str) -> frozenset[str]:
    """The names behind WHERE, whether the text begins with a statement or goes on with one."""
    parts = _WHERE.split(text, maxsplit=1)
    return frozenset(_NAME.findall(parts[1].lower())) if len(parts) > 1 else frozenset()


# What a schema makes, and what it refuses.

_TABLE_MADE = re.compile(
    r"CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?[\"`]?(\w+)[\"`]?\s*\((.*?)(?:;|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_COLUMN_MADE = re.compile(r"(?:^|,)\s*[\"`]?([a-z_]\w*)")
_TABLE_NAMED = re.compile(
    r"\b(?:INSERT\s+INTO|DELETE\s+FROM|CREATE\s+TABLE(?:\s+IF\s+NOT\s+EXISTS)?"
    r"|^\s*UPDATE|^\s*SELECT\b[^;]{0,200}?\bFROM)\s+[\"`]?(\w+)",
    re.IGNORECASE,
)
_CASCADE = re.compile(r"\bcascade\b|delete-orphan", re.IGNORECASE)
_CLOCK_SET = re.compile(r"\bdefault\b[^,]*(?:now|current_timestamp|datetime)", re.IGNORECASE)
_GUARD = re.compile(
    r"\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:CONSTRAINT\s+)?TRIGGER\b.*?\bBEFORE\b.*?\bDELETE\b"
    r".*?\bON\s+(?:\w+\.)?[\"`]?(\w+)",
    re.IGNORECASE | re.DOTALL,
)
_REFUSES = re.compile(
    r"\bRAISE\s*\(\s*(?:ABORT|FAIL|ROLLBACK)|\bRAISE\s+EXCEPTION\b|\bSIGNAL\s+SQLSTATE\b",
    re.IGNORECASE,
)
_CALLS = re.compile(r"\bEXECUTE\s+(?:FUNCTION|PROCEDURE)\s+(?:\w+\.)?(\w+)", re.IGNORECASE)
_MAKES = re.compile(r"\bCREATE\s+(?:OR\s+REPLACE\s+)?FUNCTION\s+(?:\w+\.)?(\w+)", re.IGNORECASE)
_QUOTE = re.compile(r"\$\w*\$")
_BODY = re.compile(r"\bTRIGGER\b[^;]*\bBEGIN\b", re.IGNORECASE)
_BODY_ENDS = re.compile(r"\bEND\s*$", re.IGNORECASE)


class MadeTable(NamedTuple):
    """A table that a statement makes, in lower case; `is_clocked`: its rows get their time."""

    name: str
    is_clocked: bool
    columns: frozenset[str] = frozenset()


class DeletionGuard(NamedTuple):
    """What a trigger does before rows of a table are deleted, if it refuses to."""

    table: str
    body: str


def list_made_tables(text: str) -> Iterator[MadeTable]:
    """The tables that the statements of a text make."""
    for name, columns in _TABLE_MADE.findall(text) if _has_words(text) else ():
        named = frozenset(_COLUMN_MADE.findall(columns.lower()))
        yield MadeTable(name.lower(), _CLOCK_SET.search(columns) is not None, named)


_VIEW_MADE = re.compile(
    r"CREATE\s+(?:OR\s+REPLACE\s+)?(?:MATERIALIZED\s+)?VIEW\s+[\"`]?(\w+)[\"`]?\s+AS\s+SELECT\b"
    r"[^;]*?\bFROM\s+[\"`]?(\w+)",
    re.IGNORECASE,
)


def list_made_views(text: str) -> Iterator[tuple[str, str]]:
    """The views that the statements of a text make, each with the table that it shows."""
    for view, table in _VIEW_MADE.findall(text) if _has_words(text) else ():
        yield view.lower(), table.lower()


def list_named_tables(text: str) -> frozenset[str]:
    """The tables that whole statements of a text name, in lower case."""
    return _find_named_tables(text) if _has_words(text) else frozenset()


@lru_cache(maxsize=_REMEMBERED)
def _find_named_tables(text: str) -> frozenset[str]:
    return frozenset(name.lower() for name in _TABLE_NAMED.findall(text))


def _has_words(text: str) -> bool:
    """Whether a text is more than one word, as most that a program says are not."""
    return len(text.split(maxsplit=1)) > 1


def has_cascade(text: str) -> bool:
    """Whether what hangs on a row goes with it."""
    return _CASCADE.search(text) is not None


def has_deletion_guard(text: str) -> bool:
    """Whether a text makes a trigger that comes before rows are deleted."""
    return _GUARD.search(text) is not None


def list_deletion_guards(statements: list[str]) -> Iterator[DeletionGuard]:
    """The triggers among some statements that refuse to delete, with what they ask first."""
    made = {name[1].lower(): text for text in statements if (name := _MAKES.search(text))}
    for text in statements:
        guard = _GUARD.search(text)
        called = _CALLS.search(text)
        body = made.get(called[1].lower(), "") if called else text
        if guard is not None and _REFUSES.search(body):
            yield DeletionGuard(guard[1].lower(), body)


def split_statements(text: str) -> list[str]:
    """The statements: a `;` between the same two `$$`, or in the body of a trigger, ends none."""
    parts, kept = [], ""
    for part in text.split(";"):
        kept += part
        open_body = _BODY.search(kept) and not _BODY_ENDS.search(kept)
        if len(_QUOTE.findall(kept)) % 2 or open_body:
            kept += ";"
            continue
        parts.append(kept)
        kept = ""
    return [*parts, kept] if kept.strip() else parts
