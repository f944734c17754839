"""docs/threat-model.md is the table of what was tried."""

from __future__ import annotations

from tests.attacks.threat_model import PAGE, collect_attacks, write_page


def test_the_page_lists_the_attacks_that_are_played() -> None:
    assert write_page(collect_attacks()) == PAGE.read_text(), "run `make attack`"
