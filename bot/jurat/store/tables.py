"""The tables. The migrations build them; a test holds that both say the same."""

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
    MetaData,
    String,
    Table,
    UniqueConstraint,
    false,
    text,
)

from jurat.store.database import Instant, Json, Number, Prose

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)

# Every repository of which something is kept, by GitHub's id: a name is given up, and taken by
# others. `name` is "owner/name" as it was last heard, NULL if another one has that name by now.
# One that the REST API's callers named, and GitHub did not, has a number below 0: what they say
# is never taken for GitHub's word. `removed_at` is when the App was taken off it, `suspended_at`
# since when its owner lets the App rest. Whatever is kept of a repository goes with its row.
repositories = Table(
    "repositories",
    metadata,
    Column("id", Number, primary_key=True, autoincrement=False),
    Column("name", Prose),
    Column("installation_id", Number, index=True),
    Column("removed_at", Instant),
    Column("suspended_at", Instant),
)
OF_GITHUB, NAMED = text("id > 0"), text("id < 0")
for _names, _those in (("github", OF_GITHUB), ("named", NAMED)):
    Index(
        f"uq_repositories_{_names}",
        repositories.c.name,
        unique=True,
        sqlite_where=_those,
        postgresql_where=_those,
    )

# The repository that is being forgotten, for as long as the transaction lasts that forgets it: the
# triggers of what is append-only let go of its rows alone.
forgetting = Table(
    "forgetting",
    metadata,
    Column("repository_id", Number, primary_key=True, autoincrement=False),
)


def _build_repository_column(*, optional: bool = False, key: bool = False) -> Column[int]:
    """The column that says whose a row is."""
    return Column(
        "repository_id",
        Number,
        ForeignKey("repositories.id", ondelete="CASCADE"),
        primary_key=key,
        autoincrement=False,
        nullable=optional,
    )


# What GitHub sent and Jurat took on. A delivery is claimed by its GUID and by what it means: GitHub
# may send one event under two GUIDs. `meaning` is NULL if an event may rightly come twice.
# `outcome` is "enqueued" until the sweeper finds how its jobs ended.
deliveries = Table(
    "deliveries",
    metadata,
    Column("guid", String(64), primary_key=True),
    Column("event", String(64), nullable=False),
    # NULLs are distinct in a unique index, on both databases: without a meaning nothing collides.
    Column("meaning", Prose, unique=True),
    Column("received_at", Instant, nullable=False, index=True),
    Column("outcome", String(16), nullable=False),
    _build_repository_column(optional=True),
)
# Text, not a bound value: an index has no parameters. https://www.sqlite.org/partialindex.html
ENQUEUED = text("outcome = 'enqueued'")
Index(
    "ix_deliveries_enqueued",
    deliveries.c.received_at,
    sqlite_where=ENQUEUED,
    postgresql_where=ENQUEUED,
)

