"""What an expression comes to: its origins, its constant if it has one, and its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from jurat.engine.flow.calls.containers import cut_list
from jurat.engine.flow.calls.parts import get_item, get_part, join_over
from jurat.engine.flow.calls.texts import (
    PERCENT_HOLE,
    fill_text,
    find_operator,
    fit_beside,
    join_text,
    write_out,
)
from jurat.engine.flow.checks.answers import is_known_right
from jurat.engine.flow.forms.program import (
    UNKNOWN,
    Attribute,
    Binary,
    Call,
    Choice,
    Chosen,
    Comprehension,
    Constant,
    Container,
    ContextOpening,
    Expression,
    Index,
    InnerAssignment,
    Logical,
    Made,
    Mix,
    Module,
    Name,
    Not,
    Reference,
    Relationship,
    Routine,
    Template,
    Text,
    Yield,
)
from jurat.engine.flow.values.called_by_syntax import (
    bind_method,
    call_operator,
    hand_over,
    read_by,
    walk_through,
)
from jurat.engine.flow.values.drawn_once import (
    is_drawn_once,
    is_drawn_with_object,
    is_filled_with_object,
)
from jurat.engine.flow.values.evaluator import Evaluator
from jurat.engine.flow.values.folding import fold_binary
from jurat.engine.flow.values.joins import join_values
from jurat.engine.flow.values.linked_scopes import read_link
from jurat.engine.flow.values.mappings import put_entry, set_item
from jurat.engine.flow.values.named_secrets import is_weak_generator, keep_guessed, note_named
from jurat.engine.flow.values.outer_names import find_set_names
from jurat.engine.flow.values.pieces import find_behind, is_place, strip_off
from jurat.engine.flow.values.repeated import is_repeated
from jurat.engine.flow.values.settings import take_default
from jurat.engine.flow.values.taints import REMOTE, merge_taints
from jurat.engine.flow.values.template_strings import build_template
from jurat.engine.flow.values.unset import compare, deny
from jurat.engine.flow.values.value import NOTHING, Env, Value, collect, extend_name, iter_taints
from jurat.engine.flow.words import split_words

MOST_STEPS = 200_000
"""Expressions and statements that are looked at for one function: about a second and a half."""

MOST_DEPTH = 180
"""Expressions, statements and calls inside each other."""


_RUNTIME = split_words(
    """
    process console globalThis global window document navigator self module exports require
    """
)
"""What JavaScript's surroundings bind in every file: nobody hands it over."""


_EQUALITY = frozenset({"==", "===", "!=", "!==", "is"})

_ENVIRONMENT = re.compile(r"(?:os\.(?:environ|getenv)|process\.env)\b")
"""Begins the name of what the environment says."""


class TooMuchWorkError(Exception):
    """A function that takes more steps than it may."""


def _list_items(value: Value) -> list[Value]:
    if value.items is None:
        return [value]
    return list(value.items.values())


def _is_flag(value: Value) -> bool:
    """Whether a value is a constant of a module, by its name, or several such."""
    return all("." in one.name and not one.taints for one in _list_items(value))


_NUMERIC = frozenset({"-", "*", "**", "//", "&", "^", "<<", ">>", "@", ">>>"})


def evaluate_expression(evaluator: Evaluator, expression: Expression, env: Env) -> Value:
    """The value of an expression. Raises TooMuchWorkError."""
    evaluator.steps += 1
    evaluator.depth += 1
    if evaluator.steps > MOST_STEPS or evaluator.depth > MOST_DEPTH:
        raise TooMuchWorkError
    value = _READERS[type(expression)](evaluator, expression, env)
    evaluator.depth -= 1
    evaluator.results[id(expression)] = value
    return value


def _read_constant(evaluator: Evaluator, expression: Constant, _env: Env) -> Value:
    return Value(constant=expression.value)


