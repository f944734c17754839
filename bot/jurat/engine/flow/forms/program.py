"""The small program form that every language is brought into before its values are followed.

Expressions and statements as plain trees. What a language has beyond them becomes the nearest of
these: a comprehension is a loop, a `with` an assignment, a class a set of functions and fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ast_grep_py import SgNode

from jurat.engine.flow.forms.linked_files import Link


class _Unknown:
    """The value of what is no constant."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = _Unknown()


EXPORT = "export "
"""Begins the name of what a script exports, the rest of it is how others call that."""

SETTER = "set "
"""Begins the name of a method that is called by an assignment to what the rest of it says."""


@dataclass(slots=True, eq=False)
class Expression:
    """Something that has a value. `node` is where it stands."""

    node: SgNode


@dataclass(slots=True, eq=False)
class Constant(Expression):
    """A literal. `value` is its value in Python, UNKNOWN for one that is not worth keeping."""

    value: Any


@dataclass(slots=True, eq=False)
class Name(Expression):
    """A variable, by its name."""

    name: str


@dataclass(slots=True, eq=False)
class Module(Expression):
    """Something that is known by its qualified name, such as what an import binds.

    `link` says where another file of the change has it.
    """

    name: str
    link: Link | None = None


@dataclass(slots=True, eq=False)
class Attribute(Expression):
    """A named part of something."""

    of: Expression
    name: str


@dataclass(slots=True, eq=False)
class Reference(Expression):
    """A method that is not called but handed on: `Texts::trim`."""

    of: Attribute


@dataclass(slots=True, eq=False)
class Index(Expression):
    """A part of something, by its key. A slice has no key, and maybe a `start` and an `end`."""

    of: Expression
    key: Expression | None
    start: Expression | None = None
    end: Expression | None = None


@dataclass(slots=True, eq=False)
class Argument:
    """What a call hands over: by position or by keyword, or several at once (`spread`).

    `filled` says that its address is handed over, so that the callee may write into it.
    """

    value: Expression
    keyword: str | None = None
    spread: bool = False
    filled: bool = False


@dataclass(slots=True, eq=False)
class Call(Expression):
    """A call. `new` says that it makes an object of the class that it names, `tagged` that it is
    written before a template.
    """

    callee: Expression
    arguments: Sequence[Argument]
    new: bool = False
    tagged: bool = False


@dataclass(slots=True, eq=False)
class Text(Expression):
    """Parts that are put together into one text, in order."""

    parts: Sequence[Expression]


@dataclass(slots=True, eq=False)
class Template(Expression):
    """Parts that are no text yet, in order; each says whether it is put in."""

    parts: Sequence[tuple[Expression, bool]]


@dataclass(slots=True, eq=False)
class Binary(Expression):
    """An operator with two sides, other than a comparison."""

    operator: str
    left: Expression
    right: Expression


@dataclass(slots=True, eq=False)
class Relationship(Expression):
    """`==`, `!=`, `<`, `in`, `not in` and the like: true or false, whatever its sides hold."""

    operator: str
    left: Expression
    right: Expression


@dataclass(slots=True, eq=False)
class Not(Expression):
    """The opposite of a condition."""

    of: Expression


@dataclass(slots=True, eq=False)
class Logical(Expression):
    """`and` and `or` (also `??`) over two conditions, the value being one of both."""

    operator: str
    left: Expression
    right: Expression


@dataclass(slots=True, eq=False)
class Choice(Expression):
    """One of two values, by a condition."""

    condition: Expression
    yes: Expression
    no: Expression


@dataclass(slots=True, eq=False)
class Chosen(Expression):
    """The value of a switch."""

    switch: Switch


@dataclass(slots=True, eq=False)
class ContextOpening(Expression):
    """What Python's `with` binds: the object itself, or what its `__enter__` returns."""

    of: Expression


@dataclass(slots=True, eq=False)
class Container(Expression):
    """A literal list, mapping or set. A list's entries have no key, a spread entry neither."""

    entries: Sequence[tuple[Expression | None, Expression, bool]]
    mapping: bool = False


@dataclass(slots=True, eq=False)
class Shape(Expression):
    """A target: what a value is taken apart into that is of a `kind`, by the name of a class.

    `parts` have a name, or none if they go by their places; `whole` is what the value itself goes
    to. One that `is_open` asks for no class: any value may have parts of these names.
    """

    kind: str
    parts: Sequence[tuple[str | None, Expression]] = ()
    whole: Expression | None = None
    is_open: bool = False


@dataclass(slots=True, eq=False)
class Comprehension(Expression):
    """A loop that is a value."""

    loop: Loop
    element: Expression


@dataclass(slots=True, eq=False)
class Mix(Expression):
    """Something that holds all of its parts in a way of its own."""

    parts: Sequence[Expression]


@dataclass(slots=True, eq=False)
class Yield(Expression):
    """A value that a generator hands out."""

    of: Expression


@dataclass(slots=True, eq=False)
class InnerAssignment(Expression):
    """An assignment that is a value."""

    target: Expression
    value: Expression


