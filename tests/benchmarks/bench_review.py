"""Times a review: each stage on a large change, and the whole command on changes of three sizes.

    python -m tests.benchmarks.bench_review [--tools FOLDER] [--runs N] [--quick]

FOLDER holds the commands `semgrep` and `ast-grep`, each of which looks with ten rules for what ours
look for; without it they are looked for on the PATH, and skipped where missing. Jurat and semgrep
(by --baseline-commit) report what a change brings in, ast-grep all that the changed files hold.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from tests.benchmarks import synthetic

Result = TypeVar("Result")

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

STAGES = (1_000, 300, 300)
"""The change whose stages are timed: its files, the lines it adds to each, and those that half of
the files had before."""

COMMANDS = ((1, 80, 240), (68, 80, 240), (1_341, 80, 240))
"""The changes that whole commands review, in the same terms: files of 200 lines on average."""

AIM_SECONDS = 0.25
AIM_RATIO = 5
"""The whole command on one file, and how many times faster than semgrep on any size."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds a run of one command took, the median of several."""

    tool: str
    seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--tools",
        type=lambda given: Path(given).resolve(),
        help="folder with the commands to compare with",
    )
    parser.add_argument("--runs", type=int, default=5, help="runs a command; the median counts")
    parser.add_argument("--quick", action="store_true", help="a tenth of every size")
    parser.add_argument("--stages-of", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.stages_of:
        time_stages(given.stages_of)
        return
    shrink = 10 if given.quick else 1
    with tempfile.TemporaryDirectory(prefix="jurat-bench-") as folder:
        large = Path(folder) / "large"
        files, lines, old_lines = STAGES[0] // shrink, *STAGES[1:]
        synthetic.repository(large, files, lines, old_lines)
        print(f"Stages of a change of {files:,} files and {files * lines:,} added lines:")
        # A process of its own, so that its peak memory is the review's.
        subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.bench_review", "--stages-of", str(large)],
            cwd=ROOT,
            check=True,
        )
        for files, lines, old_lines in COMMANDS:
            size = max(1, files // shrink)
            checkout = Path(folder) / f"files-{size}"
            base = synthetic.repository(checkout, size, lines, old_lines)
            compare(checkout, base, size, given.runs, given.tools)


def time_stages(checkout: Path) -> None:
    """Print the seconds of each stage, and the peak memory of this process."""
    import datetime as dt  # noqa: PLC0415 - what follows is what is measured

    from jurat.cli.checkout import (  # noqa: PLC0415
        GitCheckout,
        read_change,
        resolve_range,
    )
    from jurat.cli.rule_files import NO_CONFIGURATION, load_local_ruleset  # noqa: PLC0415
    from jurat.engine.check import check_rules  # noqa: PLC0415
    from jurat.facts.assembly import build_subjects  # noqa: PLC0415
    from jurat.rules.selection import (  # noqa: PLC0415
        SelectionCriteria,
        select_applicable,
    )
    from jurat.source.parsing import parse_in_process  # noqa: PLC0415

    rule_set, configuration = load_local_ruleset(NO_CONFIGURATION)
    with GitCheckout.containing(checkout) as repository:
        ends = resolve_range(repository)
        change = timed("parse", lambda: read_change(repository, ends))
    context = timed("extract", lambda: build_subjects(change, parse_map=parse_in_process))
    today = dt.datetime.now(dt.UTC).date()
    chosen = timed(
        "select",
        lambda: select_applicable(context, rule_set, SelectionCriteria.of(configuration), today),
    )
    reached = timed("dispatch", lambda: check_rules(context, chosen, rule_set, parse_in_process))
    found = sum(len(verdict.locations) for verdict in reached.verdicts)
    # Linux counts in KiB, macOS in bytes (getrusage(2) of each).
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20
    print(f"  {len(chosen.rules)} rules, {found} places found, peak memory {peak:,.0f} MiB")


def timed(name: str, work: Callable[[], Result]) -> Result:
    started = time.perf_counter()
    result = work()
    print(f"  {name:<9}{time.perf_counter() - started:7.3f} s", flush=True)
    return result


def compare(checkout: Path, base: str, files: int, runs: int, tools: Path | None) -> None:
    """Print what each command takes for the change of one checkout."""
    commands = {"jurat": [*jurat(), "review", "--base", base, "--format", "json"]}
    if found := shutil.which("semgrep", path=tools):
        commands["semgrep"] = [
            *(found, "scan", "--metrics", "off", "--disable-version-check", "--quiet", "--json"),
            *("--config", str(HERE / "semgrep.yml"), "--baseline-commit", base),
        ]
    if found := shutil.which("ast-grep", path=tools):
        rules = str(HERE / "ast_grep.yml")
        commands["ast-grep"] = [found, "scan", "--rule", rules, "--json=stream"]
        commands["ast-grep"] += synthetic.changed(checkout, base)
    timings = [Timing(name, median(command, checkout, runs)) for name, command in commands.items()]
    print(f"\nWhole command, {files:,} changed files, median of {runs}:")
    ours = timings[0].seconds
    for timing in timings:
        ratio = "" if timing is timings[0] else f"{timing.seconds / ours:8.2f} times jurat's"
        print(f"  {timing.tool:<9}{timing.seconds:7.3f} s{ratio}")
    for missing in {"semgrep", "ast-grep"} - commands.keys():
        print(f"  {missing:<9} not installed")
    for timing in timings:
        if timing.tool == "semgrep" and timing.seconds < AIM_RATIO * ours:
            print(f"  Missed: {AIM_RATIO} times faster than semgrep.")
    if files == 1 and ours > AIM_SECONDS:
        print(f"  Missed: one file within {AIM_SECONDS} s.")


def jurat() -> Sequence[str]:
    """The installed command, started as a person starts it."""
    beside = Path(sys.executable).with_name("jurat")
    return [str(beside)] if beside.exists() else [sys.executable, "-m", "jurat"]


def median(command: Sequence[str], folder: Path, runs: int) -> float:
    """Seconds of the middle run. Findings (1), and rules that want a model (3), are no failure.

    A run before them is not counted: it fills the caches that every later run of a tool finds, such
    as Python's compiled modules.
    """
    unwanted = {"GEMINI_API_KEY", "PYTHONDONTWRITEBYTECODE"}
    environment = {name: text for name, text in os.environ.items() if name not in unwanted}
    seconds = []
    for _ in range(runs + 1):
        started = time.perf_counter()
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, check=False
        )
        seconds.append(time.perf_counter() - started)
        if done.returncode not in (0, 1, 3):
            raise SystemExit(f"{command[0]} failed: {done.stderr.decode(errors='replace')[-2000:]}")
    return statistics.median(seconds[1:])


if __name__ == "__main__":
    main()
