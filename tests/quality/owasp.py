"""OWASP's Benchmark for Python: true minus false positives of what blocks, a line a category.

    python -m tests.quality.owasp FOLDER

FOLDER is a checkout of https://github.com/OWASP-Benchmark/BenchmarkPython. Its even-numbered cases
were looked at while rules were written, the odd ones only counted.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from jurat.engine.check import check_rules
from jurat.engine.rule_examples import build_added_file
from jurat.facts.context import EvaluationContext, Subject, SubjectKind
from jurat.rules.loader import load_ruleset, read_pack
from jurat.rules.selection import Selection
from jurat.source.diff import FileChange

# Where something names a broader or a narrower weakness than the case does.
SAME = {
    "CWE-94": {"CWE-94", "CWE-95", "CWE-98"},
    "CWE-95": {"CWE-94", "CWE-95"},
    "CWE-327": {"CWE-327", "CWE-328", "CWE-326", "CWE-916"},
    "CWE-328": {"CWE-327", "CWE-328", "CWE-916"},
    "CWE-330": {"CWE-330", "CWE-338"},
}


class Outcome(NamedTuple):
    """One case: whether it is a fault, and whether a finding of its weakness blocks."""

    category: str
    number: int
    fault: bool
    found: bool


class Expected(NamedTuple):
    """What the benchmark says of one file."""

    name: str
    category: str
    number: int
    fault: bool
    weakness: str


def list_expected(folder: Path) -> Iterator[Expected]:
    """Every case of a checkout."""
    (table,) = folder.glob("expectedresults-*.csv")
    for name, category, fault, weakness, *_ in csv.reader(table.read_text().splitlines()):
        if name.startswith("BenchmarkTest"):
            number = int(name[-5:])
            yield Expected(name, category, number, fault == "true", f"CWE-{weakness.strip()}")


def measure(folder: Path) -> Iterator[Outcome]:
    """Every case of a checkout, judged by the shipped rules in one review of them all."""
    cases = list(list_expected(folder))
    paths = {f"src/{one.name}.py": folder / "testcode" / f"{one.name}.py" for one in cases}
    files = tuple(
        build_added_file(path, "python", place.read_text()) for path, place in paths.items()
    )
    found = _find_blocking(files)
    for one in cases:
        weaknesses = found[f"src/{one.name}.py"] & SAME.get(one.weakness, {one.weakness})
        yield Outcome(one.category, one.number, one.fault, bool(weaknesses))


def _find_blocking(files: tuple[FileChange, ...]) -> Mapping[str, set[str]]:
    """The weaknesses of the findings that block in added files, by path."""
    rule_set = load_ruleset(read_pack("engineering"))
    rules = tuple(rule for rule in rule_set.rules.values() if rule.weaknesses)
    subject = Subject(SubjectKind.CODE_DIFF, files=files)
    result = check_rules(EvaluationContext((subject,)), Selection(rules), rule_set)
    found: dict[str, set[str]] = defaultdict(set)
    for verdict in result.verdicts:
        for finding in verdict.findings:
            if finding.blocks and finding.path is not None:
                found[finding.path].update(finding.rule.weaknesses)
    return found


def render(outcomes: list[Outcome]) -> str:
    """The table: a category, its faults and twins, and the rates' difference, all and odd ones."""
    lines = ["| category | found | false | all | odd half |", "|---|---|---|---|---|"]
    scores: dict[str, list[float]] = {"all": [], "odd": []}
    for category in sorted({one.category for one in outcomes}):
        own = [one for one in outcomes if one.category == category]
        counts = Counter((one.fault, one.found) for one in own)
        whole, odd = score(own), score([one for one in own if one.number % 2])
        scores["all"].append(whole)
        scores["odd"].append(odd)
        faults, twins = (counts[side, True] + counts[side, False] for side in (True, False))
        found = f"{counts[True, True]} of {faults}"
        false = f"{counts[False, True]} of {twins}"
        lines.append(f"| {category} | {found} | {false} | {whole:.2f} | {odd:.2f} |")
    means = {name: sum(found) / len(found) for name, found in scores.items()}
    lines.append(f"| mean | | | {means['all']:.2f} | {means['odd']:.2f} |")
    return "\n".join(lines)


def score(outcomes: list[Outcome]) -> float:
    """True minus false positive rate."""
    faults = [one.found for one in outcomes if one.fault]
    twins = [one.found for one in outcomes if not one.fault]
    return sum(faults) / max(len(faults), 1) - sum(twins) / max(len(twins), 1)


if __name__ == "__main__":
    print(render(list(measure(Path(sys.argv[1])))))
