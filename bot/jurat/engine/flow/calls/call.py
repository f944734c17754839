"""What a call comes to: of the file's own functions, of containers, and of what nobody knows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ast_grep_py import SgNode

from jurat.engine.flow.calls.containers import TELLERS, call_container, is_builder
from jurat.engine.flow.calls.effects import (
    add_to_first,
    change_arguments,
    fill_arguments,
    forget_handed_over,
    list_changed,
    note_sample,
    tell_receiver,
)
from jurat.engine.flow.calls.followed import FollowedCall, begin_call, end_call, list_found
from jurat.engine.flow.calls.inherited import find_inherited
from jurat.engine.flow.calls.joined_texts import fill_format
from jurat.engine.flow.calls.parameters import (
    bind_found,
    bind_parameters,
    fill_record,
    spread_lists,
)
from jurat.engine.flow.calls.parts import get_item, get_method, read_accessor
from jurat.engine.flow.calls.patched_classes import extend_class
from jurat.engine.flow.calls.reflection import call_reflection
from jurat.engine.flow.calls.relays import Relays, spread_arguments
from jurat.engine.flow.calls.texts import join_text
from jurat.engine.flow.checks.answers import get_callee_name
from jurat.engine.flow.checks.declared_checks import (
    CHECKED_DATA,
    find_checker,
    is_fit_field,
    list_form_fields,
    note_declared_checks,
)
from jurat.engine.flow.checks.declared_schemas import call_schema, note_route_schemas
from jurat.engine.flow.checks.elements import drop_found, follow_each
from jurat.engine.flow.checks.foreign_checks import clear_checked
from jurat.engine.flow.forms.awaiting import is_left_running
from jurat.engine.flow.forms.language_traits import LanguageTraits
from jurat.engine.flow.forms.program import (
    UNKNOWN,
    Argument,
    Attribute,
    Call,
    Constant,
    Expression,
    Name,
    Routine,
)
from jurat.engine.flow.sinks.hits import check_handed_on, check_sinks
from jurat.engine.flow.sinks.pages import note_content_type
from jurat.engine.flow.values.callbacks import (
    FOLDS,
    GATHERING,
    GOING_THROUGH,
    RUN_AT_ONCE,
    STARTERS,
    bind_handed,
    find_handed,
    gather_returned,
    is_made_elsewhere,
    note_loop,
)
from jurat.engine.flow.values.called_by_syntax import (
    bind_first,
    bind_method,
    bind_to_object,
    find_started,
)
from jurat.engine.flow.values.folds import Fold, find_fold, list_in_order
from jurat.engine.flow.values.joins import join_values
from jurat.engine.flow.values.matcher import Matcher
from jurat.engine.flow.values.named_secrets import (
    OWN_DRAW,
    is_own_draw,
    keep_guessed,
    note_handed_over,
)
from jurat.engine.flow.values.overloads import choose_overload
from jurat.engine.flow.values.summaries import Summary, build_call_key, describe_object
from jurat.engine.flow.values.taints import REMOTE, merge_taints
from jurat.engine.flow.values.value import (
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
from jurat.engine.flow.words import split_words

_MOST_CALLS = 6
"""The file's own functions inside each other."""


_MAKERS = frozenset({"map", "flatMap", "mapToObj", "reduce"})
"""Methods that make something of each element."""

_ENDINGS = split_words(
    """
    sys.exit exit quit os._exit os.Exit process.exit panic log.Fatal log.Fatalf log.Fatalln
    abort flask.abort System.exit fail notFound forbidden
    """
)


