"""Pairs of files as applications are written: one with a fault, one without; what blocks in each.

    python -m tests.quality.pairs [open|held_back] [--each]

A file of `fixtures/quality/pairs/HALF/LANGUAGE/` holds both: what stands between a comment
`: fault` and the next such comment is of the one, what stands after `: safe` of the other, and the
rest, also after `: both`, of both. See fixtures/quality/README.md.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence, Set
from pathlib import Path
from typing import Literal, NamedTuple

from jurat.engine.check import check_rules
from jurat.engine.rule_examples import build_added_file
from jurat.facts.context import EvaluationContext, Subject, SubjectKind
from jurat.rules.loader import load_ruleset, read_pack
from jurat.rules.rule import Rule, RuleSet
from jurat.rules.selection import Selection
from jurat.source.languages import detect_language

FOLDER = Path(__file__).parents[2] / "fixtures" / "quality" / "pairs"

Half = Literal["open", "held_back"]
HALVES: tuple[Half, ...] = ("open", "held_back")

_MARK = re.compile(r"\s*(?:#|//): (fault|safe|both)\n")


WEAKNESSES: dict[str, frozenset[int]] = {
    "cipher": frozenset({323, 326, 327, 329}),
    "code": frozenset({94, 95, 917}),
    "command": frozenset({77, 78, 88}),
    "cookie": frozenset({614, 1004}),
    "deserialisation": frozenset({502}),
    "deserialise": frozenset({502}),
    "expression": frozenset({94, 95, 917}),
    "hash": frozenset({327, 328, 916}),
    "jwt": frozenset({345, 347}),
    "ldap": frozenset({90}),
    "nosql": frozenset({943}),
    "path": frozenset({22, 73}),
    "random": frozenset({330, 338}),
    "redirect": frozenset({601}),
    "sql": frozenset({89}),
    "ssrf": frozenset({918}),
    "template": frozenset({79, 94, 1336}),
    "tls": frozenset({295}),
    "trust": frozenset({501}),
    "xpath": frozenset({643}),
    "xss": frozenset({79}),
    "xxe": frozenset({611}),
    "yaml": frozenset({502}),
}
"""By the first word of a pair's name, the weaknesses (CWE) that its fault may be called."""


class Pair(NamedTuple):
    """One file twice, and what the fault may be called."""

    name: str
    half: Half
    language: str
    fault: str
    safe: str
    weaknesses: frozenset[int]


class PairOutcome(NamedTuple):
    """What blocks: in the file with the fault, of its weakness; in the safe one, anything."""

    pair: Pair
    found: tuple[str, ...]
    false: tuple[str, ...]


def load_pairs(half: Half, folder: Path = FOLDER) -> Iterator[Pair]:
    """The pairs of one half, in the order of their paths."""
    for path in sorted((folder / half).glob("*/*")):
        yield _read_pair(path, half, detect_language(path.name) or path.parent.name)


def _read_pair(path: Path, half: Half, language: str) -> Pair:
    texts: dict[str, list[str]] = {"fault": [], "safe": []}
    side = "both"
    for line in path.read_text("utf-8").splitlines(keepends=True):
        if mark := _MARK.fullmatch(line):
            side = mark[1]
            continue
        for name, own in texts.items():
            if side in (name, "both"):
                own.append(line)
    fault, safe = ("".join(own) for own in texts.values())
    if fault == safe:
        message = f"{path}: both files are the same; is a comment such as `#: fault` written so?"
        raise ValueError(message)
    kind = re.split(r"-|(?<=[a-z])(?=[A-Z])", path.stem)[0].lower()
    return Pair(path.name, half, language, fault, safe, WEAKNESSES[kind])


def measure_pairs(pairs: Sequence[Pair]) -> Iterator[PairOutcome]:
    """Each pair judged by the shipped rules, as two files that were added."""
    rule_set = load_ruleset(read_pack("engineering"))
    for pair in pairs:
        faults = list_blocking(pair.name, pair.language, pair.fault, rule_set, pair.weaknesses)
        found = tuple(rule.id for rule in faults)
        safe = list_blocking(pair.name, pair.language, pair.safe, rule_set)
        false = tuple(rule.id for rule in safe)
        yield PairOutcome(pair, found, false)


def has_weakness(rule: Rule, weaknesses: Set[int]) -> bool:
    """Whether a rule names one of some weaknesses."""
    return not weaknesses.isdisjoint(int(one.removeprefix("CWE-")) for one in rule.weaknesses)


def list_blocking(
    path: str, language: str, code: str, rule_set: RuleSet, weaknesses: Set[int] | None = None
) -> Iterator[Rule]:
    """The rule of each finding that blocks in a file that is added; only rules on `weaknesses` are
    asked, or on any if there are none.
    """
    file = build_added_file(path, language, code)
    subject = Subject(SubjectKind.CODE_DIFF, files=(file,))
    rules = tuple(
        rule
        for rule in rule_set.rules.values()
        if (rule.weaknesses if weaknesses is None else has_weakness(rule, weaknesses))
    )
    result = check_rules(EvaluationContext((subject,)), Selection(rules), rule_set)
    for verdict in result.verdicts:
        for finding in verdict.findings:
            if finding.blocks:
                yield finding.rule


def count_pairs(outcomes: Sequence[PairOutcome]) -> dict[str, dict[str, int]]:
    """Counts by language, JavaScript and TypeScript as one."""
    rows: dict[str, dict[str, int]] = {}
    for item in outcomes:
        script = item.pair.language in ("typescript", "tsx")
        language = "javascript" if script else item.pair.language
        row = rows.setdefault(language, {"pairs": 0, "found": 0, "false": 0})
        row["pairs"] += 1
        row["found"] += bool(item.found)
        row["false"] += bool(item.false)
    return dict(sorted(rows.items()))


def main() -> None:
    """Print the counts, and with --each what was said of every pair."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("half", nargs="?", choices=HALVES, default="open")
    parser.add_argument("--each", action="store_true")
    asked = parser.parse_args()
    outcomes = list(measure_pairs(list(load_pairs(asked.half))))
    if asked.each:
        for item in outcomes:
            missed = "" if item.found else "MISSED "
            wrong = f" FALSE {', '.join(item.false)}" if item.false else ""
            print(f"{missed}{item.pair.language} {item.pair.name} {', '.join(item.found)}{wrong}")
    for language, row in count_pairs(outcomes).items():
        print(f"{language}: {row['found']} of {row['pairs']} found, {row['false']} false")


if __name__ == "__main__":
    main()
