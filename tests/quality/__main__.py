"""`make quality`: measure, keep the figures and write docs/quality.md.

`python -m tests.quality [--mirrors DIR] [--tools DIR] [--accept]`. Histories are fetched into
--mirrors, by default build/histories; if one is neither there nor can be fetched, all keep their
last figures. bandit and ruff are run if they are in --tools.
Refuses to keep a figure that has fallen, unless with --accept.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.quality.benchmark import measure_benchmark
from tests.quality.cases import load_cases
from tests.quality.figures import ROOT, count_figures, find_falls, read_kept, write_kept
from tests.quality.firings import list_merits
from tests.quality.histories import count_history, load_labels, load_projects, replay_project
from tests.quality.measure import measure_cases
from tests.quality.page import PAGE, render_page
from tests.quality.pairs import HALVES, count_pairs, load_pairs, measure_pairs
from tests.quality.rounds_page import ROUNDS_PAGE, render_rounds_page
from tests.quality.tools import measure_tools


def _make(folder: str, name: str) -> Path:
    made = Path(folder) / name
    made.mkdir()
    return made


def main() -> int:
    """0, or 1 if a figure has fallen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirrors", type=Path, default=ROOT / "build" / "histories")
    parser.add_argument("--tools", type=Path, default=ROOT / "build" / "bench-tools" / "bin")
    parser.add_argument("--benchmark", type=Path, default=ROOT / "build" / "BenchmarkPython")
    parser.add_argument("--semgrep-rules", type=Path, default=ROOT / "build" / "semgrep-rules")
    parser.add_argument("--accept", action="store_true")
    asked = parser.parse_args()
    kept = read_kept()
    with tempfile.TemporaryDirectory(prefix="jurat-quality-") as folder:
        cases = count_figures(measure_cases(load_cases(), _make(folder, "repository")))
        tools = measure_tools(load_cases(), asked.tools, _make(folder, "tools"))
    histories = [
        history
        for project in load_projects()
        if (history := replay_project(project, asked.mirrors)) is not None
    ]
    # Without the tools, theirs are the figures of before.
    found = {
        **kept,
        "cases": cases,
        "merits": list_merits(),
        "pairs": {
            half: count_pairs(list(measure_pairs(list(load_pairs(half))))) for half in HALVES
        },
        "tools": {**kept.get("tools", {}), **tools},
    }
    if asked.benchmark.exists():
        found["benchmark"] = {
            **kept.get("benchmark", {}),
            **measure_benchmark(asked.benchmark, asked.tools, asked.semgrep_rules),
        }
    else:
        print("OWASP's benchmark is not at hand: its figures are those of before.")
    if len(histories) == len(load_projects()):
        found["histories"] = count_history(histories, load_labels())
    else:
        print("Not every history is at hand: theirs are the figures of before.")
    falls = find_falls(kept, found)
    print("\n".join(falls) or "No figure has fallen.")
    if falls and not asked.accept:
        return 1
    write_kept(found)
    # As it is kept: in the order of the file.
    PAGE.write_text(render_page(read_kept()), "utf-8")
    ROUNDS_PAGE.write_text(render_rounds_page(read_kept()["flows"]), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
