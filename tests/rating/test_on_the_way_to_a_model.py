"""What a large program does for its model, and in its tests: each pair differs in one thing."""

from __future__ import annotations

import pytest

from tests.rating.test_mistaken_for_controls import LONG, shows

TRIED = """
import sys

import requests
from openai import OpenAI


def fetch(url):
    for _ in range(3):
        try:
            return requests.get(url, timeout=3)
        except OSError:
            print("again")
    return None


def ask(question):
    found = HANDED
    return OpenAI().responses.create(model="gpt-5", input=str(found)).output_text


if __name__ == "__main__":
    fetch("https://example.org/news")
    print(ask(sys.argv[1]))
"""


@pytest.mark.parametrize("behaviour", ["caught_failure", "bounded_call"])
@pytest.mark.parametrize(
    ("handed", "more", "robust"),
    [
        ("fetch(question)", {"long": LONG}, True),
        ("question", {"long": LONG}, False),
        ("question", {}, True),
    ],
)
def test_in_a_large_program_what_may_fail_is_on_the_way_to_a_model(
    behaviour: str, handed: str, more: dict[str, str], *, robust: bool
) -> None:
    assert shows(behaviour, TRIED.replace("HANDED", handed), **more) is robust


READ = """
from main import read


def test_reading():
    assert read("../../../PLACE") is None
"""
READER = """
def read(path):
    return None if ".." in path else open(path).read()
"""


@pytest.mark.parametrize(("place", "attacks"), [("etc/hosts", True), ("docs/start.py", False)])
def test_a_way_to_a_place_of_the_repository_is_no_attack(place: str, *, attacks: bool) -> None:
    text = READ.replace("PLACE", place)
    others = {"main": READER, "docs/start": "print(1)\n"}
    assert shows("attacking_test", text, "a/b/tests/test_it.py", **others) is attacks