def _read_name(evaluator: Evaluator, expression: Name, env: Env) -> Value:
    name = expression.name
    found = env.look_up(name)
    if found is not None:
        is_fixed = is_drawn_once(evaluator, name, env) and _is_programs(evaluator, expression)
        return found._replace(fixed=True) if is_fixed else found
    this = env.look_up("this")
    if this is not None and this.instance is not None and evaluator.language.names_own_fields:
        own = get_part(evaluator, expression.node, this, name)
        if own.closure is not None or own.taints or not own.name.startswith("<this>"):
            is_drawn = is_filled_with_object(evaluator, own, name, expression.node)
            return own._replace(fixed=True) if is_drawn else own
        around = evaluator.find_object(this.instance.known.inside)
        if around is not None and (held := around.fields.get(name)) is not None:
            return held
    if evaluator.replaced and (patched := evaluator.replaced.get(f"builtins.{name}")) is not None:
        return patched
    for module in evaluator.open_modules:
        named = f"{module}.{name}"
        if evaluator.matcher.is_known(named):
            return evaluator.take_source(expression.node, Value(name=named))
    # `__file__` and the like are the program's own in any language.
    is_own = name[:1].isupper() or name.startswith("__") or _is_programs(evaluator, expression)
    is_own = is_own or (evaluator.language.name == "javascript" and name in _RUNTIME)
    # Bound nowhere in this text, as in a part of a file: whatever somebody handed over. To a
    # function that comes by its parameters, and what else it names is the program's.
    value = Value(name=name) if is_own else evaluator.build_unknown(expression.node, name)
    source = evaluator.take_source(expression.node, Value(name=name))
    return source if source.taints else value


def _is_programs(evaluator: Evaluator, expression: Name) -> bool:
    """Whether a function reads a name that no function sets."""
    if not evaluator.is_inside():
        return False
    tree = expression.node.get_root()
    if id(tree) not in evaluator.set_inside:
        declared = not evaluator.language.shares_scope
        evaluator.set_inside[id(tree)] = find_set_names(tree.root().text(), declared=declared)
    return expression.name not in evaluator.set_inside[id(tree)]


def _read_module(evaluator: Evaluator, expression: Module, _env: Env) -> Value:
    if expression.link is not None:
        found = read_link(evaluator.units, expression.link, expression.name)
        if found is not None:
            return found
    return evaluator.take_source(expression.node, Value(name=expression.name))


def _read_attribute(evaluator: Evaluator, expression: Attribute, env: Env) -> Value:
    of = evaluator.evaluate(expression.of, env)
    part = get_part(evaluator, expression.node, of, expression.name)
    if evaluator.matcher.asks_settings and is_drawn_with_object(evaluator, part, expression):
        part = part._replace(fixed=True)
    if of.default is None or part.constant is not UNKNOWN or part.default is not None:
        return part
    return part._replace(default=get_part(evaluator, expression.node, of.default, expression.name))


def _read_reference(evaluator: Evaluator, expression: Reference, env: Env) -> Value:
    method = evaluator.evaluate(expression.of, env)
    is_foreign = method.closure is None and bool(method.name)
    return method._replace(choices=(method,)) if is_foreign else method


def _read_index(evaluator: Evaluator, expression: Index, env: Env) -> Value:
    of = evaluator.evaluate(expression.of, env)
    if expression.key is None:
        return _read_slice(evaluator, expression, of, env)
    if _is_generic(evaluator, of):
        return of
    key = evaluator.evaluate(expression.key, env)
    if (own := bind_method(of, "__getitem__")) is not None:
        asked = hand_over(expression.node, env.drop_cleared(key))
        return evaluator.read_property(expression.node, own, asked)
    if (own := bind_method(of, f"[{expression.key.node.text()}]")) is not None:
        return Value(closure=own)
    last = key.constant == -1 or isinstance(expression.key, Binary)
    item = get_item(evaluator, expression.node, of, key.constant, last=last)
    # Whoever foretells a place foretells what is taken from there.
    kept = keep_guessed(evaluator, [key]) if key.taints else ()
    return item._replace(taints=merge_taints((*item.taints, *kept))) if kept else item


