"""Computed verdicts in pull requests: on each surface in its own terms, and on the right lines."""

from __future__ import annotations

from typing import Any

import pytest

from jurat.engine.check import check_rules
from jurat.facts.assembly import build_subjects
from jurat.facts.context import SURFACE_OF, TERMS, SubjectKind, Surface
from jurat.findings.finding import Location
from jurat.findings.verdict import NotAssessedReason, RuleVerdict, Verdict
from jurat.rules.selection import SelectionCriteria, select_applicable
from jurat.source.diff import Diff, FileChange
from tests.support.code import added, changed, rule_text, rules
from tests.support.surfaces import TODAY

CAP = "constraints: [{type: numeric, field_path: %s, operator: '<=', threshold: %s}]"
BAD = r"constraints: [{type: regex, pattern: 'for e\w+'}]"


def decided(text: str, kind: SubjectKind, *files: FileChange, **facts: Any) -> RuleVerdict | None:
    """The verdict on the only rule; None if a model must judge."""
    surfaces = {file.path: kind for file in files}
    context = build_subjects(Diff(files), surfaces=surfaces, facts=facts, kind=kind)
    rule_set = rules(text)
    selection = select_applicable(context, rule_set, SelectionCriteria(), TODAY)
    return next(iter(check_rules(context, selection, rule_set).verdicts), None)


def place(text: str, kind: SubjectKind, *files: FileChange, **facts: Any) -> Location:
    verdict = decided(text, kind, *files, **facts)
    assert verdict is not None
    assert verdict.verdict is Verdict.DENY
    (only,) = verdict.locations
    return only


CONTRACT = "# Supply\n\n2. Fees\n\n2.1 The fee rises\n  by 5% for ever.\n"
ENTRY = '{\n  "lines": [\n    {"id": "L1", "amount": 5},\n    {"id": "L2", "amount": 900}\n  ]\n}\n'
CASE = "person: A-17\nsteps:\n  - name: hearing\n    days: 3\n  - name: warning\n    days: 900\n"


@pytest.mark.parametrize(
    ("kind", "path", "text", "fields"),
    [
        (SubjectKind.CLAUSE_SET, "a.md", CONTRACT, {"clause_ref": "2.1"}),
        (SubjectKind.CLAUSE_SET, "a.txt", CONTRACT, {"clause_ref": "2.1"}),
        (SubjectKind.DOCUMENT, "a.md", CONTRACT, {"section": "Supply"}),
        (SubjectKind.CREATIVE, "a.md", CONTRACT, {"segment": "Supply, paragraph 2"}),
    ],
)
def test_words_in_a_text_are_placed_by_passage_and_characters(
    kind: SubjectKind, path: str, text: str, fields: dict[str, str]
) -> None:
    found = place(rule_text(BAD, statement="Nothing lasts."), kind, added(text, path))
    start = text.index("for ever")
    assert found == Location(
        SURFACE_OF[kind],
        path,
        6,
        6,
        {
            **fields,
            "span_text": "for ever",
            "offset_start": start,
            "offset_end": start + len("for ever"),
        },
    )


def test_characters_are_code_points_whatever_their_bytes() -> None:
    text = "1. Ünïcödé 😀 gift\r\n2. für immer, for ever\r\n"
    found = place(rule_text(BAD), SubjectKind.CLAUSE_SET, added(text, "a.md"))
    start, end = int(found.fields["offset_start"]), int(found.fields["offset_end"])
    assert (text[start:end], found.start_line) == ("for ever", 2)


def test_only_added_lines_are_searched() -> None:
    file = changed(CONTRACT, CONTRACT.replace("The fee", "The price"), "a.md")
    verdict = decided(rule_text(BAD), SubjectKind.CLAUSE_SET, file)
    assert verdict is not None
    assert verdict.verdict is Verdict.ALLOW


def test_a_value_of_a_transaction_is_placed_by_its_path_and_line() -> None:
    text = rule_text(CAP % ('"lines[*].amount"', 100))
    found = place(text, SubjectKind.TRANSACTION, added(ENTRY, "ledger/7.json"))
    assert found == Location(
        Surface.TRANSACTION,
        "ledger/7.json",
        4,
        4,
        {"json_path": "$.lines[1].amount", "field_name": "amount", "current_value": "900"},
    )


def test_a_value_of_a_human_action_is_placed_by_its_step_and_line() -> None:
    text = rule_text(CAP % ('"steps[*].days"', 100))
    found = place(text, SubjectKind.EVENT, added(CASE, "hr/7.yml"))
    assert found == Location(
        Surface.HUMAN_ACTION,
        "hr/7.yml",
        6,
        6,
        {"step": "warning", "field": "days", "context": "steps[1].days = 900"},
    )


