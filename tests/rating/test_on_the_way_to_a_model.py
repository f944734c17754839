"""What a large program does for its model, and in its tests: each pair differs in one thing."""

from __future__ import annotations

import pytest

from jurat.rating.recon import scan_worktree
from tests.rating.test_mistaken_for_controls import LONG, shows
from tests.support.rating import worktree_of

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


WRITTEN = """
from main import read


def test_reading():
    assert read("My name is NAME", "NAME") == "name"
"""


@pytest.mark.parametrize(("name", "attacks"), [("DAN", True), ("Dan", False)])
def test_a_first_name_is_no_attack(name: str, *, attacks: bool) -> None:
    reader = "def read(text, name):\n    return text.split()[1]\n"
    text = WRITTEN.replace("NAME", name)
    assert shows("attacking_test", text, "tests/test_it.py", main=reader) is attacks


COMPARED = """
import joblib
from sklearn.metrics import recall_score

from main import tell


def test_it():
    answers = ANSWERS
    assert recall_score([1, 0], answers) == tell([1, 0], answers)
"""


@pytest.mark.parametrize(
    ("answers", "measures"),
    [('joblib.load("m.bin").predict([[1], [2]])', True), ("[1, 1]", False)],
)
def test_of_fixed_answers_a_test_measures_nothing(answers: str, *, measures: bool) -> None:
    text = COMPARED.replace("ANSWERS", answers)
    main = "def tell(truth, answers):\n    return len(truth) / len(answers)\n"
    assert shows("measured_answers", text, "tests/test_it.py", main=main) is measures


FETCHED = """
import sys

import requests
from openai import OpenAI


def fetch(url):
    return requests.get(url, timeout=3, allow_redirects=True)


def ask(question):
    return OpenAI().responses.create(model="gpt-5", input=HANDED).output_text


if __name__ == "__main__":
    fetch("https://example.org/news")
    print(ask(sys.argv[1]))
"""


@pytest.mark.parametrize(
    ("handed", "lines", "bounded"),
    [("question", 10, True), ("question", 4_000, False), ("fetch(question).text", 4_000, True)],
)
def test_a_deadline_elsewhere_bounds_no_run(handed: str, lines: int, *, bounded: bool) -> None:
    files = {
        "main.py": FETCHED.replace("HANDED", handed),
        "long.py": LONG.replace("    pass\n" * 3_000, "    pass\n" * lines),
    }
    signals, _ = scan_worktree(worktree_of(files))
    assert signals["bounded_autonomy"]
    assert bool(signals.keep_held()["bounded_autonomy"]) is bounded
