"""The checklist that audits the reasoning of a judgment, with no model in it."""

from bot.rationale.banking import banking_rules
from bot.rationale.checklist import (
    ChecklistRule,
    RuleEvidence,
    RuleResult,
    RuleSet,
    RuleSetResult,
)
from bot.rationale.decisions import decision_rationale_rules, groundlens_banking_rules
from bot.rationale.verdicts import verdict_rationale_rules

__all__ = [
    "ChecklistRule",
    "RuleEvidence",
    "RuleResult",
    "RuleSet",
    "RuleSetResult",
    "banking_rules",
    "decision_rationale_rules",
    "groundlens_banking_rules",
    "verdict_rationale_rules",
]
