"""What a large program says somewhere of something else: each pair differs in one thing."""

from __future__ import annotations

import pytest

from jurat.rating.behaviours.every_behaviour import list_behaviours
from jurat.rating.behaviours.uses.talks import list_made_turns
from jurat.rating.code.file_reader import read_facts
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.reach import Program
from jurat.rating.program.surroundings import are_acquainted
from jurat.rating.recon import scan_worktree
from jurat.rating.signals.file_roles import Role
from jurat.rating.texts.fields import find_field_words, has_field
from tests.support.rating import worktree_of


def _build(files: dict[str, str]) -> Conduct:
    roles = {path: Role.TEST if "test" in path else Role.CODE for path in files}
    facts = {path: read_facts(text, "python") for path, text in files.items()}
    return Conduct(Program(facts), roles)


def _has(behaviour: str, text: str, path: str = "main.py", **more: str) -> bool:
    conduct = _build({path: text, **{f"{name}.py": other for name, other in more.items()}})
    return any(True for _ in list_behaviours()[behaviour](conduct))


def test_files_are_acquainted_by_one_that_has_to_do_with_few() -> None:
    few = {"main.py": "import a\nimport b\n", "a.py": "A = 1\n", "b.py": "B = 1\n"}
    assert are_acquainted(_build(few), "a.py", "b.py")
    many = {f"m{n}.py": f"M = {n}\n" for n in range(12)}
    main = few["main.py"] + "".join(f"import m{n}\n" for n in range(12))
    conduct = _build({**few, **many, "main.py": main})
    assert not are_acquainted(conduct, "a.py", "b.py")
    assert are_acquainted(conduct, "a.py", "main.py")


GREETING = "SHOWN = [{'role': 'assistant', 'content': 'I am an AI assistant'}MORE]\n"


@pytest.mark.parametrize(
    ("more", "made"),
    [
        ("", False),
        (",\n {'role': 'user', 'content': 'Show me'}", True),
        (",\n {'role': 'user', 'content': input()}", False),
    ],
)
def test_a_talk_is_made_up_if_what_the_person_says_is_fixed(more: str, *, made: bool) -> None:
    facts = read_facts(GREETING.replace("MORE", more), "python")
    assert bool([turn for turn in list_made_turns(facts) if turn[0] == 1]) is made


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("print('I am an AI assistant.')", True),
        ("TALK = '''\nUser: Hi.\nAssistant: I am an AI assistant.\n'''\nprint(TALK)", False),
    ],
)
def test_a_turn_of_a_talk_in_a_text_tells_nobody(line: str, *, told: bool) -> None:
    signals, _ = scan_worktree(worktree_of({"main.py": f"{line}\n"}))
    assert bool(signals.keep_held()["ai_disclosure"]) is told


ERASE = """
import sys
from pathlib import Path
from flask import Flask

app = Flask(__name__)


@app.delete("/people/<name>")
def forget(name):
    REMOVE
    return {}
"""


@pytest.mark.parametrize(
    ("remove", "erases"),
    [("Path(name).unlink()", True), ("sys.modules.pop(name)", False)],
)
def test_who_is_erased_was_kept_somewhere(remove: str, *, erases: bool) -> None:
    assert _has("subject_erasure", ERASE.replace("REMOVE", remove)) is erases


def test_what_a_command_cleans_up_is_nobodys_data() -> None:
    text = ERASE.replace('app.delete("/people/<name>")', 'app.post("/user/<name>")')
    assert not _has("subject_erasure", text.replace("REMOVE", "Path(name).unlink()"))


LOGGED = """
import logging
from openai import OpenAI

log = logging.getLogger(__name__)


def ask(text):
    answer = OpenAI().chat.completions.create(model="m", messages=[text])
    log.LEVEL("answered %s %s", text, answer)
    return answer


ask(input())
"""


@pytest.mark.parametrize(("level", "logged"), [("info", True), ("error", False)])
def test_what_is_logged_as_an_error_records_no_inference(level: str, *, logged: bool) -> None:
    assert _has("logged_inference", LOGGED.replace("LEVEL", level)) is logged


CONFIRMED = """
from openai import OpenAI
import shutil
import requests


def install():
    INSTALL
    shutil.copy("a", "b")


def ask(text):
    answer = OpenAI().chat.completions.create(model="m", messages=[text])
    SEND
    requests.post("https://example.org", json=answer)


install()
ask(input())
"""


@pytest.mark.parametrize(
    ("install", "send", "approves"),
    [
        ("pass", "if input('send? ') != 'y': return", True),
        ("if input('install? ') != 'y': return", "pass", False),
    ],
)
def test_who_is_asked_if_no_answer_is_there_approves_none(
    install: str, send: str, *, approves: bool
) -> None:
    text = CONFIRMED.replace("INSTALL", install).replace("SEND", send)
    assert _has("approval_gate", text) is approves


TRIED = """
from main import run


def test_it():
    assert run("rm -rf /") EXPECTED
"""


@pytest.mark.parametrize(("expected", "attacks"), [("is None", True), ("== 'done'", False)])
def test_a_command_is_an_attack_if_it_is_refused(expected: str, *, attacks: bool) -> None:
    main = "def run(text):\n    return print(text)\n"
    text = TRIED.replace("EXPECTED", expected)
    assert _has("attacking_test", text, "tests/test_it.py", main=main) is attacks


REMARKS = """
from flask import Flask, request

app = Flask(__name__)
REMARKS = []


@app.post("/feedback")
def say():
    mine = []
    WHERE.append({"feedback": request.json["text"]})
    return {}
"""


@pytest.mark.parametrize(("where", "kept"), [("REMARKS", True), ("mine", False)])
def test_a_remark_in_a_list_of_ones_own_is_not_kept(where: str, *, kept: bool) -> None:
    assert _has("feedback_kept", REMARKS.replace("WHERE", where)) is kept


def test_who_judges_gives_a_judgment_and_that_is_one_thing() -> None:
    models = "judge ; judgment ; judges of answers ; verdict ; decide which model wins"
    assert not has_field(find_field_words(models), "justice")
    court = "judge ; court ; defendant ; verdict ; decide whether somebody is guilty"
    assert has_field(find_field_words(court), "justice")


LIMITS = """# The model

## Limitations

The model does not read tables of more than 40 rows, and is wrong in 3 of 100 answers.
"""


@pytest.mark.parametrize(
    ("path", "counts"), [("app/README.md", True), ("app/eval/README.md", False)]
)
def test_a_page_inside_a_package_tells_of_that_part(path: str, *, counts: bool) -> None:
    files = {"app/main.py": "print(1)\n", "app/eval/run.py": "print(2)\n", path: LIMITS}
    signals, _ = scan_worktree(worktree_of(files))
    assert bool(signals.keep_held()["limitations_document"]) is counts