class Calls(Relays):
    """Calls of the file's own functions, and of what nobody knows."""

    def __init__(self, matcher: Matcher, language: LanguageTraits) -> None:
        super().__init__(matcher, language)
        self.called: set[Routine] = set()
        self.most_depth = 180
        self._ended: set[int] = set()
        self._recursive: set[Routine] = set()
        self._known: dict[Any, Summary] = {}
        self._followed: dict[Any, FollowedCall] = {}
        self.put_off: list[tuple[Closure, Given]] = []
        """Calls inside of too many others, with what they are given."""
        self._put_off_before: set[Any] = set()

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
        said = known.find_allowed(name)
        answered = 0 if said is None else self.find_declared(said, of.taints)
        left = (taint.enter(name).drop_answered(answered) for taint in of.taints)
        given = Value(tuple(taint for taint in left if taint.matters))
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
        if (inherited := find_inherited(self, callee, env)) is not None:
            called = Value(closure=inherited)
        elif isinstance(callee, Attribute):
            receiver = self.evaluate(callee.of, env)
            named = find_started(receiver, callee.name)
            called = bind_to_object(get_method(self, expression.node, receiver, named), receiver)
            self.results[id(callee)] = called
            read = read_accessor(self, expression, called, receiver, callee.name)
            if read is not None:
                return read
        else:
            called = self.evaluate(callee, env)
        given = spread_lists([(one, self.evaluate(one.value, env)) for one in expression.arguments])
        note_loop(self.called, expression, given)
        if called.choices:
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
        asked = fill_format(self, name, given)
        if isinstance(callee, Attribute):
            asked = [*asked, (Argument(callee.of, "this"), receiver)]
        note_handed_over(self, name, given)
        check_sinks(self, expression.node, name or "?", asked, env)
        forget_handed_over(self, name, receiver, given, env)
        known = self._call_known(expression, called, given, env)
        if known is not None:
            return known
        if expression.tagged:
            # What a foreign tag makes of a template is its own affair, and fit.
            return NOTHING
        if name != called.name:
            called = called._replace(name=name)
        if (answered := self._call_library(expression, called, receiver, given, env)) is not None:
            return answered
        if (reflected := call_reflection(self, expression, name, given, env)) is not None:
            return reflected
        if isinstance(callee, Attribute):
            if callee.name in TELLERS and is_builder(receiver) and not given:
                return join_text(self, [*(receiver.items or {}).values(), Value(receiver.taints)])
            given = drop_found(self, callee, receiver, given, env)
            # What is kept goes on as what it was found to be, whatever way leads on from here.
            kept = [(argument, env.drop_cleared(value)) for argument, value in given]
            made = call_container(receiver, callee.name, kept)
            if made is not None:
                changed, result = made
                if changed is not receiver:
                    self.update(callee.of, changed, env)
                return result
        add_to_first(self, name, given, env)
        result = self._call_foreign(expression, called, receiver, given, env)
        result = tell_receiver(self, callee, receiver, given, result, env=env)
        return NOTHING if fill_arguments(self, expression, name, given, result, env=env) else result

    def _call_library(
        self, expression: Call, called: Value, receiver: Value, given: Given, env: Env
    ) -> Value | None:
        """What is known to come of a call by what libraries say of it; None if that is nothing."""
        if called.closure is not None:
            return None
        read = call_schema(self, called.name, receiver, given, env)
        if read is not None:
            return read
        clear_checked(self, expression, called.name, [receiver, *(one for _, one in given)], env)
        return self.relay(expression, called, receiver, given, env)

    def _call_foreign(
        self, expression: Call, called: Value, receiver: Value, given: Given, env: Env
    ) -> Value:
        """A call whose body is not followed: a source, or what it is given."""
        name = called.name
        source = self.take_source(expression.node, Value(name=extend_name(name, "()")))
        if is_own_draw(source, given):
            return Value(name=OWN_DRAW)
        if source.taints:
            key = given[0][1].constant if given else UNKNOWN
            path = (key,) if isinstance(key, str) else ()
            return source._replace(taints=tuple(t._replace(path=path) for t in source.taints))
        check_handed_on(self, expression, receiver, given, env)
        values = [value for _, value in given]
        self.note_called_back(name, given)
        if any(value.closure is not None for value in values):
            note_declared_checks(self, values)
            note_route_schemas(self, values)
        note_content_type(name, values, env)
        if expression.new and name == "Promise" and given:
            executor = given[0][1].closure
            return self.run_promise(
                expression,
                lambda handed: self._run(executor, env, partial(bind_parameters, given=handed)),
            )
        if (fold := find_fold(name, receiver, given)) is not None:
            return self._fold(fold, env)
        returned = self._run_callbacks(name, receiver, given, env)
        if returned and name.endswith(GATHERING):
            return gather_returned(returned, extend_name(name, "()"))
        if name.endswith("promisify") and given:
            return given[0][1]
        if (kept := follow_each(self, name, receiver, given, env)) is not None:
            return kept
        return self.call_unknown(expression, called, receiver, given, env, returned=returned)

    def _fold(self, fold: Fold, env: Env) -> Value:
        """What a function makes of a beginning and of each of several."""
        argument, made = fold.first
        each = get_item(self, argument.value.node, fold.several, UNKNOWN)
        for one in list_in_order(fold.several) or (each, each):
            handed = [(argument, made), (argument, one)]
            more = self._run(fold.function, env, partial(bind_parameters, given=handed))
            made = made if more is None else more
        return made

    def read_property(self, node: SgNode, closure: Closure, given: Given = ()) -> Value:
        """What a function returns that the language calls itself, and hands `given`."""
        callee = Constant(node, UNKNOWN)
        return self._apply(Call(node, callee, ()), closure, given, None) or NOTHING

    def _call_known(self, expression: Call, called: Value, given: Given, env: Env) -> Value | None:
        """The value of a call of the file's own functions and classes, None if it is none."""
        if expression.new and called.closure is not None:
            called = Value(known_class=self.find_prototype(called))
        if called.known_class is not None:
            if called.known_class.is_enumeration and len(given) == 1 and not expression.new:
                # One of its values, or an error.
                env.clear(iter_taints(given[0][1]), self.matcher.everything)
                return Value(name=called.known_class.name)
            return self._make_object(expression, called.known_class, given, env)
        closure = called.closure or bind_method(called, "__call__")
        if closure is not None and (own := bind_first(closure, given)) is not None:
            return self._apply(expression, own, given[1:], env)
        return None if closure is None else self._apply(expression, closure, given, env)

    def _make_object(self, expression: Call, known: ClassValue, given: Given, env: Env) -> Value:
        """An object of one of the file's classes, as `new` or a call of the class makes it."""
        if self.language.extends_by_call:
            known, given = extend_class(known, given)
        instance = Instance(known, known.copy_fields(), made=True)
        made = known.find_method("constructor")
        made = made or known.find_method("__init__")
        made = made or known.find_method(known.name)
        if made is not None:
            self._apply(expression, Closure(made.function, made.around, instance), given, env)
        whole = collect(value for _, value in given) if made is None else ()
        if made is None:
            fill_record(instance, given)
            if (checks := known.find_method("__post_init__")) is not None:
                bound = Closure(checks.function, checks.around, instance)
                self._apply(expression, bound, (), env)
        note_sample(self, known, instance)
        return Value(whole, name=known.name, instance=instance)

    def _apply(
        self, expression: Call, closure: Closure, given: Given, env: Env | None
    ) -> Value | None:
        closure = choose_overload(closure, given, self.is_number_type)
        function = closure.function
        if function in self.running:
            self._recursive.add(function)
            return None
        if len(self.running) > _MOST_CALLS:
            self._put_off(closure, given, env)
            return None
        self.called.add(function.stands_for or function)
        if function in self._recursive:
            # It calls itself with other numbers than it was called with.
            given = [(one, value._replace(constant=UNKNOWN)) for one, value in given]
        key = build_call_key(closure, given, env)
        found = self._known.get(key) if key is not None else None
        if found is None:
            inner = self.open_scope(closure, env)
            bind_parameters(self, closure, given, inner)
            before = dict(inner.values)
            begun = begin_call(self, closure)
            self.running.append(function)
            try:
                value, end, truths = self.run_function(function, inner)
            finally:
                self.running.pop()
            if function in self._recursive and any(
                value.constant is not UNKNOWN for _, value in given
            ):
                return self._apply(expression, closure, given, env)
            changed = list_changed(before, end.values) if end else {}
            found = value, dict(end.cleared) if end else {}, truths, end is None, changed
            # What changes its object would be left out by a summary.
            if key is not None and describe_object(closure) == key.held:
                self._known[key] = found
                if (followed := end_call(self, begun)) is not None:
                    self._followed[key] = followed
        value, cleared, truths, never, changed = found
        if env is None or is_left_running(expression.node, function):
            return value
        for origin, bits in cleared.items():
            env.cleared[origin] = env.cleared.get(origin, 0) | bits
        self.facts[id(expression)] = truths
        if never:
            self._ended.add(id(expression))
        change_arguments(self, expression, closure, given, changed, env=env)
        return value

    def _put_off(self, closure: Closure, given: Given, env: Env | None) -> None:
        """Remember a call that is too deep to be followed, if what it is given was sent."""
        if env is None or not any(
            one.strength == REMOTE for _, v in given for one in iter_taints(v)
        ):
            return
        left = [(argument, env.drop_cleared(value)) for argument, value in given]
        key = build_call_key(closure, left, Env({}))
        # What cannot be described may be another call each time: none is dropped in silence.
        if key is None or key not in self._put_off_before:
            self._put_off_before.add(key)
            self.put_off.append((closure, left))

    def follow_put_off(self, closure: Closure, given: Given) -> None:
        """Follow a call that was too deep, from there on."""
        node = closure.function.node
        self.entry = closure.function
        self._apply(Call(node, Name(node, closure.function.name), ()), closure, given, Env({}))

    def run_entered(self, closure: Closure, env: Env) -> None:
        """Run a function that is looked at, unless a call of it has found all that there is."""
        found = None
        if not closure.function.parameters:
            followed = self._followed.get(build_call_key(closure, (), Env({})))
            found = list_found(self, closure, followed)
        if found is None:
            super().run_entered(closure, env)
        else:
            self.hits += found

    def apply_later(
        self, expression: Call, closure: Closure, given: Given, env: Env
    ) -> Value | None:
        """Have a function called with what it is handed now."""
        by_name = getattr(expression.callee, "name", "") == "apply_async"
        self._apply(expression, closure, spread_arguments(given) if by_name else given, env)
        return NOTHING

    def _run_callbacks(self, name: str, receiver: Value, given: Given, env: Env) -> list[Value]:
        """Functions that are handed on are called with what they are handed on with.

        What a callee that nobody has seen looks for or works out, and hands to a function, is its
        own as what it answers is.
        """
        returned: list[Value] = []
        called = extend_name(name, "()")
        known = self.sanitize(iter_taints(receiver), called)
        others = self.sanitize(collect(value for _, value in given), called)
        # Most callees are handed none: whatever else could be asked about those is left out.
        if all(value.closure is None for _, value in given):
            return returned
        word = name.rpartition(".")[2]
        at_once = word in RUN_AT_ONCE or word == "then"
        is_passed = word.startswith(GOING_THROUGH) or self.matcher.find_passing(called)
        if not is_passed:
            others = tuple(taint.become_answer(name) for taint in others)
        taints = merge_taints((*known, *others))
        find = partial(bind_found, taints=taints, loops=not name.endswith(FOLDS))
        element = find_handed(receiver, word)
        for at, (_, value) in enumerate(given):
            if value.closure is None:
                continue
            is_started = not is_passed or word in STARTERS
            handed = bind_handed(called, given, at) if is_started else ()
            if element is not None:
                handed = [(given[at][0], element)]
            if handed:
                self.called.add(value.closure.function)
            hands_over = bool(handed or taints or at_once or is_made_elsewhere(value.closure, env))
            is_listed = receiver.items is not None
            if not (hands_over or (word in _MAKERS and (is_listed or self.matcher.guessed))):
                continue
            closure, bind = value.closure, find
            if handed and (bound := bind_first(closure, handed)) is not None:
                closure, bind = bound, partial(bind_parameters, given=handed[1:])
            elif handed:
                bind = partial(bind_parameters, given=handed)
            made = self._run(closure, env, bind)
            if made is not None:
                # What it is told nothing for it makes by itself: random letters, maybe.
                own = made if hands_over or is_listed else Value(keep_guessed(self, [made]))
                returned.append(own)
        return returned

    def _run(self, closure: Closure | None, env: Env, bind: Callable[..., None]) -> Value | None:
        """What a function returns that somebody is handed; None if it is none, or runs already.

        `bind` says what it is called with.
        """
        if closure is None or closure.function in self.running or len(self.running) > _MOST_CALLS:
            return None
        inner = self.open_scope(closure, env)
        bind(self, closure, inner=inner)
        self.running.append(closure.function)
        try:
            return self.run_function(closure.function, inner)[0]
        finally:
            self.running.pop()
