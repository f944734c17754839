"""Clauses that speak of those who review, of their calendar, or of what they take for granted.

None of it is shown in the subject, so none of it supports an ALLOW. Told by closed classes:
pronouns of the house, names of days and spans of time, conjunctions that assume.
"""

from __future__ import annotations

import re

OF_THE_HOUSE = re.compile(
    r"\b(?:[Oo]urs?|[Oo]urselves|[Ww]hoever|[Ww]homever)\b|(?<![\w-])us(?![\w-])"
)
"""Speaks of those who review or wrote, not of what was written."""

_MONTH = (
    r"(?:January|February|March|April|June|July|August|September|October|November|December|spring"
    r"|summer|autumn|winter|Christmas|Easter|\d{4})"
)
IN_THE_CALENDAR = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|[Mm]ondays?|[Tt]uesdays?|[Ww]ednesdays?|[Tt]hursdays?"
    r"|[Ff]ridays?|(?:this|next|last|past|coming) (?:\w+ )?(?:week|sprint|release)|deadlines?"
    r"|(?:for|after|over|of|in) (?:\w+ )?(?:years|months|decades|weeks)|years of|long ago"
    r"|time pressure|hurry|urgen\w+"
    rf"|since (?:early |late |last )?{_MONTH})\b"
)
"""Says when people did or want a thing, which no code depends on."""

ASSUMED = re.compile(
    r"\b(?:provided(?: that)?(?! by\b)(?= \w+ \w+)|assuming|presuming|supposing"
    r"|on (?:the )?(?:condition|assumption|premise)|as long as|so long as|trusting that"
    r"|if we (?:assume|trust|suppose))\b",
    re.IGNORECASE,
)
"""Says what would have to be so, and is not shown."""
