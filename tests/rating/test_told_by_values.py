"""What is told from values, places and routes, whatever words a team has."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from jurat.rating.behaviours.every_behaviour import list_behaviours
from jurat.rating.code.file_reader import read_facts
from jurat.rating.code.schema_reader import is_schema, read_schema
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.reach import Program
from jurat.rating.support import Support
from jurat.source.languages import detect_language


def _build(files: Mapping[str, str]) -> Conduct:
    facts = {
        path: read_schema(text)
        if path.endswith(".sql")
        else read_facts(text, detect_language(path) or "")
        for path, text in files.items()
    }
    return Conduct(Program(facts))


def _tell(behaviour: str, files: Mapping[str, str]) -> bool:
    return any(True for _ in list_behaviours()[behaviour](_build(files)))


DESK = """
import express from 'express';
import { assess } from './engine.js';
import { db } from './db.js';
import { payOut } from './bank.js';

const app = express();
app.post('/asks', async (req, res) => {
  const opinion = await assess(req.body.facts);
  await db('asks').insert({ who: req.body.who, opinion });
  AFTER
  res.end();
});
app.post('/asks/:id', async (req, res) => {
  const ask = await db('asks').where({ id: req.params.id }).first();
  THEN
  res.end();
});
app.listen(1);
"""
ENGINE = """
import OpenAI from 'openai';
const ai = new OpenAI();
export const assess = (facts) => ai.chat.completions.create({ model: 'm', messages: [facts] });
"""
PAID = "if (req.body.fine) await payOut(ask.who);"


@pytest.mark.parametrize(
    ("after", "then", "seen"),
    [
        ("", PAID, True),
        ("await payOut(req.body.who);", PAID, False),
        ("", "await db('talks').insert({ said: req.body.fine });", False),
        ("", "await payOut(ask.who);", False),
    ],
    ids=["acts once a person said so", "acts by itself too", "only noted", "nothing is said"],
)
def test_a_person_settles_what_waits(after: str, then: str, *, seen: bool) -> None:
    files = {"desk.js": DESK.replace("AFTER", after).replace("THEN", then), "engine.js": ENGINE}
    assert _tell("approval_gate", files) == seen


TRACE = """
from datetime import datetime

import joblib
from flask import Flask, request
from sqlalchemy.orm import DeclarativeBase, mapped_column

from shop.db import session

app = Flask(__name__)
scorer = joblib.load("m.joblib")


class Root(DeclarativeBase):
    pass


class Footprint(Root):
    at = mapped_column(CLOCK)
    case = mapped_column()


@app.post("/asks")
def ask():
    told = scorer.predict_proba([request.json["facts"]])
    KEPT
    return {"told": told}
"""
KEPT = "session.add(Footprint(case=request.json['case'], weights='7', told=told))"
CLOCK = "default=datetime.utcnow"


@pytest.mark.parametrize(
    ("clock", "kept", "seen"),
    [
        (CLOCK, KEPT, True),
        ("nullable=True", KEPT, False),
        (CLOCK, "session.add(Footprint(case=request.json['case']))", False),
        (CLOCK, "footprint = Footprint(case=request.json['case'], weights='7', told=told)", False),
    ],
    ids=["kept with a time", "no time", "no answer in it", "not kept"],
)
def test_a_record_holds_the_answer_and_a_time(clock: str, kept: str, *, seen: bool) -> None:
    text = TRACE.replace("CLOCK", clock).replace("KEPT", kept)
    assert _tell("durable_record", {"app.py": text}) == seen


HALT = """
from fastapi import Depends, FastAPI
from anthropic import Anthropic

app = FastAPI()


class Breaker:
    def __init__(self, store):
        self._store = store

    def turn(self, value):
        self._store.execute("UPDATE ops SET open=?", (value,))

    def is_open(self):
        return self._store.execute("SELECT open FROM ops").fetchone()[0]


