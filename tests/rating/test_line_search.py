"""What one search over a whole text says of its lines."""

from __future__ import annotations

import re

import pytest

from jurat.rating.texts.account_table import read_passage
from jurat.rating.texts.accounts import is_record
from jurat.rating.texts.line_search import list_touched_lines
from jurat.rating.texts.stated_values import count_values
from jurat.rules.constraints import compile_regex

PATTERNS = ("retention", r"a\s+b", r"^\s*rotate\s+\d+$", "[^.]{0,9}log", r"x\[[^\]]*\]", "b$")
TEXT = "a\nx[1]\nb\nretention: 3\nx[\n log\n] a b\n  rotate 12\nrotate x\n\na  b log"


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_line_that_matches_alone_is_among_those_that_are_touched(pattern: str) -> None:
    touched = set(list_touched_lines(compile_regex(f"(?m){pattern}"), TEXT.encode()))
    alone = {n for n, line in enumerate(TEXT.split("\n"), 1) if re.search(pattern, line)}
    assert alone
    assert alone <= touched


def test_a_match_over_lines_hides_none_that_begins_in_it() -> None:
    text = b"x[\nx[]\n]"
    assert set(list_touched_lines(compile_regex(r"x\[[^\]]*\]"), text)) == {1, 2}


def test_values_are_counted_up_to_what_is_asked() -> None:
    text = "In 12 of 80 cases, every week, 3 May 2026, 40 %"
    assert count_values(text) > 2
    assert [count_values(text, enough) for enough in (1, 2)] == [1, 2]


FIELDS = (
    "purpose",
    "legal basis",
    "categories of data",
    "recipients",
    "retention period",
    "security measures",
)


def test_a_record_is_told_by_its_labels_and_not_by_words_around_them() -> None:
    record = "\n".join(f"{name}: as agreed with the controller" for name in FIELDS)
    assert is_record(read_passage(record))
    assert not is_record(read_passage(" ".join(FIELDS)))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a| 3 |b 12 cases", 2),
        ("x12 of 80 9.5%", 1),
        ("half an hour, same-day, each May", 2),
        ("1x5 n=3 [4]", 2),
    ],
)
def test_a_value_begins_where_a_word_begins_or_a_cell(text: str, values: int) -> None:
    assert count_values(text) == values
