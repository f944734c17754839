from __future__ import annotations

from dataclasses import replace

from jurat.facts.assembly import RoutedFile, build_file_subject, build_subjects
from jurat.facts.context import Subject, SubjectKind
from jurat.judge.excerpts import build_excerpts, build_file_excerpt
from jurat.source.diff import Diff, FileChange, FileStatus
from tests.support.code import changed
from tests.support.gemini import a_diff

CODE = SubjectKind.CODE_DIFF


def test_a_hunk_is_shown_with_the_numbers_of_its_added_lines() -> None:
    file = a_diff(
        "app.py", " def f():", "-    old()", "+    new()", "+    more()", first=7, language="python"
    )
    assert build_file_excerpt(file, CODE).render().splitlines() == [
        "=== app.py (modified, python)",
        "@@ 7",
        " def f():",
        "-    old()",
        "8+    new()",
        "9+    more()",
    ]


def test_a_name_cannot_open_a_file_of_its_own() -> None:
    file = a_diff("a.py\n=== b.py", "+x")
    assert build_file_excerpt(file, CODE).render().splitlines()[0] == (
        "=== a.py⟦U+000A⟧=== b.py (modified)"
    )


def test_a_line_cannot_look_like_a_heading() -> None:
    file = a_diff("a.py", "+=== b.py", "+@@ 1", "+x\u2028=== c.py")
    shown = build_file_excerpt(file, CODE).render().splitlines()
    assert [line for line in shown if line.startswith(("===", "@@"))] == [
        "=== a.py (modified)",
        "@@ 1",
    ]


def test_carriage_returns_are_no_part_of_what_is_shown() -> None:
    assert "U+000D" not in build_file_excerpt(a_diff("a.py", "+x\r", " y\r"), CODE).render()


def test_what_has_no_lines_is_named_all_the_same() -> None:
    moved = FileChange("new.py", FileStatus.RENAMED, old_path="old.py")
    binary = FileChange("logo.png", FileStatus.ADDED, is_binary=True)
    script = FileChange("run", FileStatus.MODIFIED, "run", old_mode="100644", new_mode="100755")
    headings = [item.render() for item in build_excerpts(Subject(CODE, (moved, binary, script)))]
    assert headings == [
        "=== new.py (renamed, was old.py)",
        "=== logo.png (added, binary, content not shown)",
        "=== run (modified, mode 100644 -> 100755)",
    ]


def test_a_file_that_was_not_read_is_not_shown() -> None:
    file = replace(a_diff("a.py", "+x"), unread="combined diff")
    assert build_excerpts(Subject(CODE, (file,))) == ()


def test_the_digest_forgets_line_numbers_and_nothing_else() -> None:
    lines = (" def f():", "+    new()")
    here = build_file_excerpt(a_diff("a.py", *lines, first=1), CODE)
    assert here.digest == build_file_excerpt(a_diff("a.py", *lines, first=90), CODE).digest
    others = [
        a_diff("b.py", *lines),
        a_diff("a.py", " def f():", "+    new( )"),
        a_diff("a.py", "+def f():", "+    new()"),
        a_diff("a.py", *lines, section="class A:"),
        a_diff("a.py", *lines, status=FileStatus.ADDED),
    ]
    assert len({here.digest, *(build_file_excerpt(file, CODE).digest for file in others)}) == 6


def test_sizes_are_those_of_the_text() -> None:
    excerpt = build_file_excerpt(a_diff("ä.py", "+ü = 'é'", " x", "-y"), CODE)
    assert excerpt.bytes == len(excerpt.render(1234).encode()) + 1


def test_facts_are_shown_behind_the_files_and_derived_ones_are_not() -> None:
    facts = {"change": {"lines_added": 1}, "ticket": "PAY-1"}
    shown = build_excerpts(Subject(CODE, (a_diff("a.py", "+x"),), facts))
    assert [item.label for item in shown] == ["a.py", "facts: code_diff"]
    assert shown[1].render() == '=== facts: code_diff\nticket = "PAY-1"'
    (alone,) = build_excerpts(Subject(SubjectKind.EVENT, facts={"change": "new address"}))
    assert alone.render() == '=== facts: event\nchange = "new address"'


def test_a_ledger_entry_is_shown_by_its_values_and_keeps_their_lines() -> None:
    head = "amount: 120000\napprover: null\n"
    file = a_diff("ledger/1.yml", "+amount: 120000", " approver: null", head=head, language="yaml")
    (excerpt,) = build_excerpts(build_file_subject(RoutedFile(file, SubjectKind.TRANSACTION)))
    assert excerpt.render() == "=== ledger/1.yml\namount = 120000\napprover = null"
    rows = excerpt.blocks[0].rows
    assert [(row.line, row.added) for row in rows] == [(1, True), (2, False)]


def test_entries_that_the_change_leaves_as_they_were_stand_apart_and_in_order() -> None:
    base = '[{"id": 1}, {"id": 2}]'
    head = '[\n{"id": 1},\n{"id": 3},\n{"id": 2}]'
    (excerpt,) = build_excerpts(
        build_file_subject(
            RoutedFile(changed(base, head, "ledger/1.json"), SubjectKind.TRANSACTION)
        )
    )
    assert excerpt.render().splitlines() == [
        "=== ledger/1.json",
        "@@ unchanged",
        "items[0].id = 1",
        "@@ changed",
        "items[1].id = 3",
        "@@ unchanged",
        "items[2].id = 2",
    ]
    assert [row.line for block in excerpt.blocks for row in block.rows] == [2, 3, 4]


def test_facts_that_the_caller_gives_stand_apart_from_those_of_a_file() -> None:
    change = Diff((changed("", '{"amount": 5}\n', "ledger/1.json"),))
    context = build_subjects(change, facts={"approver": "Wendy"}, kind=SubjectKind.TRANSACTION)
    shown = build_excerpts(context.subjects[0])
    assert [item.render() for item in shown] == [
        "=== ledger/1.json\namount = 5",
        '=== facts: transaction\napprover = "Wendy"',
    ]
    assert shown[1].file is None


def test_the_lines_of_a_block_of_text_have_lines_of_their_own() -> None:
    head = "by: A\ngrounds: |\n  Late.\n  Rude.\nfolded: >\n  one\n\n  two\n"
    (excerpt,) = build_excerpts(
        build_file_subject(RoutedFile(changed("", head, "hr/1.yml"), SubjectKind.EVENT))
    )
    assert [(row.text, row.line) for block in excerpt.blocks for row in block.rows] == [
        ('by = "A"', 1),
        ("grounds:", 2),
        ("Late.", 3),
        ("Rude.", 4),
        ("", 4),
        ("folded:", 5),
        ("one", 5),
        ("two", 5),
        ("", 5),
    ]


def test_what_is_measured_of_a_text_is_not_told_beside_it() -> None:
    (excerpt,) = build_excerpts(
        build_file_subject(RoutedFile(changed("", "1. One\n", "c.md"), SubjectKind.CLAUSE_SET))
    )
    assert "words" not in excerpt.render()
