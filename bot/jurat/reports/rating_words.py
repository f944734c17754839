"""How a rating is put into words, the same in every form of a report."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator, Sequence

from jurat.rating.pack import RiskClass, format_day
from jurat.rating.provenance import RatedSource, digest_tool
from jurat.rating.rating import ClauseRating, Rating, SupportedVerdict
from jurat.rating.scale import BANDS
from jurat.rating.signals.evidence import SignalEvidence
from jurat.reports.counts import pluralize

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
    counts = Counter(
        clause.supported_verdict if clause.in_scope else SupportedVerdict.NOT_APPLICABLE
        for clause in rating.clauses
    )
    return ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in _ORDER if counts[verdict])


def describe_verdict(rated: ClauseRating) -> str:
    """A clause's supported verdict, and that nobody asks for it if nobody does."""
    said = rated.supported_verdict.value
    return said if rated.in_scope or not rated.is_reported else f"{said}, not required"


def describe_figures(rated: ClauseRating) -> str:
    """A clause's supported ordinal and the raw score behind it, empty if it has none."""
    ordinal = rated.supported_ordinal
    if ordinal is None or rated.raw is None:
        return ""
    raw = rated.raw if rated.held is None else rated.held.raw
    return f"{ordinal} of 4, raw {raw:.2f}"


def spell_rule(rule: str) -> str:
    """A named rule in words."""
    return rule.replace("_", " ")


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


_NAMED_CLAUSES = 6
"""Clauses named of those that start on one day."""

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


# What an auditor reads before the result: what was rated, how, and what it does not say.

_EDGES = ", ".join(f"{least:.2f}" for least, _ in reversed(BANDS))

METHOD = (
    "Every file of the checkout is listed. Code, prompts, documents, settings and tests are read; "
    "what git ignores, samples, vendored, minified and generated files are not, unless product "
    "code imports them.",
    "Named rules score each clause from 0 to 1. Their mean by weight is called raw, and gives the "
    f"ordinal, 0 to 4, by the bounds {_EDGES}; of a prohibition the other way round. Only "
    "evidence that holds is counted: behaviour of code that is implemented, reached and in its "
    "place, settings that something enforces, and documents by what they say. A name counts for "
    "nothing.",
    'Of 4, 3 and more is a pass, 2 is partial, less is a fail. No verdict is "n/a", where a clause '
    'does not apply, and "external", where only who knows the deployment can say; "not required" '
    "is told of what is there although nobody asks for it. None of these enters a score.",
    'A practice that is prohibited is looked for, and never proven to be absent: "nothing found" '
    "is no pass and enters no score.",
    "A line that carries the verdict is one without which the verdict would be another. What was "
    "seldom right in large programs is named with its lines, and not counted: a person must look.",
)

LIMITS = (
    "This report is no legal advice, no conformity assessment and no certificate.",
    "It says what this checkout shows, by the law as of the day that is named. Contracts, "
    "training, operation, and whatever stands elsewhere is not seen.",
    "The class of risk is derived from the code. A person who knows the system must confirm it.",
    "Code is followed in Python, JavaScript and TypeScript. In other languages names are all that "
    "is known, and a clause that rests on them is partial at most.",
    "Whether a document is true was not checked.",
    "The clauses are told in the words of the packs. The official texts, which are linked, rule.",
)

SIGNERS = ("Prepared by", "Reviewed by", "Accepted by")
SIGNED = ("Name", "Function", "Date", "Signature")
CONCLUSIONS = ("accepted", "accepted with conditions", "not accepted")


def describe_judge(rating: Rating) -> str:
    """Whether a model was asked, and of how many clauses it gave an answer."""
    judged = sum(bool(item.reasoning) for item in rating.clauses)
    failed = sum(bool(item.unanswered) for item in rating.clauses)
    if not judged and not failed:
        return "No model was asked."
    rest = f" Of {pluralize(failed, 'clause')} it gave none." if failed else ""
    return (
        f"A language model gave a second verdict on {pluralize(judged, 'clause')}; "
        f"if it disagrees, the clause is partial.{rest}"
    )


def list_identity(rating: Rating, source: RatedSource, digest: str) -> list[tuple[str, str]]:
    """What identifies a report: each fact with its name."""
    tool = digest_tool()
    where = f" in {source.folder}" if source.folder else ""
    state = (
        f", with {pluralize(len(source.changed), 'file')} changed since" if source.changed else ""
    )
    roles = " and ".join(f"the {role.value}" for role in rating.roles)
    return [
        ("Rated", f"{source.name}{where}"),
        ("Made on", f"{format_day(source.made.date())}, {source.made:%H:%M} UTC"),
        ("Commit", f"{source.commit}{state}" if source.commit else "not known"),
        ("Repository", source.page or "no remote that has this commit"),
        ("Law as of", format_day(rating.on)),
        ("Rated for", roles or "all whom a clause binds"),
        ("Class of risk", RISKS[rating.risk]),
        ("Tool", f"jurat {tool.version}, SHA-256 of what rates {tool.code}"),
        ("Packs", f"SHA-256 {tool.packs}"),
        ("SHA-256 of the JSON form", digest),
    ]


_MOST_LEFT_OUT = 20
"""Paths that are named of those that were left out for one reason."""


def list_scope(rating: Rating) -> list[tuple[str, list[str]]]:
    """What was looked at: a line for each kind, with the paths that it is about."""
    counts = ", ".join(
        f"{pluralize(count, _ROLES[role][0], _ROLES[role][1])}" for role, count in rating.read
    )
    found: list[tuple[str, list[str]]] = [(f"Read: {counts or 'nothing'}.", [])]
    if rating.unread:
        unread = [f"{path}: {reason}" for path, reason in rating.unread]
        found.append((f"Not read, so that nothing is known of {len(unread)}:", unread))
    if rating.taken_in:
        taken = list(rating.taken_in)
        found.append(("Read although it stands apart, as product code imports it:", taken))
    for reason in sorted({reason for _, reason in rating.left_out}):
        paths = [path for path, other in rating.left_out if other == reason]
        named = paths[:_MOST_LEFT_OUT]
        if len(paths) > len(named):
            named.append(f"and {len(paths) - len(named)} more, named in the JSON form")
        found.append((f"Left out, {reason}: {len(paths)}.", named))
    return found


_ROLES = {
    "page": ("page", "pages"),
    "code": ("file of code", "files of code"),
    "test": ("test", "tests"),
    "prompt": ("prompt", "prompts"),
    "document": ("document", "documents"),
    "settings": ("file of settings", "files of settings"),
    "example": ("example", "examples"),
}
