"""RECON: one walk of a worktree, which gives its signals and its inventory."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha1
from itertools import chain
from typing import NamedTuple
from zlib import compress, decompress

from jurat.rating.attack import find_doubtful
from jurat.rating.behaviour import Conduct, Sign
from jurat.rating.document_facts import DocumentFacts, read_document
from jurat.rating.evidence import Inventory, InventoryFile, Signal, SignalEvidence, Signals
from jurat.rating.file_reader import FOLLOWED, read_facts
from jurat.rating.file_roles import Role, detect_grammar, detect_role, has_generated_marker
from jurat.rating.function_facts import FileFacts, FunctionFacts
from jurat.rating.reach import Program
from jurat.rating.recon_table import ReconTable, SignalSource, load_recon_table
from jurat.rating.sightings import SNIPPET, Sighting, SourceFile, find_sightings
from jurat.rating.support import HOLLOW, Support
from jurat.rating.worktree import FILE_LIMIT, FileEntry, Worktree
from jurat.source.languages import detect_language
from jurat.source.parsing import ParseFailure, ParseMap, parse_in_process
from jurat.source.paths import match_glob

_AT_ONCE = 256
"""Texts that are held in memory for one call of the ParseMap: at most 256 MB, commonly 2."""


_SAMPLE = 8_000
"""Bytes in which git looks for a NUL."""
_MINIFIED = 20_000
"""Characters of a line of code that no person wrote."""
_DATA = 200_000
"""Bytes beyond which a file in a format of settings is data."""


@dataclass(frozen=True, slots=True)
class FileSigns:
    """What was found in one content: its sightings and its size in lines, or why it was not read.

    `generated` says that its first lines name a program as its author, and nothing counts. `facts`
    are what its functions do, if its language is followed; `page` what a document says; `starts`
    what settings name as programs.
    """

    sightings: tuple[Sighting, ...] = ()
    first_line: str = ""
    lines: int = 0
    unread: str | None = None
    generated: bool = False
    facts: FileFacts | None = None
    page: DocumentFacts | None = None
    starts: tuple[str, ...] = ()
    packed: bytes = b""
    minified: bool = False

    def unpack_lines(self) -> list[str]:
        """The lines of a file whose functions are known. All are unpacked: ask once for a file."""
        # Packed, not read again: what stands in a worktree may have changed since.
        return decompress(self.packed).decode("utf-8").split("\n") if self.packed else []


class _SeenText(NamedTuple):
    """What a worker sees of one text."""

    sightings: tuple[Sighting, ...]
    facts: FileFacts | None = None
    page: DocumentFacts | None = None
    starts: tuple[str, ...] = ()


_Key = tuple[str, Role, str | None]

Memory = MutableMapping[_Key, FileSigns]
"""What each content showed, by its digest, role and language: base and head may share one."""


class _WaitingFile(NamedTuple):
    path: str
    key: _Key
    source: SourceFile


def scan_worktree(
    worktree: Worktree, parse_map: ParseMap = parse_in_process, memory: Memory | None = None
) -> tuple[Signals, Inventory]:
    """The signals of a worktree and what it holds. Every file is read once at most.

    A file whose digest is known in `memory` is not read at all. One that cannot be read or parsed
    is `unread` in the inventory and shows nothing.
    """
    known = {} if memory is None else memory
    roles = {entry: detect_role(entry.path) for entry in worktree.entries}
    signs = _collect_signs(worktree, roles, parse_map, known)
    taken_in = _take_in(worktree, roles, signs, parse_map, known)
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
    inventory = Inventory(files, left_out, tuple(worktree.unseen), tuple(sorted(taken_in)))
    signs = {path: FileSigns() if sign.generated else sign for path, sign in signs.items()}
    support = _build_support(files, signs)
    return _build_signals(load_recon_table(), files, signs, support), inventory


_STARTING = re.compile(
    r"(?:^|/)(?:pyproject\.toml|setup\.(?:py|cfg)|package\.json|Procfile|Dockerfile|Makefile"
    r"|[^/]*compose[^/]*\.ya?ml|[^/]+\.ya?ml|serverless\.ts)$"
)
_STARTED = re.compile(r"[\w./-]+\.(?:py|[cm]?[jt]sx?)\b|\b[\w.]+:\w+|-m\s+[\w.]+")
_PACKAGES = re.compile(r"(?:^|/)(?:pyproject\.toml|setup\.py|setup\.cfg)$")


_ROUNDS = 4
"""Steps by which product code may lead into what was left out."""


def _take_in(
    worktree: Worktree,
    roles: dict[FileEntry, Role],
    signs: dict[str, FileSigns],
    parse_map: ParseMap,
    known: Memory,
) -> frozenset[str]:
    """What the product imports of samples, vendored and generated files becomes product code."""
    apart = [entry for entry, role in roles.items() if role is Role.EXAMPLE]
    candidates = {entry.path: entry for entry in (*apart, *worktree.foreign)}
    candidates |= {entry.path: entry for entry in roles if signs[entry.path].generated}
    candidates = {p: e for p, e in candidates.items() if detect_grammar(p) in FOLLOWED}
    taken: set[str] = set()
    for _ in range(_ROUNDS if candidates else 0):
        facts = {
            entry.path: sign.facts
            for entry, role in roles.items()
            if role is Role.CODE and (sign := signs[entry.path]).facts and not sign.generated
        }
        apart_facts = {path: _NO_FACTS for path in candidates if path not in facts}
        program = Program({**apart_facts, **facts})
        found = {other for path in facts for other in program.list_imported(path)}
        found &= set(candidates)
        if not found - taken:
            break
        wanted = {candidates[path]: Role.CODE for path in found - taken}
        looked = _collect_signs(worktree, wanted, parse_map, known)
        roles.update(wanted)
        signs.update({path: replace(sign, generated=False) for path, sign in looked.items()})
        taken |= found
    return frozenset(taken)


_NO_FACTS = FileFacts("python", (FunctionFacts(""),))


def _explain_left_out(file: InventoryFile, signs: Mapping[str, FileSigns]) -> str:
    if file.role is Role.EXAMPLE:
        return "a sample or a fixture"
    sign = signs[file.path]
    if sign.minified:
        return "minified"
    return "its first lines say that a program wrote it" if sign.generated else ""


def look_into(source: SourceFile) -> _SeenText:
    """What a text shows, and what its functions do. A plain function for a ParseMap."""
    sightings = find_sightings(source)
    if source.role is Role.DOCUMENT:
        return _SeenText(sightings, page=read_document(source.text))
    if source.role is Role.SETTINGS:
        return _SeenText(
            sightings, starts=tuple(dict.fromkeys(_STARTED.findall(source.text[:_SAMPLE])))
        )
    if source.role in (Role.CODE, Role.TEST) and source.language in FOLLOWED:
        return _SeenText(sightings, read_facts(source.text, source.language))
    return _SeenText(sightings)


def _build_support(files: Iterable[InventoryFile], signs: Mapping[str, FileSigns]) -> Support:
    facts = {path: sign.facts for path, sign in signs.items() if sign.facts is not None}
    started = {
        one.removeprefix("-m").strip().removeprefix("./")
        for path, sign in signs.items()
        if _STARTING.search(path)
        for one in sign.starts
    }
    is_package = any(_PACKAGES.search(path) for path in signs)
    roles = {file.path: file.role for file in files}
    pages = {path: sign.page for path, sign in signs.items() if sign.page is not None}
    conduct = Conduct(Program(facts, frozenset(started), is_package), roles)
    return Support(conduct, pages)


def _collect_signs(
    worktree: Worktree, roles: Mapping[FileEntry, Role], parse_map: ParseMap, known: Memory
) -> dict[str, FileSigns]:
    """What each path shows: from memory, or from what is read now."""
    signs: dict[str, FileSigns] = {}
    waiting: list[_WaitingFile] = []
    for entry, role in roles.items():
        if not role.is_read or (role is Role.SETTINGS and entry.size > _DATA):
            signs[entry.path] = FileSigns()
            continue
        language = detect_grammar(entry.path)
        if role is Role.CODE and language is None:
            signs[entry.path] = FileSigns(unread="its language is not read")
            continue
        key = (entry.digest, role, language)
        if not entry.digest or key not in known:
            read = _read_entry(worktree, entry, role)
            if isinstance(read, FileSigns):
                signs[entry.path] = read
                continue
            text, digest = read
            key = (entry.digest or digest, role, language)
        if key in known:
            signs[entry.path] = known[key]
            continue
        if role is Role.CODE and _is_minified(text):
            # No person reads it, and every look at a line of it takes as long as the line.
            signs[entry.path] = known[key] = FileSigns(generated=True, minified=True)
            continue
        waiting.append(_WaitingFile(entry.path, key, SourceFile(text, language, role)))
        # In portions: a whole repository's texts would be held in memory at once.
        if len(waiting) == _AT_ONCE:
            _parse_waiting(waiting, parse_map, known, signs)
    _parse_waiting(waiting, parse_map, known, signs)
    return signs


def _is_minified(text: str) -> bool:
    longest = max(map(len, text.split("\n")))
    return longest > _MINIFIED or (longest > 1_000 and len(text) > 300 * (text.count("\n") + 1))


def _read_entry(worktree: Worktree, entry: FileEntry, role: Role) -> tuple[str, str] | FileSigns:
    """A file's text and digest, or why there is none to look at."""
    if entry.size > FILE_LIMIT:
        return FileSigns(unread=f"larger than {FILE_LIMIT:,} bytes")
    try:
        data = worktree.read(entry)
    except OSError as error:
        return FileSigns(unread=f"cannot be read: {error.strerror or type(error).__name__}")
    if len(data) > FILE_LIMIT:
        return FileSigns(unread=f"larger than {FILE_LIMIT:,} bytes")
    if b"\0" in data[:_SAMPLE]:
        # As git tells a binary file. Code may hold a NUL and run, so that it is not passed over.
        speaks = role in (Role.CODE, Role.PROMPT)
        return FileSigns(unread="holds NUL bytes: is no UTF-8 text" if speaks else None)
    digest = sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
    return data.decode("utf-8-sig", "replace"), digest


