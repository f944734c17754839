"""What an expression says: its name and tags, with the calls, keys and texts that stand in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from jurat.engine.flow.forms.program import (
    Argument,
    Assertion,
    Attribute,
    Binary,
    Call,
    Choice,
    Chosen,
    Comprehension,
    Constant,
    Container,
    ContextOpening,
    Expression,
    Index,
    InnerAssignment,
    Logical,
    Loop,
    Made,
    Mix,
    Module,
    Name,
    Not,
    Reference,
    Relationship,
    Routine,
    Shape,
    Template,
    Text,
    Yield,
)
from jurat.rating.code.function_facts import CallFact, LoopFact, PairFact, Tags
from jurat.rating.code.name_binding import add_into, bind_attribute, bind_key, bind_name
from jurat.rating.code.open_functions import BUILTINS, Around, OpenFunction, get_line
from jurat.rating.code.tagged_values import (
    NOTHING,
    TaggedValue,
    find_wrapped,
    limit_tags,
    take_part,
)

CUT = "op:[:]"
"""The tag of a part of a text or a list."""
_TEXT = 600
"""Characters of a text that are kept."""
_STATED = 4_000
"""Those of a database's statements: a schema is one text."""
_STATEMENT = re.compile(r"\s*(?:select|insert|update|delete|with|create)\b", re.IGNORECASE)
_PUTS_IN = frozenset(("append", "push", "add", "update", "extend", "set", "unshift", "insert"))
"""By these names lists, sets and maps take something in."""
_PARTS = {
    Text: ("parts",),
    Mix: ("parts",),
    Binary: ("left", "right"),
    Logical: ("left", "right"),
    Relationship: ("left", "right"),
    Not: ("of",),
    Yield: ("of",),
    # Of Java alone, which is not read for its values here.
    Reference: (),
    # A target, which is bound and never asked for.
    Shape: (),
    # A class without a name is nobody's control by itself.
    Made: (),
}


def evaluate(  # noqa: PLR0912 - one arm for each kind of expression
    opened: OpenFunction, one: Expression | None, around: Around
) -> TaggedValue:
    """The value of an expression, None being one that nobody wrote. What is done in it is noted."""
    match one:
        case None:
            return TaggedValue()
        case Constant():
            return _read_constant(opened, one)
        case Name():
            return _read_name(opened, one)
        case Module():
            return TaggedValue(one.name, frozenset({f"x:{one.name}"}))
        case Attribute():
            return _read_attribute(opened, one, around)
        case Index():
            base = evaluate(opened, one.of, around)
            if one.key is None:
                for end in (one.start, one.end):
                    evaluate(opened, end, around)
                return TaggedValue("", limit_tags(base.tags | {CUT}))
            key = evaluate(opened, one.key, around)
            keys = {f"k:{tag[2:]}" for tag in key.tags if tag[:2] == "t:"}
            return TaggedValue("", limit_tags(base.tags | key.tags | keys))
        case Call():
            return _read_call(opened, one, around)
        case Container():
            return _read_container(opened, one, around)
        case Routine():
            name = f"function:{opened.wait_for(one)}"
            opened.refers.add(name)
            return TaggedValue(name, frozenset({f"x:{name}"}))
        case InnerAssignment():
            value = evaluate(opened, one.value, around)
            assign(opened, one.target, value, around, declares=False)
            return value
        case Comprehension():
            inside = _read_clauses(opened, one.loop, around)
            return TaggedValue("", evaluate(opened, one.element, inside).tags)
        case Choice():
            return _read_choice(opened, one, around)
        case Chosen():
            return evaluate(opened, one.switch.subject, around)
        case ContextOpening():
            return evaluate(opened, one.of, around)
        case Template():
            said = Text(one.node, [part for part, _ in one.parts])
            return _read_parts(opened, said, around)
        case Expression():
            return _read_parts(opened, one, around)


