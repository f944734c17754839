"""Statements and functions: which paths there are, and what holds on each of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ast_grep_py import SgNode

from jurat.engine.flow.addresses import find_address_part
from jurat.engine.flow.callers import drop_asked_for, find_flag
from jurat.engine.flow.calls import drop_pages
from jurat.engine.flow.containers import open_builder
from jurat.engine.flow.dialers import Dialers
from jurat.engine.flow.evaluation import TooMuchWorkError
from jurat.engine.flow.foreign_calls import is_class_name
from jurat.engine.flow.guards import is_condition, leave_steps
from jurat.engine.flow.joins import join_envs, join_values
from jurat.engine.flow.lowering import CHANNEL
from jurat.engine.flow.mappings import KEY, keep_under, put_entry, set_item, take_keys
from jurat.engine.flow.pieces import is_place, take_piece
from jurat.engine.flow.program import (
    UNKNOWN,
    Argument,
    Assertion,
    Assign,
    Attribute,
    Branch,
    Call,
    Caught,
    Chosen,
    Class,
    Comprehension,
    Constant,
    Container,
    Do,
    Expression,
    Index,
    InnerAssignment,
    Leave,
    Logical,
    Loop,
    Name,
    Not,
    Option,
    Outer,
    Raise,
    Relationship,
    Return,
    Routine,
    Statement,
    Switch,
    Try,
)
from jurat.engine.flow.settings import forget, remember
from jurat.engine.flow.taints import PARTS, Cleared, merge_taints
from jurat.engine.flow.values import (
    NOTHING,
    ClassValue,
    Closure,
    Env,
    Instance,
    Value,
    collect,
    iter_taints,
)
from jurat.rules.callee_settings import normalize_option


@dataclass(slots=True)
class Frame:
    """A function that is running: what it returned, and what held there.

    `refused` has what is known of values for which it did not end in an error, by checks that may
    have been left out; `swayed` counts the conditions around that somebody outside decides, and
    `bypassed` says that one of these led out of it.
    """

    function: Routine
    values: list[Value] = field(default_factory=list)
    ends: list[Env] = field(default_factory=list)
    truths: list[tuple[Env, Env]] = field(default_factory=list)
    exits: list[list[Env]] = field(default_factory=list)
    refused: Cleared = field(default_factory=dict)
    swayed: int = 0
    bypassed: bool = False


_ENTRY = re.compile(r"(?i)(?:items|entries)\(\)\[\]$")
"""Ends the name of an entry of a mapping: its key, and its value."""

_SPLIT = re.compile(r"\.(?:Cut|r?partition|r?split|splitext|Split|SplitN|SplitHostPort)\(\)$")
"""Ends the name of a text or a path that was split: its parts are different texts."""
_HOSTS = frozenset({"host", "hostname", "Host"})
_BEHIND_HOST = frozenset({"RawQuery", "Fragment", "RawFragment", "search", "hash"})
"""Parts of an address that stand behind its host, whatever they are."""

_PATH_PARTS = frozenset({"Path", "RawPath", "pathname"})
_PARSED = re.compile(r"(?:url\.Parse|url\.ParseRequestURI|(?:^|\.)URL|urlparse|urlsplit)(?:\(\))?$")
"""Ends the name of an address that was read: it has its host, and a path chooses no other."""

_ERROR = re.compile(
    r"(?:^|[./])(?:fmt\.Errorf|errors\.(?:New|Join|Wrap|Wrapf|Errorf))\(\)$"
    r"|(?:^|\.)[Ee]rr[A-Z]\w*$|(?:Error|Exception)$"
)
"""The name of what is an error whenever it is returned, and never nothing."""

_MOST_PASSES = 3
"""Passes through a loop's body: what it hands on from one pass to the next is known by then."""


_MOST_PAIRS = 8


