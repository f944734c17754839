"""Contracts number in many ways; each line that opens a clause is found, and no other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurat.facts.clauses import find_openings
from jurat.source.markdown import parse_structure

CONTRACTS = {
    "decimal, with letters and Roman numerals inside": """
        1 | 1. Term
      1.1 | 1.1 Two years.
      1.2 | 1.2 Prices may rise
          | at any time.
        2 | 2. Fees
     2(a) | (a) one;
     2(b) | (b) two, either
  2(b)(i) | (i) red or
 2(b)(ii) | (ii) blue; and
     2(c) | (c) three
      2.1 | 2.1. Sub
   2.1(1) |    1. first
   2.1(2) |    2. second
        3 | 3. Term
""",
    "an i is a letter where an h stands before it": """
        1 | 1. Offices
     1(g) | (g) Ghent;
     1(h) | (h) Hull;
     1(i) | (i) Inverness.
""",
    "articles and sections": """
        I | ARTICLE I
          | DEFINITIONS
          |
     1.01 | Section 1.01 Terms. As follows.
     1.02 | Section 1.02 More.
  1.02(a) | (a) a thing
  5(1)(c) | Article 5(1)(c): data
""",
    "paragraphs": """
       12 | § 12 Kündigung
    12(1) | (1) Die Frist beträgt drei Monate.
    12(2) | (2) Sie gilt für beide.
       13 | § 13 Haftung
    13(1) | (1) Die Haftung ist unbeschränkt.
""",
    "annexes number anew": """
        1 | 1. Scope
        2 | 2. Fees
          |
   Annex A | Annex A - Prices
 Annex A 1 | 1. List
 Annex A 2 | 2. Discounts
          |
SCHEDULE 2 | SCHEDULE 2
""",
    "numbered headings, with lists and headings without a number below": """
        4 | ## 4. Fees
          |
     4(1) | 1. the fee
     4(2) | 1. the tax
          |
  Payment | ### Payment
          |
     4(a) | (a) at once
          |
        5 | ## 5. Term
     5(1) | 1. two years
        7 | ## 7 Liability
""",
    "a number that stands twice is told apart by its heading": """
     Fees | ## Fees
   Fees 1 | 1. One
          |
     Term | ## Term
   Term 1 | 1. Two
""",
    "bold numbers and items": """
      7.1 | **7.1** Cap. The cap is
          | 12 months of fees.
      7.2 | **7.2 Carve-outs.** None.
      7.3 | - 7.3) Delivery
        8 | 8\\. Notice
""",
    "letters and Roman numerals on the outside": """
        I | I. Parties
       II | II. Subject
    II(A) | A. Goods
    II(B) | B. Services
      III | III. Price
""",
    "what only looks like a clause": """
        1 | 1. Rates
          | The rate is
          | 4.5 per cent, as
          | Section 9 of the Act says, and
          | 12 months later
          | 2026. Nothing else.
          |
          | 2. Fees ........ 4
          | 3. Term . . . . . . 5
          |
          | ```
          | 4. code
          | ```
          | <!--
          | 5. comment
          | -->
""",
    "front matter": """
          | ---
          | title: 1. No clause
          | ---
        1 | 1. A clause
""",
}


@pytest.mark.parametrize("drawn", CONTRACTS.values(), ids=CONTRACTS)
def test_each_clause_is_found_where_it_begins(drawn: str) -> None:
    rows = [row.partition("|") for row in drawn.strip("\n").split("\n")]
    lines = [text.removeprefix(" ") for _, _, text in rows]
    expected = {number: name.strip() for number, (name, _, _) in enumerate(rows) if name.strip()}
    found = find_openings(lines, parse_structure("\n".join(lines)))
    assert {opening.line: opening.name for opening in found} == expected


PIECES = st.sampled_from(
    [
        "1.",
        "(a)",
        "(i)",
        "4.2",
        "I.",
        "Annex A",
        "§ 3",
        "##",
        "- ",
        "    ",
        "Text",
        "\n",
        " ",
        "```",
    ]
)


@given(st.lists(PIECES, max_size=60).map("".join))
def test_any_text_is_read_from_the_top_and_each_line_opens_once(text: str) -> None:
    lines = text.split("\n")
    found = find_openings(lines, parse_structure(text))
    numbers = [opening.line for opening in found]
    assert numbers == sorted(set(numbers))
    assert all(opening.name and lines[opening.line].strip() for opening in found)


@pytest.mark.parametrize(
    "text",
    ["(a)\n(1)\n" * 4_000, "1. a\n" * 8_000, ". " * 40_000, "> " * 40_000, "(" * 40_000 + "\n"],
)
def test_a_hostile_text_neither_takes_long_nor_grows(text: str) -> None:
    found = find_openings(text.split("\n"), parse_structure(text))
    assert all(len(opening.name) < 40 for opening in found)
