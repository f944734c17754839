"""Other people's tests of their rules: what blocks at the places that they mark.

    python -m tests.quality.public_tests [--mirrors DIR] [--each] [--of NAME]

The tests of semgrep's community rules, of CodeQL's queries and OWASP's Benchmark for Java stand in
checkouts that are measured and not kept. A place is a fault if its test says so, and safe if it
says that as well; `held_back` is the half of the files whose paths have an odd digest, and of it
nothing is printed but totals. Minutes.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

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
from tests.quality.pairs import WEAKNESSES, Half

_NUMBERS = frozenset[int]().union(*WEAKNESSES.values()) | {96, 116, 1275, 1333}
"""The weaknesses that the rules about values are about."""

_LANGUAGES = frozenset({"go", "java", "javascript", "python", "tsx", "typescript"})

_MARK = re.compile(r"(?://|#|/\*|\{/\*)\s*(ruleid|ok)\s*:\s*([\w., -]+)")
_ALERT = re.compile(r"^\|\s*([\w./-]+):(\d+):\d+:\d+:\d+\s*\|", re.MULTILINE)
_GOOD = re.compile(r"(?://|#).*\b(?:OK|GOOD|Good|good|Safe|safe)\b")
_BAD = re.compile(r"\b(?:NOT OK|BAD|BROKEN)\b")


class Place(NamedTuple):
    """A line of a test, and whether it holds a fault; line 0 is the whole file."""

    corpus: str
    path: str
    line: int
    is_fault: bool

    @property
    def half(self) -> Half:
        """The half that it belongs to, by its file."""
        digest = hashlib.sha256(self.path.encode()).digest()
        return "held_back" if digest[0] % 2 else "open"

    @property
    def language(self) -> str:
        """What its file is written in, with TypeScript as JavaScript."""
        language = detect_language(self.path) or ""
        return "javascript" if language in ("typescript", "tsx") else language


class PlaceOutcome(NamedTuple):
    """The rules of the findings that block there."""

    place: Place
    rules: tuple[str, ...]


class Checkout:
    """The files of a mirror at a commit."""

    def __init__(self, mirror: Path, commit: str) -> None:
        self._ask = ["git", "-C", str(mirror)]
        self._commit = commit
        self.paths: Sequence[str] = self._run("ls-tree", "-r", "--name-only", commit).splitlines()
        self.read = cache(self._read)

    def _read(self, path: str) -> str:
        return self._run("show", f"{self._commit}:{path}")

    def _run(self, *command: str) -> str:
        done = subprocess.run([*self._ask, *command], capture_output=True, check=True)
        return decode_text(done.stdout)


def _list_semgrep(checkout: Checkout) -> Iterator[Place]:
    """Lines below a mark, of rules that say they find a weakness and not what to look at."""
    known = frozenset(checkout.paths)
    for path in checkout.paths:
        if "/security/" not in path or detect_language(path) not in _LANGUAGES:
            continue
        stem = re.sub(r"(?:\.test)?\.\w+$", "", path)
        told = next((f"{stem}{end}" for end in (".yaml", ".yml") if f"{stem}{end}" in known), None)
        asked = _list_asked(checkout.read(told)) if told is not None else frozenset[str]()
        lines = checkout.read(path).splitlines()
        for number, line in enumerate(lines, 1):
            mark = _MARK.search(line)
            if mark is None or asked.isdisjoint(re.split(r"[,\s]+", mark[2])):
                continue
            below = number
            while below < len(lines) and _MARK.search(lines[below]):
                below += 1
            yield Place("semgrep", path, below + 1, mark[1] == "ruleid")


def _list_asked(text: str) -> frozenset[str]:
    """The rules of a file that are sure of what they find, about weaknesses that are asked for."""
    return frozenset(
        rule["id"]
        for rule in yaml.safe_load(text)["rules"]
        if "vuln" in rule.get("metadata", {}).get("subcategory", ())
        and _is_asked(rule["metadata"].get("cwe", ()))
    )


def _is_asked(named: str | Iterable[str]) -> bool:
    numbers = re.findall(r"CWE-0*(\d+)", named if isinstance(named, str) else " ".join(named))
    return any(int(number) in _NUMBERS for number in numbers)


def _list_codeql(checkout: Checkout) -> Iterator[Place]:
    """Lines with an alert in the answers expected, and those that a comment calls good."""
    alerts: dict[str, set[int]] = defaultdict(set)
    folders: set[str] = set()
    for path in checkout.paths:
        if "/query-tests/" not in path or not path.endswith(".expected"):
            continue
        if not _is_asked(re.sub("CWE-0*", "CWE-", path)):
            continue
        folder = str(PurePosixPath(path).parent)
        folders.add(folder)
        _, _, selected = checkout.read(path).rpartition("#select\n")
        for name, line in _ALERT.findall(selected):
            alerts[f"{folder}/{name}"].add(int(line))
    for path in checkout.paths:
        if detect_language(path) not in _LANGUAGES:
            continue
        if not any(path.startswith(f"{folder}/") for folder in folders):
            continue
        faults = alerts.get(path, set())
        yield from (Place("CodeQL", path, line, is_fault=True) for line in sorted(faults))
        for number, line in enumerate(checkout.read(path).splitlines(), 1):
            if number not in faults and _GOOD.search(line) and not _BAD.search(line):
                yield Place("CodeQL", path, number, is_fault=False)


def _list_benchmark(checkout: Checkout) -> Iterator[Place]:
    """Each file of OWASP's Benchmark for Java, as a whole."""
    (table,) = (path for path in checkout.paths if re.match(r"expectedresults-[\d.]+\.csv", path))
    folder = "src/main/java/org/owasp/benchmark/testcode"
    for name, _, fault, *_ in csv.reader(checkout.read(table).splitlines()):
        if name.startswith("BenchmarkTest"):
            yield Place("OWASP", f"{folder}/{name}.java", 0, fault == "true")


