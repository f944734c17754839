"""What a verdict was given for wrongly, beside what it is for: each pair differs in one thing."""

from __future__ import annotations

import pytest

from jurat.rating.behaviours.every_behaviour import list_behaviours
from jurat.rating.code.file_reader import read_facts
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.reach import Program
from jurat.rating.recon import scan_worktree
from jurat.rating.texts.fields import find_field_words, find_stated_fields, has_field
from tests.support.rating import worktree_of


def _has(behaviour: str, text: str) -> bool:
    conduct = Conduct(Program({"main.py": read_facts(text, "python")}))
    return any(True for _ in list_behaviours()[behaviour](conduct))


DESK = """
from flask import Flask, request
from openai import OpenAI

app = Flask(__name__)
cases = {}
trail = []


def send(text):
    app.mailer.send_message(text)


@app.post("/cases")
def propose():
    answer = OpenAI().chat.completions.create(model="m", messages=[request.json["text"]])
    cases[request.json["id"]] = {"proposal": answer, "state": "pending"}
    trail.append({"proposal": answer})
    return {}


@app.post("/cases/decision")
def settle():
    DONE
    return {}
"""


@pytest.mark.parametrize(
    ("done", "seen"),
    [
        ('trail.append({"decision": request.json["decision"]})', False),
        (
            'case = cases[request.json["id"]]\n    if case["state"] == "pending":\n'
            '        send(request.json["decision"])',
            True,
        ),
    ],
    ids=["only noted", "done"],
)
def test_a_decision_that_is_only_noted_is_no_approval(done: str, *, seen: bool) -> None:
    assert _has("approval_gate", DESK.replace("DONE", done)) is seen


CHOSEN = """
from flask import Flask, request
from openai import OpenAI

app = Flask(__name__)


class Session:
    def __init__(self):
        self.word = None


session = Session()


@app.put("/session")
def choose():
    session.word = request.json["word"]
    return {}


@app.post("/run")
def run():
    answer = OpenAI().chat.completions.create(model="m", messages=[])
    if ASKED:
        app.runner.launch(answer)
    return {}
"""


@pytest.mark.parametrize(
    ("asked", "seen"), [("session.word", False), ('session.word == "go"', True)]
)
def test_what_somebody_chose_is_no_approval_unless_it_is_held_against_one(
    asked: str, *, seen: bool
) -> None:
    text = CHOSEN.replace("ASKED", asked).replace("choose()", "choose(word)")
    assert _has("approval_gate", text.replace('request.json["word"]', "word")) is seen


RESULT = """
import click
from openai import OpenAI

found = None


@click.command()
def look():
    global found
    found = WRITTEN


@click.command()
def work():
    while True:
        if found:
            break
        OpenAI().chat.completions.create(model="m", messages=[])
"""


@pytest.mark.parametrize(("written", "seen"), [("compute()", False), ("True", True)])
def test_a_result_that_ends_the_work_is_no_switch(written: str, *, seen: bool) -> None:
    assert _has("halt", RESULT.replace("WRITTEN", written)) is seen


SENT = """
from openai import OpenAI

FIELDS = [NAMED]


def ask(row):
    facts = {k: row[k] for k in FIELDS}
    return OpenAI().chat.completions.create(model="m", messages=[SHOWN])


ask({})
"""


@pytest.mark.parametrize(
    ("named", "shown", "seen"),
    [
        ('"skills", "years", "courses"', "facts", True),
        ('"skills", "years", "full_name"', "facts", False),
        ('"skills", "years", "courses"', "row", False),
    ],
    ids=["chosen", "names among them", "all of it is sent"],
)
def test_fewer_fields_are_those_that_are_sent_and_tell_nobody(
    named: str, shown: str, *, seen: bool
) -> None:
    text = SENT.replace("NAMED", named).replace("SHOWN", shown)
    assert _has("fewer_fields", text) is seen


