"""Many rows in one statement once more, on a real PostgreSQL."""

from __future__ import annotations

import pytest

from tests.store.test_bulk import (
    claiming,
    test_rows_stand_as_they_were_given,
    test_rows_that_conflict_are_not_counted,
    test_what_no_database_can_store_is_replaced,
)

__all__ = [
    "claiming",
    "test_rows_stand_as_they_were_given",
    "test_rows_that_conflict_are_not_counted",
    "test_what_no_database_can_store_is_replaced",
]


@pytest.fixture
def database_url(postgres_url: str) -> str:
    return postgres_url
