"""What real packages hold that is easily taken for a control: each pair differs in one thing."""

from __future__ import annotations

import pytest

from jurat.rating.behaviours.every_behaviour import list_behaviours
from jurat.rating.code.file_reader import read_facts
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.reach import Program
from jurat.rating.recon import scan_worktree
from jurat.rating.signals.file_roles import detect_role
from tests.support.rating import worktree_of

LONG = "def go():\n" + "    pass\n" * 3_000 + "\n\nif __name__ == '__main__':\n    go()\n"
"""What makes a program a large one."""


def shows(behaviour: str, text: str, path: str = "main.py", **others: str) -> bool:
    """Whether a program shows a behaviour; `others` are its other files by their names."""
    texts = {path: text, **{f"{name}.py": other for name, other in others.items()}}
    facts = {name: read_facts(one, "python") for name, one in texts.items()}
    conduct = Conduct(Program(facts), {name: detect_role(name) for name in facts})
    return any(True for _ in list_behaviours()[behaviour](conduct))


CHOSEN = """
import json
import shelve
import sys

from openai import OpenAI

ORDER = "You must SELECT seven projects, each of which is different from the others."


def choose(projects):
    answer = OpenAI().responses.create(model="gpt-5", instructions=ORDER, input=projects)
    kept = MADE
    for one in json.loads(answer.output_text):
        kept.append({"id": one["id"], "model": "gpt-5", "output": one, "at": one["time"]})
    return kept


if __name__ == "__main__":
    print(choose(sys.argv[1]))
"""


@pytest.mark.parametrize("behaviour", ["durable_record", "log_fields", "logged_inference"])
@pytest.mark.parametrize(("made", "kept"), [("[]", False), ('shelve.open("kept")["all"]', True)])
def test_a_list_that_a_function_makes_keeps_no_record(
    behaviour: str, made: str, *, kept: bool
) -> None:
    assert shows(behaviour, CHOSEN.replace("MADE", made)) is kept


ASKED = """
import json
import sys

from openai import OpenAI


def ask(question):
    answer = OpenAI().responses.create(model="gpt-5", input=question).output_text
    with open("asked.jsonl", "a") as file:
        file.write(json.dumps({"model": "gpt-5", "input": question, "output": answer}))
    return answer


if __name__ == "__main__":
    ask(sys.argv[1])
"""


@pytest.mark.parametrize(
    ("path", "product"),
    [("ask.py", True), ("evals/ask.py", False), ("agents/wide_benchmark.py", False)],
)
def test_what_measures_a_product_keeps_no_record_of_its_use(path: str, *, product: bool) -> None:
    assert shows("durable_record", ASKED, path) is product


LAZY = """
from flask import Flask
from openai import OpenAI

app = Flask(__name__)


class Desk:
    def __init__(self):
        self.FIELD = False

    def ask(self, question):
        if self.FIELD:
            return None
        return OpenAI().responses.create(model="gpt-5", input=question).output_text


desk = Desk()


@app.post("/ask")
def ask():
    return desk.ask("What is it?")


@app.post("/end")
def end():
    desk.FIELD = True
    return {}
"""


@pytest.mark.parametrize(
    ("field", "more", "halts"),
    [
        ("ready", {}, True),
        ("paused", {"long": LONG}, True),
        ("ready", {"long": LONG}, False),
    ],
)
def test_in_a_large_program_a_switch_speaks_of_a_stop(
    field: str, more: dict[str, str], *, halts: bool
) -> None:
    assert shows("halt", LAZY.replace("FIELD", field), **more) is halts


ENDED = """
import asyncio

from flask import Flask
from openai import OpenAI

app = Flask(__name__)


class Desk:
    async def ask(self, question):
        return OpenAI().responses.create(model="gpt-5", input=question).output_text

    async def send(self, text):
        print(text)


desk = Desk()


@app.post("/ask")
def ask():
    app.task = asyncio.create_task(desk.STARTED("What is it?"))
    return asyncio.run(desk.ask("Who is it?"))


@app.post("/leave")
def leave():
    app.task.cancel()
    return {}
"""


@pytest.mark.parametrize(("started", "halts"), [("ask", True), ("send", False)])
def test_in_a_large_program_what_is_ended_leads_to_a_model(started: str, *, halts: bool) -> None:
    assert shows("halt", ENDED.replace("STARTED", started), long=LONG) is halts


DELETED = """
from fastapi import FastAPI, Request

app = FastAPI()


@app.delete("/self")
def leave(request: Request):
    mine = request.WHOSE
    mine.delete()
    return {}
"""


@pytest.mark.parametrize(("whose", "erases"), [("user.object", True), ("scope.cache", False)])
def test_who_calls_deletes_their_own_account(whose: str, *, erases: bool) -> None:
    assert shows("subject_erasure", DELETED.replace("WHOSE", whose)) is erases


def test_what_a_comprehension_leaves_out_is_refused_by_nobody() -> None:
    facts = read_facts("def keep(rows):\n    return [r for r in rows if r.size > 3]\n", "python")
    keeping = facts.functions[1]
    assert [guard.leaves for guard in keeping.guards] == ["continue"]
    assert not keeping.asserts


