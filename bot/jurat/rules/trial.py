"""What a judge has earned by a rule that it judges: whether it may block by it."""

from __future__ import annotations

from dataclasses import dataclass

LEAST_PAIRS = 5
"""Pairs that a judge must tell apart, all of them, before it may block by a rule: who tosses a coin
does so once in a thousand rules."""


@dataclass(frozen=True, slots=True)
class RuleTrial:
    """What came of the pairs of twins of one rule's examples (`jurat.probes.rule_twins`).

    Of `pairs` that were asked `caught` is how many twins that break the rule were denied, `passed`
    how many that keep it were allowed, both as a review would have heard it. `problem` says why
    fewer pairs were asked than were wanted, "" if none is missing. `model` is who answered.
    """

    rule: str
    pairs: int = 0
    caught: int = 0
    passed: int = 0
    problem: str = ""
    model: str = ""

    @property
    def may_block(self) -> bool:
        """Whether the judge has told every pair apart, and enough of them."""
        return self.pairs >= LEAST_PAIRS and not self.is_failed and not self.problem

    @property
    def is_failed(self) -> bool:
        """Whether the judge took a twin for the other. Too few pairs say nothing against it."""
        return self.caught < self.pairs or self.passed < self.pairs

    def __str__(self) -> str:
        """In a few words, as the end of "it blocks: …" or "it only advises: …"."""
        caught = f"{self.caught} of {self.pairs} that break it"
        passed = f"{self.passed} of {self.pairs} that keep it"
        return f"of twins of its examples {self.model} caught {caught} and passed {passed}"
