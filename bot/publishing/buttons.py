"""The buttons of a check: at most three, one of which is left to fixes."""

from __future__ import annotations

from bot.aggregation.aggregate import unearned
from bot.publishing.edits import CheckAction
from bot.verdicts import Conclusion, Evaluation, Verdict

CONFIRM = "confirm"
RECHECK = "recheck"
"""Identifiers, which come back when somebody presses the button."""

RECHECK_BUTTON = CheckAction("Recheck", "Review this pull request again", RECHECK)
RETRY_BUTTON = CheckAction("Retry", "Try the review again", RECHECK)
CONFIRM_BUTTON = CheckAction("Confirm", "Let this commit pass as it is", CONFIRM)


def buttons(evaluation: Evaluation, conclusion: Conclusion) -> tuple[CheckAction, ...]:
    """What a person with permission can do about the conclusion, in one click.

    A confirmation lifts neither a DENY nor a rule that nobody could assess, so it is not offered.
    """
    if conclusion is Conclusion.SUCCESS:
        return ()
    if any(unearned(item) for item in evaluation.rule_verdicts):
        return (RETRY_BUTTON,)
    if conclusion is Conclusion.ACTION_REQUIRED and not evaluation.having(Verdict.DENY):
        return (CONFIRM_BUTTON, RECHECK_BUTTON)
    return (RECHECK_BUTTON,)