def _parse_waiting(
    waiting: list[_WaitingFile], parse_map: ParseMap, known: Memory, signs: dict[str, FileSigns]
) -> None:
    results = parse_map(look_into, [source for _, _, source in waiting])
    for (path, key, source), result in zip(waiting, results, strict=True):
        if isinstance(result, ParseFailure):
            # Not remembered: a deadline that was missed once may be met the next time.
            signs[path] = FileSigns(unread=result.reason)
            continue
        generated = has_generated_marker(source.text[:1_000])
        first = next((line for line in source.text[:2_000].split("\n") if line.strip()), "")
        signs[path] = known[key] = FileSigns(
            result.sightings,
            first.strip()[:SNIPPET],
            source.text.count("\n") + 1,
            generated=generated,
            facts=result.facts,
            page=result.page,
            starts=result.starts,
            packed=compress(source.text.encode("utf-8", "replace"), 1) if result.facts else b"",
        )
    waiting.clear()


def _build_signals(
    table: ReconTable,
    files: Iterable[InventoryFile],
    signs: Mapping[str, FileSigns],
    support: Support,
) -> Signals:
    found: defaultdict[tuple[str, int], list[SignalEvidence]] = defaultdict(list)
    globs = [
        (source.name, number, probe)
        for source in table.signals
        for number, probe in enumerate(source.probes)
        if probe.files
    ]
    for file in files:
        sign = signs[file.path]
        for name, number, probe in globs if file.size else ():
            if file.role in probe.within and any(match_glob(g, file.path) for g in probe.files):
                found[name, number].append(
                    SignalEvidence(file.path, 1, sign.first_line, number, kind="files")
                )
        for name, number, line, snippet, first, last, kind, said, holds in sign.sightings:
            doubt = "" if holds else HOLLOW
            found[name, number].append(
                SignalEvidence(
                    file.path, line, snippet, number, first, last, kind, said, doubt=doubt
                )
            )
    _add_behaviours(table, support, signs, found)
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


