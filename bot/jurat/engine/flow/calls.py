"""What a call comes to: of the file's own functions, of containers, and of what nobody knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ast_grep_py import SgNode

from jurat.engine.flow.answers import get_callee_name
from jurat.engine.flow.callbacks import bind_handed
from jurat.engine.flow.containers import TELLERS, call_container, is_builder
from jurat.engine.flow.declared_checks import (
    CHECKED_DATA,
    find_checker,
    find_schema,
    get_pattern,
    is_fit_field,
    is_fit_schema,
    list_form_fields,
    list_schema,
)
from jurat.engine.flow.evaluator import NUMBER_MAKERS, Hit
from jurat.engine.flow.hits import check_sinks
from jurat.engine.flow.joins import join_instances, join_values
from jurat.engine.flow.mappings import set_item
from jurat.engine.flow.matcher import Matcher
from jurat.engine.flow.pages import is_plain_type, note_content_type
from jurat.engine.flow.parts import get_part
from jurat.engine.flow.program import (
    UNKNOWN,
    Argument,
    Attribute,
    Call,
    Constant,
    Expression,
    Index,
    Name,
    Routine,
)
from jurat.engine.flow.relays import Relays, spread_arguments
from jurat.engine.flow.settings import forget, is_fixed, remember
from jurat.engine.flow.taints import REMOTE, Cleared, Taints, merge_taints, split_words
from jurat.engine.flow.text_checks import find_matched
from jurat.engine.flow.texts import PERCENT_HOLE, fill_text, join_text
from jurat.engine.flow.values import (
    NOTHING,
    ClassValue,
    Closure,
    Env,
    Given,
    Instance,
    Value,
    collect,
    extend_name,
    iter_taints,
)
from jurat.rules.callee_settings import normalize_option

_MOST_CALLS = 6
"""The file's own functions inside each other."""

_READERS_BY_NAME = frozenset({"getattr", "Reflect.get"})
_TEXTS = frozenset({"str", "string", "String"})
_IMPORTERS = frozenset({"__import__", "importlib.import_module", "builtins.__import__"})
_IDENTITIES = split_words(
    """
    java.util.Objects.requireNonNull Objects.requireNonNull Object.freeze
    com.google.common.base.Preconditions.checkNotNull structuredClone net/http.HandlerFunc
    """
)
"""What returns what it is given first, or ends in an error."""

_PARTIALS = frozenset({"functools.partial", "lodash.partial"})
_ENDINGS = split_words(
    """
    sys.exit exit quit os._exit os.Exit process.exit panic log.Fatal log.Fatalf log.Fatalln
    abort flask.abort System.exit fail notFound forbidden
    """
)
_FILLERS = split_words(
    """
    Decode Unmarshal UnmarshalText Bind BindJSON BindQuery BindUri ShouldBind ShouldBindJSON
    ShouldBindQuery ShouldBindUri ShouldBindBodyWith BodyParser QueryParser ReadJSON
    """
)
"""Go's functions that write what they read into what they are given."""

_COPIERS = frozenset({"copy"})
"""What writes a text into a buffer that it is given."""

_LOOPS = split_words(
    """
    map forEach filter reduce reduceRight some every find findIndex findLast flatMap sort each
    anyMatch allMatch noneMatch mapToObj peek removeIf
    """
)
"""Methods that call what they are given with each element, as a loop's body is run."""

_RUN_AT_ONCE = split_words(
    """
    Promise setTimeout setImmediate nextTick queueMicrotask submit runAsync supplyAsync to_thread
    run_in_executor transaction
    """
)
"""Callees that call what they are given, with nothing: what it sees around it is what counts."""

_CONTENT_KINDS = frozenset({"mimetype", "content_type", "contentType"})

_PROMISED = frozenset({"then", "catch", "finally", "done", "fail", "always"})
"""Methods that call what they are given with what was promised, as `await` would return it."""

_GOING_THROUGH = (*_LOOPS, *_PROMISED, "each")
"""Begin the names of callees that hand on what they are given as it is, or its parts."""

_HANDLED = split_words("req request res response err error next reply")
"""Parameters of what answers a request, which a server hands over."""

_FOLDS = (".reduce", ".reduceRight", ".sort", ".each")
"""End the names of loops whose functions are not given an element and its place."""