class Interpreter(Dialers):
    """The statements of one file."""

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

    # Assignments

    def _run_assign(self, statement: Assign, env: Env, _frame: Frame) -> None:
        value = self.evaluate(statement.value, env)
        if statement.type:
            value = self.give_type(value, statement.type)
        target = statement.target
        if statement.declares and isinstance(target, Name):
            env.present -= {target.name}
            env.values[target.name] = self.mark_step(value, statement.node)
            if isinstance(statement.value, Routine):
                self._apply_decorators(statement.value, value, target.name, env)
                return
        else:
            self.assign(target, value, env, statement.node)
        self._remember_condition(target, statement.value, env)

    def _apply_decorators(self, function: Routine, value: Value, name: str, env: Env) -> None:
        """What the file's own decorators make of a function; another's is taken to keep it."""
        for decorator in reversed(function.decorators):
            own = self.evaluate(decorator, env)
            if own.closure is not None:
                call = Call(decorator.node, decorator, [Argument(Name(decorator.node, name))])
                made = self.evaluate(call, env)
                if made.closure is not None and made.closure.function is not function:
                    env.values[name] = made

    def give_type(self, value: Value, type_name: str) -> Value:
        """A value that was declared to be of a type."""
        if self.is_number_type(type_name):
            name = value.name if is_place(value.name) else type_name
            return Value(constant=value.constant, name=name)
        if value.instance is not None:
            return value
        return open_builder(value._replace(name=_find_exact_type(value.name, type_name)), ())

    def mark_step(self, value: Value, node: SgNode) -> Value:
        """The value with one more step behind it."""
        if not value.taints:
            return value
        return value._replace(taints=tuple(taint.carry(node) for taint in value.taints))

    def _remember_condition(self, target: Expression, value: Expression, env: Env) -> None:
        names = [target.name] if isinstance(target, Name) else []
        if isinstance(target, Container):
            names = [one.name for _, one, _ in target.entries if isinstance(one, Name)]
        for name in names:
            if is_condition(value):
                env.conditions[name] = value
            else:
                env.conditions.pop(name, None)

    def assign(self, target: Expression, value: Value, env: Env, node: SgNode) -> None:
        """Put a value into a variable, a part of something, or several at once."""
        if isinstance(target, Name):
            self._assign_name(target.name, self.mark_step(value, node), env)
        elif isinstance(target, Attribute):
            self._assign_attribute(target, value, env, node)
        elif isinstance(target, Index):
            of = self.evaluate(target.of, env)
            key = NOTHING if target.key is None else self.evaluate(target.key, env)
            name = f"{of.name or '?'}[]"
            self.check_sinks(node, name, [(None, value), (None, key)], env, assigned=True)
            is_module = self.is_foreign(of) and not of.name.endswith("()")
            if is_module and isinstance(key.constant, str) and not key.taints:
                # `session["next"]` of a module: who reads another key reads another value. What a
                # call made, such as `dict(known)`, is read as a whole.
                kept = f"{of.name}.{key.constant}"
                held = self.mark_step(value, node)
                self.replaced[kept] = join_values(self.replaced.get(kept, held), held)
                return
            self.update(target.of, _put_item(of, key, value), env)
        elif isinstance(target, InnerAssignment):
            # A target with a default, for what the value has not.
            default = self.evaluate(target.value, env)
            joined = join_values(value, default)
            if joined.constant is UNKNOWN and default.constant is not UNKNOWN:
                joined = joined._replace(default=default)
            self.assign(target.target, joined, env, node)
        elif isinstance(target, Container):
            self._assign_parts(target, value, env, node)

    def _assign_attribute(self, target: Attribute, value: Value, env: Env, node: SgNode) -> None:
        """Put a value into a named part of something."""
        of = self.evaluate(target.of, env)
        name = f"{of.name or '?'}.{target.name}"
        self.check_sinks(node, name, [(None, value)], env, assigned=True)
        self.hits = drop_pages(self.hits, target.name, of, value)
        self.leave_with(of, target.name, env.drop_cleared(value))
        self.note_option(target, value, env)
        if of.instance is not None:
            held = env.drop_cleared(self.mark_step(value, node))
            _keep_field(of.instance, target.name, held)
        elif of.known_class is not None:
            of.known_class.fields[target.name] = self.mark_step(value, node)
        elif self.is_foreign(of) and not _is_address(of) and (value.closure or value.name):
            self.replaced[name] = value
        else:
            mask = self.matcher.get_rejected("//")
            if target.name in _HOSTS and _is_own_host(value, mask):
                # Wherever an address led, it leads there now.
                left = tuple(one.drop_answered(mask) for one in of.taints)
                of = of._replace(taints=left)
            if _is_behind_host(of, target.name):
                value = self._clear_places(value)
            if of.given is not None and normalize_option(target.name) in self.matcher.options:
                of = remember(of, target.name, value)
            self.update(target.of, set_item(of, target.name, value), env)

    def _clear_places(self, value: Value) -> Value:
        """A value that can choose no host where it stands."""
        mask = self.matcher.get_rejected("//")
        left = (one.drop_answered(mask) for one in collect([value]))
        return Value(tuple(one for one in left if one.matters))

    def _assign_parts(self, target: Container, value: Value, env: Env, node: SgNode) -> None:
        """Each part of a value to its own target."""
        for position, (key, one, spread) in enumerate(target.entries):
            if spread:
                self.assign(
                    one,
                    value._replace(constant=UNKNOWN, items=None, taints=collect([value])),
                    env,
                    node,
                )
            elif key is not None and isinstance(key, Constant):
                self.assign(one, self.get_part(node, value, str(key.value)), env, node)
            elif value.items is not None:
                self.assign(one, self.get_item(node, value, position), env, node)
            else:
                # What a call returned together: each part has its origins.
                kept = value._replace(constant=UNKNOWN, name=value.name if position == 0 else "")
                if position == 0 and _ENTRY.search(value.name):
                    # A check of an entry's key says nothing of its value.
                    kept = kept._replace(taints=tuple(one.enter(KEY) for one in kept.taints))
                elif _SPLIT.search(value.name):
                    # A check of the one part says nothing of the other.
                    step = PARTS[min(position, len(PARTS) - 1)]
                    pieces = take_piece(
                        kept.taints, self.path_steps, last=False, later=position > 0
                    )
                    kept = kept._replace(taints=tuple(one.enter(step) for one in pieces))
                self.assign(one, kept, env, node)

    def _assign_name(self, name: str, value: Value, env: Env) -> None:
        env.conditions.pop(name, None)
        env.present -= {name}
        before = env.values.get(name)
        is_number = before is not None and self.is_number_type(before.name)
        if self.keeps_types and before is not None and is_number and not is_place(value.name):
            # It was declared to be one, and stays one.
            value = Value(constant=value.constant, name=before.name)
        elif before is not None and value.name.endswith("()") and self._is_declared(before):
            # `Entry entry; while ((entry = zip.next()) != null)`: what a call gives is an Entry.
            value = self.give_type(value, before.name)
        if name not in env.values:
            if self._keep_own_field(name, value, env):
                return
            around = env.parent
            while around is not None:
                if name in around.values and (self.shares_scope or name in env.outer):
                    around.values[name] = join_values(around.values[name], value)
                    break
                around = around.parent
        env.values[name] = value

    def _keep_own_field(self, name: str, value: Value, env: Env) -> bool:
        """Put a value into a field that is named without its object; whether there is one."""
        this = env.look_up("this") if self.names_own_fields else None
        if this is None or this.instance is None or not this.instance.known.has_field(name):
            return False
        _keep_field(this.instance, name, env.drop_cleared(value))
        return True

    def _is_declared(self, value: Value) -> bool:
        """Whether a variable's values are all of the type that it has now."""
        return self.keeps_types and is_class_name(value.name)

    def update(self, target: Expression, value: Value, env: Env) -> None:
        """Put a changed container back where it was read from."""
        if isinstance(target, Name):
            holder: Env | None = env
            while holder is not None and target.name not in holder.values:
                holder = holder.parent
            if holder is None:
                this = env.look_up("this") if self.shares_scope else None
                own = this.instance.fields if this is not None and this.instance else {}
                if target.name in own:
                    own[target.name] = value
                return
            before = holder.values[target.name]
            if holder.parent is None and holder is not env:
                # Of the file itself: it stays what it was for whoever reads it before.
                value = join_values(before, value)
            holder.values[target.name] = value
            self._update_aliases(before, value, env)
        elif isinstance(target, Attribute):
            of = self.results.get(id(target.of))
            if of is not None and of.instance is not None:
                of.instance.fields[target.name] = value
            elif of is not None and of.items is not None:
                self.update(target.of, set_item(of, target.name, value), env)
        elif isinstance(target, Call) and (held := self.results.get(id(target))) is not None:
            # `a.append(b).append(c)`: the call returned the object itself.
            self._update_aliases(held, value, env)

    def _update_aliases(self, before: Value, value: Value, env: Env) -> None:
        """An object that was changed is changed under each of its names."""
        around: Env | None = env if before.box is not None else None
        while around is not None:
            self.steps += len(around.values) // 8
            for name, held in around.values.items():
                if held.box is before.box and held is not value:
                    around.values[name] = value
            this = around.values.get("this")
            if this is not None and this.instance is not None:
                for name, held in this.instance.fields.items():
                    if held.box is before.box and held is not value:
                        this.instance.fields[name] = value
            around = around.parent

    def _run_do(self, statement: Do, env: Env, _frame: Frame) -> None:
        self.evaluate(statement.expression, env)
        if isinstance(statement.expression, Call) and self.has_ended(statement.expression):
            env.dead = True

    # Branches

    def _run_branch(self, statement: Branch, env: Env, frame: Frame) -> None:
        rest, is_open = env.copy(), True
        ends: list[Env] = []
        begun = len(self.hits), len(self.answered)
        for condition, block in statement.arms:
            known = self.decide(condition, rest)
            if known is not False:
                taken = rest.copy()
                self.narrow(condition, taken, holds=True)
                swayed = self._is_swayed(condition)
                frame.swayed += swayed
                self.run_block(block, taken, frame)
                frame.swayed -= swayed
                ends.append(taken)
                split = len(self.hits), len(self.answered)
            if known is True:
                is_open = False
                break
            before = dict(rest.cleared)
            self.narrow(condition, rest, holds=False)
            if block and isinstance(block[-1], Raise) and not frame.swayed:
                for key, mask in rest.cleared.items():
                    if fresh := mask & ~before.get(key, 0):
                        frame.refused[key] = frame.refused.get(key, 0) | fresh
        if is_open:
            self.run_block(statement.otherwise, rest, frame)
            ends.append(rest)
        if len(ends) == 2 and len(statement.arms) == 1 and is_open:
            flag = find_flag(statement.arms[0][0], frame.function)
            if flag is not None:
                drop_asked_for(self, self.results[id(flag)], begun, split)
        self._meet(env, ends)

    def _is_swayed(self, condition: Expression) -> bool:
        """Whether somebody outside may decide a condition."""
        if isinstance(condition, Not):
            return self._is_swayed(condition.of)
        if isinstance(condition, Logical | Relationship):
            return self._is_swayed(condition.left) or self._is_swayed(condition.right)
        if isinstance(condition, Call):
            asked = [one.value for one in condition.arguments]
            if isinstance(condition.callee, Attribute):
                asked.append(condition.callee.of)
            return any(map(self._is_swayed, asked))
        return any(iter_taints(self.results.get(id(condition), NOTHING)))

    def _meet(self, env: Env, ends: Sequence[Env]) -> None:
        joined = join_envs(ends)
        self.steps += len(env.values) // 8
        if joined is None:
            env.dead = True
        else:
            env.become(joined)

    def _run_switch(self, statement: Switch, env: Env, frame: Frame) -> None:
        subject = self.evaluate(statement.subject, env)
        frame.exits.append([])
        ends: list[Env] = []
        falling: Env | None = None
        is_open = True
        for case in statement.cases:
            options = [self.evaluate(value, env).constant for value in case.values]
            fits = _fits_option(case, subject.constant, options)
            paths = [] if falling is None else [falling]
            if is_open and fits is not False:
                paths.append(self._enter_option(case, subject, env, statement.node))
                is_open = fits is None and not case.is_default
            joined = join_envs(paths)
            falling = None
            if joined is None:
                continue
            self.run_block(case.body, joined, frame)
            if statement.falls and not joined.dead:
                falling = joined
            else:
                ends.append(joined)
        if falling is not None:
            ends.append(falling)
        if is_open:
            ends.append(env.copy())
        left = frame.exits.pop()
        ends += [one for one in left if not one.again]
        if frame.exits:
            # `continue` is the loop's around the switch.
            frame.exits[-1] += [one for one in left if one.again]
        self._meet(env, ends)

    def _enter_option(self, case: Option, subject: Value, env: Env, node: SgNode) -> Env:
        taken = env.copy()
        if case.values:
            taken.clear(collect([subject]), self.matcher.everything)
        if case.binds is not None:
            self.assign(case.binds, subject._replace(constant=UNKNOWN), taken, node)
        return taken

    def _run_try(self, statement: Try, env: Env, frame: Frame) -> None:
        before, refused = env.copy(), dict(frame.refused)
        self.run_block(statement.body, env, frame)
        if statement.handlers:
            frame.refused = refused
        failed = join_envs([before, env]) or before
        self.run_block(statement.otherwise, env, frame)
        ends = [env.copy()]
        for handler in statement.handlers:
            taken = failed.copy()
            taken.cleared = dict(before.cleared)
            self.run_block(handler, taken, frame)
            ends.append(taken)
        self._meet(env, ends)
        if env.dead and statement.finish:
            self.run_block(statement.finish, failed.copy(), frame)
        self.run_block(statement.finish, env, frame)

    # Loops

    def _run_loop(self, statement: Loop, env: Env, frame: Frame) -> None:
        self._loop(
            statement, env, lambda inside: self.run_block(statement.body, inside, frame), frame
        )

    def _loop(self, statement: Loop, env: Env, body: Callable[[Env], None], frame: Frame) -> None:
        exits: list[Env] = []
        iterable = NOTHING if statement.iterable is None else self.evaluate(statement.iterable, env)
        start = env.copy()
        endless = False
        asked: Cleared = {}
        pairs = _list_pairs(statement, iterable)
        for number in range(len(pairs) or _MOST_PASSES):
            inside = start.copy()
            if statement.condition is not None and not statement.once:
                known = self.decide(statement.condition, inside)
                if known is False:
                    break
                endless = known is True
                self.narrow(statement.condition, inside, holds=True)
            if statement.key is not None and pairs:
                self.assign(statement.key, pairs[number][0], inside, statement.node)
            if statement.target is not None:
                element = pairs[number][1] if pairs else self.get_element(statement, iterable)
                self.assign(statement.target, element, inside, statement.node)
            frame.exits.append([])
            body(inside)
            left = frame.exits.pop()
            exits += [one for one in left if not one.again]
            again = [one for one in left if one.again]
            asked = _meet_facts([inside, *again])
            joined = join_envs([start, inside, *again])
            if joined is None or (not pairs and _is_same(start, joined)):
                break
            start = joined
        if not exits and not endless:
            start.cleared |= _find_asked_of_all(asked, iterable)
        ends = exits if endless else [start, *exits]
        if not endless and statement.condition is not None and not start.dead:
            self.decide(statement.condition, start)
            self.narrow(statement.condition, start, holds=False)
        self._meet(env, ends)

    def get_element(self, statement: Loop, iterable: Value) -> Value:
        """What a loop's variable is, in any of its passes."""
        iterable = iterable._replace(taints=take_keys(iterable.taints))
        if isinstance(statement.target, Container) and iterable.items is None:
            return Value(self._spread(iterable), name=iterable.name and f"{iterable.name}[]")
        if iterable.items is not None:
            is_channel = iterable.name == CHANNEL
            if is_channel:
                self.take(CHANNEL)
            if statement.key is not None and not iterable.is_list:
                return Value(collect([iterable]))
            if not iterable.is_list or (statement.keys and not is_channel):
                return Value(iterable.taints)
            parts = list(iterable.items.values())
            whole = parts[0] if parts else NOTHING
            for part in parts[1:]:
                whole = join_values(whole, part)
            return whole._replace(taints=merge_taints((*whole.taints, *iterable.taints)))
        return Value(self._spread(iterable), name=iterable.name and f"{iterable.name}[]")

    def _spread(self, value: Value) -> tuple[Any, ...]:
        parts = self.take_parts(value.taints, value.name)
        return tuple(one._replace(path=(*one.path, "*")[-6:]) for one in parts)

    def read_comprehension(self, expression: Comprehension, env: Env) -> Value:
        """The elements of all passes, as a list that nobody knows the length of."""
        found: list[Value] = []
        inner = env.copy()

        def take(inside: Env) -> None:
            frame = Frame(Routine(expression.node, "", (), ()))
            self._run_nested(expression.loop.body, inside, frame, expression.element, found)

        self._loop(expression.loop, inner, take, Frame(Routine(expression.node, "", (), ())))
        if isinstance(expression.element, Container) and expression.element.mapping:
            return _join_mappings(found)
        return Value(collect(found))

    def _run_nested(
        self, block: Sequence[Statement], env: Env, frame: Frame, element: Expression,
        found: list[Value],
    ) -> None:  # fmt: skip
        """The rest of a comprehension: conditions, further loops, and then the element."""
        for at, statement in enumerate(block):
            if isinstance(statement, Loop):
                rest = [*statement.body, *block[at + 1 :]]

                def go_on(inside: Env, rest: Sequence[Statement] = rest) -> None:
                    self._run_nested(rest, inside, frame, element, found)

                self._loop(statement, env, go_on, frame)
                return
            self.run(statement, env, frame)
            if env.dead:
                return
        found.append(env.drop_cleared(self.evaluate(element, env)))

    def read_selection(self, expression: Chosen, env: Env) -> Value:
        """The value of a switch: whatever one of its cases returns."""
        frame = Frame(Routine(expression.node, "", (), ()))
        self.run(expression.switch, env.copy(), frame)
        whole = frame.values[0] if frame.values else NOTHING
        for value in frame.values[1:]:
            whole = join_values(whole, value)
        return whole

    # Functions

    def run_function(self, function: Routine, env: Env) -> tuple[Value, Env | None, Any]:
        """Run a body: what it returns, what holds then, and what holds if that is true or false."""
        frame = Frame(function)
        self.yielded.append([])
        self.run_block(function.body, env, frame)
        yielded = self.yielded.pop()
        if not env.dead:
            frame.values.append(NOTHING)
            frame.ends.append(env)
            frame.truths.append((Env({}, dead=True), env))
        whole = frame.values[0] if frame.values else NOTHING
        for value in frame.values[1:]:
            whole = join_values(whole, value)
        if yielded:
            whole = Value(collect([whole, *yielded]))
        facts = tuple(_meet_facts([pair[side] for pair in frame.truths]) for side in (0, 1))
        end = join_envs(frame.ends)
        if end is not None and not frame.bypassed and all(one is NOTHING for one in frame.values):
            # It is there for nothing but to refuse: a setting may turn it off, nobody outside can.
            for one in (frame.refused, *(held.cleared for held in frame.ends)):
                for key, mask in one.items():
                    end.cleared[key] = end.cleared.get(key, 0) | mask
        return whole, end, facts

    # Ends

    def _run_leave(self, statement: Leave, env: Env, frame: Frame) -> None:
        if frame.exits:
            left = env.copy()
            left.again = statement.again
            frame.exits[-1].append(left)
        env.dead = True

    def _run_return(self, statement: Return, env: Env, frame: Frame) -> None:
        value = NOTHING if statement.value is None else self.evaluate(statement.value, env)
        self.check_return(statement.node, frame.function, value, env)
        frame.values.append(env.drop_cleared(value))
        frame.ends.append(env.copy())
        frame.bypassed = frame.bypassed or frame.swayed > 0
        if statement.value is not None:
            yes, no = env.copy(), env.copy()
            truth = self._find_truth(statement.value, value, env)
            if truth is None:
                self.narrow(statement.value, yes, holds=True)
                self.narrow(statement.value, no, holds=False)
            else:
                (no if truth else yes).dead = True
            frame.truths.append((yes, no))
        env.dead = True

    def _find_truth(self, said: Expression, value: Value, env: Env) -> bool | None:
        """Whether what a function returns is something; of Go's several, the last, its error."""
        if not self.capitals_name_classes and value.items and value.is_list:
            value = value.items[max(value.items)]
            if isinstance(said, Container) and said.entries:
                said = said.entries[-1][1]
        if value.constant is not UNKNOWN:
            return bool(value.constant)
        # An empty text is there, too, and false elsewhere.
        is_go = not self.capitals_name_classes
        is_present = is_go and isinstance(said, Name) and said.name in env.present
        return True if is_present or _ERROR.search(value.name) else None

    def _run_raise(self, statement: Raise, env: Env, _frame: Frame) -> None:
        if statement.value is not None:
            self.raised.append(env.drop_cleared(self.evaluate(statement.value, env)))
        env.dead = True

    def _run_caught(self, statement: Caught, env: Env, _frame: Frame) -> None:
        # What else may fail tells what it was given: nobody knows that text.
        unknown = self.build_unknown(statement.node, statement.name)
        env.values[statement.name] = Value(collect([*self.raised, unknown]))

    def _run_assertion(self, statement: Assertion, env: Env, _frame: Frame) -> None:
        if self.decide(statement.condition, env) is False:
            env.dead = True
            return
        self.narrow(statement.condition, env, holds=True)

    def _run_outer(self, statement: Outer, env: Env, _frame: Frame) -> None:
        env.outer |= frozenset(statement.names)

    def _run_class(self, statement: Class, env: Env, _frame: Frame) -> None:
        bases = [self.evaluate(base, env) for base in statement.bases]
        made = ClassValue(
            statement.name, {method.name: Closure(method, env) for method in statement.methods},
            {}, statement.types, [base for one in bases if (base := one.known_class)],
            frozenset(one.name for one in bases if one.known_class is None),
            allowed=statement.allowed,
        )  # fmt: skip
        env.values[statement.name] = Value(known_class=made, name=statement.name)
        # A field may be an object of the class itself, and made of those above it.
        inner = Env({}, env)
        for name, value in statement.fields:
            made.fields[name] = inner.values[name] = self.evaluate(value, inner)
        self.register_class(made, env)


