"""The `bylaw` command."""
