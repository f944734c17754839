"""What data files say, where it stands in them, and what in them is no news."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from jurat.facts.data_files import MAX_VALUES, ContentError, parse_contents, parse_data_file
from jurat.facts.places import (
    ChangedLine,
    build_value_finder,
    find_nearest_value,
    get_value,
    replace_value,
)
from jurat.source.strict_json import format_json_path
from tests.support.code import added, changed

LEDGER = """\
{
  "currency": "E\\"UR",
  "lines": [
    {"amount": 120000.50}, 7
  ],
  "empty": {}
}
"""
EVENT = """\
# A case.
person: Ü-17 # its number
steps:
  - name: warning
    by: &who manager
  - {name: hearing,
     by: *who}

grounds: |
  Late.

  Rude.
folded: >-
  one
  two
nothing:
"""


def places(text: str, language: str) -> dict[str, tuple[int, int, str]]:
    spans = parse_contents(text, language).spans
    return {
        format_json_path(where): (span.first_line, span.last_line, text[span.start : span.end])
        for where, span in spans.items()
        if where
    }


def test_each_value_of_a_json_document_has_its_lines_and_characters() -> None:
    assert places(LEDGER, "json") == {
        "$.currency": (2, 2, '"E\\"UR"'),
        "$.lines[0].amount": (4, 4, "120000.50"),
        "$.lines[0]": (4, 4, '{"amount": 120000.50}'),
        "$.lines[1]": (4, 4, "7"),
        "$.lines": (3, 5, '[\n    {"amount": 120000.50}, 7\n  ]'),
        "$.empty": (6, 6, "{}"),
    }


def test_each_value_of_a_yaml_document_has_its_lines_and_characters() -> None:
    found = places(EVENT, "yaml")
    assert {path: lines[:2] for path, lines in found.items()} == {
        "$.person": (2, 2),
        "$.steps[0].name": (4, 4),
        "$.steps[0].by": (5, 5),
        "$.steps[0]": (4, 5),
        "$.steps[1].name": (6, 6),
        "$.steps[1].by": (7, 7),
        "$.steps[1]": (6, 7),
        "$.steps": (3, 7),
        "$.grounds": (9, 12),
        "$.folded": (13, 15),
        "$.nothing": (16, 16),
    }
    assert found["$.person"][2] == "Ü-17"
    assert found["$.steps[1]"][2] == "{name: hearing,\n     by: *who}"


def test_the_lines_of_a_literal_block_are_lines_of_the_text() -> None:
    spans = parse_contents(EVENT, "yaml").spans
    assert (spans[("grounds",)].body_line, spans[("folded",)].body_line) == (10, 0)


def test_a_list_stands_under_items_and_an_empty_document_says_nothing() -> None:
    listed = parse_contents('[1, {"a": 2}]', "json")
    assert listed.facts == {"items": [1, {"a": 2}]}
    assert ("items", 1, "a") in listed.spans
    assert parse_contents("5", "json").facts == {"items": [5]}
    assert parse_contents("# nothing\n", "yaml").facts == {}


def test_a_byte_order_mark_moves_nothing() -> None:
    for text, language in (('\ufeff{"a": 5}', "json"), ("\ufeffa: 5\n", "yaml")):
        contents = parse_contents(text, language)
        span = contents.spans[("a",)]
        assert (contents.facts, text[span.start : span.end]) == ({"a": 5}, "5")


def test_only_a_newline_ends_a_line() -> None:
    for text in ('a: "x\u2028y\u0085"\nb: 1\n', "a: 'x\ry'\nb: 1\n"):
        assert parse_contents(text, "yaml").spans[("b",)].first_line == 2


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{key}: &{key} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, key in zip("abcdef", "bcdefg", strict=True)
)


@pytest.mark.parametrize(
    ("text", "language", "reason"),
    [
        ('{"a": 1, "a": 2}', "json", "the name 'a' stands twice"),
        ('{"a": Infinity}', "json", "Infinity is not a number"),
        ('{"a": 1e99999}', "json", "longer or larger"),
        ('{\n"a": }', "json", "line 2: Expecting value"),
        ("[" * 100_000, "json", "deeper than 60 levels"),
        ("[" * 70 + "]" * 70, "json", "deeper than 60 levels"),
        (f"[{'1,' * MAX_VALUES}1]", "json", "more than 50,000 values"),
        ("a: 1\na: 2\n", "yaml", "line 2, a: the key stands twice"),
        ("a: .nan\n", "yaml", ".nan is not a number"),
        ("[" * 100_000, "yaml", "deeper than 60 levels"),
        ("- 1\n" * MAX_VALUES, "yaml", "more than 50,000 values"),
        (BOMB, "yaml", "aliases stand for too much text"),
        ("a: &x [*x]\n", "yaml", "alias *x stands before"),
        ("a: !!python/object/apply:os.system [x]\n", "yaml", "tags such as"),
        ("a: 1\n---\nb: 2\n", "yaml", "several documents"),
        ("a: \ud800\n", "yaml", "not valid Unicode"),
    ],
    ids=lambda value: value[:24] if isinstance(value, str) else "",
)
def test_what_cannot_be_facts_is_refused_with_the_reason(
    text: str, language: str, reason: str
) -> None:
    with pytest.raises(ContentError) as refused:
        parse_contents(text, language)
    assert reason in str(refused.value)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8"), max_size=6),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=15,
)


@given(
    st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=4), VALUES, max_size=4),
    st.sampled_from([None, 0, 2]),
)
def test_what_stands_at_a_place_in_json_is_the_value(facts: dict[str, Any], indent: int) -> None:
    text = json.dumps(facts, indent=indent, ensure_ascii=bool(indent))
    contents = parse_contents(text, "json")
    assert contents.facts == facts
    for where, span in contents.spans.items():
        value = get_value(facts, where) if where else facts
        assert json.loads(text[span.start : span.end]) == value
        assert span.first_line <= span.last_line == text.count("\n", 0, span.end) + 1


@given(VALUES, st.booleans())
def test_what_stands_at_a_place_in_yaml_is_the_value(value: Any, flow: bool) -> None:
    text = yaml.safe_dump({"k": [value]}, default_flow_style=flow, allow_unicode=True)
    try:
        contents = parse_contents(text, "yaml")
    except ContentError:
        return
    for where, span in contents.spans.items():
        stated = get_value(contents.facts, where) if where else contents.facts
        written = text[span.start : span.end]
        if not isinstance(stated, dict | list) and not isinstance(stated, str):
            assert yaml.safe_load(written) == stated
        assert span.last_line <= text.rstrip("\n").count("\n") + 1


def test_entries_that_stand_in_the_base_as_they_are_are_no_news() -> None:
    base = '[{"id": 1, "amount": 5.0}, {"id": 2, "amount": 7}]'
    head = '[{"id": 3}, {"amount": 5.0, "id": 1}, {"id": 2, "amount": 8}, {"id": 1, "amount": 5.0}]'
    contents = parse_data_file(changed(base, head, "ledger.json"))
    # The second copy of an entry is news: it may be the second payment of one bill.
    assert contents.unchanged == {("items", 1)}
    assert parse_data_file(added(head, "ledger.json")).unchanged == frozenset()


def test_a_base_that_cannot_be_read_makes_everything_news() -> None:
    contents = parse_data_file(changed("[{", '[{"id": 1}]', "ledger.json"))
    assert (contents.facts, contents.unchanged) == ({"items": [{"id": 1}]}, frozenset())


def test_the_nearest_place_is_that_of_what_is_around() -> None:
    spans = parse_contents(EVENT, "yaml").spans
    missing = find_nearest_value(spans, ("steps", 0, "signed", "on"))
    assert missing is not None
    assert (missing.first_line, missing.last_line) == (4, 5)
    assert find_nearest_value(spans, ("elsewhere",)) is None


def test_a_line_leads_to_the_value_on_it() -> None:
    find = build_value_finder(parse_contents(EVENT, "yaml").spans)
    assert find(2) == ("person",)
    assert find(5) == ("steps", 0, "by")
    assert find(11) == ("grounds",)
    assert find(1) is None
    assert build_value_finder(parse_contents(LEDGER, "json").spans)(4) == ("lines",)


PRICES = 'amount: 5 # euros\nname: "A"\nby: Wendy\nnone: ~\non: true\nx: &a 1\ny: *a\nt: |\n  a\n'


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("amount", "7.50", "amount: 7.50 # euros"),
        ("amount", '"7"', 'amount: "7" # euros'),
        ("name", "B", "name: B"),
        ("name", "12", 'name: "12"'),
        ("by", "Rita: the boss", 'by: "Rita: the boss"'),
        ("none", "Wendy", "none: Wendy"),
        ("on", "false", "on: false"),
        ("x", "2", None),
        ("y", "2", "y: 2"),
        ("t", "b", None),
        ("gone", "b", None),
    ],
)
def test_a_new_value_is_written_on_its_line_and_changes_nothing_else(
    key: str, value: str, line: str | None
) -> None:
    file = added(PRICES, "a.yml")
    found = replace_value(file, (key,), value)
    assert (found.new if found else None) == line
    if found is not None:
        assert found.old == PRICES.split("\n")[found.number - 1]


def test_a_new_value_in_json_is_json() -> None:
    file = added('{\r\n  "amount": 5, "by": "A"\r\n}\r\n', "a.json")
    assert replace_value(file, ("by",), "Ü") == ChangedLine(
        2, '  "amount": 5, "by": "A"\r', '  "amount": 5, "by": "Ü"\r'
    )
    assert replace_value(file, ("amount",), "6") is not None
    contents = parse_contents('{"a": 0.10}', "json")
    assert contents.facts == {"a": Decimal("0.10")}


@given(st.sampled_from(["amount", "name", "by", "none", "on"]), st.text(max_size=12))
def test_whatever_the_new_value_the_file_says_the_same_of_all_else(key: str, value: str) -> None:
    found = replace_value(added(PRICES, "a.yml"), (key,), value)
    if found is None:
        return
    lines = PRICES.split("\n")
    lines[found.number - 1] = found.new
    before, after = (
        parse_contents(PRICES, "yaml").facts,
        parse_contents("\n".join(lines), "yaml").facts,
    )
    assert {**before, key: None} == {**after, key: None}
