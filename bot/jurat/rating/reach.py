"""Which functions of a repository run: reached from where programs start, by imports and calls."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from jurat.rating.function_facts import CallFact, FileFacts, FunctionFacts, Tags

Function = tuple[str, int]
"""A function: its file and its number there."""

_SUFFIXES = (
    "",
    ".ts",
    ".tsx",
    ".js",
    ".jsx",
    ".mjs",
    ".cjs",
    "/index.ts",
    "/index.tsx",
    "/index.js",
)
_STARTED = re.compile(
    r"(?:^|/)(?:__main__|main|app|server|manage|wsgi|asgi|index|cli|run|worker|lambda_function"
    r"|handler|streamlit_app)\.(?:py|[cm]?[jt]sx?)$"
    r"|(?:^|/)(?:pages/api|app/.*/route\.[jt]s|api/.*\.[jt]s|functions/[^/]+\.[jt]s)"
    r"|(?:^|/)management/commands/[^/_]\w*\.py$"
)
_SCRIPT = re.compile(r"\.[cm]?jsx?$")
_BUILT = re.compile(r"(^|/)(?:dist|build|out|lib)/")
"""A folder into which a compiler writes what stands in `src`."""
_ALIAS = re.compile(r"[@~#]/")
"""What stands for the root of a project's own scripts in most settings of compilers."""
_ROUTED = re.compile(
    r"(?:^|/)(?:app/(?:.*/)?(?:route|page|layout)|pages/.+|\+(?:server|page\.server))\.[cm]?[jt]sx?$"
)
"""Files that a framework serves by where they stand, whatever their own statements do."""
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
_DEEPEST = 12
"""Names that one name may lead through."""
OF_TYPES = frozenset(
    name for kind in (str, bytes, list, dict, set, int, re.Pattern) for name in dir(kind)
)
"""What values of the language have: a call by such a name tells no class."""


@dataclass(frozen=True, slots=True)
class FileLinks:
    """Where one file leads: whom each function calls, what it imports, what it hands to others."""

    edges: tuple[frozenset[Function], ...]
    imported: frozenset[str]
    handed: frozenset[Function]


@dataclass(frozen=True, slots=True)
class Lookups:
    """What was found in a program before: the same few names are looked up again and again.

    It all follows from which files there are and what they define, not from what functions do, but
    for `links`, each of which is of the facts beside it.
    """

    resolved: dict[tuple[str, str], tuple[tuple[Function, ...], str]] = field(default_factory=dict)
    foreign: dict[tuple[str, str], str] = field(default_factory=dict)
    modules: dict[tuple[str, str], tuple[str, str] | None] = field(default_factory=dict)
    links: dict[str, tuple[FileFacts, FileLinks]] = field(default_factory=dict)
    places: dict[tuple[str, Tags], tuple[str, ...]] = field(default_factory=dict)
    """The places that tags in a file mean: see `stores`."""


