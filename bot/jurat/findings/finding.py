"""A finding and what it holds; the id by which it is known again after a push or a rebase."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from hashlib import sha256

from jurat.facts.context import Surface
from jurat.rules.level import Level
from jurat.rules.rule import Rule
from jurat.source.suppressions import Suppression


class Verdict(StrEnum):
    """What was decided of one rule. NOT_ASSESSED is a state of its own, never a pass."""

    ALLOW = "ALLOW"
    DENY = "DENY"
    NEEDS_CONFIRMATION = "NEEDS_CONFIRMATION"
    NOT_ASSESSED = "NOT_ASSESSED"


@dataclass(frozen=True, slots=True)
class Cause:
    """The changed lines that made a finding of old code, or took away what kept its rule true.

    `line` is the head's line to show it at: the first that was added, or else the one behind what
    was removed. `removed` are base lines, in order; a `safeguard` is one that was only taken away,
    and without which the rule no longer holds. `since` is the commit, in short, that wrote the last
    of them, empty if nobody knows.
    """

    line: int
    removed: tuple[int, ...] = ()
    safeguard: bool = False
    since: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """A line that a value passes on its way to where it does harm, and what stands there.

    `path` is the file that it stands in, empty for the finding's own.
    """

    line: int
    text: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class Location:
    """A place in the subject.

    `file_path`, `start_line` and `end_line` (1-based, inclusive, in the head version) say where it
    stands in a pull request, whatever the surface; None if the subject is no file, or if the
    place is the file as a whole. `fields` holds what the surface adds (see `TERMS`). `cause` says
    what brought it about, if that is not the place itself. `steps` are the way of a value to this
    place, from where it came in. `doubt` says what of that nobody has seen, empty if all was: what
    is found in spite of one only advises.
    """

    surface: Surface = Surface.CODE
    file_path: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    fields: Mapping[str, str | int] = field(default_factory=dict)
    cause: Cause | None = None
    steps: tuple[Step, ...] = ()
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class FixCheck:
    """What came of applying a fix in memory to the head version.

    `rules` were run again on the result; `parsed` is whether there is a grammar for it. `problem`
    says why the fix did not hold, or was not tried, and is empty if it held.
    """

    rules: int = 0
    parsed: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Fix:
    """A fix. For code it replaces whole lines start_line to end_line of `file_path` at head.

    `original` is what stands there now and `replacement` what should, both without the last line's
    newline. `auto_applicable` promises that nothing else needs to change; `consequence` says what
    the program does differently by design. `verification` is None for a fix that nobody has tried.
    """

    type: str
    file_path: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    original: str = ""
    replacement: str = ""
    auto_applicable: bool = False
    description: str = ""
    verification: FixCheck | None = None
    consequence: str = ""

    @property
    def is_verified(self) -> bool:
        """Whether it was tried and held: only such a fix is offered as a button."""
        return self.verification is not None and not self.verification.problem


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
    for. `own` says that this person wrote some of the change.
    """

    kind: WaiverKind
    by: str
    why: str
    at: dt.datetime | None = None
    until: dt.date | None = None
    own: bool = False


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

    `remark` tells a reader what is the matter with it; empty if nothing is. UNUSED is one whose
    rule looked at its line and found nothing, IDLE one whose line nobody looked at.
    """

    suppression: Suppression
    state: SuppressionState
    remark: str = ""


SHORT = 8
"""Digits of a finding's id that a reader sees, and may type."""