class Clerk:
    def __init__(self, breaker):
        self.breaker = breaker

    def answer(self, text):
        LOOK
        return Anthropic().messages.create(model="m", messages=[{"role": "user", "content": text}])


breaker = Breaker(open_store())
clerk = Clerk(breaker)


@app.post("/asks")
def ask(text: str):
    return clerk.answer(text)


@app.put("/breaker")
def turn(value: bool):
    TURN
"""


@pytest.mark.parametrize(
    ("look", "turn", "seen"),
    [
        ("if self.breaker.is_open():\n            return None", "breaker.turn(value)", True),
        ("self.breaker.is_open()", "breaker.turn(value)", False),
        ("if self.breaker.is_open():\n            return None", "return {'open': value}", False),
    ],
    ids=["asked and obeyed", "asked for nothing", "nobody can turn it"],
)
def test_what_a_person_turns_is_looked_at_before_a_model_is_asked(
    look: str, turn: str, *, seen: bool
) -> None:
    text = HALT.replace("LOOK", look).replace("TURN", turn)
    assert _tell("halt", {"main.py": text}) == seen


ERASES = """
from flask import Flask, request
from openai import OpenAI

from shop.store import run

app = Flask(__name__)


@app.post("/talks/<who>")
def talk(who):
    said = OpenAI().chat.completions.create(model="m", messages=[request.json["text"]])
    run("INSERT INTO talk (who, said) VALUES (?, ?)", (who, said))
    return {}


@app.delete("/people/<who>")
def leave(who):
    run("DELETE FROM TABLE WHERE who = ?", (who,))
    return {}
