"""The EvaluationContext: the only thing that the later stages know of what is judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from bot.subjects.change import FileChange
from bot.subjects.key_paths import KeyPath, Span
from bot.subjects.kinds import SURFACE_OF, SubjectKind, Surface
from bot.subjects.passages import Passage

Facts = Mapping[str, Any]
"""Nested key-value pairs as JSON has them; numbers are int, float or Decimal."""


class Mode(StrEnum):
    """Whether the action is about to happen, or has happened."""

    PREFLIGHT = "preflight"
    POSTHOC = "posthoc"


@dataclass(frozen=True, slots=True)
class Subject:
    """One thing to judge: its kind, the files that belong to it, and the facts known of it.

    A subject of another kind than a code diff has one file, or none. `passages` are the clauses,
    sections or segments of that file where it is a text. Where it states facts, `spans` says where
    each of them stands in it, and `unchanged` which entries of its lists are no news; a fact
    without a span was given by the caller. Facts that are of several kinds at once name the others
    in `also`.
    """

    kind: SubjectKind
    files: tuple[FileChange, ...] = ()
    facts: Facts = field(default_factory=dict)
    passages: tuple[Passage, ...] = ()
    spans: Mapping[KeyPath, Span] = field(default_factory=dict)
    unchanged: frozenset[KeyPath] = frozenset()
    also: frozenset[SubjectKind] = frozenset()

    @property
    def kinds(self) -> frozenset[SubjectKind]:
        """Every kind that it is of: rules about any of them are about it."""
        return self.also | {self.kind}

    @property
    def surface(self) -> Surface:
        """The surface on which this kind is judged."""
        return SURFACE_OF[self.kind]


@dataclass(frozen=True, slots=True)
class EvaluationContext:
    """Stage 1's result. `intent` is what the author says the change is for: data, never orders.

    `scope` narrows the rules ("domain/area"), `repository` is "owner/name" where it is known.
    `ignored` are the paths that the configuration keeps out of the review.
    """

    subjects: tuple[Subject, ...]
    intent: str = ""
    scope: str | None = None
    repository: str | None = None
    mode: Mode = Mode.PREFLIGHT
    ignored: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[FileChange, ...]:
        """All files of all subjects."""
        return tuple(file for subject in self.subjects for file in subject.files)

    @property
    def unread(self) -> tuple[FileChange, ...]:
        """The files that could not be read, each with its reason."""
        return tuple(file for file in self.files if file.unread is not None)
