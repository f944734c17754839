"""`jurat review --show-prompt`: what a model would be sent, on paper and nowhere else."""

from __future__ import annotations

from pathlib import Path

from tests.support.command import Run
from tests.support.secret_formats import draw_secret

STOCK = Path(__file__).parents[2] / "fixtures" / "repos" / "stock_agent"
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


def test_what_rules_would_be_ranked_by_is_printed_without_a_secret(
    run: Run, tmp_path: Path
) -> None:
    secret, _ = draw_secret("github-pat")
    rules, change = write(tmp_path, secret)
    tastes = [
        RULES.split("rules:\n")[1]
        .replace("no-names-in-logs", f"taste-{number}")
        .replace("MUST_NOT", "SHOULD")
        .replace("HIGH", "MEDIUM")
        for number in range(30)
    ]
    rules.write_text(RULES + "".join(tastes))
    ran = run("review", "--show-prompt", "--pack", "none", "--rules", rules, "--diff", change)
    assert ran.code == 0
    assert ran.out.startswith("=== 30 texts to embed, each a document: ")
    assert "=== 1 text to embed, each a query: " in ran.out
    assert "=== prompt 1, for the flash tier: " in ran.out
    assert secret not in ran.out


def test_what_a_rating_would_ask_is_printed_without_a_key(run: Run, tmp_path: Path) -> None:
    secret, _ = draw_secret("github-pat")
    agent = (STOCK / "app.py").read_text()
    (tmp_path / "agent.py").write_text(f"KEY = {secret!r}\n{agent}\nlog({secret!r})\n")
    ran = run("rate", tmp_path, "--regulation", "eu-ai-act", "--show-prompt")
    assert ran.code == 0
    assert ran.out.startswith("=== prompt 1, for the ")
    assert "eu-ai-act." in ran.out
    assert secret not in ran.out
    assert "Risk: " not in ran.out
