from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurat.engine.field_paths import MISSING, compile_path, resolve

FACTS: dict[str, Any] = {
    "amount": 5,
    "nothing": None,
    "empty": [],
    "change": {
        "functions": [
            {"path": "a.py", "name": "f", "complexity": 3},
            {"path": "b.py", "name": "g", "measures": {"depth": [1, 2]}},
        ]
    },
}


def found(path: str) -> list[tuple[str, object]]:
    return [(item.path, item.value) for item in resolve(FACTS, compile_path(path))]


def test_a_path_leads_through_keys_and_indices() -> None:
    assert found("amount") == [("amount", 5)]
    assert found("change.functions[1].name") == [("change.functions[1].name", "g")]
    assert found("change.functions[1].measures.depth[0]") == [
        ("change.functions[1].measures.depth[0]", 1)
    ]


def test_a_star_leads_to_every_item_with_its_own_path() -> None:
    assert found("change.functions[*].name") == [
        ("change.functions[0].name", "f"),
        ("change.functions[1].name", "g"),
    ]
    assert found("change.functions[1].measures.depth[*]") == [
        ("change.functions[1].measures.depth[0]", 1),
        ("change.functions[1].measures.depth[1]", 2),
    ]


def test_a_star_over_nothing_finds_nothing() -> None:
    assert found("empty[*].x") == []


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("none", "none"),
        ("nothing", "nothing"),
        ("amount.cents", "amount.cents"),
        ("change.functions[7].name", "change.functions[7].name"),
        ("change.nothing[*].name", "change.nothing[*].name"),
        ("change.functions.name", "change.functions.name"),
        ("amount[0]", "amount[0]"),
        ("amount[*].x", "amount[*].x"),
    ],
)
def test_a_path_that_leads_nowhere_is_missing(path: str, written: str) -> None:
    assert found(path) == [(written, MISSING)]


def test_one_item_of_many_may_be_missing() -> None:
    assert found("change.functions[*].complexity") == [
        ("change.functions[0].complexity", 3),
        ("change.functions[1].complexity", MISSING),
    ]


def test_a_value_knows_the_file_that_it_belongs_to() -> None:
    (item,) = resolve(FACTS, compile_path("change.functions[1].measures.depth[1]"))
    assert item.place is not None
    assert item.place["path"] == "b.py"
    (item,) = resolve(FACTS, compile_path("amount"))
    assert item.place is None


def test_items_that_are_not_admitted_are_passed_over() -> None:
    steps = compile_path("change.functions[*].name")
    assert [
        item.value for item in resolve(FACTS, steps, lambda entry: entry["path"] == "b.py")
    ] == ["g"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=1), inner),
    max_leaves=10,
)


@given(
    st.dictionaries(st.text("ab", min_size=1, max_size=1), JSON),
    st.from_regex(r"[ab](\[[0-2*]\]){0,2}(\.[ab](\[[0-2*]\]){0,2}){0,2}", fullmatch=True),
)
def test_any_path_over_any_facts_ends_at_concrete_places(facts: dict[str, Any], path: str) -> None:
    for item in resolve(facts, compile_path(path)):
        assert item.value is not None
        if item.value is not MISSING:
            (again,) = resolve(facts, compile_path(item.path))
            assert again.value == item.value
