from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurat.facts.context import TERMS, Surface
from jurat.findings.verdict import Verdict
from jurat.judge.replies import (
    ProposedFix,
    QuotedFinding,
    ReplyVerdict,
    UnparsableReplyError,
    UnreadableAnswer,
    build_schema,
    from_json,
    read_reply,
    to_json,
)

ENTRY: dict[str, Any] = {
    "rule": "a.rule",
    "reasoning": "It says so.",
    "findings": [{"file_path": "a.py", "quote": "x = 1", "start_line": 3}],
    "verdict": "DENY",
    "confidence": 0.9,
    "issue": "x is one",
}


def one(surface: Surface = Surface.CODE, **fields: Any) -> ReplyVerdict | UnreadableAnswer:
    (answer,) = read_reply(json.dumps({"verdicts": [{**ENTRY, **fields}]}), surface).values()
    return answer


def test_a_verdict_is_read_with_its_findings() -> None:
    assert one() == ReplyVerdict(
        Verdict.DENY,
        0.9,
        "It says so.",
        "x is one",
        "",
        (QuotedFinding("x = 1", "a.py", {"start_line": 3}),),
    )


@pytest.mark.parametrize("source", [7, None, ["a.py"], True])
def test_what_is_no_text_names_no_source(source: object) -> None:
    answer = one(findings=[{"file_path": source, "quote": "x = 1"}])
    assert isinstance(answer, ReplyVerdict)
    assert [finding.source for finding in answer.findings] == [""]


@pytest.mark.parametrize(
    "fields",
    [
        {"verdict": "deny"},
        {"verdict": "NOT_ASSESSED"},
        {"verdict": None},
        {"confidence": 1.5},
        {"confidence": -0.1},
        {"confidence": "0.9"},
        {"confidence": float("nan")},
        {"confidence": True},
        {"reasoning": ""},
        {"reasoning": 7},
        {"findings": "a.py"},
        {"findings": [{"file_path": "a.py"}]},
        {"findings": [{"file_path": "a.py", "quote": 7}]},
        {"findings": [{"file_path": "a.py", "quote": "x" * 5000}]},
        {"findings": [{"quote": "x"}] * 50},
        {"findings": [{"quote": "x", "remediation": {"type": "replace"}}]},
        {"issue": ["x"]},
    ],
)
def test_a_verdict_of_a_wrong_shape_is_unreadable_and_never_repaired(
    fields: dict[str, Any],
) -> None:
    assert isinstance(one(**fields), UnreadableAnswer)


@pytest.mark.parametrize(
    "text",
    ["", "Everything is fine.", "[]", "{}", '{"verdicts": {}}', '{"verdicts": [', "[" * 99_999],
)
def test_a_reply_without_a_list_of_verdicts_may_not_be_used(text: str) -> None:
    with pytest.raises(UnparsableReplyError):
        read_reply(text, Surface.CODE)


def test_one_bad_entry_leaves_the_others() -> None:
    entries = [ENTRY, {**ENTRY, "rule": "b.rule", "verdict": "FINE"}, "noise", {"verdict": "ALLOW"}]
    answers = read_reply(json.dumps({"verdicts": entries}), Surface.CODE)
    assert isinstance(answers["a.rule"], ReplyVerdict)
    assert isinstance(answers["b.rule"], UnreadableAnswer)
    assert len(answers) == 2


def test_an_id_that_stands_twice_is_unreadable() -> None:
    entries = [ENTRY, {**ENTRY, "verdict": "ALLOW"}]
    answers = read_reply(json.dumps({"verdicts": entries}), Surface.CODE)
    assert answers == {"a.rule": UnreadableAnswer("the model answered twice")}


@pytest.mark.parametrize("surface", Surface)
def test_a_location_field_of_another_surface_is_rejected_and_noted(surface: Surface) -> None:
    known = TERMS[surface].location_fields
    foreign = [*sorted(TERMS[Surface.GENERIC].location_fields - known), "approved_by"]
    answer = one(surface, findings=[{"quote": "x", **dict.fromkeys(foreign, "y")}])
    assert isinstance(answer, ReplyVerdict)
    (finding,) = answer.findings
    assert finding.hints == {}
    assert [note for field in foreign for note in answer.notes if repr(field) in note] == list(
        answer.notes
    )
    assert len(answer.notes) == len(foreign)


def test_a_remediation_type_of_another_surface_is_rejected_and_noted() -> None:
    fix = {"type": "clause_revision", "replacement": "y"}
    answer = one(findings=[{"quote": "x", "remediation": fix}])
    assert isinstance(answer, ReplyVerdict)
    assert answer.findings[0].fix is None
    assert answer.notes == ("The remediation type 'clause_revision' is not of the code surface.",)


@pytest.mark.parametrize("surface", Surface)
def test_the_schema_asks_only_for_terms_of_its_surface(surface: Surface) -> None:
    entry = build_schema(surface)["properties"]["verdicts"]["items"]
    finding = entry["properties"]["findings"]["items"]
    asked = set(finding["properties"]) - {"source", "quote", "why", "remediation"}
    assert asked <= TERMS[surface].location_fields
    types = finding["properties"]["remediation"]["properties"]["type"]["enum"]
    assert set(types) == TERMS[surface].remediation_types


@pytest.mark.parametrize("surface", Surface)
def test_the_evidence_comes_before_the_verdict(surface: Surface) -> None:
    required = build_schema(surface)["properties"]["verdicts"]["items"]["required"]
    assert required.index("findings") < required.index("verdict")


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from([*ENTRY, "verdicts", "quote"]), inner, max_size=6)
    ),
    max_leaves=20,
)


@given(JSON)
def test_no_reply_breaks_the_reader(document: object) -> None:
    try:
        answers = read_reply(json.dumps(document), Surface.CODE)
    except UnparsableReplyError:
        return
    assert all(isinstance(item, ReplyVerdict | UnreadableAnswer) for item in answers.values())


def test_an_answer_survives_the_ledger() -> None:
    answer = one(
        findings=[
            {
                "file_path": "a.py",
                "quote": "x",
                "start_line": 3,
                "function_name": "f",
                "remediation": {"type": "replace", "replacement": "y"},
            }
        ]
    )
    assert isinstance(answer, ReplyVerdict)
    assert answer.findings[0].fix == ProposedFix("replace", "y")
    assert from_json(json.loads(json.dumps(to_json(answer)))) == answer
