"""What a program says, as values are followed in it, and what it calls, sets and hands on.

A file says more, in comments and in sentences. Whatever a value is called is put together from what
the program form holds, so that no flow is found if its words are not all here. And a sink is what
is called or set: something with its last word is, or is handed on by its name and may be called
under another one. What is only counted, compared or asked for a part of its own is neither.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeGuard

from jurat.engine.flow.forms.call_sites import can_bring
from jurat.engine.flow.forms.needs import MAPPING, NameEnd, compile_needs
from jurat.engine.flow.forms.program import (
    Argument,
    Assertion,
    Assign,
    Attribute,
    Binary,
    Branch,
    Call,
    Choice,
    Class,
    Constant,
    Container,
    Do,
    Expression,
    Index,
    InnerAssignment,
    Logical,
    Loop,
    Mix,
    Module,
    Name,
    Not,
    Option,
    Parameter,
    Relationship,
    Routine,
    Statement,
    Text,
)
from jurat.engine.needles import FileWords
from jurat.rules.flows import FlowQuestion
from jurat.rules.sinks import Sink

_WORD = re.compile(r"\w+")
_LAST_WORD = re.compile(r"[\w$]+(?=[^\w$]*$)")
"""What a name ends with: `$` is one in a script."""
_SPACE = re.compile(r"\s")

_LONGEST_NAME = 200
"""Letters of a word that may be a name put together: to look into one takes their square."""

_BY_METHOD = frozenset({"apply", "bind", "call"})
"""Methods of a function that call it."""

_BY_NAME = frozenset({"__import__", "getattr", "import_module", "setattr"})
"""What finds something by its name, as `Reflect.get` does."""

_PROVIDED = "Depends"
"""What has a function called whose parameters are marked, though nobody writes that there."""

_NUMERIC = frozenset({"-", "*", "**", "//", "&", "^", "<<", ">>", "@", ">>>"})

_ANSWERED = (Assertion, Branch, Mix, Not, Text)
"""Forms whose parts are no functions any more in what they come to."""

_CHOSEN = (Choice, Logical)
"""Forms that are one of their parts."""


class ProgramWords(NamedTuple):
    """The words of some programs' text, what they say and use, and the words of that."""

    text: FileWords
    said: SaidWords
    words: FileWords


def read_words(programs: Sequence[ProgramParts]) -> ProgramWords:
    """The words of some programs, which are told what is asked of them together."""
    text = FileWords([one.text for one in programs])
    said = SaidWords(programs, text.words)
    return ProgramWords(text, said, FileWords(text.texts, said.words))


def list_answerable(read: ProgramWords, questions: Sequence[FlowQuestion]) -> list[int]:
    """The numbers of the questions whose words programs say, and of which they use a sink.

    One whose words are not even in the text was asked for another reason, such as a disguise.
    """
    text, said, words = read
    needs = enumerate(map(compile_needs, questions))
    return [at for at, one in needs if one.are_met(words, said) or not one.are_met(text)]


def list_ending(read: ProgramWords, questions: Sequence[FlowQuestion]) -> frozenset[int]:
    """The numbers of the questions of which a program uses a sink, wherever a value comes from."""
    needs = enumerate(map(compile_needs, questions))
    return frozenset(at for at, one in needs if one.can_end(read.words, read.said))


class SaidWords:
    """The words of all names, types, marks and keys of some programs, and those that they use.

    Of the words that are `written` anywhere, those count as well that may be put together:
    `"sys" + "tem"`. `handed`, `calls` and `texts` are those of all programs.
    """

    def __init__(self, programs: Sequence[ProgramParts], written: Iterable[str]) -> None:
        self.handed = _join_sets(one.handed for one in programs)
        self.texts = _join_sets(one.texts for one in programs)
        self.calls: dict[str, list[Call]] = {}
        for one in programs:
            for word, calls in one.calls.items():
                self.calls.setdefault(word, []).extend(calls)
        self._marks = _join_sets(one.marks for one in programs)
        self._names = _join_sets(one.names for one in programs)
        pieces = _list_words(_join_sets(one.keys for one in programs))
        compared = _join_sets(one.compared for one in programs)
        said = pieces | _list_words(self._names) | _list_words(compared)
        others = (word for word in written if len(word) <= _LONGEST_NAME and word not in said)
        # By its letters at either end first: few words have those of a piece at both.
        firsts, lasts = {one[0] for one in pieces}, {one[-1] for one in pieces}
        made = {
            word
            for word in others
            if word[0] in firsts and word[-1] in lasts and _is_made_of(word, pieces)
        }
        self.words = frozenset(said | made)
        if any(one.looks_up for one in programs):
            # Under a name that nobody has written there.
            self.handed |= pieces | made

    def is_used(self, end: NameEnd) -> bool:
        """Whether something with a name that ends so may be called or set."""
        return any(end.list_fitting(self.handed)) or any(end.list_fitting(self.calls))

    def can_begin(self, end: NameEnd) -> bool:
        """Whether something with a name that ends so may be an origin."""
        if end.marks and _PROVIDED not in self.calls:
            # A mark without an owner may go by another name, which it was given as a value.
            is_named = "" in self._marks and any(end.list_fitting(self.handed))
            return is_named or any(end.list_fitting(self._marks))
        return not end.answers or self.is_used(end)

    def can_take(self, end: NameEnd, sink: Sink) -> bool:
        """Whether something with a name that ends so may be a sink that is given an origin."""
        if any(end.list_fitting(self.handed)):
            return True
        if end.marks and (end.word == MAPPING or any(end.list_fitting(self._names))):
            # A method that is overridden takes what it returns.
            return True
        words = () if sink.assigned else tuple(end.list_fitting(self.calls))
        if words and any(one.keyword in self.handed for one in sink.arguments):
            # A field that is set later could have been told the constructor.
            return True
        return any(can_bring(call, sink) for word in words for call in self.calls[word])