@dataclass(frozen=True)
class Program:
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
    def _modules(self) -> Mapping[str, str]:
        """Paths by the dotted end of their module: `a.b.c`, `b.c` and `c`."""
        found: dict[str, str] = {}
        for path in sorted(self.files, key=lambda path: (path.count("/"), path)):
            stem, dot, suffix = path.rpartition(".")
            if suffix not in ("py", "ipynb") or not dot:
                continue
            parts = stem.removesuffix("/__init__").split("/")
            for start in range(len(parts)):
                found.setdefault(".".join(parts[start:]), path)
        return found

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
        return "" if own and not callee.startswith("?.") else foreign

    def list_bases(self, path: str, name: str) -> tuple[str, ...]:
        """The bases of a class of a file, none if it has no such class."""
        return self._bound[path][0].get(name, ())

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
            return self._methods.get(member, ()), name
        inside = self.find_module(path, name)
        if inside is None:
            return (), name
        where, rest = inside
        found, foreign = self._find_local(where, rest or "default", depth + 1)
        if rest and not found and not foreign:
            # What a script hands on as a whole has the member, not the script.
            found, foreign = self._find_local(where, f"default.{rest}", depth + 1)
        return found or ((where, 0),), foreign

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
        if (path, head) in self._by_name:
            return self._by_name[path, head], ""
        known = names.get(head)
        if known is None or known == f"local:{head}":
            return (), ""
        return self._resolve(path, known + ("()" if made else "") + dot + rest, depth + 1)

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
            self.known.modules[key] = self._find_module(path, name)
        return self.known.modules[key]

    def _find_module(self, path: str, name: str) -> tuple[str, str] | None:
        if alias := _ALIAS.match(name):
            rooted = name[alias.end() :]
            homes = ("", "src/", f"{path.partition('/src/')[0]}/src/", f"{path.partition('/')[0]}/")
            tried = (self._find_script("", f"./{home}{rooted}") for home in homes)
            return next(filter(None, tried), None)
        if name.startswith(("./", "../")) or (name in (".", "..") and not path.endswith(".py")):
            return self._find_script(path, name)
        if name.startswith("."):
            dots = len(name) - len(name.lstrip("."))
            folder = path.split("/")[:-dots]
            parts = [*folder, *filter(None, name.lstrip(".").split("."))]
            least = len(folder)
        else:
            parts, least = name.split("."), 1
        for end in range(len(parts), max(least - 1, 0), -1):
            bare = ".".join(parts[:end])
            where = self._modules.get(bare)
            if where is not None and (where != path or name.startswith(".")):
                if "(" in bare or (end == 1 and not self._is_importable(path, where)):
                    continue
                return where, ".".join(parts[end:])
        return None

    def _is_importable(self, path: str, where: str) -> bool:
        """Whether a module's bare name may mean a file: one of a package means a library's."""
        folder = posixpath.dirname(where)
        inside = folder == "" or path.startswith((f"{folder}/", "."))
        return inside or where.endswith("/__init__.py") or f"{folder}/__init__.py" not in self.files

    def _find_script(self, path: str, name: str) -> tuple[str, str] | None:
        folder = posixpath.dirname(path)
        parts = name.split(".")
        for end in range(len(parts), 0, -1):
            bare = ".".join(parts[:end])
            if not bare.strip("./"):
                continue
            whole = posixpath.normpath(posixpath.join(folder, bare))
            stem = _SCRIPT.sub("", whole)
            source = _BUILT.sub(r"\1src/", stem)
            for suffix in _SUFFIXES:
                for candidate in (whole + suffix, stem + suffix, source + suffix):
                    if candidate in self.files:
                        return candidate, ".".join(parts[end:])
        return None

    @cached_property
    def edges(self) -> Mapping[Function, frozenset[Function]]:
        """Whom each function calls or hands on."""
        return {
            (path, number): targets
            for path, links in self._links.items()
            for number, targets in enumerate(links.edges)
        }

    @cached_property
    def _links(self) -> Mapping[str, FileLinks]:
        return {path: self._list_links(path, facts) for path, facts in self.files.items()}

    def _list_links(self, path: str, facts: FileFacts) -> FileLinks:
        known = self.known.links.get(path)
        if known is not None and known[0] is facts:
            return known[1]
        links = FileLinks(
            tuple(
                frozenset(self._list_targets(path, number, function))
                for number, function in enumerate(facts.functions)
            ),
            frozenset(self._iter_imported(path)),
            frozenset(self._list_handed(path)),
        )
        if known is None:
            self.known.links[path] = (facts, links)
        return links

    def _list_targets(self, path: str, number: int, function: FunctionFacts) -> Iterator[Function]:
        names = {*function.refers, *(call.callee for call in function.calls)}
        names |= {mark.callee for mark in function.marks}
        for name in names:
            yield from (one for one in self.resolve(path, name)[0] if one != (path, number))

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
        files = self._spread(self._begun) if self._begun else frozenset(self.files)
        while True:
            live = self._find_live(files)
            brought = {path for one in live for path in self._list_handing(one)} - files
            if not brought:
                return files, live
            files |= self._spread(brought)

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
        return self._links[path].imported

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
    def _begun(self) -> tuple[str, ...]:
        return tuple(self._list_started())

    def _list_started(self) -> Iterator[str]:
        imported = {other for path in self.files for other in self.list_imported(path)}
        for path, facts in self.files.items():
            named = path in self.started or any(
                self._modules.get(one.partition(":")[0]) == path for one in self.started
            )
            serves = any(_is_server(call) for call in facts.functions[0].calls)
            acts = path not in imported and _is_script(facts)
            if (
                facts.is_started
                or named
                or serves
                or acts
                or path.endswith("__main__.py")
                or _ROUTED.search(path)
                or (_STARTED.search(path) and len(facts.functions[0].calls) > 0)
                or (self.is_package and path.endswith("__init__.py"))
            ):
                yield path

    def _find_entries(self, files: frozenset[str]) -> frozenset[Function]:
        """Functions of some files that something outside of the repository calls."""
        found: set[Function] = set()
        for path in files:
            for number, function in enumerate(self.files[path].functions):
                # What is rendered is written as an element, and no call shows.
                rendered = path.endswith((".tsx", ".jsx")) and function.name[:1].isupper()
                served = function.parent <= 0 and (rendered or _ROUTED.search(path) is not None)
                if (
                    number == 0
                    or served
                    or any(self._is_foreign_mark(path, one) for one in function.marks)
                ):
                    found.add((path, number))
            found |= self._links[path].handed
        found |= {one for one in self._list_public(files) if self.get(one).name}
        # What is started may be called by name, by a server or a platform; and if nothing is, all
        # that stands here is there for others to call.
        found |= {
            (path, number)
            for path in self._begun or self.files
            for number, function in enumerate(self.files[path].functions)
            if function.parent <= 0 and not function.name.startswith("_")
        }
        return frozenset(found)

    def _list_handed(self, path: str) -> Iterator[Function]:
        """Own functions that a file hands to what is not its own."""
        for caller in self.files[path].functions:
            for call in caller.calls:
                if self.resolve(path, call.callee)[0]:
                    continue
                for tag in call.given:
                    if tag[:2] != "x:":
                        continue
                    if tag.startswith(("x:function:", "x:local:", "x:.")):
                        yield from self.resolve(path, tag[2:])[0]
                    yield from self.list_verb_methods(path, tag[2:])
                    yield from self.list_hooks(path, tag[2:])

    def _is_foreign_mark(self, path: str, mark: CallFact) -> bool:
        functions, foreign = self.resolve(path, mark.callee)
        return not functions and foreign.rpartition(".")[2] not in _PLAIN_MARKS

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
            files[path] = FileFacts(
                facts.language, kept, facts.imported, facts.variables, facts.classes,
                facts.is_started,
            )  # fmt: skip
        # Names stand for what they stood for, unless a file that they lead to is gone.
        return Program(files, self.started, self.is_package, Lookups() if paths else self.known)


