"""What an assignment puts where: into a variable, a part of an object, several at once."""

from __future__ import annotations

import re

from ast_grep_py import SgNode

from jurat.engine.flow.calls.containers import cut_list, open_builder
from jurat.engine.flow.calls.creations import is_class_name
from jurat.engine.flow.calls.parts import get_item, get_part
from jurat.engine.flow.calls.patched_classes import find_described, find_own_setter, put_into_class
from jurat.engine.flow.checks.guards import is_condition
from jurat.engine.flow.forms.program import (
    SETTER,
    UNKNOWN,
    Argument,
    Assign,
    Attribute,
    Call,
    Constant,
    Container,
    Expression,
    Index,
    InnerAssignment,
    Name,
    Routine,
    Shape,
)
from jurat.engine.flow.sinks.hits import check_sinks, drop_pages
from jurat.engine.flow.statements.frames import Frame, Runner
from jurat.engine.flow.statements.shapes import assign_shape
from jurat.engine.flow.values.addresses import find_address_part
from jurat.engine.flow.values.called_by_syntax import bind_method, hand_over, walk_through
from jurat.engine.flow.values.flags import UNTOLD
from jurat.engine.flow.values.joins import join_values
from jurat.engine.flow.values.mappings import KEY, keep_under, put_entry, set_item
from jurat.engine.flow.values.named_secrets import keep_guessed, note_named
from jurat.engine.flow.values.namespaces import set_by_name
from jurat.engine.flow.values.pieces import is_place, take_piece
from jurat.engine.flow.values.settings import forget, remember
from jurat.engine.flow.values.taints import PARTS, merge_taints
from jurat.engine.flow.values.value import (
    NOTHING,
    Closure,
    Env,
    Instance,
    Value,
    collect,
    iter_taints,
)
from jurat.rules.callee_settings import normalize_option

_ENTRY = re.compile(r"(?i)(?:items|entries)\(\)\[\]$")
"""Ends the name of an entry of a mapping: its key, and its value."""

_PLACING = frozenset({"setdefault", "computeIfAbsent", "putIfAbsent"})
"""Methods that put something under a key if there is nothing, and answer with what is there."""

_FOUND = re.compile(r"^(?:strings|bytes)\.Cut(?P<end>Prefix|Suffix)?\(\)$")
"""The name of what Go's functions return that say last whether they have found it."""

_SPLIT = re.compile(r"\.(?:Cut|r?partition|r?split|splitext|Split|SplitN|SplitHostPort)\(\)$")
"""Ends the name of a text or a path that was split: its parts are different texts."""

_HOSTS = frozenset({"host", "hostname", "Host"})

_BEHIND_HOST = frozenset({"RawQuery", "Fragment", "RawFragment", "search", "hash"})
"""Parts of an address that stand behind its host, whatever they are."""

_PATH_PARTS = frozenset({"Path", "RawPath", "pathname"})

_PARSED = re.compile(r"(?:url\.Parse|url\.ParseRequestURI|(?:^|\.)URL|urlparse|urlsplit)(?:\(\))?$")
"""Ends the name of an address that was read: it has its host, and a path chooses no other."""


def _keep_field(runner: Runner, instance: Instance, name: str, value: Value) -> None:
    """Put a value into a field of an object: what a call gives is of the field's type."""
    # Elsewhere how it was made says more, as whose random numbers `rand.New` gives.
    keeps = runner.language.keeps_types and runner.language.names_own_fields
    declared = instance.known.find_type(name) if keeps else ""
    if value.name.endswith("()") and is_class_name(declared):
        value = give_type(runner, value, declared)
    before = instance.fields.get(name)
    if before is not None and before.taints:
        value = join_values(before, value)
    elif before is not None and _are_different(before.constant, value.constant):
        # The paths of a function share its object: either may be what it has later.
        value = value._replace(constant=UNKNOWN)
    instance.fields[name] = value


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


def run_assign(runner: Runner, statement: Assign, env: Env, _frame: Frame) -> None:
    """Go through an assignment or a declaration."""
    value = runner.evaluate(statement.value, env)
    if statement.type:
        value = give_type(runner, value, statement.type)
    if statement.noted and value.instance is None and value.items is None:
        # What came from a registry or the like is an object of the class that is noted.
        value = value._replace(instance=runner.find_object(statement.noted))
    target = statement.target
    if isinstance(target, Name) and target.name.startswith("*"):
        if value.known_class is not None:
            # A module of the change: its names are bound one by one.
            env.values |= {
                name: one
                for name, one in value.known_class.fields.items()
                if name not in env.values
            }
        runner.open_modules.append(value.name)
    if statement.declares and isinstance(target, Name):
        env.present -= {target.name}
        env.flags.pop(target.name, None)
        note_named(runner, target.name, value, statement.node)
        env.values[target.name] = mark_step(runner, value, statement.node)
        if isinstance(statement.value, Routine):
            _apply_decorators(runner, statement.value, value, target.name, env)
            return
    else:
        runner.assign(target, value, env, statement.node)
    _remember_condition(runner, target, statement.value, env)
    _remember_parts(runner, target, statement.value, env)


