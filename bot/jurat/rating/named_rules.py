"""The named rules, one module a theme: importing this package registers them all."""

from __future__ import annotations

from collections.abc import Mapping

from jurat.rating import controls, prohibitions
from jurat.rating.signals.evidence import NamedRule, list_registered

_REGISTERING = (controls, prohibitions)
"""What registers rules when it is imported."""


def list_named_rules() -> Mapping[str, NamedRule]:
    """All named rules by name, those of every module of this package."""
    return list_registered()
