"""What an expression comes to: its origins, its constant if it has one, and its name."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ast_grep_py import SgNode

from jurat.engine.flow.joins import join_values
from jurat.engine.flow.mappings import pick_any, put_entry, set_item, take_held, take_kept
from jurat.engine.flow.matcher import KnownSink, Matcher
from jurat.engine.flow.outer_names import find_set_names
from jurat.engine.flow.pages import is_plain_page
from jurat.engine.flow.pieces import find_behind, is_place, strip_off, take_piece
from jurat.engine.flow.program import (
    UNKNOWN,
    Argument,
    Attribute,
    Binary,
    Call,
    Choice,
    Chosen,
    Comprehension,
    Constant,
    Container,
    Expression,
    Index,
    InnerAssignment,
    Logical,
    Mix,
    Module,
    Name,
    Not,
    Relationship,
    Routine,
    Text,
    Yield,
)
from jurat.engine.flow.settings import find_met, is_asked_for, is_fixed
from jurat.engine.flow.sinks import find_harm, find_kept
from jurat.engine.flow.taints import (
    HOLE,
    PARAMETER,
    REMOTE,
    Taint,
    Taints,
    Trace,
    extend_before,
    merge_taints,
    split_words,
)
from jurat.engine.flow.values import (
    NOTHING,
    Closure,
    Env,
    Instance,
    Value,
    collect,
    extend_name,
    iter_taints,
)

MOST_STEPS = 200_000
"""Expressions and statements that are looked at for one function: about a second and a half."""

MOST_DEPTH = 180
"""Expressions, statements and calls inside each other."""

_MOST_TEXT = 2_000
"""Characters of a constant that is worked out."""

_SPEAKING = split_words(
    """
    netloc hostname host Host Hostname origin getHost
    """
)
"""Parts of a URL of which a check says that the whole is fit."""

_RUNTIME = split_words(
    """
    process console globalThis global window document navigator self module exports require
    """
)
"""What JavaScript's surroundings bind in every file: nobody hands it over."""

_FOUND = re.compile(
    r"(?:^|[.:])(?:get|find|fetch|load|lookup|look_up|retrieve|select|query)_?(?!.*(?i:param|arg|body|json"
    r"|form|query|header|cookie|data|payload|input|request|url|uri|path))(?:[A-Z_]|[a-z]+_|by)?\w*\(\)$"
)
"""Ends the name of the answer of what looks something up, as `get_book()` does."""

NUMBER_MAKERS = re.compile(
    r"(?:^|\.)(?:int|float|Number|BigInt|parse(?:Int|Long|Float)|Atoi|Parse(?:Int|Uint)|UUID|fromString"
    r"|valueOf)(?:\(\))?$"
)
"""Ends the name of what makes a number, or something as short, of a text."""

_SLICE = "[:]"
"""The step to a part of a text: a check of it says nothing of the rest."""

_HARMLESS = split_words(
    """
    length size status_code Len __class__ count
    """
)


_ANY = "any method"
"""A method that no rule names: what is said of it is said of all."""

_WRITING = ("toString", "__str__", "String", "__format__")
"""Methods that say what an object is as a text."""

_SEPARATORS = split_words(
    """
    os.sep os.path.sep path.sep path/filepath.Separator os.PathSeparator
    java.io.File.separator File.separator
    """
)
"""What stands between the steps of a path, on most systems."""


class TooMuchWorkError(Exception):
    """A function that takes more steps than it may."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A value that arrived at a sink. `mask` has the questions it answers with yes, `entry` is the
    function that was looked at.
    """

    node: SgNode
    taint: Taint
    mask: int
    callee: str
    entry: Routine | None = None