GREETING = "I am an AI assistant."
ORDERS = "You are the desk of a shop.\n" + "Answer in whole sentences.\n" * 50
TURNS = "How to go on:\n" + "Be brief.\n" * 120 + "User: Who are you?\nAI: "
LETTER = "Dear guest,\n" + "we are glad that you are here.\n" * 40


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (GREETING, True),
        (LETTER + GREETING, True),
        (ORDERS + GREETING, False),
        (TURNS + GREETING + "\nUser: Thanks.\n", False),
    ],
)
def test_what_a_long_text_shows_to_a_model_informs_nobody(text: str, *, told: bool) -> None:
    signals, _ = scan_worktree(worktree_of({"main.py": f'TEXT = """{text}"""\nprint(TEXT)\n'}))
    assert bool(signals.keep_held()["ai_disclosure"]) is told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("The answer was generated by AI", True),
        ("The name may be AI-generated", False),
        ("The name is AI-generated", True),
    ],
)
def test_what_may_be_so_is_no_notice_that_it_is(said: str, *, told: bool) -> None:
    signals, _ = scan_worktree(worktree_of({"main.py": f"print('{said}')\n"}))
    assert bool(signals.keep_held()["ai_disclosure"]) is told


PRESSED = "make people believe that there is no other offer so that they buy unnoticed"
SETTINGS = f"[shop]\n# {PRESSED}\nname = 'x'\n\n# how many\ncount = 3\nurl = ''\n"


@pytest.mark.parametrize(("text", "orders"), [(PRESSED, True), (SETTINGS, False)])
def test_a_file_of_settings_that_a_program_writes_orders_nothing(
    text: str, *, orders: bool
) -> None:
    asked = f'OpenAI().responses.create(instructions="""{text}""", input=input())\n'
    signals, _ = scan_worktree(worktree_of({"main.py": f"from openai import OpenAI\n{asked}"}))
    assert bool(signals["subliminal_prompts"]) is orders


LABELLING = """
from openai import OpenAI

notes = []
notes.append("SAID")
print(OpenAI().responses.create(input=input()), notes)
"""


@pytest.mark.parametrize(
    ("said", "label"), [("Generated by AI", True), ("This may be generated by AI", False)]
)
def test_what_may_be_made_by_a_machine_is_not_labelled(said: str, *, label: bool) -> None:
    assert shows("labelled_output", LABELLING.replace("SAID", said)) is label


SAFE = """
from cryptography.fernet import Fernet

KEY = Fernet.generate_key()


def lock(text):
    return Fernet(KEY).encrypt(text.encode())
"""
LOCKING = """
import json
import sys

from safe import lock

kept = json.load(open("kept.json"))

if __name__ == "__main__":
    print(lock(kept["FIELD"]), sys.argv)
"""


@pytest.mark.parametrize(("field", "protected"), [("diary", True), ("api_key", False)])
def test_keys_of_services_are_no_data_of_people(field: str, *, protected: bool) -> None:
    files = {"main.py": LOCKING.replace("FIELD", field), "safe.py": SAFE}
    signals, _ = scan_worktree(worktree_of(files))
    assert signals["encryption"]
    assert bool(signals.keep_held()["encryption"]) is protected


FIGURES = """
import joblib
from sklearn.metrics import accuracy_score


def tell(truth, answers):
    return accuracy_score(truth, answers)


def main(rows, truth):
    print(tell(truth, ANSWERS))


main([[1]], [1])
"""


@pytest.mark.parametrize(
    ("answers", "own"), [('joblib.load("model.bin").predict(rows)', True), ("rows", False)]
)
def test_a_figure_of_what_others_hand_in_measures_nothing_of_its_own(
    answers: str, *, own: bool
) -> None:
    assert shows("measured_answers", FIGURES.replace("ANSWERS", answers)) is own


GROUPED = """
import pandas


def tell(rows, speech):
    means = rows.groupby("BY").score.mean()
    return {"native_language": speech, "gap": means.iloc[0] - means.iloc[1]}


tell(pandas.read_csv("rows.csv"), "sv")
"""


@pytest.mark.parametrize(("by", "compares"), [("native_language", True), ("start", False)])
def test_groups_of_something_else_are_none_of_people(by: str, *, compares: bool) -> None:
    assert shows("compared_groups", GROUPED.replace("BY", by)) is compares


@pytest.mark.parametrize(
    ("name", "approves"),
    [("getApproval", True), ("requestApprovalOf", True), ("getConfirmationMessage", False)],
)
def test_a_message_is_no_confirmation(name: str, *, approves: bool) -> None:
    java = f"class Desk {{ String {name}() {{ return show(); }} }}\n"
    signals, _ = scan_worktree(worktree_of({"src/Desk.java": java}))
    assert bool(signals["human_approval"]) is approves


REMARKED = """
import json

import MODULE

MADE


@MARK
def feedback(text):
    with open("kept.jsonl", "a") as file:
        file.write(json.dumps({"feedback": text}))
"""


@pytest.mark.parametrize(
    ("module", "made", "mark", "more", "kept"),
    [
        ("fastapi", "app = fastapi.FastAPI()", "app.post('/feedback')", {"long": LONG}, True),
        ("click", "", "click.command('feedback')", {"long": LONG}, False),
        ("click", "", "click.command('feedback')", {}, True),
    ],
)
def test_in_a_large_program_a_command_hears_no_remarks(
    module: str, made: str, mark: str, more: dict[str, str], *, kept: bool
) -> None:
    text = REMARKED.replace("MODULE", module).replace("MADE", made).replace("MARK", mark)
    assert shows("feedback_kept", text, **more) is kept


LEFT_OUT = """
import pandas

rows = pandas.read_csv("rows.csv").to_dict("records")
kept = [row for row in rows CONDITION]
print(kept)
"""


@pytest.mark.parametrize(("condition", "gate"), [("if row['age'] > 17", True), ("", False)])
def test_data_that_is_left_out_is_not_used(condition: str, *, gate: bool) -> None:
    assert shows("data_gate", LEFT_OUT.replace("CONDITION", condition)) is gate
