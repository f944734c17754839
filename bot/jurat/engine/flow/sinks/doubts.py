"""What of a flow nobody has seen: why it only advises."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from jurat.engine.flow.forms.program import Routine
from jurat.engine.flow.sinks.parameter_doubts import explain_parameter
from jurat.engine.flow.sinks.token_doubts import explain_token
from jurat.engine.flow.values.addresses import is_asked_for, is_step_of_path
from jurat.engine.flow.values.arrivals import find_last_name
from jurat.engine.flow.values.evaluator import Hit
from jurat.engine.flow.values.mappings import HELD, KEY
from jurat.engine.flow.values.matcher import Matcher
from jurat.engine.flow.values.taints import HOLE, PARAMETER, REMOTE, Taint, is_of_answer

_TAG = re.compile(
    r"\.(?:filter|simple_tag|inclusion_tag|simple_block_tag|(?:app_)?template_(?:filter|global|test))"
    r"(?:\(\))?$"
)
"""Ends the mark of a function that templates call."""

_FILE_NAME = re.compile(
    r"(?i)file_?name|original_?name|^archive/|\b(?:tar|zip)file\.|\b(?:tar|zip)info\b"
)
"""In what a file is called that somebody sends, asks for by its name or has put into an archive."""

_WIDGET = {"render": "name", "__call__": "field"}
"""By its name, what a method is handed first that a form calls to have its field drawn."""

_GO_WRITER = re.compile(r"fmt\.Fprint\w*|io\.WriteString|net/http\.ResponseWriter\.Write")
"""What writes into an answer whose type Go tells by how it begins."""

_WEAK = re.compile(r"(?:^|[./])(?:md5|sha1)\.(?:Sum|New)\b")
"""In the name of a hash that is too weak for passwords."""

_HASH = re.compile(r"(?i)md5|sha|digest|hash")
"""In the name of a hash."""

_OF_HTTP = f"{HOLE}:{HOLE}:"
"""What stands before the password where HTTP's digest, which knows no other, hashes it."""

_STRONG = re.compile(r"bcrypt|argon2|scrypt|pbkdf2")
"""In the name of what hashes passwords well."""

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
    letter on, is what a manager of files is there for, and so is a name beside it; one that is put
    into a folder is not. Of a parameter for which the file itself hands over what is fit others may
    hand over anything. A form says itself what its fields are called, and a redirect to the address
    that was asked for leads nobody away.
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
    if hit.objection:
        return hit.objection
    if not hit.mask & ~matcher.redirects and (said := _explain_asked_for(hit.taint)):
        return said
    if _is_sniffed_plain(hit):
        return f"`{find_last_name(hit.taint)}` stands in what net/http takes for plain text"
    if hit.taint.strength == PARAMETER and _is_of_field(hit):
        return f"`{find_last_name(hit.taint)}` is what a form calls its field"
    if not hit.mask & ~matcher.objects and _is_named_field(hit.taint):
        return "it names a field, or a table of this program answers it: that is mostly a text"
    if not hit.mask & ~matcher.settings and (said := explain_token(hit)):
        return said
    if hit.taint.strength == PARAMETER and (said := explain_parameter(hit, matcher)):
        return said
    if _is_handed_on(hit.taint) and not hit.mask & matcher.programs:
        return f"`{find_last_name(hit.taint)}` is handed on as it came, for callers to answer for"
    return ""


def _is_named_field(taint: Taint) -> bool:
    """Whether an origin names a field of a filter, or is held by a table beside it.

    What the filter itself holds under a name that nobody knows is what it compares with.
    """
    is_own = taint.path[-1:] == (HELD,)
    return not {HELD, KEY}.isdisjoint(taint.path[:-1] if is_own else taint.path)


def _explain_asked_for(taint: Taint) -> str:
    """What speaks for a redirect to the address that was asked for, or below it."""
    if is_asked_for(taint):
        return f"`{taint.source.rpartition('.')[2]}` is of the address that was asked for itself"
    if is_step_of_path(taint):
        return f"`{find_last_name(taint)}` is one step of the path that was asked for"
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


