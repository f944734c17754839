"""What options of the commands take.

They stand apart from the commands, whose modules declare the options and load what they run late.
"""

from __future__ import annotations

from enum import StrEnum


class Form(StrEnum):
    """How a result is printed: for people, or for programs."""

    TEXT = "text"
    JSON = "json"


class ReportFormat(StrEnum):
    """How the review is printed. `json` is the response of POST /api/v1/evaluate."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"


class FailOn(StrEnum):
    """The weakest verdict that makes the exit code 1."""

    DENY = "deny"
    CONFIRM = "confirm"
    NEVER = "never"


class ProbeFormat(StrEnum):
    """How a run is printed."""

    TABLE = "table"
    JSON = "json"
    HTML = "html"


class RatingFormat(StrEnum):
    """How the rating is printed. `html` is one self-contained page."""

    TEXT = "text"
    JSON = "json"
    MD = "md"
    HTML = "html"


class AuditSet(StrEnum):
    """The shipped rule sets."""

    DECISION = "decision"
    BANKING = "banking"
    DENY = "deny"
    ALLOW = "allow"


RULES_HELP = "Rule files, or folders of them."
RULES_DEFAULT = "what the .github/bylaw.yml around here names, else engineering"
"""Which rules are meant where none are named; see `cli.rule_files.in_force_at`."""
