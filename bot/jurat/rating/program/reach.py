"""Which functions of a repository run: reached from where programs start, by imports and calls."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from jurat.rating.code.function_facts import CallFact, FileFacts, FunctionFacts
from jurat.rating.program.listeners import ListenerFiles
from jurat.rating.program.program_names import OF_TYPES, FileLinks, Function, Lookups
from jurat.rating.program.program_starts import is_beside, is_program_start, is_routed


@dataclass(frozen=True)
class Program(ListenerFiles):
    """The program that the files are: what starts, what calls what, and what runs."""

    @cached_property
    def edges(self) -> Mapping[Function, frozenset[Function]]:
        """Whom each function calls or hands on, and who listens to what it announces."""
        linked = {
            (path, number): targets
            for path, links in self._links.items()
            for number, targets in enumerate(links.edges)
        }
        for one, listeners in self.iter_listeners():
            linked[one] |= listeners
        return linked

    @cached_property
    def _links(self) -> Mapping[str, FileLinks]:
        return {path: self.recall(self.known.links, path, self._list_links) for path in self.files}

    def _list_links(self, path: str) -> FileLinks:
        return FileLinks(
            tuple(
                frozenset(self._list_targets(path, number, function))
                for number, function in enumerate(self.files[path].functions)
            ),
            frozenset(self._list_handed(path)),
        )

    def _list_targets(self, path: str, number: int, function: FunctionFacts) -> Iterator[Function]:
        called = {call.callee for call in (*function.calls, *function.marks)}
        for name in called | function.refers:
            for one in self.resolve(path, name)[0]:
                # Who only reads what was made once does not make it.
                held = name not in called and name.endswith("()")
                if one != (path, number) and not (held and not self.get(one).owner and one[1]):
                    yield one

    @cached_property
    def callers(self) -> Mapping[Function, frozenset[Function]]:
        """Who calls each function."""
        found: defaultdict[Function, set[Function]] = defaultdict(set)
        for caller, targets in self.edges.items():
            for target in targets:
                found[target].add(caller)
        return {key: frozenset(value) for key, value in found.items()}

    @cached_property
    def live_files(self) -> frozenset[str]:
        """Files that are started, or imported by one that is, or whose objects it is handed."""
        return self._running[0]

    @cached_property
    def live(self) -> frozenset[Function]:
        """Every function that may run."""
        return self._running[1]

    @cached_property
    def _running(self) -> tuple[frozenset[str], frozenset[Function]]:
        # Nothing here starts: a library, whose functions others call.
        files = self._spread(self.begun) if self.begun else frozenset(self.files)
        files |= self._spread(self._unstarted)
        asked: frozenset[Function] = frozenset()
        while True:
            live = self._find_live(files)
            brought = {path for one in live - asked for path in self._list_handing(one)} - files
            asked = live
            if not brought:
                return files, live
            files |= self._spread(brought)

    @cached_property
    def _unstarted(self) -> frozenset[str]:
        """The files of packages of which nothing starts: who starts them is not in the repository.

        A script beside them that measures or releases starts nothing of the product. Of scripts for
        pages it is no sign: a part that no page takes is shown to nobody.
        """
        if not self.begun:
            return frozenset()
        started = self._spread(path for path in self.begun if not is_beside(path))
        begun = {path.partition("/")[0] for path in started}
        return frozenset(
            path
            for path in self.files
            if path.endswith(".py")
            and "/" in path
            and path.partition("/")[0] not in begun
            and not is_beside(path)
        )

    @cached_property
    def open_functions(self) -> frozenset[Function]:
        """Functions of packages of which nothing starts, that nothing here calls: others do."""
        return frozenset(
            (path, number)
            for path in self._unstarted
            for number, function in enumerate(self.files[path].functions)
            if number
            and not function.owner
            and function.parent <= 0
            and not function.name.startswith("_")
            and all(
                where not in self._unstarted for where, _ in self.callers.get((path, number), ())
            )
        )

    def _spread(self, paths: Iterable[str]) -> frozenset[str]:
        """Files, and all that they import."""
        waiting = list(paths)
        reached = set(waiting)
        while waiting:
            for other in self.list_imported(waiting.pop()) - reached:
                reached.add(other)
                waiting.append(other)
        return frozenset(reached)

    def _list_handing(self, one: Function) -> Iterator[str]:
        """The files of objects that a function is handed, and of which it calls what fits.

        Who makes an object and hands it in may stand in a container that nobody imports, or that
        is not in the repository. Its class is known if one class alone has what is called.
        """
        for call in self.get(one).calls:
            if not call.callee.startswith("?.") or "(" in call.callee:
                continue
            targets = self.resolve(one[0], call.callee)[0]
            if len(targets) == 1 and self._is_fit(call, self.get(targets[0])):
                yield targets[0][0]

    def _is_fit(self, call: CallFact, method: FunctionFacts) -> bool:
        """Whether a method may be meant: what lists have too is known by its arguments."""
        takes = len([name for name in method.parameters if name not in ("self", "cls")])
        if method.name in OF_TYPES:
            return call.arguments == takes > 1
        return call.arguments <= takes

    def list_imported(self, path: str) -> frozenset[str]:
        """The files that a file imports, or names for a framework to load."""
        return self.recall(self.known.imported, path, self._find_imported)

    def _find_imported(self, path: str) -> frozenset[str]:
        return frozenset(self._iter_imported(path))

    def _iter_imported(self, path: str) -> Iterator[str]:
        facts = self.files[path]
        names = {name for _, name in facts.imported}
        names |= {name for one in facts.functions for name in one.refers if "/" in name[:3]}
        # Frameworks load by name: `uvicorn.run("app.main:app")`, INSTALLED_APPS.
        names |= {
            text.partition(":")[0]
            for one in facts.functions
            for text in one.says
            if "." in text and " " not in text and "/" not in text
        }
        for name in names:
            found = self.find_module(path, name)
            if found is not None and found[0] != path:
                yield found[0]
                folder = posixpath.dirname(found[0])
                if folder and f"{folder}/__init__.py" in self.files:
                    yield f"{folder}/__init__.py"

    @cached_property
    def begun(self) -> tuple[str, ...]:
        """The files in which something starts, or which the package begins with."""
        return tuple(self._list_started())

    def _list_started(self) -> Iterator[str]:
        imported = {other for path in self.files for other in self.list_imported(path)}
        product = (path for path in self.files if not is_beside(path))
        used = {other for path in product for other in self.list_imported(path)}
        named = self.started | {self.modules.get(one.partition(":")[0]) for one in self.started}
        for path, facts in self.files.items():
            if (
                path in named
                or (self.is_package and path.endswith("__init__.py"))
                or is_program_start(path, facts, is_imported=path in imported, is_used=path in used)
            ):
                yield path

    def _find_entries(self, files: frozenset[str]) -> frozenset[Function]:
        """Functions of some files that something outside of the repository calls."""
        found: set[Function] = set(self._offered)
        for path in files:
            entered = self.recall(self.known.entered, path, self._list_entered)
            found |= entered | self._links[path].handed
        found |= {one for one in self._list_public(files) if self.get(one).name}
        return frozenset(found)

    def _list_entered(self, path: str) -> frozenset[Function]:
        """Functions of a file that run as it does, or that a framework calls."""
        is_page, is_served = path.endswith((".tsx", ".jsx")), is_routed(path)
        found = {(path, 0)}
        for number, function in enumerate(self.files[path].functions):
            # What is rendered is written as an element, and no call shows.
            rendered = is_page and function.name[:1].isupper()
            served = function.parent <= 0 and (rendered or is_served)
            if served or any(self._is_foreign_mark(path, one) for one in function.marks):
                found.add((path, number))
        return frozenset(found)

    @cached_property
    def _offered(self) -> frozenset[Function]:
        """What a server or a platform may call by name in what is started.

        If nothing is, all that stands here is there for others to call.
        """
        return frozenset(
            (path, number)
            for path in (*self.begun, *self._unstarted) or self.files
            for number, function in enumerate(self.files[path].functions)
            if function.parent <= 0 and not function.name.startswith("_")
        )

    def _list_handed(self, path: str) -> Iterator[Function]:
        """Own functions that a file hands to what is not its own."""
        tags = {
            tag
            for caller in self.files[path].functions
            for call in caller.calls
            if self._is_foreign(path, call.callee)
            for tag in call.given
            if tag[:2] == "x:"
        }
        for tag in tags:
            if tag.startswith(("x:function:", "x:local:", "x:.")):
                yield from self.resolve(path, tag[2:])[0]
            yield from self.list_verb_methods(path, tag[2:])
            yield from self.list_hooks(path, tag[2:])

    def _is_foreign_mark(self, path: str, mark: CallFact) -> bool:
        _, foreign = self.resolve(path, mark.callee)
        return (
            self._is_foreign(path, mark.callee) and foreign.rpartition(".")[2] not in _PLAIN_MARKS
        )

    def _is_foreign(self, path: str, name: str) -> bool:
        """Whether what is called is not the repository's own.

        What another file has made of a library, such as a server, is found in its statements.
        """
        functions, foreign = self.resolve(path, name)
        return not functions or (bool(foreign) and not any(number for _, number in functions))

    def _list_public(self, files: frozenset[str]) -> Iterator[Function]:
        """What a package offers: the names that its `__init__` or a script's exports hand on."""
        for path in files:
            if not self.is_package:
                return
            if path.endswith("__init__.py") or posixpath.basename(path).startswith("index."):
                for _, name in self.files[path].imported:
                    targets = self.resolve(path, name)[0]
                    yield from targets
                    for where, number in targets:
                        if number == 0:
                            yield from (
                                (where, n)
                                for n, f in enumerate(self.files[where].functions)
                                if not f.name.startswith("_")
                            )

    def _find_live(self, files: frozenset[str]) -> frozenset[Function]:
        """Every function of some files that may run."""
        live = {(path, 0) for path in files} | set(self._find_entries(files))
        waiting = list(live)
        while waiting:
            one = waiting.pop()
            targets = set(self.edges[one])
            # Methods of a class that is made may be called by whoever holds the object.
            targets |= self._list_siblings(one)
            for target in targets - live:
                if target[0] in files:
                    live.add(target)
                    waiting.append(target)
        return frozenset(live)

    def _list_siblings(self, one: Function) -> set[Function]:
        function = self.get(one)
        if function.name not in ("__init__", "constructor"):
            return set()
        names = (
            "__call__",
            "__enter__",
            "__exit__",
            "run",
            "dispatch",
            "forward",
            "process_request",
        )
        return {
            found
            for name in names
            for found in self._by_name.get((one[0], f"{function.owner}.{name}"), ())
        }

    def walk(self, start: Iterable[Function], depth: int = 5) -> frozenset[Function]:
        """The functions and all that they call, some calls deep."""
        found = set(start)
        edge = set(found)
        for _ in range(depth):
            edge = {t for one in edge for t in self.edges.get(one, ()) if t[1]} - found
            if not edge:
                break
            found |= edge
        return frozenset(found)

    def replace_facts(self, files: Mapping[str, FileFacts]) -> Program:
        """The same program under other names, each changed everywhere: it leads where it led."""
        imported = {path: (files[path], self.list_imported(path)) for path in files}
        known = Lookups(imported=imported)
        return RenamedProgram(files, self.started, self.is_package, known, before=self)

    def drop(self, functions: Collection[Function], paths: Collection[str] = ()) -> Program:
        """The same program with these functions doing nothing, and without these files."""
        gone = frozenset(functions)
        touched = {where for where, _ in gone}
        files = {}
        for path, facts in self.files.items():
            if path in paths:
                continue
            if path not in touched:
                files[path] = facts
                continue
            kept = tuple(
                _clear_function(function) if (path, number) in gone else function
                for number, function in enumerate(facts.functions)
            )
            files[path] = facts._replace(functions=kept)
        # Names stand for what they stood for, unless a file that they lead to is gone.
        return Program(files, self.started, self.is_package, Lookups() if paths else self.known)


@dataclass(frozen=True)
class RenamedProgram(Program):
    """A program under other names: there the same functions call one another, and the same run."""

    before: Program = field(kw_only=True, repr=False, compare=False)

    @cached_property
    def edges(self) -> Mapping[Function, frozenset[Function]]:
        """As before."""
        return self.before.edges

    @cached_property
    def callers(self) -> Mapping[Function, frozenset[Function]]:
        """As before."""
        return self.before.callers

    @cached_property
    def open_functions(self) -> frozenset[Function]:
        """As before."""
        return self.before.open_functions

    @cached_property
    def _running(self) -> tuple[frozenset[str], frozenset[Function]]:
        return self.before._running


_PLAIN_MARKS = frozenset(
    ("staticmethod", "classmethod", "property", "dataclass", "abstractmethod", "override", "wraps"
     , "lru_cache", "cache", "cached_property", "contextmanager", "overload", "total_ordering")
)  # fmt: skip


def _clear_function(function: FunctionFacts) -> FunctionFacts:
    return FunctionFacts(
        function.name, function.owner, function.parent, function.first, function.last,
        function.parameters, function.marks,
    )  # fmt: skip
