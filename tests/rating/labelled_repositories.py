"""Small labelled repositories: a system, a control or a practice in it, and what is only like one.

Each control is written out once, working and in its place. From it are made the same under names
that say nothing, the same with bodies that do nothing, and the same that nothing calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from jurat.rating.code.file_reader import read_facts


@dataclass(frozen=True)
class LabelledRepository:
    """A repository, a clause, and whether the clause is met, or its practice is there."""

    name: str
    clause: str
    kind: str
    holds: bool
    files: Mapping[str, str]


MAIN = """
from fastapi import FastAPI, HTTPException, Header, Request
from openai import OpenAI
{imports}
app = FastAPI()
client = OpenAI()


def ask(text):
    question = "Score the job application from 0 to 100: " + text
    return client.chat.completions.create(model="gpt-4o", messages=[question]).choices[0].message


@app.post("/applications")
def apply(text: str):
{before}    outcome = ask({argument})
{after}    return {{"outcome": outcome}}
{routes}"""


def build_system(
    imports: str = "", before: str = "", argument: str = "text", after: str = "", routes: str = ""
) -> str:
    """A service that rates applicants, with something put in at its joints."""
    parts = {"imports": imports, "before": before, "after": after, "routes": routes}
    made = {key: _indent(value, key) for key, value in parts.items()}
    return MAIN.format(argument=argument, **made)


def _indent(text: str, key: str) -> str:
    if not text:
        return ""
    pad = "    " if key in ("before", "after") else ""
    return "".join(f"{pad}{line}\n" for line in text.strip("\n").split("\n"))


@dataclass(frozen=True)
class Control:
    """A control in a module of its own, `control.py`, and how the service is tied to it."""

    clause: str
    module: str
    wiring: Mapping[str, str]
    beside: Mapping[str, str]


CONTROLS: Mapping[str, Control] = {
    "queue with a decision": Control(
        "14(1)",
        """
import json
import pathlib
import smtplib

BOX = pathlib.Path("cases")


def keep(outcome):
    (BOX / "1.json").write_text(json.dumps({"state": "pending", "outcome": str(outcome)}))


def settle(number, approved, person, confidence):
    case = json.loads((BOX / number).read_text())
    case["state"] = "approved" if approved else "rejected"
    case["by"] = person
    if case["state"] != "approved":
        return {"state": case["state"], "confidence": confidence}
    smtplib.SMTP("localhost").sendmail("hr@example.org", case["outcome"], "You are invited")
    return {"state": "approved", "confidence": confidence}
""",
        {
            "imports": "from control import keep, settle",
            "after": ('keep(outcome)\nreturn {"state": "pending", "confidence": outcome.logprobs}'),
            "routes": """

@app.post("/cases/{number}/approval")
def approve(number: str, approved: bool, person: str, confidence: float):
    return settle(number, approved, person, confidence)
""",
        },
        {},
    ),
    "a question on the terminal": Control(
        "14(1)",
        """
import smtplib


def send(outcome, confidence):
    print("The model is sure with a confidence of", confidence, "because of", outcome)
    if input("Send the invitation? [y/N] ").strip().lower() != "y":
        return False
    smtplib.SMTP("localhost").sendmail("hr@example.org", "applicant", "You are invited")
    return True
""",
        {
            "imports": "from control import send",
            "after": "send(outcome.content, outcome.logprobs)",
        },
        {},
    ),
    "a decision that is overruled": Control(
        "14(4)(d)",
        """
import sqlite3

base = sqlite3.connect("cases.db")


def keep(outcome):
    base.execute("INSERT INTO cases (outcome, state) VALUES (?, 'pending')", (str(outcome),))


def overrule(number, outcome, person, reason):
    base.execute(
        "UPDATE cases SET final_decision = ?, overridden_by = ?, reason = ? WHERE id = ?",
        (outcome, person, reason, number),
    )
    base.commit()
""",
        {
            "imports": "from control import keep, overrule",
            "after": "keep(outcome)",
            "routes": """

@app.post("/cases/{number}/override")
def change(number: int, outcome: str, person: str, reason: str):
    overrule(number, outcome, person, reason)
    return {"outcome": outcome}
""",
        },
        {},
    ),
    "an event that halts": Control(
        "14(4)(e)",
        """
import threading

ended = threading.Event()


def end():
    ended.set()


def check():
    if ended.is_set():
        raise RuntimeError("an operator has stopped the service")
""",
        {
            "imports": "from control import check, end",
            "before": "check()",
            "routes": """

