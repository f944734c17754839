"""Tables of rules and judges: what became of findings, and how models did when they were tried."""

from __future__ import annotations

from sqlalchemy import (
    CheckConstraint,
    Column,
    Float,
    Index,
    Integer,
    String,
    Table,
    UniqueConstraint,
    text,
)

from jurat.store.database import Instant, Json, Number, Prose
from jurat.store.repository_tables import build_repository_column, metadata

# The findings of pull requests that are still open, as their last reviews left them. `standing` is
# open or gone. Once a pull request is merged they become rule events, and are deleted.
findings = Table(
    "findings",
    metadata,
    build_repository_column(key=True),
    Column("number", Integer, primary_key=True),
    Column("fingerprint", String(16), primary_key=True),
    Column("code_print", String(16), nullable=False),
    Column("rule_id", String(128), nullable=False),
    Column("substance", String(64), nullable=False),
    Column("written", String(16), nullable=False),
    Column("path", Prose),
    Column("standing", String(8), nullable=False),
    CheckConstraint("standing IN ('open', 'gone')", name="standing"),
)

# What became of findings: the evidence for and against each rule. `substance` is what the rule
# demanded, `written` the maturity in its file. No row is changed or deleted (see audit_log).
rule_events = Table(
    "rule_events",
    metadata,
    Column("id", Number, primary_key=True),
    Column("at", Instant, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("rule_id", String(128), nullable=False),
    Column("substance", String(64), nullable=False),
    Column("written", String(16), nullable=False),
    build_repository_column(),
    Column("number", Integer, nullable=False),
    Column("fingerprint", String(16), nullable=False),
    Index(None, "rule_id", "substance", "at"),
    Index(None, "repository_id", "number", "fingerprint"),
    sqlite_autoincrement=True,
)

# Every promotion and demotion with its evidence, append-only (see audit_log). `repository_id` is
# NULL for the record of all repositories together.
rule_transitions = Table(
    "rule_transitions",
    metadata,
    Column("id", Number, primary_key=True),
    Column("at", Instant, nullable=False),
    Column("rule_id", String(128), nullable=False),
    Column("substance", String(64), nullable=False),
    build_repository_column(optional=True),
    Column("before", String(16), nullable=False),
    Column("after", String(16), nullable=False),
    Column("since", Instant, nullable=False),
    Column("cases", Integer, nullable=False),
    Column("faults", Integer, nullable=False),
    Index(None, "rule_id", "substance", "repository_id", "at"),
    Index(None, "repository_id"),
    sqlite_autoincrement=True,
)

# Where each record stood when the worker last looked: what reviews read. `maturity` is NULL while
# the record has moved nothing, `repository_id` in the record of all repositories together.
rule_standings = Table(
    "rule_standings",
    metadata,
    Column("id", Number, primary_key=True),
    Column("rule_id", String(128), nullable=False),
    Column("substance", String(64), nullable=False),
    build_repository_column(optional=True),
    Column("maturity", String(16)),
    Column("since", Instant),
    Column("cases", Integer, nullable=False),
    Column("faults", Integer, nullable=False),
    Column("looked_at", Instant, nullable=False),
    # NULLs are distinct in a unique index: the record of all repositories needs one of its own.
    UniqueConstraint("repository_id", "rule_id", "substance", name="uq_rule_standings_own"),
    sqlite_autoincrement=True,
)
OVERALL = text("repository_id IS NULL")
Index(
    "uq_rule_standings_overall",
    rule_standings.c.rule_id,
    rule_standings.c.substance,
    unique=True,
    sqlite_where=OVERALL,
    postgresql_where=OVERALL,
)

# How the configured judge did when it was probed: the latest run of each model, prompts and probes.
probe_runs = Table(
    "probe_runs",
    metadata,
    Column("model", Prose, primary_key=True),
    Column("prompt_digest", String(64), primary_key=True),
    Column("probe_digest", String(64), primary_key=True),
    Column("resilience_index", Float, nullable=False),
    Column("report", Json, nullable=False),
    Column("created_at", Instant, nullable=False),
    Index(None, "model", "created_at"),
)

# How the configured judge did on twins of rules' examples: the latest trial of each model, prompts
# and rule, as it was written then.
rule_trials = Table(
    "rule_trials",
    metadata,
    Column("model", Prose, primary_key=True),
    Column("prompt_digest", String(64), primary_key=True),
    Column("revision", String(64), primary_key=True),
    Column("rule", String(128), nullable=False),
    Column("pairs", Integer, nullable=False),
    Column("caught", Integer, nullable=False),
    Column("passed", Integer, nullable=False),
    Column("problem", Prose, nullable=False),
    Column("created_at", Instant, nullable=False),
)