@pytest.mark.parametrize(
    ("constraint", "lines"),
    [
        ("{type: date, field_path: on, operator: '<', reference_date: 2026-01-01}", (2, 2)),
        ("{type: enum, field_path: currency, allowed_values: [EUR]}", (1, 1)),
        ("{type: lookup, field_path: currency, lookup_table: t.csv, key_column: k}", (1, 1)),
        ("{type: order, steps: [ask, pay]}", (5, 6)),
    ],
)
def test_every_constraint_over_facts_lands_on_its_line(
    constraint: str, lines: tuple[int, int]
) -> None:
    entry = (
        "currency: JPY\non: 2026-03-01\nsteps:\n  - name: look\n  - name: pay\n    by: A\n  - ask\n"
    )
    kind = "procedural" if "order" in constraint else "computational"
    rule_set = rules(rule_text(f"constraints: [{constraint}]", kind=kind), **{"t.csv": "k\nEUR\n"})
    file = added(entry, "ledger/1.yml")
    context = build_subjects(Diff((file,)), surfaces={"ledger/*": SubjectKind.TRANSACTION})
    selection = select_applicable(context, rule_set, SelectionCriteria(), TODAY)
    (verdict,) = check_rules(context, selection, rule_set).verdicts
    (found,) = verdict.locations
    assert (verdict.verdict, found.start_line, found.end_line) == (Verdict.DENY, *lines)
    assert set(found.fields) == {"json_path", "field_name", "current_value"}


def test_an_entry_that_the_change_leaves_as_it_was_is_no_news() -> None:
    text = rule_text(CAP % ('"items[*].amount"', 100))
    old, new = '  {"amount": 900}', '  {"amount": 901}'
    base = f"[\n{old}\n]\n"
    added_behind = changed(base, f"[\n{old},\n{new}\n]\n", "l/1.json")
    assert place(text, SubjectKind.TRANSACTION, added_behind).start_line == 3
    for head in (f"[\n\n{old}\n]\n", f'[\n{old},\n  {{"amount": 1}}\n]\n'):
        verdict = decided(text, SubjectKind.TRANSACTION, changed(base, head, "l/1.json"))
        assert verdict is not None
        assert verdict.verdict is Verdict.ALLOW


def test_a_file_cannot_say_that_a_rule_is_not_about_it_nor_where_it_fails() -> None:
    entry = '{"items": [{"path": "tests/a.py", "start_line": 77, "name": "x", "amount": 900}]}\n'
    text = rule_text('paths: ["ledger/**"]', CAP % ('"items[*].amount"', 100))
    found = place(text, SubjectKind.TRANSACTION, added(entry, "ledger/1.json"))
    assert (found.file_path, found.start_line) == ("ledger/1.json", 1)
    verdict = decided(text, SubjectKind.TRANSACTION, added(entry, "ledger/1.json"))
    assert verdict is not None
    assert "tests/a.py" not in verdict.issue


def test_words_in_a_data_file_are_placed_by_the_value_they_stand_in() -> None:
    entry = '{\n  "id": "P-1",\n  "purpose": "rent for ever"\n}\n'
    found = place(rule_text(BAD), SubjectKind.TRANSACTION, added(entry, "ledger/1.json"))
    assert found.fields == {
        "json_path": "$.purpose",
        "field_name": "purpose",
        "current_value": "rent for ever",
    }
    case = "steps:\n  - name: warning\n    grounds: |\n      Late.\n      Lazy for ever.\n"
    found = place(rule_text(BAD), SubjectKind.EVENT, added(case, "hr/1.yml"))
    assert (found.start_line, found.fields["step"], found.fields["field"]) == (
        5,
        "warning",
        "grounds",
    )


@pytest.mark.parametrize("kind", SubjectKind)
@pytest.mark.parametrize("path", ["a.md", "a.json", "a.yml", "a.txt", "a.csv"])
def test_no_place_and_no_fix_has_a_term_that_its_surface_does_not_know(
    kind: SubjectKind, path: str
) -> None:
    text = '{"k": [{"note": "for ever", "amount": 900}]}\n'
    pattern = "{type: pattern, language: [json, yaml, markdown], pattern: '900', fix: '1'}"
    file = added(text, path)
    context = build_subjects(Diff((file,)), surfaces={"a.*": kind})
    rule_set = rules(
        rule_text(BAD, id="a")
        + rule_text(CAP % ('"k[*].amount"', 100), id="b")
        + rule_text(f"constraints: [{pattern}]", id="c")
        + rule_text(CAP % ('"document.words"', 0), id="d")
    )
    selection = select_applicable(context, rule_set, SelectionCriteria(), TODAY)
    verdicts = [
        item
        for item in check_rules(context, selection, rule_set).verdicts
        if item.verdict is Verdict.DENY
    ]
    assert verdicts
    terms = TERMS[SURFACE_OF[kind]]
    for item in verdicts:
        for location in item.locations:
            assert location.surface is SURFACE_OF[kind]
            assert location.file_path == path
            assert set(location.fields) <= terms.location_fields
        assert {fix.type for fix in item.remediations} <= terms.remediation_types


