"""A behaviour by which people see how sure a system is of a decision, or why it made it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jurat.rating.behaviours.behaviour import Sign, register_behaviour
from jurat.rating.code.tag_search import has_text
from jurat.rating.program.conduct import Conduct

_TOLD = re.compile(
    r"^(?:confidence|confidences|confidence_score|probability|probabilities|uncertainty|score"
    r"|explanation|explanations|rationale|reasons?|reasoning|justification|why|evidence|factors"
    r"|top_features|feature_importances?|contributions|limitations|caveats|certainty|margin)$",
    re.IGNORECASE,
)
_TOLD_WORD = re.compile(
    r"\b(?:confidence|probability|uncertainty|because|reasons?|rationale|explanation|certainty)\b",
    re.IGNORECASE,
)


@register_behaviour("explained_output")
def find_explanations(conduct: Conduct) -> Iterator[Sign]:
    """Who looks at a decision sees how sure it is, or why: a value that varies, under its name."""
    for one in sorted(conduct.beside & set(conduct.subjects)):
        facts = conduct.facts(one)
        if not (facts.returns or facts.writes or facts.calls):
            continue
        for pair in facts.pairs:
            if _TOLD.search(pair.key) and not pair.constant and pair.value:
                yield Sign("explained_output", one, pair.line, frozenset({one}))
        for call in facts.calls:
            name = conduct.name(one, call.callee)
            displays = name.rpartition(".")[2] in (
                "print",
                "input",
                "echo",
                "confirm",
                "write",
                "log",
            )
            if displays and has_text(call.given, _TOLD_WORD) and len(call.given) > 2:
                yield Sign("explained_output", one, call.line, frozenset({one}))
