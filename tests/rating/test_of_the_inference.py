"""A control counts if it concerns what a model is asked or answers; each pair differs in that."""

from __future__ import annotations

import pytest

from jurat.rating.behaviours.every_behaviour import list_behaviours
from jurat.rating.code.file_reader import read_facts
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.reach import Program
from jurat.rating.recon import scan_worktree
from jurat.rating.signals.file_roles import Role
from tests.support.rating import worktree_of

LONG = "def go():\n" + "    pass\n" * 3_000 + "\n\nif __name__ == '__main__':\n    go()\n"
"""What makes a program a large one."""


def list_lines(
    behaviour: str, text: str, *, path: str = "main.py", large: bool = False
) -> list[int]:
    """The lines that show a behaviour, in a program of one file, or of a large one."""
    files = {path: read_facts(text, "python" if path.endswith(".py") else "typescript")}
    if large:
        files["long.py"] = read_facts(LONG, "python")
    conduct = Conduct(Program(files))
    return sorted({sign.line for sign in list_behaviours()[behaviour](conduct)})


LOGGING = """
import logging
import os
import sys

from openai import OpenAI

log = logging.getLogger(__name__)


def ask(question):
    answer = OpenAI().responses.create(model="gpt-5", input=question).output_text
    where = os.environ["WHERE"]
    log.info("done %s", LOGGED)
    return answer


if __name__ == "__main__":
    ask(sys.argv[1])
"""


@pytest.mark.parametrize("logged", ["answer", "question", "answer.strip()"])
def test_a_log_of_what_was_asked_or_answered_is_one_of_an_inference(logged: str) -> None:
    assert list_lines("logged_inference", LOGGING.replace("LOGGED", logged))


@pytest.mark.parametrize("logged", ["where", "os.getpid()", "log.level", "len(question)"])
def test_a_log_of_what_the_program_does_for_itself_or_counts_is_none(logged: str) -> None:
    assert not list_lines("logged_inference", LOGGING.replace("LOGGED", logged))


KEPT = """
import sys

import requests


def speak(text, to):
    said = requests.post(
        "https://api.openai.com/v1/audio/speech", json={"model": "tts-1", "input": text}
    )
    with open(to, "ab") as file:
        file.write(WRITTEN)


if __name__ == "__main__":
    speak(sys.argv[1], sys.argv[2])
"""


@pytest.mark.parametrize(
    ("written", "told"),
    [("said.content", False), ('time.ctime() + " speech " + text + said.text', True)],
)
def test_what_a_model_made_is_no_record_of_it(written: str, *, told: bool) -> None:
    text = KEPT.replace("WRITTEN", written).replace("import sys", "import sys\nimport time")
    assert bool(list_lines("log_fields", text)) is told


PAGE = """
export async function reply(question: string) {
  const answer = await fetch("https://api.openai.com/v1/responses", {body: question});
  SHOWN
  console.log("answered", question, answer);
}

reply(process.argv[2]);
"""


@pytest.mark.parametrize(
    ("shown", "kept"), [("document.title = question;", False), ("process.title = question;", True)]
)
def test_what_a_page_says_to_its_browser_is_no_log(shown: str, *, kept: bool) -> None:
    text = PAGE.replace("SHOWN", shown)
    assert bool(list_lines("logged_inference", text, path="main.ts")) is kept


TRACING = """
import sys

from openai import OpenAI
from opentelemetry import trace

tracer = trace.get_tracer(__name__)


def ask(question):
    ASKED


def send(records):
    with tracer.start_as_current_span("export"):
        print(records)


if __name__ == "__main__":
    ask(sys.argv[1])
    send([])
"""
_ASKS = 'return OpenAI().responses.create(model="gpt-5", input=question)'


@pytest.mark.parametrize(
    ("asked", "traced"),
    [(f'with tracer.start_as_current_span("ask"):\n        {_ASKS}', True), (_ASKS, False)],
)
def test_a_span_stands_around_an_inference(asked: str, *, traced: bool) -> None:
    assert bool(list_lines("traced_inference", TRACING.replace("ASKED", asked))) is traced


@pytest.mark.parametrize(
    ("library", "call", "traced"),
    [
        ("opentelemetry.instrumentation.openai", "OpenAIInstrumentor", True),
        ("opentelemetry.instrumentation.fastapi", "FastAPIInstrumentor", False),
    ],
)
def test_whose_calls_are_taken_is_what_is_traced(library: str, call: str, *, traced: bool) -> None:
    text = f"from {library} import {call}\n\n{call}().instrument()\n"
    assert bool(list_lines("traced_inference", text)) is traced


LABELS = """
from openai import OpenAI

print(OpenAI().images.generate(prompt="a cat"))
print("SAID")
"""


@pytest.mark.parametrize(
    ("said", "label"),
    [("This picture was made with AI.", True), ("Hello, I am an AI assistant.", False)],
)
def test_a_greeting_labels_nothing_that_was_made(said: str, *, label: bool) -> None:
    signals, _ = scan_worktree(worktree_of({"main.py": LABELS.replace("SAID", said)}))
    held = signals.keep_held()
    assert bool(held["content_label"]) is label
    assert held["ai_disclosure"]


@pytest.mark.parametrize(
    "line",
    [
        "system = 'You are an AI assistant that writes plans.'",
        "logging.info('Dropped a message by the computer')",
    ],
)
def test_what_a_model_or_a_log_is_told_informs_nobody(line: str) -> None:
    asked = "print(OpenAI().responses.create(instructions=system, input=input()))"
    text = f"import logging\n\nfrom openai import OpenAI\n\nsystem = ''\n{line}\n{asked}\n"
    signals, _ = scan_worktree(worktree_of({"main.py": text}))
    assert signals["ai_disclosure"]
    assert not signals.keep_held()["ai_disclosure"]


