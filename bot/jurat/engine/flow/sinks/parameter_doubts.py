"""What speaks for a parameter: what it is called, what it is a part of, what stands for it."""

from __future__ import annotations

import re

from jurat.engine.flow.forms.program import Constant
from jurat.engine.flow.values.arrivals import find_last_name
from jurat.engine.flow.values.evaluator import Hit
from jurat.engine.flow.values.mappings import KEY
from jurat.engine.flow.values.matcher import Matcher
from jurat.engine.flow.values.taints import EACH, list_nodes

_PIECE = re.compile(
    r"(?:\w*_)?(?:sql|stmt|statement|clause|where|having)(?:_\w+|[A-Z]\w*)?s?"
    r"|\w*(?:Sql|SQL|Stmt|Statement|Clause|Where|FilterTemplate)s?"
)
"""What a piece of a statement is called that a program hands on."""

_WORDS = re.compile(
    r"(?i)(?:o?lang(?:uage)?|i18n|l10n|locale|translations?)_?(?:strings?|texts?|words?|messages?)?"
)
"""What holds the words that a program shows, in the language of who sees them."""

_NUMBER = re.compile(r"_?(?:id|ID|pk)|\w+(?:_id|Id|ID|_pk|Pid|Oid)")
"""What the key of a record is called."""

_OF_PAGE = frozenset({"dataset", "getAttribute", "innerHTML", "outerHTML"})
"""Parts of an element that stand in the page already, as it was sent."""

_COMMAND_LINE = re.compile(r"(?:rich_|async)?click\.")
"""Begins the mark of a function whose parameters somebody writes behind a command of a shell."""

_TERMINAL = re.compile(r"""\[?\s*["']inherit["']""")
"""Begins what a command is told to talk to, if that is what its program talks to."""

_STYLE = re.compile(r"\bclass(?:Name)?\s*=\s*[\"'][^\"'<>]*$")
"""Ends markup behind which the name of a style stands."""

_FEW = 4
"""Steps on which a value is still what its callers said of it. In code that nobody here wrote, 105
of 139 findings of a parameter were right that had no more of them, and 2 of 18 others.
"""


def explain_parameter(hit: Hit, matcher: Matcher) -> str:
    """What speaks for a parameter by what it is called, or by what it is asked of; empty if none.

    A piece of a statement is another name for the statement: its callers answer for it. What sends
    a statement knows its own dialect, and has answered what it is asked for. What stands in a page
    was put there by who made it, and a parameter for which a number stands if nobody says another
    is one.
    """
    name, holder = find_last_name(hit.taint), hit.taint.source.rpartition(":")[2]
    words = next(filter(_WORDS.fullmatch, (holder, *hit.taint.path)[:-1]), None)
    if words is not None:
        return f"`{words}` holds the words that the program shows"
    if not hit.mask & ~matcher.markup and (said := _explain_markup(hit, holder)):
        return said
    if not hit.taint.path and _is_number_by_default(hit, holder):
        return f"`{holder}` is a number if nobody says another"
    if hit.entry is not None and any(map(_COMMAND_LINE.match, hit.entry.annotations)):
        return f"`{holder}` is of the command line, of whoever may run any other command there"
    if not hit.mask & ~matcher.commands and (said := _explain_command(hit)):
        return said
    is_ours = holder not in matcher.callback_names
    if is_ours and not hit.mask & matcher.run and (said := _explain_way(hit, holder)):
        return said
    if hit.mask & matcher.run and _NUMBER.fullmatch(name):
        return f"`{name}` is a record's key"
    if hit.mask & ~matcher.statements:
        return ""
    if _PIECE.fullmatch(name):
        return f"`{name}` is called a piece of a statement, for callers to answer for"
    if hit.taint.path and _NUMBER.fullmatch(name) and hit.taint.before[-1:] not in ("'", '"'):
        return f"`{name}` of `{holder}` is written as a number, as a record's key is"
    senders = {holder, ".".join((holder, *hit.taint.path[:-1]))}
    sent_by = hit.node.text().partition("(")[0].rpartition(".")[0]
    if hit.taint.path and sent_by in senders:
        return f"`{sent_by}` sends the statement, and says `{name}` of itself"
    return ""


def _explain_markup(hit: Hit, holder: str) -> str:
    """What speaks for a parameter in markup: that it stands there already, or is no text at all.

    A program names its styles itself. What is called `$list` is an element in a page, or a service
    that a framework hands over: whoever sends it a text does that elsewhere.
    """
    name = find_last_name(hit.taint)
    if not _OF_PAGE.isdisjoint(hit.taint.path):
        return f"`{name}` is what stands in the page already"
    if _STYLE.search(hit.taint.before):
        return f"`{name}` is the name of a style"
    is_no_text = holder.startswith("$") and len(holder) > 1
    return f"`{holder}` is an element, or a service, and no text" if is_no_text else ""


def _explain_command(hit: Hit) -> str:
    """What speaks for a command: whoever runs the program talks to it, or a shell is seldom asked.

    No server has a terminal to hand on. `shell: process.platform === "win32"` is there to find what
    Windows runs by a script.
    """
    given = hit.node.field("arguments")
    options = given.children() if given is not None else ()
    for pair in (pair for one in options if one.kind() == "object" for pair in one.children()):
        key, setting = pair.field("key"), pair.field("value")
        if key is None or setting is None:
            continue
        if key.text() == "stdio" and _TERMINAL.match(setting.text()):
            return "it talks to the terminal of whoever runs this program, and any other as well"
        if key.text() == "shell" and "process.platform" in setting.text():
            return "only Windows has it run by a shell"
    return ""


def _explain_way(hit: Hit, holder: str) -> str:
    """What speaks for a parameter by the way from there: whether others come with it, and how long.

    What a list or a table holds is mostly what a program lists itself, as columns and choices. And
    the longer the way, the more of it has the parts of what it began with.
    """
    if not {EACH, KEY}.isdisjoint(hit.taint.path):
        return f"`{holder}` holds several, for callers to answer for"
    steps = len(list_nodes(hit.taint.trace))
    return f"`{holder}` was handed over {steps} steps before" if steps > _FEW else ""


def _is_number_by_default(hit: Hit, name: str) -> bool:
    """Whether a number stands for a parameter that nobody hands over."""
    known = hit.entry.parameters if hit.entry is not None else ()
    default = next((one.default for one in known if one.name == name), None)
    said = default.value if isinstance(default, Constant) else None
    return isinstance(said, int | float) and not isinstance(said, bool)
