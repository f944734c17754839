"""What the tests of surfaces share."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from jurat.facts.context import SubjectKind

TODAY = dt.date(2026, 11, 21)

RULES = """\
version: 1
rules:
  - id: house.cap
    statement: No entry is over 100.
    kind: computational
    modality: MUST
    severity: HIGH
    constraints:
      - {type: numeric, field_path: "entries[*].amount", operator: "<=", threshold: 100}
"""
FACTS: Mapping[str, Any] = {
    "entries": [{"name": "first", "amount": 5}, {"name": "second", "amount": 900}]
}
_VALUE = {"json_path": "$.entries[1].amount", "field_name": "amount", "current_value": "900"}
SAID: Mapping[SubjectKind, Mapping[str, str]] = {
    SubjectKind.CODE_DIFF: {"snippet": "entries[1].amount = 900"},
    SubjectKind.CLAUSE_SET: {"clause_ref": "second", "span_text": "900"},
    SubjectKind.TRANSACTION: _VALUE,
    SubjectKind.DOCUMENT: {"section": "second", "span_text": "900"},
    SubjectKind.CREATIVE: {"segment": "second", "span_text": "900"},
    SubjectKind.EVENT: {
        "step": "second",
        "field": "amount",
        "context": "entries[1].amount = 900",
    },
    SubjectKind.DECISION: _VALUE,
    SubjectKind.IDENTITY: _VALUE,
}
"""What a verdict on FACTS by RULES says of its place, by the kind that the facts describe."""