"""


@pytest.mark.parametrize(("table", "seen"), [("talk", True), ("newsletter", False)])
def test_who_leaves_all_that_is_kept_erases_nobody(table: str, *, seen: bool) -> None:
    files = {"app.py": ERASES.replace("TABLE", table)}
    assert _tell("subject_erasure", files) == seen


JOB = """
CREATE TABLE talk (who text, at timestamptz DEFAULT now());
SELECT cron.schedule('old', '0 3 * * *', $$DELETE FROM talk WHERE at < now() - interval 'AGE'$$);
"""


@pytest.mark.parametrize(("age", "seen"), [("400 days", True), ("30 days", False)])
def test_logs_that_the_database_deletes_stay_half_a_year(age: str, *, seen: bool) -> None:
    kept = ERASES.replace("TABLE", "talk").replace("(who, said)", "(who, said, model)")
    assert is_schema(JOB)
    files = {"app.py": kept, "jobs.sql": JOB.replace("AGE", age)}
    assert _tell("timed_log_deletion", files) == seen


def test_a_job_of_the_database_and_other_statements_are_told_apart() -> None:
    once = read_schema("CREATE TABLE t (a int);\nDELETE FROM t WHERE a < 3;\n")
    assert not once.functions[0].calls
    [job] = read_schema(JOB).functions[0].calls
    assert job.line == 3
    assert any(tag.startswith("t:DELETE FROM talk") for tag in job.given)


@pytest.mark.parametrize(
    ("asked", "infers"),
    [
        ("from shop.scorer import rate\n\nresult = rate.score(facts)", True),
        ("from shop import engine\n\nresult = engine.model.predict(facts)", True),
        ("from shop import rows\n\nresult = rows.compare(facts)", False),
        ("import lib\n\nresult = lib.chat([{'role': 'user', 'content': facts}])", True),
        ("seen = []\nseen.append({'role': 'user', 'content': facts})", False),
    ],
)
def test_a_model_that_stands_elsewhere_is_known_by_how_it_is_asked(
    asked: str, *, infers: bool
) -> None:
    conduct = _build({"shop/main.py": f"import sys\n\nfacts = sys.argv[1]\n{asked}\nprint(1)\n"})
    assert bool(conduct.inferring) == infers


def test_signs_of_a_whole_program_are_told_once() -> None:
    support = Support(_build({"desk.js": DESK.replace("AFTER", ""), "engine.js": ENGINE}))
    assert len(set(support.signs)) == len(support.signs)


TOLD = {
    "a command that a client is sent": (
        "durable_record",
        "app.ts",
        "import { DynamoDBClient, PutCommand } from '@aws-sdk/client-dynamodb';\n"
        "import OpenAI from 'openai';\nconst ddb = new DynamoDBClient({});\n"
        "export const handler = async (event) => {\n"
        "  const told = await new OpenAI().chat.completions.create({ messages: [event.body] });\n"
        "  await ddb.send(new SENT({ TableName: 'told', Item: { at: new Date(), told } }));\n};\n",
        ("PutCommand", "GetCommand"),
    ),
    "tries that end": (
        "caught_failure",
        "app.py",
        "import openai\n\n\ndef ask(text):\n    SENT:\n        try:\n"
        "            return openai.OpenAI().chat.completions.create(messages=[text])\n"
        "        except openai.APIError:\n            text = text[:9]\n",
        ("for _ in range(3)", "while True"),
    ),
    "a file that is only looked for": (
        "halt",
        "app.py",
        "import os\n\nimport openai\n\n\ndef ask(text):\n    if os.path.exists('SENT'):\n"
        "        return None\n"
        "    return openai.OpenAI().chat.completions.create(messages=[text])\n\n\nask(input())\n",
        ("/run/clerk/off", "answers.json"),
    ),
    "a model's file that is checked": (
        "checked_model",
        "app.py",
        "import hashlib\nfrom pathlib import Path\n\nimport joblib\n\n"
        "raw = Path('m').read_bytes()\n"
        "SENT:\n    raise SystemExit('another file')\njoblib.load('m').predict([1])\n",
        ("if hashlib.sha256(raw).hexdigest() != 'ab'", "if len(raw) != 7"),
    ),
    "a model that an own function makes": (
        "caught_failure",
        "app.py",
        "import lightgbm as lgb\n\n\ndef open_it():\n    return lgb.Booster(model_file='m')\n\n\n"
        "def ask(row):\n    try:\n        return open_it().SENT(row)\n    except ValueError:\n"
        "        return fall_back(row)\n",
        ("predict", "num_trees"),
    ),
    "details that are masked before a model sees them": (
        "masked_text",
        "app.py",
        "import re\n\nimport openai\n\n\ndef hide(text):\n"
        "    return re.sub(r'[\\w.]+@[\\w.]+', 'mail', text)\n\n\n"
        "def ask(text):\n    safe = hide(text)\n"
        "    return openai.OpenAI().chat.completions.create(messages=[SENT])\n",
        ("safe", "text"),
    ),
    "a figure that a script fails by": (
        "measured_answers",
        "gate.py",
        "import sys\n\nimport joblib\nimport pandas as pd\n\nheld = pd.read_csv('held.csv')\n"
        "told = joblib.load('m').predict(held.rows)\nshare = SENT\n"
        "if share < 0.8:\n    sys.exit('not good enough')\n",
        ("(told == held.bad).mean()", "len(held)"),
    ),
    "an object that a script makes once": (
        "durable_record",
        "app.ts",
        "import { db } from './db.js';\nimport { model } from './model.js';\n"
        "const diary = { async keep(line) { await db('SENT'); } };\n"
        "export const handler = async (event) => {\n"
        "  const told = await model.predict(event.row);\n"
        "  await diary.keep({ told, at: new Date(), model: 'seven' });\n};\n",
        ("diary').insert({ ...line }); ('", "diary').where({ ...line }); ('"),
    ),
}


@pytest.mark.parametrize("case", TOLD)
@pytest.mark.parametrize("number", [0, 1], ids=["is so", "looks so"])
def test_the_form_of_a_behaviour_tells_it(case: str, number: int) -> None:
    behaviour, path, text, variants = TOLD[case]
    assert _tell(behaviour, {path: text.replace("SENT", variants[number])}) == (number == 0)