def assign(
    opened: OpenFunction, target: Expression, value: TaggedValue, around: Around, *, declares: bool
) -> None:
    """Put a value into whatever a target names, which may be several places."""
    at = opened.routine.node if target.node is None else target.node
    match target:
        case Name():
            bind_name(opened, target.name, at, value, around, declares=declares)
        case Attribute():
            base = evaluate(opened, target.of, around)
            bind_attribute(opened, target.of, base, target.name, at, value, around)
        case Index():
            base = evaluate(opened, target.of, around)
            key = evaluate(opened, target.key, around) if target.key else TaggedValue()
            bind_key(opened, target.of, base, key, at, value, around)
        case Container():
            for number, (named, part, is_rest) in enumerate(target.entries):
                taken = take_part(value, named)
                if is_rest and target.mapping:
                    taken = _leave_out(opened, target.entries[:number], value, part, around)
                assign(opened, part, taken, around, declares=declares)
        case Shape():
            for field, part in target.parts:
                taken = TaggedValue(
                    "", limit_tags(value.tags | ({f"a:{field}"} if field else set()))
                )
                assign(opened, part, taken, around, declares=declares)
            if target.whole is not None:
                assign(opened, target.whole, value, around, declares=declares)
        case InnerAssignment():
            assign(opened, target.target, value, around, declares=declares)
        case Expression():
            pass  # a target with an error in it


def _leave_out(
    opened: OpenFunction, before: Sequence[tuple[Expression | None, Expression, bool]],
    value: TaggedValue, at: Expression, around: Around,
) -> TaggedValue:  # fmt: skip
    """The rest of an object: all but what was taken out of it before."""
    keys = {f"t:{key.value}" for key, _, _ in before if isinstance(key, Constant)}
    given = limit_tags(value.tags | keys)
    opened.calls.append(
        CallFact(
            "omit", get_line(at.node), given, arguments=2, guards=around.guards, loops=around.loops
        )
    )
    return TaggedValue("", limit_tags(value.tags | {"x:omit"}))


def enter_loop(opened: OpenFunction, loop: Loop, around: Around) -> Around:
    """Where what is done again and again stands; its target is bound."""
    asks: Tags = NOTHING
    if loop.iterable is not None:
        over = evaluate(opened, loop.iterable, around)
        asks = over.tags
        if loop.target is not None:
            assign(opened, loop.target, TaggedValue("", over.tags), around, declares=True)
    if loop.condition is not None:
        asks = evaluate(opened, loop.condition, around).tags
    bounded = loop.iterable is not None or any(tag[:2] == "n:" for tag in asks)
    opened.loops.append(LoopFact(get_line(loop.node), bounded, asks))
    return around._replace(loops=(*around.loops, len(opened.loops) - 1))


def read_assertion(opened: OpenFunction, one: Assertion, around: Around) -> Around:
    """Where it goes on behind a condition that must hold."""
    asked = evaluate(opened, one.condition, around)
    if asked.constant:
        return around
    opened.asserts.append(asked.tags)
    return opened.add_guard(one.node, asked.tags, "raise", around)


def _read_clauses(opened: OpenFunction, loop: Loop, around: Around) -> Around:
    """The loops and conditions of a comprehension; where its element stands.

    What fails such a condition is left out, and nothing is refused by it.
    """
    inside = within = enter_loop(opened, loop, around)
    for one in loop.body:
        if isinstance(one, Loop):
            _read_clauses(opened, one, within)
        elif isinstance(one, Assertion):
            asked = evaluate(opened, one.condition, within)
            if not asked.constant:
                within = opened.add_guard(one.node, asked.tags, "continue", within)
    return inside


