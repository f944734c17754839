"""Which subject a file becomes, and what joins it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import pytest

from jurat.errors import UsageError
from jurat.facts.assembly import build_subjects
from jurat.facts.context import SubjectKind
from jurat.source.diff import Diff, FileChange, FileStatus
from jurat.source.parsing import SIZE_CAP, ParseFailure
from tests.support.code import added

T = TypeVar("T")
R = TypeVar("R")

SURFACES: Mapping[str, SubjectKind] = {
    "contracts/generated/**": SubjectKind.CODE_DIFF,
    "contracts/**": SubjectKind.CLAUSE_SET,
    "ledger/**": SubjectKind.TRANSACTION,
    "decisions/**": SubjectKind.DECISION,
}
CONTRACT = added("1. One\n", "contracts/a.md")
ENTRY = added('{"amount": 5}\n', "ledger/1.json")


def kinds(*files: FileChange) -> list[SubjectKind]:
    return [item.kind for item in build_subjects(Diff(files), surfaces=SURFACES).subjects]


def unread(file: FileChange) -> str:
    (only,) = build_subjects(Diff((file,)), surfaces=SURFACES).unread
    return only.unread or ""


def test_the_first_glob_that_fits_decides_and_may_say_code() -> None:
    generated = added("x = 1\n", "contracts/generated/a.py")
    assert kinds(generated) == [SubjectKind.CODE_DIFF]
    (subject,) = build_subjects(Diff((generated,)), surfaces=SURFACES).subjects
    assert "change" in subject.facts


def test_a_file_that_is_moved_off_its_surface_stays_on_it() -> None:
    moved = replace(
        CONTRACT, path="misc/a.md", old_path="contracts/a.md", status=FileStatus.RENAMED
    )
    assert kinds(moved) == [SubjectKind.CLAUSE_SET]
    assert kinds(replace(moved, status=FileStatus.COPIED)) == [SubjectKind.CODE_DIFF]


def test_each_file_on_a_surface_is_a_subject_by_itself() -> None:
    other = replace(CONTRACT, path="contracts/b.md")
    subjects = build_subjects(Diff((CONTRACT, other)), surfaces=SURFACES).subjects
    assert [[file.path for file in item.files] for item in subjects] == [
        ["contracts/a.md"],
        ["contracts/b.md"],
    ]
    assert [item.passages[0].name for item in subjects] == ["1", "1"]


def test_data_of_a_decision_is_facts_and_of_a_contract_is_text() -> None:
    decision = added("ground: none\n", "decisions/1.yml")
    clauses = added("text: 1. One\n", "contracts/1.yml")
    first, second = build_subjects(Diff((decision, clauses)), surfaces=SURFACES).subjects
    assert (first.facts, list(first.spans)) == ({"ground": "none"}, [("ground",), ()])
    assert (list(second.facts), second.spans) == (["contract"], {})


@pytest.mark.parametrize(
    "fields", [{"is_binary": True}, {"is_submodule": True}, {"new_mode": "120000"}], ids=str
)
def test_what_is_no_text_is_unread(fields: dict[str, object]) -> None:
    assert "it is no text" in unread(replace(CONTRACT, **fields))


def test_what_is_no_text_may_be_removed() -> None:
    gone = replace(CONTRACT, is_binary=True, status=FileStatus.REMOVED, head=None)
    assert build_subjects(Diff((gone,)), surfaces=SURFACES).unread == ()


def test_a_text_of_no_language_is_held_to_the_cap_too() -> None:
    assert "too large to parse" in unread(added("x" * (SIZE_CAP + 1), "contracts/a.txt"))


def test_a_parser_that_dies_leaves_its_file_unread_and_the_others_read() -> None:
    def dying(work: Callable[[T], R], items: Sequence[T]) -> Sequence[R | ParseFailure]:
        return [ParseFailure("its parser died"), *(work(item) for item in items[1:])]

    context = build_subjects(Diff((CONTRACT, ENTRY)), surfaces=SURFACES, parse_map=dying)
    assert [(file.path, file.unread) for file in context.files] == [
        ("contracts/a.md", "its parser died"),
        ("ledger/1.json", None),
    ]
    assert context.subjects[1].facts == {"amount": 5}


def test_facts_join_the_only_file_of_the_kind_that_is_named() -> None:
    facts = {"approver": "Wendy"}
    (joined,) = build_subjects(Diff((ENTRY,)), facts=facts, kind=SubjectKind.TRANSACTION).subjects
    assert joined.facts == {"amount": 5, "approver": "Wendy"}
    assert ("approver",) not in joined.spans


def test_facts_beside_several_files_of_a_kind_stand_by_themselves() -> None:
    change = Diff((ENTRY, replace(ENTRY, path="ledger/2.json")))
    subjects = build_subjects(change, facts={"a": 1}, kind=SubjectKind.TRANSACTION).subjects
    assert [len(item.files) for item in subjects] == [0, 1, 1]
    assert {item.kind for item in subjects} == {SubjectKind.TRANSACTION}


@pytest.mark.parametrize(
    ("file", "kind", "key", "problem"),
    [
        (ENTRY, SubjectKind.TRANSACTION, "amount", "ledger/1.json states as well"),
        (CONTRACT, SubjectKind.CLAUSE_SET, "contract", "follows from contracts/a.md"),
        (added("x = 1\n"), None, "change", "follows from the diff"),
    ],
)
def test_facts_cannot_stand_in_for_what_a_file_says(
    file: FileChange, kind: SubjectKind | None, key: str, problem: str
) -> None:
    with pytest.raises(UsageError, match=problem):
        build_subjects(Diff((file,)), facts={key: 0}, kind=kind)
