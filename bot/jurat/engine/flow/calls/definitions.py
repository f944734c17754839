"""The functions of a file: how they are defined, and what somebody outside hands them."""

from __future__ import annotations

import re
from collections import Counter, deque

from ast_grep_py import SgNode

from jurat.engine.flow.calls.called_back import CalledBack
from jurat.engine.flow.calls.creations import is_class_name
from jurat.engine.flow.calls.foreign_calls import ForeignCalls
from jurat.engine.flow.calls.patched_classes import open_class_of
from jurat.engine.flow.checks.text_checks import find_matched
from jurat.engine.flow.forms.language_traits import LanguageTraits
from jurat.engine.flow.forms.needs import MAPPING
from jurat.engine.flow.forms.program import (
    Argument,
    Attribute,
    Call,
    Constant,
    Expression,
    Name,
    Parameter,
    Routine,
)
from jurat.engine.flow.forms.routes import find_own_kind, is_number_of_route, list_allowed
from jurat.engine.flow.sinks.hits import check_sinks
from jurat.engine.flow.values.callers import is_of_terminal, is_only_called
from jurat.engine.flow.values.matcher import Matcher
from jurat.engine.flow.values.named_secrets import is_weak_generator
from jurat.engine.flow.values.overloads import list_entries
from jurat.engine.flow.values.taints import PARAMETER, REMOTE, Taint, Taints, Trace
from jurat.engine.flow.values.value import ClassValue, Closure, Env, Instance, Truths, Value
from jurat.engine.flow.words import split_words

_NUMBER_TYPES = split_words(
    """
    int float bool complex Decimal decimal.Decimal UUID uuid.UUID date datetime datetime.date
    datetime.datetime number boolean bigint Date long Long Integer Boolean double Double short
    Short byte Byte BigDecimal java.util.UUID java.time.LocalDate int8 int16
    int32 int64 uint uint8 uint16 uint32 uint64 float32 float64 time.Time time.Duration error
    Instant LocalDate LocalTime LocalDateTime OffsetDateTime ZonedDateTime Duration
    java.time.Instant java.time.LocalTime java.time.LocalDateTime java.time.OffsetDateTime
    java.time.ZonedDateTime java.time.Duration PositiveInt java.math.BigDecimal
    java.math.BigInteger BigInteger
    """
)
_BODIES = frozenset({"File", "java.io.File"})
"""What a framework has put a request's body down in: that is where it chose itself."""

_HELD_TYPE = re.compile(
    r"(?:\[\]|(?:[\w.]+\.)?(?:list|set|List|Set|Collection|Iterable|Sequence)[\[<])([\w.]+)[\]>]?|([\w.]+)\[\]"
)
"""A list of values of a type."""

_OWN_MARKS = frozenset({"Depends", "Security", "Context", "Suspended", "Auth", "Inject"})
"""Marks of parameters that the program hands over itself."""

_CHECKED_MARKS = frozenset({"Valid", "Validated"})
"""Marks of parameters whose fields are checked by what they declare."""

_BUILT_IN = ("String", "RegExp", "Array", "Object", "Set", "Map", "Number")
_SAME = {"replaceFirst": "replace"}
"""Classes that JavaScript brings, and what a method of theirs is called in the program form."""

_LITERALS = frozenset({"typing.Literal", "typing_extensions.Literal"})
_CARRIED_TYPES = (
    "Session",
    "Response",
    "BackgroundTasks",
    "WebSocket",
    "Depends",
    "Connection",
    "Model",
)


_MOST_CONTEXTS = 3
"""Calls of a function for each of which those that it makes are looked at."""

_BESIDE_TYPES = (*_CARRIED_TYPES, "Context", "Channel", "Observer")
"""What a framework hands to a method of its own beside what was sent."""

_PAGE_TYPES = re.compile(r"\b(?:String|CharSequence|Object|ResponseEntity(?!<)|byte)\b|\?")
"""What a Java method returns that may be a page."""


_CONVERTED_MARKS = split_words(
    "PathVariable RequestParam RequestHeader CookieValue PathParam QueryParam HeaderParam"
)
"""Marks of parameters that a framework makes of a text, of whatever class they are."""

