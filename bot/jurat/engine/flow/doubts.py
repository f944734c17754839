"""What of a flow nobody has seen: why it only advises."""

from __future__ import annotations

import re

from jurat.engine.flow.arrivals import find_last_name
from jurat.engine.flow.evaluator import Hit
from jurat.engine.flow.matcher import Matcher
from jurat.engine.flow.program import Routine
from jurat.engine.flow.taints import PARAMETER, REMOTE, Taint, is_of_answer

_TAG = re.compile(
    r"\.(?:filter|simple_tag|inclusion_tag|simple_block_tag|(?:app_)?template_(?:filter|global|test))"
    r"(?:\(\))?$"
)
"""Ends the mark of a function that templates call."""

_FILE_NAME = re.compile(r"(?i)file_?name|original_?name")
"""In what a file is called that somebody sends, or asks for by its name."""

_TABLES = frozenset({"composite_literal", "function_declaration", "method_declaration"})
"""What a function literal may stand in: a table, or only a body."""


def explain_doubt(hit: Hit, matcher: Matcher) -> str:
    """The end of "It only advises: …"; empty if the whole way is known.

    A function that stands in no file that is read, and that no vocabulary knows, may have made the
    value fit, and so may a class whose objects it was put into. Whoever hands a parameter on as it
    came is another name for what it hands it to, and its callers answer for what they say; but for
    a program in the language itself. A path that somebody outside says as a whole, from its first
    letter on, is what a manager of files is there for; one that is put into a folder is not. Of a
    parameter for which the file itself hands over what is fit others may hand over anything.
    """
    name = hit.taint.source.rpartition(":")[2]
    if hit.taint.strength == PARAMETER and _is_of_template(hit.entry):
        return f"`{name}` is what a template hands over, and no template is read here"
    answerer = hit.taint.answered_by
    if answerer and not is_of_answer(answerer):
        return f"`{answerer}` is not read here, and may have made the value fit"
    if hit.called:
        return f"`{name}` is a parameter, and what this file itself hands over for it is fit"
    if _is_whole_path(hit, matcher):
        return (
            f"`{find_last_name(hit.taint)}` is the whole path: to choose it may be what this is for"
        )
    if _is_handed_on(hit.taint) and not hit.mask & matcher.programs:
        return f"`{find_last_name(hit.taint)}` is handed on as it came, for callers to answer for"
    return ""


def _is_of_template(function: Routine | None) -> bool:
    """Whether templates call a function: by its mark, or as an entry of a table of functions."""
    if function is None:
        return False
    if any(map(_TAG.search, function.annotations)):
        return True
    table = next((one for one in function.node.ancestors() if one.kind() in _TABLES), None)
    written = table.field("type") if table is not None else None
    return written is not None and written.text().endswith("FuncMap")


def _is_whole_path(hit: Hit, matcher: Matcher) -> bool:
    """Whether a request says all of a path, but for the name of a file that it brings."""
    taint = hit.taint
    if hit.mask & ~matcher.paths or taint.strength != REMOTE or taint.before or taint.mixed:
        return False
    return not any(map(_FILE_NAME.search, (taint.source, *taint.path)))


def _is_handed_on(taint: Taint) -> bool:
    """Whether an origin is a parameter, and neither a part of it nor a part of something else."""
    as_it_came = not (taint.path or taint.before or taint.mixed)
    return taint.strength == PARAMETER and as_it_came
