"""A checklist over a rationale: rules with weights, summed to sub-scores, and a flag.

No model is asked. The same input gives the same result, and the same bytes of explanation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from bot.rationale.arithmetic import capped_sum, geometric_mean
from bot.rationale.explanation import explain

DEFAULT_QUALITY_FLOOR = 0.3

ASSUMED_METADATA: Mapping[str, Any] = MappingProxyType(
    {
        "flags_present": ("AML", "KYC", "SANCTIONS", "INSIDER", "CONCENTRATION"),
        "context_quality_validated": True,
        "consistency_check_passed": True,
        "audit_logged": True,
        "injection_test_passed": True,
    }
)
"""What `assume_metadata=True` takes for granted where the caller's metadata says nothing."""


@dataclass(frozen=True, slots=True)
class RuleEvidence:
    """What one check found.

    `span` is the text that triggered the match, in small letters, or what was measured; "" where
    there is none. `explanation` is a short note of what was checked.
    """

    matched: bool
    span: str
    explanation: str


Check = Callable[[str, str, str | None, dict[str, Any]], RuleEvidence]
"""A pure function of question, response, context and metadata."""


@dataclass(frozen=True, slots=True)
class ChecklistRule:
    """One rule: `weight`, in [0, 1], is what it adds to `sub_score` where its `check` matches.

    `id` and `description` stand in the explanation as they are. `citation` says in free text where
    the rule comes from; "" where nobody said.
    """

    id: str
    description: str
    weight: float
    sub_score: str
    check: Check
    citation: str = ""


@dataclass(frozen=True, slots=True)
class RuleResult:
    """What became of one rule."""

    rule_id: str
    sub_score: str
    weight: float
    matched: bool
    evidence_span: str
    explanation: str


@dataclass(frozen=True, slots=True)
class RuleSetResult:
    """What became of a rationale.

    `sub_scores` holds each sub-score of the set, in [0, 1] and in the set's order; do not change
    it. `quality` is their geometric mean, so that none makes up for another that is 0.
    `rule_results` has one entry a rule, in order. `audit_explanation` is text for an audit log.
    """

    sub_scores: dict[str, float]
    quality: float
    flagged: bool
    rule_results: tuple[RuleResult, ...]
    audit_explanation: str

    @property
    def spec(self) -> float:
        """Specificity, of the older sets; 0.0 where the set does not define it."""
        return self.sub_scores.get("spec", 0.0)

    @property
    def expl(self) -> float:
        """Explanatory linkage, of the older sets; 0.0 where the set does not define it."""
        return self.sub_scores.get("expl", 0.0)

    @property
    def bshift(self) -> float:
        """Boundary shift, of the older sets; 0.0 where the set does not define it."""
        return self.sub_scores.get("bshift", 0.0)

    @property
    def groundedness(self) -> float:
        """Groundedness; 0.0 where the set does not define it."""
        return self.sub_scores.get("groundedness", 0.0)

    @property
    def completeness(self) -> float:
        """Completeness; 0.0 where the set does not define it."""
        return self.sub_scores.get("completeness", 0.0)

    @property
    def calibration(self) -> float:
        """Calibration; 0.0 where the set does not define it."""
        return self.sub_scores.get("calibration", 0.0)

    @property
    def traceability(self) -> float:
        """Traceability; 0.0 where the set does not define it."""
        return self.sub_scores.get("traceability", 0.0)

    @property
    def robustness(self) -> float:
        """Robustness; 0.0 where the set does not define it."""
        return self.sub_scores.get("robustness", 0.0)


@dataclass(frozen=True, slots=True)
class Floors:
    """A flag predicate that can say what it looks at: flagged strictly below any of `floors`.

    A sub-score that is absent counts as 0.0.
    """

    floors: Mapping[str, float]

    def __call__(self, sub_scores: Mapping[str, float]) -> bool:
        """Whether some sub-score is too low."""
        return any(sub_scores.get(name, 0.0) < floor for name, floor in self.floors.items())


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Rules that are evaluated together.

    A rule whose `sub_score` is not among `sub_scores` is evaluated and reported, and counts for
    nothing. Without a `flag_predicate` a result is flagged where `spec` or `expl` is below
    `quality_floor`; where the set has neither of the two, where any of its sub-scores is.
    `assume_metadata` takes ASSUMED_METADATA for granted. `provenance`, by rule id, is what the
    explanation shows in place of the rules' citations.
    """

    name: str
    rules: tuple[ChecklistRule, ...]
    sub_scores: tuple[str, ...] = ("spec", "expl", "bshift")
    quality_floor: float = DEFAULT_QUALITY_FLOOR
    flag_predicate: Callable[[dict[str, float]], bool] | None = None
    assume_metadata: bool = False
    provenance: Mapping[str, str] | None = None

    def evaluate(
        self,
        *,
        question: str,
        response: str,
        context: str | None = None,
        metadata: dict[str, Any] | None = None,
        assume_metadata: bool = False,
    ) -> RuleSetResult:
        """Audit `response`, the rationale that was given to `question` over `context`.

        What `metadata` does not say is unknown, and an unknown thing matches no rule, unless
        `assume_metadata` is set here or in the set. Raises ValueError for a blank response.
        """
        if not response.strip():
            problem = "response must be a non-empty string."
            raise ValueError(problem)
        known = dict(metadata or {})
        if assume_metadata or self.assume_metadata:
            known = {**ASSUMED_METADATA, **known}
        results: list[RuleResult] = []
        weights: dict[str, list[float]] = {name: [] for name in self.sub_scores}
        for rule in self.rules:
            found = rule.check(question, response, context, known)
            results.append(
                RuleResult(
                    rule.id,
                    rule.sub_score,
                    rule.weight,
                    found.matched,
                    found.span,
                    found.explanation,
                )
            )
            if found.matched and rule.sub_score in weights:
                weights[rule.sub_score].append(rule.weight)
        sub_scores = {name: capped_sum(matched) for name, matched in weights.items()}
        quality = geometric_mean(sub_scores.values())
        predicate = self.flag_predicate or self.default_floors
        flagged = bool(predicate(sub_scores))
        floors = predicate.floors if isinstance(predicate, Floors) else None
        explanation = explain(self, sub_scores, quality, results, flagged=flagged, floors=floors)
        return RuleSetResult(sub_scores, quality, flagged, tuple(results), explanation)

    @property
    def default_floors(self) -> Floors:
        """What flags a result where the set has no predicate of its own."""
        older = [name for name in ("spec", "expl") if name in self.sub_scores]
        return Floors(dict.fromkeys(older or self.sub_scores, self.quality_floor))
