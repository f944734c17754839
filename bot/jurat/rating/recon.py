"""RECON: one walk of a worktree, which gives its signals and its inventory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from itertools import chain

from jurat.rating.attack import find_doubtful
from jurat.rating.behaviour_evidence import iter_behaviour_evidence, list_purposes
from jurat.rating.code.function_facts import FileFacts
from jurat.rating.program.program_settings import build_conduct
from jurat.rating.program.reach import Program
from jurat.rating.program.taking_in import LinkScreen, take_in
from jurat.rating.side_by_side import AskBoth, ask_in_turn
from jurat.rating.signals.evidence import Inventory, InventoryFile, Signal, SignalEvidence, Signals
from jurat.rating.signals.file_roles import Role, detect_role
from jurat.rating.signals.file_signs import FileReader, FileSigns, Memory
from jurat.rating.signals.recon_table import ProbeKey, SignalSource, load_recon_table
from jurat.rating.signals.worktree import FileEntry, Worktree
from jurat.rating.support import Support
from jurat.rating.text_evidence import collect_text_evidence
from jurat.source.languages import detect_language
from jurat.source.parsing import ParseMap, parse_in_process


@dataclass(frozen=True, slots=True)
class FirstLook:
    """Signals that are looked for before all others, and whether they decide all that is asked.

    `suffices` is asked again as more is seen. Once it says no, everything is looked for, and at
    what functions do: so too if there are no more files of code than `few`.
    """

    signals: frozenset[str]
    suffices: Callable[[Signals, Inventory], bool]
    few: int = 0


SignalMemory = MutableMapping[str, Signals]
"""What whole worktrees showed, by digests of all that was read of each."""


def scan_worktree(
    worktree: Worktree,
    parse_map: ParseMap = parse_in_process,
    memory: Memory | None = None,
    first_look: FirstLook | None = None,
    ask_both: AskBoth = ask_in_turn,
    *,
    known: SignalMemory | None = None,
) -> tuple[Signals, Inventory]:
    """The signals of a worktree and what it holds. Every file is read once at most.

    A file whose digest is known in `memory` is not read at all. One that cannot be read or parsed
    is `unread` in the inventory and shows nothing. With `first_look` there are its signals alone if
    those suffice. What the same files showed as a whole stands in `known`, or is put there.
    """
    reader = FileReader(worktree, parse_map, {} if memory is None else memory)
    if first_look is not None and (screened := _look_first(worktree, reader, first_look)):
        return screened
    roles = {entry: detect_role(entry.path) for entry in worktree.entries}
    signs = reader.collect(roles)
    taken_in = take_in(worktree, roles, signs, reader.collect, _list_known_facts)
    inventory = _build_inventory(worktree, roles, signs, taken_in)
    signs = {path: FileSigns() if sign.generated else sign for path, sign in signs.items()}
    if known is None:
        return _build_signals(inventory.files, signs, ask_both), inventory
    digest = _digest_seen(reader.digest_contents(roles), inventory)
    if digest not in known:
        known[digest] = _build_signals(inventory.files, signs, ask_both)
    return known[digest], inventory


def _digest_seen(contents: str, inventory: Inventory) -> str:
    """SHA-256 of all from which signals follow: what could not be read may be read another time."""
    said = repr((contents, inventory.unread, inventory.taken_in))
    return sha256(said.encode("utf-8", "surrogateescape")).hexdigest()


def _look_first(
    worktree: Worktree, reader: FileReader, first_look: FirstLook
) -> tuple[Signals, Inventory] | None:
    """What a first look found, None if it does not suffice."""
    roles = {entry: detect_role(entry.path) for entry in worktree.entries}
    if sum(role is Role.CODE for role in roles.values()) <= first_look.few:
        return None
    signs: dict[str, FileSigns] = {}
    among = first_look.signals

    def sum_up(taken_in: frozenset[str]) -> tuple[Signals, Inventory]:
        seen = {entry: role for entry, role in roles.items() if entry.path in signs}
        inventory = _build_inventory(worktree, seen, signs, taken_in)
        return _build_screened(inventory.files, signs, among), inventory

    for part in reader.screen(roles, among):
        signs |= part
        # Of the first files few may be code: how many there are is asked of all of them.
        if not first_look.suffices(*sum_up(frozenset())):
            return None
    taken_in = take_in(
        worktree,
        roles,
        signs,
        lambda wanted: {p: one for part in reader.screen(wanted, among) for p, one in part.items()},
        partial(_list_leading_facts, reader, {}),
    )
    signals, inventory = sum_up(taken_in)
    is_enough = len(inventory.list_files(Role.CODE)) > first_look.few
    return (signals, inventory) if is_enough and first_look.suffices(signals, inventory) else None


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
    files: Collection[InventoryFile], signs: Mapping[str, FileSigns], among: frozenset[str]
) -> Signals:
    """Some signals alone. Nobody looked into what supports their evidence."""
    sources = [source for source in load_recon_table().signals if source.name in among]
    counted = {path: FileSigns() if sign.generated else sign for path, sign in signs.items()}
    found = collect_text_evidence(sources, files, counted)
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


def _explain_left_out(file: InventoryFile, signs: Mapping[str, FileSigns]) -> str:
    if file.role is Role.EXAMPLE:
        return "a sample or a fixture"
    sign = signs[file.path]
    if sign.minified:
        return "minified"
    return "its first lines say that a program wrote it" if sign.generated else ""


def _build_signals(
    files: Collection[InventoryFile], signs: Mapping[str, FileSigns], ask_both: AskBoth
) -> Signals:
    """All signals, with what supports each line of evidence looked into."""
    sources = load_recon_table().signals
    conduct = build_conduct(files, signs)
    pages = {path: sign.page for path, sign in signs.items() if sign.page is not None}
    support = Support(conduct, pages)
    found = collect_text_evidence(sources, files, signs)
    doubts, purposes = find_doubtful(
        conduct, support.signs, ask_both, partial(list_purposes, support)
    )
    for key, evidence in iter_behaviour_evidence(sources, support, signs, doubts, purposes):
        found[key].append(evidence)
    held: dict[ProbeKey, list[SignalEvidence]] = {}
    for source in sources:
        for number in range(len(source.probes)):
            key = source.name, number
            found[key] = [
                replace(item, doubt=support.explain_doubt(source, conduct.roles[item.path], item))
                for item in found[key]
            ]
            held[key] = [item for item in found[key] if not item.doubt]
    # Among all that the pages of a large program say, an account in passing tells of no model.
    of_pages = frozenset() if conduct.is_small else _OF_PAGES
    return Signals(
        {s.name: _build_signal(s, held if s.name in of_pages else found) for s in sources},
        {source.name: _build_signal(source, held) for source in sources},
    )


_OF_PAGES = frozenset(("system_account",))
"""Signals by which pages alone make a program a system with a model."""


def _build_signal(
    source: SignalSource, found: Mapping[ProbeKey, Sequence[SignalEvidence]]
) -> Signal:
    by_probe = [found.get((source.name, number), ()) for number in range(len(source.probes))]
    weights = (probe.weight for probe, held in zip(source.probes, by_probe, strict=True) if held)
    strength = min(1.0, round(sum(weights), 6))
    return Signal(source.name, strength, tuple(chain.from_iterable(by_probe)))