def _is_generic(evaluator: Evaluator, of: Value) -> bool:
    """Whether what stands in brackets behind a value are types: `Repository[int]`, `First[T]`."""
    if evaluator.language.name == "python":
        return of.known_class is not None and not of.known_class.is_enumeration
    return evaluator.language.name == "go" and of.closure is not None and of.items is None


def _read_slice(evaluator: Evaluator, expression: Index, of: Value, env: Env) -> Value:
    """A part of a text or a list, of which maybe is known where it begins."""
    places = [
        None if one is None else evaluator.evaluate(one, env)
        for one in (expression.start, expression.end)
    ]
    known = cut_list(of, *(None if one is None else one.constant for one in places))
    if known is not None:
        return known
    if (place := places[0]) is not None and (without := find_behind(of, place)):
        of = of._replace(taints=tuple(strip_off(of.taints, without, evaluator.path_steps)))
    return get_item(evaluator, expression.node, of, UNKNOWN, sliced=True)


def _read_template(evaluator: Evaluator, expression: Template, env: Env) -> Value:
    parts = [(evaluator.evaluate(part, env), is_put_in) for part, is_put_in in expression.parts]
    return build_template([(env.drop_cleared(one), is_put_in) for one, is_put_in in parts])


def _read_text(evaluator: Evaluator, expression: Text, env: Env) -> Value:
    values = [evaluator.evaluate(part, env) for part in expression.parts]
    if any(bind_method(one, "__add__") for one in values):
        return _add_up(evaluator, expression, [env.drop_cleared(one) for one in values])
    parts = [
        write_out(evaluator, part.node, value)
        for part, value in zip(expression.parts, values, strict=True)
    ]
    first = parts[0] if parts else NOTHING
    if len(parts) == 1:
        # `${value}` alone is the value's text, as `String(value)` is.
        made = evaluator.language.makes_text_by
        return join_text(evaluator, [first._replace(taints=evaluator.sanitize(first.taints, made))])
    if is_place(first.name) and all(isinstance(one.constant, int) for one in parts[1:]):
        return first
    if not find_operator(evaluator, first.name, "__add__"):
        joined = join_text(evaluator, parts)
        return joined._replace(fixed=_is_said_again(evaluator, expression, values))
    fit = [fit_beside(evaluator, first, "+", part) for part in parts[1:]]
    return join_text(evaluator, [first, *fit])._replace(name=first.name)


def _is_said_again(evaluator: Evaluator, expression: Text, values: Sequence[Value]) -> bool:
    """Whether a text comes again with the next message, as all of its parts do."""
    return evaluator.matcher.asks_settings and all(
        is_repeated(take_default(value), part.node)
        for part, value in zip(expression.parts, values, strict=True)
    )


def _add_up(evaluator: Evaluator, expression: Text, values: list[Value]) -> Value:
    """A sum of which some side says itself what is added to it."""
    whole = values[0]
    for value in values[1:]:
        own = call_operator(evaluator, expression.node, "+", whole, value)
        whole = join_text(evaluator, [whole, value]) if own is None else own
    return whole


def _is_of_bits(evaluator: Evaluator, operator: str, left: Value, right: Value) -> bool:
    """Whether `|` makes a number: it joins flags as well, and what is a set or a mapping."""
    joins = evaluator.language.joins_by_bar or all(map(_is_flag, (left, right)))
    return operator == "|" and not joins


