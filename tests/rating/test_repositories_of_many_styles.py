"""Repositories as teams of different habits write them, labelled before anything was rated.

The half named "held" was looked at by nobody while the rater was corrected.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.rating.labelled_repositories import LabelledRepository
from tests.support.rating import rate_document

WRITTEN = Path(__file__).parents[2] / "fixtures" / "rating" / "styles.txt"


def read_styles() -> Iterator[LabelledRepository]:
    for block in re.split(r"(?m)^@@@ ", WRITTEN.read_text())[1:]:
        head, _, rest = block.partition("\n")
        half, clause, label = head.split()
        parts = re.split(r"(?m)^--- (\S+)\n", rest)[1:]
        files = dict(zip(parts[::2], parts[1::2], strict=True))
        yield LabelledRepository(head, clause, half, label == "positive", files)


def is_shown(case: LabelledRepository) -> bool:
    regulation, _, clause = case.clause.rpartition(":")
    [shown] = [
        item["supported_verdict"]
        for part in rate_document(case.files)["regulations"]
        if part["id"] == (regulation or "eu-ai-act")
        for item in part["clauses"]
        if item["id"] == clause
    ]
    return shown in (("fail", "partial") if clause.startswith("5(") else ("pass", "partial"))


@cache
def count_outcomes() -> Counter[tuple[str, bool, bool]]:
    return Counter((case.kind, case.holds, is_shown(case)) for case in read_styles())


def test_no_more_is_missed_than_before() -> None:
    counts = count_outcomes()
    assert sum(counts.values()) == 48
    assert counts["tune", True, True] >= 10
    assert counts["held", True, True] >= 7


def test_no_more_is_praised_or_accused_than_before() -> None:
    counts = count_outcomes()
    assert counts["tune", False, True] <= 1
    assert counts["held", False, True] <= 1
