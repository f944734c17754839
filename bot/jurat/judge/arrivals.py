"""Files that a rule has never judged although they are old: it is shown them as if added.

A rename out of an ignored or excluded place, and a copy, need not have a hunk, and a rule that is
shown no line must not pass on one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jurat.facts.context import Subject
from jurat.rules.matching import NOT_AT_HAND, is_new_to
from jurat.rules.rule import Rule
from jurat.source.diff import FileChange, Hunk, Line


def open_arrivals(subject: Subject, rules: Sequence[Rule]) -> Subject:
    """The subject with the files in the whole that are new to one of `rules`, or else unread.

    To all of them, if to one: of two views of one file the model would be shown lines twice.
    """
    files = tuple(
        _show_whole(file)
        if file.unread is None and any(is_new_to(rule, file) for rule in rules)
        else file
        for file in subject.files
    )
    return subject if files == subject.files else replace(subject, files=files)


def _show_whole(file: FileChange) -> FileChange:
    if file.is_binary or file.is_submodule:
        return file
    if file.head is None:
        return replace(file, unread=NOT_AT_HAND)
    texts = file.head.removesuffix("\n").split("\n") if file.head else []
    removed: dict[int, list[Line]] = {}
    for hunk in file.hunks:
        at = hunk.new_start if hunk.new_length else hunk.new_start + 1
        for line in hunk.lines:
            if line.kind == "removed":
                # A rule that did judge the old place may be about what goes.
                removed.setdefault(at, []).append(line)
            else:
                at += 1
    lines = [
        line
        for number, text in enumerate(texts, 1)
        for line in (*removed.pop(number, ()), Line("added", None, number, text))
    ]
    lines += [line for rest in removed.values() for line in rest]
    whole = Hunk(0, 0, 1, len(texts), "", tuple(lines))
    return replace(file, hunks=(whole,) if lines else ())
