"""What reviews cost, as docs/models.md has it, measured with the command line and its ledger."""

from __future__ import annotations

import re
from pathlib import Path

from tests.benchmarks.bench_prompts import count, measure
from tests.standins.gemini.standin import StandInGemini

PAGE = Path(__file__).parents[2] / "docs/models.md"
_ROW = re.compile(
    r"^\| (?P<name>[^|]+?) \|(?: [\d,]+ \(\d+\))? \| (?P<tokens>[\d,]+) \((?P<calls>\d+)\) \|$",
    re.MULTILINE,
)
ONE_FILE = 2_486
"""A fifth of what another well-known review bot spends on one file."""
DRAWN = 300
"""What the twins of one prompt may cost more or less than those of the prompt that was stated."""


async def test_the_table_says_what_reviews_cost(tmp_path: Path) -> None:
    stated = {
        row["name"]: (int(row["calls"]), int(row["tokens"].replace(",", "")))
        for row in _ROW.finditer(PAGE.read_text(encoding="utf-8"))
    }
    async with StandInGemini() as gemini:
        found = {name: count(said) async for name, said in measure(gemini, tmp_path)}
    assert found.keys() == stated.keys()
    for name, (calls, tokens) in found.items():
        assert calls == stated[name][0]
        assert abs(tokens - stated[name][1]) <= DRAWN, name
    # What is stated is the middle of many draws, and each found figure is one draw.
    assert next(iter(stated.values()))[1] <= ONE_FILE
    one, many, pushed, alone, lock, beside = (tokens for _, tokens in found.values())
    assert pushed <= min(0.12 * many, alone + DRAWN)
    assert (lock, beside <= one + DRAWN) == (0, True)
