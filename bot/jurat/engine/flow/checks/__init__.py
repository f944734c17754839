"""What follows from a check: of a condition, a refusal, a pattern or a declared schema."""
