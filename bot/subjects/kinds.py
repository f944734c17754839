"""The eight subject kinds, the seven surfaces, and what each surface may say about a place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


class SubjectKind(StrEnum):
    """What is judged."""

    CODE_DIFF = "code_diff"
    CLAUSE_SET = "clause_set"
    TRANSACTION = "transaction"
    DOCUMENT = "document"
    CREATIVE = "creative"
    EVENT = "event"
    DECISION = "decision"
    IDENTITY = "identity"


class Surface(StrEnum):
    """How a subject is shown to a judge, and which prompt template is used."""

    CODE = "code"
    CONTRACT = "contract"
    TRANSACTION = "transaction"
    DOCUMENT = "document"
    MESSAGE = "message"
    HUMAN_ACTION = "human_action"
    GENERIC = "generic"


@dataclass(frozen=True, slots=True)
class SurfaceTerms:
    """The location fields and remediation types that a verdict on one surface may carry."""

    location_fields: frozenset[str]
    remediation_types: frozenset[str]


_TERMS = {
    Surface.CODE: SurfaceTerms(
        frozenset({"file_path", "start_line", "end_line", "function_name", "snippet"}),
        frozenset({"replace", "insert", "delete", "add_import", "rename"}),
    ),
    Surface.CONTRACT: SurfaceTerms(
        frozenset({"clause_ref", "offset_start", "offset_end", "span_text"}),
        frozenset({"text_rewrite", "clause_revision", "block", "clarification"}),
    ),
    Surface.TRANSACTION: SurfaceTerms(
        frozenset({"json_path", "field_name", "current_value"}),
        frozenset({"field_change", "approval_add", "process_reroute", "block"}),
    ),
    Surface.DOCUMENT: SurfaceTerms(
        frozenset({"section", "offset_start", "offset_end", "span_text"}),
        frozenset({"text_rewrite", "block", "clarification"}),
    ),
    Surface.MESSAGE: SurfaceTerms(
        frozenset({"segment", "offset_start", "offset_end", "span_text"}),
        frozenset({"text_rewrite", "block", "clarification"}),
    ),
    Surface.HUMAN_ACTION: SurfaceTerms(
        frozenset({"step", "field", "context"}),
        frozenset({"process_reroute", "approval_add", "block", "clarification"}),
    ),
}
_TERMS[Surface.GENERIC] = SurfaceTerms(
    frozenset().union(*(terms.location_fields for terms in _TERMS.values())),
    frozenset().union(*(terms.remediation_types for terms in _TERMS.values())),
)

TERMS: Mapping[Surface, SurfaceTerms] = MappingProxyType(_TERMS)

SURFACE_OF: Mapping[SubjectKind, Surface] = MappingProxyType(
    {
        SubjectKind.CODE_DIFF: Surface.CODE,
        SubjectKind.CLAUSE_SET: Surface.CONTRACT,
        SubjectKind.TRANSACTION: Surface.TRANSACTION,
        SubjectKind.DOCUMENT: Surface.DOCUMENT,
        SubjectKind.CREATIVE: Surface.MESSAGE,
        SubjectKind.EVENT: Surface.HUMAN_ACTION,
        SubjectKind.DECISION: Surface.GENERIC,
        SubjectKind.IDENTITY: Surface.GENERIC,
    }
)
