"""What people with permission have decided about findings."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum

from bot.verdicts import Verdict, Waiver, WaiverKind


class DecisionKind(StrEnum):
    """What was decided. A dismissal holds for good, a confirmation for one head."""

    DISMISSED = "dismissed"
    CONFIRMED = "confirmed"


@dataclass(frozen=True, slots=True)
class Decision:
    """One person's decision about one finding.

    `repository` is "owner/name", `fingerprint` and `code_print` are the Finding's, `path` is where
    it stood, None for the change as a whole. `verdict` is what the rule had said, `revision` the
    rule's at that time. `by` is a login, `at` in UTC. `number`, `head_sha` and `evaluation_id` say
    on which pull request, commit and review it was decided.
    """

    kind: DecisionKind
    repository: str
    number: int
    head_sha: str
    evaluation_id: str
    fingerprint: str
    code_print: str
    path: str | None
    rule_id: str
    revision: str
    verdict: Verdict
    by: str
    why: str
    at: dt.datetime

    @property
    def waiver(self) -> Waiver:
        """Why the finding does not count."""
        return Waiver(WaiverKind(self.kind), self.by, self.why, at=self.at)
