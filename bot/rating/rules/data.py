"""What decisions about people are fed with."""

from __future__ import annotations

from bot.rating.evidence import Inventory, Signals
from bot.rating.named_rules import named_rule
from bot.rating.recon.worktree import Worktree
from bot.rating.rules.weighing import together
from bot.rating.scores import Score

_DECISIONS = ("employment", "education", "credit", "law_enforcement", "health", "migration")
"""Signals of decisions in which an attribute that the law protects must not tell."""


@named_rule("no_protected_attributes")
def no_protected_attributes(signals: Signals, inventory: Inventory, worktree: Worktree) -> Score:
    """1.0 where no attribute that the law protects stands where people are decided on.

    Where such attributes are there to be taken out, or to compare outcomes between groups, half of
    that is taken back: neither can be done without naming them.
    """
    met = [together(signals, decision, "protected_attributes") for decision in _DECISIONS]
    worst = max(met, key=lambda score: score.value)
    excused = signals.strongest(("fairness_evaluation", "data_minimisation")).strength
    return Score(round(1 - worst.value * (1 - 0.5 * excused), 6), worst.evidence)
