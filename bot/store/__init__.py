"""The adapter to the database."""