_Summary = tuple[Value, Cleared, tuple[Cleared, Cleared], bool, dict[str, Value]]
"""What a function returns, what it has checked, then and by its answer, whether it never returns,
and which containers it changed."""


class Calls(Relays):
    """Calls of the file's own functions, and of what nobody knows."""

    def __init__(self, matcher: Matcher, language: str) -> None:
        super().__init__(matcher, language)
        self.called: set[Routine] = set()
        self.most_depth = 180
        self._ended: set[int] = set()
        self._known: dict[Any, _Summary] = {}

    def update(self, target: Expression, value: Value, env: Env) -> None:
        """Put a changed container back."""
        raise NotImplementedError

    def has_ended(self, call: Call) -> bool:
        """Whether nothing goes on behind a call."""
        name = get_callee_name(self, call)
        return id(call) in self._ended or name in _ENDINGS or name.endswith((".abort", ".throw"))

    def read_checked(self, node: SgNode, of: Value, instance: Instance, name: str) -> Value | None:
        """A part of a form that its class checks, or all it has checked; None for any other."""
        known = instance.known
        if name in CHECKED_DATA and (fields := list_form_fields(known)):
            return Value(
                items={
                    field: NOTHING
                    if is_fit_field(said)
                    else self._check_field(node, of, known, field)
                    for field, said in fields.items()
                },
                name=extend_name(of.name, f".{name}"),
            )
        if name in known.types and find_checker(known, name) is not None:
            return self._check_field(node, of, known, name)
        return None

    def _check_field(self, node: SgNode, of: Value, known: ClassValue, name: str) -> Value:
        """What a form's own check of a field leaves of it."""
        given = Value(tuple(taint.enter(name) for taint in of.taints))
        checker = find_checker(known, name)
        if checker is None or len(self.running) > _MOST_CALLS:
            return given
        bound = Closure(checker.function, checker.around, of.instance)
        argument = Argument(Name(node, name))
        call = Call(node, Name(node, checker.function.name), [argument])
        checked = self._apply(call, bound, [(argument, given)], None)
        return given if checked is None else checked

    # Calls

    def call(self, expression: Call, env: Env) -> Value:
        """The value of a call."""
        callee = expression.callee
        receiver = NOTHING
        if isinstance(callee, Attribute):
            receiver = self.evaluate(callee.of, env)
            called = self._get_method(receiver, callee.name)
            self.results[id(callee)] = called
            read = self._read_accessor(expression, called, receiver, callee.name)
            if read is not None:
                return read
        else:
            called = self.evaluate(callee, env)
        given = _spread_out([(one, self.evaluate(one.value, env)) for one in expression.arguments])
        self._note_loop(expression, given)
        if called.choices and called.closure is None:
            return self._call_each(expression, called, receiver, given, env)
        return self._call_one(expression, called, receiver, given, env)

    def _call_each(
        self, expression: Call, called: Value, receiver: Value, given: Given, env: Env
    ) -> Value:
        """The value of a call of one of several functions, whichever it is."""
        made = [
            other.drop_cleared(self._call_one(expression, one, receiver, given, other))
            for one in called.choices
            for other in [env.copy()]
        ]
        self._ended.discard(id(expression))
        whole = made[0]
        for one in made[1:]:
            whole = join_values(whole, one)
        return whole

    def _call_one(
        self, expression: Call, called: Value, receiver: Value, given: Given, env: Env
    ) -> Value:
        """The value of a call of one function."""
        callee = expression.callee
        name = called.name or (callee.name if isinstance(callee, Name) else "")
        if called.bound:
            given = [*called.bound, *given]
        asked = self._fill_format(name, given)
        if isinstance(callee, Attribute):
            asked = [*asked, (Argument(callee.of, "this"), receiver)]
        check_sinks(self, expression.node, name or "?", asked, env)
        self._forget_handed_over(name, given, env)
        known = self._call_known(expression, called, given, env)
        if known is not None:
            return known
        if expression.tagged:
            # What a foreign tag makes of a template is its own affair, and fit.
            return NOTHING
        if called.closure is None:
            self._clear_checked(name, receiver, given, env)
            relayed = self.relay(expression, called._replace(name=name), receiver, given, env)
            if relayed is not None:
                return relayed
        if (reflected := self._call_reflection(expression, name, given, env)) is not None:
            return reflected
        if isinstance(callee, Attribute):
            if callee.name in TELLERS and is_builder(receiver) and not given:
                return join_text(self, [*(receiver.items or {}).values(), Value(receiver.taints)])
            made = call_container(receiver, callee.name, given)
            if made is not None:
                changed, result = made
                if changed is not receiver:
                    self.update(callee.of, changed, env)
                return result
        result = self._call_foreign(expression, called._replace(name=name), receiver, given, env)
        result = self._tell(callee, receiver, given, result, env)
        return NOTHING if self._fill(expression, name, given, result, env) else result

    def _read_accessor(
        self, expression: Call, called: Value, receiver: Value, name: str
    ) -> Value | None:
        """A part of a record by its method of the same name, or by a `getName()` that the class
        does not write itself; None for any other call.
        """
        if not self.names_own_fields or expression.arguments or receiver.instance is None:
            return None
        types = receiver.instance.known.types
        if called.closure is not None:
            return None
        if name in types:
            return called
        part = name[3:4].lower() + name[4:] if name.startswith("get") else ""
        return get_part(self, expression.node, receiver, part) if part in types else None

    def _tell(
        self, callee: Expression, receiver: Value, given: Given, result: Value, env: Env
    ) -> Value:
        """What a method of an object returns that may be told something: a builder goes on."""
        if receiver.given is None or not isinstance(callee, Attribute):
            return result
        if normalize_option(callee.name) in self.matcher.options:
            receiver = remember(receiver, callee.name, given[0][1] if given else NOTHING)
            self.update(callee.of, receiver, env)
        given_before = {**(result.given or {}), **(receiver.given or {})}
        return result._replace(given=given_before, partial=receiver.partial)

    def _forget_handed_over(self, name: str, given: Given, env: Env) -> None:
        """Whoever is handed a buffer may fill it, and an object may be told something."""
        if not self.matcher.asks_settings or self.matcher.find_settings(name):
            return
        if self.matcher.find_fixed(extend_name(name, "()")) and (
            name.rpartition(".")[2] not in _COPIERS or all(is_fixed(one) for _, one in given[:2])
        ):
            return
        for argument, _ in given:
            target = argument.value
            while isinstance(target, Index):
                target = target.of
            held = self.results.get(id(target))
            if (
                held is not None
                and isinstance(target, Name | Attribute)
                and held.constant is UNKNOWN
                and (forgotten := forget(held)) is not held
            ):
                self.update(target, forgotten, env)

    def _fill_format(self, name: str, given: Given) -> list[tuple[Argument, Value]]:
        """What is written by a format, as one text: a number in its place is none."""
        if name == "fmt.Fprintf" and len(given) > 1 and isinstance(given[1][1].constant, str):
            text = fill_text(
                self, given[1][1].constant, [value for _, value in given[2:]], PERCENT_HOLE
            )
            return [given[0], (given[1][0], text)]
        return list(given)

    def _note_loop(self, expression: Call, given: Given) -> None:
        """A function that goes through a list gets the list's elements, one behind a promise its
        value.

        What they bring arrives by the list: an element is no more somebody's than in a loop. One
        that has a name may be called elsewhere as well.
        """
        callee = expression.callee
        if not (isinstance(callee, Attribute) and callee.name in _LOOPS | _PROMISED and given):
            return
        for argument, value in given if callee.name in _PROMISED else given[:1]:
            if value.closure is None:
                continue
            if isinstance(argument.value, Routine):
                value.closure.loops = True
            else:
                self.called.add(value.closure.function)

    def _fill(self, expression: Call, name: str, given: Given, result: Value, env: Env) -> bool:
        """Whether a callee was given addresses; it writes what it found there, and returns none."""
        is_reader = name.rpartition(".")[2] in _FILLERS
        filled = [
            (argument, value)
            for argument, value in given
            if (argument.filled or is_reader) and argument in expression.arguments
        ]
        # What else a function writes of what a caller handed over is its own.
        taken = [one for one in result.taints if is_reader or one.strength == REMOTE]
        if not taken:
            return False
        for argument, value in filled:
            if not self.is_number_type(value.name):
                self._fill_fields(value, tuple(taken))
                taints = merge_taints((*value.taints, *taken))
                self.update(argument.value, value._replace(taints=taints), env)
        return bool(filled)

    def _fill_fields(self, value: Value, taints: Taints) -> None:
        """Each field of an object that is filled in gets what its type lets through."""
        if value.instance is None:
            return
        for name, kind in value.instance.known.types.items():
            if not self.is_number_type(kind):
                parts = (taint.enter(name) for taint in taints)
                held = Value(self.sanitize(parts, extend_name(kind, "()")), name=kind)
                value.instance.fields[name] = held

    def _call_foreign(
        self, expression: Call, called: Value, receiver: Value, given: Given, env: Env
    ) -> Value:
        """A call whose body is not followed: a source, or what it is given."""
        name = called.name
        source = self.take_source(expression.node, Value(name=extend_name(name, "()")))
        if source.taints:
            key = given[0][1].constant if given else UNKNOWN
            path = (key,) if isinstance(key, str) else ()
            return source._replace(taints=tuple(t._replace(path=path) for t in source.taints))
        self._check_handed_on(expression, receiver, given, env)
        self._note_declared_checks([value for _, value in given])
        note_content_type(name, [value for _, value in given], env)
        returned = self._run_callbacks(name, receiver, given, env)
        if returned and name.endswith((".map", ".flatMap")):
            return Value(collect(returned), name=extend_name(name, "()"))
        if name.endswith("promisify") and given:
            return given[0][1]
        return self.call_unknown(expression, called, receiver, given, env, returned=returned)

    def _note_declared_checks(self, given: Sequence[Value]) -> None:
        """What a route's schema has checked before its function is called."""
        schema = find_schema(given)
        if schema is None:
            return
        for closure in (one.closure for one in given if one.closure is not None):
            for parameter in closure.function.parameters[:1]:
                for source, field, said in list_schema(schema, parameter):
                    pattern = get_pattern(said)
                    mask = self.matcher.everything if is_fit_schema(said) else 0
                    if pattern is not None:
                        mask |= find_matched(self, pattern, "test")
                    closure.cleared[source, (field,)] = mask

    def _call_reflection(self, expression: Call, name: str, given: Given, env: Env) -> Value | None:
        """A call that stands for a name, or puts off another call; None for any other."""
        values = [value for _, value in given]
        first, second = (values[at] if at < len(values) else NOTHING for at in (0, 1))
        if name in _READERS_BY_NAME and isinstance(second.constant, str):
            found = get_part(self, expression.node, first, second.constant)
            return found if len(values) < 3 else join_values(found, values[2])
        if name in _TEXTS and isinstance(first.constant, str):
            return Value(constant=first.constant)
        if name in _IMPORTERS and isinstance(first.constant, str):
            return Value(name=first.constant)
        if name == "setattr" and len(values) > 2 and isinstance(second.constant, str):
            target = Attribute(expression.node, expression.arguments[0].value, second.constant)
            self.assign(target, values[2], env, expression.node)
            return NOTHING
        if isinstance(expression.callee, Attribute) and self.shares_scope:
            function = self.results.get(id(expression.callee.of), NOTHING)
            if function.closure is not None or self.matcher.find_sinks(function.name):
                return self._call_by_method(expression, function, given, env)
        if name == "Object.assign" and len(values) > 1:
            changed = first._replace(items=first.items or {})
            for value in values[1:]:
                for key, item in (value.items or {}).items():
                    changed = set_item(changed, key, item)
                changed = changed._replace(taints=merge_taints((*changed.taints, *value.taints)))
            self.update(expression.arguments[0].value, changed, env)
            return changed
        if name in _IDENTITIES and values:
            return first
        if name == "dict" and given and not self.shares_scope:
            return _build_mapping(given)
        if name in _PARTIALS and (first.closure or first.name):
            return first._replace(bound=(*first.bound, *given[1:]))
        return None

    def _call_by_method(
        self, expression: Call, function: Value, given: Given, env: Env
    ) -> Value | None:
        """`f.call(o, a)`, `f.apply(o, [a])`, `f.bind(o, a)` of a function that is known."""
        callee = expression.callee
        word, rest = getattr(callee, "name", ""), expression.arguments[1:]
        if word == "bind":
            return function._replace(bound=(*function.bound, *given[1:]))
        if word not in ("call", "apply") or not isinstance(callee, Attribute):
            return None
        spread = [Argument(one.value, None, word == "apply" or one.spread) for one in rest]
        return self.call(Call(expression.node, callee.of, spread), env)

    def read_property(self, node: SgNode, closure: Closure) -> Value:
        """What a property's function returns."""
        callee = Constant(node, UNKNOWN)
        return self._apply(Call(node, callee, ()), closure, (), None) or NOTHING

    def is_foreign(self, value: Value) -> bool:
        """Whether a value is a module or a part of one, by its name."""
        return bool(value.name) and value.name[0] not in "<?" and value.items is None

    def _check_handed_on(self, expression: Call, receiver: Value, given: Given, env: Env) -> None:
        """A function that is handed on may be called with whatever is handed on beside it.

        `isinstance` and the like only tell something of what they are given.
        """
        callee = self.results.get(id(expression.callee), NOTHING).name
        if self.matcher.find_sanitizer(extend_name(callee, "()")) == self.matcher.everything:
            return
        for argument, value in given:
            if not value.name or value.taints or not self.matcher.find_sinks(value.name):
                continue
            others = [one for other, one in given if other is not argument]
            found = merge_taints(
                taint for one in (receiver, *others, *(v for _, v in value.bound))
                for taint in iter_taints(one)
            )  # fmt: skip
            if found:
                handed = [(Argument(argument.value), Value(found))]
                check_sinks(self, expression.node, value.name, handed, env)

    def _get_method(self, receiver: Value, name: str) -> Value:
        if receiver.instance is not None or receiver.known_class is not None:
            found = get_part(self, None, receiver, name)  # type: ignore[arg-type]
            if found.closure is not None or found.name or self.names_own_fields:
                return found
        if receiver.items is not None and (held := receiver.items.get(name)) is not None:
            return held if held.name or held.closure else held._replace(name=f"?.{name}")
        qualified = extend_name(receiver.name, f".{name}")
        return self.replaced.get(qualified) or Value(name=qualified)

    def _clear_checked(self, name: str, receiver: Value, given: Given, env: Env) -> None:
        """A check that ends in an error for what is not fit: behind it all is."""
        # `subprocess.check_output` is what has to be checked, whatever its name says.
        mask = 0 if self.matcher.find_sinks(name) else self.matcher.find_check(name)
        if NUMBER_MAKERS.search(name):
            mask &= ~self.matcher.believed
        if name.endswith(".setObjectInputFilter") and not any(map(_is_closed, given)):
            # A filter that sets limits alone lets any class through.
            return
        if mask:
            taints, bound = (
                collect([receiver, *(value for _, value in given)]),
                self.matcher.find_bound(name),
            )
            env.clear(taints, mask & ~bound)
            env.clear((taint for taint in taints if taint.settled), mask & bound)

    def _call_known(self, expression: Call, called: Value, given: Given, env: Env) -> Value | None:
        """The value of a call of the file's own functions and classes, None if it is none."""
        if called.known_class is not None:
            if called.known_class.is_enumeration and len(given) == 1 and not expression.new:
                # One of its values, or an error.
                env.clear(iter_taints(given[0][1]), self.matcher.everything)
                return Value(name=called.known_class.name)
            instance = Instance(called.known_class, called.known_class.copy_fields())
            made = called.known_class.find_method("constructor")
            made = made or called.known_class.find_method("__init__")
            made = made or called.known_class.find_method(called.known_class.name)
            if made is not None:
                self._apply(expression, Closure(made.function, made.around, instance), given, env)
            whole = collect(value for _, value in given) if made is None else ()
            if made is None:
                # A record: what is given by position are its fields, in the order of their types.
                # What Go's literals name stands beside them once more as a whole.
                is_named = any(one.keyword for one, _ in given)
                by_position = (
                    value
                    for one, value in given
                    if one.keyword is None
                    and not one.spread
                    and not (is_named and value.items is not None and not value.is_list)
                )
                instance.fields |= zip(called.known_class.list_fields(), by_position, strict=False)
                instance.fields |= {one.keyword: value for one, value in given if one.keyword}
            self._note_sample(called.known_class, instance)
            return Value(whole, name=called.known_class.name, instance=instance)
        if called.closure is None:
            return None
        return self._apply(expression, called.closure, given, env)

    def _note_sample(self, known: ClassValue, made: Instance) -> None:
        """Remember what objects of a class are that the file makes, as far as all are alike."""
        keeps = self.matcher.asks_settings or any("+" in one.name for one in made.fields.values())
        if keeps and self.objects.get(known.name) is not made:
            before = known.sample
            known.sample = made if before is None else join_instances(before, made)

    def _apply(
        self, expression: Call, closure: Closure, given: Given, env: Env | None
    ) -> Value | None:
        function = closure.function
        if function in self.running or len(self.running) > _MOST_CALLS:
            return None
        self.called.add(function)
        key = _build_key(closure, given, env)
        found = self._known.get(key) if key is not None else None
        if found is None:
            inner = self.open_scope(closure, env)
            self._bind(closure, given, inner)
            before = dict(inner.values)
            self.running.append(function)
            try:
                value, end, truths = self.run_function(function, inner)
            finally:
                self.running.pop()
            changed = _list_changed(before, end.values) if end else {}
            found = value, dict(end.cleared) if end else {}, truths, end is None, changed
            if key is not None:
                self._known[key] = found
        value, cleared, truths, never, changed = found
        if env is None:
            return value
        for origin, bits in cleared.items():
            env.cleared[origin] = env.cleared.get(origin, 0) | bits
        self.facts[id(expression)] = truths
        if never:
            self._ended.add(id(expression))
        self._change_arguments(expression, closure, given, changed, env)
        return value

    def apply_later(
        self, expression: Call, closure: Closure, given: Given, env: Env
    ) -> Value | None:
        """Have a function called with what it is handed now."""
        by_name = getattr(expression.callee, "name", "") == "apply_async"
        self._apply(expression, closure, spread_arguments(given) if by_name else given, env)
        return NOTHING

    def _change_arguments(
        self,
        expression: Call,
        closure: Closure,
        given: Given,
        changed: Mapping[str, Value],
        env: Env | None,
    ) -> None:
        """What a function did to the containers that it was given is seen outside."""
        if not changed or env is None:
            return
        for parameter, (argument, value) in zip(closure.function.parameters, given, strict=False):
            after = changed.get(argument.keyword or parameter.name)
            if after is not None and value.box is not None and argument in expression.arguments:
                self.update(argument.value, after._replace(box=value.box), env)

    def _bind(self, closure: Closure, given: Given, inner: Env) -> None:
        """Parameters get what a call hands over."""
        by_position = [value for one, value in given if one.keyword is None and not one.spread]
        by_keyword = {one.keyword: value for one, value in given if one.keyword is not None}
        spread = collect(value for one, value in given if one.spread)
        for position, parameter in enumerate(closure.function.parameters):
            if parameter.rest:
                rest = dict(enumerate(by_position[position:]))
                value = Value(spread, items=rest)
            elif parameter.name in by_keyword:
                value = by_keyword[parameter.name]
            elif position < len(by_position):
                value = by_position[position]
            elif parameter.default is not None:
                value = self.evaluate(parameter.default, closure.around.copy())
            else:
                value = Value(spread)
            if self.keeps_types and self.is_number_type(parameter.type):
                value = Value(constant=value.constant)
            inner.values[parameter.name] = value
            if parameter.pattern is not None:
                self.assign(parameter.pattern, value, inner, closure.function.node)

    def _run_callbacks(self, name: str, receiver: Value, given: Given, env: Env) -> list[Value]:
        """Functions that are handed on are called with what they are handed on with.

        What a callee that nobody has seen looks for or works out, and hands to a function, is its
        own as what it answers is.
        """
        returned: list[Value] = []
        called = extend_name(name, "()")
        word = name.rpartition(".")[2]
        at_once = word in _RUN_AT_ONCE
        is_passed = word.startswith(_GOING_THROUGH) or self.matcher.find_passing(called)
        known = self.sanitize(iter_taints(receiver), called)
        others = self.sanitize(collect(value for _, value in given), called)
        if not is_passed:
            others = tuple(taint.become_answer() for taint in others)
        taints = merge_taints((*known, *others))
        for at, (_, value) in enumerate(given):
            closure = value.closure
            if (
                closure is None
                or not (taints or at_once)
                or closure.function in self.running
                or len(self.running) > _MOST_CALLS
            ):
                continue
            inner = self.open_scope(closure, env)
            handed = () if is_passed else bind_handed(called, given, at)
            if handed:
                self._bind(closure, handed, inner)
            else:
                self._bind_found(closure, taints, inner, loops=not name.endswith(_FOLDS))
            self.running.append(closure.function)
            try:
                returned.append(self.run_function(closure.function, inner)[0])
            finally:
                self.running.pop()
        return returned

    def _bind_found(self, closure: Closure, taints: Taints, inner: Env, *, loops: bool) -> None:
        """Parameters get what a callee may hand over of all that it was given."""
        for position, parameter in enumerate(closure.function.parameters):
            # A loop hands over an element, and which it is.
            is_place = closure.loops and loops and position == 1
            value = Value(() if is_place else taints, name=f"<{parameter.name}>")
            if parameter.name in _HANDLED:
                value = self.build_parameter(closure, parameter)
            inner.values[parameter.name] = value
            if parameter.pattern is not None:
                self.assign(parameter.pattern, value, inner, closure.function.node)


