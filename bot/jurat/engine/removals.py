"""Safeguards that a change took away: matched in the base, gone from the head.

A guard is missed only if what it guarded is still there, and nothing has taken its place: the same
code in a function that is called instead, another match of the same rule around it, or a line that
reads like its successor (successors.py).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ast_grep_py import SgNode

from jurat.engine.baseline import LineMap, Occurrence, squeeze
from jurat.engine.file_matches import FilePart, NodeMatch
from jurat.engine.guard_places import (
    GuardedCode,
    HeadPart,
    blank_idle_text,
    find_guarded_name,
    find_route,
    find_router,
    is_around,
    is_same_router,
)
from jurat.engine.regexes import shorten
from jurat.engine.successors import CHOOSES
from jurat.findings.finding import Cause, Location
from jurat.source.definitions import find_definitions
from jurat.source.diff import ChangeRun, FileChange
from jurat.source.grammars import GRAMMARS
from jurat.source.notebooks import is_notebook, read_written_line

_LEAST_SHARE = 0.5
"""Of the lines that a change took away, those of the guard: who takes more removed a feature."""

_REMARKS = ("#", "//", "/*", "*", "--", "<!--")
"""What a line begins with that says something and does nothing."""

_ROUTES = re.compile(r"\.(?:get|post|put|patch|delete|all|handle(?:func)?)\s*\(", re.IGNORECASE)
"""What ties code to an address."""


@dataclass(frozen=True, slots=True)
class GuardMatch:
    """What a rule found in one version of a file.

    `guarded` is the name of what it stands before, `route` the call that ties it to an address,
    `router` what it was handed to. `first` and `last` are its lines in that version.
    """

    node: SgNode
    occurrence: Occurrence
    guarded: str
    route: str
    router: str
    first: int
    last: int

    @property
    def key(self) -> _Key:
        """What it says of what."""
        # A value is a condition in a `case` alone: `secure=True` asks nothing of `httponly=True`.
        name = "value" if self.node.kind() == "expression_case" else "condition"
        asked = self.node.field(name)
        return _Key(
            self.guarded,
            self.route,
            self.router,
            self.occurrence.code,
            squeeze(asked.text()) if asked is not None else "",
        )

    @property
    def only_answers(self) -> bool:
        """Whether it only tells its caller: it returns, and so does what follows it, if anything.

        No part of the key: what follows may change, and the guard is still the same.
        """
        refusal = self.node.field("consequence")
        if refusal is None or is_final(refusal.text()):
            return False
        after = self.node.next()
        while after is not None:
            if after.is_named() and after.kind() not in _ANSWERS:
                return False
            after = after.next()
        return True


class _Key(NamedTuple):
    name: str
    route: str
    router: str
    code: str
    asked: str


# Also of code without white space, in which no word ends.
_LEAVES = re.compile(r"raise|throw|abort|panic|exit\(|\bdie\b|fatal|(?<!\w)reject\(", re.IGNORECASE)

_ANSWERS = frozenset({"return_statement", "comment", "line_comment", "block_comment"})
_ALONE = r"^\s*(?:await\s+|defer\s+)?(?:[\w$]+(?:\.|->|::))*(?:{})(?:\.\w+)*\([^=]*$"
"""A call that nothing is done with."""


class Scopes(NamedTuple):
    """The code of a head without its remarks and texts: all of it, and by function and scope.

    `written` is the head as it is, without white space.
    """

    written: str
    whole: str
    texts: Mapping[str, str]

    def get(self, name: str) -> str:
        """The code of a function or scope, of all for ""."""
        return self.texts.get(name, "") if name else self.whole


def to_guard(match: NodeMatch, occurrence: Occurrence) -> GuardMatch:
    """A match of what must not go, with what it guards."""
    guarded = find_guarded_name(match.node, match.part.language)
    route, router = find_route(match.node), find_router(match.node.text())
    return GuardMatch(match.node, occurrence, guarded, route, router, match.first, match.last)


def to_guarded_code(guard: GuardMatch, line: int) -> GuardedCode:
    """What a guard stood before, `line` being its place in the head."""
    is_text = guard.node.kind() == "string"
    return GuardedCode(guard.guarded, guard.route, guard.router, line, is_text)


def to_head_part(part: FilePart) -> HeadPart:
    """A part of the head as what may stand in a guard's place is looked for in it."""
    return HeadPart(part.parsed.root, part.parsed.text, part.parsed.first_line, part.language)


def read_scopes(parts: Sequence[FilePart]) -> Scopes:
    """The functions and scopes of a version."""
    texts: dict[str, str] = {}
    written = whole = ""
    for part in parts:
        lines = blank_idle_text(to_head_part(part))
        written += squeeze(part.parsed.text)
        whole += "\n".join(lines)
        if part.language not in GRAMMARS:
            continue
        for one in find_definitions(part.parsed, part.language):
            first = part.parsed.first_line
            own = lines[max(one.start_line - first, 0) : one.end_line - first + 1]
            texts[one.qualified_name] = "\n".join(own)
    return Scopes(written, whole, texts)