def _keep_field(instance: Instance, name: str, value: Value) -> None:
    """Put a value into a field of an object."""
    before = instance.fields.get(name)
    if before is not None and before.taints:
        value = join_values(before, value)
    elif before is not None and _are_different(before.constant, value.constant):
        # The paths of a function share its object: either may be what it has later.
        value = value._replace(constant=UNKNOWN)
    instance.fields[name] = value


def _list_pairs(statement: Loop, iterable: Value) -> list[tuple[Value, Value]]:
    """What a loop goes through, by key, if it is known: a mapping, or a list of constants."""
    items = iterable.items
    if not items or statement.target is None or len(items) > _MOST_PAIRS or iterable.partial:
        return []
    if iterable.is_list:
        is_fixed = all(isinstance(one.constant, str | int | float) for one in items.values())
        whole = not iterable.taints and not statement.keys
        return [(NOTHING, one) for one in items.values()] if is_fixed and whole else []
    if statement.key is None:
        return []
    more = Value(iterable.taints)
    return [
        (Value(constant=key), join_values(one, more) if iterable.taints else one)
        for key, one in items.items()
    ]


def _join_mappings(found: Sequence[Value]) -> Value:
    """One mapping with the entries of all passes."""
    made = Value(items={}, box=object(), partial=any(one.partial for one in found))
    for one in found:
        for key, held in (one.items or {}).items():
            before = (made.items or {}).get(key)
            made = set_item(made, key, held if before is None else join_values(before, held))
        made = made._replace(taints=merge_taints((*made.taints, *one.taints)))
    return made


