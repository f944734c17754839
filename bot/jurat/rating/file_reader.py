"""From a file's small program form to the facts about its functions."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from sys import intern
from typing import NamedTuple

from ast_grep_py import SgNode

from jurat.engine.flow.analysis import translate_program
from jurat.engine.flow.program import (
    Argument,
    Assertion,
    Assign,
    Attribute,
    Binary,
    Branch,
    Call,
    Choice,
    Chosen,
    Class,
    Comprehension,
    Constant,
    Container,
    Do,
    Expression,
    Index,
    InnerAssignment,
    Leave,
    Logical,
    Loop,
    Mix,
    Module,
    Name,
    Not,
    Outer,
    Parameter,
    Raise,
    Relationship,
    Return,
    Routine,
    Statement,
    Switch,
    Text,
    Try,
    Yield,
)
from jurat.rating.function_facts import (
    CallFact,
    FileFacts,
    FunctionFacts,
    GuardFact,
    LoopFact,
    PairFact,
    Tags,
    WriteFact,
)
from jurat.source.syntax import parse

FOLLOWED = frozenset({"python", "javascript", "typescript", "tsx"})
"""Languages whose functions are looked into; of any other only names are known."""

_NOTHING: Tags = frozenset()
_MOST = 90
"""Tags of one value that are kept."""
_TEXT = 600
"""Characters of a text that are kept."""
_STATED = 4_000
"""Those of a database's statements: a schema is one text."""
_BUILTINS = frozenset(dir(builtins))
_PARTS = {
    Text: ("parts",),
    Mix: ("parts",),
    Binary: ("left", "right"),
    Logical: ("left", "right"),
    Relationship: ("left", "right"),
    Not: ("of",),
    Choice: ("condition", "yes", "no"),
    Yield: ("of",),
}


class _Value(NamedTuple):
    name: str = ""
    tags: Tags = _NOTHING
    constant: bool = False


def read_facts(text: str, language: str) -> FileFacts:
    """The facts of a file in one of FOLLOWED."""
    root = parse(text, language).root()
    program, imported = translate_program(root, language)
    types = dict(_iter_imported_types(root)) if language in ("typescript", "tsx") else {}
    return _FileReader(language, imported, types).read(program, _find_default(root))


_TYPE_IMPORT = re.compile(
    r"import\s+(type\s+)?(?:(\w+)\s*,?\s*)?(?:\{([^}]*)\})?\s*from\s*[\"']([^\"']+)[\"']"
)


def _iter_imported_types(root: SgNode) -> Iterator[tuple[str, str]]:
    """What a script imports to name types alone: it runs nothing, but tells whose an object is."""
    for node in root.children():
        if node.kind() != "import_statement" or not (read := _TYPE_IMPORT.match(node.text())):
            continue
        whole, default, names, module = read.groups()
        if whole and default:
            yield default, module
        for name in (names or "").split(","):
            given, _, other = name.strip().removeprefix("type ").partition(" as ")
            if given and (whole or name.strip().startswith("type ")):
                yield (other or given).strip(), f"{module}.{given.strip()}"


def _find_default(root: SgNode) -> tuple[str, int]:
    """What `export default` hands on: a name, or the line of a function without one."""
    for node in root.children():
        if node.kind() != "export_statement" or not any(
            c.kind() == "default" for c in node.children()
        ):
            continue
        given = node.field("declaration") or node.field("value")
        if given is not None:
            named = given if given.kind() == "identifier" else given.field("name")
            return (named.text() if named else ""), _get_line(given)
    return "", 0


class _Around(NamedTuple):
    """Where a statement stands."""

    guards: tuple[int, ...] = ()
    loops: tuple[int, ...] = ()
    caught: bool = False
    retried: bool = False


@dataclass
class _Open:
    """A function that is being read."""

    routine: Routine
    parent: int
    names: dict[str, _Value]
    outer: set[str] = field(default_factory=set)
    calls: list[CallFact] = field(default_factory=list)
    guards: list[GuardFact] = field(default_factory=list)
    loops: list[LoopFact] = field(default_factory=list)
    writes: list[WriteFact] = field(default_factory=list)
    pairs: list[PairFact] = field(default_factory=list)
    returns: set[str] = field(default_factory=set)
    says: set[str] = field(default_factory=set)
    refers: set[str] = field(default_factory=set)
    asserts: list[Tags] = field(default_factory=list)
    marks: list[CallFact] = field(default_factory=list)
    divides: bool = False


