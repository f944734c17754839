"""The buttons of a check: at most three."""

from __future__ import annotations

from collections.abc import Iterable

from bot.aggregation.aggregate import unearned
from bot.publishing.edits import CheckAction
from bot.publishing.findings import Finding
from bot.verdicts import Conclusion, Evaluation, Remediation, Verdict

CONFIRM = "confirm"
RECHECK_ACTION = "recheck"
APPLY_FIXES = "apply_fixes"
"""Identifiers, which come back when somebody presses the button."""

RECHECK_BUTTON = CheckAction("Recheck", "Review this pull request again", RECHECK_ACTION)
RETRY_BUTTON = CheckAction("Retry", "Try the review again", RECHECK_ACTION)
CONFIRM_BUTTON = CheckAction("Confirm", "Let this commit pass as it is", CONFIRM)
FIX_BUTTON = CheckAction("Apply fixes", "Commit the checked fixes to the branch", APPLY_FIXES)


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


def safe_fixes(findings: Iterable[Finding]) -> tuple[Remediation, ...]:
    """The fixes that need nobody's look: tried, held, and all there is to do. Each once.

    Those of experimental rules, and of findings that do not count, are left out: nobody asks for
    them.
    """
    wanted = [item for item in findings if not item.verdict.shadow and item.waiver is None]
    fixes = [item.remediation for item in wanted]
    return tuple(dict.fromkeys(fix for fix in fixes if fix and fix.auto_applicable and fix.proven))


def fix_button(findings: Iterable[Finding]) -> tuple[CheckAction, ...]:
    """The button "Apply fixes", where there is something to apply."""
    return (FIX_BUTTON,) if safe_fixes(findings) else ()
