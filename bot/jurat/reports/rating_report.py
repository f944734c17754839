"""A rating, and what a change moves in it, as Markdown, as HTML and for the terminal.

The words of a pack are ours and stand as they are; what comes from a repository is escaped.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby
from pathlib import Path
from typing import TextIO

from jurat.rating.changes import (
    EVIDENCE_A_RULE,
    MovedClause,
    MovedRegulation,
    build_document,
    to_canonical_json,
)
from jurat.rating.evidence import SignalEvidence
from jurat.rating.held import RuleScore
from jurat.rating.pack import RiskClass
from jurat.rating.rate import ClauseRating, Rating, SupportedVerdict, format_day
from jurat.rating.scale import ClauseVerdict
from jurat.reports.markdown import escape_markdown, load_templates, quote_code, render_details
from jurat.reports.summary import pluralize
from jurat.source.visible_text import escape_json, to_one_line, to_terminal_line

# The formats of `jurat rate`: see `formats`.


def write_text(rating: Rating, title: str, stream: TextIO) -> None:
    """Write the rating for a terminal."""
    stream.write(render_text(rating, build_document(rating)["sha256"]))


def write_json(rating: Rating, title: str, stream: TextIO) -> None:
    """Write the rating's document, whose digest the other formats name."""
    stream.write(escape_json(to_canonical_json(build_document(rating))) + "\n")


def write_markdown(rating: Rating, title: str, stream: TextIO) -> None:
    """Write the rating as Markdown."""
    stream.write(render_markdown(rating, build_document(rating)["sha256"]))


def write_page(rating: Rating, title: str, stream: TextIO) -> None:
    """Write the rating as a page."""
    stream.write(render_rating(rating, title, build_document(rating)["sha256"]))


# A rating as one self-contained HTML page: no script, no request, light and dark.


@dataclass(frozen=True, slots=True)
class Place:
    """A line of evidence on the page.

    `anchor` is where the list of files shows it, `weight` what it is to the verdict beside it.
    """

    path: str
    line: int
    snippet: str
    anchor: str
    weight: str = ""


class _Places:
    """Every line of evidence once, numbered in the order in which clauses name them."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], Place] = {}

    def place_rules(self, rated: ClauseRating) -> list[tuple[RuleScore, list[Place]]]:
        """A clause's rules, each with its places."""
        limit = None if rated.clause.negative else EVIDENCE_A_RULE
        return [
            (
                scored,
                list(
                    dict.fromkeys(
                        replace(self._place(item), weight=describe_weight(rated, item))
                        for item in scored.evidence[:limit]
                    )
                ),
            )
            for scored in rated.rules
        ]

    def list_files(self) -> list[tuple[str, list[Place]]]:
        """All places, by file and line."""
        ordered = sorted(self._known.values(), key=lambda place: (place.path, place.line))
        return [
            (to_one_line(path), list(inside))
            for path, inside in groupby(ordered, key=lambda place: place.path)
        ]

    def _place(self, evidence: SignalEvidence) -> Place:
        key = (evidence.path, evidence.line)
        if key not in self._known:
            anchor = f"place-{len(self._known) + 1}"
            snippet = to_one_line(evidence.snippet)
            self._known[key] = Place(to_one_line(evidence.path), evidence.line, snippet, anchor)
        return self._known[key]


def render_rating(rating: Rating, title: str, digest: str) -> str:
    """The page as HTML. `title` names what was rated, `digest` is its JSON form's."""
    templates = load_templates(Path(__file__).parent / "templates")
    places = _Places()
    evidence = {id(clause): places.place_rules(clause) for clause in rating.clauses}
    return templates.get_template("rating.html.j2").render(
        title=to_one_line(title),
        rating=rating,
        digest=digest,
        risk=RISKS[rating.risk],
        counts=describe_counts(rating),
        unread=describe_unread(rating),
        law=describe_law(rating),
        starting=list(describe_starting(rating)),
        score_text=format_score,
        figures_text=describe_figures,
        supported_text=format_supported,
        one_line=to_one_line,
        evidence_of=lambda clause: evidence[id(clause)],
        files=places.list_files(),
    )


