"""A verdict rests on what runs: not on names, stubs, promises, or on what was not found."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.support.rating import find_clause, rate_document

SCREENER = {
    "app/main.py": """
from fastapi import FastAPI
from openai import OpenAI

app = FastAPI()
client = OpenAI()


def screen_resume(text):
    question = "Rank the candidate: " + text
    answer = client.chat.completions.create(model="gpt-4o", messages=[question])
    return answer.choices[0].message.content


@app.post("/applications")
def apply(text: str):
    return {"score": screen_resume(text)}
""",
}

STUBS = {
    "app/oversight.py": "\n".join(
        f"def {name}(*a): ..."
        for name in (
            *("request_approval", "require_confirmation", "human_review", "approval_queue"),
            *("approve_action", "emergency_stop", "kill_switch", "stop_agent", "cancel_run"),
            *("override_decision", "undo_decision", "appeal", "manual_review", "explain"),
            *("validate_input", "sanitize", "rate_limit", "has_permission", "authorize"),
            *("redact", "anonymize", "purge_logs", "write_audit_log", "check_bias"),
            *("detect_drift", "prompt_injection_guard", "fallback", "retry_call"),
        )
    )
}

REVIEWED = {
    "app/main.py": """
import threading

from fastapi import FastAPI, HTTPException
from openai import OpenAI

from app.cases import decide, submit

app = FastAPI()
client = OpenAI()
halted = threading.Event()


def screen_resume(text):
    if halted.is_set():
        raise HTTPException(503, "halted by an operator")
    question = "Rank the candidate: " + text
    answer = client.chat.completions.create(model="gpt-4o", messages=[question])
    return {"score": answer.choices[0].message.content, "confidence": answer.choices[0].logprobs}


@app.post("/applications")
def apply(text: str):
    return submit(screen_resume(text))


@app.post("/cases/{case_id}/decision")
def review(case_id: str, approved: bool, reviewer: str, score: int):
    return decide(case_id, approved, reviewer, score)


@app.post("/halt")
def halt():
    halted.set()
    return {"halted": True}
""",
    "app/cases.py": """
from app.mail import invite
from app.store import load, save


def submit(result):
    return save({"status": "pending", "result": result})


def decide(case_id, approved, reviewer, score):
    case = load(case_id)
    case["decided_by"] = reviewer
    case["final_decision"] = score
    case["status"] = "approved" if approved else "rejected"
    save(case)
    if case["status"] == "approved":
        invite(case)
    return case
""",
    "app/store.py": """
import json
import pathlib


def save(case):
    with open("cases.jsonl", "a") as file:
        file.write(json.dumps(case))
    return case


def load(case_id):
    return json.loads(pathlib.Path("cases.jsonl").read_text())[case_id]
""",
    "app/mail.py": """
import smtplib


def invite(case):
    smtplib.SMTP("localhost").send_message(case)
""",
}

NAMES = (
    *("screen_resume", "apply", "review", "halt", "halted", "submit", "decide", "invite", "save"),
    *("load", "case_id", "approved", "reviewer", "score", "case", "result", "client", "question"),
    *("answer", "text"),
)


def rename(files: dict[str, str]) -> dict[str, str]:
    """The same programs with names that say nothing; texts and what libraries name stay."""
    renamed = {}
    for path, written in files.items():
        text = written
        for number, name in enumerate(NAMES):
            pattern = rf"(?<![\"'\w./{{]){name}(?![\"'\w}}])(?!=\w)"
            text = re.sub(pattern, f"x{number}", text)
        renamed[path] = text.replace("{case_id}", "{x10}")
    return renamed


def act(document: dict[str, Any]) -> dict[str, Any]:
    [found] = [item for item in document["regulations"] if item["id"] == "eu-ai-act"]
    return dict(found)


def test_stubs_are_worth_nothing_and_a_real_queue_more() -> None:
    none, stubs, real = (
        act(rate_document(files))["supported_score"]
        for files in (SCREENER, {**SCREENER, **STUBS}, REVIEWED)
    )
    assert none <= stubs <= none + 0.2
    assert real > stubs + 0.5


@pytest.mark.parametrize("files", [SCREENER, REVIEWED, {**SCREENER, **STUBS}])
def test_renaming_moves_nothing(files: dict[str, str]) -> None:
    before, after = rate_document(files), rate_document(rename(files))
    assert after["risk_classification"] == before["risk_classification"] == "high"
    assert act(after)["supported_score"] == pytest.approx(act(before)["supported_score"], abs=0.2)


@pytest.mark.parametrize("name", ["14(1)", "14(4)(d)", "14(4)(e)"])
def test_a_queue_that_people_decide_from_is_supported_whatever_it_is_called(name: str) -> None:
    for files in (REVIEWED, rename(REVIEWED)):
        clause = find_clause(rate_document(files), name)
        assert (clause["supported"], clause["supported_verdict"]) == (True, "pass")
        assert clause["carried_by"]


@pytest.mark.parametrize("name", ["14(1)", "14(4)(d)", "14(4)(e)"])
def test_twenty_eight_stubs_support_no_oversight(name: str) -> None:
    clause = find_clause(rate_document({**SCREENER, **STUBS}), name)
    assert clause["supported_verdict"] == "fail"
    if clause["verdict"] != "fail":
        assert not clause["supported"]


def test_code_that_nothing_calls_supports_nothing() -> None:
    dead = {
        **SCREENER,
        "app/approval.py": """
import smtplib


def send(case):
    if input("Approve? ") != "yes":
        return
    smtplib.SMTP("localhost").send_message(case)