def _are_different(one: object, other: object) -> bool:
    """Whether two values of a field are different; none at all is what others wait to replace."""
    return one is not None and other is not None and one != other


def _put_item(of: Value, key: Value, value: Value) -> Value:
    """A container with one more part; a buffer that was filled is no constant any more."""
    if of.items is None:
        kept = keep_under(key.constant, iter_taints(value))
        changed = of._replace(taints=merge_taints((*of.taints, *kept)))
        return forget(changed) if changed.fixed else changed
    changed = put_entry(of, key, value)
    return forget(changed) if changed.fixed else changed


def _find_exact_type(name: str, type_name: str) -> str:
    """The type of what is declared by one that says less: `EvaluationContext c = new
    SimpleEvaluationContext()`, or what a method of that class made.
    """
    word = type_name.rpartition(".")[2]
    exact = re.match(rf"(?:\w+\.)*\w+{re.escape(word)}(?=\.|$)", name) if word else None
    return exact[0] if exact else type_name


def _is_own_host(value: Value, asked: int) -> bool:
    """Whether a host is nobody's choice, as far as questions ask, or the one that was asked."""
    chosen = (taint for taint in iter_taints(value) if taint.live & asked)
    return all(find_address_part(taint.source) for taint in chosen)


def _is_address(value: Value) -> bool:
    """Whether a value is an address that was read, with its parts."""
    return _PARSED.search(value.name) is not None


