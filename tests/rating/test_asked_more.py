"""What else is asked of a large program: each pair differs in that, and a small one passes both."""

from __future__ import annotations

import pytest

from jurat.rating.behaviours.behaviour import Sign
from jurat.rating.behaviours.tied import UNTIED, explain_untied
from jurat.rating.code.file_reader import read_facts
from jurat.rating.held import WITHOUT_HEART
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.reach import Program
from jurat.rating.recon import scan_worktree
from jurat.rating.signals.evidence import Signals
from jurat.rating.signals.file_roles import Role, detect_role
from jurat.rating.texts.text_kinds import cut_examples
from tests.rating.test_of_the_inference import LONG
from tests.rating.test_tied import list_reasons
from tests.support.rating import find_clause, rate_document, worktree_of


def scan(files: dict[str, str], *, large: bool = True) -> Signals:
    """What is held of some files, in a large program or alone."""
    more = {"long.py": LONG} if large else {}
    return scan_worktree(worktree_of({**files, **more}))[0].keep_held()


TOLD = """
import smtplib
import sys

import board
from openai import OpenAI

HELLO = "You are talking to an AI assistant."


def ask(question):
    board.show(OpenAI().responses.create(model="gpt-5", input=question).output_text)


def begin():
    WAY(HELLO)


if __name__ == "__main__":
    begin()
    ask(sys.argv[1])
"""


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize(
    ("way", "told"), [("board.show", True), ("board.head", True), ("smtplib.quotedata", False)]
)
def test_a_notice_goes_where_the_answers_go(way: str, *, told: bool, large: bool) -> None:
    found = scan({"main.py": TOLD.replace("WAY", way)}, large=large)
    assert bool(found["ai_disclosure"]) is (told or not large)


@pytest.mark.parametrize("large", [False, True])
def test_the_name_of_a_part_is_no_notice(*, large: bool) -> None:
    talk = '{by === "user" || by === "assistant"}'  # elsewhere it labels no answer
    page = f'export const Node = () => <b>{talk}{{"AI Agent"}}</b>;\nrender(Node());\n'
    whole = page.replace('"AI Agent"', '"You are talking to an AI assistant."')
    assert bool(scan({"Node.tsx": page}, large=large)["ai_disclosure"]) is not large
    assert scan({"Node.tsx": whole}, large=large)["ai_disclosure"]


ASKS = """
import os
import sys
import time

from flask import Flask
from openai import OpenAI

app = Flask(__name__)


class Book:
    def __init__(self, path):
        self.path = path

    def note(self, asked, answered):
        with open(self.path, "a") as file:
            file.write(f"{time.ctime()} {asked} {answered}")


@app.post("/ask")
def ask(question, book):
    answer = OpenAI().responses.create(model="gpt-5", input=question).output_text
    KEPT
    return answer


if __name__ == "__main__":
    ask(sys.argv[1], Book("kept.log"))
"""
NOTE = "Book('kept.log').note(question, answer)"


@pytest.mark.parametrize(
    ("kept", "counts"),
    [
        (NOTE, True),
        (f"if answer:\n        {NOTE}", True),
        (f"if book:\n        {NOTE}", False),
        (f"if os.environ.get('TRACE'):\n        {NOTE}", False),
        ("print(answer)", False),
    ],
)
def test_a_record_is_kept_each_time_and_no_option(kept: str, *, counts: bool) -> None:
    text = ASKS.replace("KEPT", kept)
    assert ("" in list_reasons("logged_inference", text)) is counts


MASKED = """
import re
import sys

from openai import OpenAI

EMAIL = r"[\\w.]+@[\\w.]+"


def reply(question):
    bare = re.sub(EMAIL, "", question)
    pages = re.findall("https?://[^ ]+", bare)
    short = re.sub("[ ]+", " ", question)
    print(pages)
    return OpenAI().responses.create(model="gpt-5", input=SENT).output_text


if __name__ == "__main__":
    reply(sys.argv[1])
"""


@pytest.mark.parametrize(("sent", "reason"), [("bare", ""), ("short", UNTIED)])
def test_another_change_of_the_same_text_is_no_mask(sent: str, reason: str) -> None:
    assert list_reasons("masked_text", MASKED.replace("SENT", sent)) == [reason]


AGREED = """
import subprocess
import sys

from openai import OpenAI


def run(question):
    order = OpenAI().responses.create(model="gpt-5", input=question).output_text
    if input("Shall it be done? ") == "y":
        subprocess.run(order)


if __name__ == "__main__":
    run(sys.argv[1])
"""


