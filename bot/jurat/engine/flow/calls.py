"""What a call comes to: of the file's own functions, of containers, and of what nobody knows."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ast_grep_py import SgNode

from jurat.engine.flow.containers import MUTATORS, call_container
from jurat.engine.flow.guards import Guards
from jurat.engine.flow.matcher import Matcher
from jurat.engine.flow.program import (
    UNKNOWN,
    Argument,
    Attribute,
    Call,
    Expression,
    Name,
    Parameter,
    Routine,
)
from jurat.engine.flow.values import (
    NOTHING,
    PARAMETER,
    REMOTE,
    ClassValue,
    Cleared,
    Closure,
    Env,
    Instance,
    Taint,
    Taints,
    Trace,
    Value,
    collect,
    extend_name,
    iter_taints,
    merge_taints,
    split_words,
)

Given = Sequence[tuple[Argument, Value]]

_MOST_CALLS = 6
"""The file's own functions inside each other."""

_GETTERS = split_words(
    """
    get getlist getList getAll get_all getParameter getHeader header headers query param params
    Get FormValue PostFormValue Param Query PathValue pop cookies getParameterValues
    DefaultQuery
    """
)
"""Methods whose first argument says which part they return."""

_LOOKUPS = split_words(
    """
    get getOrDefault find findOne findById findByPk findUnique findFirst findAll findMany
    find_one filter_by first query execute executemany fetch fetchone fetchall fetchrow fetchval
    scalar get_object_or_404 get_or_404 select where one one_or_none queryForObject queryForList
    Query QueryRow QueryContext QueryRowContext Exec exists stat has includes send urlopen
    request run check_output Popen connect getConnection verify compare check_password load_user
    """
)
"""What is looked up by a key does not come from the key."""

_SETTERS = frozenset({"setFeature", "setProperty", "set_feature"})
_REPLACERS = frozenset({"replace", "replaceAll", "ReplaceAll"})
_ENDINGS = split_words(
    """
    sys.exit exit quit os._exit os.Exit process.exit panic log.Fatal log.Fatalf log.Fatalln
    abort flask.abort System.exit fail notFound forbidden
    """
)
_NUMBER_TYPES = split_words(
    """
    int float bool complex Decimal decimal.Decimal UUID uuid.UUID date datetime datetime.date
    datetime.datetime number boolean bigint Date long Long Integer Boolean double Double short
    Short byte Byte char Character BigDecimal java.util.UUID java.time.LocalDate int8 int16
    int32 int64 uint uint8 uint16 uint32 uint64 float32 float64 time.Time time.Duration error
    PositiveInt java.math.BigDecimal java.math.BigInteger BigInteger
    """
)
_CARRIED_TYPES = (
    "Session",
    "Response",
    "BackgroundTasks",
    "WebSocket",
    "Depends",
    "Connection",
    "Model",
)
_FORMATTERS = split_words(
    """
    fmt.Sprintf fmt.Fprintf fmt.Errorf String.format util.format java.lang.String.format
    fmt.Sprint
    """
)


