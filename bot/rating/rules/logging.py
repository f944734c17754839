"""Logging where a model acts: whether the functions that call models and tools write it down."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from bot.rating.evidence import Evidence, Inventory, Signal, Signals
from bot.rating.named_rules import named_rule
from bot.rating.recon.worktree import Worktree
from bot.rating.rules.weighing import SHOWN, in_turn, together
from bot.rating.scores import Score

_TRACED = 0.8
"""What a tracing library counts for at the calls that no log record stands beside: it wraps them
without showing there, but whether it is turned on does not show in code."""
_SOMEWHERE = 0.2
"""What logging counts for where it stands beside no such call."""


@named_rule("log_context_recorded")
def log_context_recorded(signals: Signals, inventory: Inventory, worktree: Worktree) -> Score:
    """Who, which run and which model stand where records are written; elsewhere they say little."""
    return together(signals, "log_context", "logging_calls")


@named_rule("logging_at_tool_call_boundaries")
def logging_at_tool_call_boundaries(
    signals: Signals, inventory: Inventory, worktree: Worktree
) -> Score:
    """The share of functions that call a model or a tool, or are one, and log or trace inside.

    A tracing library counts for the others in part. In a program without such functions, and where
    none of them logs, that it logs at all counts a little.
    """
    records, tracing = signals["logging_calls"], signals["tracing"]
    called = ("tool_use", "model_usage", "machine_learning")
    boundaries = _boundaries(signals[name] for name in called)
    lines: defaultdict[str, list[int]] = defaultdict(list)
    for evidence in (*records.evidence, *tracing.evidence):
        lines[evidence.path].append(evidence.line)
    logged = [
        span
        for span in boundaries
        if any(span[1] <= line <= span[2] for line in lines.get(span[0], ()))
    ]
    share = len(logged) / len(boundaries) if boundaries else 0.0
    value = share + (1 - share) * _TRACED * tracing.strength
    value = max(value, _SOMEWHERE * records.strength)
    inside = tuple(e for e in records.evidence if _is_inside(e, logged))
    bare = tuple(e for span, e in boundaries.items() if span not in logged)
    shown = inside[:SHOWN] or in_turn((records,), SHOWN)
    return Score(round(min(1.0, value), 6), (*shown, *in_turn((tracing,), SHOWN), *bare[:SHOWN]))


def _boundaries(signals: Iterable[Signal]) -> dict[tuple[str, int, int], Evidence]:
    """The functions around calls of models and tools, each with the line that tells."""
    spans: dict[tuple[str, int, int], Evidence] = {}
    for signal in signals:
        for evidence in signal.evidence:
            if evidence.first:
                spans.setdefault((evidence.path, evidence.first, evidence.last), evidence)
    return spans


def _is_inside(evidence: Evidence, spans: Iterable[tuple[str, int, int]]) -> bool:
    return any(
        path == evidence.path and first <= evidence.line <= last for path, first, last in spans
    )
