"""RECON: one walk of a worktree, which gives its signals and its inventory."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from jurat.rating.attack import find_doubtful
from jurat.rating.behaviour import Sign
from jurat.rating.conduct import Conduct
from jurat.rating.evidence import (
    Inventory,
    InventoryFile,
    Signal,
    SignalEvidence,
    Signals,
    is_of_one_thing,
)
from jurat.rating.fields import find_stated_fields
from jurat.rating.file_reader import FOLLOWED
from jurat.rating.file_roles import Role, detect_role
from jurat.rating.file_signs import FileReader, FileSigns, Memory
from jurat.rating.function_facts import FileFacts
from jurat.rating.purpose import find_purposes
from jurat.rating.reach import Program
from jurat.rating.recon_table import ReconTable, SignalSource, load_recon_table
from jurat.rating.side_by_side import AskBoth, ask_in_turn
from jurat.rating.sightings import cut_line
from jurat.rating.support import HOLLOW, IN_PASSING, OF_PART, UNUSED, Support
from jurat.rating.surroundings import is_small
from jurat.rating.taking_in import LinkScreen, take_in
from jurat.rating.worktree import FileEntry, Worktree
from jurat.source.languages import detect_language
from jurat.source.parsing import ParseMap, parse_in_process
from jurat.source.paths import match_glob


@dataclass(frozen=True, slots=True)
class FirstLook:
    """Signals that are looked for before all others, and whether they decide all that is asked.

    `suffices` is asked again as more is seen. Once it says no, everything is looked for, and at
    what functions do.
    """

    signals: frozenset[str]
    suffices: Callable[[Signals, Inventory], bool]


def scan_worktree(
    worktree: Worktree,
    parse_map: ParseMap = parse_in_process,
    memory: Memory | None = None,
    first_look: FirstLook | None = None,
    ask_both: AskBoth = ask_in_turn,
) -> tuple[Signals, Inventory]:
    """The signals of a worktree and what it holds. Every file is read once at most.

    A file whose digest is known in `memory` is not read at all. One that cannot be read or parsed
    is `unread` in the inventory and shows nothing. With `first_look` there are its signals alone if
    those suffice.
    """
    reader = FileReader(worktree, parse_map, {} if memory is None else memory)
    if first_look is not None and (screened := _look_first(worktree, reader, first_look)):
        return screened
    roles = {entry: detect_role(entry.path) for entry in worktree.entries}
    signs = reader.collect(roles)
    taken_in = take_in(worktree, roles, signs, reader.collect, _list_known_facts)
    inventory = _build_inventory(worktree, roles, signs, taken_in)
    signs = {path: FileSigns() if sign.generated else sign for path, sign in signs.items()}
    support = _build_support(inventory.files, signs)
    return _build_signals(load_recon_table(), inventory.files, signs, support, ask_both), inventory


def _look_first(
    worktree: Worktree, reader: FileReader, first_look: FirstLook
) -> tuple[Signals, Inventory] | None:
    """What a first look found, None if it does not suffice."""
    roles = {entry: detect_role(entry.path) for entry in worktree.entries}
    signs: dict[str, FileSigns] = {}
    among = first_look.signals

    def sum_up(taken_in: frozenset[str]) -> tuple[Signals, Inventory]:
        seen = {entry: role for entry, role in roles.items() if entry.path in signs}
        inventory = _build_inventory(worktree, seen, signs, taken_in)
        return _build_screened(inventory.files, signs, among), inventory

    for part in reader.screen(roles, among):
        signs |= part
        if not first_look.suffices(*sum_up(frozenset())):
            return None
    taken_in = take_in(
        worktree,
        roles,
        signs,
        lambda wanted: {p: one for part in reader.screen(wanted, among) for p, one in part.items()},
        partial(_list_leading_facts, reader, {}),
    )
    found = sum_up(taken_in)
    return found if first_look.suffices(*found) else None


def _list_known_facts(product: Mapping[str, FileSigns], _: Program) -> dict[str, FileFacts]:
    return {path: sign.facts for path, sign in product.items() if sign.facts}


def _list_leading_facts(
    reader: FileReader,
    read: dict[str, FileFacts],
    product: Mapping[str, FileSigns],
    known: Program,
) -> dict[str, FileFacts]:
    """The facts of those product files that may lead to others; `read` keeps them for later."""
    screen = LinkScreen(known, product)
    leading = {p: one for p, one in product.items() if screen.may_lead(one.unpack())}
    read |= reader.read_functions({p: one for p, one in leading.items() if p not in read})
    return {path: read[path] for path in leading if path in read}


def _build_screened(
    files: Iterable[InventoryFile], signs: Mapping[str, FileSigns], among: frozenset[str]
) -> Signals:
    """Some signals alone. Nobody looked into what supports their evidence."""
    sources = [source for source in load_recon_table().signals if source.name in among]
    counted = {path: FileSigns() if sign.generated else sign for path, sign in signs.items()}
    found = _collect_evidence(sources, files, counted)
    signals = {source.name: _build_signal(source, found) for source in sources}
    return Signals(signals, signals)


def _build_inventory(
    worktree: Worktree,
    roles: Mapping[FileEntry, Role],
    signs: Mapping[str, FileSigns],
    taken_in: frozenset[str],
) -> Inventory:
    files = tuple(
        InventoryFile(
            entry.path,
            Role.OTHER if signs[entry.path].generated else role,
            detect_language(entry.path),
            entry.size,
            signs[entry.path].lines,
            signs[entry.path].unread,
        )
        for entry, role in roles.items()
    )
    left_out = (
        *(one for one in worktree.left_out if one[0] not in taken_in),
        *((file.path, reason) for file in files if (reason := _explain_left_out(file, signs))),
    )
    return Inventory(files, left_out, tuple(worktree.unseen), tuple(sorted(taken_in)))


_STARTING = re.compile(
    r"(?:^|/)(?:pyproject\.toml|setup\.(?:py|cfg)|package\.json|Procfile|Dockerfile|Makefile"
    r"|[^/]*compose[^/]*\.ya?ml|[^/]+\.ya?ml|serverless\.ts)$"
)
_HANDLER = re.compile(r"[Hh]andler\"?\s*[:=]\s*\"?([\w./-]+)\.\w+$")
"""A function in a module that settings of a platform name: the module starts."""
_PACKAGES = re.compile(r"(?:^|/)(?:pyproject\.toml|setup\.py|setup\.cfg)$")


def _explain_left_out(file: InventoryFile, signs: Mapping[str, FileSigns]) -> str:
    if file.role is Role.EXAMPLE:
        return "a sample or a fixture"
    sign = signs[file.path]
    if sign.minified:
        return "minified"
    return "its first lines say that a program wrote it" if sign.generated else ""


def _build_support(files: Iterable[InventoryFile], signs: Mapping[str, FileSigns]) -> Support:
    facts = {path: sign.facts for path, sign in signs.items() if sign.facts is not None}
    started = {
        _HANDLER.sub(r"\1.py", one).removeprefix("-m").strip().removeprefix("./")
        for path, sign in signs.items()
        if _STARTING.search(path)
        for one in sign.starts
    }
    is_package = any(_PACKAGES.search(path) for path in signs)
    roles = {file.path: file.role for file in files}
    pages = {path: sign.page for path, sign in signs.items() if sign.page is not None}
    program = Program(facts, frozenset(started), is_package)
    conduct = Conduct(program, roles, _list_timed(program, signs))
    return Support(conduct, pages)


_CLOCK = re.compile(r"(?:^|/)crontab[^/]*$|\.(?:cron|crontab|timer)$")


def _list_timed(program: Program, signs: Mapping[str, FileSigns]) -> frozenset[str]:
    """The files that a schedule starts: a crontab, a timer, a workflow that a clock runs."""
    named = [
        one
        for path, sign in signs.items()
        if _CLOCK.search(path) or any(start.startswith("cron") for start in sign.starts)
        for one in sign.starts
    ]
    found = set()
    for one in named:
        module = one.removeprefix("-m").strip()
        inside = program.find_module("", module)
        found |= {inside[0]} if inside else set()
        found |= {path for path in program.files if module.endswith(posixpath.basename(path))}
    return frozenset(found)


_LONG_PAGE = 150
"""Lines of a page from which on anything is said somewhere."""


def _collect_evidence(
    sources: Iterable[SignalSource],
    files: Iterable[InventoryFile],
    signs: Mapping[str, FileSigns],
) -> defaultdict[tuple[str, int], list[SignalEvidence]]:
    """The lines of each probe that text alone shows, and files that show by their name."""
    found: defaultdict[tuple[str, int], list[SignalEvidence]] = defaultdict(list)
    files = tuple(files)
    globs = [
        (source.name, number, probe)
        for source in sources
        for number, probe in enumerate(source.probes)
        if probe.files
    ]
    apart = {
        (source.name, number)
        for source in sources
        for number, probe in enumerate(source.probes)
        if probe.names_alone
    }
    loaded = _list_loaded(signs)
    unseen = {
        path for path in _list_pages(files) if not _is_public(path, loaded | _list_served(signs))
    }
    folders = {posixpath.dirname(file.path) for file in files if file.role is Role.CODE}
    is_small = is_of_one_thing(file.lines for file in files if file.role is Role.CODE)
    for file in files:
        sign = signs[file.path]
        is_of_part = _is_inner(posixpath.dirname(file.path), folders)
        for name, number, probe in globs if file.size else ():
            if file.role in probe.within and any(match_glob(g, file.path) for g in probe.files):
                found[name, number].append(
                    SignalEvidence(file.path, 1, sign.first_line, number, kind="files")
                )
        spans = _list_spans(sign.facts)
        is_loaded = file.role is not Role.SETTINGS or posixpath.basename(file.path) in loaded
        for name, number, line, snippet, first, last, kind, said, holds in sign.sightings:
            if not first:
                first, last = next((s for s in spans if s[0] <= line <= s[1]), (0, 0))  # noqa: PLW2901
            if (name, number) in apart and file.language in FOLLOWED:
                continue
            if kind == "prompts" and not is_loaded:
                continue  # what settings keep for a model that nobody hands to one
            doubt = UNUSED if file.path in unseen else "" if holds else HOLLOW
            if kind == "documents" and is_of_part:
                doubt = doubt or OF_PART
            if kind == "documents" and said and not _is_headed(sign, name, line):
                is_about_it = is_small and sign.lines <= _LONG_PAGE
                doubt = doubt or ("" if is_about_it else IN_PASSING)
            found[name, number].append(
                SignalEvidence(
                    file.path, line, snippet, number, first, last, kind, said, doubt=doubt
                )
            )
    return found


def _is_inner(folder: str, folders: Collection[str]) -> bool:
    """Whether a folder of code stands in another one: its pages tell of a part of the product."""
    around = posixpath.dirname(folder)
    return bool(around) and folder in folders and around in folders


def _is_headed(sign: FileSigns, name: str, line: int) -> bool:
    """Whether an account stands under a heading that says so, or has one in its own section."""
    headings = [
        one.line
        for one in sign.sightings
        if (one.signal, one.kind) == (name, "documents") and not one.said
    ]
    sections = sign.page.sections if sign.page is not None else ()
    return any(
        part.first in (heading, line)
        and part.first <= min(heading, line)
        and max(heading, line) <= part.last
        for heading in headings
        for part in sections
    )


def _list_pages(files: Iterable[InventoryFile]) -> list[str]:
    return [file.path for file in files if file.role is Role.PAGE]


_SERVED = re.compile(
    r"(?:^|/)(?:public|static|www|htdocs|wwwroot|dist|assets)/|(?:^|/)index\.html?$"
)


def _is_public(path: str, loaded: frozenset[str]) -> bool:
    """Whether a page is one that code or another page names, or that is served where it stands."""
    name = posixpath.basename(path)
    return _SERVED.search(path) is not None or name in loaded or name.partition(".")[0] in loaded


def _list_served(signs: Mapping[str, FileSigns]) -> frozenset[str]:
    """The names by which pages are rendered without an ending, or taken in by other pages."""
    named = {posixpath.basename(one) for sign in signs.values() for one in sign.starts}
    rendered = {
        posixpath.basename(tag[2:])
        for sign in signs.values()
        for function in (sign.facts.functions if sign.facts else ())
        for call in function.calls
        if call.callee.rpartition(".")[2] in ("render", "view", "renderFile", "render_template")
        for tag in call.given
        if tag[:2] == "t:" and " " not in tag
    }
    return frozenset(named | rendered)


def _list_loaded(signs: Mapping[str, FileSigns]) -> frozenset[str]:
    """The names of files that code names."""
    return frozenset(
        posixpath.basename(text)
        for sign in signs.values()
        for function in (sign.facts.functions if sign.facts else ())
        for text in function.says
        if "." in text and " " not in text
    )


def _build_signals(
    table: ReconTable,
    files: Iterable[InventoryFile],
    signs: Mapping[str, FileSigns],
    support: Support,
    ask_both: AskBoth,
) -> Signals:
    found = _collect_evidence(table.signals, files, signs)
    doubts = find_doubtful(support.conduct, support.signs, ask_both)
    _add_behaviours(table, support, signs, doubts, found)
    roles = support.conduct.roles
    held: defaultdict[tuple[str, int], list[SignalEvidence]] = defaultdict(list)
    for source in table.signals:
        for number in range(len(source.probes)):
            marked = [
                replace(item, doubt=support.explain_doubt(source, roles[item.path], item))
                for item in found.get((source.name, number), ())
            ]
            found[source.name, number] = marked
            held[source.name, number] = [item for item in marked if not item.doubt]
    return Signals(
        {source.name: _build_signal(source, found) for source in table.signals},
        {source.name: _build_signal(source, held) for source in table.signals},
    )


def _list_spans(facts: FileFacts | None) -> list[tuple[int, int]]:
    """The lines of a file's functions, the innermost first: a function need not have a name."""
    functions = facts.functions if facts else ()
    return sorted(((f.first, f.last) for f in functions if f.first), key=lambda s: s[1] - s[0])


