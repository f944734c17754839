"""What of a flow nobody has seen: why it only advises."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import replace
from itertools import product

from jurat.engine.flow.addresses import is_asked_for
from jurat.engine.flow.arrivals import find_last_name
from jurat.engine.flow.evaluator import Hit
from jurat.engine.flow.matcher import Matcher
from jurat.engine.flow.program import Routine
from jurat.engine.flow.taints import HOLE, PARAMETER, REMOTE, Taint, is_of_answer

_TAG = re.compile(
    r"\.(?:filter|simple_tag|inclusion_tag|simple_block_tag|(?:app_)?template_(?:filter|global|test))"
    r"(?:\(\))?$"
)
"""Ends the mark of a function that templates call."""

_FILE_NAME = re.compile(r"(?i)file_?name|original_?name")
"""In what a file is called that somebody sends, or asks for by its name."""

_WIDGET = {"render": "name", "__call__": "field"}
"""By its name, what a method is handed first that a form calls to have its field drawn."""

_Origin = tuple[str, tuple[str, ...]]
"""The source of a value, and the part of it."""

_TABLES = frozenset({"composite_literal", "function_declaration", "method_declaration"})
"""What a function literal may stand in: a table, or only a body."""


def explain_doubt(hit: Hit, matcher: Matcher) -> str:
    """The end of "It only advises: …"; empty if the whole way is known.

    A function that stands in no file that is read, and that no vocabulary knows, may have made the
    value fit, and so may a class whose objects it was put into. Whoever hands a parameter on as it
    came is another name for what it hands it to, and its callers answer for what they say; but for
    a program in the language itself. A path that somebody outside says as a whole, from its first
    letter on, or in parts, folder and name, is what a manager of files is there for; a name that
    is put into a folder of our own is not. Of a parameter for which the file itself hands over what
    is fit others may hand over anything. A form says itself what its fields are called, and a
    redirect to the address that was asked for leads nobody away.
    """
    name = hit.taint.source.rpartition(":")[2]
    if hit.taint.strength == PARAMETER and _is_of_template(hit.entry):
        return f"`{name}` is what a template hands over, and no template is read here"
    answerer = hit.taint.answered_by
    if answerer and not is_of_answer(answerer):
        return f"`{answerer}` is not read here, and may have made the value fit"
    if hit.called:
        return f"`{name}` is a parameter, and what this file itself hands over for it is fit"
    if hit.in_said_folder:
        return (
            f"`{find_last_name(hit.taint)}` is of a path of which a request says folder and name: "
            "to choose it may be what this is for"
        )
    if _is_whole_path(hit, matcher):
        return (
            f"`{find_last_name(hit.taint)}` is the whole path: to choose it may be what this is for"
        )
    if not hit.mask & ~matcher.redirects and is_asked_for(hit.taint):
        asked = find_last_name(hit.taint).rpartition(".")[2]
        return f"`{asked}` is of the address that was asked for itself"
    if hit.taint.strength == PARAMETER and _is_of_field(hit):
        return f"`{find_last_name(hit.taint)}` is what a form calls its field"
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


def _is_of_field(hit: Hit) -> bool:
    """Whether a form hands a widget the name of its field, or the field that has one."""
    drawing = hit.entry
    if drawing is None or not drawing.owner or find_last_name(hit.taint) != "name":
        return False
    first = next((one.name for one in drawing.parameters if one.name != drawing.receiver), "")
    return first == _WIDGET.get(drawing.name)


def _is_whole_path(hit: Hit, matcher: Matcher) -> bool:
    """Whether a request says all of a path, but for the name of a file that it brings."""
    taint = hit.taint
    if hit.mask & ~matcher.paths or taint.strength != REMOTE or taint.before or taint.mixed:
        return False
    return not any(map(_FILE_NAME.search, (taint.source, *taint.path)))


def mark_said_folders(hits: Sequence[Hit], matcher: Matcher) -> list[Hit]:
    """The same; those of a path of which a request says both the folder and the name know it."""
    parts: dict[tuple[int, int], tuple[set[_Origin], set[_Origin]]] = {}
    for hit in hits:
        if _is_said_path(hit, matcher):
            said = parts.setdefault(_find_span(hit), (set(), set()))
            said[bool(hit.taint.before)].add(hit.taint[:2])
    both = {span for span, (folders, names) in parts.items() if _are_of_one(folders, names)}
    return [
        replace(hit, in_said_folder=_find_span(hit) in both and _is_said_path(hit, matcher))
        for hit in hits
    ]


def _are_of_one(folders: Set[_Origin], names: Set[_Origin]) -> bool:
    """Whether one of the folders is said by who says a name in it.

    A part of an object that a route is handed beside the request may be of the program's own.
    """
    return any(
        folder != name and (folder[0] == name[0] or not (folder[1] and folder[0].startswith("@")))
        for folder, name in product(folders, names)
    )


def _is_said_path(hit: Hit, matcher: Matcher) -> bool:
    """Whether a request says a path from its first letter on, or what stands in a folder."""
    before, strength = hit.taint.before, hit.taint.strength
    is_path = not hit.mask & ~matcher.paths and strength == REMOTE
    return is_path and (not before or before.startswith(HOLE + "/"))


def _find_span(hit: Hit) -> tuple[int, int]:
    span = hit.node.range()
    return span.start.index, span.end.index


def _is_handed_on(taint: Taint) -> bool:
    """Whether an origin is a parameter, and neither a part of it nor a part of something else."""
    as_it_came = not (taint.path or taint.before or taint.mixed)
    return taint.strength == PARAMETER and as_it_came
