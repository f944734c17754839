"""What all tables are of, and those of repositories: whatever is kept is one's."""

from __future__ import annotations

from sqlalchemy import (
    Column,
    ForeignKey,
    Index,
    MetaData,
    Table,
    text,
)

from jurat.store.database import Instant, Number, Prose

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


def build_repository_column(*, optional: bool = False, key: bool = False) -> Column[int]:
    """The column that says whose a row is."""
    return Column(
        "repository_id",
        Number,
        ForeignKey("repositories.id", ondelete="CASCADE"),
        primary_key=key,
        autoincrement=False,
        nullable=optional,
    )
