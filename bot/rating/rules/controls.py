"""Controls that show in signals alone: for each rule, the signals it weighs.

A rule's score is the sum of their strengths times the weights here, at most 1; the first signal is
what the rule is about, the others are what helps where it is missing or thin.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bot.rating.evidence import Inventory, Signals
from bot.rating.named_rules import NamedRule, named_rule
from bot.rating.recon.worktree import Worktree
from bot.rating.rules.weighing import weighed
from bot.rating.scores import Score

CONTROLS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        # risks
        "risk_process_documented": {"risk_management_document": 1},
        "risk_controls_tested": {
            "adversarial_tests": 0.6,
            "automated_tests": 0.3,
            "fairness_evaluation": 0.3,
        },
        "governance_policy_documented": {"governance_document": 1},
        "review_cycle_defined": {"review_cycle": 1},
        "incident_process_documented": {"incident_response": 1},
        # data
        "dataset_documented": {"data_governance_document": 1},
        "data_validated_in_code": {"data_quality": 0.9, "input_validation": 0.3},
        "bias_examined": {"fairness_evaluation": 1},
        # documents
        "technical_documentation_present": {"technical_documentation": 1},
        "model_documented": {"model_document": 0.9, "model_inventory": 0.2},
        "instructions_for_use_present": {"instructions_for_use": 1},
        "limitations_documented": {"limitations_document": 1},
        "intended_use_documented": {"intended_use_document": 1},
        "operator_training_documented": {"operator_training_document": 1},
        "privacy_notice_present": {"privacy_document": 1},
        "processing_records_present": {"processing_records": 1},
        # logging
        "structured_logging_imported": {"structured_logging": 1},
        "logging_persistent_sink": {"persistent_log_sink": 1},
        "log_retention_configured": {"log_retention": 1},
        # oversight
        "human_approval_step": {"human_approval": 1},
        "oversight_information_shown": {"reviewer_information": 1},
        "override_possible": {"override_control": 0.9, "human_approval": 0.3},
        "stop_control_present": {"stop_control": 1},
        "autonomy_bounded": {"bounded_autonomy": 1},
        "tools_restricted": {"sandboxing": 0.6, "access_control": 0.3, "human_approval": 0.3},
        # robustness
        "evaluation_suite_present": {"evaluation": 1},
        "evaluation_in_ci": {"evaluation_in_ci": 1},
        "automated_tests_present": {"automated_tests": 1},
        "failures_handled": {"resilience": 1},
        "inputs_validated": {"input_validation": 1},
        "production_monitored": {"monitoring": 0.8, "tracing": 0.4},
        "feedback_channel_present": {"feedback_channel": 1},
        # security
        "prompt_injection_defence": {"prompt_guard": 1},
        "adversarial_tests_present": {"adversarial_tests": 1},
        "access_controlled": {"access_control": 1},
        "rate_limited": {"rate_limiting": 1},
        "supply_chain_controlled": {"supply_chain": 1},
        "encryption_used": {"encryption": 1},
        # transparency
        "ai_disclosed_to_users": {"ai_disclosure": 1},
        "output_marked_machine_readable": {"provenance_marking": 1},
        "generated_content_labelled": {"ai_disclosure": 0.7, "provenance_marking": 0.4},
        "biometric_notice_shown": {"consent": 0.6, "ai_disclosure": 0.3, "privacy_document": 0.3},
        # privacy
        "pii_redacted": {"pii_redaction": 1},
        "data_minimised": {"data_minimisation": 1, "pii_redaction": 0.3},
        "data_retention_limited": {"data_retention": 1},
        "erasure_possible": {"data_erasure": 1},
        "access_possible": {"data_access": 1},
        "consent_asked": {"consent": 1},
    }
)


def _rule(weights: Mapping[str, float]) -> NamedRule:
    def rule(signals: Signals, inventory: Inventory, worktree: Worktree) -> Score:
        return weighed(signals, weights)

    return rule


for _name, _control_weights in CONTROLS.items():
    named_rule(_name)(_rule(_control_weights))