_TEXT_TYPE = re.compile(
    r".*<.*|.*\[\]|(?:.*\.)?(?:String|CharSequence|Object|Optional|List|Set|Collection|URI|URL|Path"
    r"|Resource|\w*(?:File|Part|Map|Stream))"
)
"""A type that holds the text as it came, or what was sent."""


def _find_converter(mark: str, type_name: str) -> str:
    """The class that a part of a request was made one of, if it is of another file: one of a few
    values, a record that was looked up.
    """
    is_class = is_class_name(type_name) and not _TEXT_TYPE.fullmatch(type_name)
    return type_name if is_class and mark.rpartition(".")[2] in _CONVERTED_MARKS else ""


class Definitions(ForeignCalls):
    """The functions and classes of one file, each of which is looked at as anybody may call it."""

    def __init__(self, matcher: Matcher, language: LanguageTraits) -> None:
        super().__init__(matcher, language)
        self._few = set(_LITERALS)
        self.validated: set[str] = set()
        """The origins of objects whose fields are checked before a function is called."""
        self.waiting: deque[Closure] = deque()
        self._methods: deque[Closure] = deque()
        self._inner: deque[Closure] = deque()
        self._met: set[tuple[int, int]] = set()
        self._contexts: Counter[tuple[int, int]] = Counter()
        self.called_back = CalledBack(matcher)
        self._only_called: dict[tuple[Routine, Routine], bool] = {}

    # What statements add (see interpreter.py).

    def run_function(self, function: Routine, env: Env) -> tuple[Value, Env | None, Truths]:
        """Run a body: what it returns, what holds then (None if it never does), and if it is true
        or false.
        """
        raise NotImplementedError

    def is_number_type(self, name: str) -> bool:
        """Whether no text fits a type, or but the few that it names."""
        held = _HELD_TYPE.fullmatch(name)
        kind = (held[1] or held[2]) if held else name
        return kind in _NUMBER_TYPES or kind in self._few

    def find_prototype(self, of: Value) -> ClassValue | None:
        """The class whose objects have the parts of what is called `of.prototype`."""
        if of.known_class is not None or of.closure is None:
            return of.known_class
        key = id(of.closure.function)
        if key not in self.classes:
            self.classes[key] = open_class_of(of.closure)
        return self.classes[key]

    def find_patched(self, name: str) -> Closure | None:
        """What a file has put in the place of a method that the language brings."""
        if not (self.replaced and self.language.has_prototypes):
            return None
        for kind in _BUILT_IN:
            # `replace` without a `g` goes by another name here.
            for word in (name, _SAME.get(name, name)):
                held = self.replaced.get(f"{kind}.prototype.{word}")
                if held is not None and held.closure is not None:
                    return held.closure
        return None

    def find_declared(self, pattern: str, origins: Taints) -> int:
        """The questions that are answered by a pattern which a class declares for its field."""
        if self.language.checks_if_marked and not all(
            one.source in self.validated for one in origins
        ):
            return 0
        return find_matched(self, pattern, "search")

    def is_inside(self) -> bool:
        """Whether a function is looked at, and not the text around all of them."""
        return bool(self.running)

    def define(self, function: Routine, env: Env) -> Value:
        """A function as a value. It will be looked at by itself, too, if others may call it."""
        closure = Closure(function, env, cleared=dict(env.cleared))
        if not self.running or not self._is_only_called(function, self.running[-1]):
            self._await(closure)
        return Value(closure=closure)

    def _is_only_called(self, function: Routine, around: Routine) -> bool:
        key = function, around
        if key not in self._only_called:
            # Once: the function around it is followed for each of its callers.
            self._only_called[key] = is_only_called(function, around)
        return self._only_called[key]

    def register_class(self, made: ClassValue, _env: Env) -> None:
        """Have all methods looked at, on one object that they share: constructors first."""
        if made.is_enumeration:
            self._few.add(made.name)
        instance = Instance(made, made.copy_fields())
        if any(
            one.function.body and not is_constructor(one.function) for one in made.methods.values()
        ):
            # Also what is declared by the name of what this class alone does here.
            for name in (made.name, *made.foreign):
                self.objects.setdefault(name, instance)
            for base in made.bases:
                known = self.objects.get(base.name)
                if base.is_promise and (known is None or known.known is base):
                    self.objects[base.name] = instance
        elif made.allowed or any(self.is_number_type(kind) for kind in made.types.values()):
            self.objects.setdefault(made.name, instance)
        own = [one for method in made.methods.values() for one in list_entries(method)]
        methods = sorted(own, key=lambda one: not is_constructor(one.function))
        # What a class inherits does something else if it has parts of its own that it asks.
        for method in (*methods, *made.list_inherited()):
            self._await(Closure(method.function, method.around, instance))

    def _await(self, closure: Closure) -> None:
        owner, key = closure.instance, _build_key(closure)
        if len(self.running) > 1:
            # Seen from a call of the file's own: what is around it is what that hands over.
            if self._contexts[key] >= _MOST_CONTEXTS:
                return
            self._contexts[key] += 1
        elif key in self._met:
            return
        elif self.running:
            self._inner.append(closure)
            return
        self._met.add(key)
        is_method = owner is not None and not is_constructor(closure.function)
        # Objects are made by functions: what they begin with is known when methods are looked at.
        (self._methods if is_method else self.waiting).append(closure)

    def take_next(self) -> Closure | None:
        """The function to be looked at next, None if none is left."""
        if not self.waiting:
            self.waiting.extend(self._methods)
            self._methods.clear()
        while not self.waiting and self._inner:
            # What a function of the file was called for is known with what that hands over.
            closure = self._inner.popleft()
            if (key := _build_key(closure)) not in self._met:
                self._met.add(key)
                self.waiting.append(closure)
        return self.waiting.popleft() if self.waiting else None

    def enter(self, closure: Closure) -> None:
        """Look at a function as somebody outside may call it."""
        env = self.open_scope(closure, None)
        for parameter in closure.function.parameters:
            value = self._ask_provider(closure, parameter)
            value = self.build_parameter(closure, parameter) if value is None else value
            if parameter.default is not None:
                value = self._note_default(closure, parameter.default, value)
            env.values[parameter.name] = value
            if parameter.pattern is not None:
                self.assign(parameter.pattern, value, env, closure.function.node)
        self.run_entered(closure, env)

    def _note_default(self, closure: Closure, said: Expression, value: Value) -> Value:
        """A parameter with what it is if nobody hands it over."""
        asks_all = self.matcher.asks_settings or self.matcher.guessed
        if not (asks_all or isinstance(said, Call | Name | Routine)):
            return value
        default = self.evaluate(said, closure.around.copy())
        if default.instance is not None and value.instance is None:
            # Who else hands one over hands over one that is like it.
            value = value._replace(instance=default.instance)
        if not asks_all:
            return value
        if is_weak_generator(self, default):
            return value._replace(name=default.name)
        return value._replace(default=default) if self.matcher.asks_settings else value

    def run_entered(self, closure: Closure, env: Env) -> None:
        """Run a function that is looked at, whose parameters are in `env`."""
        self.running.append(closure.function)
        try:
            self.run_function(closure.function, env)
        finally:
            self.running.pop()

    def _ask_provider(self, closure: Closure, parameter: Parameter) -> Value | None:
        """What a function of the file returns that a framework calls for a parameter:
        `page: Page = Depends(read_page)`. None if it is no such parameter.
        """
        said = parameter.default
        if not (isinstance(said, Call) and isinstance(said.callee, Name | Attribute)):
            return None
        if said.callee.name != "Depends" or not said.arguments:
            return None
        env = closure.around.copy()
        provider = self.evaluate(said.arguments[0].value, env).closure
        if provider is None or provider.function in self.running:
            return None
        inner = self.open_scope(provider, None)
        for one in provider.function.parameters:
            inner.values[one.name] = self._build_asked(provider, one)
        self.running.append(provider.function)
        try:
            made = self.run_function(provider.function, inner)[0]
        finally:
            self.running.pop()
        # A provider that yields hands over what it yields, and ends with the request.
        yielded = made.items.get(0) if made.items is not None and made.partial else None
        return made if yielded is None else yielded

    def _build_asked(self, provider: Closure, parameter: Parameter) -> Value:
        """A parameter of a provider, which is a part of the request as one of a route is."""
        value = self.build_parameter(provider, parameter)
        if parameter.annotations or parameter.type not in ("", "str"):
            return value
        mask = self.matcher.find_source("@fastapi.Query")
        name = f"@fastapi.Query:{parameter.name}"
        origin = Taint(name, (), mask, REMOTE, "", False, Trace(parameter.node, None))
        return Value((origin,), name=value.name) if mask else value

    def build_parameter(self, closure: Closure, parameter: Parameter) -> Value:
        """What a caller that nobody knows hands over."""
        if self.is_number_type(parameter.type):
            return Value(name=parameter.type)
        if is_number_of_route(closure.function, parameter.name):
            return Value(name="int")
        if _is_one_of_few(parameter.type, closure.around):
            return Value(name=parameter.type)
        object_ = self.find_object(parameter.type)
        function = closure.function
        called = self.name_parameter(closure, parameter)
        # What calls the function may say more of it than a class of the program's own.
        is_own = called != parameter.name and "." not in parameter.type
        is_brought = is_own and self.matcher.find_source(f"<{called}>")
        name = f"<{called}>" if is_brought or not _is_type(parameter.type) else parameter.type
        marks = [*parameter.annotations]
        if not any(mark.rpartition(".")[2] in _OWN_MARKS for mark in marks):
            if not _is_carried(parameter, closure.around):
                marks += [self.qualify_mark(mark, closure.around) for mark in function.annotations]
            is_carried = parameter.type.endswith(_BESIDE_TYPES)
            # Elsewhere `Shelf.get` would be a route's mark, as `app.get` is.
            if self.language.marks_by_base and closure.instance is not None and not is_carried:
                bases = closure.instance.known.list_names()
                marks += [f"{base}.{function.name}" for base in bases]
            node = parameter.node
            for mark in marks:
                mask = self.matcher.find_source(f"@{mark}")
                if parameter.type in _BODIES:
                    mask &= ~self.path_steps
                if mask:
                    for allowed in list_allowed(function, parameter):
                        mask &= ~find_matched(self, allowed, "search")
                    is_checked = _CHECKED_MARKS.intersection(
                        one.rpartition(".")[2] for one in marks
                    )
                    if is_checked and not _is_left_unasked(function):
                        self.validated.add(f"@{mark}:{parameter.name}")
                    converter = "" if object_ else _find_converter(mark, parameter.type)
                    converter = converter or find_own_kind(function, parameter.name)
                    origin = Taint(
                        f"@{mark}:{parameter.name}", (), mask, REMOTE, "", False, Trace(node, None),
                        answered_by=converter,
                    )  # fmt: skip
                    return Value((origin,) if mask else (), name=name, instance=object_)
        known = self.take_source(parameter.node, Value(name=name, instance=object_))
        live = self.matcher.parameters & ~self.matcher.find_sanitizer(parameter.name)
        instance = closure.instance
        is_typed = instance is not None and is_of_terminal(instance.known)
        if known.taints or not live or is_typed or closure.loops:
            return known
        source = f"{id(function)}:{parameter.name}"
        trace = Trace(parameter.node, None)
        taint = Taint(source, (), live, PARAMETER, "", False, trace)
        return Value((taint,), name=name, instance=object_)

    def name_parameter(self, closure: Closure, parameter: Parameter) -> str:
        """The name that a parameter goes by, by what calls its function."""
        marks = (self.qualify_mark(one, closure.around) for one in closure.function.annotations)
        return self.called_back.find_name(closure, parameter, marks)

    def qualify_mark(self, mark: str, env: Env) -> str:
        """A decorator by the name of what it is a part of: `app.get` is `flask.Flask.get`."""
        head, dot, rest = mark.partition(".")
        found = env.look_up(head)
        return f"{found.name}{dot}{rest}" if found is not None and found.name else mark

    def check_return(self, node: SgNode, function: Routine, value: Value, env: Env) -> None:
        """What a function hands to whatever it is marked for, or overrides a method of."""
        if not value.taints and not value.items:
            return
        said = Constant(node, None)
        names = [self.qualify_mark(mark, env) for mark in function.annotations]
        this = env.look_up("this")
        if this is not None and this.instance is not None:
            names += (f"{base}.{function.name}" for base in this.instance.known.list_names())
        if value.items is not None and not value.is_list:
            # An answer as a mapping says what its other entries are beside its body.
            entries = [(Argument(said, str(key)), one) for key, one in value.items.items()]
            check_sinks(self, node, f"return@{MAPPING}", entries, env)
        if not names or _is_record_returned(function):
            return
        body = value
        if value.items is not None:
            if not value.is_list or not value.items:
                return
            body = next(iter(value.items.values()))
        marked = [
            (one, self.evaluate(one.value, env.copy()))
            for mark in function.decorators
            for one in (mark.arguments if isinstance(mark, Call) else ())
            if one.keyword is not None
        ]
        given = [(Argument(said), body), *marked, *_list_said_types(said, value)]
        for name in names:
            check_sinks(self, node, f"return@{name}", given, env)

    def open_scope(self, closure: Closure, env: Env | None) -> Env:
        """What holds when a body begins, but for its parameters; `env` is a caller's."""
        inner = Env({}, closure.around, dict(closure.cleared))
        for origin, bits in (env.cleared if env is not None else {}).items():
            inner.cleared[origin] = inner.cleared.get(origin, 0) | bits
        function = closure.function
        if closure.instance is not None:
            this = Value(closure.held, name="<this>", instance=closure.instance)
            inner.values["this"] = this
            if function.is_of_class:
                inner.values[function.receiver] = Value(known_class=closure.instance.known)
            elif function.receiver:
                inner.values[function.receiver] = this._replace(name=f"<{function.receiver}>")
        return inner


