"""Functions that are values: called by whatever method their interface has, combined, or read.

`Check check = Urls::isOurs; check.allows(a)` calls `Urls.isOurs(a)`, and `a.and(b).test(c)` asks
both. An interface that a lambda or a reference stands for has one method, so that its name is no
matter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ast_grep_py import SgNode

from jurat.engine.flow.calls.call import Calls
from jurat.engine.flow.forms.language_traits import LanguageTraits
from jurat.engine.flow.forms.program import (
    UNKNOWN,
    Argument,
    Attribute,
    Call,
    Constant,
    Expression,
    Logical,
    Name,
    Not,
    Parameter,
    Reference,
    Return,
    Routine,
)
from jurat.engine.flow.values.matcher import Matcher
from jurat.engine.flow.values.taints import Cleared
from jurat.engine.flow.values.value import NOTHING, Closure, Env, Given, Truths, Value, collect
from jurat.engine.flow.words import split_words

_EVERY_OBJECTS = split_words("equals hashCode toString getClass")
"""Methods that a function has as any object does."""

_OWN, _OTHER, _ASKED = "the function", "the other function", "what it is asked"
"""Names of what a combination of functions sees."""

Combine = Callable[[SgNode], Expression]


def _ask(node: SgNode, function: str, *of: Expression) -> Expression:
    """A call of one of the functions that are combined, with what the combination is asked."""
    given = of or (Name(node, _ASKED),)
    return Call(node, Name(node, function), [Argument(one) for one in given])


_COMBINATIONS: dict[str, Combine] = {
    "and": lambda node: Logical(node, "and", _ask(node, _OWN), _ask(node, _OTHER)),
    "or": lambda node: Logical(node, "or", _ask(node, _OWN), _ask(node, _OTHER)),
    "negate": lambda node: Not(node, _ask(node, _OWN)),
    "andThen": lambda node: _ask(node, _OTHER, _ask(node, _OWN)),
    "compose": lambda node: _ask(node, _OWN, _ask(node, _OTHER)),
}
"""What the methods of Java's functions make of one, or of two."""

_NEGATION = "Predicate.not"


def is_function(value: Value) -> bool:
    """Whether a value is a function, its own file's or another's that a reference names."""
    return value.closure is not None or any(map(_is_callable, value.choices))


def _is_callable(value: Value) -> bool:
    return value.closure is not None or not value.name.rpartition(".")[2].isupper()


class FunctionValues(Calls):
    """Calls of functions by the methods of their interfaces."""

    def __init__(self, matcher: Matcher, language: LanguageTraits) -> None:
        super().__init__(matcher, language)
        self._combined: dict[int, Routine] = {}

    def ask_property(self, condition: Attribute, env: Env) -> tuple[Cleared, Cleared]:
        """What a property's function has checked if it returned true, and if false."""
        of = self.results.get(id(condition.of), NOTHING).instance
        method = of.known.find_method(condition.name) if of is not None else None
        if of is None or method is None or not method.function.is_property:
            return {}, {}
        call = Call(condition.node, condition, ())
        self._apply(call, Closure(method.function, method.around, of), (), env.copy())
        return self.facts.pop(id(call), Truths({}, {}))[:2]

    def ask_function(
        self, closure: Closure, given: Sequence[Value], env: Env
    ) -> tuple[Cleared, Cleared]:
        """What a function has checked of what it is given if it returned true, and if false."""
        nobody = Constant(closure.function.node, UNKNOWN)
        arguments = [Argument(nobody) for _ in given]
        call = Call(nobody.node, nobody, arguments)
        self._apply(call, closure, list(zip(arguments, given, strict=True)), env.copy())
        self._ended.discard(id(call))
        return self.facts.pop(id(call), Truths({}, {}))[:2]

    def _call_one(
        self, expression: Call, called: Value, receiver: Value, given: Given, env: Env
    ) -> Value:
        if self.language.calls_by_interface and isinstance(expression.callee, Attribute):
            word, others = expression.callee.name, [value for _, value in given]
            if called.closure is None and is_function(receiver):
                if word in _COMBINATIONS:
                    return self._combine(expression, word, receiver, *others)
                if word not in _EVERY_OBJECTS:
                    return self._call_function(expression, receiver, given, env)
            elif called.name.endswith(_NEGATION) and others and is_function(others[0]):
                return self._combine(expression, "negate", others[0])
        return super()._call_one(expression, called, receiver, given, env)

    def _call_function(self, expression: Call, function: Value, given: Given, env: Env) -> Value:
        """The value of a call of a function, or of one of several."""
        if function.closure is None and len(function.choices) > 1:
            return self._call_each(expression, function, NOTHING, given, env)
        one = function if function.closure is not None else function.choices[0]
        # What a condition that asks it says is what it does, whatever the method is called.
        self.results[id(expression.callee)] = one
        return super()._call_one(expression, one, NOTHING, given, env)

    def _combine(
        self, expression: Call, word: str, function: Value, other: Value = NOTHING
    ) -> Value:
        """A function that asks another one, or two."""
        node = expression.node
        made = self._combined.get(id(expression))
        if made is None:
            body = [Return(node, _COMBINATIONS[word](node))]
            made = self._combined[id(expression)] = Routine(
                node, "", [Parameter(node, _ASKED)], body
            )
        return Value(closure=Closure(made, Env({_OWN: function, _OTHER: other})))

    def _run_callbacks(self, name: str, receiver: Value, given: Given, env: Env) -> list[Value]:
        """What goes through a mapping whose parts are known is called with each of its entries; a
        method of an object, as in `list.forEach(text::append)`, with any element of a list.
        """
        function = given[0][1] if len(given) == 1 else NOTHING
        is_loop = self.language.calls_by_interface and name.endswith(".forEach")
        if not (is_loop and receiver.items and not receiver.partial and is_function(function)):
            return super()._run_callbacks(name, receiver, given, env)
        if not receiver.is_list:
            for key, value in receiver.items.items():
                self._call_with(given[0][0].value, function, [Value(constant=key), value], env)
        elif function.closure is None:
            self._call_with(given[0][0].value, function, [Value(collect([receiver]))], env)
        else:
            return super()._run_callbacks(name, receiver, given, env)
        return []

    def _call_with(
        self, said: Expression, function: Value, values: Sequence[Value], env: Env
    ) -> None:
        node = said.node
        callee = said.of if isinstance(said, Reference) else said
        arguments = [Argument(Constant(node, UNKNOWN)) for _ in values]
        call = Call(node, callee, arguments)
        handed = list(zip(arguments, values, strict=True))
        one = function if function.closure is not None else function.choices[0]
        # The object as it is by now: the call before may have changed it.
        of = self.evaluate(callee.of, env) if isinstance(callee, Attribute) else NOTHING
        super()._call_one(call, one, of, handed, env)
