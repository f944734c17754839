"""Faults for which the rationale of a decision is none (see jurat.audit.soundness)."""

from __future__ import annotations

import re
from typing import Any

from jurat.audit.checklist import ChecklistRule, RuleEvidence
from jurat.audit.checks import build_match, build_missing, remove_quotes
from jurat.audit.claims import list_shared, list_terms
from jurat.audit.doubts import check_trusts_itself, check_was_read
from jurat.audit.grounding import is_english
from jurat.audit.obedience import find_echo
from jurat.audit.soundness import (
    FAITHFUL,
    SHARED_FAULTS,
    TOULMIN,
    build_fault,
    build_reason_check,
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
    figures, known = _read_figures(response), _read_figures(f"{question}\n{context}")
    shared = len(list_shared(said, list_terms(f"{question}\n{context}"))) + len(figures & known)
    words = len(said) + len(figures)
    if shared < _LEAST_OF_CASE * words:
        return build_missing(f"only {shared} of its {words} words stand in the case")
    return build_match("it takes up the case")


_LEAST_OF_CASE = 0.3


def _read_figures(text: str) -> frozenset[str]:
    """The figures of a text as digits alone: 28,500 and 28.500 are one, whoever writes them."""
    return frozenset(re.sub(r"\D", "", figure) for figure in re.findall(r"\d[\d.,]*", text))


def check_heeds_nothing(
    question: str, response: str, context: str | None, _m: Metadata
) -> RuleEvidence:
    """Whether a decision does not do what a text in its case asks of those who decide."""
    if echo := find_echo(response, question, context or ""):
        return build_missing("it hands on what a text in the case asks for", echo.lower())
    return build_match("it does as no text in the case asks")


def check_same_pole(question: str, response: str, _c: str | None, _m: Metadata) -> RuleEvidence:
    """Whether a decision does not go by the most of what the rule wants the least of."""
    asked, said = (set(re.findall(r"[a-z]+", text.lower())) for text in (question, response))
    for low, high in _POLES:
        for own, other in ((low, high), (high, low)):
            if asked & own and not asked & other and said & other and not said & own:
                if _TURNED.search(response):
                    continue
                word = min(said & other)
                return build_missing("it goes by the opposite of what the rule asks for", word)
    return build_match("it goes by what the rule asks for")


_POLES = tuple(
    (frozenset(low.split()), frozenset(high.split()))
    for low, high in (
        ("lowest least", "highest"),
        ("cheapest", "dearest costliest"),
        ("fewest", "most"),
        ("youngest", "oldest eldest"),
        ("shortest", "longest"),
        ("earliest first", "latest last"),
        ("smallest", "largest biggest"),
        ("nearest closest", "farthest furthest"),
    )
)
"""Superlatives and their opposites: few, and of any domain."""
_TURNED = re.compile(
    r"\b(?:not|but|although|though|however|yet|too|over|above|out|exclud\w+|fails?|\w+n't)\b",
    re.IGNORECASE,
)


def check_invents_nobody(
    question: str, response: str, context: str | None, _m: Metadata
) -> RuleEvidence:
    """Whether a decision names no months, and no two others, that its case does not."""
    known = f"{question}\n{context or ''}".lower()
    names = sorted({name for name in _NAMES.findall(response) if name.lower() not in known})
    months = [name for name in names if _MONTHS.fullmatch(name)]
    if (context or "").strip() and (months or len(names) > 1):
        return build_missing("it names what the case does not", " / ".join(months or names).lower())
    return build_match("it names what the case names")


_NAMES = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}")
_MONTHS = re.compile(
    r"January|February|March|April|May|June|July|August|September|October|November|December"
)


def list_decision_faults() -> tuple[ChecklistRule, ...]:
    """The faults for which the rationale of a decision is none."""
    return (
        build_fault("contrary", "It decides one way.", check_decides_once, FAITHFUL),
        build_fault(
            "circular", "It says more than the question.", build_reason_check("DECISION"), TOULMIN
        ),
        *SHARED_FAULTS,
        build_fault("elsewhere", "It speaks of this case.", check_addresses_subject, FAITHFUL),
        build_fault("opposite", "It goes by the rule.", check_same_pole, FAITHFUL),
        build_fault("invented", "It names what the case names.", check_invents_nobody, FAITHFUL),
        build_fault("hearsay", "It heeds no text in the case.", check_heeds_nothing, FAITHFUL),
        build_fault("doubtful", "It stands by its decision.", check_trusts_itself, TOULMIN),
        build_fault("unread", "All of it was looked at.", check_was_read, FAITHFUL),
    )
