"""The values of a program, followed from function to function to where they must not arrive."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import replace

from ast_grep_py import SgNode

from jurat.engine.flow.calls.evaluation import TooMuchWorkError
from jurat.engine.flow.forms.language_traits import get_traits
from jurat.engine.flow.forms.lowering import LinkedProgram, Translation
from jurat.engine.flow.forms.program import Class, Routine
from jurat.engine.flow.found_flows import Flow, Flows, Omission
from jurat.engine.flow.sinks.doubts import explain_doubt, note_objections
from jurat.engine.flow.statements.frames import Frame
from jurat.engine.flow.statements.interpreter import Interpreter
from jurat.engine.flow.values.evaluator import Hit
from jurat.engine.flow.values.linked_scopes import open_unit
from jurat.engine.flow.values.matcher import Matcher, compile_questions
from jurat.engine.flow.values.taints import PARAMETER, Trace, list_nodes
from jurat.engine.flow.values.value import Closure, Env, Given
from jurat.rules.flows import FlowQuestion
from jurat.source.notebooks import is_run_in_cells

_MOST_STEPS = 800_000
"""Steps for all functions of a file; what comes later is not followed, and is named."""

_MOST_LINKED_STEPS = 300_000
"""Steps for all functions of files that are followed together."""

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
    unfollowed = _run_file(interpreter, program, Env({}))
    unfollowed += _run_functions(interpreter, _MOST_STEPS)
    known = _choose_hits(interpreter, lowering)
    objected = note_objections(known, matcher, lowering.imported)
    return Flows(_choose(objected, answerable, matcher), tuple(unfollowed))


def follow_linked(
    linked: Sequence[LinkedProgram], questions: Sequence[FlowQuestion], answerable: Collection[int]
) -> list[Flow]:
    """The flows that end in the first of several files, however many of them they go through.

    What begins with what a caller hands over is left out: who calls it is only known in part.
    """
    first = linked[0]
    matcher = compile_questions(tuple(questions))
    traits = get_traits(first.file.language)
    interpreter = Interpreter(matcher, traits)
    linked = _join_classes(linked)
    for one in _list_by_need(linked):
        unit = one.file.unit
        if unit not in interpreter.units:
            interpreter.units[unit] = open_unit(is_script=traits.name == "javascript")
        _run_file(interpreter, one.program, interpreter.units[unit])
    _run_functions(interpreter, _MOST_LINKED_STEPS, _list_entered(linked))
    own = first.program.node.get_root()
    hits = [
        hit
        for hit in interpreter.drop_checked(interpreter.hits)
        if hit.taint.strength != PARAMETER and hit.node.get_root() is own
    ]
    objected = note_objections(hits, matcher, first.lowering.imported)
    roots = {id(one.program.node.get_root()): one.file.path for one in linked[1:]}
    flows = [
        replace(flow, paths=tuple(roots.get(id(step.get_root()), "") for step in flow.steps))
        for flow in _choose(objected, answerable, matcher)
        if not flow.is_guess
    ]
    # An option goes by no line of another file: it has come by a name of one, if by anything.
    shared = any(one.file.unit == first.file.unit for one in linked[1:])
    names_others = shared or bool(first.lowering.found_units)
    return [
        one
        for one in flows
        if names_others or any(one.paths) or not questions[one.question].settings
    ]


def _join_classes(linked: Sequence[LinkedProgram]) -> list[LinkedProgram]:
    """The files with all methods of each type of Go, whichever file of its folder they stand in.

    Others are followed through the same programs, so that these stay what they are.
    """
    found: dict[tuple[str, str], list[Class]] = {}
    for one in linked:
        if one.file.language == "go":
            for statement in one.program.body:
                if isinstance(statement, Class):
                    found.setdefault((one.file.unit, statement.name), []).append(statement)
    joined: dict[int, Class] = {}
    for parts in found.values():
        methods = [method for part in parts for method in part.methods]
        types = {name: kind for part in parts for name, kind in part.types.items()}
        bases = [base for part in parts for base in part.bases]
        for part in parts if len(parts) > 1 else ():
            joined[id(part)] = replace(part, methods=methods, types=types, bases=bases)
    return [one._replace(program=_put_classes(one.program, joined)) for one in linked]


def _put_classes(program: Routine, joined: Mapping[int, Class]) -> Routine:
    body = [joined.get(id(statement), statement) for statement in program.body]
    return replace(program, body=body) if joined else program


def _list_entered(linked: Sequence[LinkedProgram]) -> frozenset[int]:
    """The trees whose functions are looked at as anybody may call them: of the first file, and of
    those that lead to it. What another has is only gone through where it is called.
    """
    reached, found = {linked[0].file.unit}, {linked[0].file.path}
    waiting = True
    while waiting:
        more = [
            one
            for one in linked
            if one.file.path not in found
            and (one.file.unit in reached or one.lowering.found_units & reached)
        ]
        found |= {one.file.path for one in more}
        reached |= {one.file.unit for one in more}
        waiting = bool(more)
    return frozenset(id(one.program.node.get_root()) for one in linked if one.file.path in found)


def _list_by_need(linked: Sequence[LinkedProgram]) -> list[LinkedProgram]:
    """The files with those before each that it imports; the first one last if nothing says more."""
    ordered: dict[str, LinkedProgram] = {}
    begun: set[str] = set()

    def add(one: LinkedProgram) -> None:
        if one.file.path in begun:
            return
        begun.add(one.file.path)
        for other in linked:
            if other is not one and other.file.unit in one.lowering.found_units:
                add(other)
        ordered[one.file.path] = one

    for one in (*linked[1:], linked[0]):
        add(one)
    return list(ordered.values())


def _run_file(interpreter: Interpreter, program: Routine, module: Env) -> list[Omission]:
    """Go through a file's own statements: what of them was too much."""
    unfollowed: list[Omission] = []
    interpreter.steps = interpreter.depth = 0
    frame, goes_on = Frame(program), is_run_in_cells(program.node.text())
    try:
        for statement in program.body:
            interpreter.run_block((statement,), module, frame)
            module.dead = module.dead and not goes_on
    except (TooMuchWorkError, RecursionError):
        unfollowed.append(_describe(program.node, "the file's own statements"))
    module.dead = False
    return unfollowed


