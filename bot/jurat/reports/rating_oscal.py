"""A rating as OSCAL assessment results, for tools of governance, risk and compliance.

https://pages.nist.gov/OSCAL-Reference/models/v1.1.2/assessment-results/json-reference/

Each regulation is a result, each clause in scope an observation with its evidence. A finding is
made only of what evidence supports: satisfied if it passes, else not satisfied. What was not found,
or what code cannot tell, is no finding: absence is no pass.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, TextIO
from uuid import NAMESPACE_URL, UUID, uuid5

from jurat.rating.changes import EVIDENCE_A_RULE, build_document
from jurat.rating.provenance import RatedSource
from jurat.rating.rating import ClauseRating, Rating, RegulationRating, SupportedVerdict
from jurat.rating.signals.evidence import SignalEvidence
from jurat.reports import rating_words as words
from jurat.reports.formats import RatingReport
from jurat.reports.sarif import PROJECT
from jurat.source.visible_text import escape_json, to_one_line

Json = dict[str, Any]

_VERSION = "1.1.2"
_NAMESPACE = f"{PROJECT}/ns/oscal"
_METHOD = f"{PROJECT}/blob/main/docs/rating.md"


def write_oscal(report: RatingReport, stream: TextIO) -> None:
    """Write the rating as OSCAL assessment results."""
    digest = build_document(report.rating, report.source)["sha256"]
    document = to_oscal(report.rating, report.source, digest)
    stream.write(escape_json(json.dumps(document, indent=2)) + "\n")


def to_oscal(rating: Rating, source: RatedSource, digest: str) -> Json:
    """The assessment results. `digest` is that of the rating's JSON form."""
    # Ids by content: the same rating is the same document, however often it is written.
    root = uuid5(NAMESPACE_URL, f"{_NAMESPACE}/{digest}")
    plan, made = str(uuid5(root, "plan")), source.made.isoformat(timespec="seconds")
    return {
        "assessment-results": {
            "uuid": str(root),
            "metadata": {
                "title": _fit_text(f"Rating of {source.name}"),
                "last-modified": made,
                "version": digest[:12],
                "oscal-version": _VERSION,
                "props": [
                    _build_property(name, said)
                    for name, said in words.list_identity(rating, source, digest)
                ],
                "remarks": "\n\n".join(words.LIMITS),
            },
            "import-ap": {"href": f"#{plan}"},
            "results": [_build_result(item, rating, source, root) for item in rating.regulations],
            "back-matter": {
                "resources": [
                    {
                        "uuid": plan,
                        "title": "How a rating comes about",
                        "description": "\n\n".join((*words.METHOD, words.describe_judge(rating))),
                        "rlinks": [{"href": _METHOD}],
                    }
                ]
            },
        }
    }


def _build_result(item: RegulationRating, rating: Rating, source: RatedSource, root: UUID) -> Json:
    inside = [clause for clause in item.clauses if clause.in_scope]
    made = source.made.isoformat(timespec="seconds")
    scope = [f"{said} {', '.join(paths)}".strip() for said, paths in words.list_scope(rating)]
    result: Json = {
        "uuid": str(uuid5(root, item.regulation.id)),
        "title": f"{item.regulation.name}, {item.regulation.version}",
        "description": f"Risk: {words.RISKS[rating.risk]}. "
        f"{to_one_line(rating.risk_reason)}",
        "start": made,
        "end": made,
        "props": [
            _build_property(
                "score", words.format_supported(item.supported_score, item.share_assessed)
            )
        ],
        "reviewed-controls": {
            "control-selections": [
                {
                    "description": "The clauses that apply.",
                    "include-controls": [
                        {"control-id": build_control_id(item, clause)} for clause in inside
                    ],
                }
                if inside
                else {"description": "No clause applies.", "include-all": {},
                      "exclude-controls": [{"control-id": build_control_id(item, clause)}
                                           for clause in item.clauses]}
            ]
        },
        "remarks": to_one_line(" ".join(scope)),
    }  # fmt: skip
    if inside:
        result["observations"] = [
            _build_observation(item, clause, source, root) for clause in inside
        ]
    if findings := list(_iter_findings(item, root)):
        result["findings"] = findings
    return result


def build_control_id(item: RegulationRating, rated: ClauseRating) -> str:
    """The id of a clause among all regulations, as OSCAL wants one: "eu-ai-act_12.1"."""
    return f"{item.regulation.id}_{re.sub(r'[^A-Za-z0-9]+', '.', rated.clause.id).strip('.')}"


def _build_observation(
    item: RegulationRating, rated: ClauseRating, source: RatedSource, root: UUID
) -> Json:
    clause, name = rated.clause, build_control_id(item, rated)
    observation: Json = {
        "uuid": str(uuid5(root, f"{name}/observation")),
        "title": f"{clause.article} {clause.title}",
        "description": to_one_line(f"{clause.text} {rated.note}"),
        "props": [_build_property("verdict", rated.supported_verdict.value)],
        "methods": ["TEST-AUTOMATED"],
        "types": ["control-objective"],
        "collected": source.made.isoformat(timespec="seconds"),
    }
    limit = None if clause.negative else EVIDENCE_A_RULE
    evidence = [
        _build_evidence(rated, rule, item, source)
        for rule, item in words.list_evidence_in_order(rated)[:limit]
    ]
    if evidence:
        observation["relevant-evidence"] = evidence
    return observation


def _build_evidence(
    rated: ClauseRating, rule: str, item: SignalEvidence, source: RatedSource
) -> Json:
    weight = words.describe_weight(rated, item).removeprefix("; ")
    said = to_one_line(f"{item.path}:{item.line} {item.snippet}")
    link = source.link_line(item.path, item.line)
    props = [_build_property("rule", rule)]
    if weight:
        props.append(_build_property("weight", weight))
    return {**({"href": link} if link else {}), "description": said, "props": props}


def _iter_findings(item: RegulationRating, root: UUID) -> Iterator[Json]:
    for rated in item.clauses:
        if rated.supported_ordinal is None:
            continue
        name = build_control_id(item, rated)
        passed = rated.supported_verdict is SupportedVerdict.PASS
        yield {
            "uuid": str(uuid5(root, f"{name}/finding")),
            "title": f"{rated.clause.article} {rated.clause.title}",
            "description": to_one_line(f"{words.describe_figures(rated)}. {rated.note}"),
            "target": {
                "type": "objective-id",
                "target-id": name,
                "status": {
                    "state": "satisfied" if passed else "not-satisfied",
                    "reason": "pass" if passed else "fail",
                    "remarks": rated.supported_verdict.value,
                },
            },
            "related-observations": [{"observation-uuid": str(uuid5(root, f"{name}/observation"))}],
        }


def _build_property(name: str, said: str) -> Json:
    token = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return {"name": token, "ns": _NAMESPACE, "value": _fit_text(said)}


def _fit_text(text: str) -> str:
    """A text as OSCAL's strings are: not empty, without blanks at its ends."""
    return to_one_line(text).strip() or "-"
