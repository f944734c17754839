"""Durable jobs: review pull request N, serial for each pull request."""
