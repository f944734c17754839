"""Statements and functions: which paths there are, and what holds on each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jurat.engine.flow.calls.evaluation import TooMuchWorkError, evaluate_expression
from jurat.engine.flow.checks.refusals import note_asked
from jurat.engine.flow.forms.awaiting import is_left_running
from jurat.engine.flow.forms.program import (
    Assertion,
    Assign,
    Branch,
    Call,
    Caught,
    Class,
    Do,
    Leave,
    Loop,
    Outer,
    Raise,
    Return,
    Routine,
    Statement,
    Switch,
    Try,
)
from jurat.engine.flow.statements.assignments import assign_value, put_back, run_assign
from jurat.engine.flow.statements.branches import run_branch, run_selection, run_switch, run_try
from jurat.engine.flow.statements.endings import run_caught, run_leave, run_raise, run_return
from jurat.engine.flow.statements.frames import Frame, Runner, meet_facts
from jurat.engine.flow.statements.loops import run_comprehension, run_loop
from jurat.engine.flow.values.flags import meet_parts
from jurat.engine.flow.values.joins import join_envs, join_values
from jurat.engine.flow.values.value import NOTHING, ClassValue, Closure, Env, Truths, Value, collect


class Interpreter(Runner):
    """The statements of one file."""

    evaluate = evaluate_expression
    assign = assign_value
    update = put_back
    read_comprehension = run_comprehension
    read_selection = run_selection

    def run_block(self, block: Sequence[Statement], env: Env, frame: Frame) -> None:
        """Go through statements until no path goes on."""
        for statement in block:
            if env.dead:
                return
            self.run(statement, env, frame)

    def run(self, statement: Statement, env: Env, frame: Frame) -> None:
        """Go through one statement. Raises TooMuchWorkError."""
        self.steps += 1
        self.depth += 1
        if self.depth > self.most_depth:
            raise TooMuchWorkError
        _RUNNERS[type(statement)](self, statement, env, frame)
        self.depth -= 1

    def _run_do(self, statement: Do, env: Env, _frame: Frame) -> None:
        asked = statement.expression
        if not isinstance(asked, Call):
            self.evaluate(asked, env)
            return
        before = dict(env.cleared)
        self.evaluate(asked, env)
        if self._is_left_running(asked):
            env.cleared = before
        elif self.has_ended(asked):
            env.dead = True
        else:
            note_asked(self, asked, env)

    def _is_left_running(self, asked: Call) -> bool:
        """Whether nobody waits for a function: what it refuses stops nothing here."""
        called = self.results.get(id(asked.callee), NOTHING).closure
        return called is not None and is_left_running(asked.node, called.function)

    def run_function(self, function: Routine, env: Env) -> tuple[Value, Env | None, Truths]:
        """Run a body: what it returns, what holds then, and what holds if that is true or false."""
        frame = Frame(function)
        before = _list_fields(env)
        self.yielded.append([])
        self.run_block(function.body, env, frame)
        yielded = self.yielded.pop()
        if not env.dead:
            frame.values.append(NOTHING)
            frame.ends.append(env)
            frame.truths.append((Env({}, dead=True), env))
            frame.parts.append({})
        whole = _join_all(frame.values)
        if yielded:
            each = _join_all(yielded)
            is_opened = any(mark.endswith("contextmanager") for mark in function.annotations)
            # What is opened by `with` is the one value; of any other there may be more like it.
            whole = each if is_opened else Value(collect([whole]), items={0: each}, partial=True)
        yes, no = (meet_facts([pair[side] for pair in frame.truths]) for side in (0, 1))
        end = join_envs(frame.ends)
        if end is not None:
            _keep_checked(before, end)
        if end is not None and not frame.bypassed and all(one is NOTHING for one in frame.values):
            # It is there for nothing but to refuse: a setting may turn it off, nobody outside can.
            for one in (frame.refused, *(held.cleared for held in frame.ends)):
                for key, mask in one.items():
                    end.cleared[key] = end.cleared.get(key, 0) | mask
        return whole, end, Truths(yes, no, meet_parts(frame.parts))

    def _run_assertion(self, statement: Assertion, env: Env, _frame: Frame) -> None:
        if self.decide(statement.condition, env) is False:
            env.dead = True
            return
        self.narrow(statement.condition, env, holds=True)

    def _run_outer(self, statement: Outer, env: Env, _frame: Frame) -> None:
        env.outer |= frozenset(statement.names)

    def make_class(self, statement: Class, env: Env) -> Value:
        """A class as a value."""
        inner = Env({}, env)
        self._run_class(statement, inner, Frame(Routine(statement.node, "", (), ())))
        return inner.values[statement.name]

    def _run_class(self, statement: Class, env: Env, frame: Frame) -> None:
        bases = [self.evaluate(base, env) for base in statement.bases]
        made = ClassValue(
            statement.name, {method.name: Closure(method, env) for method in statement.methods},
            {}, statement.types, [base for one in bases if (base := one.known_class)],
            frozenset(one.name for one in bases if one.known_class is None),
            allowed=statement.allowed, inside=statement.inside,
        )  # fmt: skip
        env.values[statement.name] = Value(known_class=made, name=statement.name)
        if statement.inside:
            env.values[f"{statement.inside}.{statement.name}"] = env.values[statement.name]
        # A field may be an object of the class itself, and made of those above it.
        inner = Env({}, env)
        if self.language.names_own_fields:
            inner.values |= {one: Value(closure=method) for one, method in made.methods.items()}
        for name, value in statement.fields:
            made.fields[name] = inner.values[name] = self.evaluate(value, inner)
        if statement.opening:
            self.run_block(statement.opening, inner, Frame(frame.function))
            # A field that was given no value may be called as a method is.
            own = [*made.fields, *(one for one in made.types if one not in made.methods)]
            made.fields |= {name: inner.values[name] for name in own if name in inner.values}
        self.register_class(made, env)


def _list_fields(env: Env) -> Mapping[str, Value]:
    """What the object of a method holds."""
    this = env.values.get("this")
    return dict(this.instance.fields) if this is not None and this.instance is not None else {}


def _keep_checked(before: Mapping[str, Value], end: Env) -> None:
    """What a method has put into its object, and checked, is fit for whoever reads it later."""
    this = end.values.get("this")
    if this is None or this.instance is None:
        return
    for name, value in this.instance.fields.items():
        if value is not before.get(name):
            this.instance.fields[name] = end.drop_cleared(value)


def _join_all(values: Sequence[Value]) -> Value:
    """What is known of a value that is one of several."""
    whole = values[0] if values else NOTHING
    for value in values[1:]:
        whole = join_values(whole, value)
    return whole


_RUNNERS: dict[type[Statement], Callable[[Interpreter, Any, Env, Frame], None]] = {
    Assign: run_assign,
    Do: Interpreter._run_do,
    Branch: run_branch,
    Switch: run_switch,
    Try: run_try,
    Loop: run_loop,
    Leave: run_leave,
    Return: run_return,
    Raise: run_raise,
    Caught: run_caught,
    Assertion: Interpreter._run_assertion,
    Outer: Interpreter._run_outer,
    Class: Interpreter._run_class,
}
