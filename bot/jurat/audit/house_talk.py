"""Clauses that speak of those who review, of their calendar, or of what they take for granted.

None of it is shown in the subject, so none of it supports an ALLOW. Told by closed classes:
pronouns of the house, names of days and spans of time, conjunctions that assume.
"""

from __future__ import annotations

import re

OF_THE_HOUSE = re.compile(r"\b(?:our|ours|us|ourselves|whoever|whomever)\b", re.IGNORECASE)
"""Speaks of those who review or wrote, not of what was written."""

_MONTH = (
    r"(?:January|February|March|April|June|July|August|September|October|November|December"
    r"|spring|summer|autumn|winter|Christmas|Easter|\d{4})"
)
IN_THE_CALENDAR = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|[Mm]ondays?|[Tt]uesdays?|[Ww]ednesdays?|[Tt]hursdays?"
    r"|[Ff]ridays?|(?:this|next|last|past|coming) (?:\w+ )?(?:week|sprint|release)|deadlines?"
    r"|(?:for|after|over|of|in) (?:\w+ )?(?:years|months|decades|weeks)"
    r"|years of|long ago|time pressure|hurry|urgen\w+"
    rf"|since (?:early |late |last )?{_MONTH})\b"
)
"""Says when people did or want a thing, which no code depends on."""

ASSUMED = re.compile(
    r"\b(?:provided(?: that)?(?! by\b)(?= \w+ \w+)|assuming|presuming|supposing|on (?:the )?"
    r"(?:condition|assumption|premise)"
    r"|as long as|so long as|trusting that|if we (?:assume|trust|suppose))\b",
    re.IGNORECASE,
)
"""Says what would have to be so, and is not shown."""
