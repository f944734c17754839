"""What a part of a value is: a field of an object, an element, a slice of a text."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ast_grep_py import SgNode

from jurat.engine.flow.forms.program import UNKNOWN, Call
from jurat.engine.flow.values.called_by_syntax import (
    bind_method,
    bind_to_class,
    bind_to_object,
    bind_to_sent,
    hand_over,
    read_by,
)
from jurat.engine.flow.values.evaluator import Evaluator
from jurat.engine.flow.values.joins import join_values
from jurat.engine.flow.values.mappings import pick_any, take_held, take_kept
from jurat.engine.flow.values.named_secrets import OWN_DRAW, is_weak_generator
from jurat.engine.flow.values.pieces import take_piece
from jurat.engine.flow.values.questions import MOST_NAMES
from jurat.engine.flow.values.repeated import is_repeated
from jurat.engine.flow.values.taints import EACH, SLICE, Taints
from jurat.engine.flow.values.unset import find_unset_part
from jurat.engine.flow.values.value import (
    NOTHING,
    Env,
    Instance,
    Value,
    collect,
    extend_name,
    iter_taints,
)
from jurat.engine.flow.words import split_words

_SPEAKING = split_words(
    """
    netloc hostname host Host Hostname origin getHost
    """
)
"""Parts of a URL of which a check says that the whole is fit."""

_FOUND = re.compile(
    r"(?:^|[.:])(?i:get|find|fetch|load|lookup|look_up|retrieve|select|query)_?(?!.*(?i:param|arg|body|json"
    r"|form|query|header|cookie|data|payload|input|request|url|uri|path))(?:[A-Z_]|[a-z]+_|by)?\w*\(\)$"
)
"""Ends the name of the answer of what looks something up, as `get_book()` does."""

_OF_HOST = re.compile(r"(?:node:)?dns\b")
"""Begins the name of what looks a host up: its address is the host's, and no record's of ours."""

_HARMLESS = split_words(
    """
    length size status_code Len __class__ count
    """
)

_SEPARATORS = split_words(
    """
    os.sep os.path.sep path.sep path/filepath.Separator os.PathSeparator
    java.io.File.separator File.separator
    """
)
"""What stands between the steps of a path, on most systems."""


@lru_cache(maxsize=MOST_NAMES)
def is_finder(name: str) -> bool:
    """Whether a name is one of the answer of what looks something up."""
    return _FOUND.search(name) is not None and _OF_HOST.match(name) is None


def _derive(taints: Taints, step: str | None) -> Taints:
    """The origins of a part of a value."""
    if step is None:
        return taints
    if step == SLICE:
        return tuple(one if one.path[-1:] == (SLICE,) else one.enter(SLICE) for one in taints)
    return tuple(taint.enter(step) for taint in taints)


def _take_sampled(evaluator: Evaluator, found: Value | None, sampled: Value | None) -> Value | None:
    """A field of an object that nobody was seen to make, by one that was made here: a default.

    What was told an option is taken as it is: nobody decides by it.
    """
    if sampled is None or (found is not None and found.constant is not UNKNOWN):
        return found
    if sampled.name == OWN_DRAW or is_weak_generator(evaluator, sampled):
        return sampled
    if sampled.instance is not None or sampled.closure is not None:
        # What it works with is what the file has given it, whoever it is that may give it others.
        is_known = found is not None and (found.instance is not None or found.closure is not None)
        return found if is_known else sampled._replace(taints=found.taints if found else ())
    if (sampled.given is not None or "+" in sampled.name) and not sampled.taints:
        return sampled
    is_list = bool(sampled.items) and not any(iter_taints(sampled))
    is_unknown = sampled.constant is UNKNOWN or sampled.constant is None
    if is_unknown and not sampled.fixed and not is_list:
        return found
    return (found or NOTHING)._replace(default=sampled)


def _is_key(key: Any) -> bool:
    return key is not UNKNOWN and isinstance(key, str | int | float | bool)


def get_part(evaluator: Evaluator, node: SgNode, of: Value, name: str) -> Value:
    """A named part of a value."""
    if of.instance is not None:
        own = _get_own_part(evaluator, node, of, of.instance, name)
        if own is not None:
            return own
    if (shared := _get_shared_part(evaluator, of, name)) is not None:
        return shared
    if of.items is not None and name in of.items:
        held = bind_to_object(of.items[name], of)
        if held.closure is not None and held.closure.function.is_property:
            return evaluator.read_property(node, held.closure)
        return of.items[name]
    qualified = extend_name(of.name, f".{name}")
    if qualified in evaluator.replaced:
        return evaluator.replaced[qualified]
    if (left := evaluator.take_from(of, name)) is not None:
        return left
    source = evaluator.take_source(node, Value(name=qualified))
    for base in of.instance.known.foreign if of.instance is not None else ():
        # A class of a library hands over what came in as a field of its own.
        inherited = Value(name=extend_name(base, f".{name}"))
        source = source if source.taints else evaluator.take_source(node, inherited)
    if source.taints:
        return source
    if name in _HARMLESS:
        return Value(name=qualified)
    taints = take_held(of.taints if of.items is None else collect([of]))
    # A part of what was found by something: a record that was there before.
    found = is_finder(of.name)
    taints = tuple(one for one in taints if not (one.found or (found and one.foreign)))
    # A form may have a field of that name: it speaks of itself alone.
    speaks = name in _SPEAKING and not evaluator.matcher.find_source(of.name)
    taints = _derive(taints, None if speaks else name)
    separator = "/" if qualified in _SEPARATORS else UNKNOWN
    unset = find_unset_part(of, name)
    return Value(evaluator.sanitize(taints, qualified), separator, name=qualified, default=unset)


def _get_shared_part(evaluator: Evaluator, of: Value, name: str) -> Value | None:
    """A part of a class, or of a function as what objects are made by; None for any other."""
    is_prototype = name == "prototype" and evaluator.language.has_prototypes
    if is_prototype and (known := evaluator.find_prototype(of)) is not None:
        return Value(known_class=known)
    if of.known_class is None:
        return None
    method = of.known_class.find_method(name)
    if method is not None:
        names_own = evaluator.language.names_own_fields
        shared = evaluator.find_object(of.known_class.name) if names_own else None
        return Value(closure=bind_to_class(of.known_class, method, shared))
    return of.known_class.find_field(name)


def _get_own_part(
    evaluator: Evaluator, node: SgNode, of: Value, instance: Instance, name: str
) -> Value | None:
    """A part of an object of the file's classes; None if it is what somebody handed over."""
    if of.taints and (checked := evaluator.read_checked(node, of, instance, name)):
        return checked
    said = instance.known.find_allowed(name)
    if of.taints and said is not None:
        answered = evaluator.find_declared(said, of.taints)
        left = (one.drop_answered(answered) for one in _derive(of.taints, name))
        return Value(tuple(one for one in left if one.matters), name=f"?.{name}")
    typed = instance.known.find_type(name)
    if of.taints and typed and evaluator.is_number_type(typed):
        return Value(_keep_believed(evaluator, _derive(of.taints, name)), name=typed)
    found = _read_field(evaluator, instance, name)
    if found is not None and found.name.removesuffix("()").endswith("Field") and said is not None:
        # A field of a form that has its text checked: `form.name.data` is fit.
        return NOTHING
    getter = bind_method(found, "__get__") if found is not None else None
    if getter is not None:
        return evaluator.read_property(node, getter, hand_over(node, of))
    if found is not None:
        if not of.taints or evaluator.find_object(instance.known.name) is not instance:
            return found
        # Somebody hands it over: its fields are theirs, or what its class begins with.
        return join_values(found, Value(_derive(of.taints, name)))
    method = instance.known.find_method(name)
    if method is not None:
        bound = bind_to_sent(of, instance, method)
        return (
            evaluator.read_property(node, bound)
            if method.function.is_property
            else Value(closure=bound)
        )
    # To call a field that is declared a `Function` is not to make one of a text.
    if typed and typed != "Function" and not of.taints:
        return Value(name=typed, instance=evaluator.find_object(typed))
    return read_by(evaluator, node, of, "__getattr__")


