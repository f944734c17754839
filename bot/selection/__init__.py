"""Stage 2: which rules apply, and why the others do not."""
