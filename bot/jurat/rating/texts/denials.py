"""What a text says of a phrase in it: not to do it, or to notice and keep it out."""

from __future__ import annotations

import re

_SENTENCE = 400
"""Characters around a phrase that may belong to its sentence."""
_NEGATION = re.compile(
    r"\b(?:never|not|no|don't|doesn't|mustn't|won't|cannot|can't|avoid\w*|refus\w*|without|prohibit\w*"
    r"|forbid\w*|forbidden|prevent\w*|reject\w*|instead of|rather than|detect\w*|flag\w*"
    r"|(?:mark|find|spot) (?:\w+ ){1,2}(?:which|that|who)"
    r"|(?:does|do|did) (?:this|the|these|that) (?:page|site|website|text|message|ad|advert\w*"
    r"|letter|post|e-?mail|article|app|screen|copy)s?)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?;](?:\s|$)|\n\s*(?:\n|[-*#\d])")
_DENIALS = {
    "biometric_notice": re.compile(
        r"\b(?:never|not|no longer|don't|doesn't|cannot|won't)\b", re.IGNORECASE
    ),
    # What is done is said last, and so is that it is not done.
    "vulnerability_exploitation": re.compile(
        r"\b(?:never|not|don't|without)\b(?:\W+\w+){0,3}$", re.IGNORECASE
    ),
}
"""How texts that say what is done deny it in the middle. Others tell apart by what they deny."""

_TITLE = re.compile(rb"(?m)^[ \t]*(?:#{1,6}[ \t]+|\*\*)([^\n]+)$")
_BANS = re.compile(
    rb"\b(?:block(?:ed)?|reject(?:ed)?|refus(?:e|ed|als?)|forbidden|prohibited|disallowed|den(?:y|ied)"
    rb"|bann?(?:ed)?|not allowed|out of scope|unsafe"
    rb"|(?:never|do not|don't|must not) (?:do|answer|allow|accept|engage|help|generate|use))\b",
    re.IGNORECASE,
)
"""Headings over what is not to be."""


def _is_under_ban(data: bytes, at: int) -> bool:
    """Whether the heading above a phrase says that what stands below it is not to be."""
    titles = [found[1] for found in _TITLE.finditer(data, 0, at)]
    return bool(titles) and _BANS.search(titles[-1]) is not None


def is_denied(data: bytes, at: int) -> bool:
    """Whether the sentence up to a phrase, or the heading above it, says not to."""
    before = data[max(at - _SENTENCE, 0) : at].decode("utf-8", "ignore")
    ends = [end.end() for end in _SENTENCE_END.finditer(before)]
    denied = _NEGATION.search(before, ends[-1] if ends else 0) is not None
    return denied or _is_under_ban(data, at)


def is_denied_within(signal: str, said: str) -> bool:
    """Whether what was found for a signal denies itself in the middle."""
    denied = _DENIALS.get(signal)
    return denied is not None and denied.search(said) is not None
