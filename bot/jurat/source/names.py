"""What the names of a file stand for: `sp.run` is `subprocess.run` under `import subprocess as sp`.

A name is resolved where it stands, by the scopes of its language: imports and their aliases, what
was assigned to it last above, declared types, attributes set on `self` or `this`. What the file
itself defines, and what a parameter hides, has no name here.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ast_grep_py import SgNode

from jurat.source.go_names import GO
from jurat.source.java_names import JAVA
from jurat.source.javascript_names import JAVASCRIPT, TYPESCRIPT
from jurat.source.name_bindings import (
    Binding,
    NameFamily,
    Placement,
    ScopeKind,
    find_kinds,
    get_start,
)
from jurat.source.python_names import PYTHON
from jurat.source.syntax import parse

FAMILIES = {
    "python": PYTHON,
    "javascript": JAVASCRIPT,
    "typescript": TYPESCRIPT,
    "tsx": TYPESCRIPT,
    "go": GO,
    "java": JAVA,
}
"""The languages whose names are resolved."""

_MAX_DEPTH = 60
"""Aliases that one name may lead through; past that it has none."""
_MAX_NAME = 300
"""Characters of a name; what a longer chain of calls returns has none."""
_MAX_SQUARES = 2_500_000_000
"""The squares of all lines' lengths, so one line of 50,000 characters: 0.8 s.

