"""Clauses, sections and segments, with the lines and the characters that they cover."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurat.facts.context import Passage, SubjectKind, find_passage, split_file, split_passages
from jurat.facts.derived import build_text_facts
from tests.support.code import added, changed

POLICY = """\
Preamble.

# Policy

## Working time

Nobody works on Sundays.

Breaks
------

```
# no heading
```
"""

MESSAGE = """\
Subject: Prices
From: the board

Dear all,

prices fall.

## When

- today
- tomorrow

***

Yours
"""


def named(text: str, kind: SubjectKind) -> list[tuple[str, int, int]]:
    return [(item.name, item.first_line, item.last_line) for item in split_passages(text, kind)]


def test_a_document_is_split_at_its_headings() -> None:
    assert named(POLICY, SubjectKind.DOCUMENT) == [
        ("Policy", 3, 3),
        ("Working time", 5, 7),
        ("Breaks", 9, 14),
    ]


def test_a_message_is_split_into_its_head_its_headings_and_its_paragraphs() -> None:
    assert named(MESSAGE, SubjectKind.CREATIVE) == [
        ("subject", 1, 1),
        ("from", 2, 2),
        ("paragraph 1", 4, 4),
        ("paragraph 2", 6, 6),
        ("When", 8, 8),
        ("When, paragraph 1", 10, 11),
        ("When, paragraph 2", 15, 15),
    ]


def test_other_kinds_are_split_like_documents() -> None:
    assert named(POLICY, SubjectKind.DECISION) == named(POLICY, SubjectKind.DOCUMENT)


def test_a_heading_is_called_by_its_words() -> None:
    text = "## **Bold** `max_rules` [link](https://example.org) #\n"
    assert named(text, SubjectKind.DOCUMENT) == [("Bold max_rules link", 1, 1)]


TEXTS = st.lists(
    st.sampled_from(["# H", "1. a", "(b) ü", "text é", "", "Subject: x", "- i", "\u2028y", "x\ry"])
).map("\n".join)
TEXTUAL = st.sampled_from([SubjectKind.CLAUSE_SET, SubjectKind.DOCUMENT, SubjectKind.CREATIVE])


@given(TEXTS, TEXTUAL)
def test_characters_and_lines_say_the_same_and_passages_never_overlap(
    text: str, kind: SubjectKind
) -> None:
    lines = text.split("\n")
    end = 0
    for passage in split_passages(text, kind):
        covered = "\n".join(lines[passage.first_line - 1 : passage.last_line])
        assert text[passage.start : passage.end] == covered
        assert passage.first_line > end
        end = passage.last_line


def test_a_line_belongs_to_the_last_passage_above_it() -> None:
    passages = (Passage("1", 3, 4), Passage("2", 8, 9))
    found = [find_passage(passages, line) for line in (1, 3, 6, 8, 99)]
    assert [item.name if item else None for item in found] == [None, "1", "1", "2", "2"]


def test_of_a_diff_alone_the_passages_have_lines_and_no_characters() -> None:
    text = "\n".join(["# T"] + ["x"] * 20 + ["4.2 The fee is due.", "At once.", ""])
    file = changed(text, text.replace("At once.", "In May."), "c.md")
    whole = split_file(file, SubjectKind.CLAUSE_SET)
    partial = split_file(replace(file, head=None, base=None), SubjectKind.CLAUSE_SET)
    assert [(item.name, item.first_line) for item in whole] == [("T", 1), ("4.2", 22)]
    assert partial == (replace(whole[-1], start=None, end=None),)


CONTRACT = "# Supply\n\n1. Term\n\nTwo years, one month.\n\n2. Fees\n\nNone.\n"


def test_the_measures_are_of_the_whole_text_and_of_the_passages_that_change() -> None:
    file = changed(CONTRACT, CONTRACT.replace("None", "Don't pay"), "c.md")
    kind = SubjectKind.CLAUSE_SET
    facts = build_text_facts(file, kind, split_file(file, kind))
    assert facts == {
        "contract": {
            "words": 11,
            "characters": 61,
            "clauses": [
                {
                    "path": "c.md",
                    "name": "2",
                    "start_line": 7,
                    "end_line": 9,
                    "words": 4,
                    "characters": 19,
                }
            ],
        }
    }


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        (SubjectKind.CLAUSE_SET, "contract"),
        (SubjectKind.DOCUMENT, "document"),
        (SubjectKind.CREATIVE, "message"),
    ],
)
def test_each_kind_of_text_has_a_key_of_its_own(kind: SubjectKind, key: str) -> None:
    assert list(build_text_facts(added("Hi all\n", "a.md"), kind, ())) == [key]


def test_nothing_is_measured_of_what_is_not_at_hand_or_is_no_text() -> None:
    file = added("Hi\n", "a.md")
    assert build_text_facts(replace(file, head=None), SubjectKind.DOCUMENT, ()) == {}
    assert build_text_facts(file, SubjectKind.TRANSACTION, ()) == {}
