"""The figures of the quality board: counted, kept, and compared with what was kept."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.quality.cases import Case
from tests.quality.measure import Outcome

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "fixtures" / "quality" / "figures.json"

Figures = Mapping[str, Any]
"""What `KEPT` holds, `cases` as `count_figures` gives them: counts, so that two runs agree."""


def count_figures(outcomes: Sequence[Outcome]) -> Figures:
    """Counts by kind, language, class of fault and rule."""
    return {
        "kinds": _count_by(outcomes, lambda case: case.kind),
        "languages": _count_by(outcomes, lambda case: case.language),
        "faults": _count_by(
            [item for item in outcomes if item.case.cwe], lambda case: f"CWE-{case.cwe}"
        ),
        "gate": _count_gate(outcomes),
        "halves": {
            half: _count_gate([item for item in outcomes if item.case.half == half])
            for half in ("open", "held back")
        },
        "rules": _count_rules(outcomes),
    }


def _count_gate(outcomes: Sequence[Outcome]) -> dict[str, int]:
    return {
        "faults": sum(item.case.must_block for item in outcomes),
        "stopped": sum(item.case.must_block and item.blocks for item in outcomes),
        "by_right": sum(item.case.must_block and item.by_right for item in outcomes),
        "good": sum(not item.case.is_faulty for item in outcomes),
        "good_stopped": sum(not item.case.is_faulty and item.blocks for item in outcomes),
    }


def _count_by(outcomes: Iterable[Outcome], key: Callable[[Case], str]) -> dict[str, dict[str, int]]:
    groups: dict[str, dict[str, int]] = defaultdict(
        lambda: {"faults": 0, "said": 0, "stopped": 0, "good": 0, "good_said": 0, "good_stopped": 0}
    )
    for item in outcomes:
        row = groups[key(item.case)]
        prefix = "" if item.case.is_faulty else "good_"
        row["faults" if item.case.is_faulty else "good"] += 1
        row[f"{prefix}said"] += bool(item.rules) and item.is_placed
        row[f"{prefix}stopped"] += item.blocks
    return dict(sorted(groups.items()))


def _count_rules(outcomes: Iterable[Outcome]) -> dict[str, dict[str, int]]:
    rules: dict[str, dict[str, int]] = defaultdict(lambda: {"right": 0, "wrong": 0})
    for item in outcomes:
        for rule in item.rules:
            rules[rule]["right" if item.case.is_faulty else "wrong"] += 1
    return dict(sorted(rules.items()))


def find_falls(kept: Figures, found: Figures) -> list[str]:
    """Each share of `kept` that is worse in `found`, in words."""
    return [
        f"{name}: {after:.1%}, and was {before:.1%}"
        for name, measure in _SHARES.items()
        if (after := measure(found)) < (before := measure(kept))
    ]


def _divide(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _measure_merged(figures: Figures) -> float:
    rows = figures["histories"]["projects"].values()
    return 1 - _divide(sum(row["stopped"] for row in rows), sum(row["changes"] for row in rows))


_SHARES: Mapping[str, Callable[[Figures], float]] = {
    "faults stopped": lambda figures: _divide(
        figures["cases"]["gate"]["stopped"], figures["cases"]["gate"]["faults"]
    ),
    "good changes let through": lambda figures: (
        1 - _divide(figures["cases"]["gate"]["good_stopped"], figures["cases"]["gate"]["good"])
    ),
    "merged changes let through": _measure_merged,
}


def read_kept() -> Figures:
    """The figures as they were last measured."""
    kept: Figures = json.loads(KEPT.read_text("utf-8"))
    return kept


def write_kept(figures: Figures) -> None:
    """Keep them, one a line, so that a change of them can be read."""
    KEPT.write_text(json.dumps(figures, indent=1, sort_keys=True) + "\n", "utf-8")
