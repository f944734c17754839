"""Every size that GitHub sets, in the unit that GitHub counts in, and the one way to keep to it.

It stands in `reports` because reports cut the texts, and a room imports only what stands below it:
`github`, `server` and `app`, which refuse what is too large or ask by the page, read it from here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sized
from dataclasses import dataclass, replace
from enum import StrEnum


class Unit(StrEnum):
    """What is counted: Unicode code points, bytes of UTF-8, or the items of a list."""

    CHARACTERS = "characters"
    BYTES = "bytes"
    ITEMS = "items"


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `size` of a unit."""

    size: int
    unit: Unit = Unit.CHARACTERS

    def __str__(self) -> str:
        return f"{self.size:,} {self.unit}"

    def measure(self, value: Sized) -> int:
        """How much of a text or a list there is, in the limit's unit."""
        if self.unit is Unit.BYTES and isinstance(value, str):
            return len(_to_bytes(value))
        return len(value)

    def fits(self, value: Sized) -> bool:
        """Whether a text or a list keeps to the limit."""
        return self.measure(value) <= self.size

    def subtract(self, *texts: str) -> Limit:
        """What these texts leave of it; 0 if they leave nothing."""
        return replace(self, size=max(self.size - sum(map(self.measure, texts)), 0))


# https://docs.github.com/en/rest/checks/runs#create-a-check-run

CHECK_TEXT = Limit(65_535, Unit.BYTES)
"""A check's summary, and its text. The page says characters; what refuses a longer one counts
bytes ("summary exceeds a maximum bytesize of 65535"): https://github.com/github/docs/issues/35252
"""
ANNOTATIONS = Limit(50, Unit.ITEMS)
"""The annotations of one request. Each request adds to those that are there."""
ANNOTATION_TEXT = Limit(64 << 10, Unit.BYTES)
"""An annotation's message, and its raw details."""
ANNOTATION_TITLE = Limit(255)
BUTTONS = Limit(3, Unit.ITEMS)
BUTTON_LABEL = Limit(20)
BUTTON_DESCRIPTION = Limit(40)
BUTTON_IDENTIFIER = Limit(20)

COMMENT_BODY = Limit(65_536)
"""A comment, a review, or a reply. Only the refusal says so: "body is too long (maximum is 65536
characters)": https://github.com/danger/danger/issues/424
"""

PAGE = Limit(100, Unit.ITEMS)
"""https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api"""
COMPARED_FILES = Limit(300, Unit.ITEMS)
"""https://docs.github.com/en/rest/commits/commits#compare-two-commits"""
WEBHOOK_PAYLOAD = Limit(25 << 20, Unit.BYTES)
"""https://docs.github.com/en/webhooks/webhook-events-and-payloads#payload-cap"""

# https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning

SARIF_TAGS = Limit(20, Unit.ITEMS)
SARIF_DESCRIPTION = Limit(1_024)


def fit(text: str, limit: Limit, ending: str = "…") -> str:
    """`text` if the limit admits it, else as much as fits before `ending`, which says it was cut.

    What is longer than one line is cut between lines: a code span or a link that is left open would
    make markup of what it holds. A single line is cut between characters as people see them, so
    that no emoji becomes another one. What comes back always keeps to the limit.
    """
    if limit.fits(text):
        return text
    room = limit.subtract(ending)
    if not room.size:
        return _cut(ending, limit)
    kept = _cut(text, room)
    return (kept.rpartition("\n")[0] or kept) + ending


_ZERO_WIDTH_JOINER = "\u200d"
_REGIONAL = "".join(map(chr, range(0x1F1E6, 0x1F200)))
_LONGEST_CHARACTER = 32
"""Code points that are taken back for the sake of one: marks may be heaped without end."""


def _cut(text: str, limit: Limit) -> str:
    """The longest beginning that the limit admits and that ends between two characters."""
    kept = _cut_beginning(text, limit)
    for at in range(len(kept), max(len(kept) - _LONGEST_CHARACTER, -1), -1):
        if not _is_inside(text, at):
            return text[:at]
    return kept


def _cut_beginning(text: str, limit: Limit) -> str:
    """The longest beginning of whole code points."""
    if limit.unit is not Unit.BYTES:
        return text[: limit.size]
    data = _to_bytes(text)
    end = min(limit.size, len(data))
    while 0 < end < len(data) and data[end] & 0xC0 == 0x80:  # the second or a later byte of one
        end -= 1
    return data[:end].decode("utf-8", "surrogatepass")


def _is_inside(text: str, at: int) -> bool:
    """Whether a cut there parts what is shown as one, by the common cases of Unicode's annex 29."""
    if at in (0, len(text)):
        return False
    before, after = text[at - 1], text[at]
    if _ZERO_WIDTH_JOINER in (before, after) or _is_extending(after):
        return True
    # Two regional indicators are a flag: a cut after an odd number of them parts one.
    near = text[max(at - _LONGEST_CHARACTER, 0) : at]
    return after in _REGIONAL and (len(near) - len(near.rstrip(_REGIONAL))) % 2 == 1


def _is_extending(char: str) -> bool:
    """Combining marks, variation selectors, skin tones, and the tags of a region's flag."""
    return (
        unicodedata.category(char) in ("Mn", "Mc", "Me")
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
    )


def _to_bytes(text: str) -> bytes:
    # The path of a file may hold a byte that is no UTF-8, which Python keeps as half a surrogate.
    return text.encode("utf-8", "surrogatepass")
