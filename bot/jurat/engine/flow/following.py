"""The values of a program, followed from function to function to where they must not arrive."""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set
from dataclasses import replace

from ast_grep_py import SgNode

from jurat.engine.flow.doubts import explain_doubt, note_objections
from jurat.engine.flow.evaluation import TooMuchWorkError
from jurat.engine.flow.evaluator import Hit
from jurat.engine.flow.found_flows import Flow, Flows, Omission
from jurat.engine.flow.frames import Frame
from jurat.engine.flow.interpreter import Interpreter
from jurat.engine.flow.language_traits import get_traits
from jurat.engine.flow.lowering import Translation
from jurat.engine.flow.matcher import Matcher, compile_questions
from jurat.engine.flow.program import Routine
from jurat.engine.flow.taints import PARAMETER, Trace, list_nodes
from jurat.engine.flow.values import Closure, Env, Given
from jurat.rules.flows import FlowQuestion

_MOST_STEPS = 1_500_000
"""Steps for all functions of a file, about ten seconds; what comes later is not followed."""

_MOST_STEPS_SHOWN = 8

_MOST_PUT_OFF = 30
"""Calls inside of too many others that are followed from there on."""


def follow_program(
    program: Routine,
    lowering: Translation,
    language: str,
    questions: Sequence[FlowQuestion],
    answerable: Collection[int],
) -> Flows:
    """The flows that answer the questions with these numbers.

    What the others say of names counts as well: that a callee asks another server is no matter of
    whether an address that it is told may be somebody's.
    """
    matcher = compile_questions(tuple(questions))
    interpreter = Interpreter(matcher, get_traits(language))
    unfollowed: list[Omission] = []
    module = Env({})
    total, again = 0, False
    try:
        interpreter.run_block(program.body, module, Frame(program))
    except (TooMuchWorkError, RecursionError):
        unfollowed.append(_describe(program.node, "the file's own statements"))
    module.dead = False
    # Functions inside of others are found on the way.
    while (closure := interpreter.take_next()) is not None:
        total += interpreter.steps
        interpreter.steps = interpreter.depth = 0
        interpreter.running.clear()
        function = closure.function
        if total > _MOST_STEPS or not _is_followed(interpreter, closure):
            unfollowed.append(_describe(function.node, function.name or "a function"))
        if not again and interpreter.is_done:
            # What they take up was left after they had been looked at.
            again = True
            interpreter.waiting.extend(interpreter.find_late())
    for number, (closure, given) in enumerate(interpreter.put_off):
        # More may be put off meanwhile.
        total += interpreter.steps
        interpreter.steps = interpreter.depth = 0
        interpreter.running.clear()
        if number >= _MOST_PUT_OFF or total > _MOST_STEPS:
            left = dict.fromkeys(one.function for one, _ in interpreter.put_off[number:])
            unfollowed += (_describe(one.node, one.name) for one in left)
            break
        if not _is_reached(interpreter, closure, given):
            unfollowed.append(_describe(closure.function.node, closure.function.name))
    exported = {str(id(one)) for one in interpreter.called if lowering.is_exported(one)}
    inner = {str(id(one)) for one in interpreter.called} - exported
    known = interpreter.drop_checked(interpreter.hits)
    hits = [
        replace(hit, called=_is_handed_over(hit, exported))
        for hit in known
        if not _is_handed_over(hit, inner)
    ]
    objected = note_objections(hits, matcher, lowering.imported)
    return Flows(_choose(objected, answerable, matcher), tuple(unfollowed))


def _is_handed_over(hit: Hit, called: Set[str]) -> bool:
    """Whether a value is a parameter of one of the functions that this file calls, by their ids.

    What its callers hand over arrives with their own origins, if it has any.
    """
    return hit.taint.strength == PARAMETER and hit.taint.source.partition(":")[0] in called


def _is_followed(interpreter: Interpreter, closure: Closure) -> bool:
    """Look at a function; whether that came to an end."""
    try:
        interpreter.enter(closure)
    except (TooMuchWorkError, RecursionError):
        return False
    return True


def _is_reached(interpreter: Interpreter, closure: Closure, given: Given) -> bool:
    """Follow a call that was too deep; whether that came to an end."""
    try:
        interpreter.follow_put_off(closure, given)
    except (TooMuchWorkError, RecursionError):
        return False
    return True


def _describe(node: SgNode, name: str) -> Omission:
    span = node.range()
    reason = "it takes more steps than are followed in one function"
    return Omission(name, span.start.line, span.end.line, reason)


def _choose(hits: Sequence[Hit], asked: Collection[int], matcher: Matcher) -> tuple[Flow, ...]:
    """One flow for each question that is asked and sink: the surest, then that of the strongest
    origin.
    """
    best: dict[tuple[int, int, int], Hit] = {}
    for hit in hits:
        span, mask = hit.node.range(), matcher.find_asked(hit.mask)
        for number in asked:
            if mask >> number & 1:
                key = span.start.index, span.end.index, number
                before = best.get(key)
                if before is None or _rank(before, matcher) < _rank(hit, matcher):
                    best[key] = hit
    return tuple(
        Flow(
            number,
            hit.node,
            hit.callee,
            _list_steps(hit.taint.trace),
            explain_doubt(hit, matcher),
            hit.taint.strength == PARAMETER,
        )
        for (_, _, number), hit in sorted(best.items())
    )


def _rank(hit: Hit, matcher: Matcher) -> tuple[bool, int]:
    return not explain_doubt(hit, matcher), hit.taint.strength


def _list_steps(trace: Trace) -> tuple[SgNode, ...]:
    """The nodes from the source on; of a long way its beginning and its end."""
    nodes = list_nodes(trace)
    if len(nodes) > _MOST_STEPS_SHOWN:
        nodes = [nodes[0], *nodes[-_MOST_STEPS_SHOWN + 1 :]]
    return tuple(nodes)
