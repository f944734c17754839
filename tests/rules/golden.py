"""The golden harness of the authority ranking, and its figures.

python -m tests.rules.golden
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from jurat.cli.rank import RankingRow, to_candidates
from jurat.rules.authority import Candidate, RankedCandidate, rerank_by_authority
from jurat.rules.vocabulary import load_shipped_vocabulary

FOLDER = Path(__file__).parents[2] / "fixtures" / "authority"


@dataclass(frozen=True, slots=True)
class Case:
    """A query, its candidates, and the order in which they must come out."""

    name: str
    query: str
    candidates: tuple[Candidate, ...]
    order: tuple[str, ...]

    def ranked(self) -> list[RankedCandidate]:
        return rerank_by_authority(self.query, self.candidates, load_shipped_vocabulary())


@dataclass(frozen=True, slots=True)
class Figures:
    """How many cases there are, and in how many of them something happened.

    `guidance_top_1` and `foreign_top_1` count guidance and foreign law that came first where
    something else should have; `top_1` and `top_3` what should come first and came first, or among
    the first three.
    """

    cases: int
    guidance_top_1: int
    foreign_top_1: int
    top_1: int
    top_3: int


def cases(name: str = "golden.yml") -> list[Case]:
    """Those of one file."""
    rows: list[dict[str, Any]] = yaml.safe_load((FOLDER / name).read_text("utf-8"))
    return [
        Case(
            row["name"],
            row["query"],
            tuple(to_candidates([RankingRow.model_validate(item) for item in row["candidates"]])),
            tuple(row["order"]),
        )
        for row in rows
    ]


def measure(given: Sequence[Case]) -> Figures:
    guidance = foreign = first = among_three = 0
    for case in given:
        ranked = case.ranked()
        wrong = ranked[0].candidate.id != case.order[0]
        guidance += wrong and ranked[0].authority_class.source_class == "supervisory_guidance"
        foreign += wrong and ranked[0].authority_class.foreign
        first += not wrong
        among_three += case.order[0] in [item.candidate.id for item in ranked[:3]]
    return Figures(len(given), guidance, foreign, first, among_three)


def print_figures() -> None:
    figures = measure(cases())
    print(f"Authority ranking, {figures.cases} golden cases:")
    print(f"  guidance-top-1 {figures.guidance_top_1:3}  guidance first, wrongly")
    print(f"  foreign-top-1  {figures.foreign_top_1:3}  foreign law first, wrongly")
    print(f"  top-1          {figures.top_1 / figures.cases:7.3f}")
    print(f"  top-3          {figures.top_3 / figures.cases:7.3f}")


if __name__ == "__main__":
    print_figures()
