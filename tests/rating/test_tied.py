"""In a large program a control is tied to an inference by values; each pair differs in these."""

from __future__ import annotations

import pytest

from jurat.rating.behaviours.behaviour import Sign
from jurat.rating.behaviours.every_behaviour import list_behaviours
from jurat.rating.behaviours.tied import (
    AS_A_WHOLE,
    BY_CHANCE,
    UNRECORDED,
    UNSERVED,
    UNTIED,
    explain_untied,
)
from jurat.rating.code.file_reader import read_facts
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.reach import Program
from jurat.rating.signals.file_roles import Role
from tests.rating.test_of_the_inference import LONG


def list_reasons(
    behaviour: str, text: str, *, large: bool = True, path: str = "main.py"
) -> list[str]:
    """Why each sign of a behaviour counts for nothing, "" if it counts."""
    files = {path: read_facts(text, "python")}
    if large:
        files["long.py"] = read_facts(LONG, "python")
    conduct = Conduct(Program(files))
    return [explain_untied(conduct, one) for one in list_behaviours()[behaviour](conduct)]


ASKED = """
import sys

import requests
from openai import OpenAI


def answer(question, city):
    weather = OTHER
    said = MODEL
    return said, weather


if __name__ == "__main__":
    answer(sys.argv[1], sys.argv[2])
"""
WEATHER = 'requests.get("https://weather.example", params={"q": city}BOUND)'
MODEL = 'OpenAI().responses.create(model="gpt-5", input=questionBOUND)'


def ask(*, model: str = "", other: str = "") -> str:
    text = ASKED.replace("MODEL", MODEL.replace("BOUND", model))
    return text.replace("OTHER", WEATHER.replace("BOUND", other))


def test_a_deadline_of_the_models_call_counts_and_one_of_another_service_does_not() -> None:
    assert list_reasons("bounded_call", ask(model=", timeout=20")) == [""]
    assert list_reasons("bounded_call", ask(other=", timeout=20")) == [UNTIED]


def test_in_a_small_program_all_that_is_done_is_done_for_the_model() -> None:
    assert list_reasons("bounded_call", ask(other=", timeout=20"), large=False) == [""]


GATED = """
import sys

from openai import OpenAI


def reply(question, colour):
    if len(CHECKED) > 400:
        raise ValueError("too long")
    print(colour)
    return OpenAI().responses.create(model="gpt-5", input=question).output_text


def main():
    print(reply(sys.argv[1], sys.argv[2]))


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(("checked", "reason"), [("question", ""), ("colour", UNTIED)])
def test_a_check_counts_if_it_is_one_of_what_the_model_is_asked(checked: str, reason: str) -> None:
    assert list_reasons("input_gate", GATED.replace("CHECKED", checked)) == [reason]


HANDED_ON = """
import sys

from openai import OpenAI


def prepare(question, colour):
    if len(CHECKED) > 400:
        raise ValueError("too long")
    print(colour)
    return ask(question)


def ask(question):
    return OpenAI().responses.create(model="gpt-5", input=question).output_text


if __name__ == "__main__":
    prepare(sys.argv[1], 1)
"""


def test_a_value_is_followed_to_the_model_through_calls() -> None:
    assert list_reasons("input_gate", HANDED_ON.replace("CHECKED", "question")) == [""]


MASKED = """
import re
import sys

from openai import OpenAI

EMAIL = r"[\\w.]+@[\\w.]+"


def reply(question):
    bare = re.sub(EMAIL, "", question)
    print(bare)
    return OpenAI().responses.create(model="gpt-5", input=SENT).output_text


if __name__ == "__main__":
    reply(sys.argv[1])
"""


@pytest.mark.parametrize(("sent", "reasons"), [("bare", [""]), ("question", [])])
def test_a_mask_counts_if_what_comes_of_it_goes_to_the_model(sent: str, reasons: list[str]) -> None:
    assert list_reasons("masked_text", MASKED.replace("SENT", sent)) == reasons


STOPPED = """
import threading

