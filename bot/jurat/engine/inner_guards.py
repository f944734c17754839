"""Guards that have become part of what they guarded.

`invoice = get(number)` with a check behind it whose it is, and `get(number, owner=user)`: whoever
is refused by the first gets nothing from the second. `@Secured("ADMIN")` above a method, and in it
`if (!roles.contains("ADMIN")) throw`: the same question, asked a line later.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ast_grep_py import SgNode

from jurat.engine.guard_places import (
    MARKS,
    GuardedCode,
    HeadPart,
    find_guarded_name,
    is_statement_in_place,
)
from jurat.engine.successors import REFUSES
from jurat.source.grammars import GRAMMARS

_BINDINGS: Mapping[str, tuple[str, str]] = {
    "assignment": ("left", "right"),
    "assignment_expression": ("left", "right"),
    "assignment_statement": ("left", "right"),
    "short_var_declaration": ("left", "right"),
    "variable_declarator": ("name", "value"),
}
"""What gives a name a value, with the fields of both, in any of the languages."""

_CALLS = frozenset({"call", "call_expression", "method_invocation", "new_expression"})
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_MOST_STEPS = 3
"""Names that are followed from one value to the next."""

_LEAST_SHARED = 2
"""Words of a guard that what serves for it has to bring: who asks, and what it is asked of."""

_Bindings = Sequence[tuple[str, SgNode, SgNode]]
"""In the order of the text: a name, what it is given, and the node that does."""


def is_asked_inside(
    node: SgNode,
    guarded: GuardedCode,
    language: str,
    parts: Sequence[HeadPart],
    added: Collection[int],
) -> bool:
    """Whether what a guard guarded refuses by itself now, by what it asks or what it loads.

    `node` is the guard in the base, in `language`.
    """
    if node.kind() in MARKS:
        return _is_asked_in_body(node, guarded, parts, added)
    return _is_asked_by_load(node, guarded, language, parts, added)


def _is_asked_in_body(
    node: SgNode, guarded: GuardedCode, parts: Iterable[HeadPart], added: Collection[int]
) -> bool:
    """Whether a condition of the change speaks of what a mark spoke of, and leads away."""
    said = _split(node.text())
    for part in parts:
        for one in _walk(part.root):
            condition, end = one.field("condition"), one.field("consequence")
            if condition is None or end is None or not _is_added(condition, part, added):
                continue
            if (
                len(said & _list_words(condition)) >= _LEAST_SHARED
                and REFUSES.search(end.text())
                and find_guarded_name(one, part.language) == guarded.name
                and is_statement_in_place(one, guarded, part)
            ):
                return True
    return False


def _is_asked_by_load(
    node: SgNode,
    guarded: GuardedCode,
    language: str,
    parts: Iterable[HeadPart],
    added: Collection[int],
) -> bool:
    """Whether what a guard asked about is loaded now by what it asked: by whose it is.

    A load that is not the change's, stands in a branch of its own, or speaks of one word of the
    guard alone counts for nothing.
    """
    condition = node.field("condition")
    if condition is None:
        return False
    before = _list_bindings(_find_scope(node, language))
    asked = {*_list_words(condition)}
    about = _follow(condition, before)
    for _, value, _ in about:
        asked |= _list_words(value)
    for part in parts:
        now = [
            one
            for one in _list_bindings(part.root)
            if find_guarded_name(one[2], part.language) == guarded.name
        ]
        for name, value, binding in now:
            loads = [one for known, one, _ in about if known == name and _has_call(one)]
            if not loads or not _has_call(value):
                continue
            held = {*_list_words(loads[-1])}
            for _, one, _ in _follow(loads[-1], before):
                held |= _list_words(one)
            steps = [(name, value, binding), *_follow(value, now)]
            brought = set()
            for _, one, at in steps:
                if _is_added(at, part, added) and is_statement_in_place(at, guarded, part):
                    brought |= _list_words(one)
            if len((brought - held - _split(name)) & asked) >= _LEAST_SHARED:
                return True
    return False


def _find_scope(node: SgNode, language: str) -> SgNode:
    grammar, scope = GRAMMARS.get(language), node
    for scope in node.ancestors():
        if grammar is not None and scope.kind() in grammar.functions:
            break
    return scope


def _list_bindings(scope: SgNode) -> _Bindings:
    found = []
    for node in _walk(scope):
        if (fields := _BINDINGS.get(node.kind())) is not None:
            target, value = node.field(fields[0]), node.field(fields[1])
            if target is not None and value is not None:
                found += [(name, value, node) for name in _NAME.findall(target.text())]
    return found


def _walk(node: SgNode) -> Iterator[SgNode]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += reversed(one.children())


def _follow(value: SgNode, bindings: _Bindings) -> _Bindings:
    """What the names of a value were given, and the names of that, the nearest first."""
    found: list[tuple[str, SgNode, SgNode]] = []
    names, seen = {*_NAME.findall(value.text())}, {value.range().start.index}
    for _ in range(_MOST_STEPS):
        news = [
            one for one in bindings if one[0] in names and one[1].range().start.index not in seen
        ]
        seen |= {one[1].range().start.index for one in news}
        names = {name for _, one, _ in news for name in _NAME.findall(one.text())}
        found += news
    return found


def _has_call(value: SgNode) -> bool:
    return any(one.kind() in _CALLS for one in _walk(value))


def _list_words(value: SgNode) -> set[str]:
    """The words of the names in code, but for texts, remarks and what a name is looked up in."""
    words: set[str] = set()
    for one in _walk(value):
        after = one.next()
        is_looked_into = after is not None and after.text() in (".", "?.")
        if "identifier" in str(one.kind()) and not is_looked_into:
            words |= _split(one.text())
    return words


def _split(name: str) -> set[str]:
    return {found[0].lower() for found in _WORD.finditer(name)}


def _is_added(node: SgNode, part: HeadPart, added: Collection[int]) -> bool:
    span = node.range()
    lines = range(part.first + span.start.line, part.first + span.end.line + 1)
    return any(number in added for number in lines)
