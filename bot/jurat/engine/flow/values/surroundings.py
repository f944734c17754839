"""What stands around a value in a text: quotes, or an attribute that holds a script.

Whoever takes the quotes out of a value makes it fit for a place between such quotes, and for no
other; whoever encodes it as markup, for no attribute whose text is decoded and run. So a question
about such texts is asked once more for each place that can be told from what stands before a value.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from jurat.engine.flow.values.taints import MOST_BEFORE, ROOT
from jurat.engine.flow.values.value import Given
from jurat.rules.flows import FlowQuestion
from jurat.rules.sinks import parse_sink

_BARE = "bare"
"""Where no quote is open."""

_SCRIPT = "script"
"""Where encoded markup is a script, or ends what it stands in."""

_ELEMENT = "element"
"""Where a text is part of a script, and ends it by its tag as well."""

_TAGS = "tags"
"""What is asked there of the tag alone."""

_WRITES_DATA = ("JSON.stringify()", "json.dumps()", "*.writeValueAsString()")
"""What makes a text part of a script, and leaves the tag in it that ends one."""

_QUOTES = frozenset("'\"")

_ENDS = {"[": "]", "]": ""}
"""What ends a quote that begins otherwise; what ends one begins none."""

_MARKUP = frozenset({"page", "html", "markup", "sent"})
_SHELL = frozenset({"argv", "command"})

_TAG = re.compile(r"<[a-zA-Z][\w:-]*(?=[\s\0])[^<>]*$")
"""A tag that is still open."""

_OPEN_VALUE = re.compile(
    r"""(?P<name>[\w:@.-]+)\s*=\s*(?:(?P<quote>["'])(?:(?!(?P=quote)).)*|[^\s"'>]*)$""", re.DOTALL
)
"""The attribute that is still open at the end of a tag."""

_RUN = re.compile(r"(?i)on[a-z]+")
"""The name of an attribute that holds a script."""

_SCRIPT_ELEMENT = re.compile(r"(?is)<script(?:\s[^<>]*)?>((?:(?!</script).)*)$")
"""A script that is still open."""


_OF_TEXT_ALONE = re.compile(r"(?:^|\.)(?:cgi|xml\.sax\.saxutils)\.escape$")
"""What encodes markup but its quotes, unless it is told so."""


def is_text_escape(name: str, given: Given) -> bool:
    """Whether a callee encodes markup, and leaves the quotes that end an attribute."""
    if name != "html.escape":
        return len(given) < 2 and _OF_TEXT_ALONE.search(name) is not None
    said = [value.constant for argument, value in given if argument.keyword in (None, "quote")]
    return len(said) > 1 and said[1] is False


class PlacedQuestions:
    """Some questions, and behind them each once more for the places where it is another."""

    def __init__(self, questions: Sequence[FlowQuestion]) -> None:
        self.all = [replace(one, unfit=()) if one.unfit else one for one in questions]
        """A question that is asked of a place has under `unfit` which sanitizers are no help."""
        self.in_shells = 0
        """Those about what stands between single quotes of a shell: no backslash is one there."""
        self.in_attributes = 0
        """Those about what stands between the quotes of an attribute."""
        self._anywhere = (1 << len(questions)) - 1
        self._placed: dict[int, dict[str, int]] = {}
        self._markup: set[int] = set()
        for number, question in enumerate(questions):
            kinds = {one.kind for said in question.sinks for one in parse_sink(said).arguments}
            is_markup = bool(kinds & _MARKUP)
            if is_markup:
                self._markup.add(number)
            for place, other in _place(question, is_markup=is_markup).items():
                if kinds & _SHELL and place == "'":
                    self.in_shells |= 1 << len(self.all)
                if is_markup and place in _QUOTES:
                    self.in_attributes |= 1 << len(self.all)
                self._placed.setdefault(number, {})[place] = len(self.all)
                self.all.append(other)

    def ask_at(self, mask: int, before: str) -> int:
        """The questions that some are of a value, by what stands before it in a text."""
        mask &= self._anywhere
        for number, others in self._placed.items():
            if mask >> number & 1:
                is_shell = bool(self.in_shells >> others.get("'", 0) & 1)
                place = (
                    _find_in_markup(before)
                    if number in self._markup
                    else _find_quote(before, others, escapes=not is_shell)
                )
                for one in (_SCRIPT, _TAGS) if place == _ELEMENT else (place,):
                    if one in others:
                        mask = mask & ~(1 << number) | 1 << others[one]
        return mask

    def find_asked(self, mask: int) -> int:
        """The questions that some are, in whatever place they are asked."""
        for number, others in self._placed.items():
            if any(mask >> bit & 1 for bit in others.values()):
                mask |= 1 << number
        return mask


def _place(question: FlowQuestion, *, is_markup: bool) -> dict[str, FlowQuestion]:
    """A question as it is asked in each place where it is another."""
    if not question.quotes:
        return {}
    if is_markup:
        # Quotes of an attribute are encoded as all markup is.
        made = {quote: replace(question, rejected=(quote,), unfit=()) for quote in question.quotes}
        made |= {_TAGS: replace(question, unfit=_WRITES_DATA)}
        return made | {_SCRIPT: replace(question, rejected=())}
    made = {
        quote: replace(question, rejected=(quote,) if quote in question.quotes else ())
        for quote in sorted({*_QUOTES, *question.quotes})
    }
    # What a shell is given without quotes is what it is given anywhere.
    return made | {_BARE: replace(question, rejected=(), unfit=())} if question.rejected else made


def _find_quote(before: str, quotes: Collection[str], *, escapes: bool) -> str:
    """The quote that is open behind a text; "" if that is not known.

    `escapes` says whether a backslash takes its meaning from the quote that an open one waits for.
    """
    text = before.replace(ROOT, "")
    if not text or len(text) > MOST_BEFORE:
        return ""
    is_open, at = "", 0
    while at < len(text):
        if text[at] == "\\" and (escapes or is_open != "'"):
            at += 1
        elif text[at] == is_open:
            is_open = ""
        elif not is_open and _ENDS.get(text[at], text[at]) in quotes:
            is_open = _ENDS.get(text[at], text[at])
        at += 1
    return is_open or _BARE


def _find_in_markup(before: str) -> str:
    """The quote of the attribute that is open behind a text, _SCRIPT if that is run, _ELEMENT in a
    script, or "" for anything else.
    """
    script = _SCRIPT_ELEMENT.search(before)
    if script is not None:
        is_text = _find_quote(script[1] or "\n", "'\"`", escapes=True) in ("'", '"', "")
        return "" if is_text else _ELEMENT
    tag = _TAG.search(before)
    value = _OPEN_VALUE.search(tag[0]) if tag is not None else None
    if value is None:
        return ""
    return _SCRIPT if _RUN.fullmatch(value["name"]) else value["quote"] or _SCRIPT
