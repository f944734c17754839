"""Where a value comes from: its origins, and the questions that each still matters to."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from enum import Enum
from typing import Any, NamedTuple

from ast_grep_py import SgNode

MOST_TAINTS = 6
"""Origins that one value keeps, the strongest first."""

MOST_BEFORE = 160
"""Characters of what stands before a value: of more, the beginning and the end are kept."""

_HOST_ALONE = re.compile(r"(?i)(?:[a-z][a-z0-9+.-]*:)?//[^/?#\\]+")
"""A host, known or not, that what follows goes on with, or ends."""

REMOTE, PARAMETER = 2, 1
"""How strong an origin is: a source by name, or just what some caller hands over."""

DECODED = "%"
"""Ends the name of an origin for each time that its text was decoded."""

PARTS = tuple(f"part {number}" for number in range(8))
"""Steps to what a text was split into: a check of one says nothing of the others."""

ROOTED = "\0/"
"""Ends the name of an origin of which half of an answer is known: that it begins with a slash."""

SLICE = "[:]"
"""The step to a part of a text that was cut out: a check of it says nothing of the rest."""

EACH = "*"
"""The step to one of several, or to one character, whichever it is."""

HOLE = "\0"
"""Stands in a text for a part that nobody knows."""

ROOT = "\1"
"""Stands in a text before a path whose `..` were worked out from the root: it leads up no more."""


NO_SLASH = "^/"
"""Among what was taken out of a text: it begins with no slash."""


class Trace(NamedTuple):
    """How a value came here: the node it passed through last, and the way before that."""

    node: SgNode
    before: Trace | None


_MOST_NODES = 200


def list_nodes(trace: Trace) -> list[SgNode]:
    """What a value passed through, each node once, from its source on."""
    nodes: dict[tuple[int, int], SgNode] = {}
    at: Trace | None = trace
    for _ in range(_MOST_NODES):
        if at is None:
            break
        span = at.node.range()
        nodes.setdefault((span.start.index, span.end.index), at.node)
        at = at.before
    return list(reversed(nodes.values()))


def is_of_answer(callee: str) -> bool:
    """Whether a callee is a method of what a call has answered, as in `make().put(value)`.

    Such objects mostly carry what they are given; a function that makes it fit has a name.
    """
    return "()" in callee


class Start(Enum):
    """What a path is relative to whose `..` were worked out: of that a check of it speaks.

    Only `GIVEN` and `FOLDER` can begin with `..` at all: one that goes up from where it is used,
    one that lies outside of the folder. Behind a folder, or from the root, no `..` is left.
    """

    GIVEN = "given"
    ROOT = "root"
    FOLDER = "folder"


class Taint(NamedTuple):
    """One origin of a value.

    `source` and `path` say what it is: the same parameter of a request read twice is one. `live`
    has a bit for each question it still matters to, `encoded` one for each that an encoding has
    answered, which can be undone. `before` is the text in front of it as far as known, `mixed`
    whether it is only a part of a text, `settled` what it is relative to if it is a path whose `..`
    were worked out.
    `foreign` is the answer of a callee that was given it and stands in no file that is read, before
    anything is put together of that here, `found` that of one that looks something up by its name.
    `answered_by` is the callee that did so, and stays, whatever is put together. `held_by` is the
    class of the object that it was put into, which stands in no file that is read either: what is
    taken from that is its answer. `without` are texts that were taken out of its own.
    """

    source: str
    path: tuple[str, ...]
    live: int
    strength: int
    before: str
    mixed: bool
    trace: Trace
    encoded: int = 0
    foreign: bool = False
    settled: Start | None = None
    found: bool = False
    answered_by: str = ""
    held_by: str = ""
    without: frozenset[str] = frozenset()

    @property
    def key(self) -> Hashable:
        """What makes two of them the same: one that is doubtful stands for none that is sure."""
        doubts = self.mixed, bool(self.answered_by), bool(self.held_by)
        done = self.before, self.encoded, self.without
        return self.source, self.path, self.live, done, self.foreign, doubts

    def carry(self, node: SgNode) -> Taint:
        """The same one step further."""
        # In one go: this is done for each value at each step, and `_replace` takes twice as long.
        return Taint._make((*self[:_TRACE], Trace(node, self.trace), *self[_TRACE + 1 :]))

    def enter(self, step: str) -> Taint:
        """The same for a part of the value."""
        return self.leave_object()._replace(path=(*self.path, step)[-6:])

    def leave_object(self) -> Taint:
        """The same as an answer of the object that it was put into, if nobody has seen that."""
        if not self.held_by:
            return self
        return self._replace(answered_by=self.answered_by or self.held_by)

    def drop_answered(self, answered: int) -> Taint:
        """The same after some questions were answered for good."""
        if not (self.live | self.encoded) & answered:
            return self
        return self._replace(live=self.live & ~answered, encoded=self.encoded & ~answered)

    def encode(self, answered: int) -> Taint:
        """The same after some questions were answered by an encoding."""
        if not self.live & answered:
            return self
        return self._replace(
            live=self.live & ~answered, encoded=self.encoded | (self.live & answered)
        )

    def decode(self, undone: int) -> Taint:
        """The same after the encodings for some questions were undone."""
        again = self.encoded & undone
        if not again:
            return self
        return self._replace(live=self.live | again, encoded=self.encoded & ~again)

    def become_unread(self) -> Taint:
        """The same as a text that no check of the one before has read: `%2e` is no dot yet."""
        source = self.source if self.source.endswith(DECODED * 2) else self.source + DECODED
        return self._replace(source=source, settled=None, without=frozenset())

    def become_answer(self, callee: str, *, found: bool = False) -> Taint:
        """The same as the answer of a callee that nobody has seen."""
        known = self.answered_by
        named = callee if not known or (is_of_answer(known) and not is_of_answer(callee)) else known
        found = found or self.found
        if self.foreign and self.answered_by == named and self.found is found:
            return self
        return self._replace(foreign=True, answered_by=named, found=found)

    @property
    def is_rooted(self) -> bool:
        """Whether it is a path that begins at the root, or may, and has no `..` any more."""
        return self.before.startswith(ROOT + "/") or self.before == ROOT

    @property
    def ends_host(self) -> bool:
        """Whether a host stands right before it, which a slash would end."""
        return "//" in self.before and _HOST_ALONE.fullmatch(self.before) is not None

    @property
    def stands_alone(self) -> bool:
        """Whether no text stands before it."""
        return not self.before.strip(ROOT)

    def settle(self, start: Start) -> Taint:
        """The same as a path whose `..` were worked out: from the root on, if it began there."""
        before = ROOT + self.before if self.before.startswith("/") else self.before
        return self._replace(settled=start, before=before)

    @property
    def shows_dots(self) -> bool:
        """Whether a text with no `..` leads nowhere above the place that it is relative to."""
        if self.settled is None:
            # Nobody has worked them out: all that were given are in it.
            return True
        return self.settled is Start.FOLDER or (self.settled is Start.GIVEN and not self.before)

    def unroot(self) -> Taint:
        """The same without the slash that it begins with."""
        head, _, rest = self.before.rpartition(ROOT + "/")
        if head or ROOT not in self.before:
            return self
        return self._replace(before=ROOT + (rest or ROOT))

    @property
    def matters(self) -> bool:
        """Whether it is of any question, or may come to be again."""
        return bool(self.live or self.encoded)


_TRACE = Taint._fields.index("trace")

Taints = tuple[Taint, ...]

Cleared = dict[tuple[str, tuple[str, ...]], int]
"""By origin, a bit for each question that a check has answered."""


def meet_cleared(one: Cleared, other: Cleared) -> Cleared:
    """What was checked on both of two paths."""
    return {key: both for key, mask in one.items() if (both := mask & other.get(key, 0))}


def add_cleared(one: Cleared, other: Cleared) -> Cleared:
    """What was checked here and there on the same path."""
    return one | {key: mask | one.get(key, 0) for key, mask in other.items()}


def merge_taints(taints: Iterable[Taint]) -> Taints:
    """The same without doubles, and not too many."""
    taints = tuple(taints)
    if len(taints) < 2:
        return taints
    found: dict[Any, Taint] = {}
    for taint in taints:
        found.setdefault(taint.key, taint)
        if len(found) > 40:
            break
    if len(found) <= 1:
        return tuple(found.values())
    # What is only encoded, or another's answer, must not displace what does harm as it is.
    ranked = sorted(found.values(), key=_rank)
    return tuple(ranked[:MOST_TAINTS])


def _rank(one: Taint) -> tuple[bool, int, bool, bool]:
    return not one.live, -one.strength, one.foreign, bool(one.answered_by)


def extend_before(before: str, text: str) -> str:
    """Text and what follows it: the beginning and the end of what is long."""
    joined = before + text
    if len(joined) <= MOST_BEFORE:
        return joined
    return joined[: MOST_BEFORE // 2] + HOLE + joined[-MOST_BEFORE // 2 :]
