"""A checklist over a rationale: rules with weights, summed to sub-scores, and a flag.

No model is asked. The same input gives the same result, and the same bytes of explanation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

# How weights become a score, and scores one figure. The only definition of either.


def sum_capped(weights: Iterable[float]) -> float:
    """The sum of `weights`, held in [0, 1] and rounded to 4 places. It does not depend on order."""
    # fsum, as 0.1 + 0.2 + 0.3 differs from 0.3 + 0.2 + 0.1 in its last bit, and a flag may hang on
    # it.
    return round(min(1.0, max(0.0, math.fsum(weights))), 4)


def compute_geometric_mean(values: Collection[float]) -> float:
    """The geometric mean of values in [0, 1]: 0.0 as soon as one is 0, and of nothing at all.

    Rounded to 12 places, so that the last bit of a platform's power function shows nowhere.
    """
    if not values or min(values) <= 0.0:
        return 0.0
    return round(math.prod(values) ** (1 / len(values)), 12)


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
"""What `assume_metadata=True` takes for granted if the caller's metadata says nothing."""


@dataclass(frozen=True, slots=True)
class RuleEvidence:
    """What one check found.

    `span` is the text that triggered the match, in small letters, or what was measured; "" if
    there is none. `explanation` is a short note of what was checked.
    """

    matched: bool
    span: str
    explanation: str


Check = Callable[[str, str, str | None, dict[str, Any]], RuleEvidence]
"""A pure function of question, response, context and metadata."""


@dataclass(frozen=True, slots=True)
class ChecklistRule:
    """One rule: `weight`, in [0, 1], is what it adds to `sub_score` if its `check` matches.

    `id` and `description` stand in the explanation as they are. `citation` says in free text where
    the rule comes from; "" if nobody said.
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
        """Specificity, of the older sets; 0.0 if the set does not define it."""
        return self.sub_scores.get("spec", 0.0)

    @property
    def expl(self) -> float:
        """Explanatory linkage, of the older sets; 0.0 if the set does not define it."""
        return self.sub_scores.get("expl", 0.0)

    @property
    def bshift(self) -> float:
        """Boundary shift, of the older sets; 0.0 if the set does not define it."""
        return self.sub_scores.get("bshift", 0.0)

    @property
    def groundedness(self) -> float:
        """Groundedness; 0.0 if the set does not define it."""
        return self.sub_scores.get("groundedness", 0.0)

    @property
    def completeness(self) -> float:
        """Completeness; 0.0 if the set does not define it."""
        return self.sub_scores.get("completeness", 0.0)

    @property
    def calibration(self) -> float:
        """Calibration; 0.0 if the set does not define it."""
        return self.sub_scores.get("calibration", 0.0)

    @property
    def traceability(self) -> float:
        """Traceability; 0.0 if the set does not define it."""
        return self.sub_scores.get("traceability", 0.0)

    @property
    def robustness(self) -> float:
        """Robustness; 0.0 if the set does not define it."""
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
    nothing. Without a `flag_predicate` a result is flagged if `spec` or `expl` is below
    `quality_floor`; if the set has neither of the two, if any of its sub-scores is.
    `faults` are checks each of which flags by itself if it does not match. `assume_metadata` takes
    ASSUMED_METADATA for granted. `provenance`, by rule id, is what the
    explanation shows in place of the rules' citations.
    """

    name: str
    rules: tuple[ChecklistRule, ...]
    sub_scores: tuple[str, ...] = ("spec", "expl", "bshift")
    quality_floor: float = DEFAULT_QUALITY_FLOOR
    flag_predicate: Callable[[dict[str, float]], bool] | None = None
    assume_metadata: bool = False
    provenance: Mapping[str, str] | None = None
    faults: tuple[ChecklistRule, ...] = ()

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
            # What the caller says wins, a False too.
            known = {**ASSUMED_METADATA, **known}
        results = [_apply_rule(rule, question, response, context, known) for rule in self.rules]
        weights: dict[str, list[float]] = {name: [] for name in self.sub_scores}
        for rule, result in zip(self.rules, results, strict=True):
            if result.matched and rule.sub_score in weights:
                weights[rule.sub_score].append(rule.weight)
        faults = self.find_faults(question, response, context, known)
        sub_scores = {name: sum_capped(matched) for name, matched in weights.items()}
        quality = compute_geometric_mean(sub_scores.values())
        predicate = self.flag_predicate or self.default_floors
        low = bool(predicate(sub_scores))
        flagged = low or bool(faults)
        floors = predicate.floors if isinstance(predicate, Floors) else None
        explanation = explain(
            self, sub_scores, quality, results, flagged=flagged, floors=floors, faults=faults
        )
        return RuleSetResult(sub_scores, quality, flagged, tuple(results), explanation)

    def find_faults(
        self, question: str, response: str, context: str | None, metadata: dict[str, Any]
    ) -> tuple[RuleResult, ...]:
        """What flags `response` by itself, whatever the scores are; nothing in a sound one."""
        looked = (_apply_rule(rule, question, response, context, metadata) for rule in self.faults)
        return tuple(result for result in looked if not result.matched)

    @property
    def default_floors(self) -> Floors:
        """What flags a result if the set has no predicate of its own."""
        older = [name for name in ("spec", "expl") if name in self.sub_scores]
        return Floors(dict.fromkeys(older or self.sub_scores, self.quality_floor))


