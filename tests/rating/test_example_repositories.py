"""The example repositories are rated as the file beside each says, clause by clause."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jurat.errors import RuleError
from jurat.rating.held import RepositoryScan
from jurat.rating.law import load_regulations
from jurat.rating.named_rules import list_named_rules
from jurat.rating.rate import rate_scan
from jurat.rating.rating import Rating
from jurat.rating.recon import scan_worktree
from jurat.rating.signals.worktree import open_folder
from jurat.source.strict_yaml import parse_yaml
from tests.support.rating import ALL_APPLY

REPOSITORIES = Path(__file__).parents[2] / "fixtures" / "repos"
NAMES = sorted(path.name for path in REPOSITORIES.iterdir() if path.is_dir())


def rated(name: str) -> Rating:
    worktree = open_folder(REPOSITORIES / name)
    signals, inventory = scan_worktree(worktree)
    packs = load_regulations(ALL_APPLY)
    return rate_scan(
        RepositoryScan(worktree, signals, inventory),
        packs,
        list_named_rules(),
        classifying=packs,
        on=ALL_APPLY,
    )


def verdicts(rating: Rating) -> dict[tuple[str, str], str]:
    return {
        (item.regulation.id, clause.clause.id): clause.verdict.value
        for item in rating.regulations
        for clause in item.clauses
    }


def expectation(name: str) -> dict[str, Any]:
    path = REPOSITORIES / f"{name}.expected.yml"
    data: dict[str, Any] = parse_yaml(path.read_text("utf-8"), str(path), RuleError).data
    return data


def expected(name: str) -> Iterator[tuple[tuple[str, str], str]]:
    for group in expectation(name)["expected"]:
        assert group["because"]
        for regulation, clauses in group["clauses"].items():
            yield from (((regulation, clause), group["verdict"]) for clause in clauses)


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_rated_as_expected(name: str) -> None:
    told = list(expected(name))
    rating = rated(name)
    assert len(dict(told)) == len(told)
    assert verdicts(rating) == dict(told)
    assert rating.risk.value == expectation(name)["risk"]


def test_there_are_five_examples() -> None:
    assert NAMES == [
        "careful_agent",
        "facial_scraper",
        "hiring_scorer",
        "plain_web_app",
        "stock_agent",
    ]


def test_the_careful_agent_scores_far_above_the_stock_one() -> None:
    careful, stock = (
        {item.regulation.id: item.score for item in rated(name).regulations}
        for name in ("careful_agent", "stock_agent")
    )
    assert careful["nist-ai-rmf"] == 4
    assert stock["nist-ai-rmf"] == 0


def test_the_evidence_of_the_scraper_names_both_halves_of_what_it_does() -> None:
    [clause] = [
        clause
        for item in rated("facial_scraper").regulations
        for clause in item.clauses
        if clause.clause.id == "5(1)(e)"
    ]
    places = {(evidence.path, evidence.line) for evidence in clause.rules[0].evidence}
    assert ("crawl.py", 10) in places
    assert ("index.py", 11) in places
    for path, line in places:
        text = (REPOSITORIES / "facial_scraper" / path).read_text("utf-8").split("\n")
        assert text[line - 1].strip()