def _is_behind_host(address: Value, part: str) -> bool:
    """Whether what is written into a part of an address can choose no host."""
    return part in _BEHIND_HOST or (part in _PATH_PARTS and _is_address(address))


def _find_asked_of_all(asked: Cleared, iterable: Value) -> Cleared:
    """What was asked of each element holds of what they all came from, were there any or none."""
    origins = {(taint.source, taint.path) for taint in collect([iterable])}
    wholes = {(source, leave_steps(path)) for source, path in origins}
    found = {
        (source, path): mask
        for (source, path), mask in asked.items()
        if (source, path) in wholes
        or any(source == known and path[: len(own)] == own for known, own in origins)
    }
    for source, path in origins:
        each = asked.get((source, (*path, "*")[-6:]), 0)
        if each:
            found[source, path] = found.get((source, path), 0) | each
    return found


def _meet_facts(envs: Sequence[Env]) -> Cleared:
    joined = join_envs(envs)
    return {} if joined is None else joined.cleared


def _fits_option(case: Option, known: Any, options: Sequence[Any]) -> bool | None:
    """Whether a switch comes to a case; None if that is not known."""
    if case.is_default:
        return None if known is UNKNOWN else True
    if known is UNKNOWN or UNKNOWN in options or not options:
        return None
    return known in options


