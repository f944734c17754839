"""Facts that nobody calls anything are what the rules that compute with them are about."""

from __future__ import annotations

import pytest

from jurat.facts.context import SubjectKind
from jurat.rules.loader import load_ruleset
from jurat.rules.selection import infer_kind
from tests.support.code import rule_text

HOURS = (
    "constraints: [{type: numeric, field_path: 'hours[0].extra', operator: '<=', threshold: 45}]"
)
COUNTRY = "preconditions: [{type: enum, field_path: country, allowed_values: [DE]}]"
FACTS = {"hours": [{"extra": 52}], "country": "DE"}


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ([("[event]", HOURS)], SubjectKind.EVENT),
        ([("[event]", COUNTRY)], SubjectKind.EVENT),
        ([("[code_diff, transaction]", HOURS)], SubjectKind.TRANSACTION),
        ([("[event, transaction]", HOURS), ("[event]", COUNTRY)], SubjectKind.EVENT),
        ([("[event]", HOURS), ("[]", COUNTRY)], SubjectKind.EVENT),
        ([("[event]", HOURS), ("[transaction]", COUNTRY)], None),
        ([("[event, decision]", HOURS)], None),
        ([("[code_diff]", HOURS)], None),
        ([("[]", HOURS)], None),
        ([("[event]", "tags: [hr]"), ("[event]", HOURS.replace("hours", "days"))], None),
    ],
)
def test_rules_that_compute_with_the_facts_say_what_they_are(
    rules: list[tuple[str, str]], expected: SubjectKind | None
) -> None:
    texts = [
        rule_text(line, id=f"test.r{number}", subject_kinds=kinds)
        for number, (kinds, line) in enumerate(rules)
    ]
    rule_set = load_ruleset({"r.yml": "rules:\n" + "".join(texts)})
    assert infer_kind(FACTS, rule_set, otherwise=SubjectKind.DECISION).kind is expected


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [("[event]", SubjectKind.EVENT), ("[code_diff, event]", None), ("[code_diff]", None)],
)
def test_facts_beside_a_change_join_it_unless_all_rules_on_them_are_about_something_else(
    kinds: str, expected: SubjectKind | None
) -> None:
    rule_set = load_ruleset({"r.yml": "rules:\n" + rule_text(HOURS, subject_kinds=kinds)})
    assert infer_kind(FACTS, rule_set, otherwise=SubjectKind.CODE_DIFF).kind is expected


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ([("[event]", HOURS), ("[transaction]", COUNTRY)], {"event", "transaction"}),
        ([("[event]", HOURS), ("[transaction, code_diff]", COUNTRY)], {"event", "transaction"}),
        ([("[event]", HOURS), ("[event, transaction]", COUNTRY)], set()),
        ([("[event]", HOURS), ("[transaction]", "tags: [pay]")], set()),
        ([("[code_diff]", HOURS)], set()),
    ],
)
def test_facts_are_of_every_kind_where_the_rules_on_them_have_none_in_common(
    rules: list[tuple[str, str]], expected: set[str]
) -> None:
    texts = [
        rule_text(line, id=f"test.r{number}", subject_kinds=kinds)
        for number, (kinds, line) in enumerate(rules)
    ]
    rule_set = load_ruleset({"r.yml": "rules:\n" + "".join(texts)})
    assert infer_kind(FACTS, rule_set, otherwise=SubjectKind.DECISION).disputed == expected
