"""A model of a library that nobody knows is told by how it is asked, and nothing else is."""

from __future__ import annotations

import pytest

from jurat.rating.behaviours.every_behaviour import list_behaviours
from jurat.rating.code.file_reader import read_facts
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.reach import Program
from tests.support.rating import rate_document

PYTHON = """
import json
import os
import pickle

import norvia
import requests

client = norvia.Norvia(api_key=os.environ["NORVIA_KEY"])
BASE = os.environ["BASE"]


def do(given, db):
    return DONE


do(norvia.given(), norvia.connect())
"""
ASKED = [
    'client.talk.begin(model="n-1", messages=given)',
    'client.write(prompt=given, engine="n-1", max_tokens=300)',
    'client.put(system="Be kind.", messages=given, temperature=0.2)',
    'client.begin([{"role": "system", "content": "Be kind."}, {"role": "user", "content": given}])',
    'norvia.Session("n-1", system="You are a helpful assistant of a shop.").say(given)',
    'requests.post(BASE, json={"prompt": given, "max_new_tokens": 20, "top_p": 0.9}).text',
    'requests.post(f"{BASE}/generate", json={"prompt": given}).text',
    'norvia.Engine("weights/n-1.gguf", context=4096).run(given)',
    'norvia.load("intent.onnx")(given)',
    'pickle.load(open("weights/risk.pkl", "rb")).assess([given])',
    "norvia.Forest(depth=3).fit(given, db).tell(given)",
    'requests.get(f"http://model.internal/marks/{given}").json()["marks"]',
    'requests.post("https://llm-a.house.example:8080/x", json={"case": given}).json()',
    'requests.post(BASE, json={"modelo": "m", "instrucciones": given, "a": "+34"}).json()["x"]',
    'requests.post(BASE, json={"modell": "m", "anweisungen": given}).json()["x"]',
]
NOT_ASKED = [
    'client.messages.send(sender="shop", to=given, content=given, template="plain")',
    'client.vehicles.create(model=given, maker="norvia", input="red")',
    'client.rooms.set(room=given, temperature=21, model="T-200")',
    'client.text(prompt="Your name?", default=given)',
    'client.rows.insert({"prompt": given, "max_tokens": 20})',
    'json.dumps({"model": "n-1", "messages": given})',
    'requests.post(BASE, json={"stop": given, "input": "now", "model": "bus"}).text',
    'requests.post(f"{BASE}/generate", json={"template": given, "format": "A4"}).text',
    'requests.post(f"{BASE}/rooms/1/messages", json={"room": 1, "messages": given}).text',
    'pickle.load(open("cache/pages.pkl", "rb")).get(given)',
    'norvia.load("locale/messages.pt")(given)',
    'os.path.getsize("weights/n-1.gguf")',
    'norvia.Forest(depth=3).fit("wide").tell(given)',
    'client.say("You are the owner of this shop.", given)',
    'requests.get(f"http://model-registry.internal/{given}").json()["x"]',
    'requests.get(f"http://models3d.example/{given}").json()["x"]',
    'requests.get(f"http://shop.example/model/{given}").json()["x"]',
    'requests.post(BASE, json={"modelo": "T-200", "color": given}).json()["x"]',
    'requests.post(BASE, json={"texto": given, "a": "+34"}).json()["x"]',
]


def infers(text: str, language: str = "python") -> bool:
    """Whether something in a file asks a model."""
    return bool(Conduct(Program({"main.py": read_facts(text, language)})).inferring)


@pytest.mark.parametrize(
    ("done", "asks"), [*((one, True) for one in ASKED), *((one, False) for one in NOT_ASKED)]
)
def test_a_model_is_told_by_how_it_is_asked(done: str, *, asks: bool) -> None:
    assert infers(PYTHON.replace("DONE", done)) is asks


SCRIPT = """
import { Norvia } from "norvia";

const client = new Norvia({ apiKey: process.env.NORVIA_KEY });

export async function answer(messages) {
  return DONE;
}
console.log(await answer(process.argv));
"""


@pytest.mark.parametrize(
    ("done", "asks"),
    [
        ('await client.talks.begin({ model: "n-1", messages })', True),
        ("await client.write({ prompt: messages[0], maxTokens: 300 })", True),
        ("await client.chat.postMessage({ channel: 1, text: messages[0], messages: [] })", False),
        ("await client.cars.create({ model: messages[0], maker: 1 })", False),
    ],
)
def test_in_a_script_as_well(done: str, *, asks: bool) -> None:
    assert infers(SCRIPT.replace("DONE", done), "typescript") is asks


def test_where_a_model_is_asked_by_name_no_form_is_one() -> None:
    known = "import openai\n\n\ndef ask(given):\n    return openai.chat.completions.create(given)\n"
    known += "\n\nprint(ask(input()))\n"
    text = PYTHON.replace("DONE", ASKED[1])
    alone = Program({"main.py": read_facts(text, "python")})
    assert {path for path, _ in Conduct(alone).inferring} == {"main.py"}
    both = Program({"main.py": read_facts(text, "python"), "a.py": read_facts(known, "python")})
    assert {path for path, _ in Conduct(both).inferring} == {"a.py"}


