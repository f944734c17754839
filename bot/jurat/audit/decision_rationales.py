"""The set for rationales of decisions in regulated finance: 20 rules in five sub-scores."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from jurat.audit.checklist import (
    DEFAULT_QUALITY_FLOOR,
    Check,
    ChecklistRule,
    Floors,
    RuleEvidence,
    RuleSet,
)
from jurat.audit.checks import (
    CAUSES,
    CONFIDENCE,
    CONFIDENCE_WORDS,
    build_from_span,
    build_match,
    build_metadata_check,
    build_missing,
    build_pattern_check,
    build_phrase_check,
    check_holds_number,
    check_names_flag,
    find_number,
)
from jurat.audit.decision_faults import list_decision_faults
from jurat.audit.provenance import PROVENANCE, REGULATIONS
from jurat.audit.text import Phrases, parse_text

DOMAINS = ("finance",)
SUB_SCORES = ("groundedness", "completeness", "calibration", "traceability", "robustness")
FLOORS = Floors({"groundedness": 0.5, "calibration": 0.3, "traceability": 0.4})

_SUPPORTED_SHARE = 0.40
_WORDS_A_PART = 25
_WORDS_OF_PROSE = 8

_DIMENSIONS: Mapping[str, Phrases] = {
    name: Phrases.of(*phrases)
    for name, phrases in {
        "customer": ("borrower*", "customer*", "client*", "applicant*", "debtor*"),
        "counterparty": ("counterpart*", "beneficiar*"),
        "transaction": ("transaction*", "payment*", "transfer*"),
        "security": ("security", "collateral*", "guarantee*", "pledge*"),
        "exposure": ("exposure*", "concentration"),
        "limit": ("limit", "limits", "threshold*"),
        "jurisdiction": ("jurisdiction*", "country", "countries", "cross-border", "sanction*"),
        "policy": ("policy", "policies", "procedure*", "appetite"),
        "regulation": ("regulat*", "supervis*", "aml", "kyc"),
        "compliance": ("complian*", "complies", "comply"),
        "risk": ("risk", "risks", "default", "rating*"),
        "control": ("control", "controls", "approval*", "four-eyes", "oversight"),
        "capacity": ("income", "repayment", "affordability", "cash flow", "leverage"),
    }.items()
}
_INTEGRATES = Phrases.of(
    "combined", "combining", "together", "jointly", "across", "both", "alongside", "moreover",
    "furthermore", "in addition", "taken as a whole", "as well as", "consolidat*", "cross-check*",
    "corroborat*", "in combination", "consistent with", "along with",
)  # fmt: skip
_ABSTAINS = Phrases.of(
    "insufficient information", "insufficient evidence", "insufficient data",
    "insufficient documentation", "insufficient basis", "evidence is insufficient",
    "information is insufficient", "not enough information", "not enough evidence",
    "not enough data", "cannot determine", "cannot be determined", "cannot confirm",
    "cannot be confirmed", "cannot conclude", "cannot be concluded", "cannot be answered",
    "cannot verify", "cannot be verified", "cannot be established", "unable to determine",
    "unable to confirm", "unable to verify", "unable to conclude", "missing information",
    "missing data", "missing evidence", "missing documentation", "do not know", "don't know",
    "can't confirm", "can't verify", "can't determine", "can't conclude", "can't be confirmed",
    "can't be verified", "can't be determined",
    "cannot be estimated", "cannot be ruled out", "cannot be excluded", "could not be confirmed",
    "could not be verified", "is unknown", "are unknown", "remains unknown", "remains unclear",
    "decision is postponed", "not possible to determine",
    "not possible to conclude", "no basis to", "no basis for",
    "decision is deferred", "decision is withheld", "remains unverified", "remains open",
)  # fmt: skip
_HEDGES = Phrases.of(
    "might", "likely", "unlikely", "probably", "possibly", "perhaps", "presumably", "apparently",
    "approximately", "uncertain", "uncertainty", "could be", "suggest*", "appear*",
    "seem*", "tends to", "tend to", "indicative", "not certain", "in all likelihood",
    "to the extent", "plausib*",
)  # fmt: skip
_MAY = re.compile(r"(?<!\d) may (?!\d)")
"""The verb, not the month: no number stands on either side of it."""

_SOURCE_SPAN = re.compile(
    r"(?:\b(?:pages?|pp?\.|sections?|sec\.|paragraphs?|paras?\b\.?|clauses?|cl\.|articles?|arts?\."
    r"|guidelines?|rules?|points?|items?|chapters?|annex(?:es)?|tables?|schedules?|appendix)"
    r"|§{1,2})\s{0,2}\(?\d+(?:\.\d+)*(?:\(\w{1,4}\))*",
    re.IGNORECASE,
)
_CONFLICT = Phrases.of(
    "conflict*", "disagree*", "contradict*", "discrepan*", "inconsisten*", "mismatch*", "diverg*",
    "at odds", "by contrast", "differs from", "differ from", "does not match", "do not match",
    "cannot be reconciled", "reconcil*",
)  # fmt: skip
_VALIDATION = Phrases.of(
    "validated by", "reviewed by", "verified by", "checked by", "challenged by", "second opinion",
    "second reviewer", "second line", "independent review", "independent validation",
    "independently reviewed", "independently validated", "independently verified",
    "effective challenge", "four-eyes", "peer review*",
)  # fmt: skip

Metadata = dict[str, Any]


def decision_rationale_rules(
    domain: str = "finance",
    regulations: Sequence[str] = (),
    quality_floor: float = DEFAULT_QUALITY_FLOOR,
    *,
    assume_metadata: bool = False,
) -> RuleSet:
    """The 20 rules for rationales of decisions: credit, money laundering, identity, sanctions.

    With `regulations`, keys of REGULATIONS, the explanation shows of each rule only its sources in
    those; rules and weights stay the same. A result is flagged by FLOORS; `quality_floor` is there
    for callers of the older sets and decides nothing. `assume_metadata` takes for granted what the
    metadata does not say. Raises ValueError for an unknown domain or regulation.
    """
    _check_known("domain", (domain,), DOMAINS)
    _check_known("regulation", regulations, tuple(REGULATIONS))
    sources = {rule.id: PROVENANCE[rule.id].cite_within(regulations) for rule in _RULES}
    return RuleSet(
        f"decision_rationale_v1_{domain}",
        _RULES,
        SUB_SCORES,
        quality_floor,
        FLOORS,
        assume_metadata,
        sources if regulations else None,
        list_decision_faults(),
    )


def groundlens_banking_rules(
    quality_floor: float = DEFAULT_QUALITY_FLOOR, *, assume_metadata: bool = False
) -> RuleSet:
    """The rules of `decision_rationale_rules` under their older name."""
    return RuleSet(
        "groundlens_banking_v1",
        _RULES,
        SUB_SCORES,
        quality_floor,
        FLOORS,
        assume_metadata,
        faults=list_decision_faults(),
    )


def _check_known(what: str, given: Sequence[str], known: Sequence[str]) -> None:
    for key in given:
        if key not in known:
            problem = f"unknown {what} {key!r}; known are {', '.join(known)}"
            raise ValueError(problem)


def _check_supported(_q: str, response: str, context: str | None, _m: Metadata) -> RuleEvidence:
    claimed = parse_text(response).content
    if context is None or not context.strip():
        return build_missing(_NO_CONTEXT)
    if not claimed:
        return build_missing("has no content words")
    supported = len(claimed & parse_text(context).content)
    share = supported / len(claimed)
    note = (
        f"{supported} of {len(claimed)} content words stand in the context,"
        f" a share of {share:.2f} ({_SUPPORTED_SHARE:.2f} wanted)"
    )
    return build_match(note) if share >= _SUPPORTED_SHARE else build_missing(note)


_NO_CONTEXT = "there is no context to hold the claims against"


def _check_decomposes(_q: str, response: str, _c: str | None, _m: Metadata) -> RuleEvidence:
    count = parse_text(response).statements
    note = f"makes {count} statement{'' if count == 1 else 's'} (2 wanted)"
    return build_match(note) if count >= 2 else build_missing(note)


def _check_adds_no_number(
    question: str, response: str, context: str | None, _m: Metadata
) -> RuleEvidence:
    if context is None or not context.strip():
        return build_missing(_NO_CONTEXT)
    added = parse_text(response).numbers - parse_text(context).numbers
    if added:
        added -= parse_text(question).numbers
    if not added:
        return build_match("every number stands in the context or the question")
    note = "has numbers that stand neither in the context nor in the question"
    return build_missing(note, ", ".join(sorted(added)[:5]))


def _check_addresses_all_parts(
    question: str, response: str, _c: str | None, _m: Metadata
) -> RuleEvidence:
    parts = max(1, len(_QUESTION_MARKS.findall(question)))
    wanted, length = _WORDS_A_PART * parts, parse_text(response).length
    note = f"has {length} words for {parts} question{'' if parts == 1 else 's'} ({wanted} wanted)"
    return build_match(note) if length >= wanted else build_missing(note)


_QUESTION_MARKS = re.compile("[?\uff1f]+")


def _check_governance_dimensions(
    _q: str, response: str, _c: str | None, _m: Metadata
) -> RuleEvidence:
    reading = parse_text(response)
    named = [word for phrases in _DIMENSIONS.values() if (word := phrases.find_first(reading))]
    note = f"names {len(named)} dimension{'' if len(named) == 1 else 's'} of governance (2 wanted)"
    span = ", ".join(named[:3])
    return build_match(note, span) if len(named) >= 2 else build_missing(note, span)


def _check_hedges(_q: str, response: str, _c: str | None, _m: Metadata) -> RuleEvidence:
    reading = parse_text(response)
    span = _HEDGES.find_first(reading) or ("may" if _MAY.search(reading.spaced) else "")
    absent = "does not say that anything is uncertain"
    return build_from_span(span, "says that something is uncertain", absent)


def _check_reasons_in_prose(_q: str, response: str, _c: str | None, _m: Metadata) -> RuleEvidence:
    reading = parse_text(response)
    span = _REASONS.find_first(reading) or CAUSES.find_first(reading)
    if not span:
        return build_missing("gives no reason in words")
    note = f"gives a reason in {reading.length} words ({_WORDS_OF_PROSE} wanted)"
    return (
        build_match(note, span) if reading.length >= _WORDS_OF_PROSE else build_missing(note, span)
    )


_REASONS = Phrases.of("based on", "on the basis of", "the reason", "on the grounds", "explained by")


def _check_falsifiable(_q: str, response: str, _c: str | None, _m: Metadata) -> RuleEvidence:
    reading = parse_text(response)
    cause, number = CAUSES.find_first(reading), find_number(reading)
    if cause and number:
        return build_match("joins a number to a cause", f"{cause}, {number}")
    wanted = (("a number", number), ("a causal connective", cause))
    return build_missing(f"lacks {' and '.join(name for name, there in wanted if not there)}")


def _check_validated(_q: str, response: str, _c: str | None, metadata: Metadata) -> RuleEvidence:
    if span := _VALIDATION.find_first(parse_text(response)):
        return build_match("speaks of an independent validation", span)
    key = "independent_review_completed"
    if metadata.get(key) is True:
        note = "the metadata says that an independent review was completed"
        return build_match(note, f"metadata.{key}")
    return build_missing(
        "neither the response nor the metadata speaks of an independent validation"
    )


def _build_rule(rule_id: str, weight: float, description: str, check: Check) -> ChecklistRule:
    sub_score = _SUB_SCORE_OF[rule_id.partition(".")[0]]
    citation = PROVENANCE[rule_id].citation()
    return ChecklistRule(rule_id, description, weight, sub_score, check, citation)


_SUB_SCORE_OF = dict(zip(("grnd", "comp", "cal", "trace", "rob"), SUB_SCORES, strict=True))

_RULES = (
    _build_rule(
        "grnd.claim_supported_by_context",
        0.25,
        "The context supports the claims.",
        _check_supported,
    ),
    _build_rule(
        "grnd.atomic_decomposition",
        0.20,
        "The claims can be checked one by one.",
        _check_decomposes,
    ),
    _build_rule(
        "grnd.no_unsupported_extensions",
        0.20,
        "No number comes from nowhere.",
        _check_adds_no_number,
    ),
    _build_rule(
        "grnd.regulatory_flag", 0.20, "A regulatory flag of the case is named.", check_names_flag
    ),
    _build_rule(
        "grnd.counterfactual_robust",
        0.15,
        "The rationale withstands a wrong context.",
        build_metadata_check("context_quality_validated", "the context was validated"),
    ),
    _build_rule(
        "comp.addresses_all_parts",
        0.40,
        "Every part of the question is addressed.",
        _check_addresses_all_parts,
    ),
    _build_rule(
        "comp.governance_dimensions",
        0.35,
        "Two dimensions of governance are considered.",
        _check_governance_dimensions,
    ),
    _build_rule(
        "comp.information_integration",
        0.25,
        "Information from several places is integrated.",
        build_phrase_check(_INTEGRATES, "how pieces of information belong together"),
    ),
    _build_rule(
        "cal.abstains_when_insufficient",
        0.35,
        "Insufficient evidence leads to no conclusion.",
        build_phrase_check(_ABSTAINS, "what the evidence does not allow to conclude"),
    ),
    _build_rule("cal.explicit_hedging", 0.30, "Uncertainty is put into words.", _check_hedges),
    _build_rule(
        "cal.confidence_score",
        0.20,
        "The confidence is given as a figure.",
        build_pattern_check(CONFIDENCE, "figure for its confidence", CONFIDENCE_WORDS),
    ),
    _build_rule(
        "cal.self_consistency",
        0.15,
        "The same question was answered alike.",
        build_metadata_check("consistency_check_passed", "the consistency check passed"),
    ),
    _build_rule(
        "trace.specific_source_span",
        0.25,
        "A page, section, paragraph, clause or article is cited.",
        build_pattern_check(_SOURCE_SPAN, "numbered place in a source"),
    ),
    _build_rule(
        "trace.natural_language_rationale",
        0.20,
        "The reason is given in natural language.",
        _check_reasons_in_prose,
    ),
    _build_rule(
        "trace.falsifiable_actionable",
        0.20,
        "The reason can be tested and acted on.",
        _check_falsifiable,
    ),
    _build_rule("trace.numeric_value", 0.15, "A numeric value is given.", check_holds_number),
    _build_rule(
        "trace.audit_logged",
        0.20,
        "The rationale is kept in an audit log.",
        build_metadata_check("audit_logged", "the rationale was logged"),
    ),
    _build_rule(
        "rob.independent_validation", 0.40, "Somebody else validated it.", _check_validated
    ),
    _build_rule(
        "rob.prompt_injection_robust",
        0.35,
        "The system was tested against prompt injection.",
        build_metadata_check("injection_test_passed", "the injection test passed"),
    ),
    _build_rule(
        "rob.cross_source_conflict",
        0.25,
        "A conflict between sources is addressed.",
        build_phrase_check(_CONFLICT, "whether its sources conflict"),
    ),
)