def _keep_believed(evaluator: Evaluator, taints: Taints) -> Taints:
    """What is left of origins in a number: it may be that of somebody's account."""
    left = (one.drop_answered(~evaluator.matcher.believed) for one in taints)
    return tuple(one for one in left if one.matters)


def _read_field(evaluator: Evaluator, instance: Instance, name: str) -> Value | None:
    """A field of an object, by what it was set to and what it is declared to be."""
    found = instance.fields.get(name)
    sample = instance.known.sample
    if sample is not None and not instance.made:
        found = _take_sampled(evaluator, found, sample.fields.get(name))
    if found is None or found.instance is not None or found.closure is not None:
        return found
    declared = evaluator.find_object(instance.known.find_type(name))
    return found if declared is None else found._replace(instance=declared)


def _take_known(evaluator: Evaluator, node: SgNode, of: Value, key: str, name: str) -> Value | None:
    """What a function has left under a key, or somebody outside has sent; None if neither."""
    if (left := evaluator.take_from(of, key)) is not None:
        return left
    source = evaluator.take_source(node, Value(name=name))
    return source if source.taints else evaluator.replaced.get(name)


def get_item(
    evaluator: Evaluator,
    node: SgNode,
    of: Value,
    key: Any,
    *,
    sliced: bool = False,
    last: bool = False,
) -> Value:
    """A part of a value by its key; `last` says that it is the last one."""
    fixed = sliced and evaluator.matcher.asks_settings and is_repeated(of, node)
    if fixed and not of.taints:
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
    # A part of a list that a call returned is a list of the same.
    is_list = sliced and of.name.endswith("()")
    qualified = of.name if is_list else extend_name(of.name, "[]")
    if isinstance(key, str):
        part = extend_name(of.name, f".{key}")
        if (known := _take_known(evaluator, node, of, key, part)) is not None:
            return known
        if evaluator.matcher.find_sinks(part):
            # `child_process["exec"]`; what somebody has sent under such a key is theirs.
            qualified = part
    step = str(key) if _is_key(key) else EACH
    taints = evaluator.take_parts(take_kept(key, take_held(collect([of]))), of.name)
    if not sliced:
        later = last or (isinstance(key, int) and key > 0)
        taints = tuple(take_piece(taints, evaluator.path_steps, last=last, later=later))
    return Value(_derive(taints, SLICE if sliced else step), name=qualified, fixed=fixed)