def _spread_out(given: list[tuple[Argument, Value]]) -> list[tuple[Argument, Value]]:
    """What is handed over, the parts of a list that is spread each for itself."""
    if not any(one.spread for one, _ in given):
        return given
    found: list[tuple[Argument, Value]] = []
    for argument, value in given:
        if not argument.spread or not value.is_list:
            found.append((argument, value))
            continue
        found += [(Argument(argument.value), part) for part in (value.items or {}).values()]
        if value.taints or value.partial:
            found.append((argument, value._replace(items=None)))
    return found


def _build_mapping(given: Given) -> Value | None:
    """`dict(known, key=value, **more)`; None if it is made of what is no mapping."""
    made = Value(name="dict()", items={}, box=object())
    for argument, value in given:
        if argument.keyword is not None:
            made = set_item(made, argument.keyword, value)
        elif value.items is None or value.is_list:
            return None
        else:
            made = made._replace(
                items={**(made.items or {}), **value.items},
                taints=merge_taints((*made.taints, *value.taints)),
                partial=made.partial or value.partial,
            )
    return made


def drop_pages(hits: list[Hit], part: str, page: Value, kind: Value) -> list[Hit]:
    """Take back what arrived in an answer of which is said afterwards that it is no page."""
    if part not in _CONTENT_KINDS or not is_plain_type(kind.constant):
        return hits
    origins = {(taint.source, taint.path) for taint in iter_taints(page)}
    made = page.name.removesuffix("()")
    return [
        hit
        for hit in hits
        if hit.callee != made or (hit.taint.source, hit.taint.path) not in origins
    ]


