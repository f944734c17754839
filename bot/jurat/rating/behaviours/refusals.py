"""Texts that a program names to refuse what they say: it looks for them, or fails by them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jurat.rating.program.conduct import Conduct, ask_once
from jurat.rating.program.surroundings import is_small
from jurat.rating.signals.evidence import SignalEvidence
from jurat.rating.signals.recon_table import SignalSource

PHRASE_ALONE = "in a large program a phrase alone tells no practice: please look"

_WARDING = re.compile(
    r"negative|block|den(?:y|ied)|forbid|ban(?:ned)?|exclu|refus|disallow|prohibit|reject",
    re.IGNORECASE,
)
"""Under such a key stands what must not come out."""
_ERROR = re.compile(r"(?:Error|Exception)(?:\(\))?$")
_SPREAD = 30
"""Lines over which a call may be spread."""
_LEAST = 3
"""Characters of a text that tells what is looked for."""


@ask_once
def list_refused(conduct: Conduct) -> frozenset[str]:
    """Texts that some condition looks for, to leave where it finds them, or that are warded off."""
    return frozenset(text.strip().lower() for text in _iter_refused(conduct))


def _iter_refused(conduct: Conduct) -> Iterator[str]:
    for path, facts in conduct.program.files.items():
        for number, function in enumerate(facts.functions):
            for guard in function.guards:
                if guard.leaves in ("raise", "return", "continue"):
                    for tag in conduct.expand((path, number), guard.asks, 2):
                        if tag[:2] == "t:" and len(tag) - 2 >= _LEAST:
                            yield tag[2:]
            for pair in function.pairs:
                if _WARDING.search(pair.key):
                    yield from (tag[2:] for tag in pair.value if tag[:2] == "t:")


def is_raised(conduct: Conduct, evidence: SignalEvidence) -> bool:
    """Whether an error is made of a text: it says what was not done."""
    facts = conduct.program.files.get(evidence.path)
    said = evidence.said.strip("\"'`")
    return facts is not None and any(
        0 <= evidence.line - call.line <= _SPREAD
        and _ERROR.search(call.callee) is not None
        and any(tag[:2] == "t:" and said in tag for tag in call.given)
        for function in facts.functions
        for call in function.calls
    )


def is_phrase_alone(conduct: Conduct, source: SignalSource, evidence: SignalEvidence) -> bool:
    """Whether a text of a large program has a phrase of a practice, and not all that makes it.

    Long texts on anything have such phrases: an element that is a target is disabled.
    """
    return not (is_small(conduct) or source.probes[evidence.probe].meets)
