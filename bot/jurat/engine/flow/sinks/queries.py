"""What stands in a statement or a filter of a database in the place of a value, or of a name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from jurat.engine.flow.forms.needs import STATEMENT_WORDS
from jurat.engine.flow.values.arrivals import find_last_name, list_mixed
from jurat.engine.flow.values.taints import REMOTE, ROOT, Taint, is_of_answer
from jurat.engine.flow.values.value import Value

_SQL = re.compile(
    rf"[\s(]*(?:--[^\n]*\n\s*)*(?:\{{\s*(?:\?\s*=\s*)?(?=call\b))?({STATEMENT_WORDS})(?=[\s(*\0]|$)",
    re.IGNORECASE,
)

_CLAUSE = re.compile(
    r"(?:\b(?:from|into|table|join|update|by|index|view|database|schema|column|as|exists|on|using|select|"
    r"distinct|returning|trigger|sequence|add|drop|rename|to|only|pragma|analyze|vacuum|truncate|where|"
    r"and|or|having|set|with|asc|desc|collate|type|role|user|grant|call|exec|execute|not|all)\s+"
    r"|[.\0]\s*|\b(?:into|table)\s+\S+\s*\(\s*|[\w\0)]\s+)[\"`\[]?$"
    r"|\b(?:from|into|table|join|update|index|view|database|schema|column|exists|only|truncate|trigger"
    r"|sequence)\s+(?:[A-Za-z_]\w*_|[\"`\[][\w-]*[_-])$"
    # Columns: of a row to be written, of a list, as a tuple, as what is counted; types and names of
    # parameters; whole conditions and inner statements in brackets.
    r"|\binto\s+\S+\s*\([^()]*$|\b(?:select|by|returning)\b[^()'=]*,\s*[\"`\[]?$"
    r"|\w[\"`\]]\s+$|\bset\s*\(\s*[\"`\[]?$|\b(?:max|min|count|sum|avg)\(\s*[\"`\[]?[\w-]*$"
    r"|::\s*$|[\s(,=][:@]$|\b(?:where|and|or|not|having|on|from|join|exists)\s*\(+\s*$",
    re.IGNORECASE,
)
"""Ends a text behind which a name or a clause stands, and no value.

Only the name of a table or the like may have begun: `AND total-` goes on with a value.
"""

_UNBOUND = re.compile(
    r"[\s(]*(?:create|alter|drop|truncate|pragma|grant|revoke|show|set|savepoint|use|lock|comment"
    r"|listen|unlisten|notify|rename|rollback\s+to|release\s+savepoint)\b",
    re.IGNORECASE,
)
"""Begins a statement that takes no parameters, whatever stands in it."""

_BACK = re.compile(r"\s*(?:(?:rollback\s+to|release)\s+)?savepoint\s", re.IGNORECASE)
"""Begins a statement that marks a place, or goes back to one; a condition begins with no such."""

_COLUMN = re.compile(
    r"(?:^|\b(?:and|or|not|on)\s|^\()[\s(\"`\[]*(?:\w+\.[\"`\[]?)?$", re.IGNORECASE
)
"""Ends a part of a condition behind which a column stands, as at its beginning."""

_NAME_OF_NAME = re.compile(
    r"(?i)(?:.*_)?(?:tbl|table|column|col|schema|index|constraint|sequence)_?names?"
    r"|(?:db_)?tables?|tbl|columns?|cols?|__tablename__|_?schemas?"
)
"""What holds the name of a table or the like, which the program knows."""

_RAW = re.compile(r"(?:Expr|Expression|Raw\w*|SQL\w*|Sql\w*|Literal|Text|Query)$")
"""Ends the name of a class that holds a piece of a statement, or all of it."""

_COMPARED_TO = re.compile(r"=[^()=,]*$")
"""Ends a text behind which the value of an attribute stands."""

_SCRIPTS = ("$where", "$function", "$accumulator", "$expr")

_LITERAL = "$literal"

_COMPARED = ("where", "$eq", "$ne", "$in", "$nin", "$regex", "$text", "$search")
"""Parts of a filter whose value is no filter; `where` is what other libraries call theirs."""

_STATEMENT_KEYS = ("text", "sql", "query", "statement")


def list_sql(values: Iterable[Value]) -> Iterator[Taint]:
    """What stands in a statement's text. A list of values beside it is none of it."""
    for value in values:
        if value.items is not None:
            for key in _STATEMENT_KEYS:
                if (part := value.items.get(key)) is not None:
                    yield from list_sql([part])
            continue
        for taint in value.taints:
            if not _SQL.match(taint.before):
                if taint.strength == REMOTE and taint.stands_alone and not _is_built(taint):
                    yield taint
            # Names and whole clauses cannot be parameters of a statement, so they come by its text;
            # that is no fault before somebody from outside can choose them.
            elif taint.strength == REMOTE or not (taint.foreign or _is_unbound(taint)):
                yield taint


