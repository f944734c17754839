"""Named rules on controls and logging: for each, the signals that it weighs.

A rule's score is the sum of their strengths times the weights here, at most 1; the first signal is
what the rule is about, the others are what helps if it is missing or thin.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, zip_longest
from types import MappingProxyType

from jurat.rating.signals.evidence import (
    Inventory,
    NamedRule,
    Score,
    Signal,
    SignalEvidence,
    Signals,
    register_rule,
)
from jurat.rating.signals.recon_table import load_recon_table
from jurat.rating.signals.worktree import Worktree

CONTROLS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        # risks
        "risk_process_documented": {"risk_management_document": 1},
        "rights_impact_assessed": {"rights_impact_assessment": 1},
        "data_protection_impact_assessed": {"data_protection_impact_assessment": 1},
        "risk_controls_tested": {
            "adversarial_tests": 0.6,
            "automated_tests": 0.3,
            "fairness_evaluation": 0.3,
        },
        "governance_policy_documented": {"governance_document": 1, "transparency_review": 1},
        "review_cycle_defined": {"review_cycle": 1},
        "incident_process_documented": {"incident_response": 1},
        "incident_reporting_documented": {"incident_report": 1, "incident_response": 0.3},
        # data
        "dataset_documented": {"data_governance_document": 1},
        "data_validated_in_code": {"data_quality": 0.9, "input_validation": 0.3},
        "bias_examined": {"fairness_evaluation": 1, "fairness_report": 0.7},
        # documents
        "technical_documentation_present": {"technical_documentation": 1},
        "model_documented": {
            "model_document": 0.9,
            "model_inventory": 0.2,
            "transparency_review": 1,
        },
        "instructions_for_use_present": {"instructions_for_use": 0.95},
        "limitations_documented": {"limitations_document": 1},
        "intended_use_documented": {"intended_use_document": 1},
        "operator_training_documented": {"operator_training_document": 1},
        "privacy_notice_present": {"privacy_document": 1},
        "processing_records_present": {"processing_records": 1},
        # logging
        "log_retention_configured": {"log_retention": 1},
        # oversight
        "human_approval_step": {"human_approval": 1},
        "decided_by_a_person": {"human_approval": 1, "contest": 0.8},
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
        "production_monitored": {"monitoring": 0.8, "monitoring_plan": 0.9},
        "feedback_channel_present": {"feedback_channel": 1},
        # security
        "prompt_injection_defence": {
            "prompt_guard": 1,
            "adversarial_tests": 0.5,
            "attack_report": 0.5,
        },
        "adversarial_tests_present": {"adversarial_tests": 1, "attack_report": 1},
        "access_controlled": {"access_control": 1},
        "rate_limited": {"rate_limiting": 1},
        "supply_chain_controlled": {"supply_chain": 1},
        "encryption_used": {"encryption": 1},
        # transparency
        "ai_disclosed_to_users": {"ai_disclosure": 1},
        "output_marked_machine_readable": {"provenance_marking": 1},
        "biometric_notice_shown": {
            "biometric_notice": 0.8,
            "consent": 0.6,
            "ai_disclosure": 0.3,
            "privacy_document": 0.3,
        },
        # privacy
        "pii_redacted": {"pii_redaction": 1},
        "data_minimised": {"data_minimisation": 1, "pii_redaction": 0.3},
        # What is masked is as good as left out, where nobody asks for masks beside that.
        "data_spared": {"data_minimisation": 1, "pii_redaction": 0.6},
        "data_retention_limited": {"data_retention": 1},
        "erasure_possible": {"data_erasure": 1},
        "access_possible": {"data_access": 1},
        "consent_asked": {"consent": 1},
        "ground_known": {"consent": 1, "lawful_ground": 1},
    }
)


def _build_weighted_rule(weights: Mapping[str, float]) -> NamedRule:
    def rule(signals: Signals, inventory: Inventory, worktree: Worktree) -> Score:
        return sum_weighted(signals, weights)

    return rule


for _name, _control_weights in CONTROLS.items():
    register_rule(_name)(_build_weighted_rule(_control_weights))


@register_rule("generated_content_labelled")
def generated_content_labelled(signals: Signals, inventory: Inventory, worktree: Worktree) -> Score:
    """A label that people see. A mark that only programs read stands for less, the less is seen."""
    mark = 0.4 if inventory.is_small else 0.3
    return sum_weighted(signals, {"content_label": 0.7, "provenance_marking": mark})


# Logging when a model acts: whether the functions that call models and tools write it down.

_TRACED = 0.8
"""What a tracing library counts for at the calls that no log record stands beside: it wraps them
without showing there, but whether it is turned on does not show in code."""
_SOMEWHERE = 0.2
"""What logging counts for where it stands beside no such call."""


@register_rule("structured_logging_imported")
def structured_logging_imported(
    signals: Signals, inventory: Inventory, worktree: Worktree
) -> Score:
    """A library that logs in fields, as far as what a model does is logged at all."""
    return _score_as_logged(signals, "structured_logging")


@register_rule("logging_persistent_sink")
def logging_persistent_sink(signals: Signals, inventory: Inventory, worktree: Worktree) -> Score:
    """A place in which records outlive the process, as far as what a model does is logged."""
    return _score_as_logged(signals, "persistent_log_sink")


def _score_as_logged(signals: Signals, name: str) -> Score:
    logged = max(signals["logging_calls"].strength, signals["tracing"].strength)
    found = sum_weighted(signals, {name: 1})
    return Score(min(found.value, logged), found.evidence) if logged else Score(0.0)


@register_rule("log_context_recorded")
def log_context_recorded(signals: Signals, inventory: Inventory, worktree: Worktree) -> Score:
    """Who, which run and which model, in what is recorded; elsewhere they say little."""
    return score_proximity(signals, "log_context", "logging_calls")


@register_rule("logging_at_tool_call_boundaries")
def logging_at_tool_call_boundaries(
    signals: Signals, inventory: Inventory, worktree: Worktree
) -> Score:
    """The share of functions that call a model or a tool, or are one, and log or trace inside.

    A tracing library counts for the others in part. In a program without such functions, and where
    none of them logs, that it logs at all counts a little.
    """
    records, tracing = signals["logging_calls"], signals["tracing"]
    called = ("tool_use", "model_usage", "machine_learning")
    boundaries = _find_boundaries(signals[name] for name in called)
    behaviours = [e for e in records.evidence if e.kind == "behaviours"]
    boundaries |= {(e.path, e.first, e.last): e for e in behaviours}
    lines: defaultdict[str, list[int]] = defaultdict(list)
    apart: set[str] = set()
    for evidence in (*records.evidence, *tracing.evidence):
        lines[evidence.path].append(evidence.line)
        apart |= set() if evidence.first else {evidence.path}
    logged = [
        span
        for span in boundaries
        if any(span[1] <= line <= span[2] for line in lines.get(span[0], ()))
        or (not span[1] and span[0] in apart)
    ]
    share = len(logged) / len(boundaries) if boundaries else 0.0
    value = share + (1 - share) * _TRACED * tracing.strength
    value = max(value, _SOMEWHERE * records.strength)
    inside = tuple(e for e in records.evidence if _is_inside(e, logged))
    bare = tuple(e for span, e in boundaries.items() if span not in logged)
    cited = inside[:SHOWN] or take_in_turn((records,), SHOWN)
    return Score(
        round(min(1.0, value), 6), (*cited, *take_in_turn((tracing,), SHOWN), *bare[:SHOWN])
    )


def _find_boundaries(signals: Iterable[Signal]) -> dict[tuple[str, int, int], SignalEvidence]:
    """The functions around calls of models and tools, each with the line that tells."""
    spans: dict[tuple[str, int, int], SignalEvidence] = {}
    for signal in signals:
        for evidence in signal.evidence:
            if _LOADS.search(evidence.said):
                continue  # nothing is asked yet
            # What stands in no function is the program itself, if it calls and does not import.
            if evidence.first or evidence.kind == "calls":
                spans.setdefault((evidence.path, evidence.first, evidence.last), evidence)
    return spans


_LOADS = re.compile(r"(?:^|[._])(?:load\w*|from_pretrained|fit|fit_transform|fit_predict|compile)$")
"""What makes a model ready, and asks it nothing."""


def _is_inside(evidence: SignalEvidence, spans: Iterable[tuple[str, int, int]]) -> bool:
    return any(
        path == evidence.path and first <= evidence.line <= last for path, first, last in spans
    )


# From signals to a score: their weighed sum, or how closely two of them stand together.

SHOWN = 30
"""Lines of evidence that a control's rule gives: a reader sees that it is there. A prohibition's
rule gives all of its evidence, as somebody has to look at each."""

_ELSEWHERE = 0.2
"""What two things weigh that are in one repository, and in no folder together: below the 0.15 of
the lowest band but for strong signals, as a library that does both need not do them to one another.
"""
_SAME_FOLDER = 0.85


def sum_weighted(signals: Signals, weights: Mapping[str, float]) -> Score:
    """The sum of the signals' strengths, each times its weight, at most 1."""
    found = [(signals[name], weight) for name, weight in weights.items()]
    value = sum(signal.strength * weight for signal, weight in found)
    return Score(min(1.0, round(value, 6)), take_in_turn((s for s, _ in found), SHOWN))


