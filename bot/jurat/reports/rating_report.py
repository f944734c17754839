"""A rating, and what a change moves in it, as text, as JSON and as Markdown.

The words of a pack are ours and stand as they are; what comes from a repository is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import TextIO

from jurat.rating.changes import MovedClause, MovedRegulation, build_document, to_canonical_json
from jurat.rating.pack import format_day
from jurat.rating.provenance import RatedSource
from jurat.rating.rating import ClauseRating, Rating, SupportedVerdict
from jurat.rating.scale import ClauseVerdict
from jurat.rating.signals.evidence import SignalEvidence
from jurat.reports.formats import RatingReport
from jurat.reports.markdown import escape_markdown, quote_code, render_details, render_row
from jurat.reports.rating_words import (
    ANNOUNCED,
    CONCLUSIONS,
    LIMITS,
    METHOD,
    RISKS,
    SIGNED,
    SIGNERS,
    describe_counts,
    describe_figures,
    describe_judge,
    describe_law,
    describe_starting,
    describe_unread,
    describe_verdict,
    describe_weight,
    format_score,
    format_supported,
    list_evidence_in_order,
    list_identity,
    list_scope,
)
from jurat.source.visible_text import escape_json, to_terminal_line


def write_text(report: RatingReport, stream: TextIO) -> None:
    """Write the rating for a terminal."""
    document = build_document(report.rating, report.source)
    stream.write(render_text(report.rating, document["sha256"]))


def write_json(report: RatingReport, stream: TextIO) -> None:
    """Write the rating's document, whose digest the other formats name."""
    document = build_document(report.rating, report.source)
    stream.write(escape_json(to_canonical_json(document)) + "\n")


def write_markdown(report: RatingReport, stream: TextIO) -> None:
    """Write the rating as Markdown."""
    document = build_document(report.rating, report.source)
    stream.write(render_markdown(report.rating, report.source, document["sha256"]))


_MARKDOWN_PLACES = 5
"""Places listed of one clause."""


def render_markdown(rating: Rating, source: RatedSource, digest: str) -> str:
    """The whole rating as a document, with the digest of its JSON form."""
    return "\n".join(_iter_document(rating, source, digest)) + "\n"


def render_moves(
    moved: Sequence[MovedRegulation],
    head: Rating,
    sources: tuple[RatedSource, RatedSource] | None = None,
) -> str:
    """What a change moves, for the summary of a check: scores, and only the clauses that moved.

    Lines are links if `sources`, of base and head, know where they can be read.
    """
    return "\n".join(_iter_moves(moved, head, sources))


def render_headline(moved: MovedRegulation) -> str:
    """One regulation in a line: "EU AI Act 2.8 → 3.1; Art. 12(1) fail → pass"."""
    name, before, after = (
        moved.regulation.name,
        format_score(moved.before),
        format_score(moved.after),
    )
    scores = f"{name} {before} → {after}" if before != after else f"{name} {after}"
    return "; ".join([scores, *(_describe_move(item) for item in moved.clauses)])


def _describe_move(moved: MovedClause) -> str:
    before, after = moved.before, moved.after
    if before.supported_verdict is after.supported_verdict:
        figures = f"{before.supported_ordinal} → {after.supported_ordinal}"
        return f"{after.clause.article} {describe_verdict(after)} {figures}"
    return f"{after.clause.article} {describe_verdict(before)} → {describe_verdict(after)}"


