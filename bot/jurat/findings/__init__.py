"""Findings, verdicts and the evaluation that they conclude in."""