def test_the_line_that_a_person_is_asked_on_approves_and_a_function_as_such_does_not() -> None:
    """A row that people change, among many, is no approval of what a model said."""
    assert list_reasons("approval_gate", AGREED) == [""]
    files = {"main.py": read_facts(AGREED, "python"), "long.py": read_facts(LONG, "python")}
    conduct, one = Conduct(Program(files)), ("main.py", 1)
    whole = Sign("approval_gate", one, conduct.facts(one).first, frozenset({one}))
    assert explain_untied(conduct, whole) == UNTIED


ACCUSED = """
import sys

from openai import OpenAI

RULES = "PROMPT"


def ask(question):
    return OpenAI().responses.create(model="gpt-5", instructions=RULES, input=question).output_text


print(ask(sys.argv[1]))
"""
PREYS = "Find who lives alone and is elderly: use this to sell them insurance, they cannot refuse."


def test_a_practice_is_one_that_a_model_is_told_of() -> None:
    aside = f'import sys\n\n\ndef show():\n    print("{PREYS}")\n\n\nshow()\n'
    asking = ACCUSED.replace("PROMPT", PREYS)
    idle = ACCUSED.replace("PROMPT", "Be brief.")
    for large in (False, True):
        assert scan({"main.py": asking}, large=large)["vulnerability_exploitation"]
    found = scan({"main.py": idle, "aside.py": aside})
    assert not found["vulnerability_exploitation"]


def test_what_is_shown_as_an_example_is_no_order() -> None:
    example = "\\nTask: Say hello.\\nOutput: Hello.\\n"
    shown = f"Do as shown.{example}{example}{example}Task: {PREYS}\\nOutput: Yes.\\n"
    for text, accused in ((shown, False), (f"{PREYS}{example}{example}{example}", True)):
        found = scan({"main.py": ACCUSED.replace("PROMPT", text)}, large=False)
        assert bool(found["vulnerability_exploitation"]) is accused


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Be kind.\nQ: one\nQ: two\nQ: three\n", "Be kind.\n"),
        ("Be kind.\nQ: one\nA: two\nNote: three\n", "Be kind.\nQ: one\nA: two\nNote: three\n"),
        ("", ""),
    ],
)
def test_examples_begin_by_the_same_label_again_and_again(text: str, left: str) -> None:
    assert cut_examples(text) == left


PRIVACY = """
<html><body><h1>Privacy</h1><p>We, Firm Ltd, are the controller of your personal data. We keep your
name and e-mail address on the legal basis of your consent, for 30 days, and give it to no one. You
may ask for access, rectification and erasure, object, and complain to the supervisory authority.
Write to privacy@firm.example.</p></body></html>
"""
SERVES = """
from flask import Flask, render_template
from openai import OpenAI

app = Flask(__name__)


@app.post("/")
def ask(question):
    return OpenAI().responses.create(model="gpt-5", input=question).output_text


@app.get("/privacy")
def privacy():
    return NAMED
"""


@pytest.mark.parametrize(
    ("named", "seen"),
    [
        ('render_template("privacy.html")', True),
        ('render_template("start.html")', True),
        ('"https://other.example/docs/privacy.html"', False),
    ],
)
def test_a_page_of_a_large_program_is_one_that_code_leads_to(named: str, *, seen: bool) -> None:
    files = {
        "main.py": SERVES.replace("NAMED", named),
        "pages/privacy.html": PRIVACY,
        "pages/start.html": "<a href='privacy.html'>Privacy</a>",
        "pages/index.html": "<a href='privacy.html'>Privacy</a>",
    }
    assert bool(scan(files)["privacy_document"]) is seen


LOCKS = """
from cryptography.fernet import Fernet


class Vault:
    def lock(self, text):
        return Fernet(Fernet.generate_key()).encrypt(text)


vault = Vault()
"""
KEEPS = """
from flask import Flask

from vault import vault

app = Flask(__name__)


@app.post("/keep")
def keep(row, said):
    row.FIELD = vault.lock(said)
    return {}
"""


@pytest.mark.parametrize(("field", "holds"), [("diagnosis", True), ("refresh_token_enc", False)])
def test_a_key_is_known_by_where_it_is_put(field: str, *, holds: bool) -> None:
    files = {"vault.py": LOCKS, "main.py": KEEPS.replace("FIELD", field)}
    assert bool(scan(files)["encryption"]) is holds


def test_a_page_lets_nobody_in() -> None:
    page = 'import { useSession } from "next-auth/react";\nexport const A = () => useSession();\n'
    assert scan({"A.tsx": page}, large=False)["access_control"]
    assert not scan({"A.tsx": page})["access_control"]


GUARDED = """
import sys

from openai import OpenAI

WORD = "Decide whether to hire this applicant."


def ask(text):
    for _ in range(3):
        said = OpenAI().responses.create(model="gpt-5", instructions=WORD, input=text, timeout=9)
        if said.output_text:
            return said.output_text


if __name__ == "__main__":
    print(ask(sys.argv[1]))
"""


