"""Stage 1 as a whole: a change, facts and words become one EvaluationContext."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.errors import UsageError
from bot.subjects.change import Change, FileChange
from bot.subjects.contents import ContentError, facts_of
from bot.subjects.context import EvaluationContext, Facts, Mode, Subject
from bot.subjects.facts import DERIVED, change_facts
from bot.subjects.functions import touched_functions
from bot.subjects.globs import matches
from bot.subjects.grammars import GRAMMARS
from bot.subjects.kinds import SubjectKind
from bot.subjects.parsing import SIZE_CAP, ParseFailure, ParseMap, in_process

_FACTUAL = frozenset({SubjectKind.TRANSACTION, SubjectKind.EVENT})
"""Kinds whose files are read as facts."""


def assemble(
    change: Change,
    *,
    facts: Facts | None = None,
    intent: str = "",
    scope: str | None = None,
    repository: str | None = None,
    mode: Mode = Mode.PREFLIGHT,
    kind: SubjectKind | None = None,
    surfaces: Mapping[str, SubjectKind] = {},
    ignored: Sequence[str] = (),
    parse_map: ParseMap = in_process,
) -> EvaluationContext:
    """The context of a change, of facts, or of both.

    Files whose path fits a glob in `ignored` are left out, and named in the context. A file whose
    path fits a glob in `surfaces`, the first that does, is a subject of that kind by itself. All
    others are one subject of `kind` (a code diff by default), with their functions extracted and
    `facts` joined by what follows from the files. Facts with no such file are a subject of `kind`
    (a decision by default).

    Raises UsageError where `facts` has the key "change" beside files: that is where the derived
    facts stand, and a rule must be able to trust them.
    """
    kept = [file for file in change.files if not _fits(ignored, file.path)]
    routed = [(file, _kind_of(file, surfaces)) for file in kept]
    own = [_subject_of(_within_cap(file), found) for file, found in routed if found is not None]
    shared = [_within_cap(file) for file, found in routed if found is None]
    return EvaluationContext(
        subjects=(*_main_subject(shared, facts or {}, kind, parse_map), *own),
        intent=intent,
        scope=scope,
        repository=repository,
        mode=mode,
        ignored=tuple(file.path for file in change.files if _fits(ignored, file.path)),
    )


def _main_subject(
    files: Sequence[FileChange], given: Facts, kind: SubjectKind | None, parse_map: ParseMap
) -> tuple[Subject, ...]:
    if not files:
        return (Subject(kind or SubjectKind.DECISION, facts=given),) if given else ()
    if DERIVED in given:
        raise UsageError(
            f"The facts set {DERIVED!r}, which is where Bylaw writes what follows from the diff.",
            hint="Give them another name.",
        )
    complete = _with_functions(files, parse_map)
    facts = {**given, **change_facts(complete)}
    return (Subject(kind or SubjectKind.CODE_DIFF, complete, facts),)


def _subject_of(file: FileChange, kind: SubjectKind) -> Subject:
    """A file as a subject of its own, its content as facts where the kind is made of facts."""
    if kind not in _FACTUAL or file.unread is not None:
        return Subject(kind, (file,))
    try:
        return Subject(kind, (file,), facts_of(file) or {})
    except ContentError as error:
        return Subject(kind, (replace(file, unread=str(error)),))


def _with_functions(files: Sequence[FileChange], parse_map: ParseMap) -> tuple[FileChange, ...]:
    readable = [file for file in files if file.unread is None and file.language in GRAMMARS]
    found = dict(
        zip((file.path for file in readable), parse_map(touched_functions, readable), strict=True)
    )
    complete = []
    for file in files:
        functions = found.get(file.path, ())
        if isinstance(functions, ParseFailure):
            complete.append(replace(file, unread=functions.reason))
        else:
            complete.append(replace(file, functions=functions) if functions else file)
    return tuple(complete)


def _within_cap(file: FileChange) -> FileChange:
    """The file, unread where it would be parsed and is too large to be."""
    if file.unread is not None or file.language is None:
        return file
    whole = [text for text in (file.head, file.base) if text is not None]
    size = (
        max(map(len, whole))
        if whole
        else sum(len(line.text) + 1 for hunk in file.hunks for line in hunk.lines)
    )
    if size <= SIZE_CAP:
        return file
    return replace(
        file, unread=f"it is too large to parse: {size:,} characters, the limit is {SIZE_CAP:,}"
    )


def _kind_of(file: FileChange, surfaces: Mapping[str, SubjectKind]) -> SubjectKind | None:
    return next((kind for glob, kind in surfaces.items() if matches(glob, file.path)), None)


def _fits(globs: Sequence[str], path: str) -> bool:
    return any(matches(glob, path) for glob in globs)
