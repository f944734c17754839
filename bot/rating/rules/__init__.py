"""The named rules, one module a theme: importing this package registers them all."""

from __future__ import annotations

from collections.abc import Mapping

from bot.rating.named_rules import NamedRule, registered
from bot.rating.rules import controls, data, logging, prohibitions

_REGISTERING = (controls, data, logging, prohibitions)
"""What registers rules when it is imported."""


def named_rules() -> Mapping[str, NamedRule]:
    """All named rules by name, those of every module of this package."""
    return registered()
