"""The figures in docs/rating-measured.md: `python -m tests.rating.clause_figures` writes them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from math import sqrt
from pathlib import Path

from tests.rating.blind_repositories import build_blind_controls, build_blind_practices
from tests.rating.clause_repositories import SETS, read_repositories
from tests.rating.labelled_repositories import (
    LabelledRepository,
    build_control_cases,
    build_practice_cases,
)
from tests.rating.test_labelled_repositories import is_seen
from tests.rating.test_repositories_of_many_styles import is_shown, read_styles
from tests.support.rating import rate_document

PAGE = Path(__file__).parents[2] / "docs" / "rating-measured.md"
_START = "<!-- figures by clause: python -m tests.rating.clause_figures -->\n"
_END = "<!-- end of the figures by clause -->\n"
Outcomes = Counter[tuple[bool, bool]]
"""Labels by whether they hold, and whether the rater says so."""
_NAMES = {"eu-ai-act": "", "gdpr": "GDPR ", "nist-ai-rmf": "NIST "}


@cache
def count_outcomes(half: str) -> Mapping[str, Outcomes]:
    """The outcomes of one half of the repositories by clause."""
    found: defaultdict[str, Outcomes] = defaultdict(Counter)
    for one in read_repositories(half):
        shown = {
            (part["id"], item["id"]): item["supported_verdict"]
            for part in rate_document(one.files)["regulations"]
            for item in part["clauses"]
        }
        for label in one.labels:
            said = shown[label.regulation, label.clause]
            seen = said in (
                ("fail", "partial") if label.clause.startswith("5(1)") else ("pass", "partial")
            )
            found[_NAMES[label.regulation] + label.clause][label.holds, seen] += 1
    return found


@cache
def count_older(written: str) -> Mapping[str, Outcomes]:
    """The outcomes of the sets that were written before, by clause."""
    cases: Mapping[str, Iterable[LabelledRepository]] = {
        "labelled": (*build_control_cases(), *build_practice_cases()),
        "blind": (*build_blind_controls(), *build_blind_practices()),
        "styles": tuple(read_styles()),
    }
    found: defaultdict[str, Outcomes] = defaultdict(Counter)
    for case in cases[written]:
        regulation, _, clause = case.clause.rpartition(":")
        name = "GDPR 17" if clause == "17" else _NAMES[regulation or "eu-ai-act"] + clause
        seen = is_shown(case) if written == "styles" else is_seen(case, rate_document(case.files))
        found[name][case.holds, seen] += 1
    return found


def compute_interval(hits: int, of: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's interval of 95 %."""
    if not of:
        return 0.0, 1.0
    share, spread = hits / of, z * z / of
    middle = (share + spread / 2) / (1 + spread)
    half = z * sqrt(share * (1 - share) / of + spread / of / 4) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def _format(hits: int, of: int) -> str:
    if not of:
        return "none"
    low, high = compute_interval(hits, of)
    return f"{hits / of:.2f} ({low:.2f} to {high:.2f})"


def _describe(counts: Outcomes) -> str:
    right, wrong, missed = counts[True, True], counts[False, True], counts[True, False]
    return f"{_format(right, right + wrong)} | {_format(right, right + missed)}"


def render() -> str:
    """The table, each clause with the labels of all sets, and the pooled figures of each set."""
    sets: dict[str, Mapping[str, Outcomes]] = {
        **{name: count_outcomes(name) for name in SETS},
        **{name: count_older(name) for name in ("labelled", "blind", "styles")},
    }
    return "".join(f"{line}\n" for line in _iter_lines(sets))


def _iter_lines(sets: Mapping[str, Mapping[str, Outcomes]]) -> Iterator[str]:
    yield "| set | holds | look-alike | precision | recall |"
    yield "|---|---|---|---|---|"
    for name, by_clause in sets.items():
        total = sum(by_clause.values(), Counter[tuple[bool, bool]]())
        yield f"| {name} | {_count(total, True)} | {_count(total, False)} | {_describe(total)} |"
    yield ""
    yield "| clause | holds | look-alike | precision | recall | recall, kept half |"
    yield "|---|---|---|---|---|---|"
    clauses = sorted({clause for by_clause in sets.values() for clause in by_clause}, key=_order)
    for clause in clauses:
        pooled = sum(
            (by_clause.get(clause, Counter()) for by_clause in sets.values()),
            Counter[tuple[bool, bool]](),
        )
        kept = sets["kept"].get(clause, Counter())
        seen, held = kept[True, True], _count(kept, True)
        yield (
            f"| {clause} | {_count(pooled, True)} | {_count(pooled, False)} | {_describe(pooled)} "
            f"| {f'{seen} of {held}' if held else 'none'} |"
        )


def _count(counts: Outcomes, holds: bool) -> int:
    return counts[holds, True] + counts[holds, False]


def _order(clause: str) -> tuple[int, int, str]:
    regulation, _, rest = clause.rpartition(" ") if clause.startswith("GDPR") else ("", "", clause)
    number = "".join(c for c in rest.partition("(")[0] if c.isdigit())
    return (
        2 if clause.startswith("NIST") else 1 if regulation else 0,
        int(number) if number and not clause.startswith("NIST") else 0,
        clause,
    )


def splice(text: str, figures: str) -> str:
    """The page with these figures. Raises ValueError if it has no place for them."""
    before, start, rest = text.partition(_START)
    _, end, after = rest.partition(_END)
    if not (start and end):
        raise ValueError("the page has no place for the figures by clause")
    return before + start + figures + end + after


def main() -> None:
    """Put the figures in the place of those that the page has."""
    PAGE.write_text(splice(PAGE.read_text("utf-8"), render()), "utf-8")


if __name__ == "__main__":
    main()
