"""The rules chosen for a context, and the rules left out with the reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import overload

from bot.corpus.configuration import Configuration
from bot.corpus.rule import Modality, Rule, Severity
from bot.verdicts import OmittedRule


@dataclass(frozen=True, slots=True)
class Criteria:
    """What narrows the corpus besides the subject itself.

    `max_rules` (1 to 100) bounds the rules that a model must judge; rules that are decided without
    a model always run when their metadata fits.
    """

    max_rules: int = 20
    severity_min: Severity = Severity.MEDIUM
    modalities: frozenset[Modality] = frozenset()
    tags: frozenset[str] = frozenset()

    @classmethod
    def of(cls, configuration: Configuration) -> Criteria:
        """What a repository's configuration asks for."""
        return cls(configuration.review.max_rules, configuration.review.severity_min)


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut(Sequence[OmittedRule]):
    """Rules that do not apply. The reason of each is worked out only when it is looked at."""

    rules: Sequence[Rule]
    reason: Callable[[Rule], str]

    def __len__(self) -> int:
        return len(self.rules)

    @overload
    def __getitem__(self, at: int) -> OmittedRule: ...

    @overload
    def __getitem__(self, at: slice) -> LeftOut: ...

    def __getitem__(self, at: int | slice) -> OmittedRule | LeftOut:
        if isinstance(at, slice):
            return LeftOut(self.rules[at], self.reason)
        rule = self.rules[at]
        return OmittedRule(rule, self.reason(rule))


@dataclass(frozen=True, slots=True)
class Selection:
    """Stage 2's result.

    `rules` apply and are within the bound. `omitted` apply but were cut by it: they are reported as
    not assessed. `inapplicable` do not apply, each with the reason.
    """

    rules: tuple[Rule, ...]
    omitted: tuple[OmittedRule, ...] = ()
    inapplicable: Sequence[OmittedRule] = ()
