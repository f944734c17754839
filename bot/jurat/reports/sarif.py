"""A review as SARIF 2.1.0, for code scanning and editors.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html, cited below by section. GitHub
reads a subset and refuses a file in which any result has no location.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TextIO
from urllib.parse import quote

from jurat import __version__
from jurat.findings.evaluation import Evaluation, is_blocking_unassessed, is_incomplete
from jurat.findings.finding import Finding, Fix, Location, Verdict, WaiverKind
from jurat.findings.verdict import RuleVerdict
from jurat.reports.formats import ReviewReport
from jurat.reports.limits import SARIF_DESCRIPTION, SARIF_TAGS, fit
from jurat.reports.line_prints import digest_lines
from jurat.reports.set_aside import describe_waiver
from jurat.reports.summary import describe_finding
from jurat.rules.level import Level
from jurat.rules.rule import Rule, Severity
from jurat.source.diff import FileChange
from jurat.source.visible_text import escape_json

Json = dict[str, Any]

_WORD = re.compile(r"[^\W_]+")

PROJECT = "https://github.com/jurat-review/jurat"
RULES_PAGE = f"{PROJECT}/blob/main/docs/rules.md"
"""For a rule that refers to no page of its own."""

NO_FILES: Mapping[str, FileChange] = MappingProxyType({})

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

_SECURITY_SCORE = {
    Severity.LOW: "3.0",
    Severity.MEDIUM: "5.5",
    Severity.HIGH: "8.0",
    Severity.CRITICAL: "9.5",
}
"""GitHub's `security-severity`, a number as text: over 9.0 critical, 7.0 high, 4.0 medium."""

WHOLE_CHANGE = "pull-request"
"""Where a result stands that is about the change as a whole."""

_NAMING_FIELDS = (
    "function_name",
    "clause_ref",
    "json_path",
    "section",
    "segment",
    "step",
    "field",
)
"""Location fields, of any surface, that name a place which has no line."""


def write_sarif(report: ReviewReport, stream: TextIO) -> None:
    """Write a review as a SARIF log."""
    log = to_sarif(report.evaluation, report.files, version=__version__)
    if repository := report.find_repository():
        of_commit = {"revisionId": report.commit} if report.commit else {}
        log["runs"][0]["versionControlProvenance"] = [
            {
                "repositoryUri": repository,
                **of_commit,
                "mappedTo": {"uriBaseId": "%SRCROOT%"},
            }
        ]
    stream.write(escape_json(json.dumps(log, indent=2)) + "\n")


