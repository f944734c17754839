"""Every behaviour: importing this module registers them all."""

from __future__ import annotations

from collections.abc import Mapping

from jurat.rating.behaviours import (
    marking,
    measurement,
    metering,
    safeguards,
    security_tests,
    subject_rights,
    tracing,
    watching,
)
from jurat.rating.behaviours.behaviour import Behaviour, list_registered
from jurat.rating.behaviours.oversight import approvals, halting, operators, overruling, reasons
from jurat.rating.behaviours.privacy import masking, minimising, releasing
from jurat.rating.behaviours.records import erasure, keeping, records, timed_deletion
from jurat.rating.behaviours.uses import practices

_MODULES = (
    approvals,
    erasure,
    halting,
    keeping,
    marking,
    masking,
    measurement,
    metering,
    minimising,
    operators,
    overruling,
    practices,
    reasons,
    records,
    releasing,
    safeguards,
    security_tests,
    subject_rights,
    timed_deletion,
    tracing,
    watching,
)
"""Each registers what it tells when it is imported."""


def list_behaviours() -> Mapping[str, Behaviour]:
    """All behaviours by name."""
    return list_registered()