class _FileReader:
    """Reads one file. Functions wait until all around them is known."""

    def __init__(
        self, language: str, imported: Mapping[str, str], types: Mapping[str, str]
    ) -> None:
        self._language = language
        self._imported = dict(imported)
        self._types = types
        self._module: dict[str, _Value] = {}
        self._members: dict[str, _Value] = {}
        self._classes: dict[str, tuple[str, ...]] = {}
        self._fields: set[str] = set()
        self._waiting: list[tuple[Routine, int, dict[str, _Value]]] = []
        self._made: dict[int, int] = {}
        self._members_of: dict[int, tuple[str, str]] = {}
        self._count = 0
        self._found: dict[int, FunctionFacts] = {}
        self._is_started = False

    def read(self, program: Routine, default: tuple[str, int] = ("", 0)) -> FileFacts:
        """All facts, the file's own statements first. `default` is what is handed on as a whole."""
        self._note_definitions(program.body)
        self._read_function(0, program, -1, {})
        while self._waiting:
            routine, parent, names = self._waiting.pop(0)
            self._read_function(self._made[id(routine)], routine, parent, names)
        self._note_default(*default)
        return FileFacts(
            self._language,
            tuple(self._found[number] for number in range(len(self._found))),
            tuple(sorted(self._imported.items())),
            tuple(sorted((n, v.name) for n, v in self._module.items() if v.name)),
            tuple(sorted(self._classes.items())),
            self._is_started,
            tuple(sorted(self._fields)),
        )

    def _note_default(self, name: str, line: int) -> None:
        known = self._module.get(name) if name else None
        numbers = (n for n, one in self._found.items() if line and one.first == line)
        if known is not None:
            self._module["default"] = known
        elif not name and (number := next(numbers, None)):
            self._module["default"] = _Value(f"function:{number}")

    def _note_definitions(self, block: Sequence[Statement]) -> None:
        """The functions and classes of the file, known before anything runs."""
        for one in block:
            if isinstance(one, Assign) and isinstance(one.target, Name):
                if isinstance(one.value, Routine):
                    self._module[one.target.name] = _Value(f"local:{one.target.name}")
            elif isinstance(one, Class):
                self._module[one.name] = _Value(f"local:{one.name}")

    def _read_function(
        self, number: int, routine: Routine, parent: int, names: dict[str, _Value]
    ) -> None:
        maker = self._found.get(parent)
        if maker is not None and parent and f"x:function:{number}" in maker.returns:
            names = {name: _hold(value) for name, value in names.items()}
        opened = _Open(routine, parent, names)
        owner, name = self._members_of.get(id(routine), (routine.owner, routine.name))
        for parameter in routine.parameters:
            self._bind_parameter(opened, parameter)
        if routine.receiver or (owner and not routine.is_static):
            names[routine.receiver or "this"] = _Value(f"self:{owner}")
        for mark in routine.decorators:
            before = len(opened.calls)
            marked = self._evaluate(opened, mark, _Around()).name
            opened.marks += opened.calls[before:] or [CallFact(marked, _get_line(mark.node))]
            del opened.calls[before:]
        if not routine.decorators:
            opened.marks += [CallFact(one, _get_line(routine.node)) for one in routine.annotations]
        if number == 0:
            opened.names = self._module
        self._run(opened, routine.body, _Around())
        first, last = (0, 0) if number == 0 else _get_span(routine.node)
        self._found[number] = FunctionFacts(
            name,
            owner,
            parent,
            first,
            last,
            tuple(item.name for item in routine.parameters),
            tuple(opened.marks),
            tuple(opened.calls),
            tuple(opened.guards),
            tuple(opened.loops),
            tuple(opened.writes),
            tuple(opened.pairs),
            _limit(opened.returns),
            frozenset(opened.says),
            frozenset(opened.refers),
            tuple(opened.asserts),
            opened.divides,
        )

    def _bind_parameter(self, opened: _Open, parameter: Parameter) -> None:
        tags = frozenset({f"p:{parameter.name}"})
        name = self._find_type_name(parameter.type)
        if name:
            opened.refers.add(name)
        opened.names[parameter.name] = _Value(name, tags)
        if parameter.pattern is not None:
            self._assign(opened, parameter.pattern, _Value("", tags), _Around(), declares=True)
        if parameter.default is not None:
            given = self._evaluate(opened, parameter.default, _Around())
            opened.marks += [one for one in opened.calls if one.line == _get_line(parameter.node)]
            opened.refers |= {given.name} if given.name else set()
            if not name and given.name.endswith("()") and not _ASKED_FOR.search(given.name):
                opened.names[parameter.name] = _Value(given.name, tags | given.tags)
        for mark in parameter.annotations:
            opened.marks.append(CallFact(mark, _get_line(parameter.node)))

    def _find_type_name(self, written: str) -> str:
        """What an object of a written type is called, "" if the type tells nothing."""
        if not written or written in _BUILTINS:
            return ""
        head, dot, rest = written.partition(".")
        known = self._module.get(head)
        found = self._imported.get(head) or self._types.get(head, head)
        return f"{known.name if known else found}{dot}{rest}()"

    # Statements

    def _run(  # noqa: PLR0912 - one arm for each kind of statement
        self, opened: _Open, block: Sequence[Statement], around: _Around
    ) -> None:
        for one in block:
            match one:
                case Assign(value=Routine() as made) if opened.names is self._module:
                    # That a file defines a function is no use of it.
                    given = _Value(f"function:{self._wait(opened, made)}")
                    self._assign(opened, one.target, given, around, declares=one.declares)
                case Assign():
                    if opened.names is self._module and isinstance(one.target, Name):
                        self._note_object(one.target.name, one.value)
                    value = self._evaluate(opened, one.value, around)
                    self._assign(opened, one.target, value, around, declares=one.declares)
                case Do():
                    self._evaluate(opened, one.expression, around)
                case Branch():
                    around = self._run_branch(opened, one, around)
                case Loop():
                    self._run_loop(opened, one, around)
                case Switch():
                    self._run_switch(opened, one, around)
                case Try():
                    self._run_try(opened, one, around)
                case Return():
                    if one.value is not None:
                        given = self._evaluate(opened, one.value, around)
                        opened.returns |= given.tags | (
                            {f"x:{given.name}"} if given.name else set()
                        )
                case Raise():
                    if one.value is not None:
                        self._evaluate(opened, one.value, around)
                case Assertion():
                    asked = self._evaluate(opened, one.condition, around)
                    if not asked.constant:
                        opened.asserts.append(asked.tags)
                        around = self._guard(opened, one.node, asked.tags, "raise", around)
                case Class():
                    self._read_class(opened, one, around)
                case Outer():
                    opened.outer.update(one.names)
                case Statement():
                    pass  # `break` and `continue`, which `_find_end` looks at

    def _guard(  # noqa: PLR0917 - where it stands, and what it says
        self, opened: _Open, node: SgNode, asks: Tags, leaves: str, around: _Around,
        says: Tags = _NOTHING, *, handler: bool = False,
    ) -> _Around:  # fmt: skip
        opened.guards.append(GuardFact(_get_line(node), asks, leaves, says, handler))
        number = len(opened.guards) - 1
        return around._replace(guards=(*around.guards, number))

    def _run_branch(self, opened: _Open, branch: Branch, around: _Around) -> _Around:
        """Where it goes on: behind every arm that leaves, its condition does not hold."""
        behind = elsewhere = around
        for condition, block in branch.arms:
            asked = self._evaluate(opened, condition, elsewhere)
            if "x:builtins.__name__" in asked.tags:
                self._is_started = True
            if isinstance(condition, Constant) and condition.value is False:
                continue  # never runs
            leaves = _find_end(block)
            said = self._read_end(opened, block, elsewhere) if leaves else _NOTHING
            inside = self._guard(opened, condition.node, asked.tags, leaves, elsewhere, said)
            self._run(opened, block, inside)
            elsewhere = elsewhere._replace(guards=inside.guards)
            if leaves:
                behind = behind._replace(guards=(*behind.guards, inside.guards[-1]))
        self._run(opened, branch.otherwise, elsewhere)
        if branch.otherwise and _find_end(branch.otherwise):
            behind = behind._replace(guards=elsewhere.guards)
        return behind

    def _read_end(self, opened: _Open, block: Sequence[Statement], around: _Around) -> Tags:
        """What the block says on its way out; the block itself is run later."""
        kept = len(opened.calls), len(opened.pairs), len(opened.guards)
        says: set[str] = set()
        for one in block:
            value = getattr(one, "value", None) or getattr(one, "expression", None)
            if isinstance(value, Expression) and not isinstance(value, Routine):
                says |= self._evaluate(opened, value, around).tags
        del opened.calls[kept[0] :], opened.pairs[kept[1] :], opened.guards[kept[2] :]
        return _limit(says)

    def _run_loop(self, opened: _Open, loop: Loop, around: _Around) -> _Around:
        """Where what is done again and again stands."""
        asks: Tags = _NOTHING
        if loop.iterable is not None:
            over = self._evaluate(opened, loop.iterable, around)
            asks = over.tags
            if loop.target is not None:
                self._assign(opened, loop.target, _Value("", over.tags), around, declares=True)
        if loop.condition is not None:
            asks = self._evaluate(opened, loop.condition, around).tags
        bounded = loop.iterable is not None or any(tag[:2] == "n:" for tag in asks)
        opened.loops.append(LoopFact(_get_line(loop.node), bounded, asks))
        inside = around._replace(loops=(*around.loops, len(opened.loops) - 1))
        self._run(opened, loop.body, inside)
        return inside

    def _run_switch(self, opened: _Open, switch: Switch, around: _Around) -> None:
        subject = self._evaluate(opened, switch.subject, around)
        for case in switch.cases:
            asks = subject.tags
            for value in case.values:
                asks |= self._evaluate(opened, value, around).tags
            leaves = _find_end(case.body)
            inside = self._guard(opened, switch.node, asks, leaves, around)
            self._run(opened, case.body, inside)

    def _run_try(self, opened: _Open, block: Try, around: _Around) -> None:
        acts = any(
            not (len(handler) == 0 or all(isinstance(one, Raise) for one in handler))
            for handler in block.handlers
        )
        inside = around._replace(
            caught=bool(block.handlers) or around.caught, retried=acts or around.retried
        )
        self._run(opened, block.body, inside)
        for handler in block.handlers:
            caught = self._guard(opened, block.node, _NOTHING, "", around, handler=True)
            self._run(opened, handler, caught)
        self._run(opened, block.otherwise, around)
        self._run(opened, block.finish, around)

    def _read_class(self, opened: _Open, made: Class, around: _Around) -> None:
        bases = [self._evaluate(opened, base, around).name for base in made.bases]
        self._classes[made.name] = tuple(base for base in bases if base)
        opened.refers |= {base for base in bases if base}
        opened.names[made.name] = _Value(f"local:{made.name}")
        self._fields.update(made.types, (name for name, _ in made.fields))
        for name, written in made.types.items():
            if typed := self._find_type_name(written):
                opened.refers.add(typed)
                self._members[f"{made.name}.{name}"] = _Value(typed, frozenset({f"x:{typed}"}))
        for name, value in made.fields:
            if isinstance(value, Routine) and not value.name:
                self._members_of[id(value)] = (made.name, name)
            given = self._evaluate(opened, value, around)
            self._members[f"{made.name}.{name}"] = given
        for method in sorted(made.methods, key=lambda one: one.name not in _CONSTRUCTORS):
            self._wait(opened, method)

    def _wait(self, opened: _Open, routine: Routine) -> int:
        number = self._made.get(id(routine))
        if number is None:
            self._count += 1
            number = self._made[id(routine)] = self._count
            parent = self._made.get(id(opened.routine), 0)
            names = self._module if parent == 0 and not opened.routine.name else opened.names
            # A copy: what a function binds is its own.
            self._waiting.append((routine, parent, {} if names is self._module else dict(names)))
        return number

    def _assign(  # noqa: PLR0912 - one arm for each kind of target
        self, opened: _Open, target: Expression, value: _Value, around: _Around, *, declares: bool
    ) -> None:
        at = opened.routine.node if target.node is None else target.node
        match target:
            case Name():
                shared = target.name in opened.outer or (
                    not declares
                    and self._language != "python"
                    and target.name not in opened.names
                    and target.name in self._module
                )
                if shared or opened.names is self._module:
                    tags = value.tags | ({f"x:{value.name}"} if value.name else set())
                    known = self._module.get(target.name)
                    if shared or known is None:
                        self._module[target.name] = _Value(value.name, tags)
                    elif not known.name.startswith(("local:", "function:")):
                        self._module[target.name] = _Value(known.name, _limit(known.tags | tags))
                    if shared:
                        self._write(opened, f"s:{target.name}", at, value, _NOTHING, around)
                else:
                    earlier = opened.names.get(target.name)
                    if earlier is not None and not declares and _is_perhaps(around):
                        value = _Value(value.name, _limit(earlier.tags | value.tags))
                    opened.names[target.name] = value
            case Attribute():
                base = self._evaluate(opened, target.of, around)
                if base.name.startswith("self:"):
                    member = f"{base.name[5:]}.{target.name}"
                    known = self._members.get(member)
                    if known is None or not known.name:
                        made = opened.routine.name in _CONSTRUCTORS
                        self._members[member] = _hold(value) if made else value
                self._add_into(opened, target.of, value.tags | {f"k:{target.name}"})
                self._note_export(base.name, target.name, value)
                self._write(opened, f"a:{target.name}", at, value, base.tags, around)
            case Index():
                base = self._evaluate(opened, target.of, around)
                key = self._evaluate(opened, target.key, around) if target.key else _Value()
                keys = [tag for tag in key.tags if tag[:2] == "t:"] if key.constant else []
                place = f"k:{keys[0][2:]}" if keys else "i:"
                self._write(opened, place, at, value, base.tags | key.tags, around)
                self._add_into(opened, target.of, value.tags | {f"k:{tag[2:]}" for tag in keys})
                if keys:
                    opened.pairs.append(
                        PairFact(keys[0][2:], _get_line(at), value.tags, value.constant)
                    )
            case Container():
                for named, part, _ in target.entries:
                    taken = _take_part(value, named)
                    self._assign(opened, part, taken, around, declares=declares)
            case InnerAssignment():
                self._assign(opened, target.target, value, around, declares=declares)
            case Expression():
                pass  # a target with an error in it

    @staticmethod
    def _add_into(opened: _Open, into: Expression, tags: Iterable[str]) -> None:
        """Note that a function puts something into what it has under a name of its own."""
        known = opened.names.get(into.name) if isinstance(into, Name) else None
        if known is None or not isinstance(into, Name) or known.name.startswith("self:"):
            return
        if f"p:{into.name}" not in known.tags:  # what is handed in belongs to who hands it in
            opened.names[into.name] = _Value(known.name, _limit(known.tags | set(tags)))

    def _note_object(self, owner: str, made: Expression) -> None:
        """The functions of an object that a script makes once: what it answers by their names."""
        for key, part, _ in made.entries if isinstance(made, Container) else ():
            if isinstance(part, Routine) and isinstance(key, Constant):
                self._members_of[id(part)] = (owner, str(key.value))

    def _note_export(self, base: str, name: str, value: _Value) -> None:
        """What a script hands on, as a whole or by name: `module.exports = run`, `exports.run`."""
        if self._language == "python" or not value.name:
            return
        if (base, name) == ("module", "exports"):
            self._module.setdefault("default", value)
        elif base in ("exports", "module.exports"):
            self._module.setdefault(name, value)

    def _write(  # noqa: PLR0917 - where it stands, and what is written
        self, opened: _Open, place: str, at: SgNode, value: _Value, base: Tags, around: _Around
    ) -> None:
        opened.writes.append(
            WriteFact(place, _get_line(at), value.tags, base, around.guards, value.constant)
        )

    # Expressions

    def _evaluate(  # noqa: PLR0912 - one arm for each kind of expression
        self, opened: _Open, one: Expression | None, around: _Around
    ) -> _Value:
        match one:
            case None:
                return _Value()
            case Constant():
                return self._read_constant(opened, one)
            case Name():
                return self._read_name(opened, one)
            case Module():
                return _Value(one.name, frozenset({f"x:{one.name}"}))
            case Attribute():
                return self._read_attribute(opened, one, around)
            case Index():
                base = self._evaluate(opened, one.of, around)
                key = self._evaluate(opened, one.key, around)
                keys = {f"k:{tag[2:]}" for tag in key.tags if tag[:2] == "t:"}
                return _Value("", _limit(base.tags | key.tags | keys))
            case Call():
                return self._read_call(opened, one, around)
            case Container():
                return self._read_container(opened, one, around)
            case Routine():
                number = self._wait(opened, one)
                name = f"function:{number}"
                opened.refers.add(name)
                return _Value(name, frozenset({f"x:{name}"}))
            case InnerAssignment():
                value = self._evaluate(opened, one.value, around)
                self._assign(opened, one.target, value, around, declares=False)
                return value
            case Comprehension():
                inside = self._run_loop(opened, one.loop, around)
                return _Value("", self._evaluate(opened, one.element, inside).tags)
            case Chosen():
                return self._evaluate(opened, one.switch.subject, around)
            case Expression():
                return self._read_parts(opened, one, around)

    def _read_parts(self, opened: _Open, one: Expression, around: _Around) -> _Value:
        tags: set[str] = set()
        constant = True
        for attribute in _PARTS.get(type(one), ()):
            held = getattr(one, attribute)
            for part in held if isinstance(held, Sequence) else (held,):
                value = self._evaluate(opened, part, around)
                tags |= value.tags
                constant = constant and value.constant
        if isinstance(one, Relationship):
            tags.add(f"op:{one.operator}")
        if isinstance(one, Binary) and not _is_path(one):
            opened.divides = opened.divides or one.operator in ("/", "//")
            tags.add(f"op:{one.operator}")
        return _Value("", _limit(tags), constant)

    def _read_constant(self, opened: _Open, one: Constant) -> _Value:
        value = one.value
        if isinstance(value, bool) or value is None:
            return _Value("", frozenset({f"c:{value}"}), constant=True)
        if isinstance(value, str):
            text = value[: _STATED if _STATEMENT.match(value) else _TEXT]
            opened.says.add(text)
            return _Value("", frozenset({f"t:{text}"}), constant=True)
        if isinstance(value, int | float):
            return _Value("", frozenset({f"n:{value}"}), constant=True)
        return _Value()

    def _read_name(self, opened: _Open, one: Name) -> _Value:
        name = one.name
        if name in opened.names and opened.names is not self._module:
            return opened.names[name]
        if name in self._imported:
            found = self._imported[name]
            opened.refers.add(found)
            return _Value(found, frozenset({f"x:{found}"}))
        if (known := self._module.get(name)) is not None:
            if known.name:
                opened.refers.add(known.name)
            if known.name.startswith("local:"):
                return _Value(known.name, frozenset({f"x:{known.name}"}))
            return _Value(known.name, known.tags | {f"s:{name}"})
        if name in _BUILTINS or name.startswith("__"):
            return _Value(f"builtins.{name}", frozenset({f"x:builtins.{name}"}))
        # A name that nothing here binds is the surroundings': `process`, `window`, `fetch`.
        opened.refers.add(name)
        return _Value(name, frozenset({f"x:{name}"}))

    def _read_attribute(self, opened: _Open, one: Attribute, around: _Around) -> _Value:
        base = self._evaluate(opened, one.of, around)
        tags = base.tags | {f"a:{one.name}"}
        if base.name.startswith("self:"):
            known = self._members.get(f"{base.name[5:]}.{one.name}")
            if known is not None:
                # What was handed in has no known class: its methods are known by their names.
                unknown = "?." if known.tags else f"{base.name}."
                return _Value(known.name or f"{unknown}{one.name}", _limit(known.tags | tags))
        name = f"{base.name}.{one.name}" if base.name else f"?.{one.name}"
        if base.name:
            opened.refers.add(name)
        return _Value(name[-300:], _limit(tags))

    def _read_call(self, opened: _Open, one: Call, around: _Around) -> _Value:
        called = self._evaluate(opened, one.callee, around)
        receiver: Tags = _NOTHING
        if isinstance(one.callee, Attribute | Call):
            receiver = called.tags
        given: set[str] = set()
        keywords: list[str] = []
        first = ""
        for number, argument in enumerate(one.arguments):
            tags = self._read_argument(opened, argument, around, keywords)
            given |= tags
            first = first if number else _find_beginning(argument.value, tags)
        callee = _read_command(one, called.name or "?")
        if one.tagged:
            text = one.arguments[0].value.node.text()[1:-1][:_TEXT]
            opened.says.add(text)
            given.add(f"t:{text}")
            # A statement in a template is what a driver is asked, as by a method.
            callee += ".query" if _STATEMENT.match(text) else ""
        opened.refers.add(callee)
        if isinstance(one.callee, Attribute) and one.callee.name in _PUTS_IN:
            self._add_into(opened, one.callee.of, given)
        opened.calls.append(
            CallFact(callee, _get_line(one.node), _limit(given), receiver, tuple(keywords),
                     len(one.arguments), around.guards, around.loops, around.caught,
                     around.retried, first)
        )  # fmt: skip
        for either in (one.callee.yes, one.callee.no) if isinstance(one.callee, Choice) else ():
            if name := self._evaluate(opened, either, around).name:
                opened.calls.append(opened.calls[-1]._replace(callee=name))
        tags = given | called.tags | {f"x:{callee}"}
        last = callee.rpartition(".")[2]
        if last in ("get", "getItem", "header", "pop") and given:
            tags |= {f"k:{tag[2:]}" for tag in given if tag[:2] == "t:"}
        return _Value(f"{callee}()"[-300:], _limit(tags))

    def _read_argument(
        self, opened: _Open, argument: Argument, around: _Around, keywords: list[str]
    ) -> set[str]:
        value = self._evaluate(opened, argument.value, around)
        if argument.keyword is not None:
            keywords.append(argument.keyword)
            line = _get_line(argument.value.node)
            opened.pairs.append(PairFact(argument.keyword, line, value.tags, value.constant))
        return {*value.tags, *([f"x:{value.name}"] if value.name else [])}

    def _read_container(self, opened: _Open, one: Container, around: _Around) -> _Value:
        tags: set[str] = set()
        constant = True
        for key, part, _ in one.entries:
            if isinstance(part, Routine) and not part.name and isinstance(key, Constant):
                self._members_of.setdefault(id(part), (part.owner, str(key.value)))
            value = self._evaluate(opened, part, around)
            tags |= value.tags
            constant = constant and value.constant
            if key is not None:
                named = self._evaluate(opened, key, around)
                for tag in named.tags if named.constant else ():
                    if tag[:2] == "t:":
                        opened.pairs.append(
                            PairFact(tag[2:], _get_line(key.node), value.tags, value.constant)
                        )
                        tags.add(f"k:{tag[2:]}")
        return _Value("", _limit(tags), constant)


