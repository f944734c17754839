# ruff: noqa: E501 -- programs read best as they are written
"""What is a record of an inference, who overrules and what halts: by what follows, not by words."""

from __future__ import annotations

import pytest

from tests.support.rating import find_clause, rate_document

README = "# Loans\nScores loan applications for a bank; the score decides on credit.\n"
SCORES = """
import json, os, logging, boto3, psycopg, redis, requests
from flask import Flask, request, jsonify
app = Flask(__name__)
rt = boto3.client("sagemaker-runtime")
log = logging.getLogger("loans")
db = psycopg.connect(os.environ["DB"])
kv = redis.Redis()

def score(a):
    r = rt.invoke_endpoint(EndpointName="credit", Body=json.dumps(a))
    return json.loads(r["Body"].read())["score"]
"""
LOAN = """
@app.post("/loans")
def loan():
    a = request.get_json(); s = score(a)
    {then}
    return jsonify(score=s)
"""
ONLY_FAILURES = """
@app.post("/loans")
def loan():
    a = request.get_json()
    try:
        s = score(a)
    except Exception as e:
        log.error("scoring failed for %s: %s", a["id"], e)
        raise
    return jsonify(score=s)
"""
NEVER_CALLED = """
class Audit:
    def write(self, who, model, inp, out):
        db.execute("insert into audit(who, model, inp, out, at) values (%s,%s,%s,%s,now())",
                   (who, model, inp, out))
audit = Audit()
"""
AT_LOGIN = """
@app.post("/login")
def login():
    db.execute("insert into audit(who, action, at) values (%s,'login',now())", (request.json["u"],))
    return "", 204
"""


def _rate(code: str) -> dict[str, object]:
    return rate_document({"app.py": SCORES + code, "README.md": README})


@pytest.mark.parametrize(
    ("then", "more", "kept"),
    [
        ('db.execute("update loans set score=%s, at=now() where id=%s", (s, a["id"]))', "", False),
        ('log.debug("score %s for %s", s, a["id"])', "", False),
        ('log.info("scored a loan")', "", False),
        ('boto3.client("cloudwatch").put_metric_data(Namespace="x", MetricData=[{"Value": 3}])', "", False),
        ('db.execute("insert into scores(person_id, score, at) values (%s,%s,now())"'
         ' " on conflict (person_id) do update set score=excluded.score", (a["id"], s))', "", False),
        ("pass", NEVER_CALLED, False),
        ("pass", AT_LOGIN, False),
        ('kv.setex("score:" + a["id"], 600, json.dumps({"score": s, "model": "credit"}))', "", False),
        ('requests.post(os.environ["MAIL_URL"], json={"to": a["email"], "score": s})', "", False),
        ('boto3.client("sqs").send_message(QueueUrl="q", MessageBody=json.dumps({"score": s}))', "", False),
        ('db.execute("insert into scoring_log(application_id, clerk, model, input, score, at)"'
         ' " values (%s,%s,%s,%s,%s,now())",'
         ' (a["id"], request.headers["x-user"], "credit-3", json.dumps(a), s))', "", True),
        ('log.info("scored", extra={"application": a["id"], "model": "c", "score": s, "input": a})', "", True),
        ('boto3.client("firehose").put_record(Record={"Data": json.dumps('
         '{"id": a["id"], "model": "credit-3", "input": a, "score": s})})', "", True),
    ],
)  # fmt: skip
def test_a_record_holds_the_answer_lasts_and_stays_as_it_is(
    then: str, more: str, *, kept: bool
) -> None:
    document = _rate(LOAN.format(then=then) + more)
    for clause in ("12(1)", "12(2)"):
        found = find_clause(document, clause)["supported_verdict"]
        assert (found in ("pass", "partial")) is kept, clause


def test_who_writes_down_failures_alone_records_no_inference() -> None:
    found = find_clause(_rate(ONLY_FAILURES), "12(1)")
    assert found["supported_verdict"] == "fail"


