"""Stage 3: rules sorted by kind, and the verdicts that need no model."""
