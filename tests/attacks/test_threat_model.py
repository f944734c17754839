"""docs/threat-model.md is the table of what was tried."""

from __future__ import annotations

import subprocess
import sys

from tests.attacks.threat_model import PAGE, ROOT

COMMAND = "from tests.attacks.threat_model import *; print(end=write_page(collect_attacks()))"


def test_the_page_lists_the_attacks_that_are_played() -> None:
    # In a process of its own: pytest does not collect twice in one.
    made = subprocess.run(
        [sys.executable, "-c", COMMAND], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert made == PAGE.read_text(), "run `make attack`"
