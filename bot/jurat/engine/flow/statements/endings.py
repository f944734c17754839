"""How a path ends: what a function returns there, and what is raised and caught."""

from __future__ import annotations

import re

from jurat.engine.flow.forms.program import (
    UNKNOWN,
    Caught,
    Container,
    Expression,
    Leave,
    Name,
    Raise,
    Return,
)
from jurat.engine.flow.statements.frames import Frame, Runner
from jurat.engine.flow.values.flags import tell_parts
from jurat.engine.flow.values.named_secrets import note_returned
from jurat.engine.flow.values.taints import Taint
from jurat.engine.flow.values.value import NOTHING, Env, Value, collect

_ERROR = re.compile(
    r"(?:^|[./])(?:fmt\.Errorf|errors\.(?:New|Join|Wrap|Wrapf|Errorf))\(\)$"
    r"|(?:^|\.)[Ee]rr[A-Z]\w*$|(?:Error|Exception)$"
)
"""The name of what is an error whenever it is returned, and never nothing."""


def run_leave(runner: Runner, statement: Leave, env: Env, frame: Frame) -> None:
    """Leave a loop or a switch, or go on with the next pass."""
    if frame.exits:
        left = env.copy()
        left.again = statement.again
        frame.exits[-1].append(left)
    env.dead = True


def run_return(runner: Runner, statement: Return, env: Env, frame: Frame) -> None:
    """Return a value, and note what holds if it is true and if it is false."""
    value = NOTHING if statement.value is None else runner.evaluate(statement.value, env)
    note_returned(runner, frame.function, value, statement.node)
    runner.check_return(statement.node, frame.function, value, env)
    frame.values.append(env.drop_cleared(value))
    frame.ends.append(env.copy())
    frame.parts.append(tell_parts(runner, statement.value, env))
    frame.bypassed = frame.bypassed or frame.swayed > 0
    if statement.value is not None:
        yes, no = env.copy(), env.copy()
        truth = _find_truth(runner, statement.value, value, env)
        if truth is None:
            asked = _find_asked(runner, statement.value)
            runner.narrow(asked, yes, holds=True)
            runner.narrow(asked, no, holds=False)
        else:
            (no if truth else yes).dead = True
        _forget_one(yes, frame)
        frame.truths.append((yes, no))
    env.dead = True


def _forget_one(env: Env, frame: Frame) -> None:
    """Leave out what a loop has found of one of several: its yes says nothing of the others."""
    for before, gone_through in frame.loops:
        for key, mask in env.cleared.items():
            if key[0] in gone_through:
                env.cleared[key] = mask & before.get(key, 0)


def _find_asked(runner: Runner, said: Expression) -> Expression:
    """What is asked of what a function returns: of Go's several, the last, its error."""
    if runner.language.returns_error_last and isinstance(said, Container) and said.entries:
        return said.entries[-1][1]
    return said


def _find_truth(runner: Runner, said: Expression, value: Value, env: Env) -> bool | None:
    """Whether what a function returns is something."""
    if runner.language.returns_error_last and value.items and value.is_list:
        value, said = value.items[max(value.items)], _find_asked(runner, said)
    elif isinstance(said, Container) and any(not spread for _, _, spread in said.entries):
        # `return "no", 400`: there is something in it, whatever it is.
        return True
    if value.constant is not UNKNOWN:
        return bool(value.constant)
    # An empty text is there, too, and false elsewhere.
    is_present = isinstance(said, Name) and said.name in env.present
    is_present = is_present and runner.language.returns_error_last
    return True if is_present or _ERROR.search(value.name) else None


def run_raise(runner: Runner, statement: Raise, env: Env, _frame: Frame) -> None:
    """End in an error."""
    if statement.value is not None:
        value = env.drop_cleared(runner.evaluate(statement.value, env))
        # What an error of a library is made with it says. Here and not where it is caught, since
        # each place that catches any takes up all of them.
        runner.raised.append(value._replace(taints=tuple(map(_release, value.taints))))
    env.dead = True


def _release(one: Taint) -> Taint:
    return one._replace(held_by="") if _ERROR.search(one.held_by) else one


def run_caught(runner: Runner, statement: Caught, env: Env, _frame: Frame) -> None:
    """Take up what was raised."""
    # What else may fail tells what it was given: nobody knows that text.
    unknown = runner.build_unknown(statement.node, statement.name)
    made = [one.instance for one in runner.raised if one.instance is not None]
    is_known = len(made) == 1 and len(runner.raised) == 1
    caught = collect([*runner.raised, unknown])
    env.values[statement.name] = Value(caught, instance=made[0] if is_known else None)
