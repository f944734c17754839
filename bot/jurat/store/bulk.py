"""Many rows in one statement, made once and run often.

On SQLite the rows are bound as one JSON document, and all of them are one call of the driver. Where
each row is a call of its own, each takes the interpreter's lock back from the thread that answers
HTTP meanwhile.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, Text, bindparam, func, select, true
from sqlalchemy.ext.asyncio import AsyncEngine

from jurat.store.database import Insert, insert_into, to_storable

Row = Mapping[str, Any]
"""Column values that JSON can hold."""

_GIVEN = func.json_each(bindparam("given_rows", type_=Text)).table_valued("value")

# What `storable` replaces, as JSON writes it; pairs of surrogates are found too, and stay.
_SUSPECT = re.compile(r"\\u(?:0000|d[89a-f])")


class BulkInsert:
    """An INSERT of any number of rows into a table.

    `each` names the columns that differ by row, `shared` those that do not.
    """

    def __init__(
        self,
        database: AsyncEngine,
        table: Table,
        each: Sequence[str],
        shared: Sequence[str],
        completed: Callable[[Insert], Insert],
    ) -> None:
        """`completed` says what to do about conflicts."""
        insert = insert_into(database, table)
        self._one_document = database.dialect.name == "sqlite"
        if self._one_document:
            values = [
                *(bind_column(name) for name in each),
                *(bindparam(name, type_=table.c[name].type) for name in shared),
            ]
            # The condition tells SQLite that what follows is no join: "Parsing Ambiguity" in
            # https://www.sqlite.org/lang_upsert.html.
            rows = select(*values).select_from(_GIVEN).where(true())
            insert = insert.from_select([*each, *shared], rows, include_defaults=False)
        # SQLAlchemy keeps no rowcount of an INSERT of many rows unless asked, and the count tells
        # whether a delivery was claimed before.
        self._statement = completed(insert).execution_options(preserve_rowcount=True)

    def execute(self, connection: Connection, rows: Sequence[Row], **shared: object) -> int:
        """Insert the rows, in order; how many were inserted or, if so completed, updated."""
        if self._one_document:
            return connection.execute(self._statement, {**to_bound_rows(rows), **shared}).rowcount
        return connection.execute(self._statement, [{**row, **shared} for row in rows]).rowcount


def bind_column(name: str) -> ColumnElement[Any]:
    """A column of the rows that a statement for SQLite is given. JSON values come as text."""
    return func.json_extract(_GIVEN.c.value, f"$.{name}")


def to_bound_rows(rows: Sequence[Row]) -> dict[str, str]:
    """The parameter that gives a statement its rows."""
    document = json.dumps(rows, default=dict)  # of any mapping
    return {"given_rows": json.dumps(to_storable(rows)) if _SUSPECT.search(document) else document}