def _run_functions(
    interpreter: Interpreter, most: int, trees: Set[int] | None = None
) -> list[Omission]:
    """Look at all functions that anybody may call, or those of some trees: what was too much."""
    unfollowed: list[Omission] = []
    total = 0
    # Functions inside of others are found on the way.
    while (closure := interpreter.take_next() or _take_late(interpreter)) is not None:
        if trees is not None and id(closure.function.node.get_root()) not in trees:
            continue
        total += interpreter.steps
        interpreter.steps = interpreter.depth = 0
        interpreter.running.clear()
        function = closure.function
        if total > most or not _is_followed(interpreter, closure):
            unfollowed.append(_describe(function.node, function.name or "a function"))
    for number, (closure, given) in enumerate(interpreter.put_off):
        # More may be put off meanwhile.
        total += interpreter.steps
        interpreter.steps = interpreter.depth = 0
        interpreter.running.clear()
        if number >= _MOST_PUT_OFF or total > most:
            left = dict.fromkeys(one.function for one, _ in interpreter.put_off[number:])
            unfollowed += (_describe(one.node, one.name) for one in left)
            break
        if not _is_reached(interpreter, closure, given):
            unfollowed.append(_describe(closure.function.node, closure.function.name))
    return unfollowed


def _take_late(interpreter: Interpreter) -> Closure | None:
    """The first, once none is left, of those that take up what was left after their turn."""
    if interpreter.is_last:
        return None
    interpreter.waiting.extend(interpreter.find_late())
    return interpreter.take_next()


def _choose_hits(interpreter: Interpreter, lowering: Translation) -> list[Hit]:
    """The hits that count, of those in functions that the file calls what arrives there."""
    exported = {str(id(one)) for one in interpreter.called if lowering.is_exported(one)}
    inner = {str(id(one)) for one in interpreter.called} - exported
    known = interpreter.drop_checked(interpreter.hits)
    return [
        replace(hit, called=_is_handed_over(hit, exported))
        for hit in known
        if not _is_handed_over(hit, inner)
    ]


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
