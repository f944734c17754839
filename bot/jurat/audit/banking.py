"""The older set for governance decisions in banking: 22 rules in three sub-scores.

Specificity asks whether the case's own parameters are named, explanatory linkage whether they are
joined to the decision, boundary shift whether it is said what would change it.
"""

from __future__ import annotations

import re
from typing import Any

from jurat.audit.checklist import DEFAULT_QUALITY_FLOOR, Check, ChecklistRule, RuleEvidence, RuleSet
from jurat.audit.checks import (
    build_from_span,
    build_length_check,
    build_phrase_check,
    check_holds_number,
    check_names_flag,
)
from jurat.audit.text import Phrases, parse_text

_DELIBERATION = "De la Chica Rodríguez and Martí-González 2026 (arXiv:2605.14744)"
_ARGUMENT = "Toulmin 2003, The Uses of Argument"
_LENGTH = "McCarthy and Jarvis 2010 (Behavior Research Methods 42(2), 381-392)"

_RISK = Phrases.of("risk score", "risk level", "risk indicator*", "risk rating", "risk", "risks")
_GATES = Phrases.of("gate", "gates", "threshold*", "cut-off", "trigger", "triggered")
_GATE_ID = re.compile(r"(?<![^\W_])k\d{1,3}_\d{1,3}(?![^\W_])", re.IGNORECASE)
_GAP = Phrases.of(
    "completeness", "incomplete", "incompleteness", "information gap", "missing", "documentation",
    "undocumented", "not provided", "not supplied",
)  # fmt: skip
_CASE = Phrases.of(
    "counterparty", "counterparties", "amount", "amounts", "transaction*", "tenure",
    "jurisdiction*", "country", "currency", "account", "beneficiar*",
)  # fmt: skip
_SPECIFIC = Phrases.of("specifically", "in particular", "namely", "precisely", "in this case")
_CONDITION = Phrases.of("if", "unless", "provided that", "because", "cannot", "in case", "whether")
_PENDING = Phrases.of("pending", "awaiting", "outstanding", "on hold", "until receipt")
_CAUSAL = Phrases.of(
    "due to", "consequently", "therefore", "hence", "thus", "as a result", "owing to", "so that",
)  # fmt: skip
_LIMIT = Phrases.of(
    "cannot determine", "cannot be determined", "cannot confirm", "cannot be confirmed",
    "insufficient", "unable to",
    "not possible to", "unknown", "unclear",
)  # fmt: skip
_DOMAIN = Phrases.of("complian*", "regulat*", "policy", "policies", "flag", "flags", "flagged")
_MODAL = Phrases.of("would", "should", "must", "need", "needs", "needed", "required", "ought to")
_TEMPORAL = Phrases.of("before", "prior to", "until", "after", "once", "thereafter")
_PATHWAY = Phrases.of(
    "would approve if", "would be approved if", "could be approved if", "can be approved once",
    "approval would be possible", "would change", "favourable resolution", "favorable resolution",
    "subject to", "conditional on", "conditional approval", "approve once", "approved once",
)  # fmt: skip
_REQUEST = Phrases.of(
    "additional information", "additional documentation", "additional evidence",
    "further information", "further documentation", "further evidence", "more data",
    "more information", "please provide", "request*",
)  # fmt: skip
_REDUCTION = Phrases.of(
    "mitigat*", "risk reduction", "reduce the risk", "reduce risk", "reduces the risk",
    "lower the risk", "lower the exposure", "reduce the exposure", "additional collateral",
)  # fmt: skip
_ALTERNATIVE = Phrases.of("otherwise", "alternatively", "as an alternative", "instead", "or else")
_STANDARD = Phrases.of("threshold*", "standard", "standards", "criterion", "criteria", "limit")

Metadata = dict[str, Any]


def banking_rules(
    quality_floor: float = DEFAULT_QUALITY_FLOOR, *, assume_metadata: bool = False
) -> RuleSet:
    """The 22 rules. A result is flagged if `spec` or `expl` is below `quality_floor`.

    `assume_metadata` takes for granted what the metadata does not say.
    """
    return RuleSet(
        "banking_v1", _RULES, quality_floor=quality_floor, assume_metadata=assume_metadata
    )


def _check_names_gate(_q: str, response: str, _c: str | None, _m: Metadata) -> RuleEvidence:
    reading = parse_text(response)
    match = _GATE_ID.search(reading.text)
    span = match.group().lower() if match else _GATES.find_first(reading)
    return build_from_span(span, "names a gate or a threshold", "names no gate or threshold")