def _read_binary(evaluator: Evaluator, expression: Binary, env: Env) -> Value:
    left = evaluator.evaluate(expression.left, env)
    right = evaluator.evaluate(expression.right, env)
    if expression.operator == "%" and isinstance(left.constant, str):
        return fill_text(evaluator, left.constant, _list_items(right), PERCENT_HOLE)
    folded = fold_binary(expression.operator, left.constant, right.constant)
    if folded is not UNKNOWN:
        return Value(constant=folded)
    sides = (env.drop_cleared(one) for one in (left, right))
    if (own := call_operator(evaluator, expression.node, expression.operator, *sides)) is not None:
        return own
    if expression.operator in _NUMERIC or _is_of_bits(evaluator, expression.operator, left, right):
        repeated = expression.operator == "*" and isinstance(left.constant, str)
        kept = keep_guessed(evaluator, (left, right))
        # Of letters' codes others are made: `ord(letter) ^ key`.
        coded = (one for side in (left, right) for one in side.taints if not one.live)
        kept = merge_taints((*kept, *coded))
        return Value(kept, fixed=repeated) if kept or repeated else NOTHING
    if expression.operator == "/":
        name = left.name if left.name.endswith("Path") else extend_name(left.name, "/")
        alone = tuple(taint for taint in right.taints if taint.is_rooted)
        below = right._replace(
            taints=tuple(t._replace(settled=None) for t in right.taints if not t.is_rooted)
        )
        # The folder that another function found stays its own, whatever is put behind it.
        front = tuple(taint for taint in left.taints if taint.foreign)
        given = left._replace(taints=tuple(t for t in left.taints if not t.foreign))
        joined = join_text(evaluator, [given, Value(constant="/"), below])
        joined = joined._replace(taints=merge_taints((*alone, *front, *joined.taints)))
        return joined._replace(name=name if left.name else "")
    if expression.operator == "|" and all(map(_is_flag, (left, right))):
        # Flags that are put together are several that are given.
        return Value(items=dict(enumerate((*_list_items(left), *_list_items(right)))))
    taints = [left, fit_beside(evaluator, left, expression.operator, right)]
    return Value(collect(taints), name=left.name)


def _read_comparison(evaluator: Evaluator, expression: Relationship, env: Env) -> Value:
    left = evaluator.evaluate(expression.left, env)
    right = evaluator.evaluate(expression.right, env)
    if expression.operator in ("in", "not in") and (own := bind_method(right, "__contains__")):
        asked = hand_over(expression.node, env.drop_cleared(left))
        evaluator.read_property(expression.node, own, asked)
    answer = compare(expression.operator, left, right)
    if not evaluator.matcher.believed or UNKNOWN not in (left.constant, right.constant):
        return answer
    # Who sends `admin=yes` still says himself what he is; who knows a password does not.
    said = left if right.constant is not UNKNOWN else right
    is_said = left.constant is not right.constant and expression.operator in _EQUALITY
    taints = [one.drop_answered(~evaluator.matcher.believed) for one in said.taints if is_said]
    return answer._replace(taints=tuple(one for one in taints if one.matters))


def _read_not(evaluator: Evaluator, expression: Not, env: Env) -> Value:
    return deny(evaluator.evaluate(expression.of, env))


def _read_logical(evaluator: Evaluator, expression: Logical, env: Env) -> Value:
    left = evaluator.evaluate(expression.left, env)
    conjunction = expression.operator == "and"
    if left.constant is not UNKNOWN and bool(left.constant) is not conjunction:
        return left
    if not conjunction and left.items and not left.partial:
        return left
    other = env.copy()
    evaluator.narrow(expression.left, other, holds=conjunction)
    right = evaluator.evaluate(expression.right, other)
    _keep_assigned(env, other)
    if left.constant is not UNKNOWN:
        return right
    if conjunction:
        if is_known_right(expression) and all(one.foreign for one in iter_taints(left)):
            # It has to be so here as well: nobody is more than that by saying so.
            own = (one.drop_answered(evaluator.matcher.believed) for one in right.taints)
            right = right._replace(taints=tuple(one for one in own if one.matters))
        # It is the left side only if that is empty.
        left = left._replace(taints=())
    joined = join_values(env.drop_cleared(left), other.drop_cleared(right))
    if not conjunction and right.constant is not UNKNOWN and _ENVIRONMENT.match(left.name):
        # What the environment does not say is decided here.
        return joined._replace(default=right)
    return joined._replace(name=right.name) if is_weak_generator(evaluator, right) else joined


def _keep_assigned(env: Env, other: Env) -> None:
    """What a side of a condition puts into variables may be in there behind it."""
    for name, value in other.values.items():
        before = env.values.get(name)
        if before is not value:
            env.values[name] = value if before is None else join_values(before, value)


