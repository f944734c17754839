"""Findings: what is wrong at one place, under a name that survives pushes and rebases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

from bot.verdicts import Evaluation, Location, Remediation, RuleVerdict, Verdict, Waiver

SHORT = 8
"""Digits of a fingerprint that a reader sees, and may type."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A DENY or NEEDS_CONFIRMATION at one place.

    `fingerprint` is keyed on rule, path and normalised code, `code_print` on rule and code alone: a
    finding whose file was renamed keeps the latter. Neither depends on a line number or on a
    model's prose. Both are 16 hex digits. `index` is its place among the verdict's locations;
    `waiver` says why it does not count, where it does not.
    """

    fingerprint: str
    code_print: str
    verdict: RuleVerdict
    location: Location | None
    remediation: Remediation | None
    index: int = 0
    waiver: Waiver | None = None

    @property
    def short(self) -> str:
        """The name that people call it by: the first digits of its fingerprint."""
        return self.fingerprint[:SHORT]

    @property
    def path(self) -> str | None:
        """The file it stands in, None for the change as a whole."""
        return self.location.file_path if self.location else None


def findings_of(evaluation: Evaluation) -> tuple[Finding, ...]:
    """Every finding, the worst rules first, then by file and line."""
    found = [
        finding
        for item in evaluation.rule_verdicts
        if item.verdict in (Verdict.DENY, Verdict.NEEDS_CONFIRMATION)
        for finding in _of_one(item)
    ]
    return tuple(sorted(found, key=_order))


def _of_one(verdict: RuleVerdict) -> Iterable[Finding]:
    seen: Counter[tuple[str, str]] = Counter()
    waivers = verdict.waivers or (None,) * max(len(verdict.locations), 1)
    for index, location in enumerate(verdict.locations or (None,)):
        path = (location.file_path or "") if location else ""
        code = _normalised(location)
        seen[path, code] += 1
        occurrence = str(seen[path, code])
        yield Finding(
            fingerprint=_digest(verdict.rule.id, path, code, occurrence),
            code_print=_digest(verdict.rule.id, code, occurrence),
            verdict=verdict,
            location=location,
            remediation=_fix_at(location, verdict.remediations),
            index=index,
            waiver=waivers[index],
        )


def _fix_at(location: Location | None, fixes: Iterable[Remediation]) -> Remediation | None:
    """The fix that covers the location: fixes replace whole lines and may span several findings."""
    if location is None or location.start_line is None:
        return None
    end_line = location.end_line or location.start_line
    for fix in fixes:
        if fix.file_path != location.file_path or fix.start_line is None or fix.end_line is None:
            continue
        if fix.start_line <= location.start_line and end_line <= fix.end_line:
            return fix
    return None


def _normalised(location: Location | None) -> str:
    """The code at the place without white space, or else the name of what stands there."""
    if location is None:
        return ""
    for name in ("snippet", "span_text", "function_name", "clause_ref", "json_path", "section"):
        if value := location.fields.get(name):
            return "".join(str(value).split())
    return ""


def _digest(*parts: str) -> str:
    return sha256("\0".join(parts).encode()).hexdigest()[:16]


def _order(finding: Finding) -> tuple[bool, bool, int, str, int]:
    location = finding.location
    return (
        finding.verdict.shadow,
        finding.verdict.verdict is not Verdict.DENY,
        -finding.verdict.rule.severity.rank,
        finding.path or "",
        (location.start_line or 0) if location else 0,
    )
