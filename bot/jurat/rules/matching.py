"""Whether a rule's metadata fits a file, a subject or a scope."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import bracex  # what wcmatch takes braces apart with

from jurat.facts.context import EvaluationContext, Subject
from jurat.rules.constraints import PatternConstraint, RegexConstraint
from jurat.rules.flows import ValueConstraint
from jurat.rules.kept_answers import keep_answers
from jurat.rules.level import is_rule_glob
from jurat.rules.rule import Rule
from jurat.source.diff import FileChange, FileStatus
from jurat.source.paths import match_glob


def fits_path(rule: Rule, path: str) -> bool:
    """Whether some glob of the rule means the path, and nothing excludes it.

    A glob that starts with "!" does, and so does a level that switches the rule off there.
    """
    return _is_chosen(rule.paths, path) and not rule.is_off_at(path)


def fits_language(rule: Rule, language: str | None) -> bool:
    """Whether the rule is about a language. Without `languages`, its patterns say so."""
    wanted = list_languages(rule)
    if not wanted:
        return True
    if language is None:
        return not _list_including(wanted)
    return _is_chosen(wanted, language)


def list_languages(rule: Rule) -> tuple[str, ...]:
    """The globs over languages that a rule is about: its own, or those its patterns imply."""
    return rule.languages or _list_pattern_languages(rule)


def fits_file(rule: Rule, file: FileChange) -> bool:
    """Whether the rule is about a file, or may be about one that was not read.

    Any rule may be about one without a name.
    """
    # Its name is not known, so that no glob can say it is not meant: the rule must say it missed
    # it.
    if file.unlisted:
        return True
    if file.unwritten and not _is_about_unwritten(rule, file.path):
        return False
    languages = file.possible_languages
    return any(fits_language(rule, each) for each in languages) and fits_path(rule, file.path)


@keep_answers
def describe_files(rule: Rule) -> Hashable:
    """What the files are that a rule is about: rules with the same answer are about the same.

    None if it must be asked for each file.
    """
    if rule.enforcement.switches_off:  # which its globs do not say
        return None
    return rule.paths, list_languages(rule), rule.everywhere or rule.is_required


NOT_AT_HAND = "it was never judged where it comes from, and its whole text is not at hand"


def is_new_to(rule: Rule, file: FileChange) -> bool:
    """Whether a rule is about a file and was not about what it was before the change.

    A rename out of an ignored or excluded place, and a copy, are: they need not have a hunk. What
    is added has all of its lines in its hunks, and what is removed is no news.
    """
    if file.status in (FileStatus.ADDED, FileStatus.REMOVED):
        return False
    before = file.as_base()
    return (before is None or not fits_file(rule, before)) and fits_file(rule, file)


def find_unread_reason(rule: Rule, file: FileChange) -> str | None:
    """Why a rule cannot read a file that it is about, None if it can.

    Of a file that is new to it, it must read all, and a diff does not show all.
    """
    if file.unread is not None or file.head is not None:
        return file.unread
    return NOT_AT_HAND if is_new_to(rule, file) else None


def _is_about_unwritten(rule: Rule, path: str) -> bool:
    """Whether a rule is about a file that nobody writes by hand: it says so, or names the file.

    What an owner requires is about all files: no repository's attributes take one from it.
    """
    return (
        rule.everywhere
        or rule.is_required
        or any(
            not is_rule_glob(glob.rpartition("/")[2]) and match_glob(glob, path)
            for glob in _list_including(rule.paths)
        )
    )


def fits_subject(
    rule: Rule, subject: Subject, some_fit: Callable[[Rule], bool] | None = None
) -> bool:
    """Whether the rule is about a subject: of its kind, and with a file that fits if it names any.

    A subject that is facts alone fits a rule over facts that excludes files, but names none.
    `some_fit` says faster whether the rule fits some file of the subject.
    """
    if rule.subject_kinds and subject.kinds.isdisjoint(rule.subject_kinds):
        return False
    if not subject.files:
        return not needs_file(rule)
    if not has_file_conditions(rule):
        return True
    if some_fit is not None:
        return some_fit(rule)
    return any(fits_file(rule, file) for file in subject.files)


@keep_answers
def has_file_conditions(rule: Rule) -> bool:
    """Whether the rule says which files it is about, or looks at code at all."""
    return (
        bool(rule.paths or rule.languages) or is_about_code(rule) or rule.enforcement.switches_off
    )


def needs_file(rule: Rule) -> bool:
    """Whether facts alone are nothing to the rule: it looks at code, or says which files it means.

    Only to exclude files is not to need one.
    """
    return is_about_code(rule) or bool(_list_including((*rule.paths, *rule.languages)))


@keep_answers
def is_about_code(rule: Rule) -> bool:
    """Whether some constraint of the rule is over added code."""
    code = (PatternConstraint, RegexConstraint, ValueConstraint)
    return any(isinstance(item, code) for item in rule.constraints)


def fits_scope(rule: Rule, context: EvaluationContext) -> bool:
    """Whether the rule's scope meets the context's, or the repository.

    Scopes are segments ("domain/area"): one that starts with the other meets it. A context without
    a scope, and a rule without one, are not narrowed.
    """
    if not rule.scope or context.scope is None:
        return True
    asked = [scope for scope in (context.scope, context.repository) if scope]
    return any(_is_scope_meeting(own, other) for own in rule.scope for other in asked)


def _is_scope_meeting(one: str, other: str) -> bool:
    return all(
        a == b for a, b in zip(one.strip("/").split("/"), other.strip("/").split("/"), strict=False)
    )


def _list_pattern_languages(rule: Rule) -> tuple[str, ...]:
    languages: dict[str, None] = {}
    for constraint in rule.constraints:
        if not isinstance(constraint, (PatternConstraint, ValueConstraint)):
            return ()
        languages |= dict.fromkeys(constraint.languages)
    return tuple(languages)


@lru_cache(maxsize=65536)
def _is_chosen(globs: tuple[str, ...], name: str) -> bool:
    including = _list_including(globs)
    if any(match_glob(glob[1:], name) for glob in globs if glob.startswith("!")):
        return False
    return not including or any(match_glob(glob, name) for glob in including)


def _list_including(globs: tuple[str, ...]) -> list[str]:
    return [glob for glob in globs if not glob.startswith("!")]


# Thousands of rules with globs of their own: a glob is tried only on the paths that carry its
# rarest word, which spares nearly all of them.

Globs = tuple[str, ...]

_WORD = re.compile("[A-Za-z0-9]+")
_WHOLE_WORD = re.compile("(?<![A-Za-z0-9*?])[A-Za-z0-9]+(?![A-Za-z0-9*?])")
"""In a glob: a word that no wildcard can make longer."""

_MAX_CHOICES = 64
"""Alternatives of braces that are taken apart; a glob with more is tried on every path."""


@dataclass(frozen=True, slots=True)
class PathIndex:
    """The globs of many rules, by a word without which none of them means a path.

    Under "" stand those that have no such word.
    """

    by_word: Mapping[str, tuple[Globs, ...]]

    @classmethod
    def of(cls, all_globs: Iterable[Globs]) -> Self:
        """The index of the `paths` of rules."""
        choices = {
            globs: [_list_words(glob) for glob in _list_choices(globs)] for globs in all_globs
        }
        counts = Counter(word for words in choices.values() for each in words for word in each)
        found: defaultdict[str, dict[Globs, None]] = defaultdict(dict)
        for globs, words in choices.items():
            for each in words:
                found[min(each, key=counts.__getitem__, default="")][globs] = None
        return cls({word: tuple(globs) for word, globs in found.items()})

    def find_near(self, path: str) -> Iterator[Globs]:
        """The globs that may mean a path."""
        for word in {"", *_WORD.findall(path)}:
            yield from self.by_word.get(word, ())


class SubjectFiles:
    """The files of a subject: each of a few rules is asked whether it is about one of them."""

    def __init__(self, files: Sequence[FileChange]) -> None:
        self._files = files
        self._fits: dict[Hashable, bool] = {}

    def has_match(self, rule: Rule) -> bool:
        """Whether the rule fits one of the files: asked once for all that are about the same."""
        key = describe_files(rule)
        if key is None:
            return any(fits_file(rule, file) for file in self._files)
        if key not in self._fits:
            self._fits[key] = any(fits_file(rule, file) for file in self._files)
        return self._fits[key]


class ChangedFiles:
    """The files of a subject, of which many rules are asked whether they are about one of them."""

    def __init__(self, files: Sequence[FileChange], index: PathIndex) -> None:
        self._near: defaultdict[Globs, dict[str, FileChange]] = defaultdict(dict)
        self._unlisted = any(file.unlisted for file in files)
        for file in files:
            for globs in index.find_near(file.path):
                self._near[globs][file.path] = file
        self._fits: dict[Hashable, bool] = {}

    def has_match(self, rule: Rule) -> bool:
        """Whether the rule, whose globs the index knows, fits one of the files."""
        if self._unlisted:
            return True
        if rule.paths not in self._near:
            return False
        near, key = self._near[rule.paths].values(), describe_files(rule)
        if key is None:
            return any(fits_file(rule, file) for file in near)
        if key not in self._fits:
            self._fits[key] = any(fits_file(rule, file) for file in near)
        return self._fits[key]


def _list_choices(globs: Globs) -> list[str]:
    """The including globs without braces. A path is meant only if one of these means it."""
    found: list[str] = []
    for glob in _list_including(globs) or ["**"]:
        try:
            found += bracex.iexpand(glob or "**", keep_escapes=True, limit=_MAX_CHOICES)
        except bracex.ExpansionLimitException:
            found.append("**")
    return found


def _list_words(glob: str) -> list[str]:
    """The words that every path carries that a glob without braces means."""
    return [] if any(special in glob for special in "[{\\") else _WHOLE_WORD.findall(glob)
