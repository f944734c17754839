"""What an examination finds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from bot.errors import BylawError, ExitCode


class Health(StrEnum):
    """How well one thing is. A NOTE works, and may not be what was meant."""

    WELL = "well"
    NOTE = "note"
    ILL = "ill"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. `todo` says what to do, and stands with all that is not WELL.

    Both are text for a terminal; what comes from GitHub in them is made harmless where it is shown.
    """

    health: Health
    about: str
    says: str
    todo: str = ""


def well(about: str, says: str) -> Finding:
    """Something that is as it should be."""
    return Finding(Health.WELL, about, says)


def note(about: str, says: str, todo: str) -> Finding:
    """Something worth a look."""
    return Finding(Health.NOTE, about, says, todo)


def ill(about: str, says: str, todo: str) -> Finding:
    """Something that keeps Bylaw from its work."""
    return Finding(Health.ILL, about, says, todo)


def failed(about: str, error: BylawError, todo: str) -> Finding:
    """Something that could not be looked at. `todo` counts where the error has no hint."""
    return ill(about, error.message, error.hint or todo)


def exit_code(findings: Iterable[Finding]) -> ExitCode:
    """FINDINGS where anything is ill."""
    ailing = any(finding.health is Health.ILL for finding in findings)
    return ExitCode.FINDINGS if ailing else ExitCode.PASSED
