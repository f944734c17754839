"""What holds behind statements of which only some are run: a condition, a switch, a try."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from ast_grep_py import SgNode

from jurat.engine.flow.forms.program import (
    UNKNOWN,
    Assign,
    Attribute,
    Branch,
    Call,
    Chosen,
    Expression,
    Logical,
    Name,
    Not,
    Option,
    Raise,
    Relationship,
    Routine,
    Statement,
    Switch,
    Try,
)
from jurat.engine.flow.statements.frames import Frame, Runner, meet
from jurat.engine.flow.values.callers import drop_asked_for, find_flag
from jurat.engine.flow.values.joins import join_envs, join_values
from jurat.engine.flow.values.value import NOTHING, Env, Value, collect, iter_taints

_SCOPED = frozenset({"short_var_declaration", "lexical_declaration"})
"""Declarations of what is there up to the end of a block."""


def _fits_option(case: Option, known: Any, options: Sequence[Any]) -> bool | None:
    """Whether a switch comes to a case; None if that is not known."""
    if case.is_default:
        return None if known is UNKNOWN else True
    if known is UNKNOWN or UNKNOWN in options or not options:
        return None
    return known in options


def run_branch(runner: Runner, statement: Branch, env: Env, frame: Frame) -> None:
    """Go through the sides of a condition that may be taken."""
    rest, is_open = env.copy(), True
    ends: list[Env] = []
    begun = len(runner.hits), len(runner.answered)
    for condition, block in statement.arms:
        known = runner.decide(condition, rest)
        if known is not False:
            taken = rest.copy()
            runner.narrow(condition, taken, holds=True)
            swayed = _is_swayed(runner, condition)
            frame.swayed += swayed
            runner.run_block(block, taken, frame)
            frame.swayed -= swayed
            _leave_scope(block, rest, taken)
            ends.append(taken)
            split = len(runner.hits), len(runner.answered)
        if known is True:
            is_open = False
            break
        before = dict(rest.cleared)
        runner.narrow(condition, rest, holds=False)
        if block and isinstance(block[-1], Raise) and not frame.swayed:
            for key, mask in rest.cleared.items():
                if fresh := mask & ~before.get(key, 0):
                    frame.refused[key] = frame.refused.get(key, 0) | fresh
    if is_open:
        runner.run_block(statement.otherwise, rest, frame)
        ends.append(rest)
    if len(ends) == 2 and len(statement.arms) == 1 and is_open:
        flag = find_flag(statement.arms[0][0], frame.function)
        if flag is not None:
            drop_asked_for(runner, runner.results[id(flag)], begun, split)
    meet(runner, env, ends)


def _leave_scope(block: Sequence[Statement], before: Env, after: Env) -> None:
    """What a block declares under a name from around it is gone behind it."""
    for statement in block:
        if isinstance(statement, Assign) and statement.declares:
            around = statement.node.parent()
            kinds = {statement.node.kind(), around.kind() if around is not None else ""}
            target = statement.target
            if kinds & _SCOPED and isinstance(target, Name) and target.name in before.values:
                after.values[target.name] = before.values[target.name]


def _is_swayed(runner: Runner, condition: Expression) -> bool:
    """Whether somebody outside may decide a condition."""
    if isinstance(condition, Not):
        return _is_swayed(runner, condition.of)
    if isinstance(condition, Logical | Relationship):
        return _is_swayed(runner, condition.left) or _is_swayed(runner, condition.right)
    if isinstance(condition, Call):
        asked = [one.value for one in condition.arguments]
        if isinstance(condition.callee, Attribute):
            asked.append(condition.callee.of)
        return any(map(partial(_is_swayed, runner), asked))
    return any(iter_taints(runner.results.get(id(condition), NOTHING)))


def run_switch(runner: Runner, statement: Switch, env: Env, frame: Frame) -> None:
    """Go through the options of a switch that may be taken."""
    subject = runner.evaluate(statement.subject, env)
    frame.exits.append([])
    ends: list[Env] = []
    falling: Env | None = None
    is_open = True
    rest = env.copy()
    for case in statement.cases:
        options = [runner.evaluate(value, rest).constant for value in case.values]
        fits = _fits_option(case, subject.constant, options)
        paths = [] if falling is None else [falling]
        if is_open and fits is not False:
            taken = _enter_option(runner, case, subject, rest, statement.node)
            known = True if case.guard is None else runner.decide(case.guard, taken)
            if known is not False:
                paths.append(taken)
            is_open = known is not True or (fits is None and not case.is_default)
            if case.guard is not None:
                left = taken.copy()
                runner.narrow(case.guard, taken, holds=True)
                if not options:
                    # Whoever comes to the next case has been asked in vain.
                    runner.narrow(case.guard, left, holds=False)
                    rest = left
        joined = join_envs(paths)
        falling = None
        if joined is None:
            continue
        runner.run_block(case.body, joined, frame)
        if statement.falls and not joined.dead:
            falling = joined
        else:
            ends.append(joined)
    if falling is not None:
        ends.append(falling)
    if is_open:
        ends.append(rest)
    exits = frame.exits.pop()
    ends += [one for one in exits if not one.again]
    if frame.exits:
        # `continue` is the loop's around the switch.
        frame.exits[-1] += [one for one in exits if one.again]
    meet(runner, env, ends)


def _enter_option(runner: Runner, case: Option, subject: Value, env: Env, node: SgNode) -> Env:
    taken = env.copy()
    if case.values:
        taken.clear(collect([subject]), runner.matcher.everything)
    if case.binds is not None:
        runner.assign(case.binds, subject._replace(constant=UNKNOWN), taken, node)
    return taken


def run_try(runner: Runner, statement: Try, env: Env, frame: Frame) -> None:
    """Go through what may fail, what is done then, and what is done in any case."""
    before, refused = env.copy(), dict(frame.refused)
    runner.run_block(statement.body, env, frame)
    if statement.handlers:
        frame.refused = refused
    failed = join_envs([before, env]) or before
    runner.run_block(statement.otherwise, env, frame)
    ends = [env.copy()]
    for handler in statement.handlers:
        taken = failed.copy()
        taken.cleared = dict(before.cleared)
        runner.run_block(handler, taken, frame)
        ends.append(taken)
    meet(runner, env, ends)
    if statement.finish and (env.dead or not statement.handlers):
        # It is run for what was refused as well.
        taken = failed.copy()
        taken.cleared = dict(before.cleared)
        runner.run_block(statement.finish, taken, frame)
    runner.run_block(statement.finish, env, frame)


def run_selection(runner: Runner, expression: Chosen, env: Env) -> Value:
    """The value of a switch: whatever one of its cases returns."""
    frame = Frame(Routine(expression.node, "", (), ()))
    runner.run(expression.switch, env.copy(), frame)
    whole = frame.values[0] if frame.values else NOTHING
    for value in frame.values[1:]:
        whole = join_values(whole, value)
    return whole