_NAMED_CLAUSES = 6
"""Clauses named of those that start on one day."""

_MARKDOWN_PLACES = 5
"""Places listed of one clause."""


def render_markdown(rating: Rating, digest: str) -> str:
    """The whole rating as a document, with the digest of its JSON form."""
    return (
        "\n".join([*_render_document(rating), f"SHA-256 of the rating: {quote_code(digest)}"])
        + "\n"
    )


def render_moves(moved: Sequence[MovedRegulation], head: Rating) -> str:
    """What a change moves, for the summary of a check: scores, and only the clauses that moved."""
    return "\n".join(_iter_moves(moved, head))


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
        return f"{after.clause.article} {after.supported_verdict.value} {figures}"
    return (
        f"{after.clause.article} {before.supported_verdict.value} → {after.supported_verdict.value}"
    )


def _iter_moves(moved: Sequence[MovedRegulation], head: Rating) -> Iterator[str]:
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
            body = "\n".join(_render_clause_markdown(clause.after))
            yield ""
            yield render_details(
                escape(f"{regulation.regulation.name}: {_describe_move(clause)}"), body
            )


def _render_document(rating: Rating) -> Iterator[str]:
    yield "# Regulation rating"
    yield ""
    yield f"Risk: **{RISKS[rating.risk]}**. {escape_markdown(rating.risk_reason)}"
    yield ""
    overall = format_supported(rating.supported_score, rating.share_assessed)
    yield f"Overall: **{overall}** ({describe_counts(rating)})"
    yield ""
    yield describe_law(rating)
    yield ""
    if starting := list(describe_starting(rating)):
        yield from (f"- {line}" for line in starting)
        yield ""
    if unread := describe_unread(rating):
        yield escape_markdown(unread)
        yield ""
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
            yield f"| {_format_name(clause)} | {clause.supported_verdict.value} | {ordinal} |"
        yield ""
        for clause in item.clauses:
            if clause.verdict is not ClauseVerdict.NOT_APPLICABLE:
                yield f"### {_format_name(clause)}: {clause.supported_verdict.value}"
                yield ""
                yield from _render_clause_markdown(clause)
                yield ""


def _format_name(rated: ClauseRating) -> str:
    return f"{rated.clause.article} {rated.clause.title}"


def _render_clause_markdown(rated: ClauseRating) -> Iterator[str]:
    clause = rated.clause
    yield f"{clause.text} ([official text]({clause.link}))"
    yield ""
    if figures := describe_figures(rated):
        yield f"- {figures}"
    if rated.note:
        yield f"- {escape_markdown(rated.note)}"
    ordered = list_evidence_in_order(rated)
    for rule, evidence in ordered[:_MARKDOWN_PLACES]:
        place = quote_code(f"{evidence.path}:{evidence.line}")
        said = f"{quote_code(rule)}{describe_weight(rated, evidence)}"
        yield f"- {place} {quote_code(evidence.snippet)} ({said})"
    if len(ordered) > _MARKDOWN_PLACES:
        yield f"- and {len(ordered) - _MARKDOWN_PLACES} more places"
    if rated.supported_verdict in _WANTING:
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
    yield f"  {rated.supported_verdict.value:<13} {clause.article}  {clause.title}" + (
        f"  ({figures})" if figures else ""
    )
    if rated.verdict is ClauseVerdict.NOT_APPLICABLE:
        return
    if rated.note:
        yield f"{_INDENT}{to_terminal_line(rated.note)}"
    ordered = list_evidence_in_order(rated)
    for rule, evidence in ordered[:_TEXT_PLACES]:
        place = f"{to_terminal_line(evidence.path)}:{evidence.line}"
        yield f"{_INDENT}{place}  {rule}{describe_weight(rated, evidence)}"
    if len(ordered) > _TEXT_PLACES:
        yield f"{_INDENT}and {len(ordered) - _TEXT_PLACES} more places"
    if rated.supported_verdict in _WANTING:
        yield f"{_INDENT}To do: {clause.remediation_hint}"


# How a rating is put into words, the same in every form of a report.