def _iter_moves(
    moved: Sequence[MovedRegulation],
    head: Rating,
    sources: tuple[RatedSource, RatedSource] | None,
) -> Iterator[str]:
    yield "### Regulation rating"
    yield ""
    for item in moved:
        yield f"- {render_headline(item)}"
    yield ""
    risk = f"{RISKS[head.risk]}. {head.risk_reason}"
    yield f"Risk: {escape_markdown(risk)}"
    soon = list(describe_starting(head, within=ANNOUNCED))
    if soon:
        yield ""
        yield from (f"- {line}" for line in soon)
    errors = head.list_clauses(ClauseVerdict.ERROR)
    if errors:
        yield ""
        names = ", ".join(_format_name(item) for item in errors)
        yield f"**Not rated, because a rule failed:** {names}."
    if unread := describe_unread(head):
        yield ""
        yield escape_markdown(unread)
    for regulation in moved:
        for clause in regulation.clauses:
            after = _render_clause_markdown(clause.after, sources and sources[1])
            body = "\n".join([*_iter_lines_moved(clause, sources), *after])
            yield ""
            yield render_details(
                escape(f"{regulation.regulation.name}: {_describe_move(clause)}"), body
            )


_MOVED_LINES = 6
"""Lines named that count now, and as many that no longer do."""


def _iter_lines_moved(
    moved: MovedClause, sources: tuple[RatedSource, RatedSource] | None
) -> Iterator[str]:
    """Which lines made the clause move."""
    base, head = sources or (None, None)
    both = (
        (moved.gained, head, "counts now", " (before: {})"),
        (moved.lost, base, "no longer counts", ": {}"),
    )
    for lines, source, said, why in both:
        for item, doubt in lines[:_MOVED_LINES]:
            place, snippet = _format_place(item, source), quote_code(item.snippet)
            yield f"- {place} {snippet} {said}{why.format(doubt) if doubt else ''}"
        if len(lines) > _MOVED_LINES:
            yield f"- and {len(lines) - _MOVED_LINES} more that {said}"
    if moved.gained or moved.lost:
        yield ""


def _format_place(item: SignalEvidence, source: RatedSource | None) -> str:
    place = quote_code(f"{item.path}:{item.line}")
    link = source.link_line(item.path, item.line) if source else ""
    # Between pointed brackets a parenthesis ends no link: https://spec.commonmark.org/0.31.2/#links
    return f"[{place}](<{link}>)" if link else place


def _iter_document(rating: Rating, source: RatedSource, digest: str) -> Iterator[str]:
    yield "# Regulation rating"
    yield ""
    overall = format_supported(rating.supported_score, rating.share_assessed)
    yield f"Overall: **{overall}** ({describe_counts(rating)})"
    yield ""
    yield "| | |"
    yield "|---|---|"
    for name, said in list_identity(rating, source, digest):
        # As code: a digest or an address is no reference to anything here.
        yield render_row(name, quote_code(said))
    yield ""
    yield f"Risk: **{RISKS[rating.risk]}**. {escape_markdown(rating.risk_reason)}"
    yield ""
    if starting := list(describe_starting(rating)):
        yield from (f"- {line}" for line in starting)
        yield ""
    yield from _iter_preface(rating)
    for item in rating.regulations:
        score = format_supported(item.supported_score, item.share_assessed)
        yield f"## {item.regulation.name}: {score}"
        yield ""
        yield f"[{item.regulation.version}]({item.regulation.source})"
        yield ""
        yield "| clause | verdict | score |"
        yield "|---|---|---|"
        for clause in item.clauses:
            held = clause.supported_ordinal
            ordinal = "" if held is None else str(held)
            yield f"| {_format_name(clause)} | {describe_verdict(clause)} | {ordinal} |"
        yield ""
        for clause in item.clauses:
            if clause.is_reported:
                yield f"### {_format_name(clause)}: {describe_verdict(clause)}"
                yield ""
                yield from _render_clause_markdown(clause, source)
                yield ""
    yield "## Sign-off"
    yield ""
    yield render_row("", *SIGNED)
    yield render_row(*("---" for _ in range(len(SIGNED) + 1)))
    yield from (render_row(signer, *("" for _ in SIGNED)) for signer in SIGNERS)
    yield ""
    yield f"Conclusion: {', '.join(f'☐ {said}' for said in CONCLUSIONS)}"


