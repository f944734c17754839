"""What Jurat says is what it said; `make golden` takes on what is meant to be different."""

from __future__ import annotations

import pytest

from tests.golden.golden import EXPECTED, MAKERS, expected
from tests.golden.makers import load

load()


@pytest.mark.parametrize("folder", MAKERS)
def test_the_output_is_the_golden_one(folder: str) -> None:
    made, kept = MAKERS[folder](), expected(folder)
    assert sorted(made) == sorted(kept), "`make golden` writes what is new, and deletes the rest"
    for name, text in made.items():
        assert text == kept[name], f"{folder}/{name}: `make golden` if it is meant to be so"


def test_every_golden_file_has_a_maker() -> None:
    kept = {path.relative_to(EXPECTED).as_posix() for path in EXPECTED.rglob("*") if path.is_file()}
    made = {f"{folder}/{name}" for folder in MAKERS for name in expected(folder)}
    assert kept - made == set()