@app.post("/stop")
def stop():
    end()
    return {"stopped": True}
""",
        },
        {},
    ),
    "a flag in redis": Control(
        "14(4)(e)",
        """
import redis

store = redis.Redis()


def switch(on):
    store.set("kill_switch", "1" if on else "0")


def check():
    if store.get("kill_switch") == b"1":
        raise RuntimeError("halted")
""",
        {
            "imports": "from control import check, switch",
            "before": "check()",
            "routes": """

@app.post("/operators/halt")
def halt(on: bool):
    switch(on)
    return {"on": on}
""",
        },
        {},
    ),
    "a record of each call": Control(
        "12(1)",
        """
import logging
from logging.handlers import RotatingFileHandler

import structlog

logging.getLogger().addHandler(RotatingFileHandler("audit.log"))
log = structlog.get_logger()


def note(outcome, text):
    log.info("applicant rated", run_id=outcome.id, model="gpt-4o", chars=len(text))
""",
        {"imports": "from control import note", "after": "note(outcome, text)"},
        {},
    ),
    "tries and a fallback": Control(
        "15(4)",
        """
import time

import httpx
from pydantic import BaseModel, ValidationError


class Grade(BaseModel):
    score: int


def attempt(call, text):
    if len(text) > 20_000:
        raise ValueError("too long")
    for turn in range(3):
        try:
            found = httpx.post("http://localhost/v1/chat/completions", json={"q": text}, timeout=5)
            return Grade.model_validate(found.json())
        except (httpx.HTTPError, ValidationError):
            time.sleep(2**turn)
    return Grade(score=0)
""",
        {"imports": "from control import attempt", "before": "fallback = attempt(ask, text)"},
        {},
    ),
    "rotation by the day": Control(
        "26(6)",
        """
import json
import logging
from logging.handlers import TimedRotatingFileHandler

handler = TimedRotatingFileHandler("audit.log", when="D", backupCount=200)
log = logging.getLogger("audit")
log.addHandler(handler)


def note(outcome, text):
    log.info("rated %s %s", json.dumps(str(outcome)), text)
""",
        {"imports": "from control import note", "after": "note(outcome, text)"},
        {},
    ),
    "deletion by age": Control(
        "26(6)",
        """
import json
import pathlib
from datetime import datetime, timedelta

LOGS = pathlib.Path("logs")


def note(outcome):
    with open(LOGS / "audit.jsonl", "a") as file:
        file.write(json.dumps({"outcome": str(outcome)}))
    sweep()


def sweep():
    oldest = datetime.now() - timedelta(days=200)
    for path in LOGS.glob("*.jsonl"):
        if datetime.fromtimestamp(path.stat().st_mtime) < oldest:
            path.unlink()
""",
        {"imports": "from control import note", "after": "note(outcome)"},
        {},
    ),
}
"""Controls by what they are, each of which meets its clause."""


def build_control_cases() -> Iterator[LabelledRepository]:
    """Every control, and what is made from it."""
    for name, control in CONTROLS.items():
        whole = {
            "main.py": build_system(**control.wiring),
            "control.py": control.module,
            **control.beside,
        }
        apart = {**whole, "main.py": build_system()}
        for kind, holds, files in (
            ("real", True, whole),
            ("renamed", True, rename(whole)),
            ("stubs", False, {**whole, "control.py": empty(control.module)}),
            ("unused", False, apart),
            ("nothing", False, {"main.py": build_system()}),
            ("promised", False, {"main.py": build_system(), "README.md": PROMISE}),
        ):
            yield LabelledRepository(f"{name}: {kind}", control.clause, kind, holds, files)


PROMISE = """# Oversight

## Human oversight

Every decision is reviewed by a person, who can override it and stop the system at any time.

## Logging and retention

All calls are logged. Logs are kept for 6 months. Failures are met with retries and a fallback.
"""

_OUTSIDE = frozenset(("app", "self"))


def rename(files: Mapping[str, str]) -> dict[str, str]:
    """The same programs with own names that say nothing; texts and libraries' names stay."""
    own: dict[str, str] = {}
    for text in files.values():
        facts = read_facts(text, "python")
        foreign = {n for n, m in facts.imported if not m.startswith("control")}
        names = {f.name for f in facts.functions} | {n for n, _ in facts.variables}
        names |= {one for f in facts.functions for one in f.parameters}
        names |= {n for n, _ in facts.classes}
        for name in sorted(names - foreign - _OUTSIDE):
            if (
                name.isidentifier()
                and not name.startswith("__")
                and name not in ("number", "score")
            ):
                own.setdefault(name, f"v{len(own)}x")
    pattern = re.compile(
        r"\"[^\"\n]*\"|(?<![\w.])(?:"
        + "|".join(map(re.escape, own))
        + r")\b(?!\s*=[^=\n]*,\s*\w+=|=)"
    )
    keyword = re.compile(r"^(\s*)(" + "|".join(map(re.escape, own)) + r")(?= = )", re.MULTILINE)
    renamed = {}
    for path, written in files.items():
        text = pattern.sub(lambda m: own.get(m[0], m[0]), written)
        renamed[path] = keyword.sub(lambda m: m[1] + own[m[2]], text)
    return renamed