class Calls(Guards):
    """Calls, and the functions of one file."""

    def __init__(self, matcher: Matcher, *, shares_scope: bool) -> None:
        super().__init__(matcher)
        self.shares_scope = shares_scope
        self.facts: dict[int, tuple[Cleared, Cleared]] = {}
        self.waiting: deque[Closure] = deque()
        self._met: set[int] = set()
        self.running: list[Routine] = []
        self.most_depth = 180
        self._ended: set[int] = set()
        self._known: dict[Any, tuple[Value, Cleared, tuple[Cleared, Cleared], bool]] = {}

    # What statements add (see interpreter.py).

    def run_function(self, function: Routine, env: Env) -> tuple[Value, Env | None, Any]:
        """Run a body: what it returns, what holds then (None if it never does), and if it is true
        or false.
        """
        raise NotImplementedError

    def update(self, target: Expression, value: Value, env: Env) -> None:
        """Put a changed container back."""
        raise NotImplementedError

    def has_ended(self, call: Call) -> bool:
        """Whether nothing goes on behind a call."""
        name = self.get_callee_name(call)
        return id(call) in self._ended or name in _ENDINGS or name.endswith(".abort")

    def is_number_type(self, name: str) -> bool:
        """Whether no text fits a type."""
        return name in _NUMBER_TYPES

    # Definitions

    def define(self, function: Routine, env: Env) -> Value:
        """A function as a value. It will be looked at by itself, too."""
        closure = Closure(function, env)
        self._await(closure)
        return Value(closure=closure)

    def register_class(self, made: ClassValue, _env: Env) -> None:
        """Have all methods looked at, on one object that they share: constructors first."""
        instance = Instance(made, {})
        for name, value in made.fields.items():
            instance.fields[name] = value
        methods = sorted(made.methods.values(), key=lambda one: not is_constructor(one.function))
        for method in methods:
            self._await(Closure(method.function, method.around, instance))

    def _await(self, closure: Closure) -> None:
        if id(closure.function) not in self._met:
            self._met.add(id(closure.function))
            self.waiting.append(closure)

    def enter(self, closure: Closure) -> None:
        """Look at a function as somebody outside may call it."""
        env = self._open(closure, None)
        for parameter in closure.function.parameters:
            value = self.build_parameter(closure, parameter)
            env.values[parameter.name] = value
            if parameter.pattern is not None:
                self.assign(parameter.pattern, value, env, closure.function.node)
        self.running.append(closure.function)
        try:
            self.run_function(closure.function, env)
        finally:
            self.running.pop()

    def build_parameter(self, closure: Closure, parameter: Parameter) -> Value:
        """What a caller that nobody knows hands over."""
        if self.is_number_type(parameter.type):
            return Value(name=parameter.type)
        name = parameter.type if _is_class_name(parameter.type) else f"<{parameter.name}>"
        function = closure.function
        marks = [*parameter.annotations]
        if not any(mark.rpartition(".")[2] in ("Depends", "Security") for mark in marks):
            if not _is_carried(parameter):
                marks += [self.qualify_mark(mark, closure.around) for mark in function.annotations]
            node = parameter.node
            for mark in marks:
                mask = self.matcher.find_source(f"@{mark}")
                if mask:
                    origin = Taint(
                        f"@{mark}:{parameter.name}", (), mask, REMOTE, "", False, Trace(node, None)
                    )
                    return Value((origin,), name=name)
        source = self.take_source(parameter.node, Value(name=name))
        live = self.matcher.parameters & ~self.matcher.find_sanitizer(parameter.name)
        if source.taints or not live:
            return source
        taint = Taint(
            f"{id(function)}:{parameter.name}", (), live, PARAMETER, "", False,
            Trace(parameter.node, None),
        )  # fmt: skip
        return Value((taint,), name=name)

    def qualify_mark(self, mark: str, env: Env) -> str:
        """A decorator by the name of what it is a part of: `app.get` is `flask.Flask.get`."""
        head, dot, rest = mark.partition(".")
        found = env.look_up(head)
        return f"{found.name}{dot}{rest}" if found is not None and found.name else mark

    def check_return(self, node: SgNode, function: Routine, value: Value, env: Env) -> None:
        """What a function hands to whatever it is marked for."""
        if not function.annotations or (not value.taints and not value.items):
            return
        body = value
        if value.items is not None:
            if not value.is_list or not value.items:
                return
            body = next(iter(value.items.values()))
        for mark in function.annotations:
            name = f"return@{self.qualify_mark(mark, env)}"
            self.check_sinks(node, name, [(Argument(None), body)], env)  # type: ignore[arg-type]

    # Calls

    def call(self, expression: Call, env: Env) -> Value:
        """The value of a call."""
        callee = expression.callee
        receiver = NOTHING
        if isinstance(callee, Attribute):
            receiver = self.evaluate(callee.of, env)
            called = self._get_method(receiver, callee.name)
            self.results[id(callee)] = called
        else:
            called = self.evaluate(callee, env)
        given = [(one, self.evaluate(one.value, env)) for one in expression.arguments]
        name = called.name or (callee.name if isinstance(callee, Name) else "")
        asked = given
        if isinstance(callee, Attribute):
            asked = [*given, (Argument(callee.of, "this"), receiver)]
        self.check_sinks(expression.node, name or "?", asked, env)
        self._clear_checked(name, receiver, given, env)
        known = self._call_known(expression, called, given, env)
        if known is not None:
            return known
        if isinstance(callee, Attribute):
            made = call_container(receiver, callee.name, given)
            if made is not None:
                changed, result = made
                if changed is not receiver:
                    self.update(callee.of, changed, env)
                return result
        source = self.take_source(expression.node, Value(name=extend_name(name, "()")))
        if source.taints:
            key = given[0][1].constant if given else UNKNOWN
            path = (key,) if isinstance(key, str) else ()
            return replace(source, taints=tuple(t._replace(path=path) for t in source.taints))
        returned = self._run_callbacks(receiver, given, env)
        if returned and name.endswith((".map", ".flatMap")):
            return Value(collect(returned), name=extend_name(name, "()"))
        if name.endswith("promisify") and given:
            return given[0][1]
        return self._call_unknown(expression, name, receiver, given, env)

    def _get_method(self, receiver: Value, name: str) -> Value:
        if receiver.instance is not None or receiver.known_class is not None:
            found = self.get_part(None, receiver, name)  # type: ignore[arg-type]
            if found.closure is not None or found.name:
                return found
        if receiver.items is not None and (held := receiver.items.get(name)) is not None:
            return held if held.name or held.closure else replace(held, name=f"?.{name}")
        return Value(name=extend_name(receiver.name, f".{name}"))

    def _clear_checked(self, name: str, receiver: Value, given: Given, env: Env) -> None:
        """A check that ends in an error for what is not fit: behind it all is."""
        # `subprocess.check_output` is what has to be checked, whatever its name says.
        mask = 0 if self.matcher.find_sinks(name) else self.matcher.find_check(name)
        if mask:
            env.clear(collect([receiver, *(value for _, value in given)]), mask)

    def _call_known(self, expression: Call, called: Value, given: Given, env: Env) -> Value | None:
        """The value of a call of the file's own functions and classes, None if it is none."""
        if called.known_class is not None:
            instance = Instance(called.known_class, dict(called.known_class.fields))
            made = called.known_class.find_method("constructor")
            made = made or called.known_class.find_method("__init__")
            made = made or called.known_class.find_method(called.known_class.name)
            if made is not None:
                self._apply(expression, Closure(made.function, made.around, instance), given, env)
            whole = collect(value for _, value in given) if made is None else ()
            return Value(whole, name=called.known_class.name, instance=instance)
        if called.closure is None:
            return None
        return self._apply(expression, called.closure, given, env)

    def _apply(self, expression: Call, closure: Closure, given: Given, env: Env) -> Value | None:
        function = closure.function
        if function in self.running or len(self.running) > _MOST_CALLS:
            return None
        mask = self.matcher.find_sanitizer(function.name) if function.name else 0
        key = _build_key(closure, given, env)
        found = self._known.get(key) if key is not None else None
        if found is None:
            inner = self._open(closure, env)
            self._bind(closure, given, inner)
            self.running.append(function)
            try:
                value, end, truths = self.run_function(function, inner)
            finally:
                self.running.pop()
            found = value, dict(end.cleared) if end else {}, truths, end is None
            if key is not None:
                self._known[key] = found
        value, cleared, truths, never = found
        for origin, bits in cleared.items():
            env.cleared[origin] = env.cleared.get(origin, 0) | bits
        self.facts[id(expression)] = truths
        if never:
            self._ended.add(id(expression))
        return self._clean(value, mask)

    def _open(self, closure: Closure, env: Env | None) -> Env:
        inner = Env({}, closure.around, dict(env.cleared) if env is not None else {})
        function = closure.function
        if closure.instance is not None:
            this = Value(instance=closure.instance, name="<this>")
            inner.values["this"] = this
            if function.receiver:
                inner.values[function.receiver] = replace(this, name=f"<{function.receiver}>")
        return inner

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
            if self.is_number_type(parameter.type) and not self.shares_scope:
                value = Value(constant=value.constant)
            inner.values[parameter.name] = value
            if parameter.pattern is not None:
                self.assign(parameter.pattern, value, inner, closure.function.node)

    def _run_callbacks(self, receiver: Value, given: Given, env: Env) -> list[Value]:
        """Functions that are handed on are called with what they are handed on with."""
        returned: list[Value] = []
        closures = [value.closure for _, value in given if value.closure is not None]
        taints = merge_taints(
            taint
            for value in (receiver, *(value for _, value in given))
            for taint in iter_taints(value)
        )
        for closure in closures:
            if not taints or closure.function in self.running or len(self.running) > _MOST_CALLS:
                continue
            inner = self._open(closure, env)
            for parameter in closure.function.parameters:
                value = Value(taints, name=f"<{parameter.name}>")
                if parameter.name in (
                    "req",
                    "request",
                    "res",
                    "response",
                    "err",
                    "error",
                    "next",
                    "reply",
                ):
                    value = self.build_parameter(closure, parameter)
                inner.values[parameter.name] = value
                if parameter.pattern is not None:
                    self.assign(parameter.pattern, value, inner, closure.function.node)
            self.running.append(closure.function)
            try:
                returned.append(self.run_function(closure.function, inner)[0])
            finally:
                self.running.pop()
        return returned

    def _call_unknown(
        self, expression: Call, name: str, receiver: Value, given: Given, env: Env
    ) -> Value:
        """An unknown callee passes on what it is given."""
        word = name.rpartition(".")[2]
        callee = expression.callee
        values = [value for _, value in given if value.closure is None]
        is_made = expression.new or _is_class_name(name)
        result = name if is_made else extend_name(name, "()")
        if name in _FORMATTERS and values and isinstance(values[0].constant, str):
            return replace(self.fill_text(values[0].constant, values[1:]), name=result)
        if word in ("format", "formatted") and isinstance(receiver.constant, str):
            return replace(self.fill_text(receiver.constant, values), name=result)
        if word == "join" and values and isinstance(receiver.constant, str):
            return self._join_items(receiver.constant, values[0])
        is_setting = word in _SETTERS and len(values) > 1 and values[1].constant is True
        if isinstance(callee, Attribute) and is_setting and values[0].name:
            # What it is set to is a part of its name from then on: sinks may ask for it.
            named = f"{receiver.name}+{values[0].name}"
            self.update(callee.of, replace(receiver, name=named), env)
        if isinstance(callee, Attribute) and (
            word in MUTATORS or self.matcher.find_propagator(name)
        ):
            self._propagate(callee, receiver, values, env)
        mask = self.matcher.find_sanitizer(name)
        mask |= self.matcher.find_sanitizer(extend_name(name, "()"))
        if word in _REPLACERS and len(values) > 1 and len(str(values[0].constant)) == 1:
            # A single character is gone for good; longer texts come back out of their halves.
            mask |= self.matcher.get_rejected(values[0].constant)
        carried = self._carry(expression.node, values)
        own: Taints = tuple(iter_taints(receiver))
        if word in _GETTERS and values and isinstance(values[0].constant, str):
            step = values[0].constant
            own = tuple(one._replace(path=(*one.path, step)[-6:]) for one in own)
            values = values[1:]
        elif word in _LOOKUPS and not carried and not any(t.strength == REMOTE for t in own):
            values = []
        taints = merge_taints((*carried, *own, *collect(values)))
        return self._clean(Value(taints, name=result), mask)

    def _join_items(self, separator: str, items: Value) -> Value:
        if items.items is None:
            return Value(tuple(t._replace(mixed=True) for t in items.taints))
        parts: list[Value] = []
        for item in items.items.values():
            parts += [item] if not parts else [Value(constant=separator), item]
        joined = self.join_text(parts)
        return replace(joined, taints=merge_taints((*joined.taints, *items.taints)))

    def _propagate(
        self, callee: Attribute, receiver: Value, values: Sequence[Value], env: Env
    ) -> None:
        """What is written into something is in it from then on."""
        before = receiver.constant if isinstance(receiver.constant, str) else ""
        whole = self.join_text([Value(constant=before), *values]) if values else NOTHING
        taints = merge_taints((*receiver.taints, *whole.taints, *collect(values)))
        if taints != receiver.taints:
            self.update(callee.of, replace(receiver, taints=taints), env)

    def _carry(self, node: SgNode, values: Sequence[Value]) -> Taints:
        """What comes of handing on the object that sources are read from."""
        found = []
        for value in values:
            mask = self.matcher.find_carrier(value.name) if value.name else 0
            if mask:
                found.append(
                    Taint(f"{value.name}()", (), mask, REMOTE, "", False, Trace(node, None))
                )
        return tuple(found)

    def _clean(self, value: Value, mask: int) -> Value:
        if not mask or not (value.taints or value.items):
            return value
        left = (one._replace(live=one.live & ~mask) for one in iter_taints(value))
        kept = tuple(one for one in left if one.live)
        return Value(kept, value.constant, value.name)


def is_constructor(function: Routine) -> bool:
    """Whether a method makes its object."""
    return function.name in ("__init__", "constructor", function.owner)


def _is_class_name(name: str) -> bool:
    last = name.rpartition(".")[2]
    return last[:1].isupper() and not last.isupper() and last not in ("String", "List", "Object")


def _is_carried(parameter: Parameter) -> bool:
    if parameter.name in (
        "request",
        "req",
        "db",
        "session",
        "response",
        "res",
        "current_user",
        "user",
    ):
        return True
    return parameter.type.endswith(_CARRIED_TYPES) or parameter.type.endswith("Request")


def _build_key(closure: Closure, given: Given, env: Env) -> Any:
    """What a call of a function depends on, None if that is too much to say."""
    if closure.instance is not None:
        return None
    parts = []
    for one, value in given:
        key = _describe(value, 0)
        if key is None:
            return None
        parts.append((one.keyword, one.spread, key))
    return id(closure.function), id(closure.around), tuple(parts), frozenset(env.cleared.items())


def _describe(value: Value, depth: int) -> Any:
    if value.instance is not None or depth > 3:
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
    return taints, type(constant), constant, value.name, shape, tuple(items), closure
