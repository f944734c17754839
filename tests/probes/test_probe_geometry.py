"""The observability of a run: defined on few and on equal cases, and the same each time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from jurat.cli.probe_geometry import compute_observability
from jurat.probes.observability import MIN_CASES
from jurat.probes.probe import ProbeSet
from jurat.probes.report import Report, RunResponses, build_report
from tests.support.probes import BAD, GOOD, a_case, a_probe

ROOT = Path(__file__).parents[2]


def report_of(number: int) -> Report:
    probes = tuple(a_probe(f"p.{n}") for n in range(number))
    answers = {probe.id: (GOOD, BAD)[n % 2] for n, probe in enumerate(probes)}
    return build_report(
        ProbeSet(probes=probes), RunResponses("responses", answers, {}), compute_observability
    )


def test_it_begins_at_five_cases() -> None:
    assert MIN_CASES == 5
    assert report_of(4).observability is None
    found = report_of(5).observability
    assert found is not None
    assert found.n == 5


def test_outcomes_that_read_differently_are_told_apart() -> None:
    found = report_of(10).observability
    assert found is not None
    assert found.clusters == 2
    assert found.mutual_information.pass_fail > 0.6
    assert found.mutual_information.category == 0.0


def test_equal_cases_are_one_cluster_that_says_nothing() -> None:
    found = compute_observability([a_case(f"p.{n}") for n in range(6)])
    assert found.clusters == 1
    shared = found.mutual_information
    assert (shared.category, shared.severity, shared.pass_fail) == (0.0, 0.0, 0.0)
    assert len({(point.scatter_x, point.scatter_y) for point in found.points}) == 1


def test_clusters_align_with_families_more_than_with_severities(
    reports: dict[str, Report],
) -> None:
    found = reports["hostile"].observability
    assert found is not None
    assert found.mutual_information.category > found.mutual_information.severity


RUN = """
import json, sys
from pathlib import Path
from jurat.cli.main import run
lines = [
    json.dumps({"probe_id": case["probe_id"], "response": case["response"]})
    for case in json.loads(Path(sys.argv[1]).read_text())["cases"]
]
Path("responses.jsonl").write_text("\\n".join(lines))
for form in ("json", "html"):
    sys.argv = ["jurat", "probe", "run", "--responder", "responses.jsonl", "--format", form]
    if code := run():
        raise SystemExit(code)
    print(flush=True)
"""


def print_both(report: Path, folder: Path, seed: str) -> bytes:
    """The JSON and the page of one run, of a process of its own: scikit-learn loads slowly."""
    folder.mkdir()
    return subprocess.run(
        [sys.executable, "-c", RUN, str(report)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "bot"), "PYTHONHASHSEED": seed},
        check=True,
        capture_output=True,
    ).stdout


def test_the_bytes_are_the_same_with_any_hash_seed(
    reports: dict[str, Report], tmp_path: Path
) -> None:
    path = tmp_path / "cases.json"
    answers = [
        {"probe_id": case.probe_id, "response": case.response} for case in reports["gullible"].cases
    ]
    path.write_text(json.dumps({"cases": answers}))
    first = print_both(path, tmp_path / "a", "0")
    document, _ = json.JSONDecoder().raw_decode(first.decode())
    assert document["observability"]["n"] == 160
    assert print_both(path, tmp_path / "b", "4242") == first
