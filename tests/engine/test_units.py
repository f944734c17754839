from __future__ import annotations

from decimal import Decimal

import pytest

from jurat.engine.units import is_unit, normalize_unit, to_comparable


@pytest.mark.parametrize(
    ("value", "unit", "threshold", "threshold_unit", "expected"),
    [
        ("90", "min", "1.5", "hours", 0),
        ("2700", "minutes", "45", "h", 0),
        ("1", "week", "7", "days", 0),
        ("1500", "ms", "1", "s", 1),
        ("1", "KiB", "1000", "bytes", 1),
        ("1", "MB", "1", "MiB", -1),
        ("15", "%", "0.15", "ratio", 0),
        ("25", "bps", "0.25", "percent", 0),
        ("3", "feet", "1", "m", -1),
        ("0.1", "Hours", "6", "Minutes", 0),
    ],
)
def test_units_of_one_dimension_compare_exactly(
    value: str, unit: str, threshold: str, threshold_unit: str, expected: int
) -> None:
    pair = to_comparable(Decimal(value), unit, Decimal(threshold), threshold_unit)
    assert pair is not None
    assert pair[0].compare(pair[1]) == expected


@pytest.mark.parametrize(
    ("unit", "other"),
    [("EUR", "USD"), ("hours", "km"), ("months", "days"), ("lines", "files"), ("Mb", "MB")],
)
def test_other_units_do_not_convert(unit: str, other: str) -> None:
    assert to_comparable(Decimal(1), unit, Decimal(1), other) is None


def test_a_unit_equals_itself_whether_it_is_known_or_not() -> None:
    for unit, other in [("EUR", "eur"), ("lines", "line"), ("business days", "Business Days")]:
        assert to_comparable(Decimal(5), unit, Decimal(6), other) == (Decimal(5), Decimal(6))


def test_a_third_of_an_hour_is_not_rounded() -> None:
    pair = to_comparable(Decimal(20), "min", Decimal("0." + "3" * 40), "h")
    assert pair is not None
    assert pair[0] > pair[1]


def test_words_are_known_in_any_case_and_number() -> None:
    assert normalize_unit("Hours") == "hour"
    assert normalize_unit("inches") == "inch"
    assert is_unit("MINUTES")
    assert not is_unit("lines")
