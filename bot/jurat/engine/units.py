"""Units of measure, and words, in forms that compare. Currencies and months never convert."""

from __future__ import annotations

import re
from decimal import Context, Decimal

_EXACT = Context(prec=200)
MAX_MAGNITUDE = 60
"""Numbers of more digits than this before the point are no measure of anything."""

# Each dimension's units in its smallest sensible unit: name, factor, other spellings.
# SI and IEC 80000-13 for bytes; the international yard and pound agreement for ft, in, mi, lb, oz.
_TABLE: dict[str, tuple[tuple[str, str], ...]] = {
    "time": (
        ("0.000001", "us µs microsecond"),
        ("0.001", "ms millisecond msec"),
        ("1", "s second sec"),
        ("60", "min minute"),
        ("3600", "h hour hr"),
        ("86400", "d day"),
        ("604800", "week wk"),
    ),
    "data": (
        ("0.125", "bit"),
        ("1", "B byte"),
        ("1000", "kB KB kilobyte"),
        ("1000000", "MB megabyte"),
        ("1000000000", "GB gigabyte"),
        ("1000000000000", "TB terabyte"),
        ("1024", "KiB kibibyte"),
        ("1048576", "MiB mebibyte"),
        ("1073741824", "GiB gibibyte"),
        ("1099511627776", "TiB tebibyte"),
    ),
    "length": (
        ("0.001", "mm millimetre millimeter"),
        ("0.01", "cm centimetre centimeter"),
        ("1", "m metre meter"),
        ("1000", "km kilometre kilometer"),
        ("0.0254", "in inch"),
        ("0.3048", "ft foot feet"),
        ("1609.344", "mi mile"),
    ),
    "mass": (
        ("0.001", "mg milligram"),
        ("1", "g gram"),
        ("1000", "kg kilogram"),
        ("1000000", "t tonne"),
        ("28.349523125", "oz ounce"),
        ("453.59237", "lb pound"),
    ),
    "ratio": (
        ("1", "ratio fraction"),
        ("0.01", "% percent pct"),
        ("0.001", "‰ permille"),
        ("0.0001", "bp bps"),
    ),
}

_UNITS = {
    spelling: (dimension, Decimal(factor))
    for dimension, units in _TABLE.items()
    for factor, spellings in units
    for spelling in spellings.split()
}


def normalize_unit(unit: str) -> str:
    """A unit in the table's spelling if it has one.

    Symbols are read as written, since "Mb" is not "MB"; in words, case and a plural do not matter.
    """
    name = unit.strip()
    # As written first: lower case would make "Mb" and "MB" one.
    if name in _UNITS:
        return name
    word = name.lower()
    for ending in ("", "es", "s"):
        stem = word.removesuffix(ending)
        if len(stem) > 2 and stem in _UNITS:
            return stem
    return word.removesuffix("s")


def is_unit(name: str) -> bool:
    """Whether the table knows the unit."""
    return normalize_unit(name) in _UNITS


def to_comparable(
    value: Decimal, unit: str, threshold: Decimal, threshold_unit: str
) -> tuple[Decimal, Decimal] | None:
    """Both numbers in one unit, exactly; None if the units do not convert."""
    ours, theirs = normalize_unit(unit), normalize_unit(threshold_unit)
    if ours == theirs:
        return value, threshold
    if ours not in _UNITS or theirs not in _UNITS:
        return None
    (dimension, factor), (wanted, wanted_factor) = _UNITS[ours], _UNITS[theirs]
    if dimension != wanted:
        return None
    # Multiplied, never divided: 1/3 has no end, and a comparison at the edge would depend on where
    # it was cut.
    return _EXACT.multiply(value, factor), _EXACT.multiply(threshold, wanted_factor)


# Words of prose and of fact keys in a form in which they can be compared.

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_ENDINGS = ("ations", "ation", "ments", "ment", "ions", "ion", "als", "al", "ings", "ing")
_SHORT_ENDINGS = ("ed", "es", "s", "e")


def split_words(text: str) -> list[str]:
    """The words of prose, of snake_case and of camelCase, in lower case."""
    return [word.lower() for word in _WORD.findall(text)]


def compute_stem(word: str) -> str:
    """A word without its ending: approve, approved and approval are one, as are line and lines."""
    for ending in (*_ENDINGS, *_SHORT_ENDINGS):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def list_stems(text: str) -> frozenset[str]:
    """The stems of all words of a text."""
    return frozenset(compute_stem(word) for word in split_words(text))