def _take_part(value: _Value, key: Expression | None) -> _Value:
    """What a pattern takes out of a value under a key: the same as an attribute of it."""
    if not isinstance(key, Constant) or not isinstance(key.value, str):
        return _Value("", value.tags)
    return _Value("", _limit(value.tags | {f"a:{key.value}"}))


def _is_path(one: Binary) -> bool:
    """Whether parts of a path are joined: a text divides nothing."""
    return one.operator == "/" and any(
        isinstance(part, Text) or (isinstance(part, Constant) and isinstance(part.value, str))
        for part in (one.left, one.right)
    )


_ASKED_FOR = re.compile(
    r"(?:^|\.)(?:Depends|Security|Form|Header|Query|Body|Path|File|Cookie|Field|Argument|Option"
    r"|Provide|Inject)\(\)$"
)
"""A default by which a framework is asked for a value, and is none itself."""
_STATEMENT = re.compile(r"\s*(?:select|insert|update|delete|with|create)\b", re.IGNORECASE)
_PUTS_IN = frozenset(("append", "push", "add", "update", "extend", "set", "unshift", "insert"))
"""By these names lists, sets and maps take something in."""
_EXITS = ("sys.exit", "exit", "process.exit", "quit")
_ABORTS = ("abort", "flask.abort", "ctx.throw", "bottle.abort", "self.abort", "pytest.fail")
_CONSTRUCTORS = ("__init__", "constructor")