_NAMING = ("snippet", "span_text", "function_name", "clause_ref", "json_path", "section")
"""The fields of a Location that say what stands there, or else what it is called; first wins."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong at one place. The engine or the judge makes it, once; it is handed on.

    `id` is keyed on rule, path and code, `code_id` on rule and code alone: a finding whose file was
    renamed keeps the latter. Both are 16 hex digits; neither depends on a line number, on a model's
    prose, or on what anybody decides about the finding. `outcome` is DENY or NEEDS_CONFIRMATION.
    `location` is None for the subject as a whole. `message` says what is wrong in a sentence,
    `evidence` is what stands at the place, empty if nothing names it. `fix` replaces the lines
    of the place, and maybe those of other findings too. `waiver` says why the finding does not
    count, None if it does. `smallest_edit` completes "It would pass …" with the smallest edit
    under which its rule did pass when that was tried, empty if none was found. `late` says that it
    could have been said at an earlier push, `judged` of such a one that a model said it.
    """

    id: str
    code_id: str
    rule: Rule
    outcome: Verdict
    location: Location | None
    message: str
    evidence: str = ""
    fix: Fix | None = None
    waiver: Waiver | None = None
    smallest_edit: str = ""
    late: bool = False
    judged: bool = False

    @property
    def short(self) -> str:
        """The name that people call it by: the first digits of its id."""
        return self.id[:SHORT]

    @property
    def path(self) -> str | None:
        """The file it stands in, None for the change as a whole."""
        return self.location.file_path if self.location else None

    @property
    def level(self) -> Level:
        """What its rule may do at its place.

        No more than advise if it is judged and late, or if there is a doubt.
        """
        level = self.rule.enforcement.get_level(self.path)
        doubtful = self.location is not None and self.location.doubt
        advises = doubtful or (self.late and self.judged)
        return Level.WARN if advises and level is Level.BLOCK else level

    @property
    def shadow(self) -> bool:
        """Whether its rule only observes at its place."""
        return self.level is Level.OBSERVE

    @property
    def blocks(self) -> bool:
        """Whether the check fails because of it alone."""
        denied = self.outcome is Verdict.DENY and self.waiver is None
        return denied and self.level is Level.BLOCK

    @property
    def awaits_confirmation(self) -> bool:
        """Whether the check waits because of it until a person has confirmed it."""
        unsure = self.outcome is Verdict.NEEDS_CONFIRMATION and self.waiver is None
        return unsure and self.level is Level.BLOCK

    @property
    def code(self) -> str:
        """The evidence without white space: the same before and after it is indented anew."""
        return _squeeze(self.evidence)


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, in a sentence, and where: all that is known of a finding before it is one.

    `smallest_edit` is as the finding's.
    """

    message: str
    location: Location | None = None
    smallest_edit: str = ""


def make_findings(
    rule: Rule, outcome: Verdict, problems: Iterable[Problem], fixes: Sequence[Fix] = ()
) -> tuple[Finding, ...]:
    """One finding a problem, in order, each with the first fix that covers its place."""
    # The same code may stand twice in a file: its ids are told apart by counting, within that file,
    # so that no id depends on the order of files.
    seen: Counter[tuple[str, str]] = Counter()
    problems = tuple(problems)
    fixes_at = _group_fixes([item.location for item in problems], fixes)
    found = []
    for problem in problems:
        location = problem.location
        path = (location.file_path or "") if location else ""
        evidence = _render_evidence(location)
        code = _squeeze(evidence)
        seen[path, code] += 1
        occurrence = str(seen[path, code])
        found.append(
            Finding(
                id=_digest(rule.id, path, code, occurrence),
                code_id=_digest(rule.id, code, occurrence),
                rule=rule,
                outcome=outcome,
                location=location,
                message=problem.message,
                evidence=evidence,
                fix=_find_covering(location, fixes_at) if location else None,
                smallest_edit=problem.smallest_edit,
            )
        )
    return tuple(found)


def number_copies(findings: Sequence[Finding], numbers: Sequence[int]) -> tuple[Finding, ...]:
    """Findings of one rule on the same code in one file, each with its number among the copies.

    Nothing else tells their ids apart. `make_findings` counts from 1, from the top of the file.
    """
    return tuple(
        replace(
            item,
            id=_digest(item.rule.id, item.path or "", item.code, str(number)),
            code_id=_digest(item.rule.id, item.code, str(number)),
        )
        for item, number in zip(findings, numbers, strict=True)
    )


def _render_evidence(location: Location | None) -> str:
    if location is None:
        return ""
    return next((str(value) for name in _NAMING if (value := location.fields.get(name))), "")


def _squeeze(text: str) -> str:
    return "".join(text.split())


def _group_fixes(
    locations: Iterable[Location | None], fixes: Iterable[Fix]
) -> Mapping[tuple[str | None, int], list[Fix]]:
    """The fixes that replace the first line of a location, by its path and that line, in order."""
    # By line, because a rule may have 500 places and as many fixes, and is decided again for each
    # fix that is tried.
    found: dict[tuple[str | None, int], list[Fix]] = {
        (item.file_path, item.start_line): []
        for item in locations
        if item is not None and item.start_line is not None
    }
    for fix in fixes:
        if fix.start_line is not None and fix.end_line is not None:
            for line in range(fix.start_line, fix.end_line + 1):
                if (there := found.get((fix.file_path, line))) is not None:
                    there.append(fix)
    return found


def _find_covering(
    location: Location, fixes_at: Mapping[tuple[str | None, int], list[Fix]]
) -> Fix | None:
    """The fix of all lines of the location: one replaces whole lines and may serve several."""
    if location.start_line is None:
        return None
    end_line = location.end_line or location.start_line
    there = fixes_at[location.file_path, location.start_line]
    return next((fix for fix in there if end_line <= (fix.end_line or 0)), None)


def _digest(*parts: str) -> str:
    # A path as Git gives it may hold a lone surrogate, which UTF-8 alone refuses.
    return sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:16]