def _is_same(one: Env, other: Env) -> bool:
    """Whether another pass would find nothing new."""
    if one.values.keys() != other.values.keys() or one.cleared != other.cleared:
        return False
    return all(_is_equal(value, other.values[name]) for name, value in one.values.items())


def _is_equal(one: Value, other: Value, depth: int = 0) -> bool:
    if one is other:
        return True
    if {t.key for t in one.taints} != {t.key for t in other.taints}:
        return False
    if one.constant is not other.constant and one.constant != other.constant:
        return False
    if (one.items is None) is not (other.items is None) or depth > 3:
        return depth > 3
    if one.items is None or other.items is None:
        return True
    return one.items.keys() == other.items.keys() and all(
        _is_equal(item, other.items[key], depth + 1) for key, item in one.items.items()
    )


_RUNNERS: dict[type[Statement], Callable[[Interpreter, Any, Env, Frame], None]] = {
    Assign: Interpreter._run_assign,
    Do: Interpreter._run_do,
    Branch: Interpreter._run_branch,
    Switch: Interpreter._run_switch,
    Try: Interpreter._run_try,
    Loop: Interpreter._run_loop,
    Leave: Interpreter._run_leave,
    Return: Interpreter._run_return,
    Raise: Interpreter._run_raise,
    Caught: Interpreter._run_caught,
    Assertion: Interpreter._run_assertion,
    Outer: Interpreter._run_outer,
    Class: Interpreter._run_class,
}
