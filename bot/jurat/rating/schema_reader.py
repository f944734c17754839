"""What the statements of a database's own files do: tables made, and what the clock starts.

A schema is no program, but keeps what programs rely on: rows that get their time by themselves,
that go with the row they hang on, or that a job of the database deletes when they are old.
"""

from __future__ import annotations

import re

from jurat.rating.function_facts import CallFact, FileFacts, FunctionFacts
from jurat.rating.sql_statements import split_statements

_IS_SCHEMA = re.compile(
    r"^\s*(?:CREATE\s+(?:OR\s+REPLACE\s+)?(?:TABLE|TRIGGER|FUNCTION|EVENT)|SELECT\s+cron\.schedule"
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
