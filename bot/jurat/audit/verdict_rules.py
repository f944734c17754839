"""The sets for our own judgments, and the audit that each of them passes before it counts.

A denial must show where, by a quote that stands there, in the rule's own terms, and why. For an
ALLOW there is mostly no place to name: it must say something of the rule or of the subject, and
neither rest on the subject's word nor obey it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from jurat.audit.checklist import ChecklistRule, Floors, RuleResult, RuleSet, RuleSetResult
from jurat.audit.soundness import list_verdict_faults
from jurat.audit.verdict_checks import (
    check_addresses_rule,
    check_addresses_rule_or_subject,
    check_allows_freely,
    check_cites_location,
    check_denies_freely,
    check_gives_confidence,
    check_quotes_nothing_false,
    check_quotes_subject,
    check_says_what_resolves,
    check_states_why,
)
from jurat.findings.finding import Location
from jurat.findings.verdict import DecidedBy, RuleVerdict, Verdict, require_confirmation
from jurat.rules.rule import Rule

_BY_A_MODEL = frozenset(
    {DecidedBy.BATCH, DecidedBy.SINGLE, DecidedBy.CONFIRMATION, DecidedBy.LEDGER}
)
_QUOTING_FIELDS = ("snippet", "span_text", "context", "current_value", "json_path")
"""The fields of a Location that hold what stands there (see jurat.facts.context)."""

Metadata = dict[str, Any]

_FLOORS = Floors(
    {
        "groundedness": 0.7,
        "completeness": 0.7,
        "calibration": 0.5,
        "traceability": 0.5,
        "robustness": 0.5,
    }
)
"""Every rule decides by itself, but for what would resolve a denial: that one only lowers it."""


def verdict_rationale_rules(verdict: str = Verdict.DENY) -> RuleSet:
    """The set for the reasoning behind a `verdict`, "DENY" or "ALLOW".

    Evaluate it with the rule's words as the question, the reasoning as the response and the
    subject as the context. Metadata that it knows: `confidence` in (0, 1], `locations` (a list of
    texts), `quotes` (texts that the verdict quotes besides its reasoning), `rule_id` and
    `exceptions` of the rule, `issue` and `fix_suggestion`. Raises ValueError for another verdict.
    """
    if verdict not in _SETS:
        problem = f"unknown verdict {verdict!r}; known are {', '.join(_SETS)}"
        raise ValueError(problem)
    return _SETS[Verdict(verdict)]


def audit_verdict(verdict: RuleVerdict, source: str) -> RuleVerdict:
    """A model's DENY or ALLOW as it is, or as NEEDS_CONFIRMATION if its reasoning is flagged.

    `source` is what the model was shown for the rule. A flagged verdict carries the explanation
    in `audit`, and in `note` one line that says what was wrong. Any other verdict stays.
    """
    # A person looks at it in any case.
    if verdict.verdict not in (Verdict.DENY, Verdict.ALLOW):
        return verdict
    if verdict.decided_by not in _BY_A_MODEL:
        return verdict
    # The checklist refuses a blank text, as there is nothing to check.
    if not verdict.reasoning.strip():
        return _downgrade_verdict(verdict, "it gives none", "The model gave no reasoning.")
    rule_set = verdict_rationale_rules(verdict.verdict)
    words, known = _list_rule_words(verdict.rule), _build_metadata(verdict)
    result = rule_set.evaluate(
        question=words, response=verdict.reasoning, context=source, metadata=known
    )
    if not result.flagged:
        return verdict
    unsound = rule_set.find_faults(words, verdict.reasoning, source, known)
    return _downgrade_verdict(verdict, _describe_fault(result, unsound), result.audit_explanation)


def _downgrade_verdict(verdict: RuleVerdict, fault: str, explanation: str) -> RuleVerdict:
    line = f"The model said {verdict.verdict}, but its reasoning failed the audit: {fault}."
    return replace(
        # Neither the one nor the other: a bad reason does not make the opposite true.
        require_confirmation(verdict),
        note=f"{verdict.note} {line}".strip(),
        audit=explanation,
    )


def _describe_fault(result: RuleSetResult, unsound: Sequence[RuleResult]) -> str:
    """What was wrong, in at most two parts: the heaviest rule missed in each low sub-score."""
    faults: list[str] = []
    for name, value in reversed(result.sub_scores.items()):
        missed = [item for item in result.rule_results if item.sub_score == name]
        missed = [item for item in missed if not item.matched]
        if value < _FLOORS.floors[name]:
            faults.append(max(missed, key=lambda item: item.weight).explanation)
    faults += [item.explanation for item in unsound]
    return " and ".join(faults[:2])


def _list_rule_words(rule: Rule) -> str:
    """Everything by which a reasoning may show that it speaks of this rule."""
    conditions = [item for item in rule.preconditions if isinstance(item, str)]
    parts = [rule.statement, rule.rationale, *rule.exceptions, *conditions, rule.fix or ""]
    return "\n".join(part for part in parts if part)


def _build_metadata(verdict: RuleVerdict) -> Metadata:
    quoted = [
        str(place.fields[name])
        for place in verdict.locations
        for name in _QUOTING_FIELDS
        if name in place.fields
    ]
    return {
        "confidence": verdict.confidence,
        "locations": [_format_location(place) for place in verdict.locations],
        "quotes": quoted,
        "rule_id": verdict.rule.id.replace(".", " "),
        "exceptions": verdict.rule.exceptions,
        "issue": verdict.issue,
        "fix_suggestion": verdict.fix_suggestion
        or " ".join(fix.description or fix.replacement for fix in verdict.remediations),
    }


def _format_location(place: Location) -> str:
    if place.file_path is None:
        return " ".join(f"{name} {value}" for name, value in place.fields.items())
    return place.file_path if place.start_line is None else f"{place.file_path}:{place.start_line}"


_ATTRIBUTION = "Rashkin et al. 2023, Attributable to Identified Sources (arXiv:2112.12870)"
_ARGUMENT = "Toulmin 2003, The Uses of Argument"
_REASONS = "Camburu et al. 2018, e-SNLI (NeurIPS; arXiv:1812.01193)"
_CONFIDENCE = "Tian et al. 2023, Just Ask for Calibration (EMNLP; arXiv:2305.14975)"
_INJECTION = (
    "Greshake et al. 2023, indirect prompt injection (AISec; arXiv:2302.12173); "
    "OWASP LLM01:2025, prompt injection"
)
_STATES_WHY = "It states why the fact breaks or keeps the rule."
_OBEYS_NOTHING = "It does not obey text inside the subject."

_GIVES_CONFIDENCE = ChecklistRule(
    "verdict.confidence",
    "It says how sure it is.",
    1.0,
    "calibration",
    check_gives_confidence,
    _CONFIDENCE,
)

_DENY = RuleSet(
    "verdict_rationale_v1_deny",
    (
        ChecklistRule(
            "verdict.quotes_subject",
            "It quotes text that stands in the subject.",
            1.0,
            "groundedness",
            check_quotes_subject,
            _ATTRIBUTION,
        ),
        ChecklistRule(
            "verdict.addresses_rule",
            "It addresses the rule's own terms.",
            0.4,
            "completeness",
            check_addresses_rule,
            _ARGUMENT,
        ),
        ChecklistRule(
            "verdict.states_why", _STATES_WHY, 0.4, "completeness", check_states_why, _REASONS
        ),
        ChecklistRule(
            "verdict.resolution",
            "It says what would resolve it.",
            0.2,
            "completeness",
            check_says_what_resolves,
            _ARGUMENT,
        ),
        _GIVES_CONFIDENCE,
        ChecklistRule(
            "verdict.cites_location",
            "It cites a place in the subject.",
            1.0,
            "traceability",
            check_cites_location,
            _ATTRIBUTION,
        ),
        ChecklistRule(
            "verdict.not_obeying",
            _OBEYS_NOTHING,
            1.0,
            "robustness",
            check_denies_freely,
            _INJECTION,
        ),
    ),
    ("groundedness", "completeness", "calibration", "traceability", "robustness"),
    flag_predicate=_FLOORS,
    faults=list_verdict_faults(Verdict.DENY),
)

_ALLOW = RuleSet(
    "verdict_rationale_v1_allow",
    (
        ChecklistRule(
            "verdict.addresses_rule",
            "It addresses the rule's own terms, or the subject's.",
            0.6,
            "groundedness",
            check_addresses_rule_or_subject,
            _ARGUMENT,
        ),
        ChecklistRule(
            "verdict.quotes_subject",
            "What it quotes stands in the subject or in the rule.",
            0.4,
            "groundedness",
            check_quotes_nothing_false,
            _ATTRIBUTION,
        ),
        ChecklistRule(
            "verdict.states_why", _STATES_WHY, 1.0, "completeness", check_states_why, _REASONS
        ),
        _GIVES_CONFIDENCE,
        ChecklistRule(
            "verdict.not_obeying",
            _OBEYS_NOTHING,
            1.0,
            "robustness",
            check_allows_freely,
            _INJECTION,
        ),
    ),
    ("groundedness", "completeness", "calibration", "robustness"),
    flag_predicate=Floors(
        {name: floor for name, floor in _FLOORS.floors.items() if name != "traceability"}
    ),
    faults=list_verdict_faults(Verdict.ALLOW),
)

_SETS = {Verdict.DENY: _DENY, Verdict.ALLOW: _ALLOW}
