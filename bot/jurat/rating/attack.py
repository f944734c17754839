"""Attacks on what a program shows, in memory: what outlives its own stubbing, or moves when names
are changed, was told by a name or by nothing.

The facts of a program are attacked, not its text: they are what behaviours are told from, and a
name that is changed there is changed everywhere at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from jurat.rating.behaviours.behaviour import Sign
from jurat.rating.behaviours.every_behaviour import list_behaviours
from jurat.rating.code.function_facts import (
    CallFact,
    FileFacts,
    FunctionFacts,
    GuardFact,
    LoopFact,
    PairFact,
    Tags,
    WriteFact,
)
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.program_names import HOOKS, OF_TYPES, VERB_METHODS, Function
from jurat.rating.program.reach import Program
from jurat.rating.side_by_side import AskBoth

STUBBED = "it shows as well if what it rests on does nothing"
RENAMED = "under other names it is not seen"

_Answer = TypeVar("_Answer")

_ROUNDS = 4
"""Programs with stubs that are tried at most: in each no function that shows something is one."""
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_GIVEN_BY_OTHERS = frozenset(
    (
        *(
            "constructor",
            "toJSON",
            "main",
            "run",
            "dispatch",
            "forward",
            "process_request",
            "default",
        ),
        *("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "handler", "this", "self"),
    )
)
"""Names by which a language, a server or a framework calls a function: nobody may change them."""


def find_doubtful(
    conduct: Conduct, signs: Collection[Sign], ask_both: AskBoth, beside: Callable[[], _Answer]
) -> tuple[Mapping[Sign, str], _Answer]:
    """The signs that an attack unmasks, each with what it showed; and what `beside` answers.

    That is another question, which is asked where the attack has less to do.
    """
    if not signs:
        return {}, beside()
    moved, (survivors, answer) = ask_both(
        lambda: _find_moved(conduct, signs), lambda: (_find_survivors(conduct, signs), beside())
    )
    return {**dict.fromkeys(moved, RENAMED), **dict.fromkeys(survivors, STUBBED)}, answer


def _tell_again(conduct: Conduct, signs: Collection[Sign]) -> frozenset[tuple[str, Function, int]]:
    """What the same behaviours show in another program, of the functions that showed them."""
    known = list_behaviours()
    conduct = replace(conduct, among=frozenset(sign.function for sign in signs))
    return frozenset(
        (one.behaviour, one.function, one.line)
        for name in dict.fromkeys(sign.behaviour for sign in signs)
        for one in known[name](conduct)
    )


# Stubs: what carries a behaviour does nothing.


def _find_survivors(conduct: Conduct, signs: Collection[Sign]) -> frozenset[Sign]:
    """The signs that still show if all others that carried them do nothing.

    The function that shows a sign is left as it is: if it does nothing it shows nothing.
    """
    found: set[Sign] = set()
    for group in _group_apart([one for one in signs if one.carriers - {one.function}]):
        stubbed = conduct.program.drop(group.stubs)
        after = _tell_again(replace(conduct, program=stubbed), group.signs)
        found |= {one for one in group.signs if (one.behaviour, one.function, one.line) in after}
    return frozenset(found)


@dataclass
class _StubRound:
    signs: list[Sign]
    showing: set[Function]
    stubs: set[Function]


def _group_apart(signs: Iterable[Sign]) -> list[_StubRound]:
    """Signs that can be tried at once: a function that shows one is no stub of another."""
    groups: list[_StubRound] = []
    for one in signs:
        stubs = set(one.carriers) - {one.function}
        free = (g for g in groups if one.function not in g.stubs and not stubs & g.showing)
        group = next(free, None)
        if group is None and len(groups) < _ROUNDS:
            groups.append(group := _StubRound([], set(), set()))
        # Beyond the last round signs share one: a stub more may hide a survivor, never make one.
        group = group or groups[-1]
        group.signs.append(one)
        group.showing.add(one.function)
        group.stubs |= stubs
    return groups


# Names: every own one is another.


def _find_moved(conduct: Conduct, signs: Collection[Sign]) -> frozenset[Sign]:
    renamed = replace(conduct, program=replace_names(conduct.program))
    after = _tell_again(renamed, signs)
    return frozenset(one for one in signs if (one.behaviour, one.function, one.line) not in after)


def replace_names(program: Program) -> Program:
    """The same program whose functions, classes, parameters and variables have other names.

    A name that a library or a type uses too stays: on an object whose type is not known nobody can
    tell whose it is. So do those by which frameworks call, and attributes, which data carries out.
    """
    names = _OtherNames(program)
    return program.replace_facts(
        {path: names.replace_in_file(path, facts) for path, facts in program.files.items()}
    )


_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class _Cache(dict[_Key, _Value]):
    """What a function gives of each key that it was asked for."""

    def __init__(self, find: Callable[[_Key], _Value]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, key: _Key) -> _Value:
        value = self[key] = self._find(key)
        return value


def _replace_words(new: Mapping[str, str], text: str) -> str:
    other = _NAME.sub(lambda found: new.get(found[0], found[0]), text)
    return text if other == text else other


class _OtherNames:
    """The other names of one program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._held: dict[Tags, Tags] = {}
        kept = _GIVEN_BY_OTHERS | OF_TYPES | frozenset(VERB_METHODS) | HOOKS
        kept |= self._list_foreign() | self._list_called_by_text()
        own: dict[str, None] = {}
        for path, facts in program.files.items():
            hooked = {
                name
                for name, bases in facts.classes
                if any(not program.resolve(path, f"{base}()")[0] for base in bases)
            }
            own |= dict.fromkeys(name for name, _ in (*facts.classes, *facts.variables))
            for function in facts.functions:
                if function.name and function.owner not in hooked:
                    own[function.name] = None
                own |= dict.fromkeys(function.parameters)
        self._new = {
            name: f"{'_' * name.startswith('_')}{'X' if name.strip('_')[:1].isupper() else 'x'}{n}x"
            for n, name in enumerate(own)
            if name not in kept and not name.startswith("__") and _NAME.fullmatch(name)
        }
        # Of no method of its own: a circle would hold all facts under other names for good.
        self._replaced = _Cache[str, str](partial(_replace_words, self._new))

    def _list_foreign(self) -> frozenset[str]:
        """Last parts of names that lead out of the program."""
        found = set()
        for path, facts in self._program.files.items():
            for function in facts.functions:
                for call in (*function.calls, *function.marks):
                    own, foreign = self._program.resolve(path, call.callee)
                    if foreign and not own and not foreign.startswith("?."):
                        found.add(foreign.removesuffix("()").rpartition(".")[2])
        return frozenset(found)

    def _list_called_by_text(self) -> frozenset[str]:
        """Functions that a setting calls by module and name: who renames one renames it there."""
        return frozenset(
            text.rpartition(".")[2]
            for path, facts in self._program.files.items()
            for function in facts.functions
            for text in function.says
            if "." in text and " " not in text and "/" not in text
            if any(number for _, number in self._program.resolve(path, text)[0])
        )

    def _replace(self, text: str) -> str:
        return self._replaced[text]

    def find_other(self, path: str, name: str) -> str:
        """The other name of what a name in a file stands for."""
        if name.startswith(("local:", "self:", "function:")):
            head, colon, rest = name.partition(":")
            return head + colon + self._replace(rest)
        if name.startswith("?."):
            return self._replace(name)
        inside = self._program.find_module(path, name)
        if inside is None or not inside[1]:
            return name
        rest = inside[1]
        return name[: len(name) - len(rest)] + self._replace(rest)

    def _replace_owner(self, name: str) -> str:
        """The other name of a variable, or of the class that a field is of."""
        owner, dot, field = name.partition(".")
        return self._replace(owner) + dot + field

    def _replace_in_tag(self, names: Mapping[str, str], tag: str) -> str:
        kind, said = tag[:2], tag[2:]
        if kind == "x:":
            other = names[said]
        elif kind in ("p:", "h:", "s:"):
            other = self._replace(said)
        else:
            return tag
        return tag if other == said else kind + other

    def _replace_all(self, turned: _Cache[str, str], tags: Tags) -> Tags:
        # Made of a set, which is all there: of what comes one by one it keeps room for more.
        other_tags = frozenset({*map(turned.__getitem__, tags)})
        return tags if other_tags == tags else self._held.setdefault(other_tags, other_tags)

    def replace_in_file(self, path: str, facts: FileFacts) -> FileFacts:
        """All facts of a file under other names; what has none of them is the same object."""
        names = _Cache[str, str](partial(self.find_other, path))
        tags = _Cache[str, str](partial(self._replace_in_tag, names))
        turn = _Cache[Tags, Tags](partial(self._replace_all, tags)).__getitem__

        def change_call(call: CallFact) -> CallFact:
            callee, given, receiver = names[call.callee], turn(call.given), turn(call.receiver)
            if given is call.given and receiver is call.receiver and callee == call.callee:
                return call
            # In full: `replace` takes three times as long, and calls are most of what there is.
            return CallFact(
                callee, call.line, given, receiver, call.keywords, call.arguments, call.guards,
                call.loops, call.caught, call.retried, call.first,
            )  # fmt: skip

        def change_pair(pair: PairFact) -> PairFact:
            value = turn(pair.value)
            if value is pair.value:
                return pair
            return PairFact(pair.key, pair.line, value, pair.constant)

        def change(one: FunctionFacts) -> FunctionFacts:
            return one._replace(
                name=self._replace(one.name),
                owner=self._replace(one.owner),
                parameters=tuple(map(self._replace, one.parameters)),
                marks=tuple(map(change_call, one.marks)),
                calls=tuple(map(change_call, one.calls)),
                guards=tuple(
                    GuardFact(g.line, turn(g.asks), g.leaves, turn(g.says), g.handler)
                    for g in one.guards
                ),
                loops=tuple(
                    LoopFact(loop.line, loop.bounded, turn(loop.asks)) for loop in one.loops
                ),
                writes=tuple(
                    WriteFact(
                        tags[w.place], w.line, turn(w.value), turn(w.base), w.guards, w.constant
                    )
                    for w in one.writes
                ),
                pairs=tuple(map(change_pair, one.pairs)),
                returns=turn(one.returns),
                refers=frozenset({*map(names.__getitem__, one.refers)}),
                asserts=tuple(map(turn, one.asserts)),
            )

        return facts._replace(
            functions=tuple(map(change, facts.functions)),
            imported=tuple((self._replace(n), names[v]) for n, v in facts.imported),
            variables=tuple((self._replace(n), names[v]) for n, v in facts.variables),
            classes=tuple(
                (self._replace(n), tuple(names[base] for base in bases))
                for n, bases in facts.classes
            ),
            fields=tuple((self._replace(n), fields) for n, fields in facts.fields),
            off=tuple((self._replace(n), fields) for n, fields in facts.off),
            stated=tuple((self._replace_owner(n), said) for n, said in facts.stated),
        )
