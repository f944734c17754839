"""What of a flow nobody has seen: why it only advises."""

from __future__ import annotations

from jurat.engine.flow.arrivals import find_last_name
from jurat.engine.flow.evaluator import Hit
from jurat.engine.flow.taints import PARAMETER, Taint, is_of_answer


def explain_doubt(hit: Hit, programs: int) -> str:
    """The end of "It only advises: …"; empty if the whole way is known.

    A function that stands in no file that is read, and that no vocabulary knows, may have made the
    value fit, and so may a class whose objects it was put into. Whoever hands a parameter on as it
    came is another name for what it hands it to, and its callers answer for what they say; but for
    a program in the language itself, of which `programs` are the questions.
    """
    answerer = hit.taint.answered_by
    if answerer and not is_of_answer(answerer):
        return f"`{answerer}` is not read here, and may have made the value fit"
    if _is_handed_on(hit.taint) and not hit.mask & programs:
        return f"`{find_last_name(hit.taint)}` is handed on as it came, for callers to answer for"
    return ""


def _is_handed_on(taint: Taint) -> bool:
    """Whether an origin is a parameter, and neither a part of it nor a part of something else."""
    as_it_came = not (taint.path or taint.before or taint.mixed)
    return taint.strength == PARAMETER and as_it_came
