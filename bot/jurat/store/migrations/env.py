"""What Alembic runs: the migrations, over the connection and in the transaction it is handed."""

from __future__ import annotations

from alembic import context

from jurat.store.tables import metadata

# A copy drops the old table, and with foreign keys on that deletes whatever refers to its rows:
# https://www.sqlite.org/foreignkeys.html#fk_schemacommands. So columns come by `op.add_column`,
# which copies nothing.
context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,  # SQLite alters a table by copying it
)
with context.begin_transaction():
    context.run_migrations()
