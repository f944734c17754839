"""What names in the files of a repository stand for: functions, classes, files, libraries."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from jurat.rating.code.function_facts import ALL_OF, FileFacts, FunctionFacts, Tags
from jurat.rating.program.announcements import FileAnnouncements
from jurat.rating.program.made_classes import list_unmade
from jurat.rating.program.module_paths import ModulePaths

_Found = TypeVar("_Found")
Function = tuple[str, int]
"""A function: its file and its number there."""

HOOKS = frozenset(
    (
        *("intercept", "use", "canActivate", "transform", "catch", "dispatch", "__call__"),
        *("process_request", "process_response", "process_view", "process_exception"),
    )
)
"""By these names frameworks call what stands around a request, whatever it extends."""
VERB_METHODS = tuple(
    f"{before}{verb}"
    for before in ("", "on_")
    for verb in ("get", "post", "put", "patch", "delete")
)
_MADE = re.compile(r"(?:^x:|\.)[A-Z]\w*\(\)$")
"""An object of a class, by the manner of its name."""
_GLOBAL = frozenset(("Map", "Set", "Date", "Error", "Promise", "Response", "Request", "Buffer"))
"""Classes that every script has."""
_DEEPEST = 12
"""Names that one name may lead through."""
OF_TYPES = frozenset(
    name for kind in (str, bytes, list, dict, set, int, re.Pattern) for name in dir(kind)
)
"""What values of the language have: a call by such a name tells no class."""
_MOST_TAKEN = 2
"""What nearly all of these take at most."""


@dataclass(frozen=True, slots=True)
class FileLinks:
    """Where one file leads: whom each function calls, and what it hands to others."""

    edges: tuple[frozenset[Function], ...]
    handed: frozenset[Function]


@dataclass(frozen=True, slots=True)
class Lookups:
    """What was found in a program before: the same few names are looked up again and again.

    It all follows from which files there are and what they define, not from what functions do, but
    for `links`, `imported`, `announcements` and `entered`, each of which is of the facts beside it.
    """

    resolved: dict[tuple[str, str], tuple[tuple[Function, ...], str]] = field(default_factory=dict)
    foreign: dict[tuple[str, str], str] = field(default_factory=dict)
    handed_on: dict[tuple[str, str, int], tuple[Function, ...]] = field(default_factory=dict)
    """What names stand for that files hand on of others as a whole, by the names before them."""
    modules: dict[tuple[str, str], tuple[str, str] | None] = field(default_factory=dict)
    origins: dict[tuple[str, str], tuple[str, str] | None] = field(default_factory=dict)
    """As `modules`, over files that only hand a name on."""
    links: dict[str, tuple[FileFacts, FileLinks]] = field(default_factory=dict)
    imported: dict[str, tuple[FileFacts, frozenset[str]]] = field(default_factory=dict)
    announcements: dict[str, tuple[FileFacts, FileAnnouncements]] = field(default_factory=dict)
    entered: dict[str, tuple[FileFacts, frozenset[Function]]] = field(default_factory=dict)
    """The functions of each file that what is not its own calls: see `Program`."""
    places: dict[tuple[str, Tags], tuple[str, ...]] = field(default_factory=dict)
    """The places that tags in a file mean: see `stores`."""
    kept: dict[tuple[str, str], tuple[str, bool]] = field(default_factory=dict)
    """The classes of stored things that tags in a file lead into: see `stores`."""
    askers: dict[tuple[str, str], tuple[str, bool | None, bool]] = field(default_factory=dict)
    """What names stand for, and whether they ask a model, always or at times: see `Conduct`."""


@dataclass(frozen=True)
class NamedFiles:
    """The files of a repository whose functions are known, by path, linked by their imports.

    `started` are paths, or dotted modules with a function, that settings name as programs.
    `packages` says whether the repository is installed as a package that others import.
    """

    files: Mapping[str, FileFacts]
    started: frozenset[str] = frozenset()
    is_package: bool = False
    known: Lookups = field(default_factory=Lookups, repr=False, compare=False)

    @cached_property
    def _bound(self) -> Mapping[str, tuple[dict[str, tuple[str, ...]], dict[str, str]]]:
        """Of each file the bases of its classes, and what its names stand for."""
        return {
            path: (dict(facts.classes), {**dict(facts.imported), **dict(facts.variables)})
            for path, facts in self.files.items()
        }

    @cached_property
    def modules(self) -> ModulePaths:
        """The files by what imports call them."""
        return ModulePaths(frozenset(self.files))

    @cached_property
    def _by_name(self) -> Mapping[tuple[str, str], tuple[Function, ...]]:
        """The functions of each file by name, methods by `Class.name`."""
        found: defaultdict[tuple[str, str], list[Function]] = defaultdict(list)
        for path, facts in self.files.items():
            for number, function in enumerate(facts.functions):
                if function.name and (function.parent <= 0 or function.owner):
                    name = f"{function.owner}.{function.name}".lstrip(".")
                    found[path, name].append((path, number))
        return {key: tuple(value) for key, value in found.items()}

    @cached_property
    def _methods(self) -> Mapping[str, tuple[Function, ...]]:
        found: defaultdict[str, list[Function]] = defaultdict(list)
        for path, facts in self.files.items():
            for number, function in enumerate(facts.functions):
                # A script's objects need no class: a function makes them, with what they answer.
                member = function.parent > 0 and facts.language != "python"
                if function.owner or (member and function.name):
                    found[function.name].append((path, number))
        return {key: tuple(value) for key, value in found.items() if len(value) <= 8}

    def recall(
        self, known: dict[str, tuple[FileFacts, _Found]], path: str, find: Callable[[str], _Found]
    ) -> _Found:
        """What was found of a file before, if its facts are the same."""
        facts = self.files[path]
        before = known.get(path)
        if before is not None and before[0] is facts:
            return before[1]
        found = find(path)
        if before is None:
            known[path] = (facts, found)
        return found

    def get(self, function: Function) -> FunctionFacts:
        """The facts of a function."""
        return self.files[function[0]].functions[function[1]]

    def resolve(self, path: str, name: str) -> tuple[tuple[Function, ...], str]:
        """The functions that a name in a file stands for, and the foreign name if it is none."""
        key = (path, name)
        found = self.known.resolved.get(key)
        if found is None:
            found = self.known.resolved[key] = self._resolve(path, name, 0)
        return found

    def find_foreign(self, path: str, callee: str) -> str:
        """The foreign name of what is called in a file, "" if it is the repository's own."""
        key = (path, callee)
        name = self.known.foreign.get(key)
        if name is None:
            name = self.known.foreign[key] = self._find_foreign(path, callee)
        return name

    def _find_foreign(self, path: str, callee: str) -> str:
        own, foreign = self.resolve(path, callee)
        if foreign and all(not number for _, number in own):
            return foreign  # an object of a library's that a file makes and others import
        if callee.endswith("()") and len(own) == 1 and own[0][1]:
            return self._find_made(own[0][0], self.get(own[0]).returns)
        return "" if own and not callee.startswith("?.") else foreign

    def list_fields(self, path: str, name: str) -> tuple[str, ...]:
        """What the objects of an own class hold that a name in a file stands for."""
        where, bare = self._find_class(path, name.removesuffix("()"))
        return self._held[where].get(bare, ()) if bare else ()

    @cached_property
    def _held(self) -> Mapping[str, dict[str, tuple[str, ...]]]:
        return {path: dict(facts.fields) for path, facts in self.files.items()}

    def list_bases(self, path: str, name: str) -> tuple[str, ...]:
        """The bases of a class of a file, none if it has no such class."""
        return self._bound[path][0].get(name, ())

    def list_roots(self, path: str, name: str, depth: int = 4) -> frozenset[str]:
        """The foreign classes that a class of a file goes back to, through its own bases."""
        found: set[str] = set()
        for base in self.list_bases(path, name):
            where, bare = self._find_class(path, base.removesuffix("()"))
            if bare and (where, bare) != (path, name) and depth:
                found |= self.list_roots(where, bare, depth - 1)
            else:
                found.add(self.resolve(path, base)[1] or base)
        return frozenset(found)

    def _resolve(self, path: str, name: str, depth: int) -> tuple[tuple[Function, ...], str]:
        if depth > _DEEPEST or not name:
            return (), name
        if name.startswith("function:"):
            return ((path, int(name[9:].partition("(")[0].partition(".")[0])),), ""
        if name.startswith("self:"):
            owner, _, member = name[5:].partition(".")
            return self._find_method(path, owner, member, depth)
        if name.startswith("local:"):
            return self._find_local(path, name[6:], depth)
        if name.startswith("?."):
            member = name.rpartition(".")[2].partition("(")[0]
            named = self._methods.get(member, ())
            # If nobody here makes any of them, who does is not in the repository.
            found = (
                tuple(o for o in named if (o[0], self.get(o).owner) not in self._unmade) or named
            )
            return tuple(filter(self._is_apart, found)) if member in OF_TYPES else found, name
        inside = self.find_module(path, name)
        if inside is None:
            # An object of a type of its own, which a file of scripts makes a function for.
            made = name.removesuffix("()")
            is_type = name.endswith("()") and made[:1].isupper() and made.isidentifier()
            given = self._list_given_back(path) if is_type and not path.endswith(".py") else ()
            return (given, "") if given and made not in _GLOBAL else ((), name)
        where, rest = inside
        found, foreign = self._find_local(where, rest or "default", depth + 1)
        if rest and not found and not foreign:
            # What a script hands on as a whole has the member, not the script.
            found, foreign = self._find_local(where, f"default.{rest}", depth + 1)
        return found or ((where, 0),), foreign

    @cached_property
    def _unmade(self) -> frozenset[tuple[str, str]]:
        """Classes of which nobody makes an object. Of a package's who installs it may make one."""
        return frozenset() if self.is_package else list_unmade(self.files)

    def _is_apart(self, method: Function) -> bool:
        """Whether a method takes more than those of its name that values of the language have."""
        taken = [name for name in self.get(method).parameters if name not in ("self", "cls")]
        return len(taken) > _MOST_TAKEN

    def list_verb_methods(self, path: str, name: str) -> tuple[Function, ...]:
        """The methods by which a class, or an object of it, answers the verbs of HTTP."""
        made = name.removesuffix("()").removesuffix(".as_view").removesuffix("()")
        where, bare = self._find_class(path, made)
        keys = [(where, f"{bare}.{verb}") for verb in VERB_METHODS] if bare else []
        return tuple(found for key in keys for found in self._by_name.get(key, ()))

    def _find_class(self, path: str, made: str) -> tuple[str, str]:
        """The file and the name of an own class that a name stands for, ("", "") if none."""
        where, bare = path, made.removeprefix("local:")
        if not made.startswith("local:"):
            inside = self.find_module(path, made)
            if inside is None:
                return "", ""
            where, bare = inside
        return (where, bare) if bare in self._bound[where][0] else ("", "")

    def list_hooks(self, path: str, name: str) -> tuple[Function, ...]:
        """The methods of a class by which a framework calls it, once it was handed one.

        These are all that a class adds to one of the framework's, or else those of known names.
        """
        where, bare = self._find_class(path, name.removesuffix("()"))
        if not bare:
            return ()
        bases = self._bound[where][0][bare]
        extends = any(not self.resolve(where, f"{base}()")[0] for base in bases)
        return tuple(
            (where, number)
            for number, function in enumerate(self.files[where].functions)
            if function.owner == bare
            and (function.name in HOOKS or (extends and not function.name.startswith("_")))
        )

    def _find_local(self, path: str, name: str, depth: int) -> tuple[tuple[Function, ...], str]:
        head, dot, rest = name.partition(".")
        made = head.endswith("()")
        head = head.removesuffix("()")
        classes, names = self._bound[path]
        if head in classes:
            if rest:
                return self._find_method(path, head, rest, depth)
            built = [(path, f"{head}.{one}") for one in ("__init__", "constructor", "__call__")]
            return tuple(f for key in built for f in self._by_name.get(key, ())), ""
        if made and rest and (members := self._find_members(path, head, rest.partition(".")[0])):
            return members, ""
        member = f"{head}.{rest.partition('.')[0].removesuffix('()')}"
        if rest and (path, member) in self._by_name:
            return self._by_name[path, member], ""  # of an object that a script makes once
        if (path, head) in self._by_name:
            if made and rest and (answered := self._find_given(path, head, rest, depth)):
                return answered
            return self._by_name[path, head], ""
        known = names.get(head)
        if known is None and made and not rest and (given := self._list_given_back(path)):
            return given, ""
        if known is None:
            return self._find_handed_on(path, name, depth), ""
        if known == f"local:{head}":
            return (), ""
        if not (made or rest) and (wrapped := names.get(f"{head}()")):
            return self._resolve(path, wrapped, depth + 1)[0], known
        return self._resolve(path, known + ("()" if made else "") + dot + rest, depth + 1)

    def _find_handed_on(self, path: str, name: str, depth: int) -> tuple[Function, ...]:
        """What a name stands for in the files of which a file hands on all that they have."""
        if path not in self._whole:
            return ()
        # Files hand on one another in circles: there are more ways through them than files.
        key = (path, name, depth)
        found = self.known.handed_on.get(key)
        if found is None:
            found = self.known.handed_on[key] = self._search_handed_on(path, name, depth)
        return found

    def _search_handed_on(self, path: str, name: str, depth: int) -> tuple[Function, ...]:
        for module in self._whole[path]:
            found, _ = self._resolve(path, f"{module}.{name}", depth + 1)
            if any(number for _, number in found):
                return found
        return ()

    @cached_property
    def _whole(self) -> Mapping[str, tuple[str, ...]]:
        """The files that hand on all of others, with what they call these."""
        found = {
            path: tuple(module for name, module in facts.imported if name.startswith(ALL_OF))
            for path, facts in self.files.items()
        }
        return {path: modules for path, modules in found.items() if modules}

    def _find_given(
        self, path: str, maker: str, member: str, depth: int
    ) -> tuple[tuple[Function, ...], str] | None:
        """What a member is of the one object that an own function makes and gives back."""
        returns = self.get(self._by_name[path, maker][0]).returns
        made = [tag[2:] for tag in returns if tag[:2] == "x:" and _MADE.search(tag)]
        own = {one for one in made if self._find_class(path, one.removesuffix("()"))[1]}
        if len(own) == 1:
            found = self._resolve(path, f"{own.pop()}.{member}", depth + 1)
            return found if found[0] or found[1] else None
        foreign = self._find_made(path, returns, depth + 1)
        return ((), f"{foreign}.{member}") if foreign else None

    def _find_made(self, path: str, returns: Tags, depth: int = 0) -> str:
        """The foreign name of the one thing that is made in what a function returns, "" if none.

        It is an object of a class, or else what a library's function gave, such as a loaded model.
        """
        called = [tag[2:] for tag in returns if tag[:2] == "x:" and tag.endswith("()")]
        objects = [name for name in called if _MADE.search(f"x:{name}")]
        foreign = {self._resolve(path, name, depth)[1] for name in objects or called}
        return foreign.pop() if len(foreign) == 1 else ""

    def _list_given_back(self, path: str) -> tuple[Function, ...]:
        """The one function that functions of a file make and give back: what a type of it means."""
        functions = self.files[path].functions
        found = [
            (path, number)
            for number, one in enumerate(functions)
            if one.parent > 0 and not one.name and f"x:function:{number}" in (
                functions[one.parent].returns)
        ]  # fmt: skip
        return tuple(found) if len(found) == 1 else ()

    def _find_members(self, path: str, maker: str, name: str) -> tuple[Function, ...]:
        """What the object that an own function makes answers by a name."""
        makers = {number for _, number in self._by_name.get((path, maker), ())}
        return tuple(
            (path, number)
            for number, function in enumerate(self.files[path].functions if makers else ())
            if function.parent in makers and function.name == name.removesuffix("()")
        )

    def _find_method(
        self, path: str, owner: str, member: str, depth: int
    ) -> tuple[tuple[Function, ...], str]:
        name = member.partition(".")[0].partition("(")[0]
        if found := self._by_name.get((path, f"{owner}.{name}")):
            return found, ""
        for base in self._bound[path][0].get(owner, ()):
            found_there, foreign = self._resolve(path, f"{base}().{member}", depth + 1)
            if found_there or foreign:
                return found_there, foreign
        return (), ""

    def find_module(self, path: str, name: str) -> tuple[str, str] | None:
        """The file that a name leads into, and what is named in it."""
        key = (path, name)
        if key not in self.known.modules:
            self.known.modules[key] = self.modules.find(path, name)
        return self.known.modules[key]
