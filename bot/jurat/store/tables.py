"""All tables, so that `metadata` is whole here. The migrations build them, and a test compares."""

from __future__ import annotations

from jurat.store.repository_tables import (
    forgetting,
    metadata,
    repositories,
)
from jurat.store.review_tables import (
    audit_log,
    comment_history,
    commit_checks,
    decisions,
    evaluations,
    exclusions,
    ledger,
    open_questions,
    ratings,
    reviews,
)
from jurat.store.rule_tables import (
    OVERALL,
    findings,
    probe_runs,
    rule_events,
    rule_standings,
    rule_transitions,
    rule_trials,
)
from jurat.store.work_tables import (
    QUEUED,
    deliveries,
    jobs,
    lanes,
    open_checks,
    sessions,
    ticks,
    write_turns,
)

__all__ = [
    "OVERALL",
    "QUEUED",
    "audit_log",
    "comment_history",
    "commit_checks",
    "decisions",
    "deliveries",
    "evaluations",
    "exclusions",
    "findings",
    "forgetting",
    "jobs",
    "lanes",
    "ledger",
    "metadata",
    "open_checks",
    "open_questions",
    "probe_runs",
    "ratings",
    "repositories",
    "reviews",
    "rule_events",
    "rule_standings",
    "rule_transitions",
    "rule_trials",
    "sessions",
    "ticks",
    "write_turns",
]
