"""A file of findings that are known and do not count, for `jurat review --all` on old code.

A finding is known again by its rule, its path and its code, so that the file survives edits around
it; one that is mended may be taken out, and is named when the file is written anew.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from jurat.errors import FileError, UsageError
from jurat.findings.evaluation import Evaluation
from jurat.findings.finding import Verdict
from jurat.findings.waivers import Decision, DecisionKind
from jurat.rules.files import read_text
from jurat.source.strict_json import parse_json

_VERSION = 1
_WHY = "it was there when the baseline was written"


def write_baseline(path: Path, evaluation: Evaluation, today: dt.date) -> int:
    """Write all findings that count, or are known already; how many. Raises UsageError."""
    rows = [
        {
            "id": finding.id,
            "code": finding.code_id,
            "rule": finding.rule.id,
            "revision": finding.rule.revision,
            "path": finding.path,
            "verdict": finding.outcome.value,
        }
        for finding in evaluation.findings
        if not finding.shadow and (finding.waiver is None or finding.waiver.by == path.name)
    ]
    # By path: a file that is kept in the repository changes only if findings do.
    rows.sort(key=lambda row: (row["path"] or "", row["rule"] or "", row["id"] or ""))
    document = {"version": _VERSION, "written": today.isoformat(), "findings": rows}
    try:
        path.write_text(json.dumps(document, indent=1) + "\n", "utf-8")
    except OSError as error:
        raise UsageError(f"--write-baseline {path}: {error.strerror}.") from error
    return len(rows)


def read_baseline(path: Path) -> tuple[Decision, ...]:
    """What the file sets aside, as decisions. Raises FileError for one that is no baseline."""
    if not path.exists():
        raise FileError(str(path), 0, "", "there is no such file", hint=_HINT)
    text = read_text(path)
    try:
        document = parse_json(text)
        return tuple(_build_decisions(document, path.name))
    except json.JSONDecodeError as error:
        problem = f"is not valid JSON: {error.msg}"
        raise FileError(str(path), error.lineno, "", problem, hint=_HINT) from None
    except (AttributeError, KeyError, TypeError, ValueError):
        problem = "is no baseline of this version"
        raise FileError(str(path), 0, "", problem, hint=_HINT) from None


_HINT = "Write one with `jurat review --write-baseline FILE`."


def _build_decisions(document: Any, name: str) -> Iterable[Decision]:
    if document["version"] != _VERSION:
        raise ValueError(document["version"])
    written = dt.datetime.combine(dt.date.fromisoformat(document["written"]), dt.time(), dt.UTC)
    for row in document["findings"]:
        yield Decision(
            kind=DecisionKind.DISMISSED,
            repository="",
            number=0,
            head_sha="",
            evaluation_id="",
            fingerprint=row["id"],
            code_print=row["code"],
            path=row["path"],
            rule_id=row["rule"],
            revision=row["revision"],
            verdict=Verdict(row["verdict"]),
            by=name,
            why=_WHY,
            at=written,
        )


def filter_decisions(known: Sequence[Decision], code_prints: Sequence[str]) -> tuple[Decision, ...]:
    """Those about findings with one of these prints."""
    wanted = frozenset(code_prints)
    return tuple(decision for decision in known if decision.code_print in wanted)
