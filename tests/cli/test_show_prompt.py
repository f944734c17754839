"""`jurat review --show-prompt`: what a model would be sent, on paper and nowhere else."""

from __future__ import annotations

from pathlib import Path

from tests.support.command import Run
from tests.support.secret_formats import draw_secret

RULES = """version: 1
rules:
  - id: house.no-names-in-logs
    statement: Log lines hold no names of customers.
    kind: normative
    modality: MUST_NOT
    severity: HIGH
"""
DIFF = "--- a/app.py\n+++ b/app.py\n@@ -1 +1,2 @@\n x = 1\n+log({!r})\n"


def write(folder: Path, line: str) -> tuple[Path, Path]:
    rules, change = folder / "rules.yml", folder / "change.diff"
    rules.write_text(RULES)
    change.write_text(DIFF.format(line))
    return rules, change


def test_the_prompt_is_printed_without_a_key_and_without_a_secret(run: Run, tmp_path: Path) -> None:
    secret, _ = draw_secret("github-pat")
    rules, change = write(tmp_path, secret)
    ran = run("review", "--show-prompt", "--pack", "none", "--rules", rules, "--diff", change)
    assert ran.code == 0
    assert ran.out.startswith("=== prompt 1, for the flash tier: ")
    assert "Log lines hold no names of customers." in ran.out
    assert "⟦masked: issued token⟧" in ran.out
    assert secret not in ran.out
    assert "prompt 2" not in ran.out


def test_it_says_if_nothing_would_be_sent(run: Run, tmp_path: Path) -> None:
    _, change = write(tmp_path, "x")
    ran = run("review", "--show-prompt", "--pack", "none", "--diff", change)
    assert (ran.code, ran.out) == (0, "")
    assert "no model would be asked" in ran.err
