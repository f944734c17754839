"""Same input, same bytes: in every process, whatever the order of its sets."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.support.production import python

ROOT = Path(__file__).parents[2]

AUDITS = """
import json, sys
from dataclasses import asdict
from pathlib import Path
import yaml
from jurat.audit import (
    banking_rules, decision_rationale_rules, groundlens_banking_rules, verdict_rationale_rules,
)
table = yaml.safe_load(Path("fixtures/rationales/decisions.yml").read_text())
sets = [
    banking_rules(),
    groundlens_banking_rules(),
    decision_rationale_rules(regulations=("gdpr", "hipaa")),
    verdict_rationale_rules("DENY"),
    verdict_rationale_rules("ALLOW"),
]
for entry in table["rationales"]:
    if "error" not in entry and "repeat" not in entry:
        told = {**table["case"], **entry}
        for rule_set in sets:
            result = rule_set.evaluate(
                question=told["question"],
                response=told["response"],
                context=told["context"],
                metadata={**told["metadata"], "flags_present": {"AML", "KYC", "income", "risk"}},
            )
            print(json.dumps(asdict(result)))
"""


def audited(seed: str) -> bytes:
    return subprocess.run(
        [python(), "-c", AUDITS],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": seed},
        check=True,
        capture_output=True,
    ).stdout


def test_the_bytes_are_the_same_with_any_hash_seed() -> None:
    first = audited("0")
    assert first.count(b"\n") > 100
    for seed in ("1", "4242"):
        assert audited(seed) == first
