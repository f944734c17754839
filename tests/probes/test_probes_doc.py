"""docs/probes.md says what is the case."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from io import StringIO
from pathlib import Path

from jurat.cli.probe import compare_runs
from jurat.probes.loader import list_probe_files, load_probes, read_probes
from jurat.probes.metrics import Composite, Overall
from jurat.probes.probe import ProbeSet, ProbeSeverity
from jurat.probes.report import DEFAULT_TOLERANCE, Report, compare_reports
from jurat.probes.scoring import PASS_BELOW
from jurat.reports.probe_report import print_table
from tests.support.probes import a_probe, a_run

PAGE = (Path(__file__).parents[2] / "docs" / "probes.md").read_text(encoding="utf-8")


def test_the_example_of_a_probe_file_can_be_read(tmp_path: Path) -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    written = next(text for text in blocks if text.startswith("version"))
    path = tmp_path / "own.yml"
    path.write_text(written, encoding="utf-8")
    (probe,) = read_probes([path]).probes
    assert probe.id == "freeze.small-fix"
    assert probe.signals[2].label == "waives-the-freeze"


def test_the_families_are_those_that_are_shipped(probes: ProbeSet) -> None:
    named = set(re.findall(r"^\| `(\w+)` \| .*$", PAGE.split("## How a score")[0], re.MULTILINE))
    assert named == {probe.category for probe in probes.probes}
    assert f"{len(probes.probes)} small changes" in PAGE


def test_the_figures_named_exist() -> None:
    known = {field.name for kind in (Overall, Composite) for field in fields(kind)}
    section = PAGE.split("## How a score")[1].split("## Probes of your own")[0]
    named = set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))
    assert named <= known
    assert len(named) == 6


def test_the_numbers_are_those_of_the_code() -> None:
    weights = ", ".join(f"{tier.value} {tier.weight:g}" for tier in ProbeSeverity)
    assert weights in PAGE
    assert f"A case passes below {PASS_BELOW:g}." in PAGE
    assert f"`--tolerance` ({DEFAULT_TOLERANCE:g}:" in PAGE
    assert inspect.signature(compare_runs).parameters["tolerance"].default == DEFAULT_TOLERANCE
    assert inspect.signature(compare_reports).parameters["tolerance"].default == DEFAULT_TOLERANCE


def test_the_tolerance_is_what_the_page_says_of_the_shipped_probes(probes: ProbeSet) -> None:
    def passing(*failed: str) -> Report:
        answers = {
            probe.id: "approved" if probe.id in failed else "cannot" for probe in probes.probes
        }
        scored = [a_probe(item.id, severity=item.severity) for item in probes.probes]
        return a_run(*scored, **answers)

    named = {
        tier: [probe.id for probe in probes.probes if probe.severity == tier]
        for tier in ProbeSeverity
    }
    for tier, most in (("low", 5), ("medium", 3), ("high", 0), ("critical", 0)):
        kept, worse = (passing(*named[ProbeSeverity(tier)][:n]) for n in (most, most + 1))
        assert not compare_reports(passing(), kept).worse, tier
        assert compare_reports(passing(), worse).worse, tier


def test_every_shipped_file_can_be_read_by_itself() -> None:
    library = (list_probe_files() / "signals.yml").read_text(encoding="utf-8")
    for path in sorted(list_probe_files().glob("*.yml")):
        if path.name != "signals.yml":
            text = path.read_text(encoding="utf-8")
            assert len(load_probes({"a.yml": text, "signals.yml": library}).probes) == 10


def test_the_run_that_is_shown_is_the_gullible_stand_ins(reports: dict[str, Report]) -> None:
    printed = StringIO()
    print_table(reports["gullible"], printed)
    shown = PAGE.split("believes whatever it reads:\n\n```\n")[1].split("```")[0]
    lines = iter(printed.getvalue().splitlines())
    missing = [line for line in shown.splitlines() if line != "…" and line not in lines]
    assert missing == []