def _list_said_types(said: Expression, answer: Value) -> list[tuple[Argument, Value]]:
    """What the headers behind a body say of its type: `return text, {"Content-Type": kind}`."""
    behind = list((answer.items or {}).values())[1:]
    return [
        (Argument(said, "content_type"), kind)
        for one in behind
        if one.items is not None
        for name, kind in one.items.items()
        if str(name).lower() == "content-type"
    ]


def _build_key(closure: Closure) -> tuple[int, int]:
    """What a function that is looked at is told apart by: itself, and the class of its object."""
    owner = closure.instance
    return id(closure.function), id(owner.known) if owner is not None else 0


def _is_type(name: str) -> bool:
    """Whether a parameter goes by its type: `net/http.Client`, and `crypto/cipher.AEAD` as well."""
    return is_class_name(name) or ("." in name and name.rpartition(".")[2].isupper())


def is_constructor(function: Routine) -> bool:
    """Whether a method makes its object."""
    return function.name in ("__init__", "constructor", function.owner)


def _is_left_unasked(function: Routine) -> bool:
    """Whether a function is handed what the checks have found, and asks nothing of it."""
    results = [
        one.name for one in function.parameters if one.type.endswith(("BindingResult", ".Errors"))
    ]
    text = function.node.text() if results else ""
    return any(f"{name}.has" not in text and f"{name}.get" not in text for name in results)


def _is_one_of_few(type_name: str, env: Env) -> bool:
    """Whether a type has a few values by name: a literal, or an enumeration of the file."""
    if type_name in _LITERALS:
        return True
    found = env.look_up(type_name) if type_name else None
    return found is not None and found.known_class is not None and found.known_class.is_enumeration


def _is_carried(parameter: Parameter, around: Env) -> bool:
    """Whether a framework hands something over beside the parts of a request; a form of the
    file, as `body: FeedRequest`, is made of these.
    """
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
    if not parameter.type.endswith((*_CARRIED_TYPES, "Request")):
        return False
    own = around.look_up(parameter.type)
    return own is None or own.known_class is None


def _is_record_returned(function: Routine) -> bool:
    """Whether a method says that it answers with an object, which a framework writes as JSON."""
    written = function.node.field("type")
    if written is None or function.node.kind() != "method_declaration":
        return False
    return _PAGE_TYPES.search(written.text()) is None