def _is_built(taint: Taint) -> bool:
    """Whether an origin stands in an object in the place of a text: in one that a class made, or in
    what a builder's method has answered, as in `update(table).values(name=name)`.

    A class may be there to hold a piece of a statement, as `clause.Expr{SQL: text}`.
    """
    if taint.held_by:
        return _RAW.search(taint.held_by) is None
    return taint.foreign and is_of_answer(taint.answered_by)


def _is_unbound(taint: Taint) -> bool:
    """Whether what stands at an origin's place is no value that a parameter could hold."""
    return bool(
        _UNBOUND.match(taint.before)
        or _CLAUSE.search(taint.before.rstrip(ROOT))
        or _NAME_OF_NAME.fullmatch(find_last_name(taint))
    )


def list_clauses(values: Iterable[Value]) -> Iterator[Taint]:
    """What stands in a condition or the like, which is taken as it is: no column is a value, and no
    object that a class made is a text.
    """
    for one in list_mixed(values):
        if one.held_by and _is_built(one):
            continue
        if one.strength == REMOTE:
            yield one
            continue
        before = one.before.rstrip(ROOT)
        is_statement = _SQL.match(before) or _BACK.match(before)
        is_name = _NAME_OF_NAME.fullmatch(find_last_name(one)) or _COLUMN.search(before)
        if not (is_name or (is_statement and _is_unbound(one))):
            yield one


def list_queries(values: Iterable[Value]) -> Iterator[Taint]:
    """The same for callees that take other things as well: only what reads like a statement."""
    return (one for one in list_sql(values) if not one.stands_alone)


def list_searches(values: Iterable[Value]) -> Iterator[Taint]:
    """What stands in a search of a directory.

    Its attributes and folders are settings, and so is what an object brings that a caller hands
    over: of a parameter counts what is itself compared.
    """
    for one in list_mixed(values):
        is_compared = not one.path and _COMPARED_TO.search(one.before)
        if one.strength == REMOTE or is_compared:
            yield one


def list_filters(values: Iterable[Value]) -> Iterator[Taint]:
    """What may be an object in a filter, and so an operator: no text that was put together."""
    for value in values:
        yield from (one for one in value.taints if not one.mixed and not one.before)
        if value.items is not None:
            parts = value.items.items()
            yield from list_filters([part for key, part in parts if key not in _COMPARED])


def is_given_change(name: str, values: Sequence[Value]) -> bool:
    """Whether an update is given no filter first, but what it changes.

    A mapper to tables takes the condition behind it, as `{where: condition}`; a row that was found
    takes nothing else. What is called a collection is one of documents.
    """
    if name.rpartition(".")[2] != "update" or "ollection" in name:
        return False
    return len(values) == 1 or any("where" in (one.items or {}) for one in values[1:])


def list_scripts(values: Iterable[Value]) -> Iterator[Taint]:
    """What stands in the program of a filter."""
    for value in values:
        for key, part in (value.items or {}).items():
            yield from _list_read([part]) if key in _SCRIPTS else list_scripts([part])


def _list_read(values: Iterable[Value]) -> Iterator[Taint]:
    """What stands in a program, but for what is said there to be no more than a value."""
    for value in values:
        yield from value.taints
        for key, part in (value.items or {}).items():
            if key != _LITERAL:
                yield from _list_read([part])
