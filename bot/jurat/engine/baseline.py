"""What of a file's head version stood in its base already, and inside of which function."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from jurat.source.diff import FileChange, Function, FunctionChange


class CodeOccurrence(NamedTuple):
    """Something found on lines of one version: its text without margins, its first and last line.

    Lines are 1-based and inclusive, of the version in which it was found.
    """

    text: str
    first: int
    last: int


class Baseline:
    """Tells what is new in a file from what was edited in place, or moved.

    A thing of the head stood before where the base has one of the same text that is not accounted
    for, and that stood in the same run of changed lines, or on lines that read alike, or on lines
    that were kept. Taking one offending call away does not pay for another one elsewhere.
    """

    def __init__(self, file: FileChange) -> None:
        self._added: dict[int, int] = {}
        self._removed: dict[int, int] = {}
        self._heads: dict[int, str] = {}
        self._bases: dict[int, str] = {}
        run = 0
        for hunk in file.hunks:
            run += 1
            for line in hunk.lines:
                if line.kind == "added" and line.new is not None:
                    self._added[line.new] = run
                    self._heads[line.new] = line.text
                elif line.kind == "removed" and line.old is not None:
                    self._removed[line.old] = run
                    self._bases[line.old] = line.text
                else:
                    run += 1

    def find_new(
        self, found: Sequence[CodeOccurrence], before: Sequence[CodeOccurrence], kept: Counter[str]
    ) -> list[int]:
        """The indexes of those `found` that are new, beside those `before`.

        `kept` counts, by text, what stands on lines of the head that were not touched: it accounts
        for as many of the base's first.
        """
        left = Counter(item.text for item in before)
        # What stands on untouched lines is spoken for: it must not excuse a copy on an added one.
        left.subtract(kept)
        partners = _Partners()
        for number, item in enumerate(before):
            runs = _list_runs(item, self._removed)
            keys: list[_Key] = [(item.text, run) for run in runs]
            keys.append((item.text, _list_changed_texts(item, self._bases) if runs else ()))
            partners.add(number, keys)
        news = []
        for index, item in enumerate(found):
            wanted: list[_Key] = [(item.text, run) for run in _list_runs(item, self._added)]
            wanted += [(item.text, _list_changed_texts(item, self._heads)), (item.text, ())]
            # Both: as many as the base had to give, and each by the likeness that binds it.
            if left[item.text] > 0 and partners.take(wanted):
                left[item.text] -= 1
            else:
                news.append(index)
        return news


_Key = tuple[str, int | tuple[str, ...]]
"""A text, and the run of changes it stands in, or the changed lines it stands on."""


class _Partners:
    """Things of the base, each to be taken once, by any of its keys."""

    def __init__(self) -> None:
        self._by_key: defaultdict[_Key, deque[int]] = defaultdict(deque)
        self._taken: set[int] = set()

    def add(self, number: int, keys: Iterable[_Key]) -> None:
        for key in keys:
            self._by_key[key].append(number)

    def take(self, keys: Iterable[_Key]) -> bool:
        """Take the first that is left under the first key that has one."""
        for key in keys:
            waiting = self._by_key.get(key)
            while waiting:
                number = waiting.popleft()
                if number not in self._taken:
                    # A thing waits under several keys; taken by one it is gone from all.
                    self._taken.add(number)
                    return True
        return False


def _list_runs(item: CodeOccurrence, numbered: Mapping[int, int]) -> list[int]:
    lines = range(item.first, item.last + 1)
    return list(dict.fromkeys(numbered[line] for line in lines if line in numbered))


def _list_changed_texts(item: CodeOccurrence, texts: Mapping[int, str]) -> tuple[str, ...]:
    """The changed lines that a thing stands on, whatever their white space."""
    lines = range(item.first, item.last + 1)
    return tuple("".join(texts[line].split()) for line in lines if line in texts)


def map_innermost_functions(file: FileChange) -> Mapping[int, Function]:
    """The innermost touched function around each line of the head version that has one."""
    found: dict[int, Function] = {}
    there = [item for item in file.functions if item.change is not FunctionChange.REMOVED]
    for function in sorted(there, key=lambda item: item.length, reverse=True):
        found |= dict.fromkeys(range(function.start_line, function.end_line + 1), function)
    return found
