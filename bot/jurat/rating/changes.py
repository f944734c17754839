"""A rating as one canonical document with a digest, and what a change moves in it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from jurat.rating.pack import Regulation
from jurat.rating.provenance import RatedSource, digest_tool
from jurat.rating.rating import ClauseRating, Rating
from jurat.rating.signals.evidence import SignalEvidence

EVIDENCE_A_RULE = 50
"""Places that a document lists of one rule; of a prohibition it lists all."""

_DECIMALS = 6


def build_document(rating: Rating, source: RatedSource | None = None) -> dict[str, Any]:
    """The rating in plain values, `sha256` being the digest of `canonical` of all the rest.

    Of what was rated, and by what, it says nothing if there is no `source`.
    """
    body: dict[str, Any] = {
        "risk_classification": rating.risk.value,
        "risk_reason": rating.risk_reason,
        "overall": _round_value(rating.overall),
        "supported_score": _round_value(rating.supported_score),
        "share_assessed": _round_value(rating.share_assessed),
        "on": rating.on.isoformat(),
        "source": None if source is None else _build_source(source),
        "roles": [operator.value for operator in rating.roles],
        "scope": {
            "read": dict(rating.read),
            "unread": [{"path": path, "reason": reason} for path, reason in rating.unread],
            "left_out": [{"path": path, "reason": reason} for path, reason in rating.left_out],
            "taken_in": list(rating.taken_in),
        },
        "regulations": [
            {
                "id": item.regulation.id,
                "name": item.regulation.name,
                "version": item.regulation.version,
                "score": _round_value(item.score),
                "supported_score": _round_value(item.supported_score),
                "share_assessed": _round_value(item.share_assessed),
                "clauses": [_build_clause(clause) for clause in item.clauses],
            }
            for item in rating.regulations
        ],
    }
    return {**body, "sha256": compute_document_digest(body)}


def _build_source(source: RatedSource) -> dict[str, Any]:
    tool = digest_tool()
    return {
        "name": source.name,
        # The day alone: the same rating of the same commit has the same digest all day.
        "made": source.made.date().isoformat(),
        "commit": source.commit or None,
        "repository": source.page or None,
        "folder": source.folder,
        "changed": sorted(source.changed),
        "tool": {"version": tool.version, "code": tool.code, "packs": tool.packs},
    }


def to_canonical_json(document: object) -> str:
    """JSON with sorted keys, no blanks and no escapes but the necessary ones (UTF-8)."""
    # One form alone, or the same rating would have two digests; NaN is no JSON.
    return json.dumps(
        document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def compute_document_digest(document: dict[str, Any]) -> str:
    """SHA-256, in hex, of the canonical form of a document without its own `sha256`."""
    body = {key: value for key, value in document.items() if key != "sha256"}
    # What is no Unicode, as a broken file name may hold, is escaped the way Python writes it.
    return sha256(to_canonical_json(body).encode("utf-8", "backslashreplace")).hexdigest()


def _build_clause(rated: ClauseRating) -> dict[str, Any]:
    clause = rated.clause
    limit = None if clause.negative else EVIDENCE_A_RULE
    return {
        "id": clause.id,
        "article": clause.article,
        "title": clause.title,
        "verdict": rated.verdict.value,
        "ordinal": rated.ordinal,
        "raw": _round_value(rated.raw),
        "supported": rated.is_supported,
        "supported_verdict": rated.supported_verdict.value,
        "supported_ordinal": rated.supported_ordinal,
        "carried_by": [
            {"path": path, "line": line}
            for path, line in (rated.held.carrying if rated.held else ())
        ],
        "polarity": "negative" if clause.negative else "positive",
        "in_scope": rated.in_scope,
        "applies": [
            {"since": item.since.isoformat(), "by": item.by, "category": item.category}
            for item in clause.applies
        ],
        "starts": rated.starts and rated.starts.isoformat(),
        "binds": [operator.value for operator in clause.binds],
        "evidence": [
            {
                "path": item.path,
                "line": item.line,
                "snippet": item.snippet,
                "rule": scored.rule,
                "doubt": item.doubt,
            }
            for scored in rated.rules
            for item in scored.evidence[:limit]
        ],
        "rules": [
            {"rule": item.rule, "weight": item.weight, "score": _round_value(item.score)}
            for item in rated.rules
        ],
        "note": rated.note,
        "remediation_hint": clause.remediation_hint,
    }


def _round_value(value: float | None) -> float | None:
    return None if value is None else round(value, _DECIMALS)


# What a change moves: two ratings of one repository beside each other.


@dataclass(frozen=True, slots=True)
class MovedClause:
    """A clause whose supported verdict or ordinal changed."""

    before: ClauseRating
    after: ClauseRating

    @property
    def gained(self) -> tuple[tuple[SignalEvidence, str], ...]:
        """The lines that count now and did not before, each with why not: "" if it is new."""
        return _list_difference(self.after, self.before)

    @property
    def lost(self) -> tuple[tuple[SignalEvidence, str], ...]:
        """The lines that counted before and no longer do, each with why not: "" if it is gone."""
        return _list_difference(self.before, self.after)


def _list_difference(
    one: ClauseRating, other: ClauseRating
) -> tuple[tuple[SignalEvidence, str], ...]:
    """What counts in `one` and not in `other`, with what keeps it from counting there.

    A line is known by its text, as its number moves with what stands above it.
    """
    there: dict[tuple[str, str, str], list[str]] = {}
    for rule, item in other.evidence:
        there.setdefault((rule, item.path, item.snippet), []).append(item.doubt)
    found: dict[tuple[str, int], tuple[SignalEvidence, str]] = {}
    for rule, item in one.evidence:
        doubts = there.get((rule, item.path, item.snippet), [])
        if item.doubt or "" in doubts:
            if "" in doubts and not item.doubt:
                doubts.remove("")  # one line for another: the second of two is news
            continue
        found.setdefault((item.path, item.line), (item, doubts[0] if doubts else ""))
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class MovedRegulation:
    """A regulation's supported score at both ends, and the clauses that moved in between."""

    regulation: Regulation
    before: float | None
    after: float | None
    clauses: tuple[MovedClause, ...]


def compare_ratings(base: Rating, head: Rating) -> tuple[MovedRegulation, ...]:
    """Each regulation of the head, in its order, beside the base, rated by the same packs.

    Raises ValueError if they were not: scores of different clauses do not compare.
    """
    if _list_names(base) != _list_names(head):
        raise ValueError("the two ratings are of different regulations")
    return tuple(
        MovedRegulation(
            after.regulation,
            before.supported_score,
            after.supported_score,
            tuple(
                MovedClause(old, new)
                for old, new in zip(before.clauses, after.clauses, strict=True)
                if (old.supported_verdict, old.supported_ordinal)
                != (new.supported_verdict, new.supported_ordinal)
            ),
        )
        for before, after in zip(base.regulations, head.regulations, strict=True)
    )


def _list_names(rating: Rating) -> list[tuple[str, list[str]]]:
    return [
        (item.regulation.id, [clause.clause.id for clause in item.clauses])
        for item in rating.regulations
    ]
