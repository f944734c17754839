"""Numbers that can be foretold under the name of what must not be guessed: a token, a code."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from ast_grep_py import SgNode

from jurat.engine.flow.forms.program import Routine
from jurat.engine.flow.values.evaluator import Evaluator, Hit
from jurat.engine.flow.values.taints import SLICE, Taint, Taints, Trace, merge_taints
from jurat.engine.flow.values.value import ClassValue, Given, Value, extend_name, iter_taints

_PICKED = re.compile(r"(?:\[\]|\.(?:choice|sample)\(\))$")
"""Ends the name of one of those that there are: whoever picks a server's key makes none."""

_ANSWERED = re.compile(r"\.(?:put|set|setItem|setAttribute)\(\)$")
"""Ends the name of what somebody answers who has kept something: that is another thing."""

_STRONG = re.compile(
    r"\bnew\s+(?:java\.security\.)?SecureRandom\s*\(|\bSecureRandom\.getInstance|\bSystemRandom\("
)
_WEAK = re.compile(r"\bnew\s+(?:java\.util\.)?Random\s*\(|\brandom\.Random\s*\(")
"""What makes the objects of a file that goes by their common type, `Random`, everywhere else."""

_STRONG_PACKAGE = re.compile(r'(?:\b(\w+)[ \t]+)?"crypto/rand"')
"""Go's import of its strong generator, and the name that the file gives it."""

_SETTER = re.compile(r"\.set_?([A-Za-z]\w*)$")

_OBJECT = re.compile(r"(?:^|\.)Random(?:\(\))?\.")
"""In the name of what such an object answers."""

_FUNCTION = re.compile(r"function|method|constructor")
"""In the kind of a node that is a function of any language."""


_KEEPERS = frozenset({"of", "put", "set", "setAttribute", "setItem", "append"})
"""Last words of callees that keep what they are given second under what they are given first."""


def keep_guessed(evaluator: Evaluator, values: Iterable[Value]) -> Taints:
    """What is left of origins in a number that is made of them, or in what stands at its place.

    Whoever foretells the one foretells the other.
    """
    guessed = evaluator.matcher.guessed
    if not guessed:
        return ()
    left = (one.drop_answered(~guessed) for value in values for one in iter_taints(value))
    return merge_taints(one for one in left if one.matters)


OWN_DRAW = "?.New()"
"""The name of a generator that draws on a strong source which the file itself has written."""


def is_weak_generator(evaluator: Evaluator, value: Value) -> bool:
    """Whether what a value is draws numbers that can be foretold: a generator, or a function."""
    guessed = evaluator.matcher.guessed
    if not guessed or not value.name or value.name[0] in "<?":
        return False
    drawn = (extend_name(value.name, end) for end in ("()", ".next()"))
    return any(evaluator.matcher.find_source(one) & guessed for one in drawn)


def is_own_draw(source: Value, given: Given) -> bool:
    """Whether a generator draws on the file's own source, and that on a strong one: `New(ours{})`.

    To have written it oneself makes no source a strong one.
    """
    if not source.name.endswith(".New()"):
        return False
    own = (value.instance.known for _, value in given if value.instance is not None)
    return any(map(_is_strong_source, own))


def _is_strong_source(known: ClassValue) -> bool:
    bodies = [one.function.node for one in known.methods.values()]
    imported = _STRONG_PACKAGE.search(bodies[0].get_root().root().text()) if bodies else None
    if imported is None:
        return False
    drawn = {f"{imported[1] or 'rand'}.{name}" for name in ("Read", "Reader", "Int")}
    named = (one for body in bodies for one in body.find_all(kind="selector_expression"))
    return any(one.text() in drawn for one in named)


def note_named(evaluator: Evaluator, name: str, value: Value, node: SgNode) -> None:
    """Note what can be foretold and gets a name that says that it must not be."""
    guessed = evaluator.matcher.guessed
    if not guessed or not name:
        return
    found = [one for one in iter_taints(value) if one.live & guessed and not one.foreign]
    if not found or _is_picked(value.name, found) or _ANSWERED.search(value.name):
        return
    words = evaluator.matcher.secret_words
    if not words.is_secret(name) and not (
        words.is_form(name) and words.names_event(_read_around(node))
    ):
        return
    if _is_mark(name, node):
        return
    for taint in found:
        if _is_of_object(taint) and _has_strong(evaluator, node):
            continue
        trace = Trace(node, taint.trace)
        evaluator.hits.append(
            Hit(_find_start(taint.trace), taint._replace(trace=trace), taint.live & guessed, name)
        )


def note_handed_over(evaluator: Evaluator, callee: str, given: Given) -> None:
    """Note what can be foretold and is handed over by such a name, or to a setter of one."""
    if not evaluator.matcher.guessed:
        return
    setter = _SETTER.search(callee)
    if callee.rpartition(".")[2] in _KEEPERS:
        for (_, key), (argument, value) in pairwise(given):
            note_named(evaluator, key.beginning, value, argument.value.node)
    for argument, value in given:
        name = argument.keyword or (setter[1] if setter and len(given) == 1 else "")
        note_named(evaluator, name, value, argument.value.node)


def note_returned(evaluator: Evaluator, function: Routine, value: Value, node: SgNode) -> None:
    """Note what can be foretold and is returned by a function of such a name.

    `nextToken` reads on in what there is, and makes nothing.
    """
    if evaluator.matcher.guessed and not function.name.startswith("next"):
        note_named(evaluator, function.name, value, node)


def _is_picked(name: str, found: Iterable[Taint]) -> bool:
    """Whether a value is one of several that there are, and no part of a text that was cut out."""
    return _PICKED.search(name) is not None and not any(SLICE in one.path for one in found)


def _has_strong(evaluator: Evaluator, node: SgNode) -> bool:
    """Whether the objects of a file that make numbers are known to be strong ones."""
    if evaluator.makes_strong is None:
        # Once: a file has as many secrets as somebody writes.
        text = node.get_root().root().text()
        is_strong = _STRONG.search(text) is not None and _WEAK.search(text) is None
        evaluator.makes_strong = is_strong
    return evaluator.makes_strong


def _is_of_object(taint: Taint) -> bool:
    """Whether an object made a number that may be of a class with another source of them."""
    return _OBJECT.search(taint.source) is not None


def _find_start(trace: Trace) -> SgNode:
    while trace.before is not None:
        trace = trace.before
    return trace.node


def _read_around(node: SgNode) -> str:
    """The outermost function that a node stands in, and the name of its class or its package."""
    first = node.get_root().root().child(0)
    package = first.text() if first is not None and first.kind() == "package_clause" else ""
    text = package
    for one in node.ancestors():
        if _FUNCTION.search(one.kind()):
            text = one.text() + " " + package
        elif "class" in one.kind() and (name := one.field("name")) is not None:
            text += " " + name.text()
    return text


def _is_mark(name: str, node: SgNode) -> bool:
    """Whether a function compares what it has made: a mark by which it sees that it is late."""
    around = next((one for one in node.ancestors() if _FUNCTION.search(one.kind())), None)
    said = re.escape(name)
    compared = rf"[!=]==\s*{said}\b|\b{said}\s*[!=]=="
    return around is not None and re.search(compared, around.text()) is not None
