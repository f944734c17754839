"""What a small program is about, told by all of it; with whom it talks; what its model makes."""

from __future__ import annotations

import pytest

from jurat.rating.code.file_reader import read_facts
from jurat.rating.program.inference import is_reckoning
from jurat.rating.recon import scan_worktree
from tests.support.rating import rate_document, worktree_of

TRIAGE = """
import os

import joblib
from fastapi import FastAPI

app = FastAPI()
clf = joblib.load(os.environ["MODEL_PATH"])


@app.post("/intake")
def intake(p: dict):
    x = [[p["heart_rate"], p["spo2"], p["complaint_code"]]]
    return {"patient": p["id"], "bay": bay_for(int(clf.predict(x)[0]))}


def bay_for(level):
    return {1: "resus", 2: "majors"}.get(level, "waiting")
"""
FEEDER = """
import httpx


class Loop:
    def __init__(self, plant):
        self.plant = plant

    def once(self):
        mw = float(httpx.post("http://forecast.local/v2", json={}).json()["forecast"])
        if self.plant.volts() - 0.012 * (mw - 25) < 10.2:
            self.plant.move(self.plant.tap() + 1)


def main(plant):
    Loop(plant).once()
"""
GAME = """
import joblib
from flask import Flask, request

app = Flask(__name__)
model = joblib.load("match.pkl")


@app.post("/lobby")
def lobby():
    players = request.json["players"]
    ranks = model.predict([[p["rating"], p["wins"]] for p in players])
    return {"teams": sorted(zip(ranks, players))}
"""
TICKETS = """
import joblib
from flask import Flask, request

app = Flask(__name__)
model = joblib.load("label.pkl")


@app.post("/issues")
def label():
    issue = request.json
    return {"labels": list(model.predict([issue["title"]])), "assignee": "triage"}
"""
CODE_REVIEW = """
from anthropic import Anthropic
from flask import Flask, request

app = Flask(__name__)


@app.post("/hook")
def hook():
    diff = request.json["diff"]
    told = [{"role": "user", "content": diff}]
    return {"review": Anthropic().messages.create(model="m", messages=told).content[0].text}
"""


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"app.py": TRIAGE}, "health"),
        (
            {
                "loop.py": FEEDER,
                "docs/use.md": "# Use\nIt moves the tap changer of a feeder at a substation; the"
                " grid operator takes it off by hand, and the volts stay between 10.2 and 10.9.\n",
            },
            "critical_infrastructure",
        ),
    ],
)
def test_all_of_a_small_program_tells_what_it_is_about(files: dict[str, str], told: str) -> None:
    signals, _ = scan_worktree(worktree_of(files))
    assert signals[told].strength >= 0.6


@pytest.mark.parametrize(
    "files",
    [
        {"app.py": GAME},
        {"app.py": TICKETS},
        {"app.py": CODE_REVIEW},
        {"app.py": GAME, "README.md": "# Ranks\nFor schools, clubs and employees who play.\n"},
        {"app.py": TICKETS, "README.md": "# Labels\nNot for patients, loans, exams or hiring.\n"},
        {"app.py": TRIAGE.replace("spo2", "load").replace("patient", "host")
                         .replace("resus", "east").replace("heart_rate", "rate")},
    ],
)  # fmt: skip
def test_what_decides_on_nobody_is_no_system_of_high_risk(files: dict[str, str]) -> None:
    assert rate_document(files)["risk_classification"] != "high"


SAYS = """
import uuid

import anthropic
from fastapi import FastAPI

api = FastAPI()
llm = anthropic.Anthropic()


@api.post("/{route}/{{sid}}")
def turn(sid: str, body: dict):
    told = [{{"role": "user", "content": body["text"]}}]
    msg = llm.messages.create(model="m", system="Du antwortest aus den Quellen.", messages=told)
    return {{"out": {back}}}
"""


@pytest.mark.parametrize(
    ("route", "back", "talks"),
    [
        ("session", "msg.content[0].text", True),
        ("session", "float(msg.content[0].text)", False),
        ("session", "'taken'", False),
        ("invoices", "msg.content[0].text", False),
    ],
)
def test_who_hands_a_models_own_words_back_in_turns_talks(
    route: str, back: str, *, talks: bool
) -> None:
    text = SAYS.format(route=route, back=back).replace("turn(sid", "turn(sid" if talks else "f(sid")
    signals, _ = scan_worktree(worktree_of({"app.py": text}))
    assert (signals["user_interaction"].strength >= 0.4) is talks


PICTURES = """
import Replicate from 'replicate';
import {{ Hono }} from 'hono';

const app = new Hono();
app.post('/pictures', async (c) => {{
  const {{ prompt }} = await c.req.json();
  const input = {{ prompt, {field} }};
  const out = await new Replicate({{ auth: 'x' }}).{call}('flux', {{ input }});
  return c.body(out);
}});
export default app;
"""


@pytest.mark.parametrize(
    ("call", "field", "risk"),
    [
        ("run", "output_format: 'jpg'", "limited"),
        ("run", "image_url: 'data:image/png;base64,'", "minimal"),
        ("models.list", "output_format: 'jpg'", "minimal"),
    ],
)
def test_a_picture_that_a_model_is_told_to_make_is_made_content(
    call: str, field: str, risk: str
) -> None:
    files = {"src/index.ts": PICTURES.format(call=call, field=field)}
    assert rate_document(files)["risk_classification"] == risk


@pytest.mark.parametrize(
    ("asked", "reckons"),
    [
        ("request.json.get('amount')", False),
        ("request.args.get('amount')", False),
        ("api.get('/risk', params=order)", True),
        ("self.http.get(ADDRESS)", True),
    ],
)
def test_an_answer_is_held_against_a_bound_and_a_field_of_a_request_is_none(
    asked: str, reckons: bool
) -> None:
    code = f"def pay(self, request, order):\n    if {asked} > 1000:\n        return 422\n"
    (facts,) = [one for one in read_facts(code, "python").functions if one.name.endswith("pay")]
    assert is_reckoning(facts) is reckons
