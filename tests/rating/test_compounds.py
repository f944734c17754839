"""A practice in plain words is known by its parts, each said where it belongs."""

from __future__ import annotations

import pytest

from jurat.rating.behaviours.uses.compounds import COMPOUNDS, find_compounds
from jurat.rating.code.file_reader import read_facts
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.reach import Program
from jurat.rating.texts.parts import build_part
from tests.support.rating import rate_document

ASK = (
    "import openai\n\n\ndef ask(text):\n"
    "    client = openai.OpenAI()\n"
    "    return client.chat.completions.create(model='m', messages=['{asked}', text])\n\n\n"
    "ask(input())\n"
)
TELLING = {
    "conduct_rewarded": (
        "score this citizen from posts, complaints of neighbours and noise",
        "housing ; heating",
    ),
    "crime_foretold": (
        "likely that this young person commits theft: age, street, religion, family",
        "visit list of the police",
    ),
    "at_work_or_school": ("mood of the agent", "employee shift payroll bonus"),
    "under_notice": ("ten commands to buy", "volume=-38dB under the music, mind"),
}


def _build(asked: str, elsewhere: str) -> Conduct:
    main = f"import other\n{ASK.replace('{asked}', asked)}"
    files = {"main.py": main, "other.py": f"X = {elsewhere!r}\n"}
    return Conduct(Program({path: read_facts(text, "python") for path, text in files.items()}))


def _find(asked: str, *, elsewhere: str = "") -> set[str]:
    """The practices found if `asked` is what the model is told and `elsewhere` another file."""
    conduct = _build(asked, elsewhere)
    everything = {
        one: " ; ".join(text.lower() for text in conduct.facts(one).says) for one in conduct.product
    }
    return {sign.behaviour for sign in find_compounds(conduct, everything.__getitem__)}


@pytest.mark.parametrize("name", COMPOUNDS)
def test_a_practice_shows_once_all_of_its_parts_are_said(name: str) -> None:
    asked, elsewhere = TELLING[name]
    assert name in _find(asked, elsewhere=elsewhere)


@pytest.mark.parametrize("name", COMPOUNDS)
def test_without_one_of_its_parts_it_does_not(name: str) -> None:
    asked, _ = TELLING[name]
    assert name not in _find(asked)
    assert name not in _find("a plain question", elsewhere="nothing of it")


def test_what_must_be_asked_of_the_model_does_not_count_elsewhere() -> None:
    asked, elsewhere = TELLING["crime_foretold"]
    assert "crime_foretold" not in _find("hello", elsewhere=f"{asked} ; {elsewhere}")


def test_without_a_model_nothing_is_told() -> None:
    text = f"X = {'; '.join(TELLING['crime_foretold'])!r}\nprint(X)\n"
    conduct = Conduct(Program({"main.py": read_facts(text, "python")}))
    assert list(find_compounds(conduct, lambda one: text.lower())) == []


@pytest.mark.parametrize("name", COMPOUNDS)
def test_a_practice_stands_at_the_call_of_the_model(name: str) -> None:
    asked, elsewhere = TELLING[name]
    conduct = _build(asked, elsewhere)
    said = f"{asked} ; {elsewhere}".lower()
    found = [one for one in find_compounds(conduct, lambda one: said) if one.behaviour == name]
    assert [(one.function[0], one.line) for one in found] == [("main.py", 7)]
    assert all(one.carriers == conduct.inferring for one in found)


def test_a_word_and_its_plural_are_said_once() -> None:
    part = build_part("streets?|families|family|age", 2)
    assert not part.is_said("one street of many streets")
    assert part.is_said("a street, and the age")
    assert not part.is_said("streetwise ages")


@pytest.mark.parametrize(
    ("others", "much", "found"),
    [(0, "", True), (30, "", False), (0, "and so on. " * 6_000, False)],
)
def test_where_much_is_said_only_what_a_model_is_asked_counts(
    others: int, much: str, *, found: bool
) -> None:
    asked, elsewhere = TELLING["conduct_rewarded"]
    files = {
        "main.py": f"import near\n{ASK.replace('{asked}', asked)}".replace(
            "    client", "    near.go()\n    client"
        ),
        "near.py": "import far\n\n\ndef go():\n    far.end()\n",
        "far.py": f"def end():\n    print({elsewhere!r})\n",
        **{f"other{n}.py": f"print({n})\n" for n in range(others)},
    }
    program = Program({path: read_facts(text, "python") for path, text in files.items()})
    conduct = Conduct(program)
    said = {one: " ; ".join(sorted(conduct.facts(one).says)) for one in conduct.product}
    told = find_compounds(conduct, lambda one: said[one] + much * (one[0] == "far.py"))
    assert ("conduct_rewarded" in {one.behaviour for one in told}) is found


TOWN = """
import sqlite3
import requests

db = sqlite3.connect("town.db")
WORTH = {{"{one}": 15, "{two}": -20, "{three}": -25, "{four}": -4}}


def add({who}, what):
    db.execute("INSERT INTO {points} ({who}, worth) VALUES (?, ?)", ({who}, WORTH[what]))
    return db.execute("SELECT SUM(worth) FROM {points} WHERE {who} = ?", ({who},)).fetchone()[0]


def treat({who}):
    if add({who}, "{one}") < 0:
        requests.delete(f"http://town.intern/{door}/{{{who}}}", timeout=5)
        requests.put(f"http://town.intern/{gate}/{{{who}}}", json={{"{last}": "end"}}, timeout=5)


treat("7")
"""
LIVED = (
    "ehrenamt beschwerde demonstration alkohol person punkte kita wohnung warteliste",
    "benevolat plainte manifestation alcool habitant points creche logement cantine",
    "voluntariado queja manifestacion ruido vecino puntos guarderia vivienda comedor",
)
COOKED = "paprika zwiebel knoblauch kartoffel person punkte kita wohnung warteliste"


@pytest.mark.parametrize(("words", "told"), [*((words, True) for words in LIVED), (COOKED, False)])
def test_points_for_how_people_live_are_told_in_other_languages(words: str, *, told: bool) -> None:
    names = ("one", "two", "three", "four", "who", "points", "door", "gate", "last")
    files = {"town.py": TOWN.format(**dict(zip(names, words.split(), strict=True)))}
    assert (is_told(files, "5(1)(c)")) is told


PROFILE = """
import csv
import math
import sys

WEIGHTS = [1.1, -0.9, 0.7, 1.4, 0.8]


def read(row):
    return [float(row[name]) for name in ({fields})]


def offender_likelihood(row):
    return 1 / (1 + math.exp(-(sum(a * b for a, b in zip(WEIGHTS, read(row))) - 1.6)))


for person in csv.DictReader(open(sys.argv[1])):
    print(person["person"], offender_likelihood(person))
"""
WHO = '"impulsive", "district", "birth_country", "siblings", "age"'
DEEDS = WHO.replace('"age"', '"convictions"')
BOLT = '"length", "thread", "head", "grade", "weight"'


@pytest.mark.parametrize(("fields", "told"), [(WHO, True), (DEEDS, False), (BOLT, False)])
def test_a_crime_is_foretold_by_who_somebody_is_and_not_by_what_they_did(
    fields: str, *, told: bool
) -> None:
    assert is_told({"tell.py": PROFILE.format(fields=fields)}, "5(1)(d)") is told


def is_told(files: dict[str, str], clause: str) -> bool:
    (act,) = (one for one in rate_document(files)["regulations"] if one["id"] == "eu-ai-act")
    (found,) = (one for one in act["clauses"] if one["id"] == clause)
    return found["supported_verdict"] in ("fail", "partial")
