"""The App: what a job does for a pull request, and the composition root."""
