"""The last review of a pull request, as far as people may decide about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bot.corpus.rule import Maturity, Modality, Severity
from bot.publishing.findings import SHORT
from bot.store.records import StoredReview
from bot.verdicts import Verdict, WaiverKind


@dataclass(frozen=True, slots=True)
class ReviewedFinding:
    """A finding as it was shown. `waived` says why it does not count, None where it does.

    `waived_by` is then the person, or the place of the suppression.
    """

    fingerprint: str
    code_print: str
    path: str | None
    line: int | None
    rule_id: str
    revision: str
    verdict: Verdict
    modality: Modality
    severity: Severity
    shadow: bool
    waived: WaiverKind | None
    waived_by: str

    @property
    def short(self) -> str:
        """The name that people call it by."""
        return self.fingerprint[:SHORT]

    @property
    def place(self) -> str:
        """`path:line`, or what it is about where it has no place."""
        if self.path is None:
            return "the change as a whole"
        return f"{self.path}:{self.line}" if self.line else self.path


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What a review found. `unassessed` are rules without which it could not pass."""

    evaluation_id: str
    head_sha: str | None
    subject_digest: str
    findings: tuple[ReviewedFinding, ...]
    unassessed: tuple[str, ...]

    def counting(self, verdict: Verdict) -> tuple[ReviewedFinding, ...]:
        """The findings of one verdict that count."""
        return tuple(
            item
            for item in self.findings
            if item.verdict is verdict and item.waived is None and not item.shadow
        )


def reviewed(stored: StoredReview) -> Reviewed:
    """The review that the store remembers; one that an older release kept has no findings."""
    response = stored.response
    return Reviewed(
        stored.evaluation_id,
        stored.head_sha,
        stored.subject_digest,
        tuple(finding for verdict in response["rule_verdicts"] for finding in _findings(verdict)),
        tuple(row["rule_id"] for row in response["not_assessed"] if row.get("blocks", False)),
    )


def _findings(verdict: Mapping[str, Any]) -> Iterator[ReviewedFinding]:
    for row in verdict.get("findings", ()):
        index, waiver = row["location"], row["waiver"]
        place = {} if index is None else verdict["locations"][index]
        yield ReviewedFinding(
            fingerprint=row["id"],
            code_print=row["code_print"],
            path=place.get("file_path"),
            line=place.get("start_line"),
            rule_id=verdict["rule_id"],
            revision=verdict["rule_revision"],
            verdict=Verdict(verdict["verdict"]),
            modality=Modality(verdict["modality"]),
            severity=Severity(verdict["severity"]),
            shadow=verdict["maturity"] == Maturity.EXPERIMENTAL,
            waived=None if waiver is None else WaiverKind(waiver["kind"]),
            waived_by="" if waiver is None else waiver["by"],
        )