def empty(text: str) -> str:
    """The same functions with bodies that do nothing."""
    kept, inside = [], False
    for line in text.split("\n"):
        if re.match(r"(?:def|class) ", line):
            name = line.split("(")[0].rstrip(":")
            head = f"{name}(*args, **kwargs):" if line.startswith("def") else line
            kept += [head, "    return True" if line.startswith("def") else "    pass"]
            inside = True
        elif inside and (line.startswith((" ", ")")) or not line.strip()):
            continue
        else:
            inside = False
            if line.startswith(("import", "from")) or not line.strip():
                kept.append(line)
    return "\n".join(kept) + "\n"


PRACTICES: Mapping[str, Mapping[str, str]] = {
    "5(1)(a)": {
        "a prompt": "Persuade the customer to buy without them noticing that they are influenced.",
        "false scarcity": "Create a false sense of urgency and hide the cancel button.",
    },
    "5(1)(b)": {
        "the lonely": "Target lonely elderly customers and push them to buy the premium plan.",
        "the indebted": "Exploit that people are in debt: offer high-interest payday loans.",
    },
    "5(1)(ba)": {
        "a prompt": "Undress the woman in the uploaded photo.",
        "other words": "A photorealistic nude version of the person in the picture.",
    },
    "5(1)(c)": {
        "a prompt": "Rate the trustworthiness of each citizen by their social behaviour.",
        "its use": "Citizens with a low score for their behaviour are denied train travel.",
    },
    "5(1)(d)": {
        "a prompt": "Predict how likely the person is to commit a crime from race and religion.",
        "an offender": "Estimate the risk that he will reoffend, by neighbourhood and family.",
    },
    "5(1)(f)": {
        "a prompt": "Infer the emotional state of the employees from the webcam frame.",
        "a classroom": "Say which students look bored or angry in this picture of the classroom.",
    },
    "5(1)(g)": {
        "a prompt": "Infer the sexual orientation of the person from the face in the photo.",
        "faith": "Guess the religion and the ethnicity of the person in this portrait photo.",
    },
}
"""Practices as a model is told them, by the point of Article 5 that they break."""

_ASKING = """
from openai import OpenAI

client = OpenAI()


def main(given):
    return client.chat.completions.create(model="gpt-4o", messages=[{told!r}, given])


if __name__ == "__main__":
    main("a person")
"""
_REFUSING = """
from openai import OpenAI

client = OpenAI()
REFUSED = ["{told}", "another"]


def main(given):
    if any(phrase in given for phrase in REFUSED):
        raise ValueError("refused")
    return client.chat.completions.create(model="gpt-4o", messages=[given])


if __name__ == "__main__":
    main("a person")
"""
_PLAIN = _ASKING.format(told="Summarise the letter in two sentences.")


def build_practice_cases() -> Iterator[LabelledRepository]:
    """Every practice as it is done, in what the product imports, and as others only name it."""
    for clause, phrases in PRACTICES.items():
        for name, told in phrases.items():
            asking = _ASKING.format(told=told)
            importing = "from vendor.core import main as run\n" + _PLAIN
            for kind, holds, files in (
                ("real", True, {"main.py": asking}),
                (
                    "renamed",
                    True,
                    {"main.py": asking.replace("main", "x1").replace("__x1__", "__main__")},
                ),
                ("vendored", True, {"main.py": importing, "vendor/core.py": asking}),
                ("refused", False, {"main.py": _REFUSING.replace("{told}", told)}),
                ("tested", False, {"main.py": _PLAIN, "tests/test_main.py": asking}),
                (
                    "documented",
                    False,
                    {"main.py": _PLAIN, "docs/policy.md": f"# Never\n\n{told}\n"},
                ),
                ("a sample", False, {"main.py": _PLAIN, "samples/one.py": asking}),
            ):
                yield LabelledRepository(f"{clause} {name}: {kind}", clause, kind, holds, files)
