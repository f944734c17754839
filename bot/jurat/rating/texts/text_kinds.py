"""What kind of text a string of a program is: settings that it writes, or orders to a model."""

from __future__ import annotations

import re
from collections import Counter

NOTICES = frozenset(("ai_disclosure", "content_label", "biometric_notice"))
"""The signals of what people are told: of these a text for a model shows nothing."""
_OPENING = re.compile(r"^\s*[rfbuRFBU]{0,2}[\"'`]+")
_LEAST_LINES = 5
_SETTING = re.compile(r"\s*(?:[#;]|\[{1,2}[\w.\" -]+\]{1,2}\s*$|[\w.\"-]+\s*=)")
_MOST_OTHER = 0.1
"""The share of lines that may go on from the one above, such as those of a list."""
_LONG = 1_000
"""Characters from which on nobody reads it at a glance."""
_TURN = re.compile(
    r"(?m)^\W{0,4}(?:user|human|assistant|ai|bot|q|a|input|output|response|example)s?(?: \d+)?\s*:",
    re.IGNORECASE,
)
_ORDERS = re.compile(
    r"\W*(?:you are|you're|act as|your (?:task|job|role) is)\b"
    r"(?! (?:now )?(?:talking|chatting|speaking|writing|in contact))",
    re.IGNORECASE,
)


_IN_DOUBT = re.compile(r"\b(?:may|might|could) (?:be|have been)\W*$", re.IGNORECASE)


def is_in_doubt(before: str) -> bool:
    """Whether what stands before a claim says that it may be so, and not that it is."""
    return _IN_DOUBT.search(before) is not None


def is_settings(text: str) -> bool:
    """Whether a text is a file of settings: its lines are keys with values, sections, comments."""
    lines = [line for line in _take_out(text).split("\n") if line.strip()]
    if len(lines) < _LEAST_LINES:
        return False
    others = sum(_SETTING.match(line) is None for line in lines)
    return others <= _MOST_OTHER * len(lines)


def is_for_model(text: str) -> bool:
    """Whether a long text is an order to a model, or shows it how to answer."""
    return len(text) > _LONG and (
        _ORDERS.match(_take_out(text)) is not None or len(_TURN.findall(text)) > 1
    )


_LABEL = re.compile(r"(?m)(?:^|\\n)\W{0,4}([A-Za-z][\w ]{0,24}):(?=\s)")
_REPEATED = 3
"""Times from which on a label begins one example of many."""


def cut_examples(text: str) -> str:
    """What a text says before it shows examples, which begin by the same labels again and again."""
    labels = [(found[1].lower(), found.start()) for found in _LABEL.finditer(text)]
    times = Counter(label for label, _ in labels)
    first = next((start for label, start in labels if times[label] >= _REPEATED), len(text))
    return text[:first]


def _take_out(text: str) -> str:
    """A string without its quotes."""
    return _OPENING.sub("", text).rstrip("\"'` \n")
