"""A model reads the clauses that a change touches, and not three lines of them."""

from __future__ import annotations

from difflib import unified_diff

from hypothesis import given
from hypothesis import strategies as st

from jurat.facts.context import SubjectKind, split_file
from jurat.judge.excerpts import build_file_excerpt
from jurat.judge.widening import MOST, expand_hunks
from jurat.source.diff import FileChange
from jurat.source.diff_parser import parse_diff
from jurat.source.file_text import attach_head_text

KIND = SubjectKind.CLAUSE_SET


def contract(base: list[str], head: list[str], context: int = 1) -> FileChange | None:
    before, after = ([f"{line}\n" for line in lines] for lines in (base, head))
    diff = "".join(unified_diff(before, after, "a/c.md", "b/c.md", n=context))
    files = parse_diff(diff.encode()).files
    return attach_head_text(files[0], "".join(after)) if files else None


def test_a_hunk_is_shown_with_the_whole_of_its_clause_and_its_number() -> None:
    base = ["1. One", "a", "b", "c", "2. Two", "d", "e", "f", "", "3. Three"]
    head = ["1. One", "a", "b", "c", "2. Two", "d", "new", "f", "", "3. Three"]
    file = contract(base, head)
    assert file is not None
    shown = build_file_excerpt(file, KIND, split_file(file, KIND))
    assert shown.render().splitlines()[1:] == ["@@ 5", " 2. Two", " d", "-e", "7+new", " f"]


def test_a_clause_that_is_too_long_is_shown_in_part_by_its_name() -> None:
    base = ["1. One", *(f"line {number}" for number in range(200))]
    head = [*base[:100], "new", *base[101:]]
    file = contract(base, head)
    assert file is not None
    lines = build_file_excerpt(file, KIND, split_file(file, KIND)).render().splitlines()
    assert lines[1] == f"@@ {100 - MOST} 1"
    assert len(lines) == 2 * MOST + 6


def test_hunks_that_meet_are_shown_as_one() -> None:
    base = ["1. One", *"abcdefgh"]
    head = ["1. One", "x", *"bcdefg", "y"]
    file = contract(base, head)
    assert file is not None
    assert len(file.hunks) == 2
    (hunk,) = expand_hunks(file, split_file(file, KIND))
    assert [line.text for line in hunk.lines if line.new is not None] == head


LINES = st.lists(st.sampled_from(["1. A", "2. B", "(a) x", "text", "", "## H"]), max_size=30)


@given(LINES, LINES, st.integers(0, 3))
def test_nothing_is_shown_twice_or_left_out_or_on_another_line(
    base: list[str], head: list[str], context: int
) -> None:
    file = contract(base, head, context)
    if file is None:
        return
    hunks = expand_hunks(file, split_file(file, KIND))
    shown = [line for hunk in hunks for line in hunk.lines if line.new is not None]
    numbers = [line.new or 0 for line in shown]
    assert numbers == sorted(set(numbers))
    assert [line.text for line in shown] == [head[number - 1] for number in numbers]
    changed = [line for hunk in hunks for line in hunk.lines if line.kind != "context"]
    given_lines = [line for hunk in file.hunks for line in hunk.lines if line.kind != "context"]
    assert changed == given_lines
    for hunk in hunks:
        own = [line.new for line in hunk.lines if line.new is not None]
        assert own == list(range(hunk.new_start, hunk.new_start + hunk.new_length)) or not own
