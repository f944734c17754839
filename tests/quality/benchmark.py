"""OWASP's Benchmark for Python, Jurat beside what else can be had for nothing.

Measured and not shipped: the checkout, the tools and semgrep's community rules stand where
`python -m tests.quality` is told. A tool has no findings that block, so all of its reports count.
"""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.quality.owasp import SAME, Outcome, list_expected, measure, score

Named = Iterator[tuple[str, str]]
"""A file's stem, and a weakness that a tool says it has."""


def measure_benchmark(checkout: Path, tools: Path, rules: Path) -> Mapping[str, Any]:
    """By tool: the mean of true minus false positive rates, seconds, and a rate by category."""
    found: dict[str, Any] = {}
    started = time.perf_counter()
    outcomes = list(measure(checkout))
    found["jurat"] = _summarise(outcomes, time.perf_counter() - started)
    runs = {"bandit": _run_bandit, "ruff (S)": _run_ruff, "semgrep": _run_semgrep}
    for name, run in runs.items():
        if not (tools / name.split()[0]).exists() or (
            name == "semgrep" and not any(rules.rglob("*.yaml"))
        ):
            continue
        started = time.perf_counter()
        said: dict[str, set[str]] = {}
        for stem, weakness in run(tools, checkout / "testcode", rules):
            said.setdefault(stem, set()).add(weakness)
        seconds = time.perf_counter() - started
        found[name] = _summarise(_list_outcomes(checkout, said), seconds)
    return found


def _list_outcomes(checkout: Path, said: Mapping[str, set[str]]) -> Iterator[Outcome]:
    for one in list_expected(checkout):
        same = SAME.get(one.weakness, {one.weakness})
        found = bool(said.get(one.name, set()) & same)
        yield Outcome(one.category, one.number, one.fault, found)


def _summarise(outcomes: Iterable[Outcome], seconds: float) -> Mapping[str, Any]:
    known = list(outcomes)
    odd = [one for one in known if one.number % 2]
    names = sorted({one.category for one in known})
    rates = {name: _score_of(known, name) for name in names}
    mean_odd = sum(_score_of(odd, name) for name in names) / len(names)
    return {
        "mean": round(sum(rates.values()) / len(names), 2),
        "odd": round(mean_odd, 2),
        "seconds": round(seconds, 1),
        "categories": {name: round(rate, 2) for name, rate in rates.items()},
    }


def _score_of(outcomes: Iterable[Outcome], category: str) -> float:
    return score([one for one in outcomes if one.category == category])


def _run(command: Iterable[str | Path], folder: Path) -> Any:
    done = subprocess.run(list(command), cwd=folder, capture_output=True, text=True, check=False)
    return json.loads(done.stdout)


def _run_bandit(tools: Path, folder: Path, _rules: Path) -> Named:
    command = (tools / "bandit", "--quiet", "--recursive", "--format", "json", ".")
    for row in _run(command, folder)["results"]:
        yield Path(row["filename"]).stem, f"CWE-{row['issue_cwe'].get('id')}"


_OF_RUFF = {
    "S102": 94, "S103": 732, "S105": 259, "S113": 400, "S301": 502, "S302": 502, "S303": 327,
    "S304": 327, "S305": 327, "S307": 95, "S311": 330, "S313": 611, "S314": 611, "S315": 611,
    "S316": 611, "S317": 611, "S318": 611, "S319": 611, "S320": 611, "S324": 327, "S501": 295,
    "S506": 502, "S602": 78, "S603": 78, "S604": 78, "S605": 78, "S606": 78, "S607": 78,
    "S608": 89, "S701": 79, "S702": 79, "S704": 79,
}  # fmt: skip
"""The weakness of each rule, as bandit has it for the same one."""


def _run_ruff(tools: Path, folder: Path, _rules: Path) -> Named:
    command = (tools / "ruff", "check", "--isolated", "--select", "S", "--output-format", "json")
    for row in _run(command, folder):
        if row["code"] in _OF_RUFF:
            yield Path(row["filename"]).stem, f"CWE-{_OF_RUFF[row['code']]}"


def _run_semgrep(tools: Path, folder: Path, rules: Path) -> Named:
    command = (
        *(tools / "semgrep", "scan", "--quiet", "--json", "--metrics", "off"),
        *("--disable-version-check", "--no-git-ignore", "--jobs", "1", "--config", rules, "."),
    )
    for row in _run(command, folder)["results"]:
        named = row["extra"]["metadata"].get("cwe", [])
        for text in [named] if isinstance(named, str) else named:
            if number := re.match(r"CWE-\d+", text):
                yield Path(row["path"]).stem, number[0]