@dataclass(slots=True, eq=False)
class Parameter:
    """`node` is its name, `type` its qualified type, `annotations` the names of what marks it.

    `pattern` is what it is taken apart into, `default` its value if nobody gives one, `allowed` the
    expression that a framework has looked for in it. It has the `rest` of what is handed over, or
    what of that has a name that no other parameter has (`names`).
    """

    node: SgNode
    name: str
    type: str = ""
    annotations: Sequence[str] = ()
    default: Expression | None = None
    pattern: Expression | None = None
    rest: bool = False
    names: bool = False
    allowed: str | None = None


@dataclass(slots=True, eq=False)
class Routine(Expression):
    """A function, wherever it stands. `receiver` is the name of what it is a method of.

    One that `is_of_class` is handed the class itself as its receiver.
    `annotations` are its decorators, by qualified name, `decorators` the same as expressions. A
    property is called wherever it is read. `overloads` are others of its name, for other arguments.
    One that is called in another form `stands_for` what is written.
    """

    name: str
    parameters: Sequence[Parameter]
    body: Sequence[Statement]
    annotations: Sequence[str] = ()
    receiver: str = ""
    owner: str = ""
    is_static: bool = False
    is_of_class: bool = False
    is_property: bool = False
    decorators: Sequence[Expression] = ()
    overloads: Sequence[Routine] = ()
    stands_for: Routine | None = None


@dataclass(slots=True, eq=False)
class Statement:
    """Something that is done."""

    node: SgNode


@dataclass(slots=True, eq=False)
class Assign(Statement):
    """One value to one target, which may be a Container of targets. `declares` a new name.

    `type` is the qualified type that the target is declared with, if it says more than the value.
    `noted` is one as it is written beside the target, which makes nothing another value.
    """

    target: Expression
    value: Expression
    declares: bool = False
    type: str = ""
    noted: str = ""


@dataclass(slots=True, eq=False)
class Do(Statement):
    """An expression that is evaluated for what it does."""

    expression: Expression


@dataclass(slots=True, eq=False)
class Branch(Statement):
    """The first arm whose condition holds, else the last block."""

    arms: Sequence[tuple[Expression, Sequence[Statement]]]
    otherwise: Sequence[Statement] = ()


@dataclass(slots=True, eq=False)
class Loop(Statement):
    """Some passes through a body: over `iterable`, or while `condition` holds, or at will.

    `once` says that the condition is asked after the first pass, `key` is what the loop has the
    key in, if `target` is the value, `otherwise` what is done unless the loop was left.
    """

    body: Sequence[Statement]
    target: Expression | None = None
    iterable: Expression | None = None
    condition: Expression | None = None
    keys: bool = False
    once: bool = False
    key: Expression | None = None
    otherwise: Sequence[Statement] = ()


@dataclass(slots=True, eq=False)
class Option:
    """One case of a switch: the values it is for, empty for what is left; `binds` what it names,
    and `guard` the condition under which it is taken.
    """

    values: Sequence[Expression]
    body: Sequence[Statement]
    binds: Expression | None = None
    is_default: bool = False
    guard: Expression | None = None


@dataclass(slots=True, eq=False)
class Switch(Statement):
    """A choice between cases. With `falls`, a case runs on into the next."""

    subject: Expression
    cases: Sequence[Option]
    falls: bool = False


@dataclass(slots=True, eq=False)
class Try(Statement):
    """A body, what is done if it fails, and what is done in any case."""

    body: Sequence[Statement]
    handlers: Sequence[Sequence[Statement]]
    otherwise: Sequence[Statement] = ()
    finish: Sequence[Statement] = ()


@dataclass(slots=True, eq=False)
class Return(Statement):
    """The end of a function, with its value."""

    value: Expression | None


@dataclass(slots=True, eq=False)
class Raise(Statement):
    """The end of a path by an error."""

    value: Expression | None


@dataclass(slots=True, eq=False)
class Caught(Statement):
    """The beginning of a handler: the name by which it has the error."""

    name: str


@dataclass(slots=True, eq=False)
class Leave(Statement):
    """The end of a pass through a loop (`again`), or of the loop or switch."""

    again: bool


@dataclass(slots=True, eq=False)
class Assertion(Statement):
    """A condition without which nothing goes on."""

    condition: Expression


@dataclass(slots=True, eq=False)
class Class(Statement):
    """A class: its methods, its fields with values, and the types that fields are declared with.

    `allowed` are the expressions that a framework has looked for in a field's text, `opening` what
    is done once the fields have their values, `inside` the class that it stands in, whose parts it
    names as its own.
    """

    name: str
    methods: Sequence[Routine]
    fields: Sequence[tuple[str, Expression]] = ()
    types: dict[str, str] = field(default_factory=dict)
    bases: Sequence[Expression] = ()
    allowed: dict[str, str] = field(default_factory=dict)
    opening: Sequence[Statement] = ()
    inside: str = ""


@dataclass(slots=True, eq=False)
class Made(Expression):
    """A class as a value."""

    made: Class


@dataclass(slots=True, eq=False)
class Outer(Statement):
    """Names that belong to what stands around the function."""

    names: Sequence[str]