ast-grep counts a line's characters up to a node whenever it is asked where that stands.
"""


class UnresolvedNamesError(Exception):
    """A file whose names cannot be resolved in bounded time."""


_MOST_KEPT = 20_000
"""Names of which it is kept whether a rule means them."""

Span = tuple[int, int]
"""The first character of a node, and the one behind it."""


class _Step(NamedTuple):
    """What an expression is made of: one inside of it, and what is taken of that."""

    inner: SgNode | None
    parts: tuple[str, ...] = ()


class Scope:
    """A part of a file, by its first and last character, and the names bound in it."""

    __slots__ = ("bindings", "end", "kind", "parent", "start")

    def __init__(self, kind: ScopeKind, start: int, end: int, parent: Scope | None) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.parent = parent
        self.bindings: dict[str, list[Binding]] = {}


class Names:
    """The names of one file. `root` is its tree."""

    def __init__(self, root: SgNode, family: NameFamily) -> None:
        self._root = root
        self._family = family
        self._scopes = _build_scopes(root, family)
        self._starts = [scope.start for scope in self._scopes]
        self._stars: list[str] = []
        self._meanings: dict[int, str | None] = {}
        self._values: dict[Span, str | None] = {}
        self._index: dict[str, list[SgNode]] | None = None
        self._known: dict[tuple[str, str], None] | None = None
        self._named: dict[str, list[tuple[str | None, SgNode]]] = {}
        self._texts: Counter[tuple[str, str]] = Counter()
        self._bind()

    def qualify(self, node: SgNode) -> str | None:
        """The full name of what an expression says, None if it is not known or the file's own.

        `child_process.exec` in JavaScript, `os/exec.Command` in Go, `java.sql.Statement.close` in
        Java, `eval` for what the language brings. A call has the name of what it calls. What a
        function returned is its name with `()`, unless its class is known: an instance goes by the
        name of its class.
        """
        callee: SgNode | _Step | str | None = self._get_callee(node)
        if callee is None and node.kind() in self._family.bare_calls:
            callee = self._take_bare_call_apart(node, 0)
        if isinstance(callee, _Step) and callee.inner is not None:
            name = self._follow(self._evaluate(callee.inner, 0), callee.parts)
        elif isinstance(callee, str):
            name = callee
        else:
            name = self._evaluate(callee if isinstance(callee, SgNode) else node, 0)
        return None if name is None or name.startswith(":") else name

    def find(self, said: Sequence[str]) -> list[SgNode]:
        """The expressions that a rule means by these names (see `fits_name`), calls included.

        Raises UnresolvedNamesError.
        """
        try:
            index = self._get_index()
        except RecursionError:
            raise UnresolvedNamesError("it is nested too deeply for names to be resolved") from None
        wanted = _compile_names(tuple(said))
        words: Iterable[str] = index
        if wanted.words is not None:
            own = {name for name, means in self._get_meanings() if wanted.fit(means)}
            words = [word for word in wanted.words | own if word in index]
        return [
            node
            for word in words
            for name, node in self._get_named(word)
            if name is not None and wanted.fit(name)
        ]

    def count(self, kind: str, text: str) -> int:
        """How many expressions of a kind read so, whatever they mean. `find` looked for them."""
        if not self._texts:
            nodes = (node for group in self._get_index().values() for node in group)
            self._texts = Counter((node.kind(), node.text()) for node in nodes)
        return self._texts[kind, text]

    def _get_meanings(self) -> Collection[tuple[str, str]]:
        """What the file binds and says somewhere, each with what it may mean."""
        if self._known is None:
            index = self._get_index()
            self._known = {
                (name, means): None
                for scope in self._scopes
                for name, bindings in scope.bindings.items()
                if name in index
                for binding in bindings
                if (means := self._get_meaning(binding, 0)) is not None
            }
        return self._known

    def _get_named(self, word: str) -> Sequence[tuple[str | None, SgNode]]:
        """The expressions that end in a word, with their full names: rules share their words."""
        if word not in self._named:
            self._named[word] = [(self.qualify(node), node) for node in self._get_index()[word]]
        return self._named[word]

    def _get_index(self) -> dict[str, list[SgNode]]:
        """All expressions that can have a name, by the last word in them."""
        if self._index is None:
            self._index = {}
            for word, node in self._family.list_expressions(self._root):
                self._index.setdefault(word, []).append(node)
        return self._index

    def _bind(self) -> None:
        """Put each binding of the file into its scope, in the order in which they hold."""
        waiting: list[tuple[Scope, Binding]] = []
        for node in find_kinds(self._root, self._family.binders):
            for binding in self._family.binders[node.kind()](node):
                if binding.name == "*":
                    self._stars.append(str(binding.means))
                    continue
                scope = self._find_scope(binding.place)
                if binding.placement is Placement.DECLARED:
                    waiting.append((scope, binding))
                    continue
                scope = _find_owner(scope, binding.placement)
                scope.bindings.setdefault(binding.name, []).append(binding)
        for inner, binding in waiting:
            owner = next((one for one in _iter_out(inner) if binding.name in one.bindings), None)
            (owner or self._scopes[0]).bindings.setdefault(binding.name, []).append(binding)
        for scope in self._scopes:
            for name, bindings in scope.bindings.items():
                # `yaml = None`, after an import that failed, binds nothing.
                known = [item for item in bindings if not item.is_empty] or bindings
                scope.bindings[name] = sorted(known, key=lambda item: item.since)

    def _find_scope(self, place: int) -> Scope:
        """The innermost scope around a character."""
        scope = self._scopes[max(bisect_right(self._starts, place) - 1, 0)]
        while scope.end < place and scope.parent is not None:
            scope = scope.parent
        return scope

    def _look_up(self, name: str, place: int, depth: int) -> str | None:
        innermost = self._find_scope(place)
        crossed = False
        for scope in _iter_out(innermost):
            # A name of a Python class body is not seen from its methods, an attribute is.
            hidden = scope.kind is ScopeKind.CLASS and scope is not innermost
            if not hidden or self._family.has_open_classes or name.startswith("."):
                bindings = scope.bindings.get(name)
                if bindings:
                    anywhere = crossed or name.startswith(".")
                    binding = _choose(bindings, None if anywhere else place)
                    return self._get_meaning(binding, depth)
            crossed = crossed or scope.kind is ScopeKind.FUNCTION
        return None if name.startswith(".") else self._family.resolve_unbound(name, self._stars)

    def _get_meaning(self, binding: Binding, depth: int) -> str | None:
        key = id(binding)
        if key not in self._meanings:
            # What is bound to itself, by however many steps, has no name.
            self._meanings[key] = None
            means = binding.means
            if isinstance(means, SgNode):
                means = self._evaluate(means, depth + 1)
            self._meanings[key] = self._follow(means, binding.parts)
        return self._meanings[key]

    def _evaluate(self, node: SgNode, depth: int) -> str | None:
        """The name of an expression's value.

        A chain of calls and members is taken apart from its end to its root and named on the way
        back, so that each node is looked at once however long the chain is.
        """
        chain: list[tuple[Span, tuple[str, ...]]] = []
        inner: SgNode | None = node
        name: str | None = None
        while inner is not None and depth <= _MAX_DEPTH:
            span = _get_span(inner)
            if span in self._values:
                name = self._values[span]
                break
            step = self._take_apart(inner, depth)
            if not isinstance(step, _Step):
                name = self._values[span] = step
                break
            chain.append((span, step.parts))
            inner = step.inner
        for span, parts in reversed(chain):
            name = self._values[span] = self._follow(name, parts)
        return name

    def _take_apart(self, node: SgNode, depth: int) -> _Step | str | None:
        """The node that a node is a part of, or its name if it is of none."""
        family, kind = self._family, node.kind()
        if kind in family.identifiers:
            return self._look_up(node.text(), get_start(node), depth)
        if kind in family.members:
            target, member = family.members[kind](node)
            if target is None or member is None:
                return None
            if family.is_self(target):
                return self._look_up(f".{member}", get_start(node), depth)
            return _Step(target, (member,))
        if kind in family.wrappers:
            return _Step(family.wrappers[kind](node))
        if kind in family.bare_calls:
            callee = self._take_bare_call_apart(node, depth)
            if isinstance(callee, _Step):
                return _Step(callee.inner, (*callee.parts, "()"))
            return self._follow(callee, ("()",))
        if (inner := self._get_callee(node)) is not None:
            special = family.read_call(node, lambda one: self._evaluate(one, depth + 1))
            created = kind in family.creations
            return _Step(inner, () if created else ("()",)) if special == "" else special
        return None

    def _get_callee(self, node: SgNode) -> SgNode | None:
        field = self._family.calls.get(node.kind())
        return node.field(field) if field else None

    def _take_bare_call_apart(self, node: SgNode, depth: int) -> _Step | str | None:
        """Java calls a method by an object, if any, and a name."""
        name, target = node.field("name"), node.field("object")
        if name is None:
            return None
        if target is not None:
            return _Step(target, (name.text(),))
        return self._look_up(f"{name.text()}()", get_start(node), depth)

    def _follow(self, name: str | None, parts: Iterable[str]) -> str | None:
        """The name of what is taken of something named: members, and what calls return."""
        for part in parts:
            if name is None or len(name) > _MAX_NAME:
                return None
            if name.startswith(":"):
                # A field of a type that the file declares: what is known is the field's own type.
                name = None if part == "()" else self._look_up(f"{name}.{part}", 0, 0)
            else:
                name = self._family.settle(name, part)
        return name


def bind_names(root: SgNode, language: str) -> Names:
    """The names of a parsed file. `language` is one of FAMILIES, else KeyError.

    Takes time in proportion to the size of the file. Raises UnresolvedNamesError.
    """
    if sum(len(line) ** 2 for line in root.text().split("\n")) > _MAX_SQUARES:
        raise UnresolvedNamesError("its lines are too long for names to be resolved")
    try:
        return Names(root, FAMILIES[language])
    except RecursionError:
        raise UnresolvedNamesError("it is nested too deeply for names to be resolved") from None


@lru_cache(maxsize=4)
def bind_text(text: str, language: str) -> Names:
    """The names of a text as `bind_names` gives them, kept for the texts asked for last."""
    return bind_names(parse(text, language).root(), language)


def fits_name(said: str, name: str) -> bool:
    """Whether a rule that says `said` means `name`.

    `*` stands for a part between two dots, `**` for any. A Go name may be said by its package
    alone, `exec.Command` for `os/exec.Command`.
    """
    if said == name:
        return True
    if "*" in said:
        pattern = _compile_glob(said)
        return pattern.fullmatch(name) is not None or (
            "/" not in said and pattern.fullmatch(_shorten(name)) is not None
        )
    return "/" not in said and "/" in name and said == _shorten(name)


class _WantedNames:
    """The names that a rule says, as names are compared with them."""

    def __init__(self, said: Sequence[str]) -> None:
        words = {_find_last_word(one) for one in said}
        self.words = None if None in words else {word for word in words if word is not None}
        """The words that these names end in, None if any may be."""
        self._said = said
        self._fitting: dict[str, bool] = {}

    def fit(self, name: str) -> bool:
        """Whether one of them means a name."""
        found = self._fitting.get(name)
        if found is None:
            if len(self._fitting) >= _MOST_KEPT:
                self._fitting.clear()
            found = self._fitting[name] = any(fits_name(one, name) for one in self._said)
        return found


@lru_cache(maxsize=1024)
def _compile_names(said: tuple[str, ...]) -> _WantedNames:
    return _WantedNames(said)


def _shorten(name: str) -> str:
    """A name without the folders of its import path. A file of the project's own keeps them."""
    return name if name.startswith((".", "@")) else name.rpartition("/")[2]


