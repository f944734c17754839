"""The adapter to GitHub: every shape and limit of its API stays in here."""