def _find_end(block: Sequence[Statement]) -> str:
    """How a block leaves what is around it, "" if it goes on behind."""
    last = block[-1] if block else None
    if isinstance(last, Return):
        return "return"
    if isinstance(last, Raise):
        return "raise"
    if isinstance(last, Leave):
        return "continue" if last.again else "break"
    if isinstance(last, Do) and isinstance(last.expression, Call):
        called = last.expression.callee.node.text()
        if called in _EXITS:
            return "raise" if _is_failure(last.expression) else "return"
        return "raise" if called in _ABORTS else ""
    if isinstance(last, Branch) and last.otherwise:
        ends = [_find_end(arm) for _, arm in last.arms]
        return ends[0] if all(ends) and _find_end(last.otherwise) else ""
    return ""


def _is_failure(exit_call: Call) -> bool:
    """Whether a program that ends by this call says that it failed."""
    given = [argument.value for argument in exit_call.arguments]
    return bool(given) and not (isinstance(given[0], Constant) and given[0].value in (0, None))


_COMMAND = "Command"


def _read_command(one: Call, callee: str) -> str:
    """What a client is told to do by a command that it is sent: `client.send(new PutCommand())`."""
    sent = one.arguments[0].value if one.arguments else None
    if not callee.endswith(".send") or not isinstance(sent, Call):
        return callee
    made = sent.callee
    command = made.name if isinstance(made, Name | Attribute) else ""
    if len(command) <= len(_COMMAND) or not command.endswith(_COMMAND):
        return callee
    return f"{callee[:-4]}{command[0].lower()}{command[1:].removesuffix(_COMMAND)}"


