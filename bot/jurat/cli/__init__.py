"""The `jurat` command."""
