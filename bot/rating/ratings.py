"""What a rating says: every clause, each regulation's score and the overall one."""

from __future__ import annotations

from dataclasses import dataclass

from bot.rating.evidence import Evidence
from bot.rating.ordinals import ClauseVerdict, Ordinal, confidence_of, mean, ordinal_of
from bot.rating.packs import Clause, Regulation, RiskClass


@dataclass(frozen=True, slots=True)
class RuleScore:
    """One named rule's part in a clause. `score` is None where the rule failed or did not run."""

    rule: str
    weight: float
    score: float | None
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class ClauseRating:
    """What was found of one clause.

    `ordinal` and `raw` are None unless the verdict is pass, partial or fail. `note` says in a
    sentence what the figures do not. `reasoning` is what a model said where it was asked, and
    `unanswered` why it gave no answer if it should have.
    """

    clause: Clause
    verdict: ClauseVerdict
    ordinal: Ordinal | None = None
    raw: float | None = None
    in_scope: bool = True
    rules: tuple[RuleScore, ...] = ()
    note: str = ""
    reasoning: str = ""
    unanswered: str = ""

    @property
    def confidence(self) -> float | None:
        """How sure the raw score is, in [0, 1]; None without one, and where it did not decide."""
        if self.raw is None or self.ordinal != ordinal_of(self.raw, negative=self.clause.negative):
            return None
        return confidence_of(self.raw)

    @property
    def evidence(self) -> tuple[tuple[str, Evidence], ...]:
        """All evidence with the name of the rule that gave it."""
        return tuple((item.rule, evidence) for item in self.rules for evidence in item.evidence)


@dataclass(frozen=True, slots=True)
class RegulationRating:
    """One regulation's clauses."""

    regulation: Regulation
    clauses: tuple[ClauseRating, ...]

    @property
    def score(self) -> float | None:
        """The mean of the ordinals, from 0 to 4; None where nothing was rated."""
        return mean(item.ordinal for item in self.clauses if item.ordinal is not None)


@dataclass(frozen=True, slots=True)
class Rating:
    """A repository's rating. `unread` are files that should have been read, with the reason."""

    risk: RiskClass
    risk_reason: str
    regulations: tuple[RegulationRating, ...]
    unread: tuple[tuple[str, str], ...] = ()

    @property
    def clauses(self) -> tuple[ClauseRating, ...]:
        """The clauses of all regulations."""
        return tuple(clause for item in self.regulations for clause in item.clauses)

    @property
    def overall(self) -> float | None:
        """The mean over all clauses with an ordinal, each counting the same; None over none."""
        return mean(item.ordinal for item in self.clauses if item.ordinal is not None)

    def having(self, verdict: ClauseVerdict) -> tuple[ClauseRating, ...]:
        """The clauses of one verdict."""
        return tuple(item for item in self.clauses if item.verdict is verdict)