def _find_beginning(written: Expression, tags: Iterable[str]) -> str:
    """The text that a value is or begins with, "" if nobody knows."""
    if isinstance(written, Text) and written.parts and isinstance(written.parts[0], Constant):
        written = written.parts[0]
    if isinstance(written, Constant):
        return written.value[:_TEXT] if isinstance(written.value, str) else ""
    texts = [tag[2:] for tag in tags if tag[:2] == "t:"]
    made = any(tag[:2] in ("p:", "x:", "a:") for tag in tags)
    return texts[0] if len(texts) == 1 and not made else ""


def _is_perhaps(around: _Around) -> bool:
    """Whether what stands here need not run: what a name had before may be what it has behind."""
    return bool(around.guards or around.loops or around.caught)


def _hold(value: _Value) -> _Value:
    """What an object was made with: it is the same for all that ask it, and nobody's answer."""
    kept = frozenset(f"h:{tag[2:]}" if tag[:2] == "p:" else tag for tag in value.tags)
    return _Value(value.name, kept, value.constant)


@lru_cache(maxsize=20_000)
def _keep_once(tags: Tags) -> Tags:
    """The same tags, one object for all that are equal: the facts of a file say few things often.

    That is less to hold, and to hand from a worker to whoever waits for it.
    """
    found = tags if len(tags) <= _MOST else _choose_tags(tags)
    return frozenset(map(intern, found))


def _choose_tags(tags: Tags) -> list[str]:
    """The tags that are kept of too many: steps of a chain on something unknown tell least."""
    chained = sorted(tag for tag in tags if tag[:4] == "x:?." and "(" in tag)
    return [*sorted(tags.difference(chained)), *chained][:_MOST]


def _limit(tags: Iterable[str]) -> Tags:
    return _keep_once(tags if isinstance(tags, frozenset) else frozenset(tags))


def _get_line(node: SgNode) -> int:
    return node.range().start.line + 1


def _get_span(node: SgNode) -> tuple[int, int]:
    span = node.range()
    return span.start.line + 1, span.end.line + 1