def _apply_decorators(runner: Runner, function: Routine, value: Value, name: str, env: Env) -> None:
    """What the file's own decorators make of a function; another's is taken to keep it."""
    for decorator in reversed(function.decorators):
        own = runner.evaluate(decorator, env)
        if own.closure is not None:
            call = Call(decorator.node, decorator, [Argument(Name(decorator.node, name))])
            made = runner.evaluate(call, env)
            if made.closure is not None and made.closure.function is not function:
                env.values[name] = made


def give_type(runner: Runner, value: Value, type_name: str) -> Value:
    """A value that was declared to be of a type."""
    if runner.is_number_type(type_name):
        name = value.name if is_place(value.name) else type_name
        return Value(keep_guessed(runner, [value]), constant=value.constant, name=name)
    if value.instance is not None:
        return value
    return open_builder(value._replace(name=_find_exact_type(value.name, type_name)), ())


def mark_step(runner: Runner, value: Value, node: SgNode) -> Value:
    """The value with one more step behind it."""
    if not value.taints:
        return value
    return value._replace(taints=tuple(taint.carry(node) for taint in value.taints))


def _remember_condition(runner: Runner, target: Expression, value: Expression, env: Env) -> None:
    names = [target.name] if isinstance(target, Name) else []
    if isinstance(target, Container):
        names = [one.name for _, one, _ in target.entries if isinstance(one, Name)]
    for name in names:
        if is_condition(value):
            env.conditions[name] = value
        else:
            env.conditions.pop(name, None)


def _remember_parts(runner: Runner, target: Expression, value: Expression, env: Env) -> None:
    """What each of several says that a call returned together."""
    truths = runner.facts.get(id(value))
    if truths is None or not truths.parts or not isinstance(target, Container):
        return
    for position, (key, one, _) in enumerate(target.entries):
        flag = truths.parts.get(position if key is None else getattr(key, "value", None))
        if flag is not None and isinstance(one, Name):
            env.flags[one.name] = flag


def assign_value(runner: Runner, target: Expression, value: Value, env: Env, node: SgNode) -> None:
    """Put a value into a variable, a part of something, or several at once."""
    if isinstance(target, Name | Attribute):
        note_named(runner, target.name, value, node)
    if isinstance(target, Name):
        _assign_name(runner, target.name, mark_step(runner, value, node), env)
    elif isinstance(target, Attribute):
        _assign_attribute(runner, target, value, env, node)
    elif isinstance(target, Index):
        _assign_item(runner, target, value, env, node)
    elif isinstance(target, InnerAssignment):
        # A target with a default, for what the value has not.
        default = runner.evaluate(target.value, env)
        joined = join_values(value, default)
        if joined.constant is UNKNOWN and default.constant is not UNKNOWN:
            joined = joined._replace(default=default)
        runner.assign(target.target, joined, env, node)
    elif isinstance(target, Container):
        _assign_parts(runner, target, value, env, node)
    elif isinstance(target, Shape):
        assign_shape(runner, target, value, env, node)


def _assign_item(runner: Runner, target: Index, value: Value, env: Env, node: SgNode) -> None:
    """Put a value under a key of something."""
    of = runner.evaluate(target.of, env)
    key = NOTHING if target.key is None else runner.evaluate(target.key, env)
    if isinstance(key.constant, str) and set_by_name(runner, target.of, key.constant, value, env):
        return
    name = f"{of.name or '?'}[]"
    if (method := bind_method(of, "__setitem__")) is not None:
        runner.read_property(node, method, hand_over(node, key, env.drop_cleared(value)))
        return
    note_named(runner, key.beginning, value, node)
    check_sinks(runner, node, name, [(None, value), (None, key)], env, assigned=True)
    if key.constant is not UNKNOWN:
        _check_late(runner, target, Value(items={key.constant: value}), of, env)
    if isinstance(key.constant, str):
        runner.leave_with(of, key.constant, env.drop_cleared(value))
    is_module = runner.is_foreign(of) and not of.name.endswith("()")
    if is_module and isinstance(key.constant, str) and not key.taints:
        # `session["next"]` of a module: who reads another key reads another value. What a
        # call made, such as `dict(known)`, is read as a whole.
        kept = f"{of.name}.{key.constant}"
        held = mark_step(runner, value, node)
        runner.replaced[kept] = join_values(runner.replaced.get(kept, held), held)
        return
    runner.update(target.of, _put_item(of, key, value), env)


