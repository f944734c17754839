"""The history of ratings once more, on a real PostgreSQL."""

from __future__ import annotations

import pytest

from tests.store.test_ratings import (
    ratings,
    test_the_history_is_read_back_newest_first,
    test_the_same_rating_of_a_commit_is_kept_once,
    test_what_was_not_rated_has_no_score,
)

__all__ = [
    "ratings",
    "test_the_history_is_read_back_newest_first",
    "test_the_same_rating_of_a_commit_is_kept_once",
    "test_what_was_not_rated_has_no_score",
]


@pytest.fixture
def database_url(postgres_url: str) -> str:
    return postgres_url