def _add_behaviours(
    table: ReconTable,
    support: Support,
    signs: Mapping[str, FileSigns],
    doubts: Mapping[Sign, str],
    found: Mapping[tuple[str, int], list[SignalEvidence]],
) -> None:
    small = is_small(support.conduct)  # of a large program no page is read for what it is for
    said = (line for page in support.pages.values() for line in page.list_lines())
    pages = " ".join(said).lower() if small else ""
    seen = (*support.signs, *find_purposes(support.conduct, pages))
    wanted: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for source in table.signals:
        for number, probe in enumerate(source.probes):
            for behaviour in probe.behaviours:
                wanted[behaviour].append((source.name, number))
    at: defaultdict[str, set[int]] = defaultdict(set)
    for one in seen:
        at[one.function[0]].add(one.line)
    snippets = {
        (path, line): _show_line(lines, line)
        for path, wanted_lines in at.items()
        for lines in (signs[path].unpack().split("\n"),)
        for line in wanted_lines
    }
    for one in seen:
        function = support.conduct.facts(one.function)
        path = one.function[0]
        for key in wanted[one.behaviour]:
            found[key].append(
                SignalEvidence(
                    path, one.line, snippets[path, one.line], key[1], function.first,
                    function.last, "behaviours", one.behaviour,
                    _list_places(support, one), doubts.get(one, ""),
                )
            )  # fmt: skip
    _add_stated_purposes(table, support, found)


