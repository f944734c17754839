"""What is asked: one question for each rule and surface, with what the rule is shown there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from bot.corpus.rule import Rule
from bot.judgment.exhibits import Exhibit, exhibits_of
from bot.selection.fitting import fits_file
from bot.subjects.context import EvaluationContext, Subject
from bot.subjects.kinds import Surface
from bot.verdicts import UnreadFile


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """Whether one rule is kept by what it is shown on one surface.

    `unread` are files that the rule is about and that could not be read. `exhibits` is empty only
    where nothing can be shown. Questions are equal only to themselves.
    """

    rule: Rule
    surface: Surface
    exhibits: tuple[Exhibit, ...]
    unread: tuple[UnreadFile, ...] = ()

    @property
    def slice_digest(self) -> str:
        """SHA-256 of all that the rule is shown, wherever its lines stand today."""
        return sha256("".join(exhibit.digest for exhibit in self.exhibits).encode()).hexdigest()


def questions_of(context: EvaluationContext, rules: Sequence[Rule]) -> tuple[Question, ...]:
    """A question for each rule and surface with something to show or to miss, by `rules`' order.

    A rule is shown the files that its paths, languages and subject kinds fit, and the facts of
    those subjects. Where nothing fits it is shown everything: it was selected for some reason.
    Where there is nothing at all, nothing is asked.
    """
    shown = [(subject, exhibits_of(subject)) for subject in context.subjects]
    return tuple(question for rule in rules for question in _of_rule(rule, shown))


def _of_rule(
    rule: Rule, shown: Sequence[tuple[Subject, tuple[Exhibit, ...]]]
) -> Iterator[Question]:
    about = [
        (subject, exhibits)
        for subject, exhibits in shown
        if not rule.subject_kinds or not subject.kinds.isdisjoint(rule.subject_kinds)
    ] or shown
    fitting = [
        (
            subject.surface,
            tuple(item for item in exhibits if item.file is None or fits_file(rule, item.file)),
            tuple(
                file for file in subject.files if file.unread is not None and fits_file(rule, file)
            ),
        )
        for subject, exhibits in about
    ]
    if not any(exhibits or unread for _, exhibits, unread in fitting):
        fitting = [(subject.surface, exhibits, ()) for subject, exhibits in about]
    surfaces = dict.fromkeys(surface for surface, exhibits, unread in fitting if exhibits or unread)
    for surface in surfaces:
        mine = [item for item in fitting if item[0] is surface]
        yield Question(
            rule,
            surface,
            tuple(exhibit for _, exhibits, _ in mine for exhibit in exhibits),
            tuple(
                UnreadFile(file.path, file.unread or "") for _, _, unread in mine for file in unread
            ),
        )