NOT_RATED = "not rated"

RISKS = {
    RiskClass.NOT_AI: "not an AI system",
    RiskClass.MINIMAL: "minimal risk",
    RiskClass.LIMITED: "limited risk",
    RiskClass.HIGH: "high risk",
}

_ORDER = tuple(SupportedVerdict)


def format_score(score: float | None) -> str:
    """A score with one decimal, or that there is none."""
    return NOT_RATED if score is None else f"{score:.1f}"


def describe_counts(rating: Rating) -> str:
    """How many clauses ended how: "3 pass, 1 fail"."""
    counts = Counter(clause.supported_verdict for clause in rating.clauses)
    return ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in _ORDER if counts[verdict])


def describe_figures(rated: ClauseRating) -> str:
    """A clause's supported ordinal and the raw score behind it, empty if it has none."""
    ordinal = rated.supported_ordinal
    if ordinal is None or rated.raw is None:
        return ""
    raw = rated.raw if rated.held is None else rated.held.raw
    return f"{ordinal} of 4, raw {raw:.2f}"


def list_evidence_in_order(rated: ClauseRating) -> list[tuple[str, SignalEvidence]]:
    """A clause's evidence: what carries its verdict first, then what supports it, then the rest."""
    carrying = set(rated.held.carrying) if rated.held else set()
    return sorted(
        rated.evidence,
        key=lambda item: (bool(item[1].doubt), (item[1].path, item[1].line) not in carrying),
    )


def describe_weight(rated: ClauseRating, evidence: SignalEvidence) -> str:
    """What a line of evidence is to the verdict: it carries it, or why it supports nothing."""
    if evidence.doubt:
        return f"; not counted: {evidence.doubt}"
    if rated.held and (evidence.path, evidence.line) in rated.held.carrying:
        return "; carries the verdict"
    return ""


def format_supported(score: float | None, share: float | None) -> str:
    """A supported score with the part of the clauses in scope that it rests on."""
    if share is None:
        return NOT_RATED
    if score is None:
        return f"{NOT_RATED}: nothing in scope could be supported"
    return f"{score:.1f}, {share:.0%} of what applies assessed"


ANNOUNCED = dt.timedelta(days=90)
"""How long before it applies a clause is announced wherever the rating is shown."""


def describe_law(rating: Rating) -> str:
    """As of which day the law was applied."""
    return f"The law as it applies on {format_day(rating.on)}; --on rates as of another day."


def describe_starting(rating: Rating, *, within: dt.timedelta | None = None) -> Iterator[str]:
    """What does not apply yet: a line for each day, those `within` a time from now if it is given.

    Of what starts within ANNOUNCED it says "soon".
    """
    for day, clauses in rating.list_starting():
        left = day - rating.on
        if within is not None and left > within:
            continue
        named = ", ".join(item.clause.article for item in clauses[:_NAMED_CLAUSES])
        more = len(clauses) - _NAMED_CLAUSES
        what = f"{named} and {more} more" if more > 0 else named
        when = f"{format_day(day)}, in {pluralize(left.days, 'day')}"
        yield f"{'Soon' if left <= ANNOUNCED else 'Later'}, from {when}: {what}."


def describe_unread(rating: Rating) -> str:
    """Which files were not read or were left out, and which were taken in; empty if none."""
    parts = []
    if rating.unread:
        named = "; ".join(f"{path} ({reason})" for path, reason in rating.unread[:3])
        parts.append(f"Not read: {named}{_count_more(rating.unread)}.")
    if rating.left_out:
        counts = Counter(reason for _, reason in rating.left_out)
        named = "; ".join(f"{counts[reason]} ({reason})" for reason in sorted(counts))
        parts.append(f"Left out: {named}.")
    if rating.taken_in:
        named = ", ".join(rating.taken_in[:3])
        more = _count_more(rating.taken_in)
        parts.append(f"Looked at all the same, as product code imports it: {named}{more}.")
    return " ".join(parts)


def _count_more(found: Sequence[object]) -> str:
    return f" and {len(found) - 3} more" if len(found) > 3 else ""
