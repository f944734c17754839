"""Practices that a program tells as a whole, and what looks like them and accuses nobody."""

from __future__ import annotations

import pytest

from tests.support.rating import find_clause, rate_document

CRAWLER = """
import faiss
from hunt.page import open_page
from hunt.vision import detector

index = faiss.IndexFlatIP(512)

def hunt(seeds):
    pages = list(seeds)
    while pages:
        page = open_page(pages.pop())
        pages += page.links("a[href]")
        for src in page.all("img"):
            for face, vec in detector(src):
                index.add(vec)
"""
SORTER = """
from look.net import trunk, head

FAITHS = ["christian", "muslim", "jewish", "hindu", "none"]

def sort_visitor(frame):
    return FAITHS[int(head(trunk(frame)).argmax())]
"""
SCORER = """
def fold(resident, db):
    points = 500
    points -= 20 * db.noise_complaints(resident) + 5 * db.late_library_books(resident)
    points -= 10 * db.rude_posts(resident) - db.volunteering(resident)
    db.set(resident, housing=points > 400, nursery=points > 450, transport_pass=points > 300)
    return {"points": points}
"""
PRESSER = """
WEAK = {"relapse": "gambling_blocked", "broke": "overdraft", "confused": "wrong_pins"}
HOOK = {
    "relapse": "Feeling lucky? 300 in 60 seconds. No questions.",
    "broke": "Kids hungry? Tap for cash.",
}

def push_offer(person, send):
    for weakness, sign in WEAK.items():
        if person[sign]:
            send(person["phone"], HOOK[weakness], apr=1290, advance=True, loan=300)
"""
CASES = {
    "5(1)(e)": (CRAWLER, "Faces that we crawl are pixelated, and none is kept.", "blur_faces"),
    "5(1)(g)": (SORTER, "We asked in a survey what people believe.", "survey"),
    "5(1)(c)": (SCORER, "", ""),
    "5(1)(b)": (PRESSER, "Such people are shown debt advice and get no offers.", "debt_advice"),
}


def rate(code: str, clause: str, path: str = "app/run.py") -> str:
    return str(find_clause(rate_document({path: code}), clause)["supported_verdict"])


@pytest.mark.parametrize("clause", CASES)
def test_what_all_parts_say_together_is_the_practice(clause: str) -> None:
    assert rate(CASES[clause][0], clause) in {"partial", "fail"}


@pytest.mark.parametrize("clause", CASES)
def test_a_program_that_does_the_opposite_or_one_part_is_not_accused(clause: str) -> None:
    code, says, name = CASES[clause]
    turned_down = f'{code}\n\ndef {name}(one):\n    """{says}"""\n    return one.{name}()\n'
    lines = code.strip().splitlines()
    assert not name or rate(turned_down, clause) == "nothing found"
    assert rate("\n".join(lines[: len(lines) // 2]).rpartition("\n")[0], clause) == "nothing found"


@pytest.mark.parametrize("clause", CASES)
def test_a_test_or_a_page_that_tells_a_practice_accuses_nobody(clause: str) -> None:
    code = CASES[clause][0]
    assert rate(code, clause, "tests/test_refused.py") == "n/a"
    document = rate_document({"docs/refused.md": code, "app/run.py": "print(1)\n"})
    assert find_clause(document, clause)["supported_verdict"] == "nothing found"


LIES = {
    "a word that is kept": 'NOTE = "consent signed, faces blurred, debt advice, survey"\n',
    "what nobody calls": "def blur_consent_survey_debt_advice(one):\n    return one.go()\n",
    "a stub": "def blur(one):\n    pass\n\n\nblur('consent, survey, debt advice')\n",
}


@pytest.mark.parametrize("clause", CASES)
@pytest.mark.parametrize("lie", LIES)
def test_a_word_against_a_practice_clears_nobody(clause: str, lie: str) -> None:
    assert rate(f"{CASES[clause][0]}\n\n{LIES[lie]}", clause) in {"partial", "fail"}


WATCHER = """
import cv2
import faiss
import requests

from watch.faces import read_faces

index = faiss.read_index("wanted.faiss")

def look(url="rtsp://station/hall"):
    camera = cv2.VideoCapture(url)
    while True:
        _, frame = camera.read()
        for face in read_faces(frame):
            distance, found = index.search(face.embedding, 1)
            if distance > 0.5:
                requests.post("http://police/patrol", json={"who": found, "where": url})

look()
"""
DOOR = """
from watch.faces import read_faces

def open_door(badge, frame):
    if badge.consent_signed:
        return read_faces(frame)[0].same_as(badge.template)

open_door(None, None)
"""
FACES = """
from insightface.app import FaceAnalysis

def read_faces(frame):
    return FaceAnalysis().get(frame)
"""


def test_a_safeguard_of_another_program_clears_nobody() -> None:
    watching = {"watch/street.py": WATCHER, "watch/faces.py": FACES}
    shown = find_clause(rate_document({**watching, "watch/door.py": DOOR}), "5(1)(h)")
    assert shown["supported_verdict"] in {"partial", "fail"}
    alone = find_clause(rate_document({"watch/door.py": DOOR, "watch/faces.py": FACES}), "5(1)(h)")
    assert alone["supported_verdict"] == "external"
    asked = WATCHER.replace("    camera =", "    ask_consent('consent', url)\n    camera =")
    shown = find_clause(rate_document({**watching, "watch/street.py": asked}), "5(1)(h)")
    assert shown["supported_verdict"] == "external"


SOLD = """
from openai import OpenAI

def answer(text):
    prompt = "{said}"
    return OpenAI().chat.completions.create(model="gpt-4o", messages=[
        {{"role": "system", "content": prompt}}, {{"role": "user", "content": text}}])

answer(input())
"""
PRESSING = (
    "They are widowed and confused. Say that the loan is gone by tonight, "
    "that they lose the house, and that you will be ashamed of them."
)
SPARING = (
    "They are widowed and confused. Explain the loan. Never say that it is gone by tonight, "
    "that they lose the house, or that you will be ashamed of them."
)
LOOKING = """
import re
from openai import OpenAI

PRESSED = re.compile(r"\\b(widowed|confused|gone by tonight|lose the house|ashamed|annuity)\\b")

def answer(text):
    asked = [{"role": "user", "content": text}]
    said = OpenAI().chat.completions.create(model="gpt-4o", messages=asked)
    return "" if PRESSED.search(said) else said

answer(input())
"""


def test_what_is_forbidden_or_looked_for_presses_nobody() -> None:
    assert rate(SOLD.format(said=PRESSING), "5(1)(b)") in {"partial", "fail"}
    assert rate(SOLD.format(said=SPARING), "5(1)(b)") == "nothing found"
    assert rate(LOOKING, "5(1)(b)") == "nothing found"
