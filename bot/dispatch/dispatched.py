"""Stage 3's result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from bot.corpus.rule import Rule
from bot.verdicts import RuleVerdict, Verdict


@dataclass(frozen=True, slots=True)
class Dispatched:
    """The verdicts reached without a model, and the rules that one must judge, in order.

    `unknown` says of those that were to be computed, by id, what it was that could not be.
    `doubtful` are the ids of those whose preconditions are not all known to be met.
    """

    verdicts: tuple[RuleVerdict, ...]
    undecided: tuple[Rule, ...]
    unknown: Mapping[str, str] = field(default_factory=dict)
    doubtful: frozenset[str] = frozenset()

    def with_judged(self, judged: Iterable[RuleVerdict]) -> tuple[RuleVerdict, ...]:
        """All verdicts. One that a model could not give says why it was needed."""
        return (*self.verdicts, *(self._completed(verdict) for verdict in judged))

    def _completed(self, verdict: RuleVerdict) -> RuleVerdict:
        if verdict.verdict is Verdict.ALLOW and verdict.rule.id in self.doubtful:
            return replace(verdict, moot=True)
        unknown = self.unknown.get(verdict.rule.id)
        if unknown is None or verdict.verdict is not Verdict.NOT_ASSESSED:
            return verdict
        return replace(verdict, reasoning=f"{unknown} {verdict.reasoning}")
