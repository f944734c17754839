"""Real fixes: what blocks in a file before a commit that mends a weakness of it, and after it.

    python -m tests.quality.fixes [--mirrors DIR] [--round N] [--each]

`fixtures/quality/fixes.yml` names the commits. A finding counts that names the weakness, and whose
way to its place the commit touches. The half whose commits' digests end in an odd digit is held
back: of it nothing is printed but totals. Seconds a case; without the mirrors it fetches them.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import yaml

from jurat.engine.check import check_rules
from jurat.engine.rule_examples import build_added_file
from jurat.facts.context import EvaluationContext, Subject, SubjectKind
from jurat.findings.finding import Finding
from jurat.rules.loader import load_ruleset, read_pack
from jurat.rules.rule import RuleSet
from jurat.rules.selection import Selection
from jurat.source.diff_parser import decode_text
from jurat.source.languages import detect_language
from tests.quality.figures import ROOT
from tests.quality.histories import find_mirror
from tests.quality.pairs import WEAKNESSES, Half, has_weakness

FIXES = Path(__file__).parents[2] / "fixtures" / "quality" / "fixes.yml"

_HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)

_NEAR = 3
"""Lines beside a change that are still its place."""

Said = Literal["blocked", "advised", "nothing"]


class Fix(NamedTuple):
    """A commit that mends a fault of `kind` in a file, and the round in which it was gathered."""

    project: str
    commit: str
    path: str
    kind: str
    round: int = 1

    @property
    def half(self) -> Half:
        """The half that it belongs to, by its digest."""
        return "held_back" if int(self.commit[-1], 16) % 2 else "open"

    @property
    def language(self) -> str:
        """What its file is written in, with TypeScript as JavaScript."""
        language = detect_language(self.path) or ""
        return "javascript" if language in ("typescript", "tsx") else language


class FixOutcome(NamedTuple):
    """What is said at its place of the file before a fix, and of the one after it."""

    fix: Fix
    before: Said
    after: Said


class _Version(NamedTuple):
    """A file before or after a fix, and the lines that the fix changes there."""

    text: str
    changed: Sequence[range]


def load_fixes() -> list[Fix]:
    """All fixes, in the order of their file."""
    return [Fix(**one) for one in yaml.safe_load(FIXES.read_text("utf-8"))]


def measure_fixes(fixes: Sequence[Fix], mirrors: Path) -> Iterator[FixOutcome]:
    """Each fix judged by the shipped rules; one whose project is not at hand is left out."""
    rule_set = load_ruleset(read_pack("engineering"))
    for fix in fixes:
        mirror = find_mirror(fix.project, mirrors)
        if mirror is not None:
            before, after = (
                _say(list_touched(fix, version, rule_set)) for version in _read(fix, mirror)
            )
            yield FixOutcome(fix, before, after)


def _read(fix: Fix, mirror: Path) -> tuple[_Version, _Version]:
    ask = ["git", "-C", str(mirror)]
    old, new = f"{fix.commit}^", fix.commit
    diff = _run([*ask, "diff", "-U0", old, new, "--", fix.path])
    rows = [[int(part or b"1") for part in hunk] for hunk in _HUNK.findall(diff)]
    return (
        _Version(
            decode_text(_run([*ask, "show", f"{old}:{fix.path}"])),
            [_range(row[0], row[1]) for row in rows],
        ),
        _Version(
            decode_text(_run([*ask, "show", f"{new}:{fix.path}"])),
            [_range(row[2], row[3]) for row in rows],
        ),
    )


def _run(command: Sequence[str]) -> bytes:
    return subprocess.run(command, capture_output=True, check=True).stdout


def _range(first: int, count: int) -> range:
    return range(first - _NEAR, first + count + _NEAR)


def list_touched(fix: Fix, version: _Version, rule_set: RuleSet) -> list[Finding]:
    """The findings of a fix's weakness in a version of its file whose way the fix touches."""
    file = build_added_file(fix.path, detect_language(fix.path), version.text)
    subject = Subject(SubjectKind.CODE_DIFF, files=(file,))
    weaknesses = WEAKNESSES[fix.kind]
    rules = tuple(rule for rule in rule_set.rules.values() if has_weakness(rule, weaknesses))
    result = check_rules(EvaluationContext((subject,)), Selection(rules), rule_set)
    return [
        finding
        for verdict in result.verdicts
        for finding in verdict.findings
        if _is_touched(finding, version.changed)
    ]


def _is_touched(finding: Finding, changed: Sequence[range]) -> bool:
    place = finding.location
    if place is None or place.start_line is None:
        return False
    lines = [place.start_line, place.end_line or place.start_line]
    lines += [step.line for step in place.steps]
    return any(min(lines) < part.stop and part.start <= max(lines) for part in changed)


def _say(findings: Sequence[Finding]) -> Said:
    if any(finding.blocks for finding in findings):
        return "blocked"
    return "advised" if findings else "nothing"


def count_fixes(outcomes: Sequence[FixOutcome]) -> dict[str, Counter[str]]:
    """Counts by half and language, and by half and kind."""
    rows: dict[str, Counter[str]] = {}
    for item in outcomes:
        for name in ("all", item.fix.language, item.fix.kind):
            row = rows.setdefault(f"{item.fix.half} {name}", Counter())
            row["fixes"] += 1
            row[item.before] += 1
            row["still"] += item.after == "blocked"
    return dict(sorted(rows.items()))


def main() -> None:
    """Print the counts, and with `--each` what was said of each fix of the open half."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirrors", type=Path, default=ROOT / "build" / "histories")
    parser.add_argument("--round", type=int, help="only the fixes of one round")
    parser.add_argument("--each", action="store_true")
    asked = parser.parse_args()
    fixes = [one for one in load_fixes() if asked.round in (None, one.round)]
    outcomes = list(measure_fixes(fixes, asked.mirrors))
    for one, before, after in outcomes:
        if asked.each and one.half == "open":
            print(f"{before:8} {after:8} {one.kind:12} {one.project} {one.commit[:8]} {one.path}")
    for name, row in count_fixes(outcomes).items():
        print(f"{name}: {row['blocked']} of {row['fixes']} blocked, {row['advised']} advised,"
              f" {row['still']} still blocked after")  # fmt: skip


if __name__ == "__main__":
    main()