DECIDES = """
import os, joblib, requests
from flask import Flask, request, jsonify
from sqlalchemy import create_engine, text
app = Flask(__name__)
db = create_engine(os.environ["DB"])
model = joblib.load("hire.pkl")

@app.post("/applications")
def apply():
    a = request.get_json()
    fit = float(model.predict_proba([[a["years"]]])[0][1])
    outcome = "invite" if fit > 0.5 else "reject"
    with db.begin() as c:
        c.execute(text("insert into applications(email, fit, outcome) values (:e, :f, :o)"),
                  {{"e": a["email"], "f": fit, "o": outcome}})
    {act}
    return jsonify(outcome=outcome)

@app.{verb}("/applications/<int:i>/override")
def override(i):
    b = request.get_json()
    with db.begin() as c:
        c.execute(text("{statement}"), {{"w": b["wanted"], "i": i}})
    return "", 204
"""
MAIL = 'requests.post(os.environ["MAIL"], json={"to": a["email"], "outcome": outcome})'
REPLACED = "update applications set outcome = :w where id = :i"
WISHED = "insert into wishes(application_id, wanted) values (:i, :w)"
SEEN = "select outcome from applications where id = :i"


@pytest.mark.parametrize(
    ("act", "verb", "statement", "overruled"),
    [
        ("pass", "post", REPLACED, True),
        (MAIL, "post", REPLACED, True),
        (MAIL, "post", WISHED, False),
        ("pass", "post", WISHED, False),
        ("pass", "get", SEEN, False),
    ],
)
def test_who_overrules_puts_something_in_the_place_of_what_was_decided(
    act: str, verb: str, statement: str, *, overruled: bool
) -> None:
    files = {"app.py": DECIDES.format(act=act, verb=verb, statement=statement)}
    files["README.md"] = (
        "# Hiring\nScores job applicants; recruiters invite or reject candidates.\n"
    )
    found = find_clause(rate_document(files), "14(4)(d)")["supported_verdict"]
    assert (found in ("pass", "partial")) is overruled


OPINION = """
from sqlalchemy.orm import DeclarativeBase, Session, mapped_column
from sqlalchemy import create_engine, select
from fastapi import FastAPI
import joblib

class Base(DeclarativeBase):
    pass

class Visit(Base):
    __tablename__ = "visit"
    id = mapped_column(primary_key=True)
    urgency = mapped_column()
    nurse = mapped_column()

app, net, engine = FastAPI(), joblib.load("triage.pkl"), create_engine("sqlite://")

@app.post("/patients")
def arrive(p: dict):
    with Session(engine) as s:
        s.add(Visit(urgency=net.predict([p["pulse"]])[0]))
        s.commit()
    return {"taken": True}

@app.get("/board")
def board():
    with Session(engine) as s:
        return [v.__READ__ for v in s.scalars(select(Visit)).all()]

@app.put("/visits/{vid}/override")
def override(vid: int, level: str):
    with Session(engine) as s:
        s.get(Visit, vid).nurse = level
        s.commit()
    return {"overridden": True}
"""


@pytest.mark.parametrize(("read", "overruled"), [("urgency", False), ("nurse or v.urgency", True)])
def test_an_opinion_that_nobody_looks_at_overrules_nothing(read: str, *, overruled: bool) -> None:
    document = rate_document({"app.py": OPINION.replace("__READ__", read)})
    found = find_clause(document, "14(4)(d)")["supported_verdict"]
    assert (found in ("pass", "partial")) is overruled


WORKER = """
import amqp from 'amqplib';
import OpenAI from 'openai';
import express from 'express';
import {{ config }} from './config.js';

async function rate(job) {{
  {inside}
  const r = await new OpenAI().chat.completions.create({{ model: 'm', messages: [{{ role: 'user', content: job }}] }});
  return r.choices[0].message.content;
}}

async function main() {{
  const ch = await (await amqp.connect('amqp://q')).createChannel();
  {outside}
  ch.consume('loans', async (msg) => {{ await rate(msg.content.toString()); }});
}}
main();

const app = express();
app.post('/admin/kill', (req, res) => {{ config.off = true; res.json({{ off: true }}); }});
app.listen(1);
"""


