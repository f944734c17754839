"""What RECON looks for, and what each file of a worktree shows of it."""
