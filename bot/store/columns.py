"""Column types that mean the same on SQLite and on PostgreSQL."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from typing import Any, TypeAlias

from sqlalchemy import JSON, BigInteger, Connection, DateTime, Dialect, Integer, Table, Text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from sqlalchemy.types import TypeDecorator

Insert: TypeAlias = postgresql.Insert | sqlite.Insert

# PostgreSQL stores neither NUL nor half of a surrogate pair; names in a diff may hold both.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

Number = BigInteger().with_variant(Integer, "sqlite")
"""An integer of 64 bits; on SQLite the kind that may count up as a primary key."""


class Instant(TypeDecorator[dt.datetime]):
    """A point in time: an aware datetime goes in, one in UTC comes out.

    SQLite keeps text without a zone, in UTC and of one length, so that it sorts as time does.
    """

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: dt.datetime | None, dialect: Dialect) -> dt.datetime | None:
        """Refuse a naive time: it would be read as another one elsewhere."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a stored time has a zone")
        utc = value.astimezone(dt.UTC)
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(
        self, value: dt.datetime | None, dialect: Dialect
    ) -> dt.datetime | None:
        """Say which zone it is."""
        if value is None:
            return None
        return value.replace(tzinfo=dt.UTC) if value.tzinfo is None else value.astimezone(dt.UTC)


class Prose(TypeDecorator[str]):
    """Text from anywhere; what no database can store becomes U+FFFD."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Replace what cannot be stored."""
        return None if value is None else storable(value)


class Json(TypeDecorator[Any]):
    """A JSON value, `jsonb` on PostgreSQL."""

    impl = JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """Replace what cannot be stored."""
        return storable(value)


def storable(value: Any) -> Any:
    """A JSON value with U+FFFD in place of each character that no database can store."""
    if isinstance(value, str):
        return _UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, Mapping):
        return {storable(str(key)): storable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [storable(item) for item in value]
    return value


def insert_into(database: AsyncEngine | AsyncConnection | Connection, table: Table) -> Insert:
    """An INSERT that knows ON CONFLICT, which both dialects spell alike but do not share."""
    if database.dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)
