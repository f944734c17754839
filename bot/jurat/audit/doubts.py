"""What its author does not know, does not trust, or did not read: such a reasoning carries nothing.

A doubt may be about another thing than the verdict. So it counts only if the rest of the text does
not assert enough of the material, or sets the doubt aside.
"""

from __future__ import annotations

import re
from typing import Any

from jurat.audit.changes import find_still_added, find_unread_line
from jurat.audit.checklist import RuleEvidence
from jurat.audit.checks import build_match, build_missing, remove_quotes
from jurat.audit.claims import list_shared, list_terms, list_unrelated
from jurat.audit.grounding import count_anchors
from jurat.audit.roles import ClauseRole, read_statements
from jurat.audit.text import compute_stem

Metadata = dict[str, Any]

LEAST_CONFIDENCE = 0.2
"""A verdict whose author gives it less is none."""

_DOUBTS = re.compile(
    r"\b(?:perhaps|maybe|possibly|probably|presumably|conceivably|arguably|apparently|supposedly"
    r"|seems?|appears? to|might|i (?:think|guess|suppose|believe|assume|feel)|we (?:think|guess)"
    r"|kind of|sort of|in a way|to some extent|more or less|somewhat|likely|unlikely)\b",
    re.IGNORECASE,
)
_GIVES_UP = re.compile(
    r"\b(?:not (?:entirely |quite |really |completely |fully )?(?:sure|certain|clear)|unsure"
    r"|uncertain|hard to (?:say|tell|judge|know)|difficult to (?:say|tell|judge|know)"
    r"|(?:can(?:not|'t)|could not) (?:really |quite )?(?:say|tell|judge|be sure|decide)|who knows"
    r"|no idea|could go either way|either way|\b(?:i|we) (?:don't|do not) know"
    r"|depends on how (?:you|one) looks?|open to interpretation|(?<!you )may or may not"
    r"|might or might not|could be either|could be fine or)\b"
    # One modal verb twice, and one of them denied: "could turn out to hold or could turn out not".
    r"|(?<!you )\b(?P<modal>may|might"
    r"|could)\b[^.;:!?]{1,60}?\bor\b(?:[^.;:!?]{0,20}?\b(?P=modal))?[^.;:!?]{0,25}?\bnot\b",
    re.IGNORECASE,
)


def check_commits_itself(
    question: str, response: str, context: str | None, meta: Metadata
) -> RuleEvidence:
    """Whether the text stands by its verdict, and is not all doubts."""
    bare = remove_quotes(response)
    firm = _is_firm(response, question, context or "")
    if not firm and (match := _GIVES_UP.search(bare)):
        return build_missing("it does not know either", match.group().lower())
    doubts = _DOUBTS.findall(bare)
    if not firm and len(doubts) >= 2 and len(doubts) * 12 >= len(bare.split()):
        return build_missing("it is all doubts", ", ".join(doubts[:3]).lower())
    given = meta.get("confidence")
    if (
        isinstance(given, int | float)
        and not isinstance(given, bool)
        and 0 < given < LEAST_CONFIDENCE
    ):
        return build_missing("it is not sure of it", str(given))
    return check_trusts_itself(question, response, context, meta)


def check_trusts_itself(
    question: str, response: str, context: str | None, _m: Metadata
) -> RuleEvidence:
    """Whether its author trusts it. That something is not known may be what a decision rests on."""
    clauses = read_statements(response, question)
    if _is_firm(response, question, context or ""):
        return build_match("it stands by what it says")
    for item in clauses:
        if ClauseRole.DOUBT in item.roles:
            return build_missing("its author doubts it", item.span.lower())
    for item in clauses:
        if ClauseRole.LIMIT in item.roles:
            return build_missing("its author does not know", item.span.lower())
    hedged = [item for item in clauses if ClauseRole.HEDGE in item.roles]
    if len(hedged) >= 2 and len(hedged) * 2 >= len(clauses):
        return build_missing("it is all doubts", hedged[0].span.lower())
    modal = [item.text for item in clauses if _MODAL.search(remove_quotes(item.text))]
    if len(modal) >= 2 and len(modal) * 2 >= len(clauses):
        return build_missing("it says what may be, and nothing of what is", modal[0].lower())
    return build_match("it stands by what it says")


