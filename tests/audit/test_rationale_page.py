"""docs/rationale.md says what is so."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from jurat.audit import decision_rationale_rules
from jurat.audit.custom import load_rule_set
from jurat.audit.provenance import REGULATIONS

PAGE = (Path(__file__).parents[2] / "docs" / "rationale.md").read_text(encoding="utf-8")


def block(kind: str) -> str:
    found = re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)
    assert len(found) == 1
    return found[0]


def test_the_example_of_a_rule_file_can_be_loaded() -> None:
    rule_set = load_rule_set("acme.yml", block("yaml"))
    good = rule_set.evaluate(question="q", response="The owner is team A, because of ADR-7.")
    assert good.sub_scores == {"specificity": 1.0, "reasons": 1.0}
    assert rule_set.evaluate(question="q", response="The owner is team A.").flagged


def test_the_example_in_python_does_what_it_says() -> None:
    code, _, expected = block("python").rpartition("  # ")
    lines = code.rstrip().split("\n")
    names: dict[str, Any] = {}
    exec("\n".join(lines[:-1]), names)
    assert eval(lines[-1], names) is (expected.strip() == "True")


def test_the_example_of_a_result_is_one() -> None:
    result = decision_rationale_rules().evaluate(
        question="Should the loan be approved?",
        response=(
            "The loan should be declined because 850,000 EUR exceed the limit of 800,000 EUR in"
            " policy section 4.2. There is an AML flag on the borrower. Confidence is 0.9."
        ),
        context=(
            "The borrower asks for a loan of 850,000 EUR. Policy section 4.2 has a limit of"
            " 800,000 EUR. An AML flag is present."
        ),
    )
    shown = PAGE.split("```\n$ jurat audit", 1)[1].split("```", 1)[0].split("\n")[1:]
    for line in filter(None, shown):
        start, _, end = line.partition("; … ")
        assert start in result.audit_explanation
        assert end in result.audit_explanation


def test_every_regulation_has_its_title() -> None:
    table = PAGE.split("## The regulations", 1)[1].split("##", 1)[0]
    assert re.findall(r"^\| `(\w+)` \| [^|]*\d", table, re.MULTILINE) == list(REGULATIONS)
