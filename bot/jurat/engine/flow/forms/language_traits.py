"""What the languages do differently with what looks alike once it is in the program form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class LanguageTraits:
    """One language. A trait that most share is the default."""

    name: Literal["go", "java", "javascript", "python"]

    # Names
    shares_scope: bool = True
    """Whether a function sets a variable around it without saying so."""
    capitals_name_classes: bool = True
    """Whether a name in capitals is a class: in Go it is exported."""
    names_own_fields: bool = False
    """Whether a method names the fields and methods of its object without the object."""
    separates_methods: bool = False
    """Whether a method and a field of one name are two matters."""
    has_prototypes: bool = False
    """Whether methods that the language brings may be replaced by a file."""
    calls_super: bool = True
    """Whether `super()` runs the constructor above: in Python it is the object."""

    # Types
    keeps_types: bool = True
    """Whether what is declared to be a number or an error is no text."""
    checks_if_marked: bool = False
    """Whether what a class declares of its fields is checked of marked parameters alone."""
    marks_by_base: bool = False
    """Whether an interface's method marks the parameters of the one that implements it."""

    # Functions
    calls_by_interface: bool = False
    """Whether a function is called by the name of a method, and given what that has."""
    loops_hand_keys: bool = False
    """Whether a loop over a mapping calls a function with a key and a value: elsewhere with an
    element and its place.
    """
    reads_by_accessor: bool = False
    """Whether `a.name()` or `a.getName()` that nobody wrote is a part of a record."""
    extends_by_call: bool = False
    """Whether `new A() { … }` makes a class without a name."""
    returns_error_last: bool = False
    """Whether the last of what a function returns says if it failed."""

    # Values
    counts_empty_as_true: bool = False
    """Whether an empty list is true in a condition."""
    numbers_by_order: frozenset[bool] = frozenset()
    """Which answers of `one < 9` only a number gets: where a character is one, none."""
    joins_by_bar: bool = False
    """Whether `|` joins sets and mappings."""

    # What the language brings
    matches_at_start: bool = False
    """Whether `match` asks the beginning of a text alone."""
    replaces_once: bool = False
    """Whether `replace` leaves all but the first, unless a pattern says otherwise."""
    restarts_at_root: bool = True
    """Whether a path from the root leaves the folder that it is put behind."""
    asks_whole_steps: bool = False
    """Whether a path that is asked how it begins compares whole names, as no text does."""
    resolves_addresses: bool = False
    """Whether `resolve` of an address puts another one behind it."""
    makes_text_by: str = "String()"
    """What makes a text of any value."""


PYTHON = LanguageTraits(
    "python",
    shares_scope=False,
    calls_super=False,
    # Whatever else is asked ends in an error there.
    numbers_by_order=frozenset({True, False}),
    joins_by_bar=True,
    matches_at_start=True,
    makes_text_by="str()",
)
GO = LanguageTraits(
    "go", capitals_name_classes=False, returns_error_last=True, restarts_at_root=False
)
JAVASCRIPT = LanguageTraits(
    "javascript",
    has_prototypes=True,
    keeps_types=False,
    counts_empty_as_true=True,
    # What is no number gets no.
    numbers_by_order=frozenset({True}),
    replaces_once=True,
)
JAVA = LanguageTraits(
    "java",
    names_own_fields=True,
    separates_methods=True,
    checks_if_marked=True,
    marks_by_base=True,
    calls_by_interface=True,
    loops_hand_keys=True,
    reads_by_accessor=True,
    extends_by_call=True,
    asks_whole_steps=True,
    resolves_addresses=True,
)

_BY_LANGUAGE = {
    "python": PYTHON,
    "go": GO,
    "java": JAVA,
    **dict.fromkeys(("javascript", "typescript", "tsx"), JAVASCRIPT),
}


def get_traits(language: str) -> LanguageTraits:
    """Those of a language by its name in `source/languages.py`; one that is not followed has none.

    Raises KeyError.
    """
    return _BY_LANGUAGE[language]
