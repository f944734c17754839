"""From a file's small program form to the facts about its functions.

Each function is read as its statements stand (`statement_reader.py`), these as their expressions do
(`expression_reader.py`), once all around it is known (`open_functions.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from ast_grep_py import SgNode

from jurat.engine.flow.analysis import translate_program
from jurat.engine.flow.forms.program import Assign, Class, Name, Parameter, Routine, Statement
from jurat.rating.code.expression_reader import assign, evaluate
from jurat.rating.code.function_facts import ALL_OF, CallFact, FileFacts, FunctionFacts, Tags
from jurat.rating.code.open_functions import (
    Around,
    OpenFile,
    OpenFunction,
    WaitingFunction,
    get_line,
)
from jurat.rating.code.statement_reader import run_block
from jurat.rating.code.tagged_values import TaggedValue, find_wrapped, hold_value, limit_tags
from jurat.source.syntax import parse

FOLLOWED = frozenset({"python", "javascript", "typescript", "tsx"})
"""Languages whose functions are looked into; of any other only names are known."""


def read_facts(text: str, language: str) -> FileFacts:
    """The facts of a file in one of FOLLOWED."""
    root = parse(text, language).root()
    program, imported = translate_program(root, language)
    types = dict(_iter_imported_types(root)) if language in ("typescript", "tsx") else {}
    bound = {**dict(_iter_handed_on(root)), **dict(_iter_taken_in(root)), **imported}
    return _read_file(OpenFile(language, bound, types), program, _find_default(root))


def _read_file(file: OpenFile, program: Routine, default: tuple[str, int]) -> FileFacts:
    """All facts, the file's own statements first. `default` is what is handed on as a whole."""
    _note_definitions(file, program.body)
    found = {0: _read_function(file, 0, WaitingFunction(program, -1, {}), {})}
    while file.waiting:
        one = file.waiting.pop(0)
        number = file.numbers[id(one.routine)]
        found[number] = _read_function(file, number, one, found)
    _note_default(file, found, *default)
    return FileFacts(
        file.language,
        tuple(found[number] for number in range(len(found))),
        tuple(sorted(file.imported.items())),
        tuple(sorted(_iter_variables(file))),
        tuple(sorted(file.classes.items())),
        file.is_started,
        tuple(sorted(file.fields.items())),
        tuple(sorted(_iter_stated(file))),
        tuple(sorted(file.off.items())),
    )


_MOST_STATED = 16
"""Tags of a value that is a number, a word or a few of them, and how they are reckoned."""
_LONGEST = 60
"""Characters of a text that is a word or a setting, and no page, prompt or statement."""


def _iter_stated(file: OpenFile) -> Iterator[tuple[str, Tags]]:
    """The numbers and words that names of the file are set to: whoever imports them means these."""
    for name, value in chain(file.names.items(), file.members.items()):
        said = [tag for tag in value.tags if tag[:2] in ("n:", "t:", "op")]
        if any(tag[:2] != "op" for tag in said) and len(said) <= _MOST_STATED:
            tags = frozenset(tag for tag in said if len(tag) <= _LONGEST)
            if tags:
                yield name, limit_tags(tags)


def _iter_variables(file: OpenFile) -> Iterator[tuple[str, str]]:
    """What the file's own names stand for, and with "()" behind them whom they call beside that."""
    for name, value in file.names.items():
        if value.name:
            yield name, value.name
        if wrapped := find_wrapped(value):
            yield f"{name}()", wrapped


def _note_default(file: OpenFile, found: Mapping[int, FunctionFacts], name: str, line: int) -> None:
    known = file.names.get(name) if name else None
    numbers = (n for n, one in found.items() if line and one.first == line)
    if known is not None:
        file.names["default"] = known
    elif not name and (number := next(numbers, None)):
        file.names["default"] = TaggedValue(f"function:{number}")


def _note_definitions(file: OpenFile, block: Sequence[Statement]) -> None:
    """The functions and classes of the file, known before anything runs."""
    for one in block:
        if isinstance(one, Assign) and isinstance(one.target, Name):
            if isinstance(one.value, Routine):
                file.names[one.target.name] = TaggedValue(f"local:{one.target.name}")
        elif isinstance(one, Class):
            file.names[one.name] = TaggedValue(f"local:{one.name}")


