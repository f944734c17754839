from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurat.facts.context import EvaluationContext, Subject, SubjectKind, Surface
from jurat.judge.batches import (
    MANIFEST_BYTES,
    JudgeQuestion,
    build_questions,
    pack_excerpts,
    plan_batches,
)
from jurat.judge.excerpts import Excerpt, build_file_excerpt
from jurat.judge.protocol import JudgmentOptions
from tests.support.gemini import a_diff, a_normative_rule
from tests.support.values import a_context, a_file


def flat(_surface: Surface, _questions: Sequence[JudgeQuestion]) -> int:
    return 0


def files(count: int, lines: int = 10) -> list[Excerpt]:
    return [
        build_file_excerpt(
            a_diff(f"src/{index}.py", *(f"+line {index} {line}" for line in range(lines))),
            SubjectKind.CODE_DIFF,
        )
        for index in range(count)
    ]


def shown_lines(excerpts: Sequence[Excerpt]) -> list[str]:
    return [
        f"{item.label} {row.text}"
        for item in excerpts
        for block in item.blocks
        for row in block.rows
    ]


def test_what_fits_is_asked_in_one_batch() -> None:
    rules = [a_normative_rule(f"a.{index}") for index in range(20)]
    context = a_context(*(a_diff(f"{i}.py", "+x") for i in range(68)))
    planned = plan_batches(build_questions(context, rules), JudgmentOptions(), flat)
    assert len(planned.batches) == 1
    assert len(planned.batches[0].questions) == 20
    assert len(planned.batches[0].excerpts) == 68


def test_exhibits_stand_in_the_order_of_the_change_in_every_process() -> None:
    files = [f"{number}.py" for number in range(9)]
    context = a_context(*(a_diff(name, "+x") for name in files))
    rules = [a_normative_rule("a.all")]
    # Each file belongs to other rules, so that none stands with another.
    rules += [a_normative_rule(f"a.{name}", paths=(name,)) for name in files]
    questions = build_questions(context, rules)
    (batch,) = plan_batches(questions, JudgmentOptions(), flat).batches
    assert [item.label for item in batch.excerpts] == files


def test_more_rules_than_the_bound_go_into_a_further_batch() -> None:
    rules = [a_normative_rule(f"a.{index}") for index in range(21)]
    planned = plan_batches(
        build_questions(a_context(a_diff("a.py", "+x")), rules), JudgmentOptions(), flat
    )
    assert [len(batch.questions) for batch in planned.batches] == [20, 1]


def test_each_surface_has_a_batch_of_its_own() -> None:
    context = EvaluationContext(
        (
            Subject(SubjectKind.CODE_DIFF, (a_diff("a.py", "+x"),)),
            Subject(SubjectKind.EVENT, facts={"a": 1}),
            Subject(SubjectKind.DECISION, facts={"a": 1}),
            Subject(SubjectKind.IDENTITY, facts={"a": 1}),
        )
    )
    questions = build_questions(context, [a_normative_rule()])
    planned = plan_batches(questions, JudgmentOptions(), flat)
    assert [batch.surface for batch in planned.batches] == [
        Surface.CODE,
        Surface.HUMAN_ACTION,
        Surface.GENERIC,
    ]
    assert len(planned.batches[2].excerpts) == 2


def test_a_file_that_no_rule_is_about_is_not_sent() -> None:
    context = a_context(a_diff("a.py", "+x"), a_diff("b.go", "+x"), a_diff("c.py", "+x"))
    rules = [a_normative_rule("a.one", paths=("a.*",)), a_normative_rule("a.two", paths=("c.*",))]
    (batch,) = plan_batches(build_questions(context, rules), JudgmentOptions(), flat).batches
    assert [item.label for item in batch.excerpts] == ["a.py", "c.py"]
    assert [[item.label for item in batch.list_excerpts(q)] for q in batch.questions] == [
        ["a.py"],
        ["c.py"],
    ]


def test_an_excluding_glob_keeps_a_file_from_a_rule() -> None:
    context = a_context(a_diff("src/a.py", "+x"), a_diff("tests/a.py", "+x"))
    (question,) = build_questions(context, [a_normative_rule(paths=("**/*.py", "!tests/**"))])
    assert [item.label for item in question.excerpts] == ["src/a.py"]


def test_files_without_lines_take_room_too() -> None:
    excerpts = [
        build_file_excerpt(a_file(f"{i}.py", hunks=()), SubjectKind.CODE_DIFF) for i in range(30)
    ]
    room = sum(item.bytes for item in excerpts) // 3
    bins, lost = pack_excerpts(excerpts, room)
    assert lost == []
    assert sorted(item.label for filled in bins for item in filled) == sorted(
        item.label for item in excerpts
    )
    assert all(sum(item.bytes for item in filled) <= room for filled in bins)


