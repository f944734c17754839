"""What stands beside a verdict: its places, its fixes, and why a finding does not count."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from jurat.facts.context import Surface
from jurat.source.suppressions import Suppression


@dataclass(frozen=True, slots=True)
class Location:
    """A place in the subject.

    `file_path`, `start_line` and `end_line` (1-based, inclusive, in the head version) say where it
    stands in a pull request, whatever the surface; None where the subject is no file, or where the
    place is the file as a whole. `fields` holds what the surface adds (see `TERMS`).
    """

    surface: Surface = Surface.CODE
    file_path: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    fields: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FixCheck:
    """What came of applying a fix in memory to the head version.

    `rules` were run again on the result; `parsed` is whether there is a grammar for it. `problem`
    says why the fix did not hold, or was not tried, and is empty where it held.
    """

    rules: int = 0
    parsed: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Fix:
    """A fix. For code it replaces whole lines start_line to end_line of `file_path` at head.

    `original` is what stands there now and `replacement` what should, both without the last line's
    newline. `auto_applicable` promises that nothing else needs to change. `proof` is None for a fix
    that nobody has tried yet.
    """

    type: str
    file_path: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    original: str = ""
    replacement: str = ""
    auto_applicable: bool = False
    description: str = ""
    proof: FixCheck | None = None

    @property
    def proven(self) -> bool:
        """Whether it was tried and held: only such a fix is offered as a button."""
        return self.proof is not None and not self.proof.problem


class WaiverKind(StrEnum):
    """Why a finding does not count."""

    DISMISSED = "dismissed"
    CONFIRMED = "confirmed"
    SUPPRESSED = "suppressed"


@dataclass(frozen=True, slots=True)
class Waiver:
    """Why one finding does not count, by whom and for how long.

    `by` is a person's login, or `path:line` of the suppression; `at` is when the person said so, in
    UTC. A waiver without `until` holds for good, but a confirmation only for the head it was given
    for.
    """

    kind: WaiverKind
    by: str
    why: str
    at: dt.datetime | None = None
    until: dt.date | None = None


class SuppressionState(StrEnum):
    """What became of a suppression. Only IDLE and USED ones are in force."""

    USED = "used"
    IDLE = "idle"
    UNUSED = "unused"
    ADDED = "added"
    EXPIRED = "expired"
    UNKNOWN_RULE = "unknown_rule"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class SuppressionStatus:
    """A suppression in a file of the change, and what became of it.

    `remark` tells a reader what is the matter with it; empty where nothing is. UNUSED is one whose
    rule looked at its line and found nothing, IDLE one whose line nobody looked at.
    """

    suppression: Suppression
    state: SuppressionState
    remark: str = ""