def _apply_rule(
    rule: ChecklistRule, question: str, response: str, context: str | None, known: dict[str, Any]
) -> RuleResult:
    found = rule.check(question, response, context, known)
    return RuleResult(
        rule.id, rule.sub_score, rule.weight, found.matched, found.span, found.explanation
    )


# The audit explanation: what a person reads to check a result rule by rule.

_LONGEST = 160
_LONGEST_SOURCE = 1_000
"""Characters of a piece of evidence, and of a rule's sources, that are shown."""


def explain(
    rule_set: RuleSet,
    sub_scores: Mapping[str, float],
    quality: float,
    results: Sequence[RuleResult],
    *,
    flagged: bool,
    floors: Mapping[str, float] | None,
    faults: Sequence[RuleResult] = (),
) -> str:
    """The explanation of one result, as lines without a last newline.

    `floors` are the thresholds that the flag was decided by, None if a predicate of the
    caller's own decided. Evidence is shown with every character visible, on one line.
    """
    lines = [
        f"Ruleset: {escape_invisible(rule_set.name)}",
        f"Result: {'FLAGGED' if flagged else 'PASS'} (quality {quality:.4f})",
        *_iter_reasons(sub_scores, floors, flagged=flagged),
    ]
    by_name: dict[str, list[str]] = {name: [] for name in sub_scores}
    others: list[str] = []
    for rule, result in zip(rule_set.rules, results, strict=True):
        by_name.get(rule.sub_score, others).append(_explain_rule(rule, result, rule_set.provenance))
    for name, value in sub_scores.items():
        lines += ["", f"{escape_invisible(name)} {value}", *by_name[name]]
    if others:
        lines += ["", "Not counted, being of no sub-score of this set:", *others]
    if faults:
        known = {rule.id: rule for rule in rule_set.faults}
        lines += ["", "Flagged by itself:"]
        lines += [_explain_rule(known[item.rule_id], item, None) for item in faults]
    return "\n".join(lines)


def _iter_reasons(
    sub_scores: Mapping[str, float], floors: Mapping[str, float] | None, *, flagged: bool
) -> Iterator[str]:
    if floors is None:
        yield "Flagged or not by a predicate of the set's own."
        return
    if flagged:
        low = [
            f"{escape_invisible(name)} {sub_scores.get(name, 0.0)} is below {floor}"
            for name, floor in floors.items()
            if sub_scores.get(name, 0.0) < floor
        ]
        if low:
            yield f"Flagged because {', '.join(low)}."
    thresholds = ", ".join(f"{escape_invisible(name)} {floor}" for name, floor in floors.items())
    yield f"Thresholds, flagged below: {thresholds or 'none'}."


def _explain_rule(
    rule: ChecklistRule, result: RuleResult, provenance: Mapping[str, str] | None
) -> str:
    """The lines of one rule, without a last newline."""
    source = rule.citation if provenance is None else provenance.get(rule.id, "")
    title, cited = _format_rule_header(rule.id, rule.description, source)
    said = f': "{escape_invisible(result.evidence_span)}"' if result.evidence_span else ""
    mark = "+" if result.matched else "-"
    return (
        f"  {mark} {rule.weight} {title}\n      {escape_invisible(result.explanation)}{said}{cited}"
    )


@lru_cache(maxsize=1024)
def _format_rule_header(rule_id: str, description: str, source: str) -> tuple[str, str]:
    """What a rule's lines say in every explanation: its title, and a line on where it is from."""
    cited = f"\n      Source: {escape_invisible(source, _LONGEST_SOURCE)}" if source else ""
    return f"[{escape_invisible(rule_id)}] {escape_invisible(description)}", cited


def escape_invisible(text: str, longest: int = _LONGEST) -> str:
    """Text of unknown origin on one line: bounded, and no character in it does anything."""
    if len(text) > longest:
        text = f"{text[:longest]}…"
    if text.isprintable():
        return text
    return "".join(
        mark if mark.isprintable() else " " if mark.isspace() else f"U+{ord(mark):04X}"
        for mark in text
    )
