"""What is checked, and what only looks so, is told apart as it was."""

from __future__ import annotations

from jurat.rules.loader import load_ruleset, read_pack
from tests.quality.checks import comes_out, read_checks


def test_checks_come_out_as_they_did() -> None:
    rule_set = load_ruleset(read_pack("engineering"))
    checks = list(read_checks())
    changed = [
        f"{check.language}: {'fault' if check.is_fault else 'fit'} {check.name}"
        for check in checks
        if comes_out(check, rule_set) is not check.comes_out
    ]
    assert changed == [], 'put "- " before what comes out wrong, take it away if it does no more'
    assert sum(check.comes_out for check in checks) > 0.9 * len(checks)