OWN = """
import json
import math

W = json.load(open("NUMBERS"))


def chance(given):
    total = sum(W[key] * given[key] for key in given)
    return 1 / (1 + math.exp(-total))


print(chance({}))
"""


@pytest.mark.parametrize(("numbers", "asks"), [("weights.json", True), ("prices.json", False)])
def test_numbers_that_were_learnt_make_a_model_of_ones_own(numbers: str, *, asks: bool) -> None:
    assert infers(OWN.replace("NUMBERS", numbers)) is asks


SUMMED = """
import math
import os

WEIGHTS = [1.1, -0.9, 0.7, 1.4]


def share(given):
    return RESULT


print(share([len(os.environ)]))
"""
LOGISTIC = "1 / (1 + math.exp(-(sum(a * b for a, b in zip(WEIGHTS, given)) - 1.6)))"


@pytest.mark.parametrize(
    ("result", "asks"),
    [
        (LOGISTIC, True),
        ("sum(a * b for a, b in zip(WEIGHTS, given)) / len(given)", False),
        ("1 / (1 + math.exp(-0.4 * (len(given) - 12)))", False),
        ("3.5 * math.exp(-len(given) / 14.5)", False),
    ],
)
def test_weights_in_code_that_are_made_a_share_of_one_are_a_model(
    result: str, *, asks: bool
) -> None:
    assert infers(SUMMED.replace("RESULT", result)) is asks


TRANSLATES = """
import express from "express";

const app = express();

async function send(texte, code) {
  const r = await fetch(process.env.BASE, { method: "POST", body: JSON.stringify({ FIELDS }) });
  const { out } = await r.json();
  return out;
}

app.post("/x", async (req, res) => res.json(await send(req.body.texte, req.body.code)));
app.listen(1);
"""


@pytest.mark.parametrize(
    ("fields", "risk"),
    [
        ("texte, vers: code", "minimal"),
        ("text: texte, target_lang: code", "minimal"),
        ("text: texte, to: code", "not_ai"),
        ("texte, code", "not_ai"),
    ],
)
def test_a_text_that_is_put_into_another_language_is_asked_of_a_model(
    fields: str, risk: str
) -> None:
    files = {"main.js": TRANSLATES.replace("FIELDS", fields), "package.json": '{"type": "module"}'}
    assert rate_document(files)["risk_classification"] == risk


def test_a_reason_says_that_it_only_looks_like_a_model() -> None:
    shaped = rate_document({"main.py": PYTHON.replace("DONE", ASKED[0])})
    assert shaped["risk_reason"].startswith("What looks like a model is called, as in main.py:14")
    mailed = rate_document({"main.py": PYTHON.replace("DONE", NOT_ASKED[0])})
    assert mailed["risk_classification"] == "not_ai"


CHANGED = """# Notes

## 4.2

- The model of users was trained on 1,200 rows: our predictor had errors, its accuracy is 0.93 now.
"""


@pytest.mark.parametrize(
    ("page", "risk"), [("docs/predictor.md", "minimal"), ("CHANGELOG.md", "not_ai")]
)
def test_what_was_once_changed_gives_no_account_of_a_model(page: str, risk: str) -> None:
    files = {page: CHANGED, "main.py": "print(1)\n"}
    assert rate_document(files)["risk_classification"] == risk


@pytest.mark.parametrize(
    ("taken", "leads"),
    [("@api/ask", True), ("@/api/ask", True), ("@apis/ask", False), ("@prisma/ask", False)],
)
def test_a_folder_of_scripts_is_known_by_an_alias(taken: str, *, leads: bool) -> None:
    page = f"import {{ ask }} from '{taken}';\nconsole.log(await ask([]));\n"
    ask = "export const ask = (given) => given;\n"
    files = {"src/main.ts": page, "src/api/ask.ts": ask, "src/prisma/ask.ts": ask}
    program = Program({path: read_facts(text, "typescript") for path, text in files.items()})
    assert bool(program.list_imported("src/main.ts")) is leads


ENDED = """
import axios from "axios";
import OpenAI from "openai";

const ai = new OpenAI();

app.post("/ask", async (req, res) => {
  const said = await ai.responses.create({ model: "m", input: req.body.text });
  res.json(said);
});
app.delete("/ENDS/:id", async (req, res) => {
  await axios.delete(`${process.env.HOST}/ENDS/${req.params.id}`);
  res.json({});
});
"""


@pytest.mark.parametrize(("ends", "erased"), [("subscriptions", False), ("users", True)])
def test_what_another_service_ends_is_erased_if_it_is_somebodys(ends: str, *, erased: bool) -> None:
    text = "import express from 'express';\nconst app = express();\n" + ENDED.replace("ENDS", ends)
    conduct = Conduct(Program({"main.ts": read_facts(text, "typescript")}))
    told = list_behaviours()["subject_erasure"](conduct)
    assert any(True for _ in told) is erased


def test_whose_a_call_is_does_not_say_what_it_ends() -> None:
    said = "/subscriptions`, { data: { userId: req.params.id } }"
    text = ENDED.replace("/ENDS/${req.params.id}`", said).replace("ENDS", "subscriptions")
    conduct = Conduct(Program({"main.ts": read_facts(text, "typescript")}))
    assert not any(True for _ in list_behaviours()["subject_erasure"](conduct))
