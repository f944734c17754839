"""Who listens to what a program announces to itself: by an emitter, a signal or a bus of its own.

`events.on("done", keep)` here and `events.emit("done", answer)` there are a call of `keep` that no
name shows. Both are known by the one object of a module that they speak to, and by the event, so
that what a library's object says to others, or over a network, is none of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from jurat.rating.code.function_facts import CallFact, FileFacts

_LISTENS = frozenset(
    ("on", "once", "connect", "subscribe", "listen", "register", "addListener", "add_listener",
     "addEventListener", "prependListener")
)  # fmt: skip
_MARKS_LISTENER = "receiver"
"""A mark that is handed the signal, instead of being the signal's own."""
_ANNOUNCES = frozenset(
    ("emit", "emitAsync", "send", "send_robust", "asend", "publish", "fire", "trigger", "notify",
     "dispatch")
)  # fmt: skip
_OWN = ("x:function:", "x:local:", "x:self:", "x:.")


class Announcement(NamedTuple):
    """An event of an object: the object as the file that speaks to it has it, and the event.

    `speaker` is a name that the file knows. The event is "" where the object is the signal itself.
    """

    speaker: str
    event: str


class FileAnnouncements(NamedTuple):
    """What a file has called when something is announced, and what its functions announce.

    A listener is a name, or the number of a function that is marked as one.
    """

    listened: tuple[tuple[Announcement, str | int], ...] = ()
    announced: tuple[tuple[int, Announcement], ...] = ()


def read_announcements(facts: FileFacts) -> FileAnnouncements:
    """The announcements of a file."""
    shared = dict(facts.variables)
    return FileAnnouncements(
        tuple(_iter_listened(facts, shared)), tuple(_iter_announced(facts, shared))
    )


def list_spoken_to(call: CallFact, shared: Mapping[str, str]) -> Iterator[Announcement]:
    """What a call announces: to each object of a module that it may be made on."""
    if can_announce(call):
        yield from _list_objects(call, shared)


def can_announce(call: CallFact) -> bool:
    """Whether a call may announce something, by its verb."""
    return _get_verb(call) in _ANNOUNCES


def _iter_announced(
    facts: FileFacts, shared: Mapping[str, str]
) -> Iterator[tuple[int, Announcement]]:
    for number, function in enumerate(facts.functions):
        for call in function.calls:
            yield from ((number, one) for one in list_spoken_to(call, shared))


def _iter_listened(
    facts: FileFacts, shared: Mapping[str, str]
) -> Iterator[tuple[Announcement, str | int]]:
    for number, function in enumerate(facts.functions):
        for mark in function.marks:
            if _get_verb(mark) in _LISTENS:
                yield from ((one, number) for one in _list_objects(mark, shared))
            elif _get_verb(mark) == _MARKS_LISTENER:
                signals = [tag[2:] for tag in sorted(mark.given) if tag[:2] in ("x:", "s:")]
                yield from ((Announcement(name, ""), number) for name in signals)
        for call in function.calls:
            if _get_verb(call) in _LISTENS:
                handed = [tag[2:] for tag in sorted(call.given) if tag.startswith(_OWN)]
                for one in _list_objects(call, shared):
                    yield from ((one, name) for name in handed)


def _get_verb(call: CallFact) -> str:
    return call.callee.rpartition(".")[2]


def _list_objects(call: CallFact, shared: Mapping[str, str]) -> Iterator[Announcement]:
    """The objects that a call is made on: an imported one, or a variable of the module."""
    where, _, _ = call.callee.rpartition(".")
    own = [tag[2:] for tag in sorted(call.receiver) if tag[:2] == "s:" and tag[2:] in shared]
    event = call.first if " " not in call.first else ""
    yield from (Announcement(name, event) for name in own)
    if not own and where and not where.startswith(("?", "self:", "function:")):
        yield Announcement(where.removeprefix("local:"), event)
