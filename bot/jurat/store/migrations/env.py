"""What Alembic runs: the migrations, over the connection and in the transaction it is handed."""

from __future__ import annotations

from alembic import context

from jurat.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,  # SQLite alters a table by copying it
)
with context.begin_transaction():
    context.run_migrations()
