"""From a quote to the lines it stands on. A place that the model names only tells quotes apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from bot.judgment.exhibits import Block, Exhibit, Row
from bot.judgment.replies import Finding
from bot.subjects.change import FunctionChange
from bot.subjects.passages import passage_at
from bot.subjects.surface_fields import PASSAGE_FIELD

_MIN_QUOTE = 3
"""Characters below which a quote must be a whole line: shorter ones stand anywhere."""

_MAX_MATCHES = 100
"""Places of one quote in one block that are looked at: one that stands oftener tells nothing."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where a quote stands: `rows` of one block, consecutive after the change.

    `start` and `end` bound the quote inside the rows' texts joined by newlines. `exact` is False
    where only the amount of white space differed.
    """

    exhibit: Exhibit
    rows: tuple[Row, ...]
    start: int
    end: int
    exact: bool

    @property
    def text(self) -> str:
        """What stands there, as the model saw it."""
        return "\n".join(row.text for row in self.rows)[self.start : self.end]


def find(finding: Finding, exhibits: Sequence[Exhibit]) -> Anchor | None:
    """The place of a finding's quote, or None where it does not stand after the change.

    A quote must stand in the exhibit that the finding names. An exact match comes before one that
    differs in white space. Of several, hints decide where they fit one: the function or the
    passage, then the line; then a match that touches an added line; then the first.
    """
    named = [item for item in exhibits if finding.source in (item.label, item.name)]
    if finding.source and not named:
        return None
    searched = named or exhibits
    words = finding.quote.split()
    if not words:
        return None
    exactly = re.escape(finding.quote.strip("\n"))
    loosely = r"\s+".join(re.escape(word) for word in words)
    for pattern in (exactly, loosely):
        found = [
            anchor
            for exhibit in searched
            for block in exhibit.blocks
            if words[0] in block.text
            for anchor in _matches(pattern, exhibit, block, exact=pattern is exactly)
        ]
        if found:
            return _chosen(found, finding.hints or {})
    return None


def _matches(pattern: str, exhibit: Exhibit, block: Block, *, exact: bool) -> Iterator[Anchor]:
    rows = [row for row in block.rows if row.head]
    text = "\n".join(row.text for row in rows)
    for match in islice(re.finditer(pattern, text), _MAX_MATCHES):
        anchor = _over(exhibit, rows, text, *match.span(), exact=exact)
        if len(match.group()) >= _MIN_QUOTE or match.group() == anchor.rows[0].text.strip():
            yield anchor


def _over(
    exhibit: Exhibit, rows: Sequence[Row], text: str, start: int, end: int, *, exact: bool
) -> Anchor:
    first = text.count("\n", 0, start)
    last = first + text.count("\n", start, end)
    opening = text.rfind("\n", 0, start) + 1
    return Anchor(exhibit, tuple(rows[first : last + 1]), start - opening, end - opening, exact)


def _chosen(found: Sequence[Anchor], hints: Mapping[str, str | int]) -> Anchor:
    """The match that the hints point at. A hint that fits none is passed over."""
    left = list(found)
    function = hints.get("function_name")
    path = hints.get("json_path")
    line = hints.get("start_line")
    passage = next((hints[name] for name in PASSAGE_FIELD.values() if name in hints), None)
    for fit in (
        [item for item in left if function and _function_named(item, str(function))],
        [item for item in left if passage and _passage_named(item, str(passage))],
        [item for item in left if path and any(_at(row, str(path)) for row in item.rows)],
        [item for item in left if line is not None and item.rows[0].line == line],
        [item for item in left if any(row.added for row in item.rows)],
    ):
        both = [item for item in left if item in fit]
        left = both or left
    return left[0]


def _passage_named(anchor: Anchor, name: str) -> bool:
    line = anchor.rows[0].line
    own = passage_at(anchor.exhibit.passages, line) if line is not None else None
    return own is not None and own.name == name


def _at(row: Row, path: str) -> bool:
    return row.fact is not None and row.fact.path == path.removeprefix("$").removeprefix(".")


def _function_named(anchor: Anchor, name: str) -> bool:
    own = function_at(anchor.exhibit, anchor.rows[0].line)
    if own is not None:
        return name in (own, own.rpartition(".")[2])
    return any(
        anchor.rows[0] in block.rows and name in block.section for block in anchor.exhibit.blocks
    )


def function_at(exhibit: Exhibit, line: int | None) -> str | None:
    """The qualified name of the innermost function around a line of the head version."""
    if exhibit.file is None or line is None:
        return None
    around = [
        function
        for function in exhibit.file.functions
        if function.change is not FunctionChange.REMOVED
        and function.start_line <= line <= function.end_line
    ]
    return min(around, key=lambda function: function.length).qualified_name if around else None


def merged(anchors: Sequence[Anchor]) -> tuple[Anchor, ...]:
    """The anchors without those that stand on the same lines of the same exhibit as another."""
    kept: dict[tuple[str, tuple[Row, ...]], Anchor] = {}
    for anchor in anchors:
        kept.setdefault((anchor.exhibit.label, anchor.rows), anchor)
    return tuple(kept.values())
