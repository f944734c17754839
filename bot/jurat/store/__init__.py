"""The adapter to the database: all SQL stays in here."""