def read_accessor(
    evaluator: Evaluator, expression: Call, called: Value, receiver: Value, name: str
) -> Value | None:
    """A part of a record by its method of the same name, or by a `getName()` that the class
    does not write itself; None for any other call.
    """
    traits = evaluator.language
    if not traits.reads_by_accessor or expression.arguments or receiver.instance is None:
        return None
    types = receiver.instance.known.types
    if called.closure is not None:
        return None
    if name in types:
        return called
    part = name[3:4].lower() + name[4:] if name.startswith("get") else ""
    return get_part(evaluator, expression.node, receiver, part) if part in types else None


def get_method(evaluator: Evaluator, node: SgNode, receiver: Value, name: str) -> Value:
    """What a method of this name is: one of the file, a function in a table, or just a name."""
    separates = evaluator.language.separates_methods
    if separates and receiver.instance is not None:
        method = receiver.instance.known.find_method(name)
        if method is not None:
            return Value(closure=bind_to_sent(receiver, receiver.instance, method))
    if receiver.instance is not None or receiver.known_class is not None:
        found = get_part(evaluator, node, receiver, name)
        if found.closure is not None or found.name or separates:
            return found
    if receiver.items is not None and (held := receiver.items.get(name)) is not None:
        return held if held.name or held.closure else held._replace(name=f"?.{name}")
    qualified = extend_name(receiver.name, f".{name}")
    if (held := evaluator.replaced.get(qualified)) is not None:
        return held
    patched = evaluator.find_patched(name)
    if patched is None:
        return Value(name=qualified)
    return Value(closure=replace(patched, around=Env({"this": receiver}, patched.around)))


def join_over(evaluator: Evaluator, node: SgNode, made: Value, value: Value) -> Value:
    """A mapping over which another is laid that may hold anything: each part may be of either."""
    parts = {
        key: join_values(item, get_part(evaluator, node, value, str(key)))
        for key, item in (made.items or {}).items()
    }
    return made._replace(items=parts)
