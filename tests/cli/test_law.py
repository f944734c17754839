"""`jurat rules law`, and `jurat rate` as of a day and for a role."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.command import Run

HIRING = Path(__file__).parents[2] / "fixtures" / "repos" / "hiring_scorer"


def test_it_lists_versions_sources_dates_and_whom_each_clause_binds(run: Run) -> None:
    ran = run("rules", "law", "--on", "2026-11-23")
    assert (ran.code, ran.err) == (0, "")
    assert "EU AI Act (eu-ai-act): Regulation (EU) 2024/1689, amended by Reg" in ran.out
    assert "  Regulation (EU) 2026/1744, in force since 27 July 2026\n" in ran.out
    assert "from 2 December 2027 (annex-iii), from 2 August 2028 (annex-i); binds provider\n" in (
        ran.out
    )
    assert "  Last checked on 23 November 2026.\n  Not checked: " in ran.out


def test_a_pack_that_was_not_checked_for_120_days_is_warned_of(run: Run) -> None:
    assert run("rules", "law", "--on", "2027-03-23").err == ""
    ran = run("rules", "law", "--on", "2027-03-24")
    assert ran.code == 0
    assert (
        "jurat: GDPR was last checked 121 days ago: see whether the law has changed.\n" in ran.err
    )
    assert "Regulation (EU) 2026/1744 was last checked 121 days ago" in ran.err


def test_the_json_holds_the_same(run: Run) -> None:
    act = json.loads(run("rules", "law", "--on", "2026-11-23", "--format", "json").out)[0]
    assert act["id"] == "eu-ai-act"
    assert [item["id"] for item in act["amendments"]] == ["eu-2026-1744"]
    (clause,) = (item for item in act["clauses"] if item["id"] == "27")
    assert clause["applies"][0]["since"] == "2027-12-02"
    assert clause["binds"] == ["deployer"]


def test_a_rating_is_of_a_day(run: Run) -> None:
    today = run("rate", HIRING, "--regulation", "eu-ai-act", "--on", "2026-11-23").out
    assert "The law as it applies on 23 November 2026" in today
    assert "Soon, from 2 December 2026, in 9 days: Art. 5(1)(ba), Art. 5(1)(bb).\n" in today
    assert "n/a           Art. 14(1)  Human oversight  (from 2 December 2027)\n" in today
    then = run("rate", HIRING, "--regulation", "eu-ai-act", "--on", "2027-12-02").out
    assert "fail          Art. 14(1)" in then


def test_a_rating_is_of_a_role(run: Run) -> None:
    args = ("--regulation", "eu-ai-act", "--on", "2027-12-02", "--format", "json")
    document = json.loads(run("rate", HIRING, *args, "--role", "deployer").out)
    (act,) = document["regulations"]
    notes = {clause["id"]: clause["note"] for clause in act["clauses"]}
    assert notes["14(1)"] == "Binds the provider."
    assert notes["26(6)"] == ""


def test_a_day_that_is_none_is_refused(run: Run) -> None:
    ran = run("rate", HIRING, "--on", "tomorrow")
    assert ran.code == 2
    assert "tomorrow" in ran.err
