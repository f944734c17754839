"""Which change of a file brought a finding about: each is taken back, and looked at again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from jurat.engine.baseline import LineMap, squeeze
from jurat.engine.code_search import CodeSearch
from jurat.engine.pattern_search import PatternQuery
from jurat.findings.finding import Cause
from jurat.source.diff import ChangeRun, FileChange
from jurat.source.embedded import read_code
from jurat.source.names import UnresolvedNamesError
from jurat.source.syntax import TooDeeplyNestedError, parse

_WORDS = re.compile(r"\w+|[^\w\s]")

_MOST_TRIED = 4
"""Changes that are taken back for one finding, the nearest first."""

_MOST_PARSED = 1_000_000
"""Characters that are parsed for the causes of all findings of a file: about 0.3 s."""


class CauseFinder:
    """Finds the causes of the findings in one file. What is parsed for one serves the others."""

    def __init__(self, file: FileChange, lines: LineMap, search: CodeSearch) -> None:
        self._search = search
        self._file = file
        self._lines = lines
        self._left = _MOST_PARSED
        self._counts: dict[tuple[int | None, int], Counter[str]] = {}

    def find(self, query: PatternQuery, code: str, first: int, last: int) -> Cause | None:
        """What brought a match of these head lines about, None if it is these lines themselves.

        A match on added lines has a cause only if they are what is left of a line of which a part
        was taken away, and that part kept the rule.
        """
        touched = self._lines.find_run(first, last, head=True)
        nearest = sorted(
            range(len(self._lines.runs)),
            key=lambda index: _compute_distance(self._lines.runs[index], first, last),
        )
        if touched is not None:
            run = self._lines.runs[touched]
            if not self.is_deletion(run) or not self._is_undone(query, code, touched):
                return None
            return _build_cause(run, safeguard=True)
        for index in nearest[:_MOST_TRIED]:
            if self._is_undone(query, code, index):
                run = self._lines.runs[index]
                return _build_cause(run, safeguard=self.is_deletion(run))
        # Only all of them together, or a diff without the file: then the nearest is shown.
        return _build_cause(self._lines.runs[nearest[0]], safeguard=False) if nearest else None

    @cached_property
    def _texts(self) -> Sequence[str]:
        return (self._file.head or "").split("\n")

    def is_deletion(self, run: ChangeRun) -> bool:
        """Whether what the run leaves is what was there with one piece taken out of it."""
        if not run.removed:
            return False
        if self._file.head is None:
            return not run.added
        # By words: `isSafe` without its end is another name, and no deletion.
        before = _WORDS.findall("\n".join(line.text for line in run.removed))
        after = _WORDS.findall("\n".join(self._texts[number - 1] for number in run.added))
        if len(after) >= len(before):
            return False
        start = 0
        while start < len(after) and after[start] == before[start]:
            start += 1
        return before[len(before) - len(after) + start :] == after[start:]

    def _is_undone(self, query: PatternQuery, code: str, index: int) -> bool:
        """Whether there are fewer matches of the same code once a run is taken back."""
        now, then = self._count(query, None), self._count(query, index)
        return then is not None and now is not None and then[code] < now[code]

    def _count(self, query: PatternQuery, index: int | None) -> Counter[str] | None:
        """The codes that match in the head, or in the head with a run taken back."""
        key = index, id(query)
        if key in self._counts:
            return self._counts[key]
        if self._file.head is None or self._file.language is None:
            return None
        text = self._file.head
        if index is not None:
            self._left -= len(text)
            if self._left < 0:
                return None
            text = self._take_back(self._lines.runs[index])
        text = read_code(self._file.path, text)
        try:
            root = parse(text, self._file.language).root()
            found = self._search.list_nodes(query, root, text, self._file.language)
        except (TooDeeplyNestedError, UnresolvedNamesError):
            return None
        self._counts[key] = Counter(squeeze(node.text()) for node in found)
        return self._counts[key]

    def _take_back(self, run: ChangeRun) -> str:
        lines, start = self._texts, run.start - 1
        removed = [line.text for line in run.removed]
        return "\n".join([*lines[:start], *removed, *lines[start + len(run.added) :]])


def _compute_distance(run: ChangeRun, first: int, last: int) -> int:
    end = run.added[-1] if run.added else run.start
    return max(first - end, run.start - last, 0)


def _build_cause(run: ChangeRun, *, safeguard: bool) -> Cause:
    return Cause(run.start, tuple(line.number for line in run.removed), safeguard)
