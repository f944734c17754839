"""The buttons of a check run."""

from __future__ import annotations

from collections.abc import Iterable

from bot.publishing.edits import CheckAction
from bot.publishing.findings import Finding
from bot.verdicts import Remediation

APPLY_FIXES = "apply_fixes"
"""What the check_run event names the button by."""

_APPLY_FIXES = CheckAction("Apply fixes", "Commit the checked fixes to the branch", APPLY_FIXES)


def safe_fixes(findings: Iterable[Finding]) -> tuple[Remediation, ...]:
    """The fixes that need nobody's look: tried, held, and all there is to do. Each once.

    Those of experimental rules are left out: their findings ask for nothing.
    """
    fixes = [item.remediation for item in findings if not item.verdict.shadow]
    return tuple(dict.fromkeys(fix for fix in fixes if fix and fix.auto_applicable and fix.proven))


def fix_button(findings: Iterable[Finding]) -> tuple[CheckAction, ...]:
    """The button "Apply fixes", where there is something to apply."""
    return (_APPLY_FIXES,) if safe_fixes(findings) else ()
