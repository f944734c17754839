"""What the statements of a database's own files do: tables made, and what the clock starts.

A schema is no program, but keeps what programs rely on: rows that get their time by themselves,
that go with the row they hang on, or that a job of the database deletes when they are old.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jurat.rating.code.function_facts import CallFact, FileFacts, FunctionFacts
from jurat.rating.code.sql_statements import split_statements

_IS_SCHEMA = re.compile(
    r"^[^\S\n]*(?:CREATE\s+(?:OR\s+REPLACE\s+)?(?:TABLE|(?:MATERIALIZED\s+)?VIEW|TRIGGER|FUNCTION|EVENT)|SELECT\s+cron\.schedule"
    r"|ALTER\s+TABLE)\b",
    re.IGNORECASE | re.MULTILINE,
)
_CLOCKED = re.compile(
    r"\bcron\.schedule\s*\(|\bCREATE\s+EVENT\b|add_retention_policy|run_maintenance|dbms_scheduler",
    re.IGNORECASE,
)
"""What hands a statement to the database's own clock."""
_INNER = re.compile(r"\b(?:DELETE\s+FROM|CALL|SELECT\s+drop_)\b.*", re.IGNORECASE | re.DOTALL)
_MOST = 4_000
"""Characters of a statement that are looked at."""


def is_schema(text: str) -> bool:
    """Whether a text is one of a database's statements."""
    return _IS_SCHEMA.search(text) is not None


_MODEL = re.compile(r"^model\s+(\w+)\s*\{\n((?:(?!\}|model\s).*\n)*)\}", re.MULTILINE)
_FIELD = re.compile(r"^[^\S\n]+(\w+)[^\S\n]+(\w+)(?![\w\[]|\?\[)([^\n]*)", re.MULTILINE)
_NAMED = re.compile(r'@@map\("(\w+)"\)')
_IS_MODELS = re.compile(r"^(?:datasource|generator|model)\s+\w+\s*\{", re.MULTILINE)
_OWN_TYPES = frozenset(
    ("String", "Int", "BigInt", "Float", "Decimal", "Boolean", "DateTime", "Json", "Bytes")
)


def is_models(text: str) -> bool:
    """Whether a text has the models of Prisma, from which it makes the tables."""
    return _IS_MODELS.search(text) is not None and _MODEL.search(text) is not None


def read_models(text: str) -> FileFacts:
    """The tables that Prisma makes of its models, as the statements that make them."""
    return read_schema("".join(_iter_tables(text)))


def _iter_tables(text: str) -> Iterator[str]:
    for name, body in _MODEL.findall(text):
        found = _NAMED.search(body)
        columns = [
            f"{field} {kind} {_write_state(how)}".strip()
            for field, kind, how in _FIELD.findall(body)
            if kind in _OWN_TYPES or "@relation" in how
        ]
        yield f"CREATE TABLE {found[1] if found else name} ({', '.join(columns)});\n"


def _write_state(how: str) -> str:
    """What stands behind a column, in the words of a statement."""
    timed = "DEFAULT now()" if "@default(now())" in how or "@updatedAt" in how else ""
    falls = "ON DELETE CASCADE" if "onDelete: Cascade" in how else ""
    return f"{timed} {falls}".strip()


def read_schema(text: str) -> FileFacts:
    """The statements as texts, and those that the clock starts as calls."""
    says: set[str] = set()
    calls: list[CallFact] = []
    at = 0
    for statement in split_statements(text):
        said = statement.strip()[:_MOST]
        says.add(said)
        if _CLOCKED.search(said) and (inner := _INNER.search(said)):
            line = text.count("\n", 0, text.find(said, at)) + 1
            calls.append(CallFact("sql.scheduled", line, frozenset({f"t:{inner[0]}"}), arguments=1))
        at += len(statement)
    whole = FunctionFacts("", calls=tuple(calls), says=frozenset(says))
    return FileFacts("sql", (whole,), is_started=True)