from flask import Flask
from openai import OpenAI

app = Flask(__name__)
STOP = threading.Event()


@app.post("/stop")
def stop():
    STOP.set()


@app.post("/work")
def work(items):
    for item in items:
        if STOP.is_set():
            break
        WORK


@app.post("/ask")
def ask(text):
    said = OpenAI().responses.create(model="gpt-5", input=text).output_text
    work([text])
    return said
"""


@pytest.mark.parametrize("large", [False, True])
def test_a_stop_of_a_large_program_is_for_a_person_to_look_at(*, large: bool) -> None:
    work = 'print(OpenAI().responses.create(model="gpt-5", input=item).output_text)'
    reasons = list_reasons("halt", STOPPED.replace("WORK", work), large=large)
    assert set(reasons) == {BY_CHANCE if large else ""}


RECKONED = """

def weigh(person):
    return person["age"] * 0.3 + person["income"] * 0.7 - 12


def main():
    print(weigh({"age": 1, "income": 2}))


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize("large", [False, True])
def test_a_large_program_reckons_everywhere_and_decides_nothing_by_it(*, large: bool) -> None:
    files = {"main.py": read_facts(RECKONED, "python")}
    files |= {"long.py": read_facts(LONG, "python")} if large else {}
    assert bool(Conduct(Program(files)).deciding) is not large


SENT = """
from openai import OpenAI

FIELDS = ["skills", "years", "courses"]


def ask(row):
    facts = {k: row[k] for k in FIELDS}
    return OpenAI().chat.completions.create(model="m", messages=[facts])


ask({})
"""


@pytest.mark.parametrize(("large", "reason"), [(True, BY_CHANCE), (False, "")])
def test_fields_that_a_large_program_leaves_out_are_for_a_person_to_look_at(
    reason: str, *, large: bool
) -> None:
    assert set(list_reasons("fewer_fields", SENT, large=large)) == {reason}


AGREED = """
import sys

import requests
from openai import OpenAI


def ask(question, profile):
    if not profile.consent:
        raise PermissionError("no consent")
    return OpenAI().responses.create(model="gpt-5", input=question)


def measure(visit, profile):
    if not profile.consent:
        raise PermissionError("no consent")
    return requests.post("https://counts.example", json=visit)


ask(sys.argv[1], load())
measure(sys.argv[2], load())
"""


@pytest.mark.parametrize(("large", "reasons"), [(True, ["", UNTIED]), (False, ["", ""])])
def test_an_agreement_counts_if_it_is_asked_before_the_model_is(
    reasons: list[str], *, large: bool
) -> None:
    assert list_reasons("agreement_gate", AGREED, large=large) == reasons


DATED = """
import json
import sys
CLOCK
from flask import Flask
from openai import OpenAI

app = Flask(__name__)


MARK
def answer(question):
    said = OpenAI().responses.create(model="gpt-5", input=question).output_text
    with open("answers.jsonl", "a") as file:
        file.write(json.dumps({"question": question, "answer": saidWHEN}))
    return said


if __name__ == "__main__":
    answer(sys.argv[1])
"""
ROUTE = '@app.post("/ask")'


@pytest.mark.parametrize(
    ("when", "mark", "large", "reason"),
    [
        (', "at": time.time()', ROUTE, True, ""),
        (', "at": time.time()', "", True, UNSERVED),
        ("", ROUTE, True, UNRECORDED),
        ("", "", False, ""),
    ],
)
def test_a_record_of_a_large_program_says_when_and_is_of_what_somebody_asked(
    when: str, mark: str, reason: str, *, large: bool
) -> None:
    text = DATED.replace("WHEN", when).replace("CLOCK", "import time" if when else "")
    text = text.replace("MARK", mark)
    assert set(list_reasons("logged_inference", text, large=large)) == {reason}


