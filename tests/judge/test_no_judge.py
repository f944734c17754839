"""A repository that wants no model asked: judged rules are not in force, and nothing is sent."""

from __future__ import annotations

from jurat.findings.verdict import NotAssessedReason
from jurat.judge.unasked import leave_unjudged
from jurat.rules.level import Enforcement, Level
from tests.support.values import a_rule


def test_what_only_a_model_decides_is_not_in_force_and_the_rest_stays_open() -> None:
    judged = a_rule("judged")
    computed = a_rule(
        "computed",
        constraints=[{"type": "numeric", "field_path": "x", "operator": "<", "threshold": 1}],
    )
    least = Enforcement(Level.BLOCK)
    required = judged.with_enforcement(Enforcement(Level.BLOCK, least=least))
    gaps = [item.gap for item in leave_unjudged([judged, computed, required]).verdicts]
    assert gaps == [
        NotAssessedReason.NOT_IN_FORCE,
        NotAssessedReason.NO_MODEL,
        NotAssessedReason.NO_MODEL,
    ]
