"""A rating as one self-contained HTML page, for the screen and for print: no script, no request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from jurat.rating.changes import build_document
from jurat.rating.provenance import RatedSource
from jurat.rating.rating import ClauseRating, Rating
from jurat.rating.signals.evidence import SignalEvidence
from jurat.reports import rating_words as words
from jurat.reports.formats import RatingReport
from jurat.reports.markdown import load_templates
from jurat.source.visible_text import to_one_line


def write_page(report: RatingReport, stream: TextIO) -> None:
    """Write the rating as a page."""
    digest = build_document(report.rating, report.source)["sha256"]
    stream.write(render_rating(report.rating, report.source, digest))


@dataclass(frozen=True, slots=True)
class Place:
    """A line of evidence on the page: `rules` are those that it speaks for, in words.

    `weight` is what it is to the verdict, `link` its address.
    """

    path: str
    line: int
    snippet: str
    rules: str
    weight: str
    link: str


_PLACES = 8
"""Lines shown of each weight, of a clause that is no prohibition: who wants all reads the JSON."""


@dataclass(frozen=True, slots=True)
class ClauseSection:
    """A clause with the lines that the page shows of it, and how many more there are."""

    rated: ClauseRating
    anchor: str
    places: Sequence[Place]
    more: int


def render_rating(rating: Rating, source: RatedSource, digest: str) -> str:
    """The page as HTML. `digest` is that of the rating's JSON form."""
    templates = load_templates(Path(__file__).parent / "templates")
    sections = {
        item.regulation.id: [
            _build_section(rated, source, f"{item.regulation.id}-{number}")
            for number, rated in enumerate(item.clauses)
        ]
        for item in rating.regulations
    }
    return templates.get_template("rating.html.j2").render(
        title=to_one_line(source.name),
        rating=rating,
        source=source,
        digest=digest,
        words=words,
        identity=words.list_identity(rating, source, digest),
        scope=words.list_scope(rating),
        judge=words.describe_judge(rating),
        counts=words.describe_counts(rating),
        starting=list(words.describe_starting(rating)),
        one_line=to_one_line,
        sections=sections,
    )


def _build_section(rated: ClauseRating, source: RatedSource, anchor: str) -> ClauseSection:
    rules: dict[tuple[SignalEvidence, str], dict[str, None]] = {}
    for rule, item in words.list_evidence_in_order(rated):
        # What one line says is one line here, however many rules it speaks for.
        weight = words.describe_weight(rated, item)
        place = SignalEvidence(item.path, item.line, item.snippet)
        rules.setdefault((place, weight), {})[words.spell_rule(rule)] = None
    counts: Counter[str] = Counter()
    kept: list[Place] = []
    for (item, weight), named in rules.items():
        counts[weight] += 1
        if rated.clause.negative or counts[weight] <= _PLACES:
            kept.append(_build_place(", ".join(named), item, weight, source))
    return ClauseSection(rated, anchor, kept, len(rules) - len(kept))


def _build_place(rules: str, item: SignalEvidence, weight: str, source: RatedSource) -> Place:
    return Place(
        to_one_line(item.path),
        item.line,
        to_one_line(item.snippet),
        rules,
        weight.removeprefix("; "),
        source.link_line(item.path, item.line),
    )