HASHED = """
import hmac

from openai import OpenAI


def hide(number):
    digest = hmac.new(b"key", number, "sha256")
    return DONE


def ask(number):
    return OpenAI().chat.completions.create(model="m", messages=[hide(number)])


ask("1")
"""


@pytest.mark.parametrize(
    ("done", "seen"),
    [("digest.hexdigest()", True), ("hmac.compare_digest(digest.digest(), number)", False)],
    ids=["a pseudonym", "a signature"],
)
def test_a_hash_with_a_key_hides_who_it_is_unless_it_is_compared(done: str, *, seen: bool) -> None:
    assert _has("masked_text", HASHED.replace("DONE", done)) is seen


@pytest.mark.parametrize(
    ("pattern", "seen"), [(r"\\d+", False), (r"\\d{9}", True)], ids=["a number", "a long one"]
)
def test_any_number_is_nothing_that_tells_who_somebody_is(pattern: str, *, seen: bool) -> None:
    text = (
        "import re\nfrom openai import OpenAI\n\n\ndef ask(text):\n"
        f"    text = re.sub('{pattern}', 'n', text)\n"
        "    return OpenAI().chat.completions.create(model='m', messages=[text])\n\n\nask('')\n"
    )
    assert _has("masked_text", text) is seen


CHAT = """
from flask import Flask
from openai import OpenAI

app = Flask(__name__)
NOTICE = "You are talking to an AI assistant."


@app.post("/chat")
def chat(text):
    answer = OpenAI().chat.completions.create(model="m", messages=[text])
    return GIVEN
"""


@pytest.mark.parametrize(
    ("given", "held"), [('{"notice": NOTICE, "answer": answer}', True), ("answer", False)]
)
def test_a_notice_that_is_kept_and_shown_to_nobody_is_none(given: str, *, held: bool) -> None:
    files = {"app.py": CHAT.replace("GIVEN", given)}
    signals, _ = scan_worktree(worktree_of(files))
    assert (signals.keep_held()["ai_disclosure"].strength > 0) is held


def test_in_a_long_text_a_field_is_not_decided_in_for_a_word_in_passing() -> None:
    told = "premium of the policy, approve the loan"
    assert has_field(find_field_words(told), "credit")
    assert not has_field(find_field_words(told + " words and more" * 2_000), "credit")


README = (
    "# Ward\n\nSorts the patients of the emergency department by how urgent they are, so that the "
    "nurses of the hospital see first who cannot wait.\n"
)


@pytest.mark.parametrize(
    ("page", "told"),
    [
        (README, {"health"}),
        (README + "Installation is by pip, as usual, and takes a while. " * 60, set()),
        ("# Ward\n\nA triage for patients.\n", set()),
    ],
    ids=["a purpose", "in passing", "a phrase"],
)
def test_the_front_page_tells_for_what_a_system_is(page: str, told: set[str]) -> None:
    assert find_stated_fields(page.lower()) == told


CALLS = 'import openai\n\nprint(openai.OpenAI().responses.create(model="m", input=input()))\n'


@pytest.mark.parametrize(("path", "told"), [("README.md", True), ("docs/other.md", False)])
def test_only_the_front_page_tells_it(path: str, *, told: bool) -> None:
    signals, _ = scan_worktree(worktree_of({path: README, "main.py": CALLS}))
    assert (signals["health"].strength >= 0.6) is told
    assert signals.keep_held()["health"].strength == 0


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("main.go", 'package main\n\nfunc f() { http.Post(url+"/v1/chat/completions", b) }\n'),
        ("Ask.java", 'class Ask { void f() { send("https://api.openai.com/v1/x"); } }\n'),
    ],
)
def test_an_address_is_a_model_in_languages_that_are_not_looked_into(path: str, text: str) -> None:
    signals, _ = scan_worktree(worktree_of({path: text}))
    assert signals["model_usage"].strength >= 0.6
    python = 'PATHS = ["/v1/chat/completions", "https://api.openai.com/v1/x"]\n'
    signals, _ = scan_worktree(worktree_of({"paths.py": python}))
    assert signals["model_usage"].strength < 0.6
