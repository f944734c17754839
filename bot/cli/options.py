"""What the options of several commands share."""

from __future__ import annotations

from enum import StrEnum


class Form(StrEnum):
    """How a result is printed: for people, or for programs."""

    TEXT = "text"
    JSON = "json"


RULES_HELP = "Rule files, or folders of them."
RULES_DEFAULT = "what the .github/bylaw.yml around here names, else engineering"
"""Which rules are meant where none are named; see `cli.rule_files.in_force_at`."""
