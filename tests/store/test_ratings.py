"""The history of ratings."""

from __future__ import annotations

import pytest

from jurat.rating.changes import build_document
from jurat.rating.rate import rate_scan
from jurat.store.database import Database
from jurat.store.runs import Ratings
from tests.support.postgres import on_both_databases
from tests.support.rating import ALL_APPLY, clause_of, pack_of, scoring, seen_of
from tests.support.server import FakeTime

pytestmark = on_both_databases
PACK = pack_of(clause_of({"given": 1}))


def document(score: float, *, is_ai: bool = True) -> dict[str, object]:
    seen = seen_of({"ai": float(is_ai), "chat": 0, "hiring": 0})
    return build_document(
        rate_scan(seen, [PACK], {"given": scoring(score)}, classifying=[PACK], on=ALL_APPLY)
    )


@pytest.fixture
def ratings(database: Database, time: FakeTime) -> Ratings:
    return Ratings(database, time.now)


async def test_the_history_is_read_back_newest_first(ratings: Ratings, time: FakeTime) -> None:
    await ratings.keep_rating(1, "a" * 40, document(0.5), number=None)
    time.advance(60)
    await ratings.keep_rating(1, "b" * 40, document(1.0), number=7)
    await ratings.keep_rating(2, "c" * 40, document(0.0), number=None)
    new, old = await ratings.history(1, limit=10)
    assert (new.commit, new.number, new.overall) == ("b" * 40, 7, 4.0)
    assert (old.commit, old.number, old.overall) == ("a" * 40, None, 2.0)
    assert new.document == document(1.0)
    assert new.created_at > old.created_at
    assert len(await ratings.history(1, limit=1)) == 1


async def test_the_same_rating_of_a_commit_is_kept_once(ratings: Ratings) -> None:
    for score in (0.5, 0.5, 1.0):
        await ratings.keep_rating(1, "a" * 40, document(score), number=None)
    assert len(await ratings.history(1, limit=10)) == 2


async def test_what_was_not_rated_has_no_score(ratings: Ratings) -> None:
    await ratings.keep_rating(1, "a" * 40, document(1, is_ai=False), number=None)
    (kept,) = await ratings.history(1, limit=10)
    assert kept.overall is None
