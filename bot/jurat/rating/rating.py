"""What a rating says: every clause's verdict, each regulation's score, and the overall one."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import fmean

from jurat.rating.held import HeldScore, RuleScore
from jurat.rating.pack import Clause, Operator, Regulation, RiskClass
from jurat.rating.scale import (
    PARTIAL,
    ClauseVerdict,
    Ordinal,
    compute_confidence,
    compute_mean,
    to_ordinal,
    to_verdict,
)
from jurat.rating.signals.evidence import SignalEvidence


class SupportedVerdict(StrEnum):
    """What a report says of a clause: its verdict as far as it is supported."""

    PASS = "pass"  # noqa: S105 - no password
    PARTIAL = "partial"
    FAIL = "fail"
    NOTHING_FOUND = "nothing found"
    NOT_APPLICABLE = "n/a"
    EXTERNAL = "external"
    ERROR = "error"


def compute_supported(clauses: Iterable[ClauseRating]) -> float | None:
    """The mean of the supported ordinals, None over none."""
    return compute_mean(held for item in clauses if (held := item.supported_ordinal) is not None)


def compute_share(clauses: Iterable[ClauseRating]) -> float | None:
    """The part of the clauses in scope whose verdict is supported, None if none is in scope."""
    inside = [item for item in clauses if item.in_scope]
    return fmean(item.is_supported for item in inside) if inside else None


@dataclass(frozen=True, slots=True)
class ClauseRating:
    """What was found of one clause.

    `ordinal` and `raw` are None unless the verdict is pass, partial or fail. `note` says in a
    sentence what the figures do not. `starts` is the day from which the clause will apply, if it
    does not yet and nothing else keeps it from applying. `reasoning` is what a model said if it was
    asked, and `unanswered` why it gave no answer if it should have. `held` is the same arithmetic
    over such evidence alone as supports a verdict.
    """

    clause: Clause
    verdict: ClauseVerdict
    ordinal: Ordinal | None = None
    raw: float | None = None
    in_scope: bool = True
    rules: tuple[RuleScore, ...] = ()
    note: str = ""
    starts: dt.date | None = None
    reasoning: str = ""
    unanswered: str = ""
    held: HeldScore | None = None

    @property
    def confidence(self) -> float | None:
        """How sure the raw score is, in [0, 1]; None without one, and if it did not decide."""
        if self.raw is None or self.ordinal != to_ordinal(self.raw, negative=self.clause.negative):
            return None
        return compute_confidence(self.raw)

    @property
    def supported_ordinal(self) -> Ordinal | None:
        """The ordinal that evidence supports; None if there is none.

        That a practice was not found supports nothing: a prohibition has one only if it shows,
        or if a model said so.
        """
        if self.ordinal is None:
            return None
        held = self.ordinal if self.held is None else self.held.ordinal
        if not self.clause.negative:
            return min(held, self.ordinal)
        if held <= PARTIAL:
            return held
        return self.ordinal if self.reasoning and self.ordinal <= PARTIAL else None

    @property
    def is_supported(self) -> bool:
        """Whether what supports the clause gives the verdict that was given."""
        held = self.supported_ordinal
        return held is not None and to_verdict(held) is self.verdict

    @property
    def supported_verdict(self) -> SupportedVerdict:
        """What a report says: never more than is supported, and of an absence that it is one."""
        if self.ordinal is None:
            # What nobody asks for, or what a person must judge: told if it shows, and not scored.
            said = self.verdict if self.held is None else to_verdict(self.held.ordinal)
            return SupportedVerdict(said.value)
        held = self.supported_ordinal
        return (
            SupportedVerdict.NOTHING_FOUND
            if held is None
            else SupportedVerdict(to_verdict(held).value)
        )

    @property
    def is_reported(self) -> bool:
        """Whether there is more to say of the clause than that it does not apply."""
        return self.in_scope or self.supported_verdict is not SupportedVerdict.NOT_APPLICABLE

    @property
    def evidence(self) -> tuple[tuple[str, SignalEvidence], ...]:
        """All evidence with the name of the rule that gave it."""
        return tuple((item.rule, evidence) for item in self.rules for evidence in item.evidence)


@dataclass(frozen=True, slots=True)
class RegulationRating:
    """One regulation's clauses."""

    regulation: Regulation
    clauses: tuple[ClauseRating, ...]

    @property
    def score(self) -> float | None:
        """The mean of the ordinals, from 0 to 4; None if nothing was rated."""
        return compute_mean(item.ordinal for item in self.clauses if item.ordinal is not None)

    @property
    def supported_score(self) -> float | None:
        """The mean of what is supported, from 0 to 4; None if nothing is."""
        return compute_supported(self.clauses)

    @property
    def share_assessed(self) -> float | None:
        """The part of the clauses in scope whose verdict is supported; None if none is."""
        return compute_share(self.clauses)


@dataclass(frozen=True, slots=True)
class Rating:
    """A repository's rating by the law as of the day `on`.

    `unread` are files that should have been read, with the reason. `left_out` are those that were
    not looked at, `taken_in` those that the product imports and that were therefore. `read` counts
    the files of each role that were; `roles` are those that the rating was narrowed to, if any.
    """

    risk: RiskClass
    risk_reason: str
    on: dt.date
    regulations: tuple[RegulationRating, ...]
    unread: tuple[tuple[str, str], ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    taken_in: tuple[str, ...] = ()
    read: tuple[tuple[str, int], ...] = ()
    roles: tuple[Operator, ...] = ()

    @property
    def clauses(self) -> tuple[ClauseRating, ...]:
        """The clauses of all regulations."""
        return tuple(clause for item in self.regulations for clause in item.clauses)

    @property
    def overall(self) -> float | None:
        """The mean over all clauses with an ordinal, each counting the same; None over none."""
        return compute_mean(item.ordinal for item in self.clauses if item.ordinal is not None)

    @property
    def supported_score(self) -> float | None:
        """The mean over all clauses of what is supported; None if nothing is."""
        return compute_supported(self.clauses)

    @property
    def share_assessed(self) -> float | None:
        """The part of all clauses in scope whose verdict is supported; None if none is."""
        return compute_share(self.clauses)

    def list_clauses(self, verdict: ClauseVerdict) -> tuple[ClauseRating, ...]:
        """The clauses of one verdict."""
        return tuple(item for item in self.clauses if item.verdict is verdict)

    def list_starting(self) -> tuple[tuple[dt.date, tuple[ClauseRating, ...]], ...]:
        """What does not apply yet and will, by the day from which it does, the next first."""
        days = sorted({item.starts for item in self.clauses if item.starts is not None})
        return tuple(
            (day, tuple(item for item in self.clauses if item.starts == day)) for day in days
        )


def to_partial(rating: ClauseRating, note: str) -> ClauseRating:
    """The same clause held to be partial, and why."""
    return replace(
        rating,
        verdict=ClauseVerdict.PARTIAL,
        ordinal=PARTIAL,
        note=f"{rating.note} {note}".strip(),
    )


def find_below(rating: Rating, fail_below: float | None) -> tuple[RegulationRating, ...]:
    """The regulations whose supported score is less than `fail_below`.

    One of which nothing was rated scores nothing.
    """
    if fail_below is None:
        return ()
    return tuple(
        item
        for item in rating.regulations
        if item.supported_score is not None and item.supported_score < fail_below
    )
