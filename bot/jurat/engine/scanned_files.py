"""A file as all rules of one run see it: what they ask of it is read once."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from functools import cached_property
from typing import Literal

from jurat.engine.baseline import squeeze
from jurat.engine.disguises import has_signs_of_disguise
from jurat.engine.flow.forms.linked_files import LinkedFile
from jurat.engine.idle_code import can_rest
from jurat.engine.needles import FileWords
from jurat.engine.pattern_search import PatternQuery
from jurat.engine.regexes import LineChanges, list_changed_lines
from jurat.engine.removals import list_brought_lines
from jurat.engine.rule_queries import RuleQueries, SoughtPattern
from jurat.rules.matching import fits_file
from jurat.source.diff import FileChange


class ScannedFile:
    """A file, what it was before, and what is to be asked of it.

    `others` are the files of the change that its values are followed through, `others_before` the
    same before it, `users` the paths of those that name it. `queries` are those for which it must
    be parsed, and `judged` the numbers of the rules that were about its base version as well.
    """

    is_inner = False
    """Whether it stands inside of another, whose lines are looked at there."""

    is_tolerated = False
    """Whether another reading of it says what no parser can read."""

    def __init__(self, file: FileChange) -> None:
        self.file = file
        self.before = file.as_base()
        self.queries: list[PatternQuery] = []
        self.judged: set[int] = set()
        self.others: tuple[LinkedFile, ...] = ()
        self.others_before: tuple[LinkedFile, ...] = ()
        self.users: tuple[str, ...] = ()
        self._meant: dict[Hashable, bool] = {}

    def is_meant(self, wanted: RuleQueries) -> bool:
        """Whether a rule is about the file: asked once for all that are about the same ones."""
        if wanted.files is None:
            return fits_file(wanted.rule, self.file)
        found = self._meant.get(wanted.files)
        if found is None:
            found = self._meant[wanted.files] = fits_file(wanted.rule, self.file)
        return found

    @cached_property
    def has_signs_of_disguise(self) -> bool:
        """Whether it may be written so that no word stands as it runs."""
        return has_signs_of_disguise(self.file)

    @cached_property
    def joint_words(self) -> FileWords:
        """The words of the head, and of the files that it is followed together with."""
        return FileWords([*self.words.texts, *(one.text for one in self.others)])

    @cached_property
    def words(self) -> FileWords:
        """The words of the head."""
        return _read_words(self.file, "head")

    def can_hold(self, pattern: SoughtPattern) -> bool:
        """Whether the file may hold it: what must not go, before the change that takes it away."""
        if not pattern.is_removed:
            if pattern.fits(self.file, self.words):
                return True
            return bool(self.others) and pattern.fits_linked(
                self.file, self.words, self.joint_words
            )
        if self.before is None or not (self.changes.removed or can_rest(self.brought)):
            return False
        return pattern.fits(self.before, self.words_before)

    @cached_property
    def words_before(self) -> FileWords:
        """The words of the base."""
        return _read_words(self.before or self.file, "base")

    @cached_property
    def brought(self) -> tuple[str, ...]:
        """The lines that the change adds and that do something."""
        return list_brought_lines(self.file)

    @cached_property
    def changes(self) -> LineChanges:
        """The lines that were added, and those that were taken away."""
        return list_changed_lines(self.file)

    @cached_property
    def lost(self) -> str:
        """The lines that were taken away, without white space."""
        return squeeze(" ".join(line.text for line in self.changes.removed))


class ScannedScripts(ScannedFile):
    """The scripts of a page, read in one of several ways, or in one that `is_all`."""

    is_inner = True

    def __init__(self, file: FileChange, *, is_all: bool) -> None:
        super().__init__(file)
        self.is_tolerated = not is_all
        if self.before is not None:
            self.before = replace(self.before, language=file.language)


def _read_words(file: FileChange, side: Literal["base", "head"]) -> FileWords:
    # Of a notebook not as its JSON spells them.
    return FileWords([fragment.text for fragment in file.list_code(side)])
