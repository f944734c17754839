"""RECON: one walk of a worktree that yields signals, each with its evidence."""
