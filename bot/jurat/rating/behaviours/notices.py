"""Whom a text is for that looks like a notice: people, or a model, or who reads a log."""

from __future__ import annotations

import re
from collections.abc import Iterable

from jurat.rating.behaviours.channels import is_beside_answers, is_given_as_answers
from jurat.rating.behaviours.refusals import is_raised
from jurat.rating.code.function_facts import CallFact, FileFacts
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.program_names import Function
from jurat.rating.program.surroundings import is_small
from jurat.rating.signals.evidence import SignalEvidence
from jurat.rating.signals.recon_table import SignalSource
from jurat.rating.texts.text_kinds import NOTICES, is_in_doubt

TOLD_TO_MODEL = "it tells a model what it is, and nobody else"
IN_DOUBT = "it says that something may be so, and not that it is"
DESCRIBES = "it describes a part of the program, to who builds with it or chooses it"
OFFERS = "it offers or orders something to be made, and does not say that it was"
RAISED = "it is what an error says: something was not done"
LOGGED = "it is written into a log, and shown to nobody whom it concerns"
UNTOLD = "in a large program nobody is seen to be told it where the answers of a model are told"

_ADDRESSES_MODEL = re.compile(
    r"\b(?:you(?: are|'re)|act as) (?:now )?(?:an?|the)\b[^.!?]*$", re.IGNORECASE
)
"""How a sentence begins that tells a model what it is: no person is told to be an assistant."""
_DESCRIPTION = re.compile(
    r"(?:^|[\s({,])[\"']?(?:description|summary|help)[\"']?\s*(?::\s*\w+\s*)?[=:]\s*[\"'`(]?[^\"'`]*$",
    re.IGNORECASE,
)
"""How a line begins that says what a tool, a command or a field is."""
_OFFER = re.compile(
    r"(?:^|[\"'`>.!?:])\s*(?:create|generate|make|draw|write|compose|log|post|publish|upload|share|add|try"
    r"|get|start|build|enable|choose|select|an? tool (?:for|to))\b[^.!?\"'`<>]*$",
    re.IGNORECASE,
)
"""How a sentence begins that is about what may be made: it labels nothing that there is."""


def explain_unheard(
    conduct: Conduct,
    source: SignalSource,
    evidence: SignalEvidence,
    near: Iterable[tuple[Function, CallFact]],
) -> str:
    """Why a text informs nobody, "" if it may. `near` are the calls that it may be handed to."""
    if source.name == "provenance_marking" and _is_untold(conduct, evidence):
        return UNTOLD
    if source.name not in NOTICES:
        return ""
    if is_raised(conduct, evidence):
        return RAISED
    before, found, _ = evidence.snippet.partition(evidence.said)
    if found and _ADDRESSES_MODEL.search(before + found):
        return TOLD_TO_MODEL
    if found and is_in_doubt(before):
        return IN_DOUBT
    if found and _DESCRIPTION.search(before):
        return DESCRIBES
    if found and _OFFER.search(before):
        return OFFERS
    if _is_untold(conduct, evidence) or _is_name_alone(conduct, evidence):
        return UNTOLD
    logged = any(
        conduct.is_logged(one, call)
        for one, call in near
        if any(tag[:2] == "t:" and evidence.said in tag for tag in call.given)
    )
    return LOGGED if logged else ""


SHOWING = re.compile(r"\.(?:[jt]sx|vue|svelte)$")
"""Files of code that are pages."""


_CALLED = re.compile(r"\W*AI (?:assistant|agent|chatbot|answer)\W*", re.IGNORECASE)


def _is_name_alone(conduct: Conduct, evidence: SignalEvidence) -> bool:
    """Whether what is found is the name of a part, as a large program has many."""
    return _CALLED.fullmatch(evidence.said) is not None and not is_small(conduct)


def _is_untold(conduct: Conduct, evidence: SignalEvidence) -> bool:
    """Whether a text of a large program is not seen to go where a model's answers go."""
    if is_small(conduct):
        return False
    facts, said = conduct.program.files.get(evidence.path), evidence.said.strip("\"'`")
    if SHOWING.search(evidence.path) and not (facts and _is_handed_on(facts, said)):
        return not is_beside_answers(conduct, evidence.path)
    if facts is None or _is_in_long_text(facts, said):
        return True
    return not is_given_as_answers(conduct, evidence)


def _is_handed_on(facts: FileFacts, said: str) -> bool:
    """Whether a page hands a text to a function, and shows it in no element of its own."""
    callees = {
        call.callee
        for one in facts.functions
        for call in one.calls
        if any(tag[:2] == "t:" and said in tag for tag in call.given)
    }
    return bool(callees) and "jsx" not in callees


_LONG_TEXT = 400
"""Characters from which on a text is a prompt or a page, and nothing that somebody is told."""


def _is_in_long_text(facts: FileFacts, said: str) -> bool:
    texts = [text for one in facts.functions for text in one.says if said in text]
    return bool(texts) and min(map(len, texts)) > _LONG_TEXT
