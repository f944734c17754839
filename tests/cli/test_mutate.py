"""`jurat rules mutate`: what a rule makes of its examples in disguise."""

from __future__ import annotations

from pathlib import Path

from tests.support.command import Run

RULE = """\
version: 1
rules:
  - id: own.call
    statement: Nothing is fetched unchecked.
    kind: computational
    modality: MUST_NOT
    severity: HIGH
    constraints:
      - {type: pattern, language: python, pattern: "requests.get($URL, verify=False)"}
    examples:
      invalid: ["import requests\\nrequests.get(path.url, verify=False)"]
      valid: ["import requests\\nrequests.get(path.url)"]
"""


def test_it_says_what_was_missed(run: Run, tmp_path: Path) -> None:
    rules = tmp_path / "own.yml"
    rules.write_text(RULE)
    done = run("rules", "mutate", rules)
    assert done.code == 1
    assert "own.call: caught 3 of 5, fooled by 0 of 6" in done.out
    assert "missed invalid[0]: imports by other names" in done.out
    assert "missed invalid[0]: names imported by themselves" in done.out
    assert done.out.endswith("1 rule: caught 3 of 5, fooled by 0 of 6.\n")


def test_nothing_to_disguise_is_no_success(run: Run, tmp_path: Path) -> None:
    rules = tmp_path / "own.yml"
    rules.write_text(RULE.partition("    examples:")[0])
    done = run("rules", "mutate", rules)
    assert done.code == 3
    assert "no example to disguise" in done.err
