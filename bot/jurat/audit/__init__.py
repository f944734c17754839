"""The checklist that audits the reasoning of a judgment, with no model in it."""

from __future__ import annotations

from jurat.audit.banking import banking_rules
from jurat.audit.checklist import ChecklistRule, RuleEvidence, RuleResult, RuleSet, RuleSetResult
from jurat.audit.decision_rationales import decision_rationale_rules, groundlens_banking_rules
from jurat.audit.verdict_rules import verdict_rationale_rules

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
