"""Tables of reviews: what was judged, shown and decided, and who asked for it."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Date,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    UniqueConstraint,
    false,
)

from jurat.store.database import Instant, Json, Number, Prose
from jurat.store.repository_tables import build_repository_column, metadata

# What each open pull request has the check of its head say: a commit has one check, which is the
# strictest of theirs. `said` is NULL while it is under review. `number` is 0 for a merge queue's
# group; `again` is then the job that reviews the group once more.
commit_checks = Table(
    "commit_checks",
    metadata,
    build_repository_column(key=True),
    Column("head_sha", String(64), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("base_ref", Prose, nullable=False),
    Column("said", Json),
    Column("again", Json),
    Column("at", Instant, nullable=False),
    Index(None, "repository_id", "number"),
)

# The findings that have had a comment on a pull request: if there is none now, a person deleted it.
comment_history = Table(
    "comment_history",
    metadata,
    build_repository_column(key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("finding", String(64), primary_key=True),
)

# Who said that a pull request does not count for the check of its head, or that it counts again
# (`excluded` is then false); the latest holds, as long as it goes to the same branch. Rows are only
# ever added.
exclusions = Table(
    "exclusions",
    metadata,
    Column("id", Number, primary_key=True),
    build_repository_column(),
    Column("head_sha", String(64), nullable=False),
    Column("number", Integer, nullable=False),
    Column("base_ref", Prose, nullable=False),
    Column("excluded", Boolean, nullable=False),
    Column("decided_by", Prose, nullable=False),
    Column("why", Prose, nullable=False),
    Column("at", Instant, nullable=False),
    Index(None, "repository_id", "head_sha"),
    sqlite_autoincrement=True,
)

# One row an Evaluation. Its id digests what it was made from (see `jurat.findings.identity`), so
# that a retry is the same row; `created_at` is when it was last reached. `published_at` is NULL
# until it was shown, and again while a retry was not. `answer` is the answer as it was given.
# `conclusion` is what the rules come to, and `override` who let the commit pass all the same.
# `assessed` is what a review of a pull request leaves to those of later pushes: prints, no text.
# `subject` is what was judged if the configuration says `retain: full`; else it is NULL, and a
# digest is all that is kept.
reviews = Table(
    "reviews",
    metadata,
    Column("evaluation_id", String(64), primary_key=True),
    build_repository_column(optional=True),
    Column("number", Integer),
    Column("head_sha", String(64)),
    Column("overall", String(32), nullable=False),
    Column("conclusion", String(32)),
    Column("mode", String(16), nullable=False),
    Column("surface", String(32), nullable=False),
    Column("subject_digest", String(64), nullable=False),
    Column("answer", Json, nullable=False),
    Column("latency_ms", Float, nullable=False),
    Column("created_at", Instant, nullable=False, index=True),
    Column("subject", Json),
    Column("base_sha", String(64)),
    Column("published_at", Instant),
    Column("override", Json),
    Column("assessed", Json),
    Index(None, "repository_id", "number", "created_at"),
)

# One row a rule verdict: what analytics are counted from. `counted` are those of the review that
# was shown last of its head, so that a head counts once however often it is reviewed.
evaluations = Table(
    "evaluations",
    metadata,
    Column(
        "evaluation_id",
        String(64),
        ForeignKey("reviews.evaluation_id", ondelete="CASCADE"),
        primary_key=True,
    ),
    Column("rule_id", String(128), primary_key=True),
    Column("revision", String(64), nullable=False),
    Column("severity", String(16), nullable=False),
    Column("maturity", String(16), nullable=False),
    Column("verdict", String(32), nullable=False),
    Column("would_block", Boolean, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("decided_by", String(16), nullable=False),
    Column("model_id", Prose),
    Column("input_tokens", Integer, nullable=False),
    Column("output_tokens", Integer, nullable=False),
    Column("latency_ms", Float, nullable=False),
    Column("evidence", Json, nullable=False),
    Column("surface", String(32), nullable=False),
    Column("mode", String(16), nullable=False),
    build_repository_column(optional=True),
    Column("number", Integer),
    Column("head_sha", String(64)),
    Column("created_at", Instant, nullable=False),
    Column("waived", Boolean, nullable=False, server_default=false()),
    Column("counted", Boolean, nullable=False, server_default=false()),
    Index(None, "rule_id", "created_at"),
    Index(None, "repository_id", "created_at"),
)

# Verdicts by question, so that the same question is not asked twice; each of the repository that
# asked first, since an answer quotes its code.
ledger = Table(
    "ledger",
    metadata,
    Column("key", Prose, primary_key=True),
    Column("entry", Prose, nullable=False),
    Column("created_at", Instant, nullable=False, index=True),
    build_repository_column(optional=True),
    Index(None, "repository_id"),
)

# Questions that some process is asking a model now. Who asks the same waits for the answer; a claim
# lapses in case its process died.
open_questions = Table(
    "open_questions",
    metadata,
    Column("key", Prose, primary_key=True),
    Column("holder", String(32), nullable=False),
    Column("lapses_at", Instant, nullable=False, index=True),
)

# What a person with permission decided about one finding, or about a commit as a whole (see
# `jurat.findings.waivers`). What one job decides is kept once. Rows are only ever added: `id` is
# where the next page of them begins.
decisions = Table(
    "decisions",
    metadata,
    Column("id", Number, primary_key=True),
    Column("kind", String(16), nullable=False),
    build_repository_column(),
    Column("number", Integer, nullable=False),
    Column("head_sha", String(64), nullable=False),
    Column("evaluation_id", String(64), nullable=False),
    Column("fingerprint", String(64), nullable=False),
    Column("code_print", String(64), nullable=False),
    Column("path", Prose),
    Column("rule_id", String(128), nullable=False),
    Column("revision", String(64), nullable=False),
    Column("verdict", String(32), nullable=False),
    Column("decided_by", Prose, nullable=False),
    Column("decided_by_id", Number, nullable=False),
    Column("own", Boolean, nullable=False),
    Column("why", Prose, nullable=False),
    Column("at", Instant, nullable=False),
    Column("job", String(64), nullable=False),
    Column("until", Date),
    UniqueConstraint(
        "repository_id", "number", "fingerprint", "kind", "job", name="uq_decisions_once"
    ),
    CheckConstraint("kind IN ('dismissed', 'restored', 'confirmed', 'overridden')", name="kind"),
    Index(None, "repository_id", "code_print"),
    sqlite_autoincrement=True,
)

# Who asked for what, and what came out. Triggers in the migrations refuse to change or delete a
# row, but for those of a repository that is being forgotten.
audit_log = Table(
    "audit_log",
    metadata,
    Column("id", Number, primary_key=True),
    Column("at", Instant, nullable=False, index=True),
    Column("asked_by", Prose, nullable=False),
    Column("action", String(32), nullable=False),
    Column("evaluation_id", String(64), index=True),
    Column("subject_digest", String(64), nullable=False),
    Column("rules", Json, nullable=False),
    Column("models", Json, nullable=False),
    Column("result", Json, nullable=False),
    build_repository_column(optional=True),
    Index(None, "repository_id"),
    sqlite_autoincrement=True,
)

# Ratings by repository and commit. `number` is the pull request's whose head it rates.
ratings = Table(
    "ratings",
    metadata,
    Column("id", Number, primary_key=True),
    build_repository_column(),
    Column("commit", String(64), nullable=False),
    Column("number", Integer),
    Column("risk", String(16), nullable=False),
    Column("overall", Float),
    Column("sha256", String(64), nullable=False),
    Column("document", Json, nullable=False),
    Column("created_at", Instant, nullable=False),
    UniqueConstraint("repository_id", "commit", "sha256"),
    Index(None, "repository_id", "created_at"),
    sqlite_autoincrement=True,
)
