"""What statements do to what is known: assignments, branches, loops, and how paths end."""