# Work to do. `key` is what jobs are serial for. At most one job of a key, kind and variant waits,
# and at most one of a key runs: the two partial unique indexes hold that against every worker.
# `lease` counts how often the job was handed out: a worker that lost it can change nothing.
jobs = Table(
    "jobs",
    metadata,
    Column("id", Number, primary_key=True),
    Column("key", Prose, nullable=False),
    Column("kind", String(32), nullable=False),
    Column("variant", Prose, nullable=False),
    Column("payload", Json, nullable=False),
    Column("delivery", String(64), index=True),
    Column("installation", Prose, nullable=False),
    Column("repository", Prose, nullable=False),
    Column("person", Prose, nullable=False),
    Column("late", Boolean, nullable=False, server_default=false()),
    Column("state", String(16), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("lease", Integer, nullable=False),
    Column("worker", Prose),
    Column("enqueued_at", Instant, nullable=False),
    Column("due_at", Instant, nullable=False),
    Column("lease_expires_at", Instant),
    Column("cancel_requested", Boolean, nullable=False, server_default=false()),
    Column("finished_at", Instant),
    Column("reason", Prose),
    CheckConstraint("state IN ('queued', 'leased', 'done', 'cancelled', 'dead')", name="state"),
    # An id that was deleted never comes again: a late worker, or the record of a check, still names
    # it. https://www.sqlite.org/autoinc.html
    sqlite_autoincrement=True,
)
QUEUED = text("state = 'queued'")
LEASED = text("state = 'leased'")
Index(
    "uq_jobs_queued",
    jobs.c.key,
    jobs.c.kind,
    jobs.c.variant,
    unique=True,
    sqlite_where=QUEUED,
    postgresql_where=QUEUED,
)
# Unique, so that no two jobs of a key run even if two workers look in the same instant.
Index("uq_jobs_leased", jobs.c.key, unique=True, sqlite_where=LEASED, postgresql_where=LEASED)
Index("ix_jobs_due", jobs.c.due_at, jobs.c.id, sqlite_where=QUEUED, postgresql_where=QUEUED)

Index("ix_jobs_key", jobs.c.key)

# Whose jobs were handed out, and when last: `served` counts hand-outs. See `jurat.jobs.lanes`.
lanes = Table(
    "lanes",
    metadata,
    Column("lane", Prose, primary_key=True),
    Column("served", Number, nullable=False),
)

# The latest tick of each clock for which a job was enqueued: periodic work runs once, however many
# workers there are.
ticks = Table(
    "ticks",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("tick", Number, nullable=False),
)

# Sessions of the dashboard that are open: each cookie by its digest, which only the token's holder
# can make.
sessions = Table(
    "sessions",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("ends_at", Instant, nullable=False),
)

# When the next write to GitHub by an installation may go, in seconds since 1970.
write_turns = Table(
    "write_turns",
    metadata,
    Column("installation_id", Number, primary_key=True, autoincrement=False),
    Column("free_at", Float, nullable=False),
)

# Checks that were begun and are not known to have ended, each with the job that ends it. A row
# is written before the check is, so that no crash leaves a check that nobody knows of.
open_checks = Table(
    "open_checks",
    metadata,
    Column("key", Prose, primary_key=True),
    Column("head_sha", String(64), primary_key=True),
    Column("job_id", Number, nullable=False),
    Column("kind", String(32), nullable=False),
    Column("payload", Json, nullable=False),
    Column("check_run_id", Number),
    Column("begun_at", Instant, nullable=False),
    _build_repository_column(optional=True),
    Index(None, "repository_id"),
)

# What each open pull request has the check of its head say: a commit has one check, which is the
# strictest of theirs. `said` is NULL while it is under review. `number` is 0 for a merge queue's
# group; `again` is then the job that reviews the group once more.
commit_checks = Table(
    "commit_checks",
    metadata,
    _build_repository_column(key=True),
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
    _build_repository_column(key=True),
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
    _build_repository_column(),
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
    _build_repository_column(optional=True),
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
    _build_repository_column(optional=True),
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
    _build_repository_column(optional=True),
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
# where a reader that follows them has got to.
decisions = Table(
    "decisions",
    metadata,
    Column("id", Number, primary_key=True),
    Column("kind", String(16), nullable=False),
    _build_repository_column(),
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
    _build_repository_column(optional=True),
    Index(None, "repository_id"),
    sqlite_autoincrement=True,
)

# The findings of pull requests that are still open, as their last reviews left them. `standing` is
# open or gone. Once a pull request is merged they become rule events, and are deleted.
findings = Table(
    "findings",
    metadata,
    _build_repository_column(key=True),
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
    _build_repository_column(),
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
    _build_repository_column(optional=True),
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
    _build_repository_column(optional=True),
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

# Ratings by repository and commit. `number` is the pull request's whose head it rates.
ratings = Table(
    "ratings",
    metadata,
    Column("id", Number, primary_key=True),
    _build_repository_column(),
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
