"""Records that stay: a store that refuses to let go of them, and for how long; notices."""

from __future__ import annotations

import pytest

from jurat.rating.recon import scan_worktree
from tests.support.rating import find_clause, rate_document, worktree_of

SCORES = """
import json, logging
from datetime import datetime, timedelta, timezone
from logging.handlers import TimedRotatingFileHandler

import boto3, joblib, psycopg
from flask import Flask, request, jsonify

app = Flask(__name__)
model = joblib.load("hire.pkl")
db = psycopg.connect("dbname=hire")
log = logging.getLogger("hire")

@app.post("/applicants")
def score():
    a = request.get_json()
    fit = float(model.predict_proba([[a["years"]]])[0][1])
    db.execute("insert into journal(applicant, clerk, model, input, fit, at)"
               " values (%s,%s,%s,%s,%s,now())",
               (a["id"], request.headers["x-user"], "hire-3", json.dumps(a), fit))
    log.info("scored", extra={"applicant": a["id"], "fit": fit})
    return jsonify(fit=fit)
"""
TRIGGER = """
CREATE TABLE journal (id INTEGER PRIMARY KEY, applicant TEXT, at TEXT);
CREATE TRIGGER young BEFORE DELETE ON {table}
WHEN OLD.at > datetime('now', '-{age}')
BEGIN SELECT {deed}; END;
"""
LOCK = """
def ship():
    rows = db.execute("select * from journal where at > now() - interval '1 day'").fetchall()
    boto3.client("s3").put_object(
        Bucket="journal", Key="day", Body=json.dumps(rows), ObjectLockMode="COMPLIANCE",
        ObjectLockRetainUntilDate=datetime.now(timezone.utc) + timedelta(days={days}))

ship()
"""
ROTATION = """
log.addHandler(TimedRotatingFileHandler("hire.log", when="{when}", backupCount={count}))
"""


def _is_kept(more: str = "", schema: str = "") -> bool:
    files = {"app.py": SCORES + more, "README.md": "# Hiring\nScores job applicants.\n"}
    files |= {"schema.sql": schema} if schema else {}
    return find_clause(rate_document(files), "26(6)")["supported_verdict"] in ("pass", "partial")


@pytest.mark.parametrize(
    ("table", "age", "deed", "kept"),
    [
        ("journal", "9 months", "RAISE(ABORT, 'too young')", True),
        ("journal", "30 days", "RAISE(ABORT, 'too young')", False),
        ("drafts", "9 months", "RAISE(ABORT, 'too young')", False),
        ("journal", "9 months", "1", False),
    ],
)
def test_a_database_may_refuse_to_delete_records(
    table: str, age: str, deed: str, *, kept: bool
) -> None:
    assert _is_kept(schema=TRIGGER.format(table=table, age=age, deed=deed)) is kept


@pytest.mark.parametrize(("days", "kept"), [("3 * 365", True), ("400", True), ("30", False)])
def test_a_bucket_may_lock_records(days: str, *, kept: bool) -> None:
    assert _is_kept(LOCK.format(days=days)) is kept


@pytest.mark.parametrize(
    ("when", "count", "kept"),
    [("D", "400", True), ("W0", "30", True), ("D", "7", False), ("H", "200", False)],
)
def test_a_log_that_is_rotated_stays_as_long_as_its_files_are_counted(
    when: str, count: str, *, kept: bool
) -> None:
    files = {"app.py": SCORES + ROTATION.format(when=when, count=count)}
    signals, _ = scan_worktree(worktree_of(files))
    assert (signals.keep_held()["log_retention"].strength > 0) is kept


CHAT = """
from flask import Flask, request
import openai

app = Flask(__name__)

@app.post("/chat")
def chat():
    told = [{{"role": "user", "content": request.json["text"]}}]
    answer = openai.OpenAI().chat.completions.create(model="m", messages=told)
    return {{"hello": "{hello}", "text": answer.choices[0].message.content}}
"""


@pytest.mark.parametrize(
    ("hello", "disclosed"),
    [
        ("Ich bin ein Computerprogramm und kein Mensch.", True),
        ("Vous discutez avec un assistant, une IA.", True),
        ("U chat met een computer van de gemeente.", True),
        ("Du chatter med en robot, ikke et menneske.", True),
        ("Está hablando con una inteligencia artificial.", True),
        ("Ich bin Jana, schreiben Sie mir!", False),
        ("Vous discutez avec Marie, votre conseillère.", False),
        ("Du chatter med Kari fra kundeservice.", False),
        ("Dieses Programm kostet nicht viel.", False),
    ],
)
def test_people_are_told_of_a_machine_in_their_language(hello: str, *, disclosed: bool) -> None:
    signals, _ = scan_worktree(worktree_of({"app.py": CHAT.format(hello=hello)}))
    assert (signals["ai_disclosure"].strength >= 0.6) is disclosed


ROTATED = """
from loguru import logger

logger.add("calls.log", rotation="400 days", retention="KEPT")
"""


@pytest.mark.parametrize(("kept", "lasts"), [("7 days", False), ("200 days", True)])
def test_a_library_keeps_a_log_for_half_a_year(kept: str, *, lasts: bool) -> None:
    text = ROTATED.replace("KEPT", kept)
    signals, _ = scan_worktree(worktree_of({"main.py": text}))
    assert bool(signals.keep_held()["log_retention"]) is lasts


EXPIRING = """
import redis
from fastapi import FastAPI, Request
from openai import OpenAI

app = FastAPI()
store = redis.Redis()


@app.post("/ask")
def ask(request: Request, question: str):
    store.PUT
    store.expire(request.client.host, 86400)
    return OpenAI().responses.create(model="m", input=question)
"""


@pytest.mark.parametrize(
    ("put", "deleted"),
    [("rpush(request.client.host, question)", True), ("incr(request.client.host)", False)],
)
def test_a_count_of_questions_that_expires_deletes_nothing(put: str, *, deleted: bool) -> None:
    found, _ = scan_worktree(worktree_of({"main.py": EXPIRING.replace("PUT", put)}))
    held = found.keep_held()["data_retention"]
    assert any(one.said == "timed_deletion" for one in held.evidence) is deleted
