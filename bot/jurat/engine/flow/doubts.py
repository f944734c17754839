"""What of a flow nobody has seen: why it only advises."""

from __future__ import annotations

from jurat.engine.flow.evaluator import Hit
from jurat.engine.flow.taints import is_of_answer


def explain_doubt(hit: Hit) -> str:
    """The end of "It only advises: …"; empty if the whole way is known.

    A function that stands in no file that is read, and that no vocabulary knows, may have made the
    value fit, and so may a class whose objects it was put into.
    """
    answerer = hit.taint.answered_by
    if answerer and not is_of_answer(answerer):
        return f"`{answerer}` is not read here, and may have made the value fit"
    return ""
