"""The door for GitHub's events: verify, claim, enqueue, answer."""