def test_what_stands_beside_a_stop_is_none() -> None:
    clause = find_clause(rate_document({"main.py": GUARDED, "long.py": LONG}), "14(4)(e)")
    assert clause["in_scope"]
    assert clause["supported_verdict"] == "fail"
    assert WITHOUT_HEART not in find_clause(rate_document({"main.py": GUARDED}), "14(4)(e)")["note"]


SCORED = """
import sys

import requests
from openai import OpenAI


def look(text):
    found = requests.post("https://search.example/find", json={"q": text}, timeout=3).json()
    return found["score"]


def ask(text):
    NAMED
    return look(text)


if __name__ == "__main__":
    ask(sys.argv[1])
"""


@pytest.mark.parametrize(
    ("named", "counts"),
    [("pass", True), ('print(OpenAI().responses.create(model="m", input=text))', False)],
)
def test_where_a_model_is_named_other_scores_are_none_of_its_answers(
    named: str, *, counts: bool
) -> None:
    assert ("" in list_reasons("bounded_call", SCORED.replace("NAMED", named))) is counts


FORGETS = """
from flask import Flask
from openai import OpenAI
from redis import Redis

app = Flask(__name__)
kept = Redis()


@app.post("/ask")
def ask(text):
    return OpenAI().responses.create(model="gpt-5", input=text).output_text


@app.delete("ROUTE/<one>")
def forget(one):
    kept.delete(one)
    return {}
"""


@pytest.mark.parametrize(
    ("route", "path", "reason"),
    [
        ("/profile", "main.py", ""),
        ("/agent", "main.py", UNTIED),
        ("/profile", "scripts/clean.py", UNTIED),
    ],
)
def test_who_is_erased_is_somebody_and_by_the_product(route: str, path: str, reason: str) -> None:
    text = FORGETS.replace("ROUTE", route)
    assert list_reasons("subject_erasure", text, path=path) == [reason]
    assert list_reasons("subject_erasure", text, large=False) == [""]


RETRIES = """
import sys

from openai import OpenAI
from tenacity import retry, stop_after_attempt

WAY


@FIRST
def ask(question):
    return OpenAI().responses.create(model="gpt-5", input=question).output_text


@LAST
def log_in(name):
    print(name)


if __name__ == "__main__":
    log_in(sys.argv[1])
    ask(sys.argv[2])
"""
_TRIES = "retry(stop=stop_after_attempt(3))"


@pytest.mark.parametrize(
    ("first", "last", "holds"), [(_TRIES, "WAY", True), ("WAY", _TRIES, False)]
)
def test_a_library_that_tries_again_tries_a_model(first: str, last: str, *, holds: bool) -> None:
    text = RETRIES.replace("FIRST", first).replace("LAST", last)
    files = {"main.py": text.replace("@WAY\n", "").replace("WAY", "")}
    assert bool(scan(files)["resilience"]) is holds
    assert scan(files, large=False)["resilience"]


@pytest.mark.parametrize(("mode", "counts"), [("a", True), ("w", False)])
def test_a_file_that_is_written_anew_is_what_was_made(mode: str, *, counts: bool) -> None:
    text = ASKS.replace("KEPT", NOTE).replace('self.path, "a"', f'self.path, "{mode}"')
    assert ("" in list_reasons("logged_inference", text)) is counts


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("experiments/run.py", Role.TEST),
        ("app/benchmark_models.py", Role.TEST),
        ("app/experimental.py", Role.CODE),
        ("app/benchmarks_of_prices.py", Role.CODE),
    ],
)
def test_an_experiment_is_no_part_of_the_product(path: str, role: Role) -> None:
    assert detect_role(path) is role


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [('when="D", utc=True, encoding="utf-8"', False), ('when="D", backupCount=200', True)],
)
def test_a_log_that_is_turned_over_and_never_deleted_has_no_time(
    arguments: str, *, kept: bool
) -> None:
    text = (
        "from logging.handlers import TimedRotatingFileHandler\n\n"
        f'TimedRotatingFileHandler("a.log", {arguments})\n'
    )
    assert bool(scan({"main.py": text}, large=False)["log_retention"]) is kept


FETCHES = """
import urllib.request

import insightface


def find(frame):
    return insightface.app.FaceAnalysis(name="buffalo_l").get(frame)


def fetch(address):
    return find(urllib.request.urlopen(address).read())


if __name__ == "__main__":
    fetch("https://models.example/one.onnx")
"""


def test_libraries_that_stand_side_by_side_are_no_practice_of_a_large_program() -> None:
    clause = find_clause(rate_document({"main.py": FETCHES, "long.py": LONG}), "5(1)(e)")
    assert clause["supported_verdict"] == "nothing found"
    assert clause["evidence"]
