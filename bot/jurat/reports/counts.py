"""A number with its noun, as every report and note writes it."""

from __future__ import annotations


def pluralize(number: int, noun: str, plural: str = "") -> str:
    """`1 rule`, `2 rules`, `6,210 tokens`; `plural` if it does not end in a mere s."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
