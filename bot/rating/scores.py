"""What a named rule answers: how far something shows, and where."""

from __future__ import annotations

from dataclasses import dataclass

from bot.rating.evidence import Evidence


@dataclass(frozen=True, slots=True)
class Score:
    """How far a rule's thing shows, in [0, 1], and the lines that show it, the most telling first.

    Of a prohibition the rule looks for the practice itself: 1.0 is a violation seen everywhere.
    Raises ValueError outside [0, 1]: a number that means nothing must not become a verdict.
    """

    value: float
    evidence: tuple[Evidence, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.value <= 1:
            raise ValueError(f"a score is a number from 0 to 1, not {self.value}")
