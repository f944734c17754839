from __future__ import annotations

from typing import Any

import pytest

from jurat.facts.assembly import RoutedFile, build_file_subject
from jurat.facts.context import SURFACE_OF, TERMS, Subject, SubjectKind, Surface
from jurat.findings.finding import Fix, Location
from jurat.judge.excerpts import build_excerpts
from jurat.judge.quotes import QuoteMatch, build_fix, build_location, find_quote
from jurat.judge.replies import ProposedFix, QuotedFinding
from jurat.source.diff import FileChange, Function, FunctionChange
from tests.support.gemini import a_diff


def anchored(
    quote: str, kind: SubjectKind, *files: FileChange, facts: dict[str, Any] | None = None
) -> QuoteMatch:
    anchor = find_quote(QuotedFinding(quote), build_excerpts(subject(kind, *files, facts=facts)))
    assert anchor is not None
    return anchor


def subject(kind: SubjectKind, *files: FileChange, facts: dict[str, Any] | None = None) -> Subject:
    if kind is SubjectKind.CODE_DIFF or not files:
        return Subject(kind, files, facts or {})
    (file,) = files
    return build_file_subject(RoutedFile(file, kind))


def place(
    quote: str, kind: SubjectKind, *files: FileChange, facts: dict[str, Any] | None = None
) -> Location:
    return build_location(anchored(quote, kind, *files, facts=facts), SURFACE_OF[kind])


def test_code_is_placed_by_file_lines_function_and_snippet() -> None:
    function = Function("g", "A.g", "method", FunctionChange.CHANGED, 3, 5)
    file = a_diff(
        "a.py", " class A:", "+", "+  def g():", "+    go()", "+    x", functions=(function,)
    )
    assert place("go()\n    x", SubjectKind.CODE_DIFF, file) == Location(
        Surface.CODE, "a.py", 4, 5, {"snippet": "go()\n    x", "function_name": "A.g"}
    )


CONTRACT = """# Services

4. Fees
4.1 The fee is due at once.
4.2 The Supplier may raise the fee
at any time.
"""


def test_a_clause_is_placed_by_its_number_and_its_characters() -> None:
    lines = CONTRACT.splitlines()
    file = a_diff("contract.md", *(f"+{line}" for line in lines), head=CONTRACT)
    found = place("at any time", SubjectKind.CLAUSE_SET, file)
    start = CONTRACT.index("at any time")
    assert found == Location(
        Surface.CONTRACT,
        "contract.md",
        6,
        6,
        {
            "span_text": "at any time",
            "clause_ref": "4.2",
            "offset_start": start,
            "offset_end": start + len("at any time"),
        },
    )


def test_offsets_cover_a_span_of_several_lines() -> None:
    lines = CONTRACT.splitlines()
    file = a_diff("contract.md", *(f"+{line}" for line in lines), head=CONTRACT)
    found = place("raise the fee\nat any time.", SubjectKind.CLAUSE_SET, file)
    start, end = int(found.fields["offset_start"]), int(found.fields["offset_end"])
    assert CONTRACT[start:end] == "raise the fee\nat any time."


def test_without_the_whole_text_there_are_no_offsets_and_the_hunk_gives_the_clause() -> None:
    file = a_diff("contract.md", " 4.2 The Supplier may raise the fee", "+at any time.", first=40)
    found = place("at any time", SubjectKind.CLAUSE_SET, file)
    assert dict(found.fields) == {"span_text": "at any time", "clause_ref": "4.2"}
    assert found.start_line == 41


@pytest.mark.parametrize(
    ("line", "ref"),
    [
        ("4.2.1 Term", "4.2.1"),
        ("## 7. Liability", "7"),
        ("§ 12 Kündigung", "12"),
        ("Article 5(1)(c): data", "5(1)(c)"),
        ("**3.** Notice", "3"),
        ("- 2) Delivery", "2"),
        ("Section 9", "9"),
    ],
)
def test_clause_numbers_are_read_as_people_write_them(line: str, ref: str) -> None:
    file = a_diff("contract.md", f"+{line}", "+within thirty days.")
    found = place("within thirty days", SubjectKind.CLAUSE_SET, file)
    assert found.fields["clause_ref"] == ref


def test_a_document_is_placed_by_its_heading() -> None:
    text = "# Policy\n\n## Working time\n\nNobody works on Sundays.\n"
    file = a_diff("policy.md", *(f"+{line}" for line in text.splitlines()), head=text)
    found = place("on Sundays", SubjectKind.DOCUMENT, file)
    assert found.fields["section"] == "Working time"
    assert found.start_line == 5


