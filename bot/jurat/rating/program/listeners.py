"""Which functions of a program are called because another announces something."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from jurat.rating.code.function_facts import CallFact
from jurat.rating.program.announcements import (
    Announcement,
    FileAnnouncements,
    can_announce,
    list_spoken_to,
    read_announcements,
)
from jurat.rating.program.program_names import Function
from jurat.rating.program.stated_names import StatedFiles


@dataclass(frozen=True)
class ListenerFiles(StatedFiles):
    """Files of which it is known who listens to what in them."""

    def iter_listeners(self) -> Iterator[tuple[Function, frozenset[Function]]]:
        """The functions that announce something, each time with those that listen to it."""
        for path in self.files if self._listeners else ():
            for number, said in self._announcements[path].announced:
                yield (path, number), self._find_listeners(path, said)

    @cached_property
    def _announcements(self) -> Mapping[str, FileAnnouncements]:
        known = self.known.announcements
        return {path: self.recall(known, path, self._read_announcements) for path in self.files}

    def _read_announcements(self, path: str) -> FileAnnouncements:
        return read_announcements(self.files[path])

    @cached_property
    def _listeners(self) -> Mapping[Announcement, frozenset[Function]]:
        """Who is called when something is announced to an object, by the file that has it."""
        found: defaultdict[Announcement, set[Function]] = defaultdict(set)
        for path in self.files:
            for said, listener in self._announcements[path].listened:
                own = (
                    ((path, listener),)
                    if isinstance(listener, int)
                    else self.resolve(path, listener)[0]
                )
                found[self._locate(path, said)].update(one for one in own if one[1])
        return {said: frozenset(own) for said, own in found.items() if own}

    def _locate(self, path: str, said: Announcement) -> Announcement:
        """The same, with the object as the file that has it knows it."""
        inside = self.find_module(path, said.speaker)
        where, name = inside if inside is not None and inside[1] else (path, said.speaker)
        return said._replace(speaker=f"{where}:{name}")

    def _find_listeners(self, path: str, said: Announcement) -> frozenset[Function]:
        found = self._listeners.get(self._locate(path, said), frozenset())
        # A signal is told by itself: the first word that it is sent with names no event.
        return found or self._listeners.get(self._locate(path, said._replace(event="")), found)

    def list_listeners(self, path: str, call: CallFact) -> frozenset[Function]:
        """The own functions that are called because a call announces something."""
        if not self._listeners or not can_announce(call):
            return frozenset()
        shared = dict(self.files[path].variables)
        found = (self._find_listeners(path, said) for said in list_spoken_to(call, shared))
        return frozenset().union(*found)
