"""Whether a regular expression can match any part of a text, asked once of all of the text.

ast-grep compiles the expressions of a rule anew for each file, which takes longer than to look for
them in it. One that matches the text of a node matches in the text of the file as well, if nothing
in it asks where a text begins or ends. The expressions are those of the crate that ast-grep asks
(https://docs.rs/regex/latest/regex/), asked here by RE2. What is not understood may match, which is
always right.
"""

from __future__ import annotations

import re
from functools import lru_cache

import re2

from jurat.rules.constraints import LinearRegex, compile_regex

_FLAGS = re.compile(r"\(\?([imsuU]*)(-[imsuU]+)?([:)])")
_NAMED_GROUP = re.compile(r"\(\?P?<\w+>")
_EDGE = re.compile(r"[$^]|\\[bBAz](?!\{)")
_CLASS = re.compile(r"\[(\^?(?:[^\[\]\\&~-]|\\[^pPSDWxuUb<>]|-(?!-)|&(?!&)|~(?!~))+)\]")
_ESCAPE = re.compile(r"\\(?:[^\w\s<>]|[dDwWntrfv])")
_OTHER = re.compile(r"\((?!\?)|[^\\\[\]^$(]")

_ANYWHERE = "(?:)"
"""In the place of what asks where a text or a word ends."""

# To RE2 a vertical tab is no white space.
_WHITE = r"[\s\x0b]"
_NOT_WHITE = r"[^\s\x0b]"


class RegexFilter:
    """A text, and which expressions may match a part of it.

    Of a text that is not all ASCII nothing is said: what a letter or white space is there, the two
    kinds of expressions see differently.
    """

    def __init__(self, text: str) -> None:
        self._text = text.encode() if text.isascii() else None
        self._answers: dict[str, bool] = {}

    def can_match(self, expression: str) -> bool:
        """Whether an expression may match some part of the text, from its beginning to its end."""
        if self._text is None:
            return True
        found = self._answers.get(expression)
        if found is None:
            regex = _compile_loose(expression)
            found = self._answers[expression] = regex is None or bool(regex.search(self._text))
        return found


@lru_cache(maxsize=4096)
def _compile_loose(expression: str) -> LinearRegex | None:
    """What matches wherever the expression does, whatever stands around it; None if unknown."""
    if not expression.isascii():
        return None
    loose: list[str] = []
    at = 0
    while at < len(expression):
        found = _read_next(expression, at)
        if found is None:
            return None
        text, at = found
        loose.append(text)
    try:
        return compile_regex("".join(loose))
    except re2.error:
        return None


def _read_next(expression: str, at: int) -> tuple[str, int] | None:
    """What stands for the next part of an expression, and where that ends."""
    if flags := _FLAGS.match(expression, at):
        on, off = (_keep_flags(flags[number] or "") for number in (1, 2))
        said = on + ("-" + off if off else "")
        return (f"(?{said}{flags[3]}" if said or flags[3] == ":" else _ANYWHERE), flags.end()
    if group := _NAMED_GROUP.match(expression, at):
        return "(", group.end()
    if edge := _EDGE.match(expression, at):
        return _ANYWHERE, edge.end()
    if expression.startswith((r"\s", r"\S"), at):
        return (_WHITE if expression[at + 1] == "s" else _NOT_WHITE), at + 2
    if chars := _CLASS.match(expression, at):
        return "[" + chars[1].replace(r"\s", r"\s\x0b") + "]", chars.end()
    other = _ESCAPE.match(expression, at) or _OTHER.match(expression, at)
    return (other[0], other.end()) if other else None


def _keep_flags(said: str) -> str:
    """Those that RE2 has as well and that matter without beginnings and ends."""
    return "".join(flag for flag in said if flag in "is")