def _add_behaviours(
    table: ReconTable,
    support: Support,
    signs: Mapping[str, FileSigns],
    found: Mapping[tuple[str, int], list[SignalEvidence]],
) -> None:
    seen = support.signs
    doubts = find_doubtful(support.conduct, seen)
    wanted: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for source in table.signals:
        for number, probe in enumerate(source.probes):
            for behaviour in probe.behaviours:
                wanted[behaviour].append((source.name, number))
    at: defaultdict[str, set[int]] = defaultdict(set)
    for one in seen:
        at[one.function[0]].add(one.line)
    snippets = {
        (path, line): _cut_line(lines, line)
        for path, wanted_lines in at.items()
        for lines in (signs[path].unpack_lines(),)
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


def _list_places(support: Support, sign: Sign) -> tuple[tuple[str, int], ...]:
    """Where the functions begin that carry a sign, but for the one that shows it."""
    others = sorted(sign.carriers - {sign.function})
    places = ((path, support.conduct.facts((path, number)).first) for path, number in others)
    return tuple((path, line) for path, line in places if line)


def _cut_line(lines: Sequence[str], line: int) -> str:
    """A line as evidence shows it, "" if there is none."""
    return lines[line - 1].strip()[:SNIPPET] if 0 < line <= len(lines) else ""


def _build_signal(
    source: SignalSource, found: Mapping[tuple[str, int], Sequence[SignalEvidence]]
) -> Signal:
    by_probe = [found.get((source.name, number), ()) for number in range(len(source.probes))]
    weights = (probe.weight for probe, held in zip(source.probes, by_probe, strict=True) if held)
    strength = min(1.0, round(sum(weights), 6))
    return Signal(source.name, strength, tuple(chain.from_iterable(by_probe)))
