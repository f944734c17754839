"""How a rating is put into words, the same in every form of a report."""

from __future__ import annotations

from collections import Counter

from bot.rating.ordinals import ClauseVerdict
from bot.rating.packs import RiskClass
from bot.rating.ratings import ClauseRating, Rating

NOT_RATED = "not rated"

RISKS = {
    RiskClass.NOT_AI: "not an AI system",
    RiskClass.MINIMAL: "minimal risk",
    RiskClass.LIMITED: "limited risk",
    RiskClass.HIGH: "high risk",
}

_ORDER = tuple(ClauseVerdict)


def score_text(score: float | None) -> str:
    """A score with one decimal, or that there is none."""
    return NOT_RATED if score is None else f"{score:.1f}"


def counts_text(rating: Rating) -> str:
    """How many clauses ended how: "3 pass, 1 fail"."""
    counts = Counter(clause.verdict for clause in rating.clauses)
    return ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in _ORDER if counts[verdict])


def figures_text(rated: ClauseRating) -> str:
    """A clause's ordinal, raw score and confidence, empty where it has none."""
    if rated.ordinal is None or rated.raw is None:
        return ""
    sure = "" if rated.confidence is None else f", confidence {rated.confidence:.2f}"
    return f"{rated.ordinal} of 4, raw {rated.raw:.2f}{sure}"


def unread_text(rating: Rating) -> str:
    """Which files were not read, empty where all were."""
    if not rating.unread:
        return ""
    named = "; ".join(f"{path} ({reason})" for path, reason in rating.unread[:3])
    more = f" and {len(rating.unread) - 3} more" if len(rating.unread) > 3 else ""
    return f"Not read: {named}{more}."