def _is_firm(text: str, rule: str, context: str) -> bool:
    """Whether enough of a text asserts something of the material, so that it may doubt the rest.

    Enough is one clause if what is doubted is set aside ("..., but the limit is there"), or if it
    comes last, and else two and more than are doubtful.
    """
    firm, doubtful, set_aside, ends_firm = 0, 0, False, False
    for item in read_statements(text, rule):
        modal = _MODAL.search(remove_quotes(item.text)) is not None
        if item.roles & _SOFT or modal or _ASKS.match(item.text):
            doubtful += 1
            set_aside = _SETS_ASIDE.search(item.text) is not None
            ends_firm = False
            continue
        set_aside |= doubtful > 0 and _SETS_ASIDE.search(item.text) is not None
        asserts = not item.roles and (
            count_anchors(item.text, context) > 0
            or bool(list_shared(list_terms(item.text), list_terms(rule)))
        )
        firm += asserts
        ends_firm = asserts and count_anchors(item.text, context) >= _FIRM
    return (firm > 0 and (set_aside or ends_firm)) or (firm >= _FIRM and firm > doubtful)


_ASKS = re.compile(r"\W*(?:and |or |but )?(?:whether|if)\b", re.IGNORECASE)
_SETS_ASIDE = re.compile(
    r"^\W*(?:but|yet|still|though|however)\b|\b(?:though|even so|in any case|either way"
    r"|regardless|nothing in the rule|not (?:for|what|one about|something) (?:this|the) rule"
    r"|the rule (?:doesn't|does not|only|is about|asks|demands|wants)|(?:is|be|are) (?:another"
    r"|a different|not the) (?:question|matter|point|issue)|(?:a|one) (?:[\w-]+ )?question (?:of"
    r"|for|about|and)|beside the point|all the same|has no say|out of scope|as for the rule)\b",
    re.IGNORECASE,
)
"""Says of what is doubted that the verdict does not hang on it."""
_FIRM = 2
"""Clauses that assert something of the material, from which on a text may doubt other things."""
_SOFT = frozenset({ClauseRole.LIMIT, ClauseRole.HEDGE, ClauseRole.DOUBT, ClauseRole.UNREAD})

_MODAL = re.compile(r"(?<!you )\b(?:might|may|could)\b(?! not\b)", re.IGNORECASE)


def check_all_was_read(
    question: str, response: str, context: str | None, meta: Metadata
) -> RuleEvidence:
    """Whether an ALLOW speaks of each of two like things that a change adds, if of one."""
    if left := find_unread_line(response, question, context or ""):
        return build_missing("it says nothing of what is like what it speaks of", left.lower())
    if still := find_still_added(response, context or ""):
        return build_missing(
            "it says that this is replaced, and it is added elsewhere", still.lower()
        )
    return check_was_read(question, response, context, meta)


def check_was_read(question: str, response: str, context: str | None, _m: Metadata) -> RuleEvidence:
    """Whether its author says of no part of the subject that it was not looked at."""
    known = list_terms(context or "")
    for item in read_statements(response, question):
        if ClauseRole.UNREAD not in item.roles:
            continue
        # What lies outside of the subject need not be read.
        things = list_unrelated(list_terms(remove_quotes(item.text)), _OF_READING)
        if things and not list_shared(things, known):
            continue
        return build_missing("it was written without all being read", item.span.lower())
    return build_match("it speaks of nothing that was not read")


_OF_READING = frozenset(
    map(
        compute_stem,
        "read look open check review examine inspect view trace follow study consult skim glance"  # noqa: SIM905 - reads best as words
        " test compare see seen show shown rest remainder half part other others file files diff"
        " change patch hunk code line lines all whole time first second last later page only just"
        " memory title description name message verdict judge going access far here there that"
        " because one two came got went stopped skipped ran out left fine good right sure".split(),
    )
)
"""Words for reading, and for parts of any subject."""
