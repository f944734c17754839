from __future__ import annotations

from contextlib import suppress
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurat.errors import ConfigurationError, RuleError
from jurat.source.strict_json import MAX_DEPTH, format_key_path
from jurat.source.strict_yaml import parse_yaml


def data_of(text: str) -> object:
    return parse_yaml(text, "f.yml", RuleError).data


def error_of(text: str) -> str:
    with pytest.raises(RuleError) as caught:
        parse_yaml(text, "f.yml", RuleError)
    return str(caught.value)


def test_values_follow_the_core_schema_of_yaml_1_2() -> None:
    assert data_of("[yes, no, on, off, 12:30, 2027-01-31, 1_000, 0b1]") == [
        "yes", "no", "on", "off", "12:30", "2027-01-31", "1_000", "0b1",
    ]  # fmt: skip
    assert data_of("[true, False, ~, null, '', 007, -3, 0o17, 0xff]") == [
        True, False, None, None, "", 7, -3, 15, 255,
    ]  # fmt: skip


def test_a_fraction_is_exactly_what_is_written() -> None:
    assert data_of("[0.1, 1e3, -.5, 123456789012345678.91]") == [
        Decimal("0.1"),
        Decimal("1E+3"),
        Decimal("-0.5"),
        Decimal("123456789012345678.91"),
    ]


def test_quoted_scalars_are_text() -> None:
    assert data_of("""["1", 'true', "null", '2.5']""") == ["1", "true", "null", "2.5"]


def test_every_key_and_item_has_its_line() -> None:
    document = parse_yaml("a:\n  - b: 1\n    c: 2\n  -\n    d: 3\n", "f.yml", RuleError)
    assert document.line(("a", 0, "c")) == 3
    assert document.line(("a", 1, "d")) == 5
    assert document.line(("a", 0, "missing", 5)) == 2
    assert document.line(()) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\nb: 2\na: 3", "f.yml:3: a: the key stands twice, first on line 1"),
        ("x:\n  {a: 1, a: 2}", "f.yml:2: x.a: the key stands twice, first on line 2"),
        ("a: 1\n1: 2", "f.yml:2: the key '1' must be text: quote it"),
        ("a: 1\ntrue: 2", "f.yml:2: the key 'true' must be text: quote it"),
        ("? [a]\n: 1", "f.yml:1: a key must be plain text"),
        ("a: 1\n---\nb: 2", "f.yml:2: holds several documents; split them into files"),
        ("a: !!python/object:x 1", "f.yml:1: a: tags such as"),
        ("a:\n  <<: {b: 1}", "f.yml:2: a: merge keys (<<) are not supported"),
        ("a: .nan", "f.yml:1: a: .nan is not a number that a rule can use"),
        ("a: -.inf", "f.yml:1: a: -.inf is not a number that a rule can use"),
        ("a: &x [*x]", "f.yml:1: a[0]: alias *x stands before the end of its anchor"),
        ("a: *nobody", "f.yml:1: a: alias *nobody"),
        ("a: 1\n\tb: 2", "f.yml:2: not valid YAML: found"),
        ("a: [1\nb: 2", "f.yml:2: not valid YAML: did not find expected"),
        ("a: b: c", "f.yml:1: not valid YAML: mapping values are not allowed"),
        ("a: x\nb: \x07", "f.yml:2: not valid YAML: control characters are not allowed"),
        ("a: x\nb: \ud800", "f.yml:2: holds a character that is not valid Unicode"),
        ("a: " + "9" * 1_001, "f.yml:1: a: the number has more than 1,000 digits"),
    ],
)
def test_an_error_names_file_line_and_key(text: str, expected: str) -> None:
    assert error_of(text).startswith(expected)


def test_the_error_is_of_the_asked_type() -> None:
    with pytest.raises(ConfigurationError):
        parse_yaml("a: [", "f.yml", ConfigurationError)


def test_nesting_has_a_bound() -> None:
    assert data_of("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    assert "nested deeper" in error_of("[" * (MAX_DEPTH + 2) + "]" * (MAX_DEPTH + 2))
    assert "nested deeper" in error_of("[" * 200_000)


def test_aliases_share_text_but_cannot_stand_for_too_much_of_it() -> None:
    assert data_of("a: &x [1, 2]\nb: *x") == {"a": [1, 2], "b": [1, 2]}
    levels = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]\n" for n in range(1, 9))
    assert "aliases stand for too much text" in error_of(f"l0: &l0 [x]\n{levels}")


def test_an_empty_text_is_none() -> None:
    assert data_of("") is None
    assert data_of("# nothing yet\n") is None


def test_a_path_is_written_as_people_write_it() -> None:
    assert (
        format_key_path(("rules", 3, "constraints", 0, "operator"))
        == "rules[3].constraints[0].operator"
    )


@given(st.text(max_size=200))
def test_any_text_is_parsed_or_refused_as_a_rule_error(text: str) -> None:
    with suppress(RuleError):
        parse_yaml(text, "f.yml", RuleError)