def _read_function(
    file: OpenFile, number: int, waiting: WaitingFunction, found: Mapping[int, FunctionFacts]
) -> FunctionFacts:
    routine, parent, names = waiting
    maker = found.get(parent)
    if maker is not None and parent and f"x:function:{number}" in maker.returns:
        names = {name: hold_value(value) for name, value in names.items()}
    opened = OpenFunction(file, routine, names)
    owner, name = file.owned.get(id(routine), (routine.owner, routine.name))
    for parameter in routine.parameters:
        _bind_parameter(opened, parameter)
    if routine.receiver or (owner and not routine.is_static):
        names[routine.receiver or "this"] = TaggedValue(f"self:{owner}")
    _read_marks(opened)
    if number == 0:
        opened.names = file.names
    run_block(opened, routine.body, Around())
    span = routine.node.range()
    return FunctionFacts(
        name,
        owner,
        parent,
        span.start.line + 1 if number else 0,
        span.end.line + 1 if number else 0,
        tuple(item.name for item in routine.parameters),
        tuple(opened.marks),
        tuple(opened.calls),
        tuple(opened.guards),
        tuple(opened.loops),
        tuple(opened.writes),
        tuple(opened.pairs),
        limit_tags(opened.returns),
        frozenset(opened.says),
        frozenset(opened.refers),
        tuple(opened.asserts),
        opened.divides,
    )


def _read_marks(opened: OpenFunction) -> None:
    routine = opened.routine
    for mark in routine.decorators:
        before = len(opened.calls)
        marked = evaluate(opened, mark, Around()).name
        opened.marks += opened.calls[before:] or [CallFact(marked, get_line(mark.node))]
        del opened.calls[before:]
    if not routine.decorators:
        opened.marks += [CallFact(one, get_line(routine.node)) for one in routine.annotations]


_ASKED_FOR = re.compile(
    r"(?:^|\.)(?:Depends|Security|Form|Header|Query|Body|Path|File|Cookie|Field|Argument|Option"
    r"|Provide|Inject)\(\)$"
)
"""A default by which a framework is asked for a value, and is none itself."""


def _bind_parameter(opened: OpenFunction, parameter: Parameter) -> None:
    tags = frozenset({f"p:{parameter.name}"})
    name = opened.file.find_type_name(parameter.type)
    if name:
        opened.refers.add(name)
    opened.names[parameter.name] = TaggedValue(name, tags)
    if parameter.pattern is not None:
        assign(opened, parameter.pattern, TaggedValue("", tags), Around(), declares=True)
    if parameter.default is not None:
        given = evaluate(opened, parameter.default, Around())
        opened.marks += [one for one in opened.calls if one.line == get_line(parameter.node)]
        opened.refers |= {given.name} if given.name else set()
        if not name and given.name.endswith("()") and not _ASKED_FOR.search(given.name):
            opened.names[parameter.name] = TaggedValue(given.name, tags | given.tags)
    for mark in parameter.annotations:
        opened.marks.append(CallFact(mark, get_line(parameter.node)))


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


_HANDED_ON = re.compile(
    r"export\s+(?:\*(?:\s+as\s+(\w+))?|\{([^}]*)\})\s*from\s*[\"']([^\"']+)[\"']"
    r"|from\s+([\w.]+)\s+import\s*\*"
)


def _iter_handed_on(root: SgNode) -> Iterator[tuple[str, str]]:
    """What a file hands on of another one, by name, and under `ALL_OF` files of which it is all."""
    for node in root.children():
        kinds = ("export_statement", "import_from_statement")
        if node.kind() not in kinds or not (read := _HANDED_ON.match(node.text())):
            continue
        whole, names, module, python = read.groups()
        if names is None:
            where = python or module
            yield whole or f"{ALL_OF}{where}", where
        for name in (names or "").split(","):
            given, _, other = name.strip().partition(" as ")
            if given and not given.startswith("type "):
                yield (other or given).strip(), f"{module}.{given.strip()}"


_TAKEN_IN = re.compile(r"import\s*[\"'](\.[^\"']+)[\"']")


def _iter_taken_in(root: SgNode) -> Iterator[tuple[str, str]]:
    """The files that a script only has run, each under a name that nobody can say."""
    for node in root.children():
        if node.kind() == "import_statement" and (read := _TAKEN_IN.match(node.text())):
            yield f"import {read[1]}", read[1]


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
            return (named.text() if named else ""), get_line(given)
    return "", 0