class ProgramParts:
    """What one program says and uses, read once: it is asked alone, and together with others.

    A constant with white space is no key and no module, and says nothing. `handed` are the last
    words of what is set, marks something or goes on as a value, `calls` has the calls by the last
    word of what is called. `texts` are all constants but those that nobody takes, such as what is
    written about a function. `looks_up` says that something goes by a name that is worked out.
    """

    def __init__(self, program: Routine) -> None:
        self.text = program.node.text()
        self.handed: set[str] = set()
        self.calls: dict[str, list[Call]] = {}
        self.texts: set[str] = set()
        self.marks: set[str] = set()
        self.names: set[str] = set()
        self.keys: set[str] = set()
        self.compared: set[str] = set()
        self.looks_up = False
        self._waiting: list[tuple[Any, bool]] = [(program, False)]
        while self._waiting:
            self._read(*self._waiting.pop())

    def _read(self, one: Any, goes_on: bool) -> None:
        """Take up a part of the program; `goes_on` says that its value does."""
        kind: Any = type(one)
        read = _READERS.get(kind)
        if read is not None:
            read(self, one, goes_on)
        elif kind is list or kind is tuple:
            self._waiting += [(part, goes_on) for part in one]
        elif kind is str:
            self.names.add(one)
        elif parts := _list_parts(kind):
            if kind not in _CHOSEN:
                goes_on = kind not in _ANSWERED
            self._waiting += [(getattr(one, part), goes_on) for part in parts]

    def _hand_on(self, name: str) -> None:
        self.names.add(name)
        if (last := _LAST_WORD.search(name)) is not None:
            self.handed.add(last[0])

    def _mark(self, names: Iterable[str]) -> None:
        for name in names:
            self._hand_on(name)
            owner, _, word = name.rpartition(".")
            self.marks |= {word} if owner else {word, ""}

    def _read_name(self, one: Name | Module, goes_on: bool) -> None:
        if goes_on:
            self._hand_on(one.name)
        else:
            self.names.add(one.name)

    def _read_attribute(self, one: Attribute, goes_on: bool) -> None:
        if goes_on:
            self.handed.add(one.name)
        self.names.add(one.name)
        self._waiting.append((one.of, one.name in _BY_METHOD))

    def _read_constant(self, one: Constant, _goes_on: bool) -> None:
        if isinstance(one.value, str):
            self.texts.add(one.value)
        if _is_word(one.value):
            self.keys.add(one.value)

    def _read_do(self, one: Do, _goes_on: bool) -> None:
        if not isinstance(one.expression, Constant):
            self._waiting.append((one.expression, False))

    def _read_index(self, one: Index, goes_on: bool) -> None:
        # What goes on may be an element of a list that is written here.
        is_listed = goes_on and isinstance(one.of, Container)
        self._waiting += [(one.of, is_listed), (one.key, False), (one.start, False)]
        if goes_on and one.key is not None:
            self._look_up(one.key)

    def _look_up(self, key: Expression) -> None:
        if not isinstance(key, Constant):
            self.looks_up = True
        elif isinstance(key.value, str):
            self._hand_on(key.value)

    def _read_compared(self, one: Relationship, _goes_on: bool) -> None:
        for side in (one.left, one.right):
            if not isinstance(side, Constant):
                self._waiting.append((side, False))
            elif isinstance(side.value, str):
                self.texts.add(side.value)
                if _is_word(side.value):
                    self.compared.add(side.value)

    def _read_call(self, one: Call, _goes_on: bool) -> None:
        callee = one.callee
        self._waiting.append((one.arguments, True))
        if not isinstance(callee, Attribute | Name | Module):
            self._waiting.append((callee, True))
            return
        self._waiting.append((callee, False))
        last = _LAST_WORD.search(callee.name)
        word = last[0] if last is not None else ""
        self.calls.setdefault(word, []).append(one)
        if word in _BY_NAME or _is_reflection(callee):
            for argument in one.arguments:
                self._look_up(argument.value)

    def _read_binary(self, one: Binary, goes_on: bool) -> None:
        left = goes_on and one.operator not in _NUMERIC
        self._waiting += [(one.left, left), (one.right, False)]

    def _read_container(self, one: Container, goes_on: bool) -> None:
        for key, entry, _ in one.entries:
            self._waiting += [(key, False), (entry, goes_on)]

    def _read_assign(self, one: Assign, _goes_on: bool) -> None:
        self._set(one.target, one.value)
        self._hand_on(one.type)

    def _read_binding(self, one: InnerAssignment, _goes_on: bool) -> None:
        self._set(one.target, one.value)

    def _set(self, target: Expression | None, value: Expression | None = None) -> None:
        """Take up what something is assigned to, and the value."""
        # Under the same name it is called there as it is here.
        self._waiting.append((value, not _is_same(target, value)))
        if isinstance(target, Container):
            for key, entry, _ in target.entries:
                if isinstance(key, Constant) and getattr(entry, "name", None) != key.value:
                    self._look_up(key)
                self._waiting.append((key, False))
                self._set(entry)
        elif isinstance(target, InnerAssignment):
            self._set(target.target, target.value)
        elif isinstance(target, Index):
            # Of `session["role"] =` the sink is the whole.
            self._waiting += [(target.of, True), (target.key, False)]
            if isinstance(target.of, Call):
                self._waiting.append((target.of.callee, True))
        else:
            self._waiting.append((target, isinstance(target, Attribute)))

    def _read_loop(self, one: Loop, _goes_on: bool) -> None:
        self._set(one.target)
        self._set(one.key)
        self._waiting += [(one.iterable, False), (one.condition, False)]
        self._waiting += [(one.body, False), (one.otherwise, False)]

    def _read_option(self, one: Option, _goes_on: bool) -> None:
        self._set(one.binds)
        self._waiting += [(one.values, False), (one.guard, False), (one.body, False)]

    def _read_parameter(self, one: Parameter, _goes_on: bool) -> None:
        self.names |= {one.name, one.allowed or ""}
        self._hand_on(one.type)
        self._mark(one.annotations)
        self._set(one.pattern)
        self._waiting.append((one.default, True))

    def _read_routine(self, one: Routine, _goes_on: bool) -> None:
        self.names |= {one.name, one.receiver, one.owner}
        self._mark(one.annotations)
        self._waiting += [(one.parameters, False), (one.decorators, True), (one.body, False)]

    def _read_class(self, one: Class, _goes_on: bool) -> None:
        self.names |= {one.name, *one.types, *one.allowed, *one.allowed.values()}
        for name in one.types.values():
            self._hand_on(name)
        for name, value in one.fields:
            self.names.add(name)
            self._set(None, value)
        if one.bases:
            # In Java a method that a framework knows by what its class is for is marked with that.
            self.marks |= {
                method.name for method in one.methods if method.node.kind() == "method_declaration"
            }
        self._waiting += [(one.bases, True), (one.methods, False), (one.opening, False)]


