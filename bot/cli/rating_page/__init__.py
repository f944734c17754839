"""A rating as one self-contained HTML page: no script, no request, light and dark."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from bot.publishing.plaintext import one_line
from bot.publishing.templates import templates_in
from bot.rating.document import EVIDENCE_A_RULE
from bot.rating.evidence import Evidence
from bot.rating.ratings import ClauseRating, Rating, RuleScore
from bot.rating.wording import RISKS, counts_text, figures_text, score_text, unread_text


@dataclass(frozen=True, slots=True)
class Place:
    """A line of evidence on the page. `anchor` is where the list of files shows it."""

    path: str
    line: int
    snippet: str
    anchor: str


class _Places:
    """Every line of evidence once, numbered in the order in which clauses name them."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], Place] = {}

    def of(self, rated: ClauseRating) -> list[tuple[RuleScore, list[Place]]]:
        """A clause's rules, each with its places."""
        limit = None if rated.clause.negative else EVIDENCE_A_RULE
        return [
            (scored, list(dict.fromkeys(self._place(item) for item in scored.evidence[:limit])))
            for scored in rated.rules
        ]

    def files(self) -> list[tuple[str, list[Place]]]:
        """All places, by file and line."""
        ordered = sorted(self._known.values(), key=lambda place: (place.path, place.line))
        return [
            (one_line(path), list(inside))
            for path, inside in groupby(ordered, key=lambda place: place.path)
        ]

    def _place(self, evidence: Evidence) -> Place:
        key = (evidence.path, evidence.line)
        if key not in self._known:
            anchor = f"place-{len(self._known) + 1}"
            snippet = one_line(evidence.snippet)
            self._known[key] = Place(one_line(evidence.path), evidence.line, snippet, anchor)
        return self._known[key]


def render_rating(rating: Rating, title: str, digest: str) -> str:
    """The page as HTML. `title` names what was rated, `digest` is its JSON form's."""
    templates = templates_in(Path(__file__).parent)
    places = _Places()
    evidence = {id(clause): places.of(clause) for clause in rating.clauses}
    return templates.get_template("rating.html.j2").render(
        title=one_line(title),
        rating=rating,
        digest=digest,
        risk=RISKS[rating.risk],
        counts=counts_text(rating),
        unread=unread_text(rating),
        score_text=score_text,
        figures_text=figures_text,
        one_line=one_line,
        evidence_of=lambda clause: evidence[id(clause)],
        files=places.files(),
    )
