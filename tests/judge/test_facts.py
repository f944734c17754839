from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from jurat.judge.excerpts import list_fact_lines


def rendered(facts: dict[str, object]) -> list[str]:
    return [line.text for line in list_fact_lines(facts)]


def test_every_value_is_one_line_with_its_path() -> None:
    facts = {
        "amount": Decimal("120000.50"),
        "approved": False,
        "approver": None,
        "items": [{"sku": "A-1", "odd key": 2}, {}],
        "tags": [],
    }
    assert rendered(facts) == [
        "amount = 120000.50",
        "approved = false",
        "approver = null",
        'items[0].sku = "A-1"',
        'items[0]["odd key"] = 2',
        "items[1] = {}",
        "tags = []",
    ]


def test_a_text_of_several_lines_is_shown_line_by_line_with_its_offsets() -> None:
    lines = list(list_fact_lines({"body": "Dear all,\n\nfree beer."}))
    assert [(line.text, line.offset) for line in lines] == [
        ("body:", None),
        ("Dear all,", 0),
        ("", 10),
        ("free beer.", 11),
    ]
    assert {line.path for line in lines} == {"body"}


KEYS = st.text(st.characters(codec="utf-8"), max_size=5)
FACTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(KEYS, FACTS, max_size=4))
def test_different_values_have_different_paths(facts: dict[str, object]) -> None:
    paths = [line.path for line in list_fact_lines(facts) if line.offset is None]
    assert len(paths) == len(set(paths))