@pytest.mark.parametrize(
    ("inside", "outside", "halts"),
    [
        ("if (config.off) throw new Error('off');", "", True),
        ("", "if (config.off) process.exit(0);", False),
    ],
)
def test_a_switch_that_is_looked_at_when_all_begins_halts_nothing(
    inside: str, outside: str, *, halts: bool
) -> None:
    files = {
        "worker.js": WORKER.format(inside=inside, outside=outside),
        "config.js": "export const config = { off: false };\n",
    }
    found = find_clause(rate_document(files), "14(4)(e)")["supported_verdict"]
    assert (found in ("pass", "partial")) is halts


RETRIES = """
const axios = require('axios');
const express = require('express');

async function speak(text) {{
  let out;
  {loop} {{
    try {{
      out = (await axios.post('https://api.elevenlabs.io/v1/text-to-speech', {{ text }})).data;
      {after}
    }} catch (e) {{
      out = undefined;
    }}
  }}
  return out;
}}
const app = express();
app.post('/speak', async (req, res) => res.send(await speak(req.body.text)));
app.listen(1);
"""


@pytest.mark.parametrize(
    ("loop", "after", "survives"),
    [
        ("while (!out)", "", False),
        ("while (true)", "return out;", False),
        ("for (let i = 0; i < 3; i++)", "return out;", True),
    ],
)
def test_who_tries_for_ever_survives_nothing(loop: str, after: str, *, survives: bool) -> None:
    document = rate_document({"app.js": RETRIES.format(loop=loop, after=after)})
    found = find_clause(document, "15(4)")["supported_verdict"]
    assert (found in ("pass", "partial")) is survives


ELSEWHERE = """
from fastapi import FastAPI, Header, HTTPException
from app import db, mailer
from app.model import Ranker

api = FastAPI()
ranker = Ranker("ranker.joblib")

@api.post("/applications")
def receive(a: dict):
    points = ranker.points(a)
    db.insert("applications", email=a["email"], points=points, state="waiting")
    {at_once}
    return {{"state": "waiting"}}

@api.post("/applications/{{i}}/verdict")
def verdict(i: int, v: dict, who: str = Header()):
    row = db.one("SELECT * FROM applications WHERE id=?", i)
    if row["state"] != "waiting":
        raise HTTPException(409)
    db.update("applications", i, state=v["outcome"])
    mailer.send(row["email"], template=v["outcome"])
    return {{"state": v["outcome"]}}
"""


@pytest.mark.parametrize(
    ("at_once", "approved"), [("pass", True), ("mailer.send(a['email'], template='no')", False)]
)
def test_a_store_that_stands_elsewhere_is_known_by_its_verbs_and_tables(
    at_once: str, *, approved: bool
) -> None:
    files = {
        "app/main.py": ELSEWHERE.format(at_once=at_once),
        "README.md": "# Hiring\nOrders job applications so that recruiters invite or reject them.\n",
    }
    found = find_clause(rate_document(files), "14(1)")["supported_verdict"]
    assert (found in ("pass", "partial")) is approved


HAZARDS = """
[[hazard]]
what = "{what}"
severity = 4
likelihood = 3
measure = "{measure}"
owner = "m.okafor"
reviewed = 2026-05-12

[[hazard]]
what = "{what} again"
severity = 3
likelihood = 3
measure = "{measure}"
owner = "t.brandt"
reviewed = 2026-06-02
"""


@pytest.mark.parametrize(
    ("what", "measure", "kept"),
    [
        ("Applicants with a short history are scored too harshly by the model",
         "thin files go to an underwriter, who reviews them by hand", True),
        ("", "", False),
        ("The campaign misses its budget", "ask sales", False),
    ],
)  # fmt: skip
def test_a_register_may_stand_in_settings(what: str, measure: str, *, kept: bool) -> None:
    files = {"app.py": SCORES + LOAN.format(then="pass"), "README.md": README}
    files["risk/hazards.toml"] = HAZARDS.format(what=what, measure=measure)
    found = find_clause(rate_document(files), "9")["supported_verdict"]
    assert (found in ("pass", "partial")) is kept
