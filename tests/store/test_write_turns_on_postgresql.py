"""Turns to write once more, on a real PostgreSQL, whose own time they go by."""

from __future__ import annotations

import pytest

from tests.store.test_write_turns import (
    test_every_process_takes_a_turn_of_its_own,
    test_installations_do_not_wait_for_each_other,
)

__all__ = [
    "test_every_process_takes_a_turn_of_its_own",
    "test_installations_do_not_wait_for_each_other",
]


@pytest.fixture
def database_url(postgres_url: str) -> str:
    return postgres_url