def _assign_attribute(
    runner: Runner, target: Attribute, value: Value, env: Env, node: SgNode
) -> None:
    """Put a value into a named part of something."""
    of = runner.evaluate(target.of, env)
    name = f"{of.name or '?'}.{target.name}"
    check_sinks(runner, node, name, [(None, value)], env, assigned=True)
    _check_late(runner, target, value, of, env)
    runner.hits = drop_pages(runner.hits, target.name, of, value)
    runner.leave_with(of, target.name, env.drop_cleared(value))
    runner.note_option(target, value, env)
    if of.instance is not None and (setter := of.instance.known.find_method(SETTER + target.name)):
        bound = Closure(setter.function, setter.around, of.instance)
        runner.apply_later(Call(node, target, ()), bound, [(Argument(target), value)], env)
    elif (own := find_own_setter(of, target.name)) is not None:
        runner.apply_later(Call(node, target, ()), own, [(Argument(target), value)], env)
    elif of.instance is not None and (own := find_described(of.instance, target.name)) is not None:
        runner.read_property(node, own, hand_over(node, of, env.drop_cleared(value)))
    elif of.instance is not None:
        if (method := bind_method(of, "__setattr__")) is not None:
            said = hand_over(node, Value(constant=target.name), env.drop_cleared(value))
            runner.read_property(node, method, said)
        held = env.drop_cleared(mark_step(runner, value, node))
        _keep_field(runner, of.instance, target.name, held)
    elif of.known_class is not None:
        put_into_class(of.known_class, target.name, mark_step(runner, value, node))
    elif runner.is_foreign(of) and not _is_address(of) and (value.closure or value.name):
        runner.replaced[name] = value
    else:
        mask = runner.matcher.get_rejected("//")
        if target.name in _HOSTS and _is_own_host(value, mask):
            # Wherever an address led, it leads there now.
            left = tuple(one.drop_answered(mask) for one in of.taints)
            of = of._replace(taints=left)
        if _is_behind_host(of, target.name):
            value = _clear_places(runner, value)
        if of.given is not None and normalize_option(target.name) in runner.matcher.options:
            of = remember(of, target.name, value)
        if not any(iter_taints(env.drop_cleared(value))):
            # Whatever was sent under this name is there no more.
            env.clear([one.enter(target.name) for one in of.taints], runner.matcher.everything)
        runner.update(target.of, set_item(of, target.name, value), env)


def _check_late(
    runner: Runner, target: Attribute | Index, value: Value, of: Value, env: Env
) -> None:
    """What is put into an object of somebody else's class could have been told its constructor."""
    if of.box is not None and of.name and of.items is None and any(iter_taints(value)):
        said = target.name if isinstance(target, Attribute) else None
        made = of.name.removesuffix("()")
        check_sinks(runner, target.node, made, [(Argument(target, said), value)], env)


def _clear_places(runner: Runner, value: Value) -> Value:
    """A value that can choose no host where it stands."""
    mask = runner.matcher.get_rejected("//")
    left = (one.drop_answered(mask) for one in collect([value]))
    return Value(tuple(one for one in left if one.matters))


def _assign_parts(runner: Runner, target: Container, value: Value, env: Env, node: SgNode) -> None:
    """Each part of a value to its own target."""
    if target.entries and not target.mapping:
        value = walk_through(runner, node, value)
    for position, (key, one, spread) in enumerate(target.entries):
        rest = cut_list(value, position) if spread and position == len(target.entries) - 1 else None
        if rest is not None and position and not any(s for _, _, s in target.entries[:-1]):
            runner.assign(one, rest, env, node)
        elif spread:
            runner.assign(
                one,
                value._replace(constant=UNKNOWN, items=None, taints=collect([value])),
                env,
                node,
            )
        elif key is not None and isinstance(key, Constant):
            runner.assign(one, get_part(runner, node, value, str(key.value)), env, node)
        elif value.items is not None:
            runner.assign(one, get_item(runner, node, value, position), env, node)
        else:
            # What a call returned together: each part has its origins.
            if (found := _FOUND.search(value.name)) and position == (1 if found["end"] else 2):
                # Whether there was anything to cut.
                runner.assign(one, NOTHING, env, node)
                continue
            name = value.name if position == 0 else ""
            kept = value._replace(constant=UNKNOWN, name=name, box=None)
            if position == 0 and _ENTRY.search(value.name):
                # A check of an entry's key says nothing of its value.
                kept = kept._replace(taints=tuple(one.enter(KEY) for one in kept.taints))
            elif _SPLIT.search(value.name):
                # A check of the one part says nothing of the other.
                step = PARTS[min(position, len(PARTS) - 1)]
                pieces = take_piece(kept.taints, runner.path_steps, last=False, later=position > 0)
                kept = kept._replace(taints=tuple(one.enter(step) for one in pieces))
            runner.assign(one, kept, env, node)


