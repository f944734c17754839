"""Shadow on every path: an experimental rule's DENY observes, is recorded, and never blocks."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from jurat.cli.options import FailOn
from jurat.cli.review_output import exit_code
from jurat.errors import ExitCode
from jurat.findings.evaluation import Conclusion
from jurat.findings.verdict import DecidedBy, Verdict
from jurat.findings.waivers import Decision
from jurat.judge.protocol import Judge, JudgeError, JudgeErrorKind, Prompt, Reply
from jurat.review import review
from jurat.review_interfaces import Inputs, Review, Services
from jurat.rules.config import Config
from jurat.rules.loader import load_ruleset
from jurat.rules.maturity import TrackRecord
from jurat.rules.rule import RuleSet
from jurat.source.diff_parser import parse_diff
from jurat.source.parsing import parse_in_process
from tests.support.gemini import Notebook, Spoken, denying

DIFF = b"""diff --git a/app.py b/app.py
--- a/app.py
+++ b/app.py
@@ -1,2 +1,3 @@
 import hashlib
+digest = hashlib.md5(password)
 print(1)
"""

RULE = """
version: 1
rules:
  - id: house.rule
    statement: Passwords are not hashed with MD5.
    modality: MUST_NOT
    subject_kinds: [code_diff]
"""

PATHS = {
    "deterministic": (
        """    kind: computational
    severity: HIGH
    constraints: [{type: numeric, field_path: change.lines_added, operator: "<=", threshold: 0}]
""",
        DecidedBy.DETERMINISTIC,
    ),
    "pattern": (
        """    kind: computational
    severity: HIGH
    constraints: [{type: pattern, language: python, pattern: hashlib.md5($$$A)}]
""",
        DecidedBy.PATTERN,
    ),
    "batch": ("    kind: normative\n    severity: HIGH\n", DecidedBy.BATCH),
    "fallback": ("    kind: normative\n    severity: HIGH\n", DecidedBy.SINGLE),
    "confirmation": ("    kind: normative\n    severity: CRITICAL\n", DecidedBy.CONFIRMATION),
}


class BatchCutOff(Spoken):
    """A model whose first answer, to the batch, is cut off."""

    async def ask(self, prompt: Prompt) -> Reply:
        reply = await super().ask(prompt)
        if len(self.asked) == 1:
            raise JudgeError(JudgeErrorKind.TRUNCATED, "cut off")
        return reply


@dataclass
class Given:
    """A source of one change, and the records and the publisher of its review."""

    rule: str
    ledger: Notebook = field(default_factory=Notebook)

    async def fetch(self) -> Inputs:
        rule_set = load_ruleset({"house.yml": RULE + self.rule})
        return Inputs(parse_diff(DIFF), rule_set, Config())

    def get_answers(self, repository: str | int | None) -> Notebook:
        return self.ledger

    async def track_records(
        self, repository: str | int | None, rule_set: RuleSet
    ) -> dict[str, TrackRecord]:
        return {}

    async def decisions(
        self, repository: str | int | None, code_prints: Sequence[str]
    ) -> Sequence[Decision]:
        return ()

    async def save(self, review: Review) -> None:
        """Nothing is kept."""

    async def publish(self, review: Review) -> None:
        """Nobody looks on."""

    async def mark_published(self, review: Review) -> None:
        """Nothing is kept."""


async def reviewed(rule: str, judge: Judge, *, maturity: str = "experimental") -> Review:
    given = Given(f"    maturity: {maturity}\n{rule}")
    services = Services(
        judge=judge,
        records=given,
        parse_map=parse_in_process,
        clock=lambda: dt.datetime(2026, 3, 2, tzinfo=dt.UTC),
    )
    return await review(given, given, services)


@pytest.mark.parametrize("path", PATHS)
async def test_an_experimental_denial_never_blocks(path: str) -> None:
    rule, decided_by = PATHS[path]
    judge = BatchCutOff() if path == "fallback" else Spoken()
    judge.functions["house.rule"] = denying("hashlib.md5")
    finished = await reviewed(rule, judge)
    (verdict,) = finished.evaluation.rule_verdicts
    assert verdict.decided_by is decided_by
    assert verdict.verdict is Verdict.NEEDS_CONFIRMATION
    assert verdict.reasoning.startswith("[SHADOW] ")
    assert verdict.would_block
    assert finished.evaluation.conclusion is Conclusion.NEUTRAL
    assert exit_code(finished.evaluation, FailOn.CONFIRM) is ExitCode.PASSED


@pytest.mark.parametrize("path", PATHS)
async def test_the_same_denial_of_a_stable_rule_blocks(path: str) -> None:
    rule, decided_by = PATHS[path]
    judge = BatchCutOff() if path == "fallback" else Spoken()
    judge.functions["house.rule"] = denying("hashlib.md5")
    finished = await reviewed(rule, judge, maturity="stable")
    (verdict,) = finished.evaluation.rule_verdicts
    assert (verdict.verdict, verdict.decided_by) == (Verdict.DENY, decided_by)
    assert not verdict.would_block
    assert finished.evaluation.conclusion is Conclusion.FAILURE
