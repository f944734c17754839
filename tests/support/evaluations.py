"""Evaluations that hold one verdict of each sort, for whatever shows them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from jurat.findings.evaluation import Conclusion, Coverage, Evaluation
from jurat.findings.model_usage import ModelUsage
from jurat.findings.verdict import DecidedBy, NotAssessedReason, RuleVerdict, UnreadFile, Verdict
from jurat.findings.waivers import Decision, DecisionKind
from jurat.rules.rule import Maturity, Modality, RuleKind, Severity
from jurat.rules.selection import OmittedRule
from jurat.source.diff import FileChange, Hunk, Line
from jurat.store.evaluations import Store
from jurat.store.rows import About
from tests.support.server import START
from tests.support.values import a_file, a_fix, a_location, a_rule, a_verdict

SEED_FIELDS = {
    "overall_verdict",
    "rule_verdicts",
    "violations",
    "warnings",
    "remediations",
    "auto_fixable_count",
    "fix_summary",
    "evaluation_id",
    "rules_evaluated",
    "rules_passed",
    "rules_violated",
    "rules_uncertain",
    "model_ids_used",
    "total_latency_ms",
}
"""What a response holds at least (seed of the engine)."""

CODE = [
    "import hashlib",
    "def digest(data):",
    "    return md5(data)  # [red]fast[/red]",
    "\tx = 1",
]


def the_file() -> FileChange:
    lines = tuple(Line("added", None, number, text) for number, text in enumerate(CODE, 1))
    return replace(a_file("app.py"), hunks=(Hunk(0, 0, 1, len(CODE), "", lines),))


def denied() -> RuleVerdict:
    return a_verdict(
        a_rule("py.no-md5", tags=("security",), rationale="MD5 collisions are cheap."),
        locations=(a_location("app.py", 3, snippet=CODE[2]),),
        remediations=(
            replace(a_fix("app.py", 3, new="    return sha256(data)"), original=CODE[2]),
        ),
        fix_suggestion="Use SHA-256.",
    )


def everything() -> Evaluation:
    """One verdict of each sort."""
    normative = {"kind": RuleKind.NORMATIVE, "modality": Modality.MUST}
    verdicts = (
        denied(),
        a_verdict(
            a_rule(
                "tests.touched",
                statement="A change of code comes with a change of tests.",
                modality=Modality.SHOULD,
            ),
            Verdict.NEEDS_CONFIRMATION,
            issue="Code changed and no test did.",
            reasoning="Code changed and no test did.",
            decided_by=DecidedBy.DETERMINISTIC,
        ),
        a_verdict(
            a_rule("acme.new", maturity=Maturity.EXPERIMENTAL, severity=Severity.LOW),
            Verdict.NEEDS_CONFIRMATION,
            would_block=True,
            reasoning="[SHADOW] It stands in an added line.",
            locations=(a_location("app.py", 4),),
        ),
        a_verdict(a_rule("acme.fine"), Verdict.ALLOW, issue=""),
        a_verdict(
            a_rule("acme.judged", **normative),
            Verdict.NOT_ASSESSED,
            reasoning="No model is configured.",
            decided_by=DecidedBy.NOBODY,
            gap=NotAssessedReason.NO_MODEL,
            issue="",
        ),
    )
    return Evaluation(
        evaluation_id="ev-1",
        overall=Verdict.DENY,
        rule_verdicts=verdicts,
        coverage=Coverage(2, (UnreadFile("big.js", "It has 9 MB."),), 7),
        omitted=(OmittedRule(a_rule("acme.cut", **normative), "Beyond max_rules (20)."),),
        models=(ModelUsage("gemini-x", 1, 100, 20, 12.3456),),
        total_latency_ms=41.23456,
        notes=("A note.",),
        conclusion=Conclusion.FAILURE,
    )


def failed() -> Evaluation:
    """A blocking rule that a configured model did not decide."""
    verdict = a_verdict(
        a_rule(kind=RuleKind.NORMATIVE),
        Verdict.NOT_ASSESSED,
        reasoning="The model timed out.",
        gap=NotAssessedReason.MODEL_FAILED,
        decided_by=DecidedBy.NOBODY,
    )
    return Evaluation("ev-2", Verdict.NEEDS_CONFIRMATION, (verdict,), Coverage(1, (), 1))


async def save_published(store: Store, evaluation: Evaluation, about: About) -> None:
    """Keep a review that was shown."""
    await store.save(evaluation, about)
    await store.mark_published(evaluation.evaluation_id)


def a_decision(print_: str = "1" * 16, **fields: Any) -> Decision:
    """A dismissal, unless `fields` say otherwise."""
    values: dict[str, Any] = {
        "kind": DecisionKind.DISMISSED,
        "repository": "octo/hello",
        "number": 7,
        "head_sha": "a" * 40,
        "evaluation_id": "e-1",
        "fingerprint": print_,
        "code_print": print_,
        "path": "app.py",
        "rule_id": "team.rule-1",
        "revision": "r1",
        "verdict": Verdict.DENY,
        "by": "wendy",
        "why": "A fixture.",
        "at": START,
    }
    return Decision(**{**values, **fields})