def to_sarif(
    evaluation: Evaluation, files: Mapping[str, FileChange] = NO_FILES, *, version: str
) -> Json:
    """The SARIF log of one review, with one run.

    What is about the change as a whole stands at the pull request, which is no file of it. A
    finding of an experimental rule has level "note" and is suppressed, so that it never gates;
    one that is waived is suppressed as well.
    """
    rules = _list_rules(evaluation)
    index = {rule.id: position for position, rule in enumerate(rules)}
    verdicts = evaluation.by_rule
    prints = _digest_places(evaluation, files)
    run: Json = {
        "tool": {
            "driver": {
                "name": "Jurat",
                "semanticVersion": version,
                "informationUri": PROJECT,
                "rules": [_to_rule_json(rule) for rule in rules],
            }
        },
        "automationDetails": {"id": "jurat/"},
        "invocations": [_to_invocation(evaluation, index)],
        "results": [
            _to_result(finding, verdicts[finding.rule.id], index[finding.rule.id], prints, files)
            for finding in evaluation.findings
        ],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _digest_places(
    evaluation: Evaluation, files: Mapping[str, FileChange]
) -> Mapping[tuple[str, int], str]:
    """GitHub's print of each line that a finding begins in, by path and line."""
    lines: dict[str, set[int]] = {}
    for finding in evaluation.findings:
        if finding.location and finding.path and finding.location.start_line:
            lines.setdefault(finding.path, set()).add(finding.location.start_line)
    return {
        (path, line): print_
        for path, wanted in lines.items()
        if path in files and (text := files[path].head) is not None
        for line, print_ in digest_lines(text, wanted).items()
    }


def _list_rules(evaluation: Evaluation) -> Sequence[Rule]:
    return [
        *(item.rule for item in evaluation.rule_verdicts),
        *(item.rule for item in evaluation.omitted),
    ]


def _to_rule_json(rule: Rule) -> Json:
    why = [rule.rationale] if rule.rationale else []
    if rule.fix:
        why.append(f"To fix it: {rule.fix}")
    why.extend(rule.references)
    text = "\n\n".join(why) or rule.statement
    # GitHub shows a weakness by a tag of this form.
    weak = [f"external/cwe/cwe-{name.removeprefix('CWE-').zfill(3)}" for name in rule.weaknesses]
    tags = [*rule.tags, *weak][: SARIF_TAGS.size]
    properties: Json = {"tags": tags, "precision": "high"}
    if "security" in rule.tags:
        properties["security-severity"] = _SECURITY_SCORE[rule.severity]
    reason = rule.rationale or f"It is a {rule.modality} of severity {rule.severity}."
    links = [item for item in rule.references if item.startswith("https://")]
    return {
        "id": rule.id,
        # In PascalCase, as sarif-multitool's SARIF2012 asks of a name beside an id.
        "name": "".join(word.capitalize() for word in _WORD.findall(rule.id)),
        "shortDescription": to_message(fit(rule.statement, SARIF_DESCRIPTION)),
        "fullDescription": to_message(fit(f"{rule.statement} {reason}", SARIF_DESCRIPTION)),
        "help": to_message(text),
        "helpUri": links[0] if links else RULES_PAGE,
        "defaultConfiguration": {"level": _LEVELS[rule.enforcement.level]},
        "properties": {
            **properties,
            "kind": rule.kind.value,
            "modality": rule.modality.value,
            "severity": rule.severity.value,
            "maturity": rule.maturity.value,
        },
    }


_LEVELS = {Level.OFF: "none", Level.OBSERVE: "note", Level.WARN: "warning", Level.BLOCK: "error"}
"""What a rule may do, in SARIF's words (3.27.10)."""


def _get_level(finding: Finding) -> str:
    if finding.outcome is Verdict.DENY:
        return _LEVELS[finding.level]
    return "note" if finding.shadow else "warning"


def _to_result(
    finding: Finding,
    verdict: RuleVerdict,
    rule_index: int,
    prints: Mapping[tuple[str, int], str],
    files: Mapping[str, FileChange],
) -> Json:
    known = {"juratFinding/v1": finding.id}
    place = finding.location
    if place and (of_line := prints.get((place.file_path or "", place.start_line or 0))):
        known["primaryLocationLineHash"] = of_line
    result: Json = {
        "ruleId": finding.rule.id,
        "ruleIndex": rule_index,
        "level": _get_level(finding),
        "message": to_message(describe_finding(finding)),
        "locations": [_with_context(_to_location(place), place, files)],
        "partialFingerprints": known,
        "properties": {
            "verdict": finding.outcome.value,
            "confidence": verdict.confidence,
            "reasoning": verdict.reasoning,
            "decidedBy": verdict.decided_by.value,
            "wouldBlock": verdict.would_block,
            "blocks": finding.blocks,
            **({"late": True} if finding.late else {}),
        },
    }
    # A viewer applies a fix at a click, so only one that was tried is a fix here.
    if finding.fix and finding.fix.is_verified:
        result["fixes"] = [_to_fix_json(finding.fix)]
    if finding.location is not None and finding.location.steps:
        result["codeFlows"] = [_to_code_flow(finding.location)]
    if suppressions := _to_suppressions(finding):
        result["suppressions"] = suppressions
    return result


def _to_code_flow(place: Location) -> Json:
    """The way of a value (3.36), its end at the finding included."""
    passed = (
        replace(
            place,
            file_path=one.path or place.file_path,
            start_line=one.line,
            end_line=one.line,
            fields={"snippet": one.text},
        )
        for one in place.steps
    )
    steps = [
        {"location": {**_to_location(at), "message": to_message(one.text)}}
        for at, one in zip(passed, place.steps, strict=True)
    ]
    last = {"location": {**_to_location(place), "message": {"text": "It arrives here."}}}
    return {"threadFlows": [{"locations": [*steps, last]}]}


def to_message(text: str) -> Json:
    """A message in which nothing foreign is a link (3.11.6): viewers make one of [text](target).

    Half a surrogate, which a model's reply may hold, would have a reader refuse the whole file.
    It is text, not a string of the rule's with arguments as SARIF2002 of sarif-multitool would
    have it: GitHub reads text alone, and beside arguments each brace of quoted code is syntax.
    """
    return {"text": text.encode("utf-8", "replace").decode().replace("](", "] (")}


def _to_suppressions(finding: Finding) -> list[Json]:
    """Why a result does not count (3.35): a viewer then hides it, and no gate stops at it."""
    found = []
    if finding.waiver is not None:
        in_source = finding.waiver.kind is WaiverKind.SUPPRESSED
        kind = "inSource" if in_source else "external"
        found.append({"kind": kind, "justification": describe_waiver(finding.waiver)})
    if finding.shadow:
        justification = "The rule only observes here: it never blocks."
        found.append({"kind": "external", "justification": justification})
    return found


def _to_location(place: Location | None) -> Json:
    if place is None or place.file_path is None:
        # Code scanning refuses the whole file if one result has no location, and takes a name that
        # is no file's. The first file of the change would be blamed for what is in all of them.
        physical: Json = {
            "artifactLocation": to_artifact(WHOLE_CHANGE),
            "region": {"startLine": 1},
        }
        location: Json = {
            "physicalLocation": physical,
            "message": {"text": "The change as a whole, at no line of a file"},
        }
    else:
        start = place.start_line or 1
        region: Json = {"startLine": start, "endLine": max(place.end_line or start, start)}
        if snippet := place.fields.get("snippet"):
            region["snippet"] = {"text": str(snippet)}
        location = {
            "physicalLocation": {
                "artifactLocation": to_artifact(place.file_path),
                "region": region,
            }
        }
    fields = place.fields if place else {}
    names = [str(fields[name]) for name in _NAMING_FIELDS if fields.get(name)]
    if names:
        location["logicalLocations"] = [{"fullyQualifiedName": name} for name in names]
    return location


def _with_context(location: Json, place: Location | None, files: Mapping[str, FileChange]) -> Json:
    """The location with the lines around it (3.29.5), for viewers that have no checkout."""
    file = files.get(place.file_path or "") if place else None
    if place is None or place.start_line is None or file is None or file.head is None:
        return location
    lines = file.head.removesuffix("\n").split("\n")
    first = max(place.start_line - _CONTEXT, 1)
    last = min(max(place.end_line or 0, place.start_line) + _CONTEXT, len(lines))
    around = {
        "startLine": first,
        "endLine": last,
        "snippet": {"text": "\n".join(lines[first - 1 : last])},
    }
    return {
        **location,
        "physicalLocation": {**location["physicalLocation"], "contextRegion": around},
    }


_CONTEXT = 3
"""Lines shown above and below a place, as a diff does."""


def _to_fix_json(fix: Fix) -> Json:
    """A fix (3.55). A region without columns ends before its last line's newline (3.30.8).

    To SARIF a carriage return belongs to the newline (newlineSequences), to a fix to the line.
    """
    region: Json = {"startLine": fix.start_line, "endLine": fix.end_line or fix.start_line}
    if fix.type == "delete":
        region |= {"endLine": region["endLine"] + 1, "startColumn": 1, "endColumn": 1}
    text = fix.replacement.removesuffix("\r")
    replacement = {"deletedRegion": region, "insertedContent": {"text": text}}
    return {
        "description": to_message(fix.description or "Change the lines as shown"),
        "artifactChanges": [
            {"artifactLocation": to_artifact(fix.file_path or ""), "replacements": [replacement]}
        ],
    }


def to_artifact(path: str) -> Json:
    """A path as a relative URI reference (3.4.3), in which a colon or % of a name is no syntax."""
    # No path of git's begins with a slash; one that does would be of another root, or server.
    name = path.lstrip("/")
    uri = "%2F" * (len(path) - len(name)) + quote(name, safe="/", errors="surrogatepass")
    return {"uri": uri, "uriBaseId": "%SRCROOT%"}


def _to_invocation(evaluation: Evaluation, index: dict[str, int]) -> Json:
    """What was not read or assessed (3.20.21): a consumer must not take silence for a pass."""
    notices = [
        {
            "level": "warning",
            "message": to_message(f"Not read: {file.reason}"),
            "locations": [{"physicalLocation": {"artifactLocation": to_artifact(file.path)}}],
        }
        for file in evaluation.coverage.unread
    ]
    notices += [
        _to_notification(
            item.rule, item.reasoning, "error" if is_blocking_unassessed(item) else "note", index
        )
        for item in evaluation.list_unwaived(Verdict.NOT_ASSESSED)
    ]
    notices += [
        _to_notification(item.rule, item.reason, "note", index) for item in evaluation.omitted
    ]
    return {
        "executionSuccessful": not is_incomplete(evaluation),
        "toolExecutionNotifications": notices,
    }


def _to_notification(rule: Rule, reason: str, level: str, index: dict[str, int]) -> Json:
    return {
        "level": level,
        "message": to_message(f"Not assessed: {rule.id}. {reason}"),
        "associatedRule": {"id": rule.id, "index": index[rule.id]},
    }
