"""The facts that follow from a text, for rules to put bounds on."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from bot.subjects.change import FileChange
from bot.subjects.context import Facts, Subject
from bot.subjects.kinds import SubjectKind
from bot.subjects.passages import Passage

_WORD = re.compile(r"\w+(?:['\u2019-]\w+)*")
_KEYS: Mapping[SubjectKind, tuple[str, str]] = MappingProxyType(
    {
        SubjectKind.CLAUSE_SET: ("contract", "clauses"),
        SubjectKind.DOCUMENT: ("document", "sections"),
        SubjectKind.CREATIVE: ("message", "segments"),
    }
)

_MEASURES = frozenset(key for key, _ in _KEYS.values())


def text_facts(file: FileChange, kind: SubjectKind, passages: Sequence[Passage]) -> Facts:
    """What is known of a text as it stands after the change, under the one key of its kind.

    The keys are "contract", "document" and "message"; below stand

    - `words`, `characters`: counts over the whole text. A word is a run of letters and digits.
    - `clauses[*]`, `sections[*]` or `segments[*]`, those alone that hold an added line: path, name,
      words, characters, start_line, end_line.

    Empty for another kind, and where the whole text is not at hand.
    """
    if kind not in _KEYS or file.head is None:
        return {}
    key, parts = _KEYS[kind]
    added = sorted(file.added_lines)
    return {
        key: {
            **_measures(file.head),
            parts: [
                {
                    "path": file.path,
                    "name": passage.name,
                    "start_line": passage.first_line,
                    "end_line": passage.last_line,
                    **_measures(file.head[passage.start : passage.end]),
                }
                for passage in passages
                if _any_between(added, passage.first_line, passage.last_line)
            ],
        }
    }


def is_measure(subject: Subject, key: object) -> bool:
    """Whether `key` is what `text_facts` found of a subject, and nothing that was said."""
    return bool(subject.files) and not subject.spans and key in _MEASURES


def _measures(text: str) -> dict[str, Any]:
    return {"words": sum(1 for _ in _WORD.finditer(text)), "characters": len(text.strip())}


def _any_between(numbers: Sequence[int], first: int, last: int) -> bool:
    place = bisect_left(numbers, first)
    return place < len(numbers) and numbers[place] <= last
