"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None

# The types stand here in full: what a released migration does must not change with the code.
_INSTANT = sa.DateTime(timezone=True)
_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Build it."""
    _repositories()
    _deliveries()
    _jobs()
    _lanes()
    _open_checks()
    _commit_checks()
    _exclusions()
    _sessions()
    _write_turns()
    _reviews()
    _evaluations()
    _ledger()
    _open_questions()
    _decisions()
    _audit_log()
    _findings()
    _rule_events()
    _rule_transitions()
    _rule_standings()
    _probe_runs()
    _ratings()
    _append_only("audit_log")
    _append_only("rule_events")
    _append_only("rule_transitions", "COALESCE(OLD.repository_id, 0)")


def _repositories() -> None:
    op.create_table(
        "repositories",
        sa.Column("id", _NUMBER, autoincrement=False, nullable=False),
        sa.Column("name", sa.Text()),
        sa.Column("installation_id", _NUMBER),
        sa.Column("removed_at", _INSTANT),
        sa.Column("suspended_at", _INSTANT),
        sa.PrimaryKeyConstraint("id", name="pk_repositories"),
    )
    op.create_index("ix_repositories_installation_id", "repositories", ["installation_id"])
    for names, condition in (("github", "id > 0"), ("named", "id < 0")):
        those = sa.text(condition)
        op.create_index(
            f"uq_repositories_{names}",
            "repositories",
            ["name"],
            unique=True,
            sqlite_where=those,
            postgresql_where=those,
        )
    op.create_table(
        "forgetting",
        sa.Column("repository_id", _NUMBER, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("repository_id", name="pk_forgetting"),
    )


def _of_repository(table: str, *, optional: bool = False) -> sa.Column[int]:
    return sa.Column(
        "repository_id",
        _NUMBER,
        sa.ForeignKey("repositories.id", name=f"fk_{table}_repository_id", ondelete="CASCADE"),
        autoincrement=False,
        nullable=optional,
    )


def _deliveries() -> None:
    op.create_table(
        "deliveries",
        sa.Column("guid", sa.String(64), nullable=False),
        sa.Column("event", sa.String(64), nullable=False),
        sa.Column("meaning", sa.Text()),
        sa.Column("received_at", _INSTANT, nullable=False),
        sa.Column("outcome", sa.String(16), nullable=False),
        _of_repository("deliveries", optional=True),
        sa.PrimaryKeyConstraint("guid", name="pk_deliveries"),
        sa.UniqueConstraint("meaning", name="uq_deliveries_meaning"),
    )
    op.create_index("ix_deliveries_received_at", "deliveries", ["received_at"])
    enqueued = sa.text("outcome = 'enqueued'")
    op.create_index(
        "ix_deliveries_enqueued",
        "deliveries",
        ["received_at"],
        sqlite_where=enqueued,
        postgresql_where=enqueued,
    )


def _jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("variant", sa.Text(), nullable=False),
        sa.Column("payload", _JSON, nullable=False),
        sa.Column("delivery", sa.String(64)),
        sa.Column("installation", sa.Text(), nullable=False),
        sa.Column("repository", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("late", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("lease", sa.Integer(), nullable=False),
        sa.Column("worker", sa.Text()),
        sa.Column("enqueued_at", _INSTANT, nullable=False),
        sa.Column("due_at", _INSTANT, nullable=False),
        sa.Column("lease_expires_at", _INSTANT),
        sa.Column("cancel_requested", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("finished_at", _INSTANT),
        sa.Column("reason", sa.Text()),
        sa.CheckConstraint(
            "state IN ('queued', 'leased', 'done', 'cancelled', 'dead')", name=op.f("ck_jobs_state")
        ),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
        sqlite_autoincrement=True,
    )
    queued, leased = sa.text("state = 'queued'"), sa.text("state = 'leased'")
    op.create_index("ix_jobs_delivery", "jobs", ["delivery"])
    op.create_index("ix_jobs_key", "jobs", ["key"])
    op.create_index(
        "uq_jobs_queued",
        "jobs",
        ["key", "kind", "variant"],
        unique=True,
        sqlite_where=queued,
        postgresql_where=queued,
    )
    op.create_index(
        "uq_jobs_leased",
        "jobs",
        ["key"],
        unique=True,
        sqlite_where=leased,
        postgresql_where=leased,
    )
    op.create_index(
        "ix_jobs_due", "jobs", ["due_at", "id"], sqlite_where=queued, postgresql_where=queued
    )
    op.create_table(
        "ticks",
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("tick", _NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_ticks"),
    )


def _open_checks() -> None:
    op.create_table(
        "open_checks",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("head_sha", sa.String(64), nullable=False),
        sa.Column("job_id", _NUMBER, nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("payload", _JSON, nullable=False),
        sa.Column("check_run_id", _NUMBER),
        sa.Column("begun_at", _INSTANT, nullable=False),
        _of_repository("open_checks", optional=True),
        sa.PrimaryKeyConstraint("key", "head_sha", name="pk_open_checks"),
    )
    op.create_index("ix_open_checks_repository_id", "open_checks", ["repository_id"])


def _commit_checks() -> None:
    op.create_table(
        "commit_checks",
        _of_repository("commit_checks"),
        sa.Column("head_sha", sa.String(64), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("base_ref", sa.Text(), nullable=False),
        sa.Column("said", _JSON),
        sa.Column("again", _JSON),
        sa.Column("at", _INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("repository_id", "head_sha", "number", name="pk_commit_checks"),
    )
    op.create_index(
        "ix_commit_checks_repository_id_number", "commit_checks", ["repository_id", "number"]
    )


def _exclusions() -> None:
    op.create_table(
        "exclusions",
        sa.Column("id", _NUMBER, nullable=False),
        _of_repository("exclusions"),
        sa.Column("head_sha", sa.String(64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("base_ref", sa.Text(), nullable=False),
        sa.Column("excluded", sa.Boolean(), nullable=False),
        sa.Column("decided_by", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("at", _INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_exclusions"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_exclusions_repository_id_head_sha", "exclusions", ["repository_id", "head_sha"]
    )


def _sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("ends_at", _INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_sessions"),
    )


def _lanes() -> None:
    op.create_table(
        "lanes",
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("served", _NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("lane", name="pk_lanes"),
    )


def _write_turns() -> None:
    op.create_table(
        "write_turns",
        sa.Column("installation_id", _NUMBER, autoincrement=False, nullable=False),
        sa.Column("free_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("installation_id", name="pk_write_turns"),
    )


def _reviews() -> None:
    op.create_table(
        "reviews",
        sa.Column("evaluation_id", sa.String(64), nullable=False),
        _of_repository("reviews", optional=True),
        sa.Column("number", sa.Integer()),
        sa.Column("head_sha", sa.String(64)),
        sa.Column("overall", sa.String(32), nullable=False),
        sa.Column("conclusion", sa.String(32)),
        sa.Column("mode", sa.String(16), nullable=False),
        sa.Column("surface", sa.String(32), nullable=False),
        sa.Column("subject_digest", sa.String(64), nullable=False),
        sa.Column("answer", _JSON, nullable=False),
        sa.Column("latency_ms", sa.Float(), nullable=False),
        sa.Column("created_at", _INSTANT, nullable=False),
        sa.Column("subject", _JSON),
        sa.Column("base_sha", sa.String(64)),
        sa.Column("published_at", _INSTANT),
        sa.Column("override", _JSON),
        sa.PrimaryKeyConstraint("evaluation_id", name="pk_reviews"),
    )
    op.create_index("ix_reviews_created_at", "reviews", ["created_at"])
    op.create_index(
        "ix_reviews_repository_id_number_created_at",
        "reviews",
        ["repository_id", "number", "created_at"],
    )


def _evaluations() -> None:
    op.create_table(
        "evaluations",
        sa.Column("evaluation_id", sa.String(64), nullable=False),
        sa.Column("rule_id", sa.String(128), nullable=False),
        sa.Column("revision", sa.String(64), nullable=False),
        sa.Column("severity", sa.String(16), nullable=False),
        sa.Column("maturity", sa.String(16), nullable=False),
        sa.Column("verdict", sa.String(32), nullable=False),
        sa.Column("would_block", sa.Boolean(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("decided_by", sa.String(16), nullable=False),
        sa.Column("model_id", sa.Text()),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
        sa.Column("latency_ms", sa.Float(), nullable=False),
        sa.Column("evidence", _JSON, nullable=False),
        sa.Column("surface", sa.String(32), nullable=False),
        sa.Column("mode", sa.String(16), nullable=False),
        _of_repository("evaluations", optional=True),
        sa.Column("number", sa.Integer()),
        sa.Column("head_sha", sa.String(64)),
        sa.Column("created_at", _INSTANT, nullable=False),
        sa.Column("waived", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("counted", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.PrimaryKeyConstraint("evaluation_id", "rule_id", name="pk_evaluations"),
        sa.ForeignKeyConstraint(
            ["evaluation_id"],
            ["reviews.evaluation_id"],
            name="fk_evaluations_evaluation_id",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_evaluations_rule_id_created_at", "evaluations", ["rule_id", "created_at"])
    op.create_index(
        "ix_evaluations_repository_id_created_at", "evaluations", ["repository_id", "created_at"]
    )


def _ledger() -> None:
    op.create_table(
        "ledger",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("entry", sa.Text(), nullable=False),
        sa.Column("created_at", _INSTANT, nullable=False),
        _of_repository("ledger", optional=True),
        sa.PrimaryKeyConstraint("key", name="pk_ledger"),
    )
    op.create_index("ix_ledger_created_at", "ledger", ["created_at"])
    op.create_index("ix_ledger_repository_id", "ledger", ["repository_id"])


def _open_questions() -> None:
    op.create_table(
        "open_questions",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("holder", sa.String(32), nullable=False),
        sa.Column("lapses_at", _INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_open_questions"),
    )
    op.create_index("ix_open_questions_lapses_at", "open_questions", ["lapses_at"])


def _decisions() -> None:
    op.create_table(
        "decisions",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        _of_repository("decisions"),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("head_sha", sa.String(64), nullable=False),
        sa.Column("evaluation_id", sa.String(64), nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("code_print", sa.String(64), nullable=False),
        sa.Column("path", sa.Text()),
        sa.Column("rule_id", sa.String(128), nullable=False),
        sa.Column("revision", sa.String(64), nullable=False),
        sa.Column("verdict", sa.String(32), nullable=False),
        sa.Column("decided_by", sa.Text(), nullable=False),
        sa.Column("decided_by_id", _NUMBER, nullable=False),
        sa.Column("own", sa.Boolean(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("at", _INSTANT, nullable=False),
        sa.Column("job", sa.String(64), nullable=False),
        sa.Column("until", sa.Date()),
        sa.PrimaryKeyConstraint("id", name="pk_decisions"),
        sa.UniqueConstraint(
            "repository_id", "number", "fingerprint", "kind", "job", name="uq_decisions_once"
        ),
        sa.CheckConstraint(
            "kind IN ('dismissed', 'restored', 'confirmed', 'overridden')", name="kind"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_decisions_repository_id_code_print", "decisions", ["repository_id", "code_print"]
    )


def _audit_log() -> None:
    op.create_table(
        "audit_log",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("at", _INSTANT, nullable=False),
        sa.Column("asked_by", sa.Text(), nullable=False),
        sa.Column("action", sa.String(32), nullable=False),
        sa.Column("evaluation_id", sa.String(64)),
        sa.Column("subject_digest", sa.String(64), nullable=False),
        sa.Column("rules", _JSON, nullable=False),
        sa.Column("models", _JSON, nullable=False),
        sa.Column("result", _JSON, nullable=False),
        _of_repository("audit_log", optional=True),
        sa.PrimaryKeyConstraint("id", name="pk_audit_log"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_audit_log_at", "audit_log", ["at"])
    op.create_index("ix_audit_log_evaluation_id", "audit_log", ["evaluation_id"])
    op.create_index("ix_audit_log_repository_id", "audit_log", ["repository_id"])


def _findings() -> None:
    op.create_table(
        "findings",
        _of_repository("findings"),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("fingerprint", sa.String(16), nullable=False),
        sa.Column("code_print", sa.String(16), nullable=False),
        sa.Column("rule_id", sa.String(128), nullable=False),
        sa.Column("substance", sa.String(64), nullable=False),
        sa.Column("written", sa.String(16), nullable=False),
        sa.Column("path", sa.Text()),
        sa.Column("standing", sa.String(8), nullable=False),
        sa.PrimaryKeyConstraint("repository_id", "number", "fingerprint", name="pk_findings"),
        sa.CheckConstraint("standing IN ('open', 'gone')", name=op.f("ck_findings_standing")),
    )


def _rule_events() -> None:
    op.create_table(
        "rule_events",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("at", _INSTANT, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("rule_id", sa.String(128), nullable=False),
        sa.Column("substance", sa.String(64), nullable=False),
        sa.Column("written", sa.String(16), nullable=False),
        _of_repository("rule_events"),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("fingerprint", sa.String(16), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_rule_events"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_rule_events_rule_id_substance_at", "rule_events", ["rule_id", "substance", "at"]
    )
    op.create_index(
        "ix_rule_events_repository_id_number_fingerprint",
        "rule_events",
        ["repository_id", "number", "fingerprint"],
    )


def _rule_transitions() -> None:
    op.create_table(
        "rule_transitions",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("at", _INSTANT, nullable=False),
        sa.Column("rule_id", sa.String(128), nullable=False),
        sa.Column("substance", sa.String(64), nullable=False),
        _of_repository("rule_transitions", optional=True),
        sa.Column("before", sa.String(16), nullable=False),
        sa.Column("after", sa.String(16), nullable=False),
        sa.Column("since", _INSTANT, nullable=False),
        sa.Column("cases", sa.Integer(), nullable=False),
        sa.Column("faults", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_rule_transitions"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_rule_transitions_rule_id_substance_repository_id_at",
        "rule_transitions",
        ["rule_id", "substance", "repository_id", "at"],
    )
    op.create_index("ix_rule_transitions_repository_id", "rule_transitions", ["repository_id"])


def _rule_standings() -> None:
    op.create_table(
        "rule_standings",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("rule_id", sa.String(128), nullable=False),
        sa.Column("substance", sa.String(64), nullable=False),
        _of_repository("rule_standings", optional=True),
        sa.Column("maturity", sa.String(16)),
        sa.Column("since", _INSTANT),
        sa.Column("cases", sa.Integer(), nullable=False),
        sa.Column("faults", sa.Integer(), nullable=False),
        sa.Column("looked_at", _INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_rule_standings"),
        sa.UniqueConstraint("repository_id", "rule_id", "substance", name="uq_rule_standings_own"),
        sqlite_autoincrement=True,
    )
    overall = sa.text("repository_id IS NULL")
    op.create_index(
        "uq_rule_standings_overall",
        "rule_standings",
        ["rule_id", "substance"],
        unique=True,
        sqlite_where=overall,
        postgresql_where=overall,
    )


def _probe_runs() -> None:
    op.create_table(
        "probe_runs",
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("prompt_digest", sa.String(64), nullable=False),
        sa.Column("probe_digest", sa.String(64), nullable=False),
        sa.Column("resilience_index", sa.Float(), nullable=False),
        sa.Column("report", _JSON, nullable=False),
        sa.Column("created_at", _INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("model", "prompt_digest", "probe_digest", name="pk_probe_runs"),
    )
    op.create_index("ix_probe_runs_model_created_at", "probe_runs", ["model", "created_at"])


def _ratings() -> None:
    op.create_table(
        "ratings",
        sa.Column("id", _NUMBER, nullable=False),
        _of_repository("ratings"),
        sa.Column("commit", sa.String(64), nullable=False),
        sa.Column("number", sa.Integer()),
        sa.Column("risk", sa.String(16), nullable=False),
        sa.Column("overall", sa.Float()),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("document", _JSON, nullable=False),
        sa.Column("created_at", _INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_ratings"),
        sa.UniqueConstraint("repository_id", "commit", "sha256", name="uq_ratings_repository_id"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_ratings_repository_id_created_at", "ratings", ["repository_id", "created_at"]
    )


def _append_only(table: str, whose: str = "OLD.repository_id") -> None:
    """Refuse to change or delete a row, but for those of a repository that is being forgotten.

    Of the record of all repositories, which is none's, number 0 is asked for.
    """
    kept = f"NOT EXISTS (SELECT 1 FROM forgetting f WHERE f.repository_id = {whose})"  # noqa: S608 - both are ours
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            f"CREATE FUNCTION {table}_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            f"RAISE EXCEPTION '{table} is append-only'; END $$"
        )
        # TRUNCATE has no row of which to ask whose it is.
        for name, event, condition in (
            ("kept", "TRUNCATE", "FOR EACH STATEMENT"),
            ("unchanged", "UPDATE", "FOR EACH ROW"),
        ):
            op.execute(
                f"CREATE TRIGGER {table}_{name} BEFORE {event} ON {table} "
                f"{condition} EXECUTE FUNCTION {table}_refuse()"
            )
        op.execute(
            f"CREATE FUNCTION {table}_let_go() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            f"IF {kept} THEN RAISE EXCEPTION '{table} is append-only'; END IF; "
            f"RETURN OLD; END $$"
        )
        op.execute(
            f"CREATE TRIGGER {table}_undeleted BEFORE DELETE ON {table} "
            f"FOR EACH ROW EXECUTE FUNCTION {table}_let_go()"
        )
        return
    # SQLite has a trigger for each statement, and no TRUNCATE.
    for change, condition in (("UPDATE", ""), ("DELETE", f"WHEN {kept} ")):
        op.execute(
            f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} {condition}"
            f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        )
