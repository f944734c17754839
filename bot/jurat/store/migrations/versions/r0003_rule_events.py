"""The evidence for and against rules, what followed from it, and the base of each review."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

# The types stand here in full: what a released migration does must not change with the code.
_INSTANT = sa.DateTime(timezone=True)
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Build it."""
    op.add_column("reviews", sa.Column("base_sha", sa.String(64)))
    _findings()
    _rule_events()
    _rule_transitions()
    _rule_standings()
    for table in ("rule_events", "rule_transitions"):
        _append_only(table)


def _findings() -> None:
    op.create_table(
        "findings",
        sa.Column("repository", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("fingerprint", sa.String(16), nullable=False),
        sa.Column("code_print", sa.String(16), nullable=False),
        sa.Column("rule_id", sa.String(128), nullable=False),
        sa.Column("substance", sa.String(64), nullable=False),
        sa.Column("written", sa.String(16), nullable=False),
        sa.Column("path", sa.Text()),
        sa.Column("standing", sa.String(8), nullable=False),
        sa.PrimaryKeyConstraint("repository", "number", "fingerprint", name="pk_findings"),
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
        sa.Column("repository", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("fingerprint", sa.String(16), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_rule_events"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_rule_events_rule_id_substance_at", "rule_events", ["rule_id", "substance", "at"]
    )
    op.create_index(
        "ix_rule_events_repository_number_fingerprint",
        "rule_events",
        ["repository", "number", "fingerprint"],
    )


def _rule_transitions() -> None:
    op.create_table(
        "rule_transitions",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("at", _INSTANT, nullable=False),
        sa.Column("rule_id", sa.String(128), nullable=False),
        sa.Column("substance", sa.String(64), nullable=False),
        sa.Column("repository", sa.Text(), nullable=False),
        sa.Column("before", sa.String(16), nullable=False),
        sa.Column("after", sa.String(16), nullable=False),
        sa.Column("since", _INSTANT, nullable=False),
        sa.Column("cases", sa.Integer(), nullable=False),
        sa.Column("faults", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_rule_transitions"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_rule_transitions_rule_id_substance_repository_at",
        "rule_transitions",
        ["rule_id", "substance", "repository", "at"],
    )


def _rule_standings() -> None:
    op.create_table(
        "rule_standings",
        sa.Column("rule_id", sa.String(128), nullable=False),
        sa.Column("substance", sa.String(64), nullable=False),
        sa.Column("repository", sa.Text(), nullable=False),
        sa.Column("maturity", sa.String(16)),
        sa.Column("since", _INSTANT),
        sa.Column("cases", sa.Integer(), nullable=False),
        sa.Column("faults", sa.Integer(), nullable=False),
        sa.Column("looked_at", _INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("rule_id", "substance", "repository", name="pk_rule_standings"),
    )
    op.create_index("ix_rule_standings_repository", "rule_standings", ["repository"])


def _append_only(table: str) -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            f"CREATE FUNCTION {table}_refuse() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '{table} is append-only'; END $$"
        )
        op.execute(
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            f"FOR EACH STATEMENT EXECUTE FUNCTION {table}_refuse()"
        )
        return
    for change in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        )