def score_proximity(signals: Signals, one: str, other: str) -> Score:
    """How far two signals show at the same place: what neither of them alone would mean.

    In one file it counts whole, in one folder a little less, elsewhere in the repository hardly.
    The evidence of both is given, that of the places where they meet first.
    """
    first, second = signals[one], signals[other]
    if not first or not second:
        return Score(0.0)
    near = _score_nearest(first, second, lambda path: path)
    beside = _SAME_FOLDER * _score_nearest(first, second, posixpath.dirname)
    value = max(near, beside, _ELSEWHERE * min(first.strength, second.strength))
    shared = {e.path for e in first.evidence} & {e.path for e in second.evidence}
    evidence = sorted(
        take_in_turn((first, second), len(first.evidence) + len(second.evidence)),
        key=lambda e: e.path not in shared,
    )
    return Score(round(value, 6), tuple(evidence))


def take_in_turn(signals: Iterable[Signal], most: int) -> tuple[SignalEvidence, ...]:
    """Evidence of each probe of each signal in turn, each line once: none is crowded out."""
    probes: list[list[SignalEvidence]] = []
    for signal in signals:
        by_probe: defaultdict[int, list[SignalEvidence]] = defaultdict(list)
        for evidence in signal.evidence:
            by_probe[evidence.probe].append(evidence)
        probes += by_probe.values()
    turns = chain.from_iterable(zip_longest(*probes))
    places = {(e.path, e.line): e for e in reversed([e for e in turns if e is not None])}
    return tuple(reversed(places.values()))[:most]


def _score_nearest(first: Signal, second: Signal, place: Callable[[str], str]) -> float:
    """The most that both signals reach at one place."""
    ours, theirs = dict(_iter_strengths(first, place)), dict(_iter_strengths(second, place))
    return max((min(ours[at], theirs[at]) for at in ours.keys() & theirs.keys()), default=0.0)


def _iter_strengths(signal: Signal, place: Callable[[str], str]) -> Iterator[tuple[str, float]]:
    """How strong a signal is at each place where it shows."""
    weights = _load_weights()[signal.name]
    probes: defaultdict[str, set[int]] = defaultdict(set)
    for evidence in signal.evidence:
        probes[place(evidence.path)].add(evidence.probe)
    for at, held in probes.items():
        yield at, min(1.0, sum(weights[probe] for probe in held))


def _load_weights() -> dict[str, tuple[float, ...]]:
    table = load_recon_table()
    return {source.name: tuple(p.weight for p in source.probes) for source in table.signals}
