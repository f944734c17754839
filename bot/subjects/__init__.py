"""Stage 1: what is judged. Diffs, files and facts become one frozen EvaluationContext."""
