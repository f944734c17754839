"""What reading expressions is to know of its file, and what functions and statements add to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ast_grep_py import SgNode

from jurat.engine.flow.forms.language_traits import LanguageTraits
from jurat.engine.flow.forms.program import (
    UNKNOWN,
    Call,
    Chosen,
    Class,
    Comprehension,
    Expression,
    Parameter,
    Routine,
)
from jurat.engine.flow.values.matcher import Matcher
from jurat.engine.flow.values.taints import PARAMETER, REMOTE, Cleared, Taint, Taints, Trace
from jurat.engine.flow.values.value import (
    ClassValue,
    Closure,
    Env,
    Given,
    Instance,
    Truths,
    Value,
    extend_name,
)

NUMBER_MAKERS = re.compile(
    r"(?:^|\.)(?:int|float|Number|BigInt|parse(?:Int|Long|Float|Double|Boolean)|Atoi"
    r"|Parse(?:Int|Uint|Float|Bool)|UUID|fromString|get(?:Int|Long|Short|Double|Float|Boolean)"
    r"|valueOf)(?:\(\))?$"
)
"""Ends the name of what makes a number, or something as short, of a text."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A value that arrived at a sink. `mask` has the questions it answers with yes, `entry` is the
    function that was looked at. It is `called` if it is a parameter of a function that this file
    calls, and others may. `objection` is what else in its file speaks against it. It is `begun` if
    a check has asked where a path begins.
    """

    node: SgNode
    taint: Taint
    mask: int
    callee: str
    entry: Routine | None = None
    called: bool = False
    objection: str = ""
    begun: bool = False


class Evaluator:
    """Expressions of one file."""

    def __init__(self, matcher: Matcher, language: LanguageTraits) -> None:
        self.matcher = matcher
        self.language = language
        self.hits: list[Hit] = []
        self.entry: Routine | None = None
        self.running: list[Routine] = []
        """The functions that are gone through, each called by the one before it."""
        self.steps = 0
        self.depth = 0
        self.results: dict[int, Value] = {}
        self.units: dict[str, Env] = {}
        """What the names of other files of the change hold, if these are followed as well."""
        self.replaced: dict[str, Value] = {}
        self.open_modules: list[str] = []
        """Modules whose parts a file names as its own."""
        self.classes: dict[int, ClassValue] = {}
        """By function: the class of what `new` makes of it."""
        self.objects: dict[str, Instance] = {}
        self.yielded: list[list[Value]] = []
        self.raised: list[Value] = []
        self.set_inside: dict[int, frozenset[str]] = {}
        """By the tree of a file: the names of it that its functions set."""
        self.makes_strong: bool | None = None
        """Whether the file makes strong generators of random numbers alone; None if unasked."""
        self.facts: dict[int, Truths] = {}
        """By call: what was checked if it returned true, and if it returned false, or nothing."""
        self.answered: list[tuple[str, tuple[str, ...], int]] = []
        self.refusers: dict[str, str] = {}
        """By the name of an origin: what was asked about it last, and may have refused it."""

    # What expressions, functions and statements add (see interpreter.py).

    def evaluate(self, expression: Expression, env: Env) -> Value:
        """The value of an expression. Raises TooMuchWorkError."""
        raise NotImplementedError

    def call(self, expression: Call, env: Env) -> Value:
        """The value of a call."""
        raise NotImplementedError

    def define(self, function: Routine, env: Env) -> Value:
        """A function as a value."""
        raise NotImplementedError

    def name_parameter(self, closure: Closure, parameter: Parameter) -> str:
        """The name that a parameter goes by, by what calls its function."""
        raise NotImplementedError

    def is_number_type(self, name: str) -> bool:
        """Whether no text fits a type, or but the few that it names."""
        raise NotImplementedError

    def take_from(self, of: Value, part: str) -> Value | None:
        """A part that another function of the file was seen to leave there."""
        raise NotImplementedError

    def read_property(self, node: SgNode, closure: Closure, given: Given = ()) -> Value:
        """What a function returns that the language calls itself, and hands `given`."""
        raise NotImplementedError

    def read_checked(self, node: SgNode, of: Value, instance: Instance, name: str) -> Value | None:
        """A part of a form that its class checks; None for any other."""
        raise NotImplementedError

    def find_declared(self, pattern: str, origins: Taints) -> int:
        """The questions that are answered by a pattern which a class declares for its field."""
        raise NotImplementedError

    def ask_function(
        self, closure: Closure, given: Sequence[Value], env: Env
    ) -> tuple[Cleared, Cleared]:
        """What a function has checked of what it is given if it returned true, and if false."""
        raise NotImplementedError

    def is_inside(self) -> bool:
        """Whether a function is looked at, and not the text around all of them."""
        raise NotImplementedError

    def make_class(self, statement: Class, env: Env) -> Value:
        """A class as a value."""
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

    def build_unknown(self, node: SgNode, name: str) -> Value:
        """What somebody has handed over that no parameter tells of."""
        live = self.matcher.parameters & ~self.matcher.find_sanitizer(name)
        taint = Taint(f"?{name}", (), live, PARAMETER, "", False, Trace(node, None))
        return Value((taint,) if live else (), name=name)

    def find_prototype(self, of: Value) -> ClassValue | None:
        """The class whose objects have the parts of what is called `of.prototype`."""
        raise NotImplementedError

    def find_patched(self, name: str) -> Closure | None:
        """What a file has put in the place of a method that the language brings."""
        raise NotImplementedError

    def find_object(self, type_name: str) -> Instance | None:
        """What a value is that is declared to be of one of the file's classes with methods."""
        if not type_name:
            return None
        name = type_name.lstrip("*&").partition("<")[0]
        found = self.objects.get(name)
        if found is None and self.units:
            # Imported, a class goes by the name of its module as well.
            found = self.objects.get(name.rpartition(".")[2])
        return found

    def take_source(self, node: SgNode, value: Value) -> Value:
        """The value as one from outside, if its name says so."""
        mask = self.matcher.find_source(value.name)
        if not mask:
            return value
        taint = Taint(value.name, (), mask, REMOTE, "", False, Trace(node, None))
        return Value((taint,), name=value.name, instance=value.instance)

    def sanitize(self, taints: Iterable[Taint], *names: str, spared: int = 0) -> Taints:
        """The origins of what a callee or a property of any of these names makes of a value.

        `spared` are questions that it leaves open here.
        """
        taints = tuple(taints)
        if not taints:
            return taints
        answered = encoded = undone = 0
        for name in names:
            effect = self.matcher.find_effect(name)
            answered |= effect.answered & ~spared
            encoded |= effect.encoded
            undone |= effect.undone
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

    @property
    def path_steps(self) -> int:
        """The questions that are answered for a text without a slash."""
        return self.matcher.get_rejected("/")