class Evaluator:
    """Expressions of one file."""

    def __init__(self, matcher: Matcher) -> None:
        self.matcher = matcher
        self.hits: list[Hit] = []
        self.entry: Routine | None = None
        self.steps = 0
        self.depth = 0
        self.results: dict[int, Value] = {}
        self.shares_scope = False
        self.capitals_name_classes = True
        self.replaced: dict[str, Value] = {}
        self.objects: dict[str, Instance] = {}
        self.yielded: list[list[Value]] = []
        self.raised: list[Value] = []
        self.set_inside: frozenset[str] | None = None
        self.answered: list[tuple[str, tuple[str, ...], int]] = []

    def evaluate(self, expression: Expression, env: Env) -> Value:
        """The value of an expression. Raises TooMuchWorkError."""
        self.steps += 1
        self.depth += 1
        if self.steps > MOST_STEPS or self.depth > MOST_DEPTH:
            raise TooMuchWorkError
        value = _READERS[type(expression)](self, expression, env)
        self.depth -= 1
        self.results[id(expression)] = value
        return value

    # What functions and statements add (see interpreter.py).

    def call(self, expression: Call, env: Env) -> Value:
        """The value of a call."""
        raise NotImplementedError

    def define(self, function: Routine, env: Env) -> Value:
        """A function as a value."""
        raise NotImplementedError

    def is_number_type(self, name: str) -> bool:
        """Whether no text fits a type."""
        raise NotImplementedError

    def take_from(self, of: Value, part: str) -> Value | None:
        """A part that another function of the file was seen to leave there."""
        raise NotImplementedError

    def read_property(self, node: SgNode, closure: Closure) -> Value:
        """What a property's function returns."""
        raise NotImplementedError

    def read_checked(self, node: SgNode, of: Value, instance: Instance, name: str) -> Value | None:
        """A part of a form that its class checks; None for any other."""
        raise NotImplementedError

    def find_declared(self, pattern: str, origins: Taints) -> int:
        """The questions that are answered by a pattern which a class declares for its field."""
        raise NotImplementedError

    def is_inside(self) -> bool:
        """Whether a function is looked at, and not the text around all of them."""
        raise NotImplementedError

    def read_comprehension(self, expression: Comprehension, env: Env) -> Value:
        """A loop that is a value."""
        raise NotImplementedError

    def read_selection(self, expression: Chosen, env: Env) -> Value:
        """A switch that is a value."""
        raise NotImplementedError

    def assign(self, target: Expression, value: Value, env: Env, node: SgNode) -> None:
        """Put a value into a target."""
        raise NotImplementedError

    def decide(self, condition: Expression, env: Env) -> bool | None:
        """Whether a condition holds; None if that is not known."""
        value = self.evaluate(condition, env).constant
        return None if value is UNKNOWN else bool(value)

    def narrow(self, condition: Expression, env: Env, *, holds: bool) -> None:
        """Note in `env` what follows from a condition."""
        raise NotImplementedError

    # Expressions

    def _read_constant(self, expression: Constant, _env: Env) -> Value:
        return Value(constant=expression.value)

    def _read_name(self, expression: Name, env: Env) -> Value:
        name = expression.name
        found = env.look_up(name)
        if found is not None:
            return found
        this = env.look_up("this")
        if this is not None and this.instance is not None and self.shares_scope:
            # Java needs no `this.` before its own fields and methods.
            own = self.get_part(expression.node, this, name)
            if own.closure is not None or own.taints or not own.name.startswith("<this>"):
                return own
        # `__file__` and the like are the program's own in any language.
        is_own = name[:1].isupper() or name.startswith("__") or self._is_programs(expression)
        is_own = is_own or (self.shares_scope and name in _RUNTIME)
        # Bound nowhere in this text, as in a part of a file: whatever somebody handed over. To a
        # function that comes by its parameters, and what else it names is the program's.
        value = Value(name=name) if is_own else self.build_unknown(expression.node, name)
        source = self.take_source(expression.node, Value(name=name))
        return source if source.taints else value

    def _is_programs(self, expression: Name) -> bool:
        """Whether a function reads a name that is bound nowhere, and no other one sets it."""
        if not self.is_inside():
            return False
        if self.set_inside is None:
            text = expression.node.get_root().root().text()
            self.set_inside = find_set_names(text, declared=not self.shares_scope)
        return expression.name not in self.set_inside

    def build_unknown(self, node: SgNode, name: str) -> Value:
        """What somebody has handed over that no parameter tells of."""
        live = self.matcher.parameters & ~self.matcher.find_sanitizer(name)
        taint = Taint(f"?{name}", (), live, PARAMETER, "", False, Trace(node, None))
        return Value((taint,) if live else (), name=name)

    def _read_module(self, expression: Module, _env: Env) -> Value:
        return self.take_source(expression.node, Value(name=expression.name))

    def find_object(self, type_name: str) -> Instance | None:
        """What a value is that is declared to be of one of the file's classes with methods."""
        return self.objects.get(type_name.lstrip("*&").partition("<")[0]) if type_name else None

    def take_source(self, node: SgNode, value: Value) -> Value:
        """The value as one from outside, if its name says so."""
        mask = self.matcher.find_source(value.name)
        if not mask:
            return value
        taint = Taint(value.name, (), mask, REMOTE, "", False, Trace(node, None))
        return Value((taint,), name=value.name, instance=value.instance)

    def _read_attribute(self, expression: Attribute, env: Env) -> Value:
        of = self.evaluate(expression.of, env)
        part = self.get_part(expression.node, of, expression.name)
        if of.default is None or part.constant is not UNKNOWN or part.default is not None:
            return part
        return part._replace(default=self.get_part(expression.node, of.default, expression.name))

    def sanitize(self, taints: Iterable[Taint], *names: str) -> Taints:
        """The origins of what a callee or a property of any of these names makes of a value."""
        taints = tuple(taints)
        if not taints:
            return taints
        answered = encoded = undone = 0
        for name in names:
            answered |= self.matcher.find_sanitizer(name)
            encoded |= self.matcher.find_encoder(name)
            undone |= self.matcher.find_undone(name)
        if not answered and not undone:
            return taints
        if self.matcher.believed & answered and any(map(NUMBER_MAKERS.search, names)):
            # As a number it is still what they say they are.
            answered &= ~self.matcher.believed
        encoded &= answered
        self.answered += ((taint.source, taint.path, answered) for taint in taints)
        if undone:
            taints = tuple(taint.decode(undone).become_unread() for taint in taints)
        left = (taint.encode(encoded).drop_answered(answered & ~encoded) for taint in taints)
        return tuple(taint for taint in left if taint.matters)

    def take_parts(self, taints: Taints, name: str) -> Taints:
        """The origins of the parts of a list of this name.

        Words of a line are fit as a program's arguments, and none of them for a shell.
        """
        undone = self.matcher.find_undone(extend_name(name, "[]")) if taints else 0
        return tuple(taint.decode(undone) for taint in taints) if undone else taints

    def get_part(self, node: SgNode, of: Value, name: str) -> Value:
        """A named part of a value."""
        if of.instance is not None:
            own = self._get_own_part(node, of, of.instance, name)
            if own is not None:
                return own
        if of.known_class is not None:
            if (method := of.known_class.find_method(name)) is not None:
                return Value(closure=method)
            if (field := of.known_class.find_field(name)) is not None:
                return field
        if of.items is not None and name in of.items:
            return of.items[name]
        qualified = extend_name(of.name, f".{name}")
        if qualified in self.replaced:
            return self.replaced[qualified]
        if (left := self.take_from(of, name)) is not None:
            return left
        source = self.take_source(node, Value(name=qualified))
        if source.taints:
            return source
        if name in _HARMLESS:
            return Value(name=qualified)
        taints = take_held(of.taints if of.items is None else collect([of]))
        # A part of what was found by something: a record that was there before.
        found = is_finder(of.name)
        taints = tuple(one for one in taints if not (one.found or (found and one.foreign)))
        is_header = of.name.endswith(".headers")
        taints = _derive(taints, None if name in _SPEAKING and not is_header else name)
        separator = "/" if qualified in _SEPARATORS else UNKNOWN
        return Value(self.sanitize(taints, qualified), separator, name=qualified)

    def _get_own_part(self, node: SgNode, of: Value, instance: Instance, name: str) -> Value | None:
        """A part of an object of the file's classes; None if it is what somebody handed over."""
        if of.taints and (checked := self.read_checked(node, of, instance, name)):
            return checked
        if of.taints and (said := instance.known.find_allowed(name)) is not None:
            answered = self.find_declared(said, of.taints)
            left = (one.drop_answered(answered) for one in _derive(of.taints, name))
            return Value(tuple(one for one in left if one.matters), name=f"?.{name}")
        typed = instance.known.find_type(name)
        if of.taints and typed and self.is_number_type(typed):
            return Value(self._keep_believed(_derive(of.taints, name)), name=typed)
        found = self._read_field(instance, name)
        if found is not None:
            if not of.taints or self.find_object(instance.known.name) is not instance:
                return found
            # Somebody hands it over: its fields are theirs, or what its class begins with.
            return join_values(found, Value(_derive(of.taints, name)))
        method = instance.known.find_method(name)
        if method is not None:
            held = tuple(taint for taint in of.taints if taint.strength == REMOTE)
            bound = Closure(method.function, method.around, instance, held=held)
            return (
                self.read_property(node, bound)
                if method.function.is_property
                else Value(closure=bound)
            )
        if typed and not of.taints:
            return Value(name=typed, instance=self.find_object(typed))
        return None

    def _keep_believed(self, taints: Taints) -> Taints:
        """What is left of origins in a number: it may be that of somebody's account."""
        left = (one.drop_answered(~self.matcher.believed) for one in taints)
        return tuple(one for one in left if one.matters)

    def _read_field(self, instance: Instance, name: str) -> Value | None:
        """A field of an object, by what it was set to and what it is declared to be."""
        found = instance.fields.get(name)
        sample = instance.known.sample
        if sample is not None and sample is not instance:
            found = _take_sampled(found, sample.fields.get(name))
        if found is None or found.instance is not None or found.closure is not None:
            return found
        declared = self.find_object(instance.known.find_type(name))
        return found if declared is None else found._replace(instance=declared)

    def _read_index(self, expression: Index, env: Env) -> Value:
        of = self.evaluate(expression.of, env)
        if expression.key is None:
            return self._read_slice(expression, of, env)
        key = self.evaluate(expression.key, env)
        last = key.constant == -1 or isinstance(expression.key, Binary)
        return self.get_item(expression.node, of, key.constant, last=last)

    def _read_slice(self, expression: Index, of: Value, env: Env) -> Value:
        """A part of a text or a list, of which maybe is known where it begins."""
        if expression.start is not None:
            place = self.evaluate(expression.start, env)
            if without := find_behind(of, place):
                of = of._replace(taints=tuple(strip_off(of.taints, without, self.path_steps)))
        return self.get_item(expression.node, of, UNKNOWN, sliced=True)

    @property
    def path_steps(self) -> int:
        """The questions that are answered for a text without a slash."""
        return self.matcher.get_rejected("/")

    def get_item(
        self, node: SgNode, of: Value, key: Any, *, sliced: bool = False, last: bool = False
    ) -> Value:
        """A part of a value by its key; `last` says that it is the last one."""
        if sliced and is_fixed(of):
            return Value(name=extend_name(of.name, "[]"), fixed=True)
        if isinstance(of.constant, str | tuple) and isinstance(key, int):
            try:
                return Value(constant=of.constant[key])
            except IndexError:
                return NOTHING
        if of.items is not None and not sliced:
            if isinstance(key, int) and key < 0 and of.is_list:
                key += len(of.items)
            if _is_key(key):
                found = of.items.get(key)
                others = take_held(of.taints)
                if found is not None:
                    return found if not others else join_values(found, Value(others))
                return Value(others)
            return pick_any(of)._replace(name=extend_name(of.name, "[]"))
        qualified = extend_name(of.name, "[]")
        if isinstance(key, str):
            part = extend_name(of.name, f".{key}")
            source = self.take_source(node, Value(name=part))
            if source.taints:
                return source
            if (kept := self.replaced.get(part)) is not None:
                return kept
            if self.matcher.find_sinks(part):
                # `child_process["exec"]`; what somebody has sent under such a key is theirs.
                qualified = part
        step = str(key) if _is_key(key) else None
        taints = self.take_parts(take_kept(key, take_held(collect([of]))), of.name)
        if not sliced:
            later = last or (isinstance(key, int) and key > 0)
            taints = tuple(take_piece(taints, self.path_steps, last=last, later=later))
        return Value(_derive(taints, _SLICE if sliced else step), name=qualified)

    def _read_text(self, expression: Text, env: Env) -> Value:
        parts = [self.write_out(part.node, self.evaluate(part, env)) for part in expression.parts]
        first = parts[0] if parts else NOTHING
        if len(parts) == 1:
            # `${value}` alone is the value's text, as `String(value)` is.
            made = "String()" if self.shares_scope else "str()"
            return self.join_text([first._replace(taints=self.sanitize(first.taints, made))])
        if is_place(first.name) and all(isinstance(one.constant, int) for one in parts[1:]):
            return first
        if not self._find_operator(first.name, "__add__"):
            return self.join_text(parts)
        fit = [self._fit_beside(first, "+", part) for part in parts[1:]]
        return self.join_text([first, *fit])._replace(name=first.name)

    def write_out(self, node: SgNode, value: Value) -> Value:
        """A value as it is put into a text: an object of the file is what its method makes."""
        if value.instance is None:
            return value
        for name in _WRITING:
            method = value.instance.known.find_method(name)
            if method is not None and not method.function.parameters:
                bound = Closure(method.function, method.around, value.instance, held=value.taints)
                return self.read_property(node, bound)
        return value

    def join_text(self, parts: Sequence[Value]) -> Value:
        """Values put together into one text, or numbers into one sum."""
        constants = [part.constant for part in parts]
        if UNKNOWN not in constants:
            folded = _fold_sum(constants)
            if folded is not UNKNOWN:
                return Value(constant=folded)
        if any(part.items is not None for part in parts):
            return _concatenate(parts)
        before, taints = "", []
        mixed = len(parts) > 1
        for part in parts:
            if isinstance(part.constant, str | int | float):
                before = extend_before(before, str(part.constant))
                continue
            for taint in part.taints:
                text = extend_before(before, taint.before)
                taints.append(
                    taint._replace(
                        before=text,
                        mixed=mixed or taint.mixed,
                        foreign=taint.foreign and not mixed,
                        found=taint.found and not mixed,
                    )
                )
            before = extend_before(before, part.start + HOLE)
        return Value(merge_taints(taints), start=before.partition(HOLE)[0])

    def _read_binary(self, expression: Binary, env: Env) -> Value:
        left = self.evaluate(expression.left, env)
        right = self.evaluate(expression.right, env)
        if expression.operator == "%" and isinstance(left.constant, str):
            return self.fill_text(left.constant, _list_items(right), PERCENT_HOLE)
        folded = _fold_binary(expression.operator, left.constant, right.constant)
        if folded is not UNKNOWN:
            return Value(constant=folded)
        if expression.operator in _NUMERIC:
            repeated = expression.operator == "*" and isinstance(left.constant, str)
            return Value(fixed=True) if repeated else NOTHING
        if expression.operator == "/":
            name = left.name if left.name.endswith("Path") else extend_name(left.name, "/")
            alone = tuple(taint for taint in right.taints if taint.is_rooted)
            below = right._replace(
                taints=tuple(t._replace(settled=None) for t in right.taints if not t.is_rooted)
            )
            # The folder that another function found stays its own, whatever is put behind it.
            front = tuple(taint for taint in left.taints if taint.foreign)
            given = left._replace(taints=tuple(t for t in left.taints if not t.foreign))
            joined = self.join_text([given, Value(constant="/"), below])
            joined = joined._replace(taints=merge_taints((*alone, *front, *joined.taints)))
            return joined._replace(name=name if left.name else "")
        taints = [left, self._fit_beside(left, expression.operator, right)]
        return Value(collect(taints), name=left.name)

    def _fit_beside(self, left: Value, operator_: str, right: Value) -> Value:
        """What an operator of the left side makes of the right one: markup escapes a text."""
        method = _OPERATOR_METHODS.get(operator_)
        if method is None or not left.name:
            return right
        parts = right.items
        if parts is not None:
            fit = {key: self._fit_beside(left, operator_, part) for key, part in parts.items()}
            right = right._replace(items=fit)
        if not self._find_operator(left.name, method):
            return right
        called = extend_name(left.name, f".{method}()")
        return right._replace(taints=self.sanitize(right.taints, called))

    def _find_operator(self, name: str, method: str) -> int:
        """The questions that an operator of a value answers, and not whatever is called on it.

        `uuid.*()` makes a text of its own, and what is added to that is no more fit than before.
        """
        meant = self.matcher.find_sanitizer(extend_name(name, f".{method}()"))
        return meant and meant & ~self.matcher.find_sanitizer(extend_name(name, f".{_ANY}()"))

    def fill_text(self, template: str, values: Sequence[Value], pattern: re.Pattern[str]) -> Value:
        """A text with values in its holes, which look like `%s` or `{}`. Numbers carry nothing."""
        holes = list(pattern.finditer(template))
        if len(holes) < len(values) or len(values) == 0:
            return self.join_text([Value(constant=template.partition("{")[0]), *values])
        parts: list[Value] = []
        at = 0
        for hole, value in zip(holes, values, strict=False):
            parts.append(Value(constant=template[at : hole.start()]))
            is_number = hole[0][0] == "%" and hole[0][-1] in "dioxXeEfFgGbtc"
            held = value if value.items is None else Value(collect([value]))
            parts.append(NOTHING if is_number else held)
            at = hole.end()
        rest = template[at:]
        return self.join_text([*parts, *([Value(constant=rest)] if rest else [])])

    def _read_comparison(self, expression: Relationship, env: Env) -> Value:
        left = self.evaluate(expression.left, env)
        right = self.evaluate(expression.right, env)
        return Value(constant=_fold_comparison(expression.operator, left, right))

    def _read_not(self, expression: Not, env: Env) -> Value:
        value = self.evaluate(expression.of, env).constant
        return Value(constant=value if value is UNKNOWN else not value)

    def _read_logical(self, expression: Logical, env: Env) -> Value:
        left = self.evaluate(expression.left, env)
        conjunction = expression.operator == "and"
        if left.constant is not UNKNOWN and bool(left.constant) is not conjunction:
            return left
        other = env.copy()
        self.narrow(expression.left, other, holds=conjunction)
        right = self.evaluate(expression.right, other)
        if left.constant is not UNKNOWN:
            return right
        if conjunction:
            # It is the left side only if that is empty.
            left = left._replace(taints=())
        return join_values(env.drop_cleared(left), other.drop_cleared(right))

    def _read_choice(self, expression: Choice, env: Env) -> Value:
        known = self.decide(expression.condition, env)
        sides = []
        for holds, side in ((True, expression.yes), (False, expression.no)):
            if known is None or known is holds:
                other = env.copy()
                self.narrow(expression.condition, other, holds=holds)
                sides.append(other.drop_cleared(self.evaluate(side, other)))
        return sides[0] if len(sides) == 1 else join_values(sides[0], sides[1])

    def _read_container(self, expression: Container, env: Env) -> Value:
        made = Value(items={}, box=object())
        for position, (key, entry, spread) in enumerate(expression.entries):
            value = self.evaluate(entry, env)
            if spread:
                if value.items is not None:
                    at = len(made.items or {})
                    for number, (name, item) in enumerate(value.items.items()):
                        made = set_item(made, name if expression.mapping else at + number, item)
                    made = made._replace(taints=merge_taints((*made.taints, *value.taints)))
                else:
                    before = made.taints
                    if expression.mapping and all(taint.foreign for taint in value.taints):
                        # What is known of nobody outside stands above what they have sent.
                        before = tuple(t.drop_answered(self.matcher.believed) for t in before)
                    taints = merge_taints((*before, *iter_taints(value)))
                    made = made._replace(taints=taints, partial=True)
                if value.partial:
                    made = made._replace(partial=True)
                continue
            place = self.evaluate(key, env) if key is not None else Value(constant=position)
            made = put_entry(made, place, value)
        return made

    def _read_mix(self, expression: Mix, env: Env) -> Value:
        return Value(collect([self.evaluate(part, env) for part in expression.parts]))

    def _read_yield(self, expression: Yield, env: Env) -> Value:
        value = self.evaluate(expression.of, env)
        if self.yielded:
            self.yielded[-1].append(env.drop_cleared(value))
        return NOTHING

    def _read_binding(self, expression: InnerAssignment, env: Env) -> Value:
        value = self.evaluate(expression.value, env)
        self.assign(expression.target, value, env, expression.node)
        return value

    # Sinks

    def check_sinks(
        self,
        node: SgNode,
        name: str,
        arguments: Sequence[tuple[Argument | None, Value]],
        env: Env,
        *,
        assigned: bool = False,
    ) -> None:
        """Note what arrives at the sinks that a callee or a property is."""
        for known in self.matcher.find_sinks(name):
            if known.sink.assigned is assigned:
                self._check_sink(node, name, known, arguments, env)
        if self.matcher.asks_settings:
            self._check_settings(node, name, arguments, assigned=assigned)

    def _check_settings(
        self, node: SgNode, name: str, given: Sequence[tuple[Argument | None, Value]], *,
        assigned: bool,
    ) -> None:  # fmt: skip
        """Note what a callee is given, or a property is set to, that it must not be."""
        for known in self.matcher.find_settings(name):
            if known.setting.assigned is not assigned:
                continue
            met = find_met(known.setting, given)
            if met is None or is_asked_for(node, known.exceptions):
                continue
            first, *rest = met or (node,)
            trace = Trace(first, None)
            for one in rest:
                trace = Trace(one, trace)
            taint = Taint(name, (), known.mask, REMOTE, "", False, trace)
            self.hits.append(Hit(node, taint, known.mask, name))

    def _check_sink(
        self,
        node: SgNode,
        name: str,
        known: KnownSink,
        arguments: Sequence[tuple[Argument | None, Value]],
        env: Env,
    ) -> None:
        if is_plain_page(known.sink, name, env):
            return
        harm = (
            find_kept(name, arguments, self.matcher.words.is_trusted)
            if known.sink.keeps
            else find_harm(known.sink, arguments)
        )
        if harm and _is_taken_back(node):
            return
        for taint in harm:
            mask = known.mask & taint.live & ~env.find_cleared(taint)
            if mask:
                self.hits.append(Hit(node, taint, mask, name, self.entry))