def test_a_message_from_facts_is_placed_by_its_own_key_and_characters() -> None:
    body = "Dear all,\nyou will be rich by Friday."
    found = place("rich by Friday", SubjectKind.CREATIVE, facts={"subject": "News", "body": body})
    assert found.file_path is None
    assert found.fields["segment"] == "body"
    start, end = int(found.fields["offset_start"]), int(found.fields["offset_end"])
    assert body[start:end] == "rich by Friday"


def test_offsets_in_a_text_of_one_line_count_from_its_first_character() -> None:
    found = place("rich", SubjectKind.CREATIVE, facts={"body": "You will be rich."})
    assert (found.fields["offset_start"], found.fields["offset_end"]) == (12, 16)


def test_a_clause_from_facts_is_placed_by_the_name_beside_it() -> None:
    facts = {"clauses": [{"ref": "1", "text": "First."}, {"ref": "2.3", "text": "No refunds."}]}
    found = place("No refunds", SubjectKind.CLAUSE_SET, facts=facts)
    assert found.fields["clause_ref"] == "2.3"


def test_a_transaction_is_placed_by_path_field_and_value_and_by_the_line_in_its_file() -> None:
    head = "amount: 120000\nitems:\n  - price: 7\n"
    file = a_diff(
        "tx.yml", "+amount: 120000", "+items:", "+  - price: 7", head=head, language="yaml"
    )
    assert place("items[0].price = 7", SubjectKind.TRANSACTION, file) == Location(
        Surface.TRANSACTION,
        "tx.yml",
        3,
        3,
        {"json_path": "$.items[0].price", "field_name": "price", "current_value": "7"},
    )


def test_a_human_action_is_placed_by_step_and_field() -> None:
    facts = {"steps": [{"name": "warning", "by": "HR"}, {"name": "dismissal", "by": "manager"}]}
    found = place('steps[1].by = "manager"', SubjectKind.EVENT, facts=facts)
    assert dict(found.fields) == {
        "step": "dismissal",
        "field": "by",
        "context": 'steps[1].by = "manager"',
    }


@pytest.mark.parametrize("kind", SubjectKind)
def test_every_field_is_of_its_surface(kind: SubjectKind) -> None:
    text = "1. One\nTwo three four."
    file = a_diff("a.md", *(f"+{line}" for line in text.splitlines()), head=text)
    for found in (
        place("Two three", kind, file),
        place("Two three", kind, facts={"list": [{"name": "n", "body": text}]}),
        place('list[0].name = "n"', kind, facts={"list": [{"name": "n", "body": text}]}),
    ):
        assert set(found.fields) <= TERMS[found.surface].location_fields


CODE = a_diff("a.py", " def f():", "+    go(1, 2)", "+    end()", " ", first=4)


def fixed(quote: str, fix_type: str, replacement: str, file: FileChange = CODE) -> Fix | None:
    return build_fix(
        anchored(quote, SubjectKind.CODE_DIFF, file), ProposedFix(fix_type, replacement)
    )


def test_a_part_of_a_line_is_replaced_within_the_whole_line() -> None:
    assert fixed("go(1, 2)", "replace", "go(3)") == Fix(
        "replace", "a.py", 5, 5, "    go(1, 2)", "    go(3)"
    )


def test_indentation_that_was_quoted_is_replaced_too() -> None:
    fix = fixed("    go(1, 2)\n    end()", "replace", "    stop()")
    assert fix == Fix("replace", "a.py", 5, 6, "    go(1, 2)\n    end()", "    stop()")


def test_an_insertion_follows_the_quoted_lines() -> None:
    fix = fixed("go(1, 2)", "insert", "    check()\n")
    assert fix is not None
    assert fix.replacement == "    go(1, 2)\n    check()"


def test_only_whole_lines_are_deleted() -> None:
    fix = fixed("go(1, 2)", "delete", "")
    assert fix is not None
    assert (fix.original, fix.replacement) == ("    go(1, 2)", "")
    assert fixed("go(1", "delete", "") is None


def test_a_fix_that_would_need_guessing_is_left_out() -> None:
    assert fixed("go(1,   2)", "replace", "go(3)") is None
    assert fixed("go(1, 2)", "replace", "go(1, 2)") is None
    hidden = a_diff("a.py", "+go(1\u200b, 2)")
    assert fixed("go(1⟦U+200B⟧, 2)", "replace", "go(3)", hidden) is None


