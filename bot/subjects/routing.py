"""Which kind of subject a file is, and a file that is a subject by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from bot.subjects.change import FileChange, FileStatus
from bot.subjects.contents import ContentError, contents_of, holds_data
from bot.subjects.context import Subject
from bot.subjects.globs import matches
from bot.subjects.kinds import SubjectKind
from bot.subjects.passages import passages_of
from bot.subjects.text_facts import text_facts

FACTUAL = frozenset(
    {SubjectKind.TRANSACTION, SubjectKind.EVENT, SubjectKind.DECISION, SubjectKind.IDENTITY}
)
"""Kinds whose data files are read as facts."""

_LINK_MODE = "120000"
_NO_TEXT = "it is no text, and only text can be judged as what it is mapped to"


class Routed(NamedTuple):
    """A file that is a subject by itself, of a kind other than a code diff."""

    file: FileChange
    kind: SubjectKind


def kind_of(
    file: FileChange, surfaces: Mapping[str, SubjectKind], otherwise: SubjectKind
) -> SubjectKind:
    """The kind of the first glob in `surfaces` that the file's path fits, or `otherwise`.

    A file that was moved to where no glob fits is still what it was.
    """
    moved = file.status is FileStatus.RENAMED and file.old_path is not None
    for path in (file.path, file.old_path) if moved else (file.path,):
        for glob, kind in surfaces.items():
            if path is not None and matches(glob, path):
                return kind
    return otherwise


def subject_of(routed: Routed) -> Subject:
    """The file as a subject: what a data file states, or the passages and measures of a text.

    A file that cannot be read as what it is comes out unread, with the reason.
    """
    file, kind = routed
    if file.unread is not None:
        return Subject(kind, (file,))
    if _holds_no_text(file):
        return Subject(kind, (replace(file, unread=_NO_TEXT),))
    if kind in FACTUAL and holds_data(file):
        try:
            contents = contents_of(file)
        except ContentError as error:
            return Subject(kind, (replace(file, unread=str(error)),))
        return Subject(
            kind, (file,), contents.facts, spans=contents.spans, unchanged=contents.unchanged
        )
    passages = passages_of(file, kind)
    return Subject(kind, (file,), text_facts(file, kind, passages), passages)


def _holds_no_text(file: FileChange) -> bool:
    if file.status is FileStatus.REMOVED:
        return False
    return file.is_binary or file.is_submodule or file.new_mode == _LINK_MODE
