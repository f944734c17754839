"""Faults for which the rationale of a decision is none (see jurat.audit.soundness)."""

from __future__ import annotations

import re
from typing import Any

from jurat.audit.checklist import ChecklistRule, RuleEvidence
from jurat.audit.checks import build_match, build_missing, remove_quotes
from jurat.audit.claims import list_shared, list_terms
from jurat.audit.grounding import is_english
from jurat.audit.soundness import (
    FAITHFUL,
    SHARED_FAULTS,
    TOULMIN,
    build_fault,
    build_reason_check,
    check_trusts_itself,
    check_was_read,
)
from jurat.audit.text import split_sentences

Metadata = dict[str, Any]


def check_decides_once(_q: str, response: str, _c: str | None, _m: Metadata) -> RuleEvidence:
    """Whether a decision does not conclude both ways."""
    ways = {}
    for sentence in split_sentences(remove_quotes(response)):
        for way, pattern in _WAYS.items():
            for match in pattern.finditer(sentence):
                before, after = sentence[: match.start()], sentence[match.end() :]
                if not (_UNDECIDED.search(before) or _CONDITION.match(after)):
                    ways[way] = match.group()
    if len(ways) > 1:
        return build_missing("it decides both ways", " / ".join(ways.values()).lower())
    return build_match("it decides one way")


_UNDECIDED = re.compile(
    r"\b(?:if|once|unless|until|would|could|can|may|might|should|after|before|not|never|cannot"
    r"|neither"
    r"|nor|without|previous\w*|earlier|whether|to be|limit\w*|policy \w+)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\W+(?:if|once|unless|until|after|subject|provided|on condition)\b", re.IGNORECASE
)
_WAYS = {
    "yes": re.compile(
        r"\b(?:approv(?:e|ed|al)|grant(?:ed)?|accept(?:ed)?|clear(?:ed)?)\b(?!\s(?:if|once))",
        re.IGNORECASE,
    ),
    "no": re.compile(
        r"\b(?:declin(?:e|ed)|reject(?:ed|ion)?|den(?:y|ied|ial)|refus(?:e|ed|al)"
        r"|turn(?:ed)? down)\b",
        re.IGNORECASE,
    ),
}


def check_addresses_subject(
    question: str, response: str, context: str | None, _m: Metadata
) -> RuleEvidence:
    """Whether the rationale of a decision takes up the case: a share of its words stands there."""
    said = list_terms(response)
    if not (context or "").strip() or not said or not is_english(response):
        return build_match("there is nothing that it could be compared with")
    shared = len(list_shared(said, list_terms(f"{question}\n{context}")))
    if shared < _LEAST_OF_CASE * len(said):
        return build_missing(f"only {shared} of its {len(said)} words stand in the case")
    return build_match("it takes up the case")


_LEAST_OF_CASE = 0.3


def list_decision_faults() -> tuple[ChecklistRule, ...]:
    """The faults for which the rationale of a decision is none."""
    return (
        build_fault("contrary", "It decides one way.", check_decides_once, FAITHFUL),
        build_fault(
            "circular", "It says more than the question.", build_reason_check("DECISION"), TOULMIN
        ),
        *SHARED_FAULTS,
        build_fault("elsewhere", "It speaks of this case.", check_addresses_subject, FAITHFUL),
        build_fault("doubtful", "It stands by its decision.", check_trusts_itself, TOULMIN),
        build_fault("unread", "All of it was looked at.", check_was_read, FAITHFUL),
    )
