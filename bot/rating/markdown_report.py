"""A rating, and what a change moves in it, as Markdown in which foreign text stays text.

The words of a pack are ours and stand as they are; what comes from a repository is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from bot.publishing.markdown import code_span, details, plain
from bot.rating.moves import MovedClause, MovedRegulation
from bot.rating.ordinals import ClauseVerdict
from bot.rating.ratings import ClauseRating, Rating
from bot.rating.wording import RISKS, counts_text, figures_text, score_text, unread_text

_MARKDOWN_PLACES = 5
"""Places listed of one clause."""


def markdown_of(rating: Rating, digest: str) -> str:
    """The whole rating as a document, with the digest of its JSON form."""
    return "\n".join([*_document(rating), f"SHA-256 of the rating: {code_span(digest)}"]) + "\n"


def moves_markdown(moved: Sequence[MovedRegulation], head: Rating) -> str:
    """What a change moves, for the summary of a check: scores, and only the clauses that moved."""
    return "\n".join(_moves(moved, head))


def headline(moved: MovedRegulation) -> str:
    """One regulation in a line: "EU AI Act 2.8 → 3.1; Art. 12(1) fail → pass"."""
    name, before, after = moved.regulation.name, score_text(moved.before), score_text(moved.after)
    scores = f"{name} {before} → {after}" if before != after else f"{name} {after}"
    return "; ".join([scores, *(_moved_text(item) for item in moved.clauses)])


def _moved_text(moved: MovedClause) -> str:
    before, after = moved.before, moved.after
    if before.verdict is after.verdict:
        figures = f"{before.ordinal} → {after.ordinal}"
        return f"{after.clause.article} {after.verdict.value} {figures}"
    return f"{after.clause.article} {before.verdict.value} → {after.verdict.value}"


def _moves(moved: Sequence[MovedRegulation], head: Rating) -> Iterator[str]:
    yield "### Regulation rating"
    yield ""
    for item in moved:
        yield f"- {headline(item)}"
    yield ""
    risk = f"{RISKS[head.risk]}. {head.risk_reason}"
    yield f"Risk: {plain(risk)}"
    errors = head.having(ClauseVerdict.ERROR)
    if errors:
        yield ""
        yield f"**Not rated, because a rule failed:** {', '.join(_name(item) for item in errors)}."
    if unread := unread_text(head):
        yield ""
        yield plain(unread)
    for regulation in moved:
        for clause in regulation.clauses:
            body = "\n".join(_markdown_clause(clause.after))
            yield ""
            yield details(escape(f"{regulation.regulation.name}: {_moved_text(clause)}"), body)


def _document(rating: Rating) -> Iterator[str]:
    yield "# Regulation rating"
    yield ""
    yield f"Risk: **{RISKS[rating.risk]}**. {plain(rating.risk_reason)}"
    yield ""
    yield f"Overall: **{score_text(rating.overall)}** ({counts_text(rating)})"
    yield ""
    if unread := unread_text(rating):
        yield plain(unread)
        yield ""
    for item in rating.regulations:
        yield f"## {item.regulation.name}: {score_text(item.score)}"
        yield ""
        yield f"[{item.regulation.version}]({item.regulation.source})"
        yield ""
        yield "| clause | verdict | score |"
        yield "|---|---|---|"
        for clause in item.clauses:
            ordinal = "" if clause.ordinal is None else str(clause.ordinal)
            yield f"| {_name(clause)} | {clause.verdict.value} | {ordinal} |"
        yield ""
        for clause in item.clauses:
            if clause.verdict is not ClauseVerdict.NOT_APPLICABLE:
                yield f"### {_name(clause)}: {clause.verdict.value}"
                yield ""
                yield from _markdown_clause(clause)
                yield ""


def _name(rated: ClauseRating) -> str:
    return f"{rated.clause.article} {rated.clause.title}"


def _markdown_clause(rated: ClauseRating) -> Iterator[str]:
    clause = rated.clause
    yield f"{clause.text} ([official text]({clause.link}))"
    yield ""
    if figures := figures_text(rated):
        yield f"- {figures}"
    if rated.note:
        yield f"- {plain(rated.note)}"
    for rule, evidence in rated.evidence[:_MARKDOWN_PLACES]:
        place = code_span(f"{evidence.path}:{evidence.line}")
        yield f"- {place} {code_span(evidence.snippet)} ({code_span(rule)})"
    if len(rated.evidence) > _MARKDOWN_PLACES:
        yield f"- and {len(rated.evidence) - _MARKDOWN_PLACES} more places"
    if rated.verdict in (ClauseVerdict.FAIL, ClauseVerdict.PARTIAL):
        yield f"- To do: {clause.remediation_hint}"
