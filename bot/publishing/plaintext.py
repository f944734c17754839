"""Foreign text for a terminal or a log: every character shown, none obeyed."""

from __future__ import annotations


def to_visible_text(text: str) -> str:
    r"""`text` with each character that cannot be seen written as U+XXXX, but for "\n" and "\t".

    Escape sequences, direction overrides and zero-width characters thus stay where they are and do
    nothing. "\r\n" becomes "\n".
    """
    if text.isprintable():
        return text
    return "".join(
        mark if mark.isprintable() or mark in "\n\t" else f"U+{ord(mark):04X}"
        for mark in text.replace("\r\n", "\n")
    )


def one_line(text: str) -> str:
    """`text` as one visible line, its white space joined."""
    return " ".join(to_visible_text(text).split())
