"""What looks like a control from near, and is something else: who calls, punctuation, loggers."""

from __future__ import annotations

import pytest

from jurat.rating.behaviours.every_behaviour import list_behaviours
from jurat.rating.code.file_reader import read_facts
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.reach import Program


def list_statements(behaviour: str, text: str) -> list[int]:
    facts = read_facts(text, "python")
    conduct = Conduct(Program({"main.py": facts}))
    return [sign.line for sign in list_behaviours()[behaviour](conduct)]


CALLER = """
import subprocess

from flask import Flask, request

app = Flask(__name__)


class Door:
    def __init__(self):
        self.key = None

    def set(self, key):
        self.key = key

    def lets_in(self, key):
        return self.key == key


door = Door()


@app.post("/keys")
def settle():
    door.set(request.json["key"])
    return {}


@app.post("/runs")
def run():
    if not door.lets_in(request.json["key"]):
        return {"error": "not you"}, STATUS
    subprocess.run(["work"])
    return {}
"""


@pytest.mark.parametrize("status", ["401", "403"])
def test_who_calls_is_no_approval_of_what_is_done(status: str) -> None:
    assert list_statements("approval_gate", CALLER.replace("STATUS", status)) == []


def test_what_is_not_yet_allowed_is_an_approval() -> None:
    assert list_statements("approval_gate", CALLER.replace("STATUS", "409"))


SENT = """
import re

from openai import OpenAI


def ask(person):
    text = CHANGED
    return OpenAI().chat.completions.create(model="gpt-4o", messages=[text])


if __name__ == "__main__":
    ask({"email": input()})
"""


@pytest.mark.parametrize(
    ("changed", "hides"),
    [
        ('person["email"].replace("-", "")', False),
        ('person["phone"].strip().replace(" ", "")', False),
        ('person["text"].replace("@", " at ")', False),
        ('re.sub(r"\\\\s+", " ", person["email"])', False),
        ('person["text"].replace(person["email"], "***")', True),
        ('re.sub(r"[\\\\w.]+@[\\\\w.]+", "***", person["text"])', True),
        ('re.compile(r"\\\\d{3}-\\\\d{4}").sub("***", person["text"])', True),
    ],
)
def test_only_what_names_a_person_is_redacted(changed: str, *, hides: bool) -> None:
    assert bool(list_statements("masked_text", SENT.replace("CHANGED", changed))) is hides


LOGGED = """
import logging

from openai import OpenAI

log = logging.getLogger("asking")


def ask(text, session):
    answer = OpenAI().chat.completions.create(model="gpt-4o", messages=[text])
    log.info("asked", extra={"id": FIRST, "version": SECOND})
    return answer


if __name__ == "__main__":
    ask(input(), input())
"""


@pytest.mark.parametrize(
    ("first", "second", "holds"),
    [
        ("log.name", "logging.__version__", False),
        ("log.name", "log.level", False),
        ("session", "answer.model", True),
    ],
)
def test_what_a_logger_is_called_says_nothing_of_a_run(
    first: str, second: str, *, holds: bool
) -> None:
    code = LOGGED.replace("FIRST", first).replace("SECOND", second)
    assert bool(list_statements("log_fields", code)) is holds


@pytest.mark.parametrize(
    ("hashed", "hides"),
    [
        ('person["email"]', True),
        ('json.dumps({"email": MODEL})', False),
        ('person["name"]', False),
    ],
    ids=["a person's field", "a key that is made", "what things have as well"],
)
def test_a_hash_hides_somebody_if_their_field_goes_into_it(hashed: str, *, hides: bool) -> None:
    code = SENT.replace("CHANGED", f"hashlib.sha256({hashed}.encode()).hexdigest()")
    code = code.replace("import re", "import hashlib\nimport json\n\nMODEL = input()")
    assert bool(list_statements("masked_text", code)) is hides


REMARKS = """
import sqlite3

from flask import Flask, request

app = Flask(__name__)


@app.post("ROUTE")
def take():
    sqlite3.connect("x").execute("INSERT INTO TABLE VALUES (?)", (request.json["text"],))
    return {"flags": "--report-error"}
"""


@pytest.mark.parametrize(
    ("route", "table", "kept"),
    [
        ("/things", "things", False),
        ("/things", "complaints", True),
        ("/complaints", "things", True),
    ],
)
def test_a_remark_is_told_by_its_route_or_by_what_is_kept(
    route: str, table: str, *, kept: bool
) -> None:
    code = REMARKS.replace("ROUTE", route).replace("TABLE", table)
    assert bool(list_statements("feedback_kept", code)) is kept
