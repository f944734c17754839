"""Facts alone are judged as whatever they describe, and their places have no file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jurat.errors import ExitCode
from jurat.facts.context import SURFACE_OF, SubjectKind
from tests.support.command import DIFF, OVERTIME, Run, written
from tests.support.surfaces import FACTS, RULES, SAID


@pytest.mark.parametrize("kind", SubjectKind)
def test_facts_are_judged_as_the_kind_that_is_named(
    run: Run, tmp_path: Path, kind: SubjectKind
) -> None:
    facts = written(tmp_path / "facts.json", json.dumps(FACTS))
    rules = written(tmp_path / "house.yml", RULES)
    common = ("review", "--facts", facts, "--pack", "none", "--rules", rules)
    ran = run(*common, "--subject", kind, "--format", "json")
    assert ran.code == ExitCode.FINDINGS
    (found,) = json.loads(ran.out)["violations"]
    (place,) = found["locations"]
    assert place == {
        **SAID[kind],
        "surface": SURFACE_OF[kind],
        "file_path": None,
        "start_line": None,
        "end_line": None,
    }


@pytest.mark.parametrize(
    ("name", "text"),
    [("deep.json", '{"a": ' + "[" * 900 + "]" * 900 + "}"), ("deep.yml", "a: " + "[" * 900)],
)
def test_facts_that_are_too_deep_are_refused_on_one_line(
    run: Run, tmp_path: Path, name: str, text: str
) -> None:
    rules = written(tmp_path / "house.yml", RULES)
    ran = run("review", "--facts", written(tmp_path / name, text), "--rules", rules)
    assert ran.code == ExitCode.USAGE
    assert "nested" in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("beside", [(), ("--diff", "change.diff")], ids=["alone", "beside code"])
def test_facts_without_a_subject_meet_the_rule_that_they_break(
    run: Run, tmp_path: Path, beside: tuple[str, ...]
) -> None:
    written(tmp_path / "change.diff", DIFF)
    rules = written(tmp_path / "hr.yml", OVERTIME)
    facts = written(tmp_path / "facts.json", json.dumps({"monthly_overtime_hours": 52}))
    ran = run("review", "--facts", facts, "--rules", rules, "--format", "json", *beside)
    assert ran.code == ExitCode.FINDINGS
    assert "hr.overtime" in [found["rule_id"] for found in json.loads(ran.out)["violations"]]


def test_a_rule_that_lacks_a_fact_says_which(run: Run, tmp_path: Path) -> None:
    rules = written(tmp_path / "hr.yml", OVERTIME)
    facts = written(tmp_path / "facts.json", json.dumps({"country": "DE"}))
    ran = run(
        *("review", "--facts", facts, "--subject", "event", "--pack", "none"),
        *("--rules", rules, "--format", "json"),
    )
    (gap,) = json.loads(ran.out)["not_assessed"]
    assert gap["reason"].startswith("monthly_overtime_hours is missing. No model is configured")
