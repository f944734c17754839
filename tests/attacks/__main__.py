"""`python -m tests.attacks` writes the table of attacks into docs/threat-model.md."""

from __future__ import annotations

from tests.attacks.threat_model import PAGE, collect_attacks, write_page

PAGE.write_text(write_page(collect_attacks()))
