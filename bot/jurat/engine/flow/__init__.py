"""Where values come from and where they go: one small program form, and one analysis of it."""
