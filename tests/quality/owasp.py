"""OWASP's Benchmark for Python: true minus false positives of what blocks, a line a category.

    python -m tests.quality.owasp FOLDER

FOLDER is a checkout of https://github.com/OWASP-Benchmark/BenchmarkPython. Its even-numbered cases
were looked at while rules were written, the odd ones only counted.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from jurat.engine.check import check_rules
from jurat.engine.rule_examples import build_added_file
from jurat.facts.context import EvaluationContext, Subject, SubjectKind
from jurat.rules.loader import load_ruleset, read_pack
from jurat.rules.rule import RuleSet
from jurat.rules.selection import Selection

# Where a rule names a broader or a narrower weakness than the case does.
_SAME = {
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


def measure(folder: Path) -> Iterator[Outcome]:
    """Every case of a checkout."""
    rule_set = load_ruleset(read_pack("engineering"))
    (table,) = folder.glob("expectedresults-*.csv")
    for row in csv.reader(table.read_text().splitlines()):
        if not row[0].startswith("BenchmarkTest"):
            continue
        code = (folder / "testcode" / f"{row[0]}.py").read_text()
        weakness = f"CWE-{row[3].strip()}"
        found = _find_blocking(code, rule_set) & _SAME.get(weakness, {weakness})
        yield Outcome(row[1], int(row[0][-5:]), row[2] == "true", bool(found))


def _find_blocking(code: str, rule_set: RuleSet) -> set[str]:
    """The weaknesses of the findings that block in an added file."""
    subject = Subject(SubjectKind.CODE_DIFF, files=(build_added_file("app.py", "python", code),))
    rules = tuple(rule for rule in rule_set.rules.values() if rule.weaknesses)
    result = check_rules(EvaluationContext((subject,)), Selection(rules), rule_set)
    return {
        weakness
        for verdict in result.verdicts
        for finding in verdict.findings
        if finding.blocks
        for weakness in finding.rule.weaknesses
    }


def render(outcomes: list[Outcome]) -> str:
    """The table: a category, its faults and twins, and the rates' difference, all and odd ones."""
    lines = ["| category | found | false | all | odd half |", "|---|---|---|---|---|"]
    scores: dict[str, list[float]] = {"all": [], "odd": []}
    for category in sorted({one.category for one in outcomes}):
        own = [one for one in outcomes if one.category == category]
        counts = Counter((one.fault, one.found) for one in own)
        whole, odd = _score(own), _score([one for one in own if one.number % 2])
        scores["all"].append(whole)
        scores["odd"].append(odd)
        faults, twins = (counts[side, True] + counts[side, False] for side in (True, False))
        found = f"{counts[True, True]} of {faults}"
        false = f"{counts[False, True]} of {twins}"
        lines.append(f"| {category} | {found} | {false} | {whole:.2f} | {odd:.2f} |")
    means = {name: sum(found) / len(found) for name, found in scores.items()}
    lines.append(f"| mean | | | {means['all']:.2f} | {means['odd']:.2f} |")
    return "\n".join(lines)


def _score(outcomes: list[Outcome]) -> float:
    faults = [one.found for one in outcomes if one.fault]
    twins = [one.found for one in outcomes if not one.fault]
    return sum(faults) / max(len(faults), 1) - sum(twins) / max(len(twins), 1)


if __name__ == "__main__":
    print(render(list(measure(Path(sys.argv[1])))))