def is_finder(name: str) -> bool:
    """Whether a name is one of the answer of what looks something up."""
    return _FOUND.search(name) is not None


def _is_taken_back(node: SgNode) -> bool:
    """Whether a text that was marked as markup is made plain at once: `Markup(text).unescape()`."""
    around = node.parent()
    named = around.field("attribute") if around is not None else None
    return named is not None and named.text() in ("unescape", "striptags")


def _derive(taints: Taints, step: str | None) -> Taints:
    """The origins of a part of a value."""
    if step is None:
        return taints
    if step == _SLICE:
        return tuple(one if one.path[-1:] == (_SLICE,) else one.enter(_SLICE) for one in taints)
    return tuple(taint.enter(step) for taint in taints)


def _take_sampled(found: Value | None, sampled: Value | None) -> Value | None:
    """A field of an object that nobody was seen to make, by one that was made here: a default.

    What was told an option is taken as it is: nobody decides by it.
    """
    if sampled is None or (found is not None and found.constant is not UNKNOWN):
        return found
    if (sampled.given is not None or "+" in sampled.name) and not sampled.taints:
        return sampled
    if sampled.constant is UNKNOWN or sampled.constant is None:
        return found
    return (found or NOTHING)._replace(default=sampled)


def _is_key(key: Any) -> bool:
    return key is not UNKNOWN and isinstance(key, str | int | float | bool)


