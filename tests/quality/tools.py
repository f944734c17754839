"""What other tools report in the heads of the Python cases, and not in their bases."""

from __future__ import annotations

import json
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tests.quality.cases import Case
from tests.quality.measure import NEAR, find_lines

Side = Literal["base", "head"]


@dataclass(frozen=True, slots=True)
class Report:
    """One line that a tool reports; `path` is relative to the side's folder."""

    path: str
    line: int
    rule: str
    text: str


def measure_tools(cases: Sequence[Case], tools: Path, folder: Path) -> Mapping[str, Any]:
    """Counts for each tool that is installed in `tools`; `folder` is empty."""
    python = [case for case in cases if case.language == "python" and case.kind != "ratchet"]
    for side in ("base", "head"):
        _write(python, folder / side, side)
    found = {}
    for name, run in _TOOLS.items():
        if (tools / name.split()[0]).exists():
            started = time.perf_counter()
            reports = {side: list(run(tools, folder / side)) for side in ("base", "head")}
            seconds = time.perf_counter() - started
            found[name] = _count(python, reports["base"], reports["head"], seconds)
    return found


def _write(cases: Sequence[Case], folder: Path, side: Side) -> None:
    for case in cases:
        for path, file in case.files.items():
            text = file.base if side == "base" else file.head
            if text is not None:
                place = folder / case.id / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text, "utf-8")


def _run_bandit(tools: Path, folder: Path) -> Iterator[Report]:
    command: list[str | Path] = [
        tools / "bandit",
        "--quiet",
        "--recursive",
        "--format",
        "json",
        ".",
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    for row in json.loads(done.stdout)["results"]:
        yield _report(folder, row["filename"], row["line_number"], row["test_id"])


def _run_ruff(tools: Path, folder: Path) -> Iterator[Report]:
    command: list[str | Path] = [
        tools / "ruff",
        "check",
        "--isolated",
        "--select",
        "S",
        "--output-format",
        "json",
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    for row in json.loads(done.stdout):
        yield _report(folder, row["filename"], row["location"]["row"], row["code"] or "")


_TOOLS: Mapping[str, Callable[[Path, Path], Iterator[Report]]] = {
    "bandit": _run_bandit,
    "ruff (S)": _run_ruff,
}


def _report(folder: Path, name: str, line: int, rule: str) -> Report:
    path = (folder / name).resolve().relative_to(folder.resolve())
    lines = (folder / path).read_text("utf-8").splitlines()
    return Report(path.as_posix(), line, rule, "".join(lines[line - 1].split()))


def _count(
    cases: Sequence[Case], base: Sequence[Report], head: Sequence[Report], seconds: float
) -> Mapping[str, Any]:
    """A report is new if the head has it more often than the base, by rule and code."""
    row = {"faults": 0, "said": 0, "good": 0, "good_said": 0}
    for case in cases:
        old = Counter((item.rule, item.text) for item in _of_case(case, base))
        new = []
        for item in _of_case(case, head):
            if old[item.rule, item.text] > 0:
                old[item.rule, item.text] -= 1
            else:
                new.append(item)
        places = {(f"{case.id}/{path}", line) for path, line in find_lines(case)}
        at_place = any(
            path == item.path and abs(line - item.line) <= NEAR
            for item in new
            for path, line in places
        )
        if case.is_faulty:
            row["faults"] += 1
            row["said"] += at_place
        else:
            row["good"] += 1
            row["good_said"] += bool(new)
    return {**row, "seconds": round(seconds, 1)}


def _of_case(case: Case, reports: Sequence[Report]) -> Iterator[Report]:
    return (item for item in reports if item.path.startswith(f"{case.id}/"))