def _read_parts(opened: OpenFunction, one: Expression, around: Around) -> TaggedValue:
    tags: set[str] = set()
    constant = True
    name = ""
    for attribute in _PARTS.get(type(one), ()):
        held = getattr(one, attribute)
        for part in held if isinstance(held, Sequence) else (held,):
            value = evaluate(opened, part, around)
            if tags and not value.name.endswith("()") and all(tag[:2] == "p:" for tag in tags):
                name = value.name
            tags |= value.tags
            constant = constant and value.constant
    if isinstance(one, Logical) and name:
        # A function that is handed in, or else the one that it stands in for: both do the same.
        return TaggedValue(name, limit_tags(tags), constant)
    if isinstance(one, Relationship):
        tags.add(f"op:{one.operator}")
    if isinstance(one, Binary) and not _is_path(one):
        opened.divides = opened.divides or one.operator in ("/", "//")
        tags.add(f"op:{one.operator}")
    return TaggedValue("", limit_tags(tags), constant)


def _read_choice(opened: OpenFunction, one: Choice, around: Around) -> TaggedValue:
    """Either of two values; what is called for one of them stands behind the condition."""
    asked = evaluate(opened, one.condition, around)
    calls, guards = len(opened.calls), len(opened.guards)
    inside = opened.add_guard(one.node, asked.tags, "", around)
    arms = [evaluate(opened, arm, inside) for arm in (one.yes, one.no)]
    if len(opened.calls) == calls:
        del opened.guards[guards:]
    tags = asked.tags.union(*(arm.tags for arm in arms))
    return TaggedValue("", limit_tags(tags), asked.constant and all(arm.constant for arm in arms))


def _is_path(one: Binary) -> bool:
    """Whether parts of a path are joined: a text divides nothing."""
    return one.operator == "/" and any(map(_is_text, (one.left, one.right)))


def _is_text(one: Expression) -> bool:
    """Whether a text stands there. What is put together of several things is one or a sum."""
    if isinstance(one, Text):
        return len(one.parts) == 1 or any(map(_is_text, one.parts))
    return isinstance(one, Constant) and isinstance(one.value, str)


def _read_constant(opened: OpenFunction, one: Constant) -> TaggedValue:
    value = one.value
    if isinstance(value, bool) or value is None:
        return TaggedValue("", frozenset({f"c:{value}"}), constant=True)
    if isinstance(value, str):
        text = value[: _STATED if _STATEMENT.match(value) else _TEXT]
        opened.says.add(text)
        return TaggedValue("", frozenset({f"t:{text}"}), constant=True)
    if isinstance(value, int | float):
        return TaggedValue("", frozenset({f"n:{value}"}), constant=True)
    return TaggedValue()


def _read_name(opened: OpenFunction, one: Name) -> TaggedValue:
    name = one.name
    if name in opened.names and not opened.is_file:
        return opened.names[name]
    if name in opened.file.imported:
        found = opened.file.imported[name]
        opened.refers.add(found)
        return TaggedValue(found, frozenset({f"x:{found}"}))
    if (known := opened.file.names.get(name)) is not None:
        if known.name:
            opened.refers.add(known.name)
        if known.name.startswith("local:"):
            return TaggedValue(known.name, frozenset({f"x:{known.name}"}))
        return TaggedValue(known.name, known.tags | {f"s:{name}"})
    if name in BUILTINS or name.startswith("__"):
        return TaggedValue(f"builtins.{name}", frozenset({f"x:builtins.{name}"}))
    # A name that nothing here binds is the surroundings': `process`, `window`, `fetch`.
    opened.refers.add(name)
    return TaggedValue(name, frozenset({f"x:{name}"}))


def _read_attribute(opened: OpenFunction, one: Attribute, around: Around) -> TaggedValue:
    base = evaluate(opened, one.of, around)
    tags = base.tags | {f"a:{one.name}"}
    if base.name.startswith("self:"):
        known = opened.file.members.get(f"{base.name[5:]}.{one.name}")
        if known is not None:
            # What was handed in has no known class: its methods are known by their names.
            unknown = "?." if known.tags else f"{base.name}."
            return TaggedValue(known.name or f"{unknown}{one.name}", limit_tags(known.tags | tags))
    name = f"{base.name}.{one.name}" if base.name else f"?.{one.name}"
    if base.name:
        opened.refers.add(name)
    if one.name.isupper() and base.tags == {f"x:{base.name}"}:
        tags |= {f"x:{name}"}  # a constant, by the manner of its name
    return TaggedValue(name[-300:], limit_tags(tags))


