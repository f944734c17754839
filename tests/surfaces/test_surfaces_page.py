"""docs/surfaces.md is true: its configuration loads, its table is the code's, its examples hold."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from jurat.engine.check import check_rules
from jurat.facts.assembly import build_subjects
from jurat.facts.context import SURFACE_OF, TERMS, SubjectKind, Surface
from jurat.findings.evaluation import aggregate
from jurat.reports.answer import EvaluationAnswer
from jurat.rules.loader import load_config, load_ruleset
from jurat.rules.selection import SelectionCriteria, select_applicable
from jurat.source.diff import Diff
from tests.support.code import added
from tests.support.surfaces import TODAY

PAGE = (Path(__file__).parents[2] / "docs" / "surfaces.md").read_text()
CONFIGURATION = PAGE.split("```yaml\n", 1)[1].split("```", 1)[0]
EXAMPLE = re.compile(
    r"^### (?P<title>.+)\n\n```yaml\n(?P<rules>(?s:.*?))```\n\n"
    r"```\w+ (?P<path>\S+)\n(?P<text>(?s:.*?))```\n\n```json\n(?P<place>(?s:.*?))```$",
    re.MULTILINE,
)
EXAMPLES = [match.groupdict() for match in EXAMPLE.finditer(PAGE)]


def test_the_table_is_that_of_the_code() -> None:
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in PAGE.splitlines()
        if line.startswith("|")
    ][2:]
    everything = {name for terms in TERMS.values() for name in terms.location_fields}
    told = {}
    for kinds, surface, fields, types in rows:
        for kind in kinds.split(", "):
            assert SURFACE_OF[SubjectKind(kind)] is Surface(surface)
            told[kind] = Surface(surface)
        terms = TERMS[Surface(surface)]
        if fields == "any of the above":
            assert terms.location_fields == everything
        else:
            assert set(fields.split(", ")) == terms.location_fields
            assert set(types.split(", ")) == terms.remediation_types
    assert set(told) == set(SubjectKind)


def test_every_kind_but_code_has_an_example() -> None:
    mapped = load_config("jurat.yml", CONFIGURATION).surfaces
    assert set(mapped.values()) == set(SubjectKind) - {SubjectKind.CODE_DIFF}
    assert len(EXAMPLES) == len(mapped)


@pytest.mark.parametrize("example", EXAMPLES, ids=[item["title"] for item in EXAMPLES])
def test_each_example_is_found_where_it_says(example: dict[str, Any]) -> None:
    rule_set = load_ruleset({"rules.yml": example["rules"]})
    surfaces = load_config("jurat.yml", CONFIGURATION).surfaces
    file = added(example["text"], example["path"])
    context = build_subjects(Diff((file,)), surfaces=surfaces)
    selection = select_applicable(context, rule_set, SelectionCriteria(), TODAY)
    verdicts = check_rules(context, selection, rule_set).verdicts
    evaluation = aggregate(context, selection, verdicts, evaluation_id="1")
    (violation,) = EvaluationAnswer.build(evaluation).to_json()["violations"]
    assert violation["locations"] == [json.loads(example["place"])]
