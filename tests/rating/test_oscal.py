"""The OSCAL form of a rating, read by compliance-trestle, which knows OSCAL's own schema."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from trestle.oscal.assessment_results import AssessmentResults

from jurat.rating.held import RepositoryScan
from jurat.rating.law import load_regulations
from jurat.rating.named_rules import list_named_rules
from jurat.rating.rate import rate_scan
from jurat.rating.rating import Rating
from jurat.rating.recon import scan_worktree
from jurat.rating.signals.worktree import open_folder
from jurat.reports.formats import RatingReport
from jurat.reports.rating_oscal import write_oscal
from tests.support.hostile_text import CORPUS
from tests.support.rating import ALL_APPLY, a_source, worktree_of

REPOS = Path(__file__).parents[2] / "fixtures" / "repos"


def rate(tree: object) -> Rating:
    worktree = open_folder(tree) if isinstance(tree, Path) else worktree_of(tree)  # type: ignore[arg-type]
    packs = load_regulations(ALL_APPLY)
    seen = RepositoryScan(worktree, *scan_worktree(worktree))
    return rate_scan(seen, packs, list_named_rules(), classifying=packs, on=ALL_APPLY)


def read_back(rating: Rating, folder: Path, page: str = "") -> AssessmentResults:
    stream = StringIO()
    write_oscal(RatingReport(rating, a_source(page=page)), stream)
    path = folder / "assessment-results.json"
    path.write_text(stream.getvalue())
    read = AssessmentResults.oscal_read(path)
    assert read is not None
    return read


@pytest.mark.parametrize("name", ["careful_agent", "facial_scraper", "plain_web_app"])
def test_it_is_valid_and_finds_only_what_is_supported(name: str, tmp_path: Path) -> None:
    rating = rate(REPOS / name)
    results = read_back(rating, tmp_path, "https://github.com/acme/shop").results
    assert [item.title.partition(",")[0] for item in results] == [
        item.regulation.name for item in rating.regulations
    ]
    for result, regulation in zip(results, rating.regulations, strict=True):
        inside = [clause for clause in regulation.clauses if clause.in_scope]
        rated = [clause for clause in inside if clause.supported_ordinal is not None]
        assert len(result.observations or []) == len(inside)
        findings = result.findings or []
        assert [(item.title, item.target.status.remarks) for item in findings] == [
            (f"{item.clause.article} {item.clause.title}", item.supported_verdict.value)
            for item in rated
        ]
        for finding in findings:
            passed = finding.target.status.remarks == "pass"
            assert (finding.target.status.state.value == "satisfied") is passed


@pytest.mark.parametrize("text", CORPUS)
def test_what_a_repository_holds_breaks_no_document(text: str, tmp_path: Path) -> None:
    path = "".join(mark for mark in text if mark not in "/\0\n")[:80] or "x"
    files = {f"{path}.py": f"import openai\nopenai.OpenAI().responses.create(input={text!r})\n"}
    assert read_back(rate(files), tmp_path).results


def test_the_same_rating_is_the_same_document() -> None:
    rating = rate(REPOS / "hiring_scorer")
    both = []
    for _ in range(2):
        stream = StringIO()
        write_oscal(RatingReport(rating, a_source()), stream)
        both.append(json.loads(stream.getvalue()))
    assert both[0] == both[1]