_READERS: dict[type[Any], Callable[[ProgramParts, Any, bool], None]] = {
    Assign: ProgramParts._read_assign,
    Attribute: ProgramParts._read_attribute,
    Binary: ProgramParts._read_binary,
    Call: ProgramParts._read_call,
    Class: ProgramParts._read_class,
    Constant: ProgramParts._read_constant,
    Container: ProgramParts._read_container,
    Do: ProgramParts._read_do,
    Index: ProgramParts._read_index,
    InnerAssignment: ProgramParts._read_binding,
    Loop: ProgramParts._read_loop,
    Module: ProgramParts._read_name,
    Name: ProgramParts._read_name,
    Option: ProgramParts._read_option,
    Parameter: ProgramParts._read_parameter,
    Relationship: ProgramParts._read_compared,
    Routine: ProgramParts._read_routine,
}


def _join_sets(parts: Iterable[set[str]]) -> set[str]:
    return set[str]().union(*parts)


def _is_word(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and _SPACE.search(value) is None


def _list_words(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in _WORD.findall(text)}


def _is_reflection(callee: Attribute | Name | Module) -> bool:
    return isinstance(callee, Attribute) and getattr(callee.of, "name", "") == "Reflect"


def _is_same(target: Expression | None, value: Expression | None) -> bool:
    """Whether a value goes by its last word as before."""
    if not isinstance(target, Name) or not isinstance(value, Attribute | Name | Module):
        return False
    last = _LAST_WORD.search(value.name)
    return last is not None and last[0] == target.name


@cache
def _list_parts(kind: Any) -> tuple[str, ...]:
    """The parts of a form that a program is made of; none of anything else."""
    if not issubclass(kind, Expression | Statement | Argument | Parameter | Option):
        return ()
    return tuple(part for part in kind.__dataclass_fields__ if part != "node")


def _is_made_of(word: str, pieces: set[str]) -> bool:
    """Whether a word begins with one piece and ends with another, neither of which it is."""
    cuts = range(1, len(word))
    return any(word[:at] in pieces for at in cuts) and any(word[at:] in pieces for at in cuts)
