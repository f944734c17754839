"""A probe run as one HTML page: its figures, laid out in the SVG's units, and the page itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TextIO

from jurat.probes.observability import MIN_CASES, CasePoint
from jurat.probes.report import Report
from jurat.reports.markdown import load_templates
from jurat.source.visible_text import to_visible_text


def write_page(report: Report, stream: TextIO) -> None:
    """Write the page."""
    stream.write(render_report(report))


def render_report(report: Report) -> str:
    """The page. It asks for nothing outside itself, and runs no script."""
    templates = load_templates(Path(__file__).parent / "templates")
    templates.filters |= {
        "visible": to_visible_text,
        "words": lambda text: text.replace("_", " "),
        "percent": lambda share: f"{share:.0%}",
        "score": lambda value: f"{value:.2f}",
    }
    cases = {case.probe_id: case for case in report.cases}
    text = templates.get_template("probe.html.j2").render(
        report=report,
        metrics=report.metrics,
        cases=cases,
        families=assign_families(report),
        bins=build_histogram(report),
        dots=build_scatter(report),
        width=WIDTH,
        height=HEIGHT,
        least=MIN_CASES,
    )
    return f"{text}\n"


BINS = 10
"""Bars of the risk distribution, each a tenth."""

WIDTH, HEIGHT = 360, 260
_MARGIN = 14

_COLOURS = 8
"""Colours of families that the page has; a letter tells them apart as well."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Cases with a risk from `low` on, of which `failed` have failed. `share` is of the highest."""

    low: float
    high: float
    cases: int
    failed: int
    share: float
    failed_share: float


@dataclass(frozen=True, slots=True)
class Family:
    """A category with the letter and the number of the colour that stand for it."""

    name: str
    letter: str
    colour: int


@dataclass(frozen=True, slots=True)
class Dot:
    """A case in the scatter."""

    x: float
    y: float
    family: Family
    passed: bool
    label: str


def build_histogram(report: Report) -> tuple[Bin, ...]:
    """How many cases have which risk."""
    found: list[list[bool]] = [[] for _ in range(BINS)]
    for case in report.cases:
        found[min(int(case.risk_score * BINS), BINS - 1)].append(case.passed)
    most = max(map(len, found), default=0) or 1
    return tuple(
        Bin(
            low=number / BINS,
            high=(number + 1) / BINS,
            cases=len(passed),
            failed=passed.count(False),
            share=len(passed) / most,
            failed_share=passed.count(False) / most,
        )
        for number, passed in enumerate(found)
    )


def assign_families(report: Report) -> dict[str, Family]:
    """Each category's letter and colour, in alphabetical order; behind Z come numbers."""
    letters = (chr(ord("A") + number) if number < 26 else str(number) for number in count())
    return {
        name: Family(name, letter, number % _COLOURS)
        for number, (name, letter) in enumerate(
            zip(sorted(report.metrics.by_category), letters, strict=False)
        )
    }


def build_scatter(report: Report) -> tuple[Dot, ...]:
    """The cases where the second decomposition puts them, stretched to the picture."""
    if report.observability is None:
        return ()
    points = {point.probe_id: point for point in report.observability.points}
    known = assign_families(report)
    xs = _stretch([point.scatter_x for point in points.values()], WIDTH)
    ys = _stretch([point.scatter_y for point in points.values()], HEIGHT)
    places = dict(zip(points, zip(xs, ys, strict=True), strict=True))
    return tuple(
        Dot(
            *places[case.probe_id],
            family=known[case.category],
            passed=case.passed,
            label=_format_label(case.probe_id, points[case.probe_id], passed=case.passed),
        )
        for case in report.cases
        if case.probe_id in places
    )


def _stretch(values: Sequence[float], length: int) -> list[float]:
    low, high = min(values, default=0.0), max(values, default=0.0)
    span = high - low or 1.0
    room = length - 2 * _MARGIN
    return [round(_MARGIN + (value - low) / span * room, 1) for value in values]


def _format_label(probe_id: str, point: CasePoint, *, passed: bool) -> str:
    outcome = "passed" if passed else "failed"
    return f"{probe_id}, {outcome}, cluster {point.cluster + 1}"