@lru_cache(maxsize=1024)
def _compile_glob(said: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*|\*)", said)
    wild = {"**": ".*", "*": r"[^./]*"}
    return re.compile("".join(wild.get(part, re.escape(part)) for part in parts))


def _find_last_word(said: str) -> str | None:
    """The word that an expression of this name ends in, None if it may be any."""
    word = re.split(r"[./]", said)[-1].removesuffix("()")
    return None if "*" in word else word


def _build_scopes(root: SgNode, family: NameFamily) -> list[Scope]:
    """All scopes in the order of their starts, the file's own first."""
    whole = Scope(ScopeKind.FUNCTION, -1, root.range().end.index, None)
    scopes = [whole]
    spans = []
    for node in find_kinds(root, family.scopes):
        kind, fields = family.scopes[node.kind()]
        first = next((part for field in fields if (part := node.field(field))), node)
        spans.append((first.range().start.index, -node.range().end.index, kind))
    # Of two that start together the longer is the outer one.
    for start, end, kind in sorted(spans, key=lambda span: span[:2]):
        parent = scopes[-1]
        while parent.end < -end and parent.parent is not None:
            parent = parent.parent
        scopes.append(Scope(kind, start, -end, parent))
    return scopes


def _iter_out(scope: Scope | None) -> Iterator[Scope]:
    while scope is not None:
        yield scope
        scope = scope.parent


def _find_owner(scope: Scope, placement: Placement) -> Scope:
    wanted = {
        Placement.FUNCTION: (ScopeKind.FUNCTION, ScopeKind.CLASS),
        Placement.CLASS: (ScopeKind.CLASS,),
    }.get(placement)
    if wanted is not None:
        return next((one for one in _iter_out(scope) if one.kind in wanted), scope)
    if placement is Placement.FILE:
        *_, scope = _iter_out(scope)
    return scope


def _choose(bindings: Sequence[Binding], place: int | None) -> Binding:
    """The binding that holds at a character; for None, in a function that runs later."""
    if place is None:
        return bindings[-1]
    above = bisect_right(bindings, place, key=lambda item: item.since)
    return bindings[max(above - 1, 0)]


def _get_span(node: SgNode) -> Span:
    span = node.range()
    return span.start.index, span.end.index
