"""Stage 3's result."""

from __future__ import annotations

from dataclasses import dataclass

from bot.corpus.rule import Rule
from bot.verdicts import RuleVerdict


@dataclass(frozen=True, slots=True)
class Dispatched:
    """The verdicts reached without a model, and the rules that one must judge, in order."""

    verdicts: tuple[RuleVerdict, ...]
    undecided: tuple[Rule, ...]
