"""What `--format sarif` prints keeps to the schema of OASIS, formats of addresses and times too."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from jurat.reports.sarif import to_sarif
from tests.support.evaluations import everything, failed

FIXTURES = Path(__file__).parents[2] / "fixtures"
GOLDEN = {
    path.relative_to(FIXTURES).as_posix(): text[start:]
    for path in sorted(FIXTURES.glob("golden/**/*.sarif.txt"))
    if (start := (text := path.read_text("utf-8")).find("\n{\n")) >= 0
}


@cache
def validator() -> Draft202012Validator:
    schema = json.loads((FIXTURES / "sarif" / "schema-2.1.0.json").read_text("utf-8"))
    return Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)


def faults(document: object) -> list[str]:
    return [error.message for error in validator().iter_errors(document)]


def broken() -> Iterator[tuple[str, dict[str, Any]]]:
    """Reports that the schema has to refuse."""
    whole = json.dumps(to_sarif(everything(), version="1"))
    for was, becomes in {
        '"text":': '"words":',
        '"level": "error"': '"level": "fatal"',
        '"startLine":': '"startRow":',
        '"executionSuccessful":': '"executionSucceeded":',
        '"version": "2.1.0"': '"version": "2.1"',
    }.items():
        assert was in whole, was
        yield becomes, json.loads(whole.replace(was, becomes))


@pytest.mark.parametrize("name", GOLDEN)
def test_what_the_command_prints_fits(name: str) -> None:
    document, _ = json.JSONDecoder().raw_decode(GOLDEN[name].lstrip())
    assert faults(document) == []


@pytest.mark.parametrize("evaluation", [everything(), failed()])
def test_each_outcome_fits(evaluation: Any) -> None:
    assert faults(to_sarif(evaluation, version="1.2.3")) == []


@pytest.mark.parametrize(("name", "document"), list(broken()))
def test_what_does_not_fit_is_seen(name: str, document: dict[str, Any]) -> None:
    assert faults(document) != [], name