def _check_names_detail(_q: str, response: str, _c: str | None, metadata: Metadata) -> RuleEvidence:
    reading = parse_text(response)
    span = _CASE.find_first(reading)
    for key in ("jurisdiction", "transaction_type"):
        value = parse_text(str(metadata.get(key) or "")).spaced
        if not span and value.strip() and value in reading.spaced:
            span = value.strip()
    return build_from_span(span, "names a detail of the case", "names no detail of the case")


def _build_rule(
    rule_id: str, weight: float, what: str, check: Check, citation: str
) -> ChecklistRule:
    return ChecklistRule(rule_id, what, weight, rule_id.partition(".")[0], check, citation)


_RULES = (
    _build_rule(
        "spec.reg_flag", 0.20, "A flag of the case is named.", check_names_flag, _DELIBERATION
    ),
    _build_rule(
        "spec.risk_ref",
        0.15,
        "The risk is named.",
        build_phrase_check(_RISK, "what the risk is"),
        _DELIBERATION,
    ),
    _build_rule("spec.numeric", 0.10, "A number is given.", check_holds_number, _DELIBERATION),
    _build_rule(
        "spec.gate", 0.10, "A gate or threshold is named.", _check_names_gate, _DELIBERATION
    ),
    _build_rule(
        "spec.info_gap",
        0.15,
        "The completeness of the information is named.",
        build_phrase_check(_GAP, "how complete the information is"),
        _DELIBERATION,
    ),
    _build_rule(
        "spec.case_detail",
        0.10,
        "A detail of the case is named.",
        _check_names_detail,
        _DELIBERATION,
    ),
    _build_rule(
        "spec.length", 0.10, "It is long enough to be specific.", build_length_check(30), _LENGTH
    ),
    _build_rule(
        "spec.spec_language",
        0.10,
        "Its wording is specific.",
        build_phrase_check(_SPECIFIC, "what in particular it means"),
        _DELIBERATION,
    ),
    _build_rule(
        "expl.conditional",
        0.20,
        "A condition is stated.",
        build_phrase_check(_CONDITION, "on what condition"),
        _ARGUMENT,
    ),
    _build_rule(
        "expl.pending",
        0.15,
        "A pending action is named.",
        build_phrase_check(_PENDING, "what is pending"),
        _DELIBERATION,
    ),
    _build_rule(
        "expl.causal",
        0.15,
        "A cause is stated.",
        build_phrase_check(_CAUSAL, "what follows"),
        _ARGUMENT,
    ),
    _build_rule(
        "expl.epistemic",
        0.15,
        "A limit of what is known is stated.",
        build_phrase_check(_LIMIT, "what cannot be known"),
        _ARGUMENT,
    ),
    _build_rule(
        "expl.domain",
        0.10,
        "Policy or regulation is referred to.",
        build_phrase_check(_DOMAIN, "which policy or regulation it is about"),
        _DELIBERATION,
    ),
    _build_rule(
        "expl.modal",
        0.10,
        "It says what should be.",
        build_phrase_check(_MODAL, "what should be"),
        _ARGUMENT,
    ),
    _build_rule(
        "expl.length", 0.10, "It is long enough to explain.", build_length_check(20), _LENGTH
    ),
    _build_rule(
        "expl.temporal",
        0.05,
        "An order in time is given.",
        build_phrase_check(_TEMPORAL, "what comes before what"),
        _ARGUMENT,
    ),
    _build_rule(
        "bshift.cond_approval",
        0.30,
        "A way to approval is shown.",
        build_phrase_check(_PATHWAY, "on what condition it could be approved"),
        _DELIBERATION,
    ),
    _build_rule(
        "bshift.info_request",
        0.20,
        "Further information is asked for.",
        build_phrase_check(_REQUEST, "which information is wanted"),
        _DELIBERATION,
    ),
    _build_rule(
        "bshift.risk_reduction",
        0.15,
        "A reduction of the risk is proposed.",
        build_phrase_check(_REDUCTION, "how to reduce the risk"),
        _DELIBERATION,
    ),
    _build_rule(
        "bshift.alternative",
        0.15,
        "An alternative is offered.",
        build_phrase_check(_ALTERNATIVE, "what else could be done"),
        _ARGUMENT,
    ),
    _build_rule(
        "bshift.threshold_ref",
        0.10,
        "The measure of a new decision is named.",
        build_phrase_check(_STANDARD, "by which threshold or criterion"),
        _DELIBERATION,
    ),
    _build_rule(
        "bshift.length", 0.10, "It is long enough to show a way.", build_length_check(25), _LENGTH
    ),
)