def _is_closed(given: tuple[Argument, Value]) -> bool:
    """Whether a filter of classes ends by refusing what it does not name, as far as it is known."""
    said = given[1].constant
    return not isinstance(said, str) or "!*" in said


def _list_changed(before: Mapping[str, Value], after: Mapping[str, Value]) -> dict[str, Value]:
    """The containers that are the same objects, with other parts."""
    return {
        name: value
        for name, old in before.items()
        if old.box is not None
        and (value := after.get(name, old)) is not old
        and value.box is old.box
    }


def _build_key(closure: Closure, given: Given, env: Env | None) -> Any:
    """What a call of a function depends on, None if that is too much to say."""
    if closure.instance is not None or env is None:
        return None
    parts = []
    for one, value in given:
        key = _describe(value, 0)
        if key is None:
            return None
        parts.append((one.keyword, one.spread, key))
    return id(closure.function), id(closure.around), tuple(parts), frozenset(env.cleared.items())


def _describe(value: Value, depth: int) -> Any:
    if value.instance is not None or value.given is not None or depth > 3:
        return None
    constant = value.constant
    if constant is not UNKNOWN and not isinstance(constant, str | int | float | bool | None):
        return None
    items: list[Any] = []
    for key, item in (value.items or {}).items():
        described = _describe(item, depth + 1)
        if described is None:
            return None
        items.append((key, described))
    taints = tuple((one.key, one.mixed) for one in value.taints)
    closure = id(value.closure) if value.closure is not None else None
    shape = value.items is None
    return taints, type(constant), constant, value.name, shape, tuple(items), closure, value.fixed