def _iter_preface(rating: Rating) -> Iterator[str]:
    """Scope, method and limits."""
    yield "## Scope"
    yield ""
    for said, paths in list_scope(rating):
        named = ", ".join(quote_code(path) for path in paths)
        yield f"- {escape_markdown(said)} {named}".rstrip()
    for title, sentences in (
        ("Method", (*METHOD, describe_judge(rating))),
        ("Limits", LIMITS),
    ):
        yield ""
        yield f"## {title}"
        yield ""
        yield from (f"- {said}" for said in sentences)
    yield ""


def _format_name(rated: ClauseRating) -> str:
    return f"{rated.clause.article} {rated.clause.title}"


def _render_clause_markdown(
    rated: ClauseRating, source: RatedSource | None = None
) -> Iterator[str]:
    clause = rated.clause
    yield f"{clause.text} ([official text]({clause.link}))"
    yield ""
    if figures := describe_figures(rated):
        yield f"- {figures}"
    if rated.note:
        yield f"- {escape_markdown(rated.note)}"
    ordered = list_evidence_in_order(rated)
    for rule, evidence in ordered[:_MARKDOWN_PLACES]:
        place = _format_place(evidence, source)
        said = f"{quote_code(rule)}{describe_weight(rated, evidence)}"
        yield f"- {place} {quote_code(evidence.snippet)} ({said})"
    if len(ordered) > _MARKDOWN_PLACES:
        yield f"- and {len(ordered) - _MARKDOWN_PLACES} more places"
    if rated.in_scope and rated.supported_verdict in _WANTING:
        yield f"- To do: {clause.remediation_hint}"


# A rating for a terminal: plain lines, foreign text made visible.

_TEXT_PLACES = 3
"""Places told of each clause; JSON and HTML list more."""

_INDENT = " " * 16
_WANTING = (SupportedVerdict.FAIL, SupportedVerdict.PARTIAL)
"""What is followed by what to do."""


def render_text(rating: Rating, digest: str) -> str:
    """The whole report, with the digest of the rating's document at its end."""
    return "\n".join([*_render_lines(rating), "", f"sha256 {digest}"]) + "\n"


def _render_lines(rating: Rating) -> Iterator[str]:
    yield f"Risk: {RISKS[rating.risk]}. {to_terminal_line(rating.risk_reason)}"
    overall = format_supported(rating.supported_score, rating.share_assessed)
    yield f"Overall: {overall} ({describe_counts(rating)})"
    yield describe_law(rating)
    yield from describe_starting(rating)
    if unread := describe_unread(rating):
        yield to_terminal_line(unread)
    for item in rating.regulations:
        yield ""
        score = format_supported(item.supported_score, item.share_assessed)
        yield f"{item.regulation.name}: {score}  ({item.regulation.version})"
        for clause in item.clauses:
            yield from _render_clause_text(clause)


def _render_clause_text(rated: ClauseRating) -> Iterator[str]:
    clause = rated.clause
    figures = describe_figures(rated) or (rated.starts and f"from {format_day(rated.starts)}")
    if rated.is_reported and not rated.in_scope:
        figures = figures or "not required"
    yield f"  {rated.supported_verdict.value:<13} {clause.article}  {clause.title}" + (
        f"  ({figures})" if figures else ""
    )
    if not rated.is_reported:
        return
    if rated.note:
        yield f"{_INDENT}{to_terminal_line(rated.note)}"
    ordered = list_evidence_in_order(rated)
    for rule, evidence in ordered[:_TEXT_PLACES]:
        place = f"{to_terminal_line(evidence.path)}:{evidence.line}"
        yield f"{_INDENT}{place}  {rule}{describe_weight(rated, evidence)}"
    if len(ordered) > _TEXT_PLACES:
        yield f"{_INDENT}and {len(ordered) - _TEXT_PLACES} more places"
    if rated.in_scope and rated.supported_verdict in _WANTING:
        yield f"{_INDENT}To do: {clause.remediation_hint}"
