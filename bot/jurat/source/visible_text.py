"""Foreign text made visible for a person.

A person reads lines, of which a terminal must obey nothing, and neither must the machine that runs
a build and reads its log. What a model reads is in `jurat.source.disguises`.
"""

from __future__ import annotations

import re


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


def to_one_line(text: str) -> str:
    """`text` as one visible line, its white space joined."""
    return " ".join(to_visible_text(text).split())


# The log of a build is read for commands, whoever printed the line.

_NEWER = (
    r":(?=:(?:error|warning|notice|debug|echo|group|endgroup|add-mask|add-path|add-matcher"
    r"|remove-matcher|set-output|set-env|save-state|stop-commands)\b)"
)
_OLDER = r"#(?=#(?:vso|teamcity)?\[)"
"""How a command begins: `::error` behind nothing but blanks, and `##[`, its older form, anywhere:
https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands. Azure Pipelines
obeys `##vso[`, TeamCity `##teamcity[`."""
_COMMAND = re.compile(rf"(?<!\S){_NEWER}|{_OLDER}", re.IGNORECASE)
_COMMAND_IF_FOLDED = re.compile(rf"{_NEWER}|{_OLDER}", re.IGNORECASE)


def to_terminal_text(text: str) -> str:
    """`text` as a terminal or the log of a build may be given it: lines, none of them a command."""
    return _COMMAND.sub(r"\g<0> ", to_visible_text(text))


def to_terminal_line(text: str) -> str:
    """The same as one line, its white space joined; nor is it one once it is folded anywhere."""
    return _COMMAND_IF_FOLDED.sub(r"\g<0> ", to_one_line(text))


def escape_json(document: str) -> str:
    """JSON that means the same, and in which no text is a command to who reads a build's log."""
    return _COMMAND.sub(lambda mark: rf"\u{ord(mark.group()):04x}", document)