def _read_choice(evaluator: Evaluator, expression: Choice, env: Env) -> Value:
    known = evaluator.decide(expression.condition, env)
    sides = []
    for holds, side in ((True, expression.yes), (False, expression.no)):
        if known is None or known is holds:
            other = env.copy()
            evaluator.narrow(expression.condition, other, holds=holds)
            sides.append(other.drop_cleared(evaluator.evaluate(side, other)))
            _keep_assigned(env, other)
    return sides[0] if len(sides) == 1 else join_values(sides[0], sides[1])


def _read_container(evaluator: Evaluator, expression: Container, env: Env) -> Value:
    made = Value(items={}, box=object())
    for position, (key, entry, spread) in enumerate(expression.entries):
        value = evaluator.evaluate(entry, env)
        # A constant text is put behind as it is: `append(line, "text"...)` of bytes.
        if spread and not (isinstance(value.constant, str) and not expression.mapping):
            value = walk_through(evaluator, entry.node, value)
            if value.items is not None:
                at = len(made.items or {})
                for number, (name, item) in enumerate(value.items.items()):
                    made = set_item(made, name if expression.mapping else at + number, item)
                made = made._replace(taints=merge_taints((*made.taints, *value.taints)))
            else:
                before = made.taints
                if expression.mapping and all(taint.foreign for taint in value.taints):
                    # What is known of nobody outside stands above what they have sent.
                    before = tuple(t.drop_answered(evaluator.matcher.believed) for t in before)
                taints = merge_taints((*before, *iter_taints(value)))
                if expression.mapping and _is_sent(value):
                    made = join_over(evaluator, entry.node, made, value)
                made = made._replace(taints=taints, partial=True)
            if value.partial:
                made = made._replace(partial=True)
            continue
        # Behind a list of which nobody knows how long it is, it is at least not its first.
        place = Value(constant=position if made.partial else len(made.items or {}))
        if key is not None:
            place = evaluator.evaluate(key, env)
            note_named(evaluator, place.beginning, value, entry.node)
        made = put_entry(made, place, value)
    return made


def _is_sent(value: Value) -> bool:
    """Whether somebody outside may have put anything in it."""
    return any(taint.strength == REMOTE and not taint.foreign for taint in value.taints)


def _read_mix(evaluator: Evaluator, expression: Mix, env: Env) -> Value:
    return Value(collect([evaluator.evaluate(part, env) for part in expression.parts]))


def _read_opening(evaluator: Evaluator, expression: ContextOpening, env: Env) -> Value:
    of = evaluator.evaluate(expression.of, env)
    return read_by(evaluator, expression.node, of, "__enter__") or of


def _read_yield(evaluator: Evaluator, expression: Yield, env: Env) -> Value:
    value = evaluator.evaluate(expression.of, env)
    if evaluator.yielded:
        evaluator.yielded[-1].append(env.drop_cleared(value))
    return NOTHING


def _read_binding(evaluator: Evaluator, expression: InnerAssignment, env: Env) -> Value:
    value = evaluator.evaluate(expression.value, env)
    evaluator.assign(expression.target, value, env, expression.node)
    return value


_READERS: dict[type[Expression], Callable[[Evaluator, Any, Env], Value]] = {
    Constant: _read_constant,
    Name: _read_name,
    Module: _read_module,
    Attribute: _read_attribute,
    Reference: _read_reference,
    Index: _read_index,
    Text: _read_text,
    Template: _read_template,
    Binary: _read_binary,
    Relationship: _read_comparison,
    Not: _read_not,
    Logical: _read_logical,
    Choice: _read_choice,
    Container: _read_container,
    Mix: _read_mix,
    ContextOpening: _read_opening,
    Yield: _read_yield,
    InnerAssignment: _read_binding,
    Call: lambda self, expression, env: self.call(expression, env),
    Routine: lambda self, expression, env: self.define(expression, env),
    Comprehension: lambda self, expression, env: self.read_comprehension(expression, env),
    Chosen: lambda self, expression, env: self.read_selection(expression, env),
    Made: lambda self, expression, env: self.make_class(expression.made, env),
}