_FRONT = re.compile(r"README(?:\.\w+)?", re.IGNORECASE)
"""The page on which a maker says what a system is for: by law that is its purpose."""


def _add_stated_purposes(
    table: ReconTable, support: Support, found: Mapping[tuple[str, int], list[SignalEvidence]]
) -> None:
    """The fields of use that the front page tells: they classify, and prove nothing."""
    for path, page in support.pages.items():
        if not (_FRONT.fullmatch(path) and page.sections):
            continue
        lines = page.list_lines()
        stated = {f"decided_{name}" for name in find_stated_fields(" ".join(lines).lower())}
        first = next((line for line in lines if line.strip()), "")
        for source in table.signals if stated else ():
            for number, probe in enumerate(source.probes):
                if stated & set(probe.behaviours):
                    found[source.name, number].append(
                        SignalEvidence(path, 1, cut_line(first), number, kind="documents")
                    )


def _list_places(support: Support, sign: Sign) -> tuple[tuple[str, int], ...]:
    """Where the functions begin that carry a sign, but for the one that shows it."""
    others = sorted(sign.carriers - {sign.function})
    places = ((path, support.conduct.facts((path, number)).first) for path, number in others)
    return tuple((path, line) for path, line in places if line)


def _show_line(lines: Sequence[str], line: int) -> str:
    """A line as evidence shows it, "" if there is none."""
    return cut_line(lines[line - 1]) if 0 < line <= len(lines) else ""


def _build_signal(
    source: SignalSource, found: Mapping[tuple[str, int], Sequence[SignalEvidence]]
) -> Signal:
    by_probe = [found.get((source.name, number), ()) for number in range(len(source.probes))]
    weights = (probe.weight for probe, held in zip(source.probes, by_probe, strict=True) if held)
    strength = min(1.0, round(sum(weights), 6))
    return Signal(source.name, strength, tuple(chain.from_iterable(by_probe)))