def build_removed_location(file: FileChange, guard: GuardMatch, cause: Cause) -> Location:
    """Where it stood: the line that follows it in the head, or the last one."""
    line = max(min(cause.line, (file.head or "").count("\n")), 1)
    fields: dict[str, str | int] = {"snippet": shorten(guard.node.text())}
    if guard.guarded:
        fields["function_name"] = guard.guarded
    return Location(file_path=file.path, start_line=line, end_line=line, fields=fields, cause=cause)


def find_removed(
    before: Sequence[GuardMatch],
    after: Sequence[GuardMatch],
    scopes: Callable[[], Scopes],
    lines: LineMap,
    is_deletion: Callable[[ChangeRun, GuardMatch], bool],
) -> list[tuple[int, Cause]]:
    """Of what the base had, what a deletion took from something that is still there.

    By its index, with the deletion. `after` is what the head has. A guard is the same if it says
    the same of the same function or scope, and of the same route.
    """
    left = Counter(one.key for one in after)
    gone = []
    for at, one in enumerate(before):
        left[one.key] -= 1
        if left[one.key] < 0:
            gone.append(at)
    brought = [one for one in after if left[one.key] > 0]
    found = []
    for at in gone:
        one = before[at]
        index = lines.find_run(one.first, one.last, head=False)
        # The line of another function that was put above it takes it away as well.
        run = lines.runs[index] if index is not None else lines.find_run_before(one.first)
        if run is None or (index is not None and not is_deletion(run, one)):
            continue
        if index is not None and not _is_most_of(one, run):
            continue
        if not _is_guarded_there(one, scopes()):
            continue
        if any(_is_served(new, one, scopes()) for new in brought) or _is_served_by_parts(
            one, [new.key for new in brought], scopes()
        ):
            continue
        removed = tuple(line.number for line in run.removed)
        found.append((at, Cause(run.start, removed, safeguard=True)))
    return found


def _is_guarded_there(one: GuardMatch, scopes: Scopes) -> bool:
    if one.guarded and one.guarded not in scopes.texts:
        return False
    return one.route in scopes.written


def _is_served(new: GuardMatch, one: GuardMatch, scopes: Scopes) -> bool:
    """Whether a new guard serves for one that is gone: around it, or in what is called for it."""
    key = new.key
    if is_around(key.name, one.guarded) and key.route in ("", one.route):
        return is_same_router(key.router, one.router, scopes.whole.split("\n"))
    called = key.name.rpartition(".")[2]
    # What is refused by the same condition is refused, however the other function says so.
    same = key.code == one.occurrence.code or (key.asked and key.asked == one.key.asked)
    return bool(same) and is_asked(scopes.get(one.guarded), (called,), answers=new.only_answers)


def _is_served_by_parts(one: GuardMatch, brought: Sequence[_Key], scopes: Scopes) -> bool:
    """Whether most of what a guard stood around has one of its own now."""
    guarded = {
        (key.name, key.route)
        for key in brought
        if is_around(one.guarded, key.name) and (key.name, key.route) != (one.guarded, "")
    }
    if not guarded or one.route:
        return False
    depth = one.guarded.count(".") + 1 if one.guarded else 0
    parts = [
        name
        for name in scopes.texts
        if is_around(one.guarded, name)
        and name.count(".") == depth
        and not name.rpartition(".")[2].startswith("_")
    ]
    if any(route for _, route in guarded):
        return 2 * len(guarded) >= len(_ROUTES.findall(scopes.get(one.guarded)))
    return 2 * len(guarded) >= len(parts)


def is_asked(code: str, names: Iterable[str], *, answers: bool) -> bool:
    """Whether code speaks of one of some names, and does something with what that `answers`."""
    any_of = "|".join(map(re.escape, filter(None, names)))
    said = re.compile(rf"(?<!\w)(?:{any_of})(?!\w)")
    alone = re.compile(_ALONE.format(any_of))
    lines = filter(said.search, code.split("\n")) if any_of else ()
    return any(not (answers and alone.search(line)) or CHOOSES.search(line) for line in lines)


def is_final(code: str) -> bool:
    """Whether a refusal ends more than the function that it stands in."""
    return _LEAVES.search(code) is not None


def _is_most_of(one: GuardMatch, run: ChangeRun) -> bool:
    numbers = [line.number for line in run.removed if line.text.strip()]
    own = sum(one.first <= number <= one.last for number in numbers)
    return own >= _LEAST_SHARE * len(numbers)


def is_more_than_remark(line: str) -> bool:
    """Whether a line is more than a remark: what was commented out is gone."""
    return bool(line.strip()) and not line.lstrip().startswith(_REMARKS)


def list_brought_lines(file: FileChange) -> tuple[str, ...]:
    """The lines that a change adds to a file and that do something."""
    added = (line.text for hunk in file.hunks for line in hunk.lines if line.kind == "added")
    if is_notebook(file.path):
        added = (read_written_line(line) for line in added)
    return tuple(filter(is_more_than_remark, added))


def list_holders(file: FileChange, code: str) -> set[str]:
    """What code of a file may be called by: its file's name, and the names of what holds it."""
    names = {file.path.rpartition("/")[2].partition(".")[0]}
    lines = (file.head or "").split("\n")
    for one in file.functions:
        if code in squeeze("".join(lines[one.start_line - 1 : one.end_line])):
            names |= set(one.qualified_name.split("."))
    return names
