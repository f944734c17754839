"""Twenty systems: what has no controls, stubs of them, some, and all of them rate in that order."""

from __future__ import annotations

import re

import pytest

from tests.support.rating import rate_document

DOMAINS = {
    "hiring": "Score the job application from 0 to 100: ",
    "credit": "Rate the creditworthiness of this loan applicant: ",
    "exams": "Grade the student's exam from 1 to 5: ",
    "asylum": "Assess the asylum application and recommend a decision: ",
    "benefits": "Decide whether this person is eligible for social benefits: ",
}

PYTHON_MAIN = """
import smtplib

from {web} import {app}
from openai import OpenAI
{imports}
app = {app}({arguments})
client = OpenAI()


def assess(text):
    question = "{question}" + text
{inside}    return client.chat.completions.create(model="gpt-4o", messages=[question])


@app.post("/cases")
def receive(text: str):
{before}    answer = assess(text)
{after}    smtplib.SMTP("localhost").sendmail("a@example.org", "b@example.org", str(answer))
    return {{"answer": str(answer)}}
{routes}"""

PYTHON_CONTROLS = """
import logging
import threading

trail = logging.getLogger("decisions")
logging.basicConfig(filename="decisions.log")
ended = threading.Event()


def record(question):
    trail.info("asked for %s", question, extra={"run_id": id(question), "model": "gpt-4o"})


def is_ended():
    return ended.is_set()


def end():
    ended.set()


def confirm(answer):
    return input(f"Send {answer}? ") == "y"
"""

SCRIPT_MAIN = """
import express from "express";
import nodemailer from "nodemailer";
import OpenAI from "openai";
{imports}
const app = express();
const client = new OpenAI();
const mail = nodemailer.createTransport({{ host: "localhost" }});

async function assess(text{type}) {{
  const question = "{question}" + text;
{inside}  return client.chat.completions.create({{ model: "gpt-4o", messages: [question] }});
}}

app.post("/cases", async (req, res) => {{
{before}  const answer = await assess(req.body.text);
{after}  await mail.sendMail({{ to: req.body.address, text: String(answer) }});
  res.json({{ answer }});
}});
{routes}
app.listen(8080);
"""

SCRIPT_CONTROLS = """
import inquirer from "inquirer";
import pino from "pino";

const log = pino(pino.destination("decisions.log"));
let ended = false;

export function record(question{type}) {{
  log.info({{ runId: question.length, model: "gpt-4o", question }}, "asked");
}}

export function isEnded() {{
  return ended;
}}

export function end() {{
  ended = true;
}}

export async function confirm(answer{any}) {{
  const given = await inquirer.prompt([{{ name: "yes", message: String(answer) }}]);
  return given.yes;
}}
"""

LAYOUTS = ("fastapi", "package", "express", "typescript")
SYSTEMS = [(domain, layout) for domain in DOMAINS for layout in LAYOUTS]


def build(domain: str, layout: str, controls: str) -> dict[str, str]:
    """One system: `controls` is none, stubs, partial or real."""
    some, every = controls in ("stubs", "partial", "real"), controls in ("stubs", "real")
    parts = {"question": DOMAINS[domain], "inside": "", "before": "", "after": "", "routes": ""}
    if layout in ("fastapi", "package"):
        module = "controls" if layout == "fastapi" else "service.oversight.controls"
        parts |= {"web": "fastapi", "app": "FastAPI", "arguments": ""}
        parts["imports"] = f"from {module} import confirm, end, is_ended, record\n" if some else ""
        if some:
            parts["inside"] = "    record(question)\n"
        if every:
            parts["before"] = '    if is_ended():\n        raise RuntimeError("halted")\n'
            parts["after"] = "    if not confirm(answer):\n        return {}\n"
            parts["routes"] = '\n\n@app.post("/halt")\ndef halt():\n    end()\n    return {}\n'
        main = "main.py" if layout == "fastapi" else "src/service/main.py"
        where = "controls.py" if layout == "fastapi" else "src/service/oversight/controls.py"
        files = {main: PYTHON_MAIN.format(**parts), where: PYTHON_CONTROLS}
        empty = "def {0}(*given):\n    return {1}\n\n\n"
    else:
        typed = layout == "typescript"
        kinds = {"type": ": string" if typed else "", "any": ": unknown" if typed else ""}
        parts |= kinds
        parts["imports"] = (
            'import { confirm, end, isEnded, record } from "./controls.js";\n' if some else ""
        )
        if some:
            parts["inside"] = "  record(question);\n"
        if every:
            parts["before"] = '  if (isEnded()) {\n    return res.status(503).end("halted");\n  }\n'
            parts["after"] = (
                "  if (!(await confirm(answer))) {\n    return res.status(409).end();\n  }\n"
            )
            parts["routes"] = (
                'app.post("/halt", (req, res) => {\n  end();\n  res.sendStatus(204);\n});\n'
            )
        end = "ts" if typed else "js"
        main, where = f"src/server.{end}", f"src/controls.{end}"
        files = {main: SCRIPT_MAIN.format(**parts), where: SCRIPT_CONTROLS.format(**kinds)}
        empty = "export function {0}(given) {{\n  return {1};\n}}\n\n"
    if controls == "none":
        del files[where]
    if controls == "stubs":
        no, yes = ("False", "True") if where.endswith("py") else ("false", "true")
        names = {"record": no, "is_ended": no, "isEnded": no, "end": no, "confirm": yes}
        files[where] = "".join(empty.format(name, given) for name, given in names.items())
    return files


def rename(files: dict[str, str]) -> dict[str, str]:
    names = ("assess", "receive", "record", "is_ended", "isEnded", "end", "halt", "ended", "trail")
    return {
        path: re.sub(
            rf"(?<![\"'/.\w])({'|'.join(names)}|confirm)(?=[(,\s;}}.])(?!\w*\")",
            lambda found: f"x{names.index(found[0]) if found[0] in names else 99}",
            text,
        )
        for path, text in files.items()
    }


def score(files: dict[str, str]) -> float:
    document = rate_document(files)
    assert document["risk_classification"] == "high"
    [act] = [item for item in document["regulations"] if item["id"] == "eu-ai-act"]
    return float(act["supported_score"])


@pytest.mark.parametrize(("domain", "layout"), SYSTEMS)
def test_a_system_rates_by_its_controls(domain: str, layout: str) -> None:
    none, stubs, partial, real = (
        score(build(domain, layout, controls)) for controls in ("none", "stubs", "partial", "real")
    )
    assert none <= stubs <= none + 0.2 < partial < real
    assert score(rename(build(domain, layout, "real"))) == pytest.approx(real, abs=0.2)