class _Corpus(NamedTuple):
    """Where tests stand, at which commit, and how they are marked."""

    project: str
    commit: str
    list_places: Callable[[Checkout], Iterator[Place]]


_CORPORA = (
    _Corpus("semgrep/semgrep-rules", "157ae470", _list_semgrep),
    _Corpus("Semmle/ql", "a760ed8c", _list_codeql),
    _Corpus("github/codeql-go", "06d13984", _list_codeql),
    _Corpus("OWASP-Benchmark/BenchmarkJava", "79b9bd61", _list_benchmark),
)


def measure_places(mirrors: Path, only: str) -> Iterator[PlaceOutcome]:
    """What blocks at each place of the corpora that are at hand and whose name has `only`."""
    rule_set = load_ruleset(read_pack("engineering"))
    for project, commit, list_places in _CORPORA:
        mirror = find_mirror(project, mirrors)
        if mirror is None or only not in project:
            continue
        checkout = Checkout(mirror, commit)
        by_file: dict[str, list[Place]] = defaultdict(list)
        for place in list_places(checkout):
            by_file[place.path].append(place)
        for path, places in by_file.items():
            found = list(_find_blocking(path, checkout.read(path), rule_set))
            for place in places:
                rules = {one.rule.id for one in found if _is_there(one, place.line)}
                yield PlaceOutcome(place, tuple(sorted(rules)))


def _find_blocking(path: str, text: str, rule_set: RuleSet) -> Iterator[Finding]:
    # As product code: where it stands it is a test, which blocks for less.
    name = f"src/app{PurePosixPath(path).suffix}"
    file = build_added_file(name, detect_language(path), text)
    rules = tuple(rule for rule in rule_set.rules.values() if rule.weaknesses)
    subject = Subject(SubjectKind.CODE_DIFF, files=(file,))
    result = check_rules(EvaluationContext((subject,)), Selection(rules), rule_set)
    for verdict in result.verdicts:
        yield from (finding for finding in verdict.findings if finding.blocks)


def _is_there(finding: Finding, line: int) -> bool:
    place = finding.location
    if not line or place is None or place.start_line is None:
        return True
    return place.start_line <= line <= (place.end_line or place.start_line)


def count_places(outcomes: Sequence[PlaceOutcome]) -> dict[str, Counter[str]]:
    """Counts by half, corpus and language."""
    rows: dict[str, Counter[str]] = {}
    for place, rules in outcomes:
        row = rows.setdefault(f"{place.half} {place.corpus} {place.language}", Counter())
        kind = "faults" if place.is_fault else "safe"
        row[kind] += 1
        row[f"{kind} blocked"] += bool(rules)
    return dict(sorted(rows.items()))


def main() -> None:
    """Print the counts, and with `--each` the open places that come out wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirrors", type=Path, default=ROOT / "build" / "histories")
    parser.add_argument("--of", default="", help="only corpora whose name has this in it")
    parser.add_argument("--each", action="store_true")
    asked = parser.parse_args()
    outcomes = list(measure_places(asked.mirrors, asked.of))
    for place, rules in outcomes:
        if asked.each and place.half == "open" and place.is_fault != bool(rules):
            print(f"{'missed' if place.is_fault else 'false'} {place.path}:{place.line}", *rules)
    for name, row in count_places(outcomes).items():
        print(f"{name}: {row['faults blocked']} of {row['faults']} faults,"
              f" {row['safe blocked']} of {row['safe']} safe")  # fmt: skip


if __name__ == "__main__":
    main()
