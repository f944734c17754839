"""Stage 1 as a whole: a change, facts and words become one EvaluationContext."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from jurat.errors import UsageError
from jurat.facts.context import EvaluationContext, Facts, Mode, Subject, SubjectKind, split_file
from jurat.facts.data_files import ContentError, is_data_file, parse_data_file
from jurat.facts.derived import DERIVED, build_change_facts, build_text_facts
from jurat.facts.lock_files import is_lock_file
from jurat.facts.manifests import is_manifest
from jurat.source.diff import Diff, FileChange, FileStatus
from jurat.source.embedded import read_code
from jurat.source.functions import find_touched_functions
from jurat.source.grammars import GRAMMARS
from jurat.source.moved_functions import find_moved_functions
from jurat.source.parsing import SIZE_CAP, ParseFailure, ParseMap, parse_in_process
from jurat.source.paths import match_glob
from jurat.source.unwritten import NOTHING_SAID, Unwritten

HUNK_CAP = 10_000
"""Hunks of a file of which only the diff is at hand: each is parsed by itself, in 0.15 ms."""


def build_subjects(
    change: Diff,
    *,
    facts: Facts | None = None,
    intent: str = "",
    scope: str | None = None,
    repository: str | None = None,
    mode: Mode = Mode.PREFLIGHT,
    kind: SubjectKind | None = None,
    described: SubjectKind | None = None,
    disputed: frozenset[SubjectKind] = frozenset(),
    surfaces: Mapping[str, SubjectKind] = {},
    ignored: Sequence[str] = (),
    private: Sequence[str] = (),
    unwritten: Unwritten = NOTHING_SAID,
    parse_map: ParseMap = parse_in_process,
) -> EvaluationContext:
    """The context of a change, of facts, or of both.

    Files whose path fits a glob in `ignored` are left out, and named in the context. Every other is
    of the kind of the first glob in `surfaces` that its path fits, or else of `kind` (a code diff
    by default). The code diff is one subject with its functions and the facts that follow from its
    files; every other file is a subject by itself. What fits a glob in `private`, or did before the
    change, is marked so. `unwritten` says which files nobody writes by
    hand: rules about code leave those alone.

    `facts` join the code diff. Without one they join the only file of `kind`, if a kind is
    named; else they are a subject by themselves, of `kind` (a decision by default). `described` is
    the kind of the facts, and not of the files, if no `kind` is named. If nothing settles it,
    they are of all kinds in `disputed` as well, by themselves if some of these are of no code.

    Raises UsageError if `facts` have a key that stands among what a file says, or among what
    follows from it: a rule must be able to trust that.
    """
    routed = [
        RoutedFile(file, detect_kind(file, surfaces, kind or SubjectKind.CODE_DIFF))
        for file in _mark_files(change.files, ignored, private, unwritten)
    ]
    # Before anything is parsed: the cap holds at every door, with or without a pool that can kill.
    code = [_apply_cap(file) for file, its in routed if its is SubjectKind.CODE_DIFF]
    others = _build_file_subjects(
        [item for item in routed if item.kind is not SubjectKind.CODE_DIFF], parse_map
    )
    if code:
        complete = find_moved_functions(_with_functions(code, parse_map))
        others.insert(0, Subject(SubjectKind.CODE_DIFF, complete, build_change_facts(complete)))
    return EvaluationContext(
        subjects=_with_given(others, facts or {}, kind or described, disputed),
        intent=intent,
        scope=scope,
        repository=repository,
        mode=mode,
        ignored=tuple(file.path for file in change.files if _is_fitting(ignored, file.path)),
    )


def _mark_files(
    files: Sequence[FileChange],
    ignored: Sequence[str],
    private: Sequence[str],
    unwritten: Unwritten,
) -> list[FileChange]:
    """The files that are not ignored, each with what the configuration says of its paths."""
    return [
        unwritten.mark(
            replace(
                file,
                was_ignored=file.old_path is not None and _is_fitting(ignored, file.old_path),
                # Both names, or a rename would publish what is in it.
                private=any(
                    _is_fitting(private, path) for path in (file.path, file.old_path) if path
                ),
            )
        )
        for file in files
        if not _is_fitting(ignored, file.path)
    ]


def _with_given(
    subjects: Sequence[Subject],
    given: Facts,
    kind: SubjectKind | None,
    disputed: frozenset[SubjectKind],
) -> tuple[Subject, ...]:
    """The subjects, and what the caller says beside their files."""
    if not given:
        return tuple(subjects)
    wanted = kind or SubjectKind.CODE_DIFF
    described = [subject for subject in subjects if subject.kind is wanted]
    if len(described) != 1:
        also = frozenset[SubjectKind]() if kind else disputed
        return (Subject(kind or SubjectKind.DECISION, facts=given, other_kinds=also), *subjects)
    (one,) = described
    # Refused, not overwritten: a caller's fact must not stand in place of what a file says.
    for key in given:
        if key in one.facts:
            raise UsageError(_describe_collision(key, one), hint="Give it another name.")
    joined = replace(one, facts={**given, **one.facts})
    apart = disputed - {one.kind} if kind is None else frozenset()
    return (
        *(joined if subject is one else subject for subject in subjects),
        *([Subject(SubjectKind.DECISION, facts=given, other_kinds=apart)] if apart else []),
    )


def _describe_collision(key: str, subject: Subject) -> str:
    if (key,) in subject.spans:
        return f"The facts set {key!r}, which {subject.files[0].path} states as well."
    source = "the diff" if key == DERIVED else subject.files[0].path
    return f"The facts set {key!r}, which is where Jurat writes what follows from {source}."


def _build_file_subjects(routed: Sequence[RoutedFile], parse_map: ParseMap) -> list[Subject]:
    """Each file as a subject of its kind, in order; unread if it could not be read as one."""
    sized = [item._replace(file=_apply_cap(item.file, always=True)) for item in routed]
    readable = [item for item in sized if item.file.unread is None]
    found = dict(
        zip(
            (item.file.path for item in readable),
            parse_map(build_file_subject, readable) if readable else (),
            strict=True,
        )
    )
    subjects = []
    for file, kind in sized:
        subject = found.get(file.path, Subject(kind, (file,)))
        if isinstance(subject, ParseFailure):
            subject = Subject(kind, (replace(file, unread=subject.reason),))
        subjects.append(subject)
    return subjects


def _with_functions(files: Sequence[FileChange], parse_map: ParseMap) -> tuple[FileChange, ...]:
    readable = [file for file in files if file.unread is None and file.language in GRAMMARS]
    found = dict(
        zip(
            (file.path for file in readable),
            parse_map(find_touched_functions, readable),
            strict=True,
        )
    )
    complete = []
    for file in files:
        functions = found.get(file.path, ())
        if isinstance(functions, ParseFailure):
            complete.append(replace(file, unread=functions.reason))
        else:
            complete.append(replace(file, functions=functions) if functions else file)
    return tuple(complete)


def _apply_cap(file: FileChange, *, always: bool = False) -> FileChange:
    """The file, unread if it would be parsed (or `always`) and is too large to be.

    Of what is neither code nor the source of a fact, such as a changelog, the lines can be read all
    the same.
    """
    if file.unread is not None or (file.language is None and not always):
        return file
    # As it is parsed: the pictures in a notebook are not.
    whole = [read_code(file.path, text) for text in (file.head, file.base) if text is not None]
    size = (
        max(map(len, whole))
        if whole
        else sum(len(line.text) + 1 for hunk in file.hunks for line in hunk.lines)
    )
    if not whole and len(file.hunks) > HUNK_CAP:
        reason = f"its diff has {len(file.hunks):,} hunks, the limit is {HUNK_CAP:,}"
        return replace(file, unread=f"it is too large to parse: {reason}")
    if size <= SIZE_CAP:
        return file
    reason = f"it is too large to parse: {size:,} characters, the limit is {SIZE_CAP:,}"
    states = is_manifest(file.path) or is_lock_file(file.path)
    if file.language in GRAMMARS or states or always or not whole:
        return replace(file, unread=reason)
    return replace(file, unparsed=reason)


def _is_fitting(globs: Sequence[str], path: str) -> bool:
    return any(match_glob(glob, path) for glob in globs)


# Which kind of subject a file is, and a file that is a subject by itself.

FACTUAL = frozenset(
    {SubjectKind.TRANSACTION, SubjectKind.EVENT, SubjectKind.DECISION, SubjectKind.IDENTITY}
)
"""Kinds whose data files are read as facts."""

_LINK_MODE = "120000"
_NO_TEXT = "it is no text, and only text can be judged as what it is mapped to"


class RoutedFile(NamedTuple):
    """A file that is a subject by itself, of a kind other than a code diff."""

    file: FileChange
    kind: SubjectKind


def detect_kind(
    file: FileChange, surfaces: Mapping[str, SubjectKind], otherwise: SubjectKind
) -> SubjectKind:
    """The kind of the first glob in `surfaces` that the file's path fits, or `otherwise`.

    A file that was moved to where no glob fits is still what it was.
    """
    # Both names, or a rename would move a contract to where it is judged as code.
    moved = file.status is FileStatus.RENAMED and file.old_path is not None
    for path in (file.path, file.old_path) if moved else (file.path,):
        for glob, kind in surfaces.items():
            if path is not None and match_glob(glob, path):
                return kind
    return otherwise


def build_file_subject(routed: RoutedFile) -> Subject:
    """The file as a subject: what a data file states, or the passages and measures of a text.

    A file that cannot be read as what it is comes out unread, with the reason.
    """
    file, kind = routed
    if file.unread is not None:
        return Subject(kind, (file,))
    if _has_no_text(file):
        return Subject(kind, (replace(file, unread=_NO_TEXT),))
    if kind in FACTUAL and is_data_file(file):
        try:
            contents = parse_data_file(file)
        except ContentError as error:
            return Subject(kind, (replace(file, unread=str(error)),))
        return Subject(
            kind, (file,), contents.facts, spans=contents.spans, unchanged=contents.unchanged
        )
    passages = split_file(file, kind)
    return Subject(kind, (file,), build_text_facts(file, kind, passages), passages)


def _has_no_text(file: FileChange) -> bool:
    if file.status is FileStatus.REMOVED:
        return False
    return file.is_binary or file.is_submodule or file.new_mode == _LINK_MODE