def test_a_subject_over_the_budget_is_cut_into_the_fewest_batches_and_nothing_is_lost() -> None:
    context = a_context(*(a_diff(f"{i}.py", *[f"+{'x' * 50}"] * 40) for i in range(30)))
    questions = build_questions(context, [a_normative_rule()])
    total = sum(item.bytes for item in questions[0].excerpts)
    room = 20_000
    options = JudgmentOptions(prompt_tokens=(room + MANIFEST_BYTES) // 3 + 1)
    planned = plan_batches(questions, options, flat)
    assert planned.unread == ()
    assert len(planned.batches) == -(-total // room)
    shown = [item for batch in planned.batches for item in batch.excerpts]
    assert sorted(shown_lines(shown)) == sorted(shown_lines(questions[0].excerpts))
    for batch in planned.batches:
        assert sum(item.bytes for item in batch.excerpts) <= room
        here = {item.label for item in batch.excerpts}
        assert set(batch.elsewhere) == {f"{i}.py" for i in range(30)} - here
        assert (batch.part, batch.parts) == (planned.batches.index(batch) + 1, len(planned.batches))


def test_a_batch_lists_only_rules_that_its_part_is_about() -> None:
    context = a_context(a_diff("a.py", *["+" + "x" * 90] * 100), a_diff("b.go", *["+y" * 90] * 100))
    rules = [a_normative_rule("a.py", paths=("*.py",)), a_normative_rule("a.go", paths=("*.go",))]
    options = JudgmentOptions(prompt_tokens=8_000)
    batches = plan_batches(build_questions(context, rules), options, flat).batches
    listed = [
        {question.rule.id for question in batch.questions if batch.list_excerpts(question)}
        for batch in batches
    ]
    assert [{question.rule.id for question in batch.questions} for batch in batches] == listed
    assert {"a.go"} in listed


def test_a_line_that_no_prompt_holds_is_reported_with_its_rules() -> None:
    context = a_context(a_diff("min.js", "+" + "x" * 90_000, "+short"), a_diff("a.py", "+x"))
    rules = [a_normative_rule("a.all"), a_normative_rule("a.py", paths=("*.py",))]
    questions = build_questions(context, rules)
    planned = plan_batches(questions, JudgmentOptions(prompt_tokens=20_000), flat)
    assert [(item.path, item.reason) for item in planned.unread] == [
        ("min.js", "a line is longer than one prompt holds")
    ]
    assert list(planned.unseen) == [questions[0]]
    shown = [item for batch in planned.batches for item in batch.excerpts]
    assert "min.js short" in shown_lines(shown)


def test_more_parts_than_allowed_are_reported_and_not_sent() -> None:
    context = a_context(*(a_diff(f"{i}.py", *["+" + "x" * 90] * 60) for i in range(9)))
    options = JudgmentOptions(prompt_tokens=5_000, batches=2)
    planned = plan_batches(build_questions(context, [a_normative_rule()]), options, flat)
    assert len(planned.batches) == 2
    shown = {item.label for batch in planned.batches for item in batch.excerpts}
    assert {item.path for item in planned.unread} == {f"{i}.py" for i in range(9)} - shown


def test_a_budget_without_room_loses_everything_and_says_so() -> None:
    planned = plan_batches(
        build_questions(a_context(a_diff("a.py", "+x")), [a_normative_rule()]),
        JudgmentOptions(prompt_tokens=10),
        lambda *_: 1000,
    )
    assert planned.batches == ()
    assert [item.path for item in planned.unread] == ["a.py"]


@given(
    st.lists(st.lists(st.integers(0, 120), max_size=12), min_size=1, max_size=12),
    st.integers(180, 600),
)
def test_packing_keeps_every_line_within_the_room(shapes: list[list[int]], room: int) -> None:
    excerpts = [
        build_file_excerpt(
            a_diff(
                f"{index}.py", *(f"+{number}{'x' * width}" for number, width in enumerate(shape))
            ),
            SubjectKind.CODE_DIFF,
        )
        for index, shape in enumerate(shapes)
    ]
    bins, lost = pack_excerpts(excerpts, room)
    assert not lost
    assert all(sum(item.bytes for item in filled) <= room for filled in bins)
    shown = shown_lines([item for filled in bins for item in filled])
    assert sorted(shown) == sorted(shown_lines(excerpts))
    labels = {item.label for filled in bins for item in filled}
    assert labels == {item.label for item in excerpts}


@pytest.mark.parametrize("count", [1, 7, 40])
def test_parts_of_one_large_hunk_keep_their_line_numbers(count: int) -> None:
    (excerpt,) = files(1, lines=count * 10)
    bins, _ = pack_excerpts([excerpt], 300)
    for filled in bins:
        for block in (block for item in filled for block in item.blocks):
            assert block.heading == f"@@ {block.rows[0].line}"
