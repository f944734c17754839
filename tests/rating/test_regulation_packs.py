"""Regulation packs are read strictly: what cannot be decided as written stops at its line."""

from __future__ import annotations

import pytest

from jurat.errors import RuleError
from jurat.rating.pack import RegulationPack, parse_pack

PACK = """\
regulation: {id: law, name: Law, version: "1", source: https://example.org/law}
clauses:
  - id: "1"
    article: Art. 1
    title: Logging
    text: Events are recorded.
    link: https://example.org/law#1
    classification: code
    signals_required: [logging]
    checker:
      deterministic:
        - {rule: logs, weight: 0.4}
    score_mapping: {pass_default: false}
    remediation_hint: Record events.
"""


def parsed(text: str) -> RegulationPack:
    return parse_pack("law.yml", text, rules=["logs", "keeps_logs"], signals=["logging", "tracing"])


def test_a_pack_that_is_right_is_read() -> None:
    (clause,) = parsed(PACK).clauses
    assert (clause.id, clause.negative, clause.checker.llm_judge) == ("1", False, False)


@pytest.mark.parametrize(
    ("old", "new", "place", "problem"),
    [
        ("rule: logs", "rule: logz", "12: clauses[0].checker.deterministic[0].rule", "'logs'?"),
        ("[logging]", "[loging]", "9: clauses[0].signals_required[0]", "did you mean 'logging'"),
        ("title:", "titel:", "5: clauses[0].titel", "unknown key"),
        ("pass_default: false", "default: false", "13: clauses[0].score_mapping", "unknown key"),
        ("weight: 0.4", "weight: 0", "12: clauses[0].checker.deterministic[0].weight", "more than"),
        (
            "classification: code",
            "classification: soft",
            "8: clauses[0].classification",
            "external",
        ),
        ("https://example.org/law#1", "javascript:1", "7: clauses[0].link", "pattern"),
        (
            "    checker:",
            "    in_scope_when: {any_signal: [chat]}\n    checker:",
            "10: clauses[0].in_scope_when.any_signal[0]",
            "unknown signal 'chat'",
        ),
        (
            "clauses:",
            "risk_triggers: {high: [{signals: [hiring], reason: x}]}\nclauses:",
            "2: risk_triggers.high[0].signals[0]",
            "unknown signal 'hiring'",
        ),
    ],
)
def test_a_pack_that_is_wrong_says_where(old: str, new: str, place: str, problem: str) -> None:
    assert old in PACK
    with pytest.raises(RuleError) as caught:
        parsed(PACK.replace(old, new))
    told = "\n".join(str(error) for error in (caught.value, *caught.value.others))
    assert f"law.yml:{place}" in told
    assert problem in told


def test_a_clause_stands_once() -> None:
    clause = PACK.split("clauses:\n")[1]
    with pytest.raises(RuleError, match="stands twice"):
        parsed(PACK + clause)