def _list_items(value: Value) -> list[Value]:
    if value.items is None:
        return [value]
    return list(value.items.values())


def _concatenate(parts: Sequence[Value]) -> Value:
    """Lists put together."""
    made = Value(items={})
    for part in parts:
        if part.items is None:
            made = made._replace(taints=merge_taints((*made.taints, *part.taints)))
            continue
        at = len(made.items or {})
        for number, item in enumerate(part.items.values()):
            made = set_item(made, at + number, item)
        made = made._replace(taints=merge_taints((*made.taints, *part.taints)))
    return made


PERCENT_HOLE = re.compile(r"%(?:\(\w+\))?[-+ #0-9.*]*[a-zA-Z]")
BRACE_HOLE = re.compile(r"\{[^{}]*\}")
_OPERATOR_METHODS = {"%": "__mod__", "+": "__add__"}
_NUMERIC = frozenset({"-", "*", "**", "//", "&", "^", "<<", ">>", "@", ">>>"})
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod,
}  # fmt: skip
_COMPARING: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge, "in": lambda a, b: a in b,
    "not in": lambda a, b: a not in b, "is": operator.eq, "is not": operator.ne,
}  # fmt: skip


def _fold_sum(constants: Sequence[Any]) -> Any:
    if all(isinstance(one, int | float) for one in constants):
        return sum(constants)
    if all(isinstance(one, str | int | float) for one in constants):
        text = "".join(str(one) for one in constants)
        return text if len(text) <= _MOST_TEXT else UNKNOWN
    return UNKNOWN