def _assign_name(runner: Runner, name: str, value: Value, env: Env) -> None:
    env.conditions.pop(name, None)
    env.flags.pop(name, None)
    env.present -= {name}
    before = env.values.get(name)
    is_number = before is not None and runner.is_number_type(before.name)
    is_kept = is_number and runner.language.keeps_types and not is_place(value.name)
    if before is not None and is_kept:
        # It was declared to be one, and stays one.
        kept = keep_guessed(runner, [value])
        value = Value(kept, constant=value.constant, name=before.name)
    elif before is not None and value.name.endswith("()") and _is_declared(runner, before):
        # `Entry entry; while ((entry = zip.next()) != null)`: what a call gives is an Entry.
        value = give_type(runner, value, before.name)
    if name not in env.values:
        if _keep_own_field(runner, name, value, env):
            return
        around = env.parent
        while around is not None:
            if name in around.values and (runner.language.shares_scope or name in env.outer):
                around.values[name] = join_values(around.values[name], value)
                around.flags[name] = UNTOLD
                break
            around = around.parent
    env.values[name] = value


def _keep_own_field(runner: Runner, name: str, value: Value, env: Env) -> bool:
    """Put a value into a field that is named without its object; whether there is one."""
    this = env.look_up("this") if runner.language.names_own_fields else None
    if this is None or this.instance is None or not this.instance.known.has_field(name):
        return False
    _keep_field(runner, this.instance, name, env.drop_cleared(value))
    return True


def _is_declared(runner: Runner, value: Value) -> bool:
    """Whether a variable's values are all of the type that it has now."""
    return runner.language.keeps_types and is_class_name(value.name)


def _put_name(runner: Runner, name: str, value: Value, env: Env) -> None:
    """Put a changed container back into the variable that it was read from."""
    holder: Env | None = env
    while holder is not None and name not in holder.values:
        holder = holder.parent
    if holder is None:
        this = env.look_up("this") if runner.language.names_own_fields else None
        own = this.instance.fields if this is not None and this.instance else {}
        if name in own:
            own[name] = value
        return
    before = holder.values[name]
    if holder.parent is None and holder is not env:
        # Of the file itself: it stays what it was for whoever reads it before.
        value = join_values(before, value)
    holder.values[name] = value
    # Whoever changes it elsewhere may have done so or not.
    if holder is env:
        env.flags.pop(name, None)
    else:
        holder.flags[name] = UNTOLD
    _update_aliases(runner, before, value, env)


def put_back(runner: Runner, target: Expression, value: Value, env: Env) -> None:
    """Put a changed container back where it was read from."""
    if isinstance(target, Name | Attribute):
        note_named(runner, target.name, value, target.node)
    if isinstance(target, Name):
        _put_name(runner, target.name, value, env)
    elif isinstance(target, Attribute):
        of = runner.results.get(id(target.of))
        if of is not None and of.instance is not None:
            of.instance.fields[target.name] = value
        elif of is not None and of.items is not None:
            runner.update(target.of, set_item(of, target.name, value), env)
    elif isinstance(target, Index) and (held := runner.results.get(id(target.of))) is not None:
        key = NOTHING if target.key is None else runner.results.get(id(target.key), NOTHING)
        if held.items is not None and isinstance(key.constant, str | int):
            runner.update(target.of, set_item(held, key.constant, value), env)
    elif isinstance(target, InnerAssignment):
        runner.update(target.target, value, env)
    elif (under := _find_under(target)) is not None:
        runner.update(under, value, env)
    elif isinstance(target, Call) and (held := runner.results.get(id(target))) is not None:
        # `a.append(b).append(c)`: the call returned the object itself.
        _update_aliases(runner, held, value, env)


def _find_under(target: Expression) -> Index | None:
    """`a[k]` for `a.setdefault(k, [])`, which puts there what it answers with."""
    callee = target.callee if isinstance(target, Call) else None
    if not isinstance(callee, Attribute) or callee.name not in _PLACING:
        return None
    given = target.arguments if isinstance(target, Call) else ()
    return Index(target.node, callee.of, given[0].value) if given else None


def _update_aliases(runner: Runner, before: Value, value: Value, env: Env) -> None:
    """An object that was changed is changed under each of its names."""
    around: Env | None = env if before.box is not None else None
    while around is not None:
        runner.steps += len(around.values) // 8
        for name, held in around.values.items():
            if held.box is before.box and held is not value:
                around.values[name] = value
        this = around.values.get("this")
        if this is not None and this.instance is not None:
            for name, held in this.instance.fields.items():
                if held.box is before.box and held is not value:
                    this.instance.fields[name] = value
        around = around.parent