def test_line_endings_are_kept() -> None:
    file = a_diff("a.py", "+go(1)\r", "+end()\r")
    assert fixed("go(1)\nend()", "replace", "go(2)\nstop()", file) == Fix(
        "replace", "a.py", 1, 2, "go(1)\r\nend()\r", "go(2)\r\nstop()\r"
    )


def test_no_fix_of_a_model_claims_to_be_safe() -> None:
    for fix_type in sorted(TERMS[Surface.GENERIC].remediation_types):
        fix = fixed("go(1, 2)", fix_type, "    go(3)")
        assert fix is not None
        assert not fix.auto_applicable


def test_what_a_person_must_do_is_said_and_replaces_nothing() -> None:
    anchor = anchored("amount = 5", SubjectKind.TRANSACTION, facts={"amount": 5})
    fix = build_fix(anchor, ProposedFix("approval_add", "The CFO must approve."))
    assert fix == Fix("approval_add", description="The CFO must approve.")


def test_a_field_change_names_the_old_and_the_new_value() -> None:
    anchor = anchored("amount = 5", SubjectKind.TRANSACTION, facts={"amount": 5})
    fix = build_fix(anchor, ProposedFix("field_change", "4"))
    assert fix == Fix("field_change", original="5", replacement="4", description="amount = 4")


def test_a_clause_inside_a_text_that_is_a_fact_is_placed_by_its_number() -> None:
    facts = {"text": "1. Term\n1.1 Two years.\n2. Fees\n"}
    found = place("Two years", SubjectKind.CLAUSE_SET, facts=facts)
    assert (found.fields["clause_ref"], found.fields["span_text"]) == ("1.1", "Two years")


LEDGER = '[\n  {"id": "P-1", "amount": 5, "paid": false},\n  {"id": "P-2", "amount": 7}\n]\n'


def test_a_field_change_in_a_file_replaces_the_line_that_the_value_stands_on() -> None:
    file = a_diff(
        "ledger/1.json", *(f"+{line}" for line in LEDGER.splitlines()), head=LEDGER, language="json"
    )
    anchor = anchored("items[1].amount = 7", SubjectKind.TRANSACTION, file)
    assert build_fix(anchor, ProposedFix("field_change", "6")) == Fix(
        "field_change",
        "ledger/1.json",
        3,
        3,
        '  {"id": "P-2", "amount": 7}',
        '  {"id": "P-2", "amount": 6}',
        description="items[1].amount = 6",
    )


def test_a_field_change_that_cannot_be_written_only_says_what_to_change() -> None:
    text = "amount: &a 7\ntotal: *a\n"
    file = a_diff("ledger/1.yml", "+amount: &a 7", "+total: *a", head=text, language="yaml")
    anchor = anchored("amount = 7", SubjectKind.TRANSACTION, file)
    fix = build_fix(anchor, ProposedFix("field_change", "6"))
    assert fix == Fix("field_change", original="7", replacement="6", description="amount = 6")


def test_of_equal_quotes_the_clause_that_is_named_decides() -> None:
    text = "1. Buyer\nThirty days.\n2. Seller\nThirty days.\n"
    file = a_diff("c.md", *(f"+{line}" for line in text.splitlines()), head=text)
    excerpts = build_excerpts(subject(SubjectKind.CLAUSE_SET, file))
    for clause, line in (("1", 2), ("2", 4), ("9", 2)):
        anchor = find_quote(QuotedFinding("Thirty days.", hints={"clause_ref": clause}), excerpts)
        assert anchor is not None
        assert anchor.rows[0].line == line


def test_nothing_of_a_place_is_the_models_word() -> None:
    text = "1. Buyer\nThirty days.\n"
    file = a_diff("c.md", *(f"+{line}" for line in text.splitlines()), head=text)
    hints = {"clause_ref": "9.9", "offset_start": 77, "span_text": "Never."}
    anchor = find_quote(
        QuotedFinding("Thirty days.", hints=hints),
        build_excerpts(subject(SubjectKind.CLAUSE_SET, file)),
    )
    assert anchor is not None
    assert dict(build_location(anchor, Surface.CONTRACT).fields) == {
        "clause_ref": "1",
        "span_text": "Thirty days.",
        "offset_start": 9,
        "offset_end": 21,
    }
