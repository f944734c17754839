"""What arrives at the sinks that a callee or a property is, and is noted there."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ast_grep_py import SgNode

from jurat.engine.flow.checks.begun_paths import is_begun
from jurat.engine.flow.checks.refusals import mark_asked
from jurat.engine.flow.forms.program import Argument, Call
from jurat.engine.flow.sinks.harms import find_harm, find_kept
from jurat.engine.flow.sinks.late_settings import is_set_later
from jurat.engine.flow.sinks.pages import is_plain_page, is_plain_type
from jurat.engine.flow.sinks.queries import is_given_change
from jurat.engine.flow.values.commands import leave_options
from jurat.engine.flow.values.evaluator import Evaluator, Hit
from jurat.engine.flow.values.matcher import KnownSink
from jurat.engine.flow.values.settings import find_met, is_asked_for
from jurat.engine.flow.values.taints import REMOTE, Taint, Trace, merge_taints
from jurat.engine.flow.values.value import NOTHING, Env, Given, Value, extend_name, iter_taints


def _is_taken_back(node: SgNode) -> bool:
    """Whether a text that was marked as markup is made plain at once: `Markup(text).unescape()`."""
    around = node.parent()
    named = around.field("attribute") if around is not None else None
    return named is not None and named.text() in ("unescape", "striptags")


def _is_called_by_name(node: SgNode) -> bool:
    """Whether a function is called by its name alone, and so as no method of a builder."""
    called = node.field("function")
    return called is not None and called.kind() == "identifier"


def check_sinks(
    evaluator: Evaluator,
    node: SgNode,
    name: str,
    arguments: Sequence[tuple[Argument | None, Value]],
    env: Env,
    *,
    assigned: bool = False,
) -> None:
    """Note what arrives at the sinks that a callee or a property is."""
    for known in evaluator.matcher.find_sinks(name):
        if known.sink.assigned is assigned:
            _check_sink(evaluator, node, known, arguments, env, name=name)
    if evaluator.matcher.asks_settings:
        _check_settings(evaluator, node, name, arguments, assigned=assigned)


def _check_settings(
    evaluator: Evaluator, node: SgNode, name: str,
    given: Sequence[tuple[Argument | None, Value]], *, assigned: bool,
) -> None:  # fmt: skip
    """Note what a callee is given, or a property is set to, that it must not be."""
    for known in evaluator.matcher.find_settings(name):
        if known.setting.assigned is not assigned:
            continue
        met = find_met(known.setting, given)
        if met is None or is_asked_for(node, known.exceptions):
            continue
        left_out = [one.place[0] for one in known.setting.conditions if one.operator == "!"]
        if left_out and is_set_later(node, left_out):
            continue
        if known.beside and not re.search(known.beside, node.get_root().root().text()):
            continue
        first, *rest = met or (node,)
        trace = Trace(first, None)
        for one in rest:
            trace = Trace(one, trace)
        taint = Taint(name, (), known.mask, REMOTE, "", False, trace)
        evaluator.hits.append(Hit(node, taint, known.mask, name))


def _check_sink(
    evaluator: Evaluator,
    node: SgNode,
    known: KnownSink,
    arguments: Sequence[tuple[Argument | None, Value]],
    env: Env,
    *,
    name: str,
) -> None:
    if is_plain_page(known.sink, name, env):
        return
    if known.sink.is_of_builder and _is_called_by_name(node):
        return
    if any(one.kind == "filter" for one in known.sink.arguments):
        said = [value for one, value in arguments if getattr(one, "keyword", "") != "this"]
        if is_given_change(name, said):
            return
    harm = (
        find_kept(name, arguments, evaluator.matcher.words.is_trusted)
        if known.sink.keeps
        else find_harm(known.sink, arguments)
    )
    if harm and _is_taken_back(node):
        return
    for taint in leave_options(harm, env):
        asked_here = evaluator.matcher.ask_at(known.mask, taint.before)
        mask = asked_here & taint.live & ~env.find_cleared(taint)
        if mask:
            asked = mark_asked(evaluator, taint, env)
            begun = is_begun(taint, env, mask)
            evaluator.hits.append(Hit(node, asked, mask, name, evaluator.entry, begun=begun))


_CONTENT_KINDS = frozenset({"mimetype", "content_type", "contentType"})


def drop_pages(hits: list[Hit], part: str, page: Value, kind: Value) -> list[Hit]:
    """Take back what arrived in an answer of which is said afterwards that it is no page."""
    if part not in _CONTENT_KINDS or not is_plain_type(kind.constant):
        return hits
    origins = {(taint.source, taint.path) for taint in iter_taints(page)}
    made = page.name.removesuffix("()")
    return [
        hit
        for hit in hits
        if hit.callee != made or (hit.taint.source, hit.taint.path) not in origins
    ]


def check_handed_on(
    evaluator: Evaluator, expression: Call, receiver: Value, given: Given, env: Env
) -> None:
    """A function that is handed on may be called with whatever is handed on beside it.

    `isinstance` and the like only tell something of what they are given. An object that is made
    of a class where it is handed on is none.
    """
    sinks = [
        (argument, value)
        for argument, value in given
        if value.name and not value.taints and evaluator.matcher.find_sinks(value.name)
    ]
    # Most calls hand on none: what the callee is need not be asked then.
    if not sinks:
        return
    callee = evaluator.results.get(id(expression.callee), NOTHING).name
    if evaluator.matcher.find_sanitizer(extend_name(callee, "()")) == evaluator.matcher.everything:
        return
    for argument, value in sinks:
        if isinstance(argument.value, Call) and argument.value.new:
            continue
        others = [one for other, one in given if other is not argument]
        found = merge_taints(
            taint for one in (receiver, *others, *(v for _, v in value.bound))
            for taint in iter_taints(one)
        )  # fmt: skip
        if found:
            handed = [(Argument(argument.value), Value(found))]
            check_sinks(evaluator, expression.node, value.name, handed, env)