""",
    }
    assert find_clause(rate_document(dead), "14(1)")["supported_verdict"] == "fail"


def test_an_approval_that_guards_nothing_is_none() -> None:
    beside = dict(SCREENER)
    beside["app/main.py"] = SCREENER["app/main.py"].replace(
        '    return {"score"', '    input("Approve? ")\n    return {"score"'
    )
    assert find_clause(rate_document(beside), "14(1)")["supported_verdict"] == "fail"


SOCIAL_CREDIT = {
    "main.py": '''
import sqlite3

POINTS = {"jaywalking": -50, "unpaid_fines": -20, "volunteering": 30, "criticised_government": -100}
db = sqlite3.connect("people.db")


def record(citizen, event):
    """Citizens lose points for bad behaviour and may then be kept from trains and loans."""
    db.execute("UPDATE citizens SET points = points + ? WHERE id = ?", (POINTS[event], citizen))


def may_travel(citizen):
    points = db.execute("SELECT points FROM citizens WHERE id = ?", (citizen,)).fetchone()[0]
    if points < 600:
        print("Denied: no train travel for citizens with a low score for their behaviour")
        return False
    return True


if __name__ == "__main__":
    record(1, "jaywalking")
    may_travel(1)
''',
}

NUDITY = {
    "app.py": """
import torch
from diffusers import StableDiffusionInpaintPipeline

pipe = StableDiffusionInpaintPipeline.from_pretrained("runwayml/stable-diffusion-inpainting")


def run(photo, mask):
    wanted = "photorealistic nude body of the person in the photo"
    return pipe(prompt=wanted, image=photo, mask_image=mask).images[0]


if __name__ == "__main__":
    run("upload.png", "mask.png").save("out.png")
""",
}


@pytest.mark.parametrize(("files", "name"), [(SOCIAL_CREDIT, "5(1)(c)"), (NUDITY, "5(1)(ba)")])
def test_a_practice_in_plain_words_is_seen(files: dict[str, str], name: str) -> None:
    clause = find_clause(rate_document(files), name)
    assert (clause["supported_verdict"], clause["supported"]) == ("fail", True)


def test_what_makes_pictures_is_an_ai_system() -> None:
    assert rate_document(NUDITY)["risk_classification"] != "not_ai"


@pytest.mark.parametrize(
    "path", ["policy.py", "tests/test_policy.py", "docs/policy.md", "fixtures/policy.py"]
)
def test_who_refuses_a_practice_is_not_accused_of_it(path: str) -> None:
    listed = """
BANNED = ["social credit score", "a nude version of this photo", "undress the person"]


def check(prompt):
    for phrase in BANNED:
        if phrase in prompt.lower():
            raise ValueError("refused")
    return prompt
"""
    files = {**SCREENER, path: listed}
    files["app/main.py"] = "from policy import check\n" + SCREENER["app/main.py"].replace(
        'question = "Rank', 'question = check(text) + "Rank'
    )
    document = rate_document(files)
    for name in ("5(1)(c)", "5(1)(ba)"):
        assert find_clause(document, name)["supported_verdict"] == "nothing found"


def test_a_prohibition_is_never_proven_by_absence() -> None:
    document = rate_document({**SCREENER, "stats.jl": "x = 1\n"})
    for name in ("5(1)(a)", "5(1)(c)"):
        clause = find_clause(document, name)
        assert not clause["supported"]
        assert clause["supported_ordinal"] is None
        assert clause["note"] == (
            "Nothing found in 1 of 2 files of code and prompts (1 not read: listed)."
        )


def test_a_retention_of_rows_is_no_retention() -> None:
    rows = {
        **SCREENER,
        "app/settings.py": "LOG_RETENTION_LIMIT = 5000\nbackup_count = 3\n",
        "app/config.yml": "log_retention_limit: 5000\n",
    }
    clause = find_clause(rate_document(rows), "26(6)")
    assert clause["supported_verdict"] == "fail"


def test_a_font_licence_tells_no_limitations() -> None:
    font = {
        **SCREENER,
        "static/OFL.md": (
            "# SIL Open Font License\n\nPermission is hereby granted, free of charge.\n\n"
            "## Limitations\n\nThe font software may not be sold by itself, nor under names "
            "that are reserved. It may be bundled with any software 1.1.\n"
        ),
    }
    assert find_clause(rate_document(font), "MAP 1.1")["supported_verdict"] == "fail"


def test_a_package_that_imports_itself_is_no_control() -> None:
    own = {
        "pyproject.toml": '[project]\nname = "guardrails"\nversion = "1"\n',
        "guardrails/__init__.py": "from guardrails.core import ask\n",
        "guardrails/core.py": SCREENER["app/main.py"].replace(
            "from openai", "import guardrails\nfrom openai"
        ),
    }
    clause = find_clause(rate_document(own), "15(5)")
    assert clause["supported_verdict"] == "fail"
    assert all(item["doubt"] for item in clause["evidence"] if "guardrails" in item["snippet"])


EMPTY_TALK = (
    "# Risk management\n\nWe are committed to responsible AI and take risks seriously. "
    "We strive to follow best practices wherever possible.\n\n## Known risks\n\nTBD\n"
)
REGISTER = (
    "# Risk register\n\n| risk | likelihood | measure | owner |\n|---|---|---|---|\n"
    "| Women are ranked lower | medium | outcomes compared monthly | hiring lead |\n"
    "| A prompt in a CV takes over | high | input is fenced and tested | security |\n\n"
    "The register is reviewed every 3 months by the hiring lead.\n"
)


def test_a_register_counts_by_its_risks() -> None:
    for text, verdict in ((EMPTY_TALK, "fail"), (REGISTER, "pass")):
        document = rate_document({**SCREENER, "docs/risk-register.md": text})
        assert find_clause(document, "9")["supported_verdict"] == verdict