@pytest.mark.parametrize(
    ("kind", "fix", "note"),
    [
        (SubjectKind.CODE_DIFF, "replace", ""),
        (SubjectKind.TRANSACTION, "field_change", ""),
        (SubjectKind.DOCUMENT, "text_rewrite", ""),
        (
            SubjectKind.EVENT,
            None,
            "A fix of type 'replace' was left out: it is not of the human_action surface.",
        ),
    ],
)
def test_a_fix_of_lines_is_called_what_its_surface_calls_it(
    kind: SubjectKind, fix: str | None, note: str
) -> None:
    text = rule_text(
        "constraints: [{type: pattern, language: yaml, pattern: 'paid: false', fix: 'paid: true'}]"
    )
    verdict = decided(text, kind, added("a: 1\npaid: false\n", "x/1.yml"))
    assert verdict is not None
    assert verdict.verdict is Verdict.DENY
    assert [item.type for item in verdict.remediations] == ([fix] if fix else [])
    assert verdict.note == note
    if fix:
        (only,) = verdict.remediations
        assert (only.start_line, only.original, only.replacement) == (
            2,
            "paid: false",
            "paid: true",
        )


class TestMeasures:
    def test_a_passage_that_is_too_long_is_placed_as_a_whole(self) -> None:
        text = rule_text(CAP % ('"contract.clauses[*].words"', 3))
        found = place(text, SubjectKind.CLAUSE_SET, added("1. One\n\n2. Two\nthree four\n", "a.md"))
        assert (found.start_line, found.end_line) == (3, 4)
        assert found.fields == {"clause_ref": "2", "offset_start": 8, "offset_end": 25}

    def test_a_text_that_is_too_long_is_a_finding_on_the_file(self) -> None:
        text = rule_text(CAP % ("message.characters", 4))
        found = place(text, SubjectKind.CREATIVE, added("Hi all\n", "a.md"))
        assert (found.file_path, found.start_line, found.fields) == ("a.md", None, {})

    def test_a_bound_in_prose_is_not_measured_by_guessing(self) -> None:
        text = rule_text(statement="A clause has at most 2 words.")
        assert decided(text, SubjectKind.CLAUSE_SET, added("1. One two three\n", "a.md")) is None


BROKEN = added('{"amount": NaN}\n', "l/1.json")


class TestUnread:
    @pytest.mark.parametrize(
        "lines",
        [
            (CAP % ("amount", 100),),
            (BAD,),
            ("preconditions: [{type: enum, field_path: c, allowed_values: [EUR]}]", CAP % ("a", 1)),
            (),
        ],
        ids=["fact", "regex", "precondition", "statement"],
    )
    def test_no_rule_passes_on_data_that_was_not_read(self, lines: tuple[str, ...]) -> None:
        text = rule_text(*lines, statement="The amount is at most 100.")
        verdict = decided(text, SubjectKind.TRANSACTION, BROKEN)
        assert verdict is not None
        assert (verdict.verdict, verdict.gap) == (Verdict.NOT_ASSESSED, NotAssessedReason.UNREAD)
        assert "l/1.json" in verdict.reasoning

    def test_nor_does_it_on_what_else_says_the_same(self) -> None:
        text = rule_text(CAP % ("amount", 100))
        fine = added('{"amount": 5}\n', "l/2.json")
        verdict = decided(text, SubjectKind.TRANSACTION, BROKEN, fine, amount=5)
        assert verdict is not None
        assert verdict.verdict is Verdict.NOT_ASSESSED

    def test_a_violation_elsewhere_is_found_all_the_same(self) -> None:
        text = rule_text(CAP % ("amount", 100))
        fine = added('{"amount": 500}\n', "l/2.json")
        verdict = decided(text, SubjectKind.TRANSACTION, BROKEN, fine)
        assert verdict is not None
        assert verdict.verdict is Verdict.DENY

    def test_a_rule_about_the_diff_does_not_care(self) -> None:
        text = rule_text(CAP % ("change.files_changed", 9))
        surfaces = {"l/*": SubjectKind.TRANSACTION}
        rule_set = rules(text)
        context = build_subjects(Diff((BROKEN, added("x = 1\n", "a.py"))), surfaces=surfaces)
        selection = select_applicable(context, rule_set, SelectionCriteria(), TODAY)
        (verdict,) = check_rules(context, selection, rule_set).verdicts
        assert verdict.verdict is Verdict.ALLOW
