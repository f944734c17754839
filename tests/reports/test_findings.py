"""A finding has the fix of its own lines, and no other."""

from __future__ import annotations

import pytest

from jurat.findings.finding import Fix
from tests.support.values import a_fix, a_location, a_verdict


@pytest.mark.parametrize(
    ("fix", "belongs"),
    [
        (a_fix("app.py", 2), True),
        (a_fix("app.py", 1, 3), True),
        (a_fix("lib.py", 2), False),
        (a_fix("app.py", 3), False),
        (a_fix("app.py", 1), False),
        (Fix("block", description="Ask first."), False),
    ],
)
def test_a_fix_belongs_to_the_finding_whose_lines_it_replaces(fix: Fix, belongs: bool) -> None:
    verdict = a_verdict(locations=(a_location("app.py", 2),), remediations=(fix,))
    (finding,) = verdict.findings
    assert finding.fix == (fix if belongs else None)
    assert verdict.remediations == (fix,)
