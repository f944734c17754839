"""What a verdict rests on is attacked first: stubs, other names, no file, no comment."""

from __future__ import annotations

import gc
from typing import Any

import pytest

from jurat.rating.attack import replace_names
from jurat.rating.behaviours.every_behaviour import list_behaviours
from jurat.rating.code.file_reader import read_facts
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.reach import Program
from tests.rating.test_support import REGISTER, REVIEWED, SCREENER
from tests.support.rating import find_clause, rate_document

PYTHON = {
    "app/main.py": """
import smtplib

from fastapi import FastAPI
from openai import OpenAI

from app.oversight import confirm

app = FastAPI()
client = OpenAI()


@app.post("/applications")
def apply(text: str):
    question = "Rank the candidate: " + text
    answer = client.chat.completions.create(model="gpt-4o", messages=[question])
    if not confirm("Send?"):
        return None
    smtplib.SMTP("localhost").sendmail("hr@example.org", text, str(answer))
    return {"confidence": answer.choices[0].logprobs}
""",
    "app/oversight.py": 'def confirm(question):\n    return input(question) == "y"\n',
}

JAVASCRIPT = {
    "server.js": """
import express from "express";
import OpenAI from "openai";
import nodemailer from "nodemailer";
import { confirm } from "./oversight.js";

const app = express();
const client = new OpenAI();
const mail = nodemailer.createTransport({ host: "localhost" });

app.post("/applications", async (req, res) => {
  const question = "Rank the candidate: " + req.body.text;
  const answer = await client.chat.completions.create({ model: "gpt-4o", messages: [question] });
  if (!(await confirm("Send?"))) {
    return res.status(409).end();
  }
  await mail.sendMail({ to: req.body.address, text: String(answer) });
  res.json({ confidence: answer.choices[0].logprobs });
});

app.listen(8080);
""",
    "oversight.js": """
import inquirer from "inquirer";

export async function confirm(question) {
  const given = await inquirer.prompt([{ type: "confirm", name: "yes", message: question }]);
  return given.yes;
}
""",
}

TYPESCRIPT = {
    "server.ts": JAVASCRIPT["server.js"].replace("(req, res)", "(req: Request, res: Response)"),
    "oversight.ts": JAVASCRIPT["oversight.js"].replace("(question)", "(question: string)"),
}

STUB = {
    "app/oversight.py": "def confirm(question):\n    return True\n",
    "oversight.js": "export async function confirm(question) {\n  return true;\n}\n",
    "oversight.ts": "export async function confirm(question: string) {\n  return true;\n}\n",
}

SYSTEMS = pytest.mark.parametrize("files", [PYTHON, JAVASCRIPT, TYPESCRIPT])


def stub(files: dict[str, str]) -> dict[str, str]:
    return {path: STUB.get(path, text) for path, text in files.items()}


def approval(files: dict[str, str]) -> dict[str, Any]:
    return find_clause(rate_document(files), "14(1)")


@SYSTEMS
def test_a_stub_by_the_name_of_a_control_is_none(files: dict[str, str]) -> None:
    assert approval(files)["supported_verdict"] == "pass"
    assert approval(stub(files))["supported_verdict"] == "fail"


@SYSTEMS
def test_another_name_moves_nothing(files: dict[str, str]) -> None:
    renamed = {path: text.replace("confirm(", "x1(").replace("confirm }", "x1 }").replace(
        "import confirm", "import x1") for path, text in files.items()}  # fmt: skip
    assert approval(renamed)["supported_verdict"] == "pass"
    assert approval(stub(renamed))["supported_verdict"] == "fail"


@SYSTEMS
def test_the_control_itself_carries_the_verdict(files: dict[str, str]) -> None:
    clause = approval(files)
    places = {(item["path"], item["line"]) for item in clause["carried_by"]}
    [path] = [path for path in files if "oversight" in path]
    line = 1 + files[path].split("confirm(")[0].count("\n")
    assert (path, line) in places


@pytest.mark.parametrize("behaviour", ["halt", "approval_gate", "overruling", "explained_output"])
def test_a_program_under_other_names_does_the_same(behaviour: str) -> None:
    facts = {path: read_facts(text, "python") for path, text in REVIEWED.items()}
    program = Program(facts)
    renamed = replace_names(program)
    names = {f.name for one in renamed.files.values() for f in one.functions}
    assert not names & {"screen_resume", "review", "halt", "submit", "decide", "confirm"}
    tell = list_behaviours()[behaviour]
    before, after = list(tell(Conduct(program))), list(tell(Conduct(renamed)))
    assert before
    assert before == after


METHOD = {
    **PYTHON,
    "app/main.py": PYTHON["app/main.py"]
    .replace("import confirm", "import make_desk")
    .replace("confirm(", "make_desk(client).confirm("),
    "app/oversight.py": """
class Desk:
    def confirm(self, question):
        return True


class Board:
    def confirm(self, question):
        return True


def make_desk(client):
    return {True: Desk, False: Board}[client is None]()
""",
}


def test_a_verdict_that_moves_with_a_name_is_not_supported() -> None:
    clause = approval(METHOD)
    assert clause["supported_verdict"] == "fail"
    assert all(item["doubt"] for item in clause["evidence"] if item["line"] == 17)


def test_no_verdict_stands_where_every_cited_file_is_gone() -> None:
    document = rate_document(SCREENER)
    clauses = [clause for item in document["regulations"] for clause in item["clauses"]]
    by_absence = [
        clause for clause in clauses if any(rule["score"] for rule in clause["rules"])
        and clause["polarity"] == "positive" and not clause["evidence"]
    ]  # fmt: skip
    assert by_absence  # a rule may score for what is not there
    assert [clause["supported_ordinal"] for clause in by_absence] == [0] * len(by_absence)


def test_what_stands_in_a_comment_is_no_evidence() -> None:
    hidden = "# Risk register\n\n<!--\n" + REGISTER.partition("\n\n")[2] + "-->\n"
    document = rate_document({**SCREENER, "docs/risk-register.md": hidden})
    assert find_clause(document, "9")["supported_verdict"] == "fail"
    for text, held in (
        ("log_retention_days: 180\n", True),
        ("log_level: info  # log_retention_days: 180\n", False),
    ):
        clause = find_clause(rate_document({**SCREENER, "deploy/loki.yml": text}), "26(6)")
        assert any(not item["doubt"] for item in clause["evidence"]) is held


def test_nothing_is_left_for_a_collector_which_a_rating_does_without() -> None:
    text = PYTHON["app/main.py"] + "\n".join(f"N{n} = {n}\nT{n} = 'a\\n{n}'" for n in range(200))
    gc.collect()
    gc.disable()
    try:
        replace_names(Program({"app/main.py": read_facts(text, "python")}))
        left = gc.collect()
    finally:
        gc.enable()
    assert left < 100  # of each number there were ten, and all facts of the program
