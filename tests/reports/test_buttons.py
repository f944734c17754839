"""A check offers what helps, and no more."""

from __future__ import annotations

import pytest

from jurat.findings.evaluation import Conclusion, Coverage, Evaluation
from jurat.findings.verdict import NotAssessedReason, RuleVerdict, Verdict
from jurat.reports.check_run import (
    CONFIRM_BUTTON,
    RECHECK_BUTTON,
    RETRY_BUTTON,
    CheckAction,
    build_actions,
)
from tests.support.values import a_rule, a_verdict

DENIED = a_verdict(a_rule("r1"))
UNSURE = a_verdict(a_rule("r2"), Verdict.NEEDS_CONFIRMATION)
FAILED = a_verdict(a_rule("r3"), Verdict.NOT_ASSESSED, gap=NotAssessedReason.MODEL_FAILED)


@pytest.mark.parametrize(
    ("verdicts", "conclusion", "offered"),
    [
        ((), Conclusion.SUCCESS, ()),
        ((DENIED,), Conclusion.FAILURE, (RECHECK_BUTTON,)),
        ((UNSURE,), Conclusion.ACTION_REQUIRED, (CONFIRM_BUTTON, RECHECK_BUTTON)),
        ((UNSURE,), Conclusion.NEUTRAL, (RECHECK_BUTTON,)),
        ((DENIED, UNSURE), Conclusion.ACTION_REQUIRED, (RECHECK_BUTTON,)),
        ((UNSURE, FAILED), Conclusion.ACTION_REQUIRED, (RETRY_BUTTON,)),
    ],
)
def test_a_confirmation_is_offered_where_it_would_let_the_commit_pass(
    verdicts: tuple[RuleVerdict, ...], conclusion: Conclusion, offered: tuple[CheckAction, ...]
) -> None:
    evaluation = Evaluation(
        "e1", Verdict.NEEDS_CONFIRMATION, verdicts, Coverage(1), conclusion=conclusion
    )
    assert build_actions(evaluation) == offered