_PLAIN_MARKS = frozenset(
    ("staticmethod", "classmethod", "property", "dataclass", "abstractmethod", "override", "wraps"
     , "lru_cache", "cache", "cached_property", "contextmanager", "overload", "total_ordering")
)  # fmt: skip
_SERVERS = re.compile(
    r"(?:^|[./])(?:FastAPI|Flask|Starlette|APIRouter|Blueprint|Typer|express|fastify|Hono|Koa|Celery"
    r"|Sanic|Quart|aiohttp\.web\.Application|run_app|listen|serve|createServer|Bot|App|mainloop"
    r"|ChatInterface|launch|uvicorn\.run|Router)(?:\(\))?(?:\.\w+)?$"
)


def _is_server(call: CallFact) -> bool:
    return _SERVERS.search(call.callee) is not None


def _is_script(facts: FileFacts) -> bool:
    """Whether the file's own statements do more than to define and to configure."""
    for call in facts.functions[0].calls:
        last = call.callee.rpartition(".")[2]
        if last in _CONFIGURING or call.callee.startswith(("local:", ".")):
            if call.callee.startswith("local:") and last not in _CONFIGURING:
                return True
            continue
        if last[:1].isupper() or call.callee.startswith(("os.environ", "pathlib", "re.")):
            continue
        return True
    return False


_CONFIGURING = frozenset(
    (
        *("getLogger", "addHandler", "setLevel", "setFormatter", "configure", "connect"),
        *("mkdir", "get_logger", "basicConfig", "compile", "getenv", "namedtuple", "TypeVar"),
        *("frozenset", "set", "dict", "tuple", "list", "timedelta", "field", "load_dotenv"),
        *("require", "Event", "Lock", "Path", "config", "str", "int", "float", "NewType"),
        *("environ", "get"),
    )
)


def _clear_function(function: FunctionFacts) -> FunctionFacts:
    return FunctionFacts(
        function.name, function.owner, function.parent, function.first, function.last,
        function.parameters, function.marks,
    )  # fmt: skip
