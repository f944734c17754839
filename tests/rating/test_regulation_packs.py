"""Regulation packs are read strictly: what cannot be decided as written stops at its line."""

from __future__ import annotations

import pytest

from jurat.errors import RuleError
from jurat.rating.pack import RegulationPack, parse_pack

PACK = """\
regulation:
  {id: law, name: Law, version: "1", source: https://example.org/law, checked: 2026-01-31}
clauses:
  - id: "1"
    article: Art. 1
    title: Logging
    text: Events are recorded.
    link: https://example.org/law#1
    applies: [{since: 2026-08-02, by: Art. 99}]
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
        ("rule: logs", "rule: logz", "14: clauses[0].checker.deterministic[0].rule", "'logs'?"),
        ("[logging]", "[loging]", "11: clauses[0].signals_required[0]", "did you mean 'logging'"),
        ("title:", "titel:", "6: clauses[0].titel", "unknown key"),
        ("pass_default: false", "default: false", "15: clauses[0].score_mapping", "unknown key"),
        ("weight: 0.4", "weight: 0", "14: clauses[0].checker.deterministic[0].weight", "more than"),
        (
            "classification: code",
            "classification: soft",
            "10: clauses[0].classification",
            "external",
        ),
        ("https://example.org/law#1", "javascript:1", "8: clauses[0].link", "pattern"),
        (
            "    checker:",
            "    in_scope_when: {any_signal: [chat]}\n    checker:",
            "12: clauses[0].in_scope_when.any_signal[0]",
            "unknown signal 'chat'",
        ),
        ("2026-08-02", "2026-08-32", "9: clauses[0].applies[0].since", "a date such as"),
        (
            "since: 2026-08-02",
            "since: 2026-08-02, category: annex-x",
            "9: clauses[0].applies[0].category",
            "unknown category 'annex-x'",
        ),
        ("applies: [{since: 2026-08-02, by: Art. 99}]", "applies: []", "9: clauses[0].ap", "empty"),
        (
            "clauses:",
            "risk_triggers: {high: [{signals: [hiring], reason: x}]}\nclauses:",
            "3: risk_triggers.high[0].signals[0]",
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
