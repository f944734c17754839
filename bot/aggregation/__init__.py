"""Stage 5: shadow, the overall verdict and the conclusion of the check."""
