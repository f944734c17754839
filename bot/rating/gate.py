"""Whether a rating is good enough, where the configuration asks for it."""

from __future__ import annotations

from bot.rating.ratings import Rating, RegulationRating


def below(rating: Rating, fail_below: float | None) -> tuple[RegulationRating, ...]:
    """The regulations that score less than `fail_below`; one that was not rated scores nothing."""
    if fail_below is None:
        return ()
    return tuple(
        item for item in rating.regulations if item.score is not None and item.score < fail_below
    )