MEASURED = """
import torch
from sklearn.ensemble import AdaBoostClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_score


def step(model, batch, optimizer):
    loss, figure = FIRST(model, batch)
    STEP
    return figure


def FIRST(model, batch):
    said = torch.load(model)(batch)
    return said.sum(), roc_auc_score(batch.labels, said)


def search(rows, labels, size):
    tried = AdaBoostClassifier(n_estimators=size)
    figure = cross_val_score(tried, rows, labels).mean()
    KEPT
    return figure, torch.load("model.pt")(rows)


if __name__ == "__main__":
    step("model.pt", [1], None)
    search([1], [1], 3)
"""


@pytest.mark.parametrize(
    ("first", "step", "kept", "counted"),
    [
        ("weigh", "loss.backward()", "tried.fit(rows, labels)", ["cross_val_score"]),
        ("weigh", "print(loss)", "print(size)", ["roc_auc_score"]),
        ("validation", "loss.backward()", "print(size)", ["roc_auc_score"]),
    ],
)
def test_a_step_of_a_training_and_a_search_measure_no_system(
    first: str, step: str, kept: str, counted: list[str]
) -> None:
    text = MEASURED.replace("FIRST", first).replace("STEP", step).replace("KEPT", kept)
    files = {"main.py": read_facts(text, "python"), "long.py": read_facts(LONG, "python")}
    conduct = Conduct(Program(files))
    lines = text.split("\n")
    signs = list_behaviours()["measured_answers"](conduct)
    held = {lines[one.line - 1] for one in signs if not explain_untied(conduct, one)}
    assert len(held) == len(counted)
    assert all(name in line for name, line in zip(counted, held, strict=True))


OFFERED = """
from sklearn.metrics import roc_auc_score

from pack.models import predict


def evaluate(rows, labels):
    return roc_auc_score(labels, predict(rows))
"""
MODELS = """
import torch


def predict(rows):
    return torch.load("model.pt")(rows)
"""
EVALUATES = """
import sys

from pack.measures import evaluate

if __name__ == "__main__":
    evaluate(sys.argv[1], sys.argv[2])
"""


@pytest.mark.parametrize(("beside", "reason"), [({}, UNSERVED), ({"check.py": EVALUATES}, "")])
def test_a_measurement_counts_if_something_that_starts_here_takes_it(
    beside: dict[str, str], reason: str
) -> None:
    texts = {"pack/measures.py": OFFERED, "pack/models.py": MODELS, "long.py": LONG, **beside}
    program = Program({path: read_facts(text, "python") for path, text in texts.items()})
    conduct = Conduct(program, dict.fromkeys(texts, Role.CODE))
    signs = list_behaviours()["measured_answers"](conduct)
    assert {explain_untied(conduct, one) for one in signs} == {reason}


@pytest.mark.parametrize(("line", "reason"), [(0, AS_A_WHOLE), (3, "")])
def test_a_script_as_a_whole_asks_nobody(line: int, reason: str) -> None:
    conduct = Conduct(Program({"main.py": read_facts(ask(), "python")}))
    assert explain_untied(conduct, Sign("approval_gate", ("main.py", 0), line)) == reason


TRIED = """
import sys

from openai import OpenAI


class Net:
    def guess(self, question):
        return OpenAI().responses.create(model="gpt-5", input=question).output_text


def answer(question):
    for _ in range(3):
        try:
            return ASKED
        except ValueError:
            print(question)
    return "none"


if __name__ == "__main__":
    answer(sys.argv[1])
"""


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ('OpenAI().responses.create(model="gpt-5", input=question)', ""),
        ("Net().guess(question)", UNSERVED),
    ],
)
def test_what_a_script_tries_again_of_its_own_is_no_failure_met(asked: str, reason: str) -> None:
    assert list_reasons("caught_failure", TRIED.replace("ASKED", asked)) == [reason]