def _is_sniffed_plain(hit: Hit) -> bool:
    """Whether Go tells by its beginning that what is written is plain text: nothing says else.

    Markup begins with `<`, and what a function says of its answer's type it says in its own text.
    """
    begins = hit.taint.before.lstrip()[:1]
    if not _GO_WRITER.fullmatch(hit.callee) or begins in ("", "<", HOLE):
        return False
    return "<" not in hit.taint.before and "html" not in (
        hit.entry.node.text() if hit.entry else ""
    )


def _is_of_field(hit: Hit) -> bool:
    """Whether a form hands a widget the name of its field, or the field that has one."""
    drawing = hit.entry
    if drawing is None or not drawing.owner or find_last_name(hit.taint) != "name":
        return False
    first = next((one.name for one in drawing.parameters if one.name != drawing.receiver), "")
    return first == _WIDGET.get(drawing.name)


def _is_whole_path(hit: Hit, matcher: Matcher) -> bool:
    """Whether a request says all of a path, but for the name of a file that it brings, and where
    it has to begin.
    """
    taint = hit.taint
    if hit.begun or not _is_said_path(hit, matcher) or taint.before or taint.mixed:
        return False
    return not any(map(_FILE_NAME.search, (taint.source, *taint.path)))


def note_objections(
    hits: Sequence[Hit], matcher: Matcher, imported: Mapping[str, str]
) -> list[Hit]:
    """The same, each with what else in the file speaks against it.

    Who may say a whole path needs no `..` in a name that is said with it; and a file that knows a
    strong hash may have the weak one for what was kept before.
    """
    whole = _find_whole_paths(hits, matcher)
    strong = next(filter(None, map(_STRONG.search, imported.values())), None)
    noted = []
    for hit in hits:
        objection = ""
        if _is_said_path(hit, matcher) and _is_said_with(
            hit.taint[:2], whole.get(id(hit.entry), ())
        ):
            objection = f"`{find_last_name(hit.taint)}` comes with a whole path, which says more"
        elif strong and any(map(_WEAK.search, (hit.callee, hit.taint.source))):
            objection = f"`{strong[0]}` is known here, and this may be for what was kept before"
        elif hit.taint.before == _OF_HTTP and _HASH.search(hit.callee):
            objection = "HTTP's digest is made of a user, a realm and a password in this way"
        noted.append(replace(hit, objection=objection) if objection else hit)
    return noted


def _find_whole_paths(hits: Sequence[Hit], matcher: Matcher) -> dict[int, set[_Origin]]:
    """By function, what a request says a whole path by that is opened there.

    One that ends with a text is whole if the request says more of it behind a slash.
    """
    below = {_find_span(hit): hit.taint[:2] for hit in hits if HOLE + "/" in hit.taint.before}
    found: dict[int, set[_Origin]] = {}
    for hit in hits:
        is_led = _is_said_path(hit, matcher) and not hit.taint.before
        is_folder = below.get(_find_span(hit), hit.taint[:2]) != hit.taint[:2]
        if _is_whole_path(hit, matcher) or (is_led and is_folder):
            found.setdefault(id(hit.entry), set()).add(hit.taint[:2])
    return found


def _find_span(hit: Hit) -> tuple[int, int]:
    span = hit.node.range()
    return span.start.index, span.end.index


def _is_said_with(name: _Origin, paths: Iterable[_Origin]) -> bool:
    """Whether one of the paths is said by who says the name.

    A part of an object that a route is handed beside the request may be of the program's own.
    """
    return any(path[0] == name[0] or not (path[1] and path[0].startswith("@")) for path in paths)


def _is_said_path(hit: Hit, matcher: Matcher) -> bool:
    """Whether a request says a path, or a part of it."""
    return not hit.mask & ~matcher.paths and hit.taint.strength == REMOTE


def _is_handed_on(taint: Taint) -> bool:
    """Whether an origin is a parameter, and neither a part of it nor a part of something else."""
    as_it_came = not (taint.path or taint.before or taint.mixed)
    return taint.strength == PARAMETER and as_it_came
