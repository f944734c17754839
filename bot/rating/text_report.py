"""A rating for a terminal: plain lines, foreign text made visible."""

from __future__ import annotations

from collections.abc import Iterator

from bot.publishing.plaintext import one_line
from bot.rating.ordinals import ClauseVerdict
from bot.rating.ratings import ClauseRating, Rating
from bot.rating.wording import RISKS, counts_text, figures_text, score_text, unread_text

_TEXT_PLACES = 3
"""Places told of each clause; JSON and HTML list more."""


def text_of(rating: Rating, digest: str) -> str:
    """The whole report, with the digest of the rating's document at its end."""
    return "\n".join([*_lines(rating), "", f"sha256 {digest}"]) + "\n"


def _lines(rating: Rating) -> Iterator[str]:
    yield f"Risk: {RISKS[rating.risk]}. {one_line(rating.risk_reason)}"
    yield f"Overall: {score_text(rating.overall)} ({counts_text(rating)})"
    if unread := unread_text(rating):
        yield one_line(unread)
    for item in rating.regulations:
        yield ""
        yield f"{item.regulation.name}: {score_text(item.score)}  ({item.regulation.version})"
        for clause in item.clauses:
            yield from _text_clause(clause)


def _text_clause(rated: ClauseRating) -> Iterator[str]:
    clause = rated.clause
    figures = figures_text(rated)
    yield f"  {rated.verdict.value:<8} {clause.article}  {clause.title}" + (
        f"  ({figures})" if figures else ""
    )
    if rated.verdict is ClauseVerdict.NOT_APPLICABLE:
        return
    if rated.note:
        yield f"           {one_line(rated.note)}"
    for rule, evidence in rated.evidence[:_TEXT_PLACES]:
        yield f"           {one_line(evidence.path)}:{evidence.line}  {rule}"
    if len(rated.evidence) > _TEXT_PLACES:
        yield f"           and {len(rated.evidence) - _TEXT_PLACES} more places"
    if rated.verdict in (ClauseVerdict.FAIL, ClauseVerdict.PARTIAL):
        yield f"           To do: {clause.remediation_hint}"
