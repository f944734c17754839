"""What a change moves: two ratings of one repository beside each other."""

from __future__ import annotations

from dataclasses import dataclass

from bot.rating.packs import Regulation
from bot.rating.ratings import ClauseRating, Rating


@dataclass(frozen=True, slots=True)
class MovedClause:
    """A clause whose verdict or ordinal changed."""

    before: ClauseRating
    after: ClauseRating


@dataclass(frozen=True, slots=True)
class MovedRegulation:
    """A regulation's score at both ends, and the clauses that moved in between."""

    regulation: Regulation
    before: float | None
    after: float | None
    clauses: tuple[MovedClause, ...]


def moves(base: Rating, head: Rating) -> tuple[MovedRegulation, ...]:
    """Each regulation of the head, in its order, beside the base, rated by the same packs.

    Raises ValueError where they were not: scores of different clauses do not compare.
    """
    if _names(base) != _names(head):
        raise ValueError("the two ratings are of different regulations")
    return tuple(
        MovedRegulation(
            after.regulation,
            before.score,
            after.score,
            tuple(
                MovedClause(old, new)
                for old, new in zip(before.clauses, after.clauses, strict=True)
                if (old.verdict, old.ordinal) != (new.verdict, new.ordinal)
            ),
        )
        for before, after in zip(base.regulations, head.regulations, strict=True)
    )


def _names(rating: Rating) -> list[tuple[str, list[str]]]:
    return [
        (item.regulation.id, [clause.clause.id for clause in item.clauses])
        for item in rating.regulations
    ]
