"""Changes, facts and words become one context."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TypeVar

import pytest

from jurat.errors import UsageError
from jurat.facts.assembly import HUNK_CAP, build_subjects
from jurat.facts.context import Mode, SubjectKind, Surface
from jurat.source.diff import Diff, FileChange, FileStatus
from jurat.source.diff_parser import parse_diff
from jurat.source.parsing import SIZE_CAP, ParseFailure

T = TypeVar("T")
R = TypeVar("R")


def added(path: str, text: str) -> FileChange:
    lines = text.splitlines()
    body = "".join(f"+{line}\n" for line in lines)
    (file,) = parse_diff(
        f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{len(lines)} @@\n{body}".encode()
    ).files
    return file


CODE = added("src/a.py", "def f():\n    pass\n")
OTHER = added("docs/contract.md", "1. One\n")


def test_files_are_one_code_diff_with_functions_and_facts() -> None:
    context = build_subjects(
        Diff((CODE, OTHER)),
        facts={"ticket": "A-1"},
        intent="Why.",
        scope="shop/orders",
        repository="acme/shop",
        mode=Mode.POSTHOC,
    )
    (subject,) = context.subjects

    assert (subject.kind, subject.surface) == (SubjectKind.CODE_DIFF, Surface.CODE)
    assert [file.path for file in subject.files] == ["src/a.py", "docs/contract.md"]
    assert [function.name for function in subject.files[0].functions] == ["f"]
    assert subject.facts["ticket"] == "A-1"
    assert subject.facts["change"]["files_changed"] == 2
    assert (context.intent, context.scope, context.repository, context.mode) == (
        "Why.",
        "shop/orders",
        "acme/shop",
        Mode.POSTHOC,
    )


@pytest.mark.parametrize(
    ("kind", "expected"), [(None, SubjectKind.DECISION), (SubjectKind.EVENT, SubjectKind.EVENT)]
)
def test_facts_without_files_are_a_subject_by_themselves(
    kind: SubjectKind | None, expected: SubjectKind
) -> None:
    (subject,) = build_subjects(Diff(), facts={"amount": 5}, kind=kind).subjects

    assert (subject.kind, subject.files, subject.facts) == (expected, (), {"amount": 5})


def test_files_may_be_given_another_kind() -> None:
    (subject,) = build_subjects(Diff((OTHER,)), kind=SubjectKind.DOCUMENT).subjects

    assert subject.kind is SubjectKind.DOCUMENT


def test_nothing_is_no_subject() -> None:
    assert build_subjects(Diff()).subjects == ()


def test_facts_cannot_stand_in_for_what_the_files_say() -> None:
    forged = {"change": {"lines_added": 0}}

    with pytest.raises(UsageError, match="'change'"):
        build_subjects(Diff((CODE,)), facts=forged)
    assert build_subjects(Diff(), facts=forged).subjects[0].facts == forged


def test_ignored_files_are_left_out_and_named() -> None:
    context = build_subjects(
        Diff((CODE, added("web/dist/a.js", "x\n"), added(".x/b.js", "y\n"), OTHER)),
        ignored=["**/*.{js,ts}", "docs/*"],
    )
    assert [file.path for file in context.files] == ["src/a.py"]
    assert context.ignored == ("web/dist/a.js", ".x/b.js", "docs/contract.md")
    assert context.subjects[0].facts["change"]["files_changed"] == 1


SURFACES: Mapping[str, SubjectKind] = {
    "orders/**": SubjectKind.TRANSACTION,
    "hr/*.yml": SubjectKind.EVENT,
    "docs/**": SubjectKind.CLAUSE_SET,
    "**/*.md": SubjectKind.CREATIVE,
}


def test_a_file_on_a_surface_is_a_subject_of_the_first_kind_that_fits() -> None:
    context = build_subjects(Diff((OTHER, CODE, added("x/post.md", "Hi\n"))), surfaces=SURFACES)

    assert [(s.kind, [file.path for file in s.files]) for s in context.subjects] == [
        (SubjectKind.CODE_DIFF, ["src/a.py"]),
        (SubjectKind.CLAUSE_SET, ["docs/contract.md"]),
        (SubjectKind.CREATIVE, ["x/post.md"]),
    ]
    assert context.subjects[1].facts["contract"]["words"] == 2


def test_given_facts_beside_files_on_surfaces_are_a_subject_of_their_own() -> None:
    context = build_subjects(Diff((OTHER,)), facts={"amount": 1}, surfaces=SURFACES)

    assert [s.kind for s in context.subjects] == [SubjectKind.DECISION, SubjectKind.CLAUSE_SET]


def test_data_on_a_surface_made_of_facts_becomes_facts() -> None:
    order = added("orders/1.json", '{"amount": 10.10, "lines": [{"sku": "a"}]}')
    event = added("hr/leave.yml", "days: 3\nsteps: [asked, approved]\n")
    batch = added("orders/all.json", "[1, 2]")
    subjects = build_subjects(Diff((order, event, batch)), surfaces=SURFACES).subjects

    assert [subject.facts for subject in subjects] == [
        {"amount": Decimal("10.10"), "lines": [{"sku": "a"}]},
        {"days": 3, "steps": ["asked", "approved"]},
        {"items": [1, 2]},
    ]


@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        ("orders/1.json", '{"amount": }', "it is no JSON"),
        ("orders/1.json", '{"amount": NaN}', "NaN is not a number"),
        ("orders/1.json", "[" * 100_000, "it is no JSON"),
        ("hr/a.yml", "a: [1", "it is no YAML"),
        ("hr/a.yml", "a: !!python/object:os.system x", "it is no YAML"),
    ],
)
def test_data_that_cannot_be_read_is_unread_with_the_reason(
    path: str, text: str, reason: str
) -> None:
    context = build_subjects(Diff((added(path, text),)), surfaces=SURFACES)

    (file,) = context.unread
    assert reason in (file.unread or "")
    assert context.subjects[0].facts == {}


def test_data_of_which_only_hunks_are_at_hand_is_unread() -> None:
    change = parse_diff(b"--- a/orders/1.json\n+++ b/orders/1.json\n@@ -2 +2 @@\n-1\n+2\n")

    (file,) = build_subjects(change, surfaces=SURFACES).unread
    assert "not at hand" in (file.unread or "")


def test_removed_data_gives_no_facts() -> None:
    file = replace(added("orders/1.json", "{}"), status=FileStatus.REMOVED, head=None, base="{}")

    (subject,) = build_subjects(Diff((file,)), surfaces=SURFACES).subjects
    assert (subject.facts, subject.files[0].unread) == ({}, None)


@pytest.mark.parametrize("path", ["a.py", "package.json", "orders/a.json"])
def test_a_text_over_the_cap_is_unread_and_never_parsed(path: str) -> None:
    file = added(path, "#" * SIZE_CAP)
    (unread,) = build_subjects(Diff((file,)), surfaces=SURFACES, parse_map=_must_not_run).unread

    assert (unread.path, unread.unread) == (
        path,
        "it is too large to parse: 1,000,001 characters, the limit is 1,000,000",
    )


@pytest.mark.parametrize("path", ["CHANGELOG.md", "deploy/schema.yml", "data/names.json"])
def test_a_text_over_the_cap_that_is_no_code_is_read_by_its_lines(path: str) -> None:
    (file,) = build_subjects(Diff((added(path, "#" * SIZE_CAP),)), parse_map=_must_not_run).files

    assert (file.unread, file.unparsed) == (
        None,
        "it is too large to parse: 1,000,001 characters, the limit is 1,000,000",
    )


def test_a_diff_over_the_cap_is_unread_though_no_whole_text_is_at_hand() -> None:
    file = replace(added("a.py", "#" * SIZE_CAP), status=FileStatus.MODIFIED, head=None)

    assert len(build_subjects(Diff((file,)), parse_map=_must_not_run).unread) == 1


def test_a_diff_of_too_many_hunks_is_unread_though_it_is_small() -> None:
    hunks = "".join(f"@@ -{line} +{line} @@\n-a\n+b\n" for line in range(1, 3 * HUNK_CAP + 4, 3))
    change = parse_diff(f"--- a/x.py\n+++ b/x.py\n{hunks}".encode())
    (file,) = build_subjects(change, parse_map=_must_not_run).files
    assert file.unread is not None
    assert "10,001 hunks" in file.unread


def test_a_file_that_nobody_would_parse_may_be_of_any_size() -> None:
    assert build_subjects(Diff((added("yarn.lock", "#" * SIZE_CAP),))).unread == ()


def test_a_parse_that_fails_makes_its_file_unread() -> None:
    def failing(work: Callable[[T], R], items: Sequence[T]) -> Sequence[R | ParseFailure]:
        return [ParseFailure("its parser died"), *(work(item) for item in items[1:])]

    context = build_subjects(Diff((CODE, replace(CODE, path="b.py"))), parse_map=failing)
    assert [(file.path, file.unread, len(file.functions)) for file in context.files] == [
        ("src/a.py", "its parser died", 0),
        ("b.py", None, 1),
    ]
    assert context.subjects[0].facts["change"]["files_unread"] == 1


def _must_not_run(work: Callable[[T], R], items: Sequence[T]) -> Sequence[R | ParseFailure]:
    assert not items
    return []