def _fold_binary(operator_: str, left: Any, right: Any) -> Any:
    if isinstance(left, int | float) and isinstance(right, int | float):
        fold = _ARITHMETIC.get(operator_)
        if fold is not None and abs(left) < 1e9 and abs(right) < 1e9:
            try:
                return fold(left, right)
            except ArithmeticError:
                return UNKNOWN
    return UNKNOWN


def _fold_comparison(operator_: str, left: Value, right: Value) -> Any:
    fold = _COMPARING.get(operator_)
    other: Any = right.constant
    if operator_ in ("in", "not in") and right.items is not None and not right.taints:
        other = [item.constant for item in right.items.values()]
        if UNKNOWN in other:
            return UNKNOWN
    if fold is None or left.constant is UNKNOWN or other is UNKNOWN:
        return UNKNOWN
    try:
        return bool(fold(left.constant, other))
    except TypeError:
        return UNKNOWN


_READERS: dict[type[Expression], Callable[[Evaluator, Any, Env], Value]] = {
    Constant: Evaluator._read_constant,
    Name: Evaluator._read_name,
    Module: Evaluator._read_module,
    Attribute: Evaluator._read_attribute,
    Index: Evaluator._read_index,
    Text: Evaluator._read_text,
    Binary: Evaluator._read_binary,
    Relationship: Evaluator._read_comparison,
    Not: Evaluator._read_not,
    Logical: Evaluator._read_logical,
    Choice: Evaluator._read_choice,
    Container: Evaluator._read_container,
    Mix: Evaluator._read_mix,
    Yield: Evaluator._read_yield,
    InnerAssignment: Evaluator._read_binding,
    Call: lambda self, expression, env: self.call(expression, env),
    Routine: lambda self, expression, env: self.define(expression, env),
    Comprehension: lambda self, expression, env: self.read_comprehension(expression, env),
    Chosen: lambda self, expression, env: self.read_selection(expression, env),
}