def _read_call(opened: OpenFunction, one: Call, around: Around) -> TaggedValue:
    called = evaluate(opened, one.callee, around)
    receiver = called.tags if isinstance(one.callee, Attribute | Call) else NOTHING
    given, first = set[str](), ""
    keywords: list[str] = []
    for number, argument in enumerate(one.arguments):
        tags = _read_argument(opened, argument, around, keywords)
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
        add_into(opened, one.callee.of, given)
    opened.calls.append(
        CallFact(callee, get_line(one.node), limit_tags(given), receiver, tuple(keywords),
                 len(one.arguments), around.guards, around.loops, around.caught,
                 around.retried, first)
    )  # fmt: skip
    for either in (one.callee.yes, one.callee.no) if isinstance(one.callee, Choice) else ():
        if name := evaluate(opened, either, around).name:
            opened.calls.append(opened.calls[-1]._replace(callee=name))
    handed = _find_handed(opened, one, around)
    wrapped = find_wrapped(called) if isinstance(one.callee, Name) else ""
    for beside in filter(None, (handed, wrapped)):
        opened.calls.append(opened.calls[-1]._replace(callee=beside))
    callee = handed or callee
    tags = given | called.tags | {f"x:{callee}"}
    if callee.rpartition(".")[2] in ("get", "getItem", "header", "pop"):
        tags |= {f"k:{tag[2:]}" for tag in given if tag[:2] == "t:"}
    return TaggedValue(f"{callee}()"[-300:], limit_tags(tags))


_HANDS_OVER = dict.fromkeys(("to_thread", "run_in_threadpool", "run_sync", "add_task"), 0)
_HANDS_OVER |= {"enqueue": 0, "defer": 0, "run_in_executor": 1}
"""By these a thread, or a queue, is told which function to call, and where that stands."""


def _find_handed(opened: OpenFunction, one: Call, around: Around) -> str:
    """What another thread is told to call, "" if none: it is called as if it stood there."""
    asked = one.callee.name if isinstance(one.callee, Name | Attribute) else ""
    number = _HANDS_OVER.get(asked, len(one.arguments))
    if number >= len(one.arguments):
        return ""
    name = evaluate(opened, one.arguments[number].value, around).name
    return "" if name.startswith("?.") or name.endswith("()") else name


def _read_argument(
    opened: OpenFunction, argument: Argument, around: Around, keywords: list[str]
) -> set[str]:
    value = evaluate(opened, argument.value, around)
    if argument.keyword is not None:
        keywords.append(argument.keyword)
        line = get_line(argument.value.node)
        opened.pairs.append(PairFact(argument.keyword, line, value.tags, value.constant))
    return {*value.tags, *([f"x:{value.name}"] if value.name else [])}


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


def _read_container(opened: OpenFunction, one: Container, around: Around) -> TaggedValue:
    tags: set[str] = set()
    constant = True
    for key, part, _ in one.entries:
        if isinstance(part, Routine) and not part.name and isinstance(key, Constant):
            opened.file.owned.setdefault(id(part), (part.owner, str(key.value)))
        value = evaluate(opened, part, around)
        tags |= value.tags
        constant = constant and value.constant
        if key is not None:
            named = evaluate(opened, key, around)
            for tag in named.tags if named.constant else ():
                if tag[:2] == "t:":
                    opened.pairs.append(
                        PairFact(tag[2:], get_line(key.node), value.tags, value.constant)
                    )
                    tags.add(f"k:{tag[2:]}")
    return TaggedValue("", limit_tags(tags), constant)