def test_what_people_are_told_informs_them() -> None:
    text = LABELS.replace("SAID", "You are talking to an AI assistant.")
    signals, _ = scan_worktree(worktree_of({"main.py": text}))
    assert signals.keep_held()["ai_disclosure"]


LAYERS = """
from keras.layers import Dense
from keras.models import load_model


def build(inputs):
    for _ in range(3):
        inputs = ASKED
    return inputs


if __name__ == "__main__":
    build([1])
"""


@pytest.mark.parametrize(
    ("asked", "bounded"),
    [("Dense(4)(inputs)", False), ('load_model("m.h5").predict(inputs)', True)],
)
def test_a_network_that_is_built_is_asked_nothing(asked: str, *, bounded: bool) -> None:
    assert bool(list_lines("bounded_run", LAYERS.replace("ASKED", asked))) is bounded


GATES = """
import sys

import joblib

KINDS = ("zip", "bz2")


def check(kind):
    if kind not in KINDS:
        raise ValueError(kind)


def main(kind):
    check(HANDED)
    return joblib.load("model.bin").predict([[kind]])


if __name__ == "__main__":
    main(sys.argv[1])
"""


@pytest.mark.parametrize(("handed", "comes_in"), [("kind", True), ("'zip'", False)])
def test_a_check_of_what_the_code_says_itself_checks_no_input(
    handed: str, *, comes_in: bool
) -> None:
    assert bool(list_lines("input_gate", GATES.replace("HANDED", handed))) is comes_in


AGREED = """
import subprocess
import sys

from openai import OpenAI


def run(question):
    order = OpenAI().responses.create(model="gpt-5", input=question).output_text
    if input("Shall it be done? ") == "y":
        subprocess.run(DONE)


if __name__ == "__main__":
    run(sys.argv[1])
"""


@pytest.mark.parametrize(("done", "approves"), [("order", True), ('["pip", "install"]', False)])
def test_in_a_large_program_a_person_approves_of_an_answer(done: str, *, approves: bool) -> None:
    text = AGREED.replace("DONE", done)
    assert bool(list_lines("approval_gate", text, large=True)) is approves


WATCHED = """
import datetime as dt
import sqlite3

import schedule
from openai import OpenAI

db = sqlite3.connect("kept.db")


def ask(question):
    answer = OpenAI().responses.create(model="gpt-5", input=question).output_text
    db.execute("INSERT INTO answers (question, answer) VALUES (?, ?)", (question, answer))


def look():
    rows = db.execute("SELECT at, wrong FROM answers").fetchall()
    total = sum(row[1] for row in rows)
    if BOUND:
        raise SystemExit("look at it")


schedule.every().day.do(look)

if __name__ == "__main__":
    ask(input())
"""


@pytest.mark.parametrize(
    ("bound", "watched"),
    [("total > 5", True), ("rows[0][0] < dt.datetime.now() - dt.timedelta(1)", False)],
)
def test_how_old_something_is_tells_nothing_of_outcomes(bound: str, *, watched: bool) -> None:
    assert bool(list_lines("watched_outcomes", WATCHED.replace("BOUND", bound))) is watched


MEASURED = """
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score


def test_it():
    scores = cross_val_score(LogisticRegression(), [[1], [0]], [1, 0])
    THEN
"""


@pytest.mark.parametrize(
    ("then", "measures"), [("assert scores.mean() > 0.8", True), ("pass", False)]
)
def test_a_figure_that_a_test_drops_measures_nothing(then: str, *, measures: bool) -> None:
    conduct = Conduct(
        Program({"test_it.py": read_facts(MEASURED.replace("THEN", then), "python")}),
        {"test_it.py": Role.TEST},
    )
    assert bool(list(list_behaviours()["measured_answers"](conduct))) is measures


SWITCHED = """
from flask import Flask, request
from openai import OpenAI

app = Flask(__name__)
state = {"mode": ""}


@app.post("/mode")
def choose():
    state["mode"] = request.json["mode"]
    return {}


@app.post("/ask")
def ask():
    if ASKED:
        return {}
    return OpenAI().responses.create(model="gpt-5", input=request.json["text"])
"""


@pytest.mark.parametrize(
    ("asked", "halts"), [("state['mode'] == 'halted'", True), ("not state", False)]
)
def test_in_a_large_program_a_switch_is_asked_how_it_is_set(asked: str, *, halts: bool) -> None:
    text = SWITCHED.replace("ASKED", asked)
    assert bool(list_lines("halt", text, large=True)) is halts


CERTIFIED = """
import sqlite3

from flask import Flask, request
from openai import OpenAI

app = Flask(__name__)
db = sqlite3.connect("people.db")


@app.post("/ask")
def ask():
    query = "SELECT certificates FROM PLACE WHERE id = ?"
    row = db.execute(query, (request.json["id"],)).fetchone()
    if row[0] < 3:
        raise PermissionError
    return OpenAI().responses.create(model="gpt-5", input=request.json["text"])
"""


@pytest.mark.parametrize(("place", "fit"), [("trainings", True), ("applicants", False)])
def test_in_a_large_program_what_an_applicant_has_learnt_makes_nobody_fit(
    place: str, *, fit: bool
) -> None:
    text = CERTIFIED.replace("PLACE", place)
    assert bool(list_lines("fitness_gate", text, large=True)) is fit
