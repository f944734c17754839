"""The GDPR binds whoever handles personal data, with a model or without."""

from __future__ import annotations

import pytest

from jurat.rating.first_look import FEW
from jurat.rating.signals.recon_table import load_recon_table
from jurat.rating.texts.terms import list_terms
from tests.rating.test_first_look import FIRST_LOOK, rate
from tests.support.rating import rate_document

KEEPS = """
import sqlite3
from flask import Flask, request

app = Flask(__name__)
db = sqlite3.connect("shop.db")


@app.post("/{route}")
def add():
    db.execute("INSERT INTO {table} ({columns}) VALUES (?, ?)", tuple(request.json.values()))
    db.commit()
    return "", 201


@app.delete("/{route}/<int:number>")
def remove(number):
    db.execute("DELETE FROM {table} WHERE number = ?", (number,))
    db.commit()
    return "", 204
"""
BOLTS = {"route": "bolts", "table": "bolt", "columns": "number, length"}
PEOPLE = (
    {"route": "customers", "table": "customer", "columns": "number, note"},
    {"route": "kunden", "table": "kunde", "columns": "number, notiz"},
    {"route": "habitants", "table": "habitant", "columns": "number, remarque"},
    {"route": "x", "table": "x", "columns": "nazwisko, telefon"},
    {"route": "x", "table": "x", "columns": "apellidos, correo_electronico"},
)
DECIDES = """
import sqlite3

db = sqlite3.connect("hr.db")


def screen_applicant(first_name, email, salary, interview):
    decision = "reject" if interview < 3 else "shortlist"
    db.execute(
        "INSERT INTO applicant (first_name, email, decision) VALUES (?, ?, ?)",
        (first_name, email, decision),
    )
    return {"applicant": email, "vacancy": "clerk", "decision": decision}


print(screen_applicant("Ada", "ada@x.example", 1, 2))
"""


def list_applying(files: dict[str, str], regulation: str = "gdpr") -> set[str]:
    parts = {part["id"]: part["clauses"] for part in rate_document(files)["regulations"]}
    return {item["id"] for item in parts[regulation] if item["in_scope"]}


@pytest.mark.parametrize("kept", PEOPLE)
def test_whoever_keeps_data_about_people_is_bound(kept: dict[str, str]) -> None:
    files = {"app.py": KEEPS.format(**kept)}
    assert rate_document(files)["risk_classification"] == "not_ai"
    # No decision is seen, and no high risk to anybody.
    assert list_applying(files) == {"5", "13", "17", "25", "30", "32"}
    assert not {one for one in list_applying(files, "eu-ai-act") if not one.startswith("5(1)")}
    assert not list_applying(files, "nist-ai-rmf")


def test_of_things_nobody_is_bound() -> None:
    assert not list_applying({"app.py": KEEPS.format(**BOLTS)})


def test_a_decision_about_people_needs_an_assessment_and_a_person_with_no_model_too() -> None:
    files = {"app.py": DECIDES}
    assert rate_document(files)["risk_classification"] == "not_ai"
    assert {"22", "35"} <= list_applying(files)


@pytest.mark.parametrize("kept", [*PEOPLE, BOLTS])
def test_a_first_look_passes_over_no_data_about_people(kept: dict[str, str]) -> None:
    files = {f"app/m{number}.py": f"x = {number}\n" for number in range(2 * FEW)}
    files |= {"app/main.py": KEEPS.format(**kept)}
    assert rate(files, FIRST_LOOK) == rate(files, None)


def test_every_field_that_tells_who_somebody_is_leads_to_a_full_look() -> None:
    (source,) = (one for one in load_recon_table().signals if one.name == "personal_data")
    looked = {name for probe in source.probes for name in probe.names}
    assert {word for word in list_terms("personal_field") if word.isascii()} <= looked


@pytest.mark.parametrize(("table", "held"), [("customer", True), ("report", False)])
def test_in_a_large_program_without_a_model_what_is_erased_is_said_to_be_of_people(
    table: str, *, held: bool
) -> None:
    keeps = KEEPS.format(route="x", table="customer", columns="number, note")
    files = {f"app/m{number}.py": "x = 1\n" * 400 for number in range(60)}
    files["app/main.py"] = keeps.replace("DELETE FROM customer", f"DELETE FROM {table}")
    (gdpr,) = (one for one in rate_document(files)["regulations"] if one["id"] == "gdpr")
    (erasure,) = (one for one in gdpr["clauses"] if one["id"] == "17")
    assert erasure["in_scope"]
    assert (erasure["supported_verdict"] == "partial") is held


RULES = """
import logging
import sqlite3
import time
from flask import Flask, jsonify, request

app = Flask(__name__)
db = sqlite3.connect("points.db", check_same_thread=False)
POINTS = {{"late": -20, "helped": 25}}


def weigh(kind, days):
    return POINTS.get(kind, 0) * days


@app.post("/marks")
def mark():
    said = request.get_json()
    found = weigh(said["kind"], said["days"])
    {kept}
    return jsonify(found=found)
"""
RECORDED = """db.execute("INSERT INTO trace (at, who, asked, found) VALUES (?, ?, ?, ?)", (
        time.time(), said["who"], said["kind"], found))
    db.commit()"""
LOGGED = 'logging.getLogger("marks").info("%s %s", said["who"], found)'
"""Half of what is asked for: nothing says that it outlives the process."""


def show_records(files: dict[str, str]) -> str:
    rated = rate_document(files)
    assert rated["risk_classification"] == "not_ai"
    (act,) = (one for one in rated["regulations"] if one["id"] == "eu-ai-act")
    (records,) = (one for one in act["clauses"] if one["id"] == "12(1)")
    assert not records["in_scope"]
    verdict: str = records["supported_verdict"]
    return verdict


@pytest.mark.parametrize(("kept", "told"), [(RECORDED, "pass"), (LOGGED, "n/a"), ("pass", "n/a")])
def test_what_decides_by_rules_is_told_to_keep_records_although_none_are_asked_for(
    kept: str, told: str
) -> None:
    assert show_records({"app.py": RULES.format(kept=kept)}) == told


def test_of_a_large_program_without_a_model_nothing_is_told_that_nobody_asks_for() -> None:
    files = {f"app/m{number}.py": "x = 1\n" * 400 for number in range(30)}
    assert show_records(files | {"app/main.py": RULES.format(kept=RECORDED)}) == "n/a"
