"""HTTP: the door for GitHub's events, for programs and for people."""
