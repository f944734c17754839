"""The prints by which GitHub's code scanning knows a line again after others have moved it.

`primaryLocationLineHash`, as https://github.com/github/codeql-action computes it for a result that
brings none (src/fingerprints.ts): a rolling hash over the characters from the line's first on, so
that ours and one that GitHub adds are the same.
"""

from __future__ import annotations

import struct
from collections import Counter, deque
from collections.abc import Collection, Mapping

_WINDOW = 100
"""Characters that one print is made of, white space within lines left out."""
_BASE = 37
_MASK = (1 << 64) - 1
_LEAVING = pow(_BASE, _WINDOW, 1 << 64)
_END_OF_FILE = 0xFFFF


def digest_lines(text: str, wanted: Collection[int]) -> Mapping[int, str]:
    """The prints of the `wanted` lines, which count from 1; of a line that is not there, none.

    Each is a hash and, after a colon, how often it has come up to there. Lines end in LF, CR or
    both; the text counts in units of UTF-16, as JavaScript has it.
    """
    window, starts = deque([0] * _WINDOW), deque([0] * _WINDOW)
    found: dict[int, str] = {}
    seen: Counter[int] = Counter()
    value = line = 0
    at_start = True
    data = text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-16-le", "surrogatepass")
    units = [*struct.unpack(f"<{len(data) // 2}H", data), _END_OF_FILE]
    for position, unit in enumerate([*units, *[0] * _WINDOW]):
        if unit in (0x20, 0x09):
            continue
        started = 0
        if at_start and position < len(units):
            line += 1
            started = line
        at_start = unit == 0x0A
        window.append(unit)
        starts.append(started)
        leaving, begun = window.popleft(), starts.popleft()
        # A line's print holds the characters before this one: it is taken as its first one leaves.
        if begun:
            seen[value] += 1
            if begun in wanted:
                found[begun] = f"{value:x}:{seen[value]}"
        value = (_BASE * value + unit - _LEAVING * leaving) & _MASK
    return found
