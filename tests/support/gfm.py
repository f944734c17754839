"""What GitHub makes of a text: the Markdown it renders, and what its filters find in the result.

The renderer is GitHub's own, cmark-gfm. The filters look at the text of what was rendered, with
entities resolved, outside `code`, `pre` and `a`: https://github.com/gjtorikian/html-pipeline. Their
patterns here are wider than GitHub's, which also asks whether there is such a user or commit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.parser import HTMLParser

from cmarkgfm import markdown_to_html_with_extensions
from cmarkgfm.cmark import Options

_EXTENSIONS = ["table", "autolink", "strikethrough", "tasklist", "tagfilter"]
_OPTIONS = (
    # The comments of issues break lines where their authors do; HTML is let through, then filtered.
    Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES | Options.CMARK_OPT_HARDBREAKS
)
_QUIET = frozenset({"code", "pre", "a"})
_DECORATION = frozenset({"code", "span"})
"""Elements that may differ: code that somebody quotes in prose, and what keeps `$` from math."""

_SPOKEN = {
    "mention or address": r"@[a-z0-9]",
    "issue": r"\#\d|(?<![a-z0-9])gh-\d",
    "commit": r"(?<![a-z0-9])[0-9a-f]{7,}(?![a-z0-9])",
    "advisory": r"(?<![a-z0-9])(?:cve|ghsa)-\w",
    "address": r"[a-z]://|(?<![a-z0-9])www\.",
    "emoji": r":[a-z0-9_+-]+:",
}
"""https://docs.github.com/get-started/writing-on-github/working-with-advanced-formatting/autolinked-references-and-urls"""
_TEXTS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _SPOKEN.items()}
_TASK = re.compile(r"\[[ x]\]", re.IGNORECASE)
_ALERT = re.compile(r"\[!\w+\]")
_HIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]")
_COMMAND = re.compile(r"^\s*/[a-z]", re.MULTILINE | re.IGNORECASE)
_FENCED = re.compile(r"^(`{3,})[^`\n]*\n.*?^\1`*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Shown:
    """What a reader of a text gets.

    `skeleton` are its elements and where they lead, in order; `spoken` is what GitHub would notify,
    refer to, link or draw beside them, each as its sort and the text.
    """

    skeleton: tuple[str, ...]
    spoken: frozenset[tuple[str, str]]


def show_markdown(markdown: str) -> Shown:
    """A comment, or the summary of a check."""
    reader = _Reader()
    reader.feed(markdown_to_html_with_extensions(markdown, _OPTIONS, _EXTENSIONS))
    reader.close()
    reader.end_text()
    # Other Apps read a comment as it was sent, and obey a line that begins so.
    outside_code = _FENCED.sub("", markdown)
    commands = {("command", item) for item in _COMMAND.findall(outside_code)}
    return Shown(tuple(reader.skeleton), frozenset(reader.spoken | commands))


def show_plain(text: str) -> Shown:
    """An annotation, a title or the message of a commit: no markup, but references all the same."""
    return Shown((), frozenset(_find_spoken(text)))


def _find_spoken(text: str) -> set[tuple[str, str]]:
    found = {(name, hit) for name, pattern in _TEXTS.items() for hit in pattern.findall(text)}
    return found | {("hidden", f"U+{ord(hit):04X}") for hit in _HIDDEN.findall(text)}


class _Reader(HTMLParser):
    """Collects elements, and what speaks in the text between them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.skeleton: list[str] = []
        self.spoken: set[tuple[str, str]] = set()
        self._open: list[str] = []
        self._text = ""
        self._first = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.end_text()
        self._open.append(tag)
        self._first = self._first or tag in ("li", "blockquote")
        if tag not in _DECORATION or any(name == "class" for name, _ in attrs):
            said = " ".join(f'{name}="{value}"' for name, value in attrs)
            self.skeleton.append(f"<{tag} {said}>".replace(" >", ">"))

    def handle_endtag(self, tag: str) -> None:
        self.end_text()
        if tag in self._open:
            while self._open.pop() != tag:
                pass
        if tag not in _DECORATION:
            self.skeleton.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self._text += data

    def end_text(self) -> None:
        """Look at what stood between two tags, as the filters look at one text node."""
        text, self._text = self._text, ""
        if not text or _QUIET & set(self._open):
            return
        self.spoken |= _find_spoken(text)
        if "$" in text and not (text == "$" and self._open[-1:] == ["span"]):
            # Escaping it does not help; an element of its own does:
            # https://docs.github.com/get-started/writing-on-github/working-with-advanced-formatting/writing-mathematical-expressions
            self.spoken.add(("math", text))
        inside = [tag for tag in self._open if tag not in {"p", *_DECORATION}][-1:]
        first, self._first = self._first, False
        if first and inside == ["li"] and _TASK.match(text.lstrip()):
            self.spoken.add(("task", text))
        if first and inside == ["blockquote"] and _ALERT.match(text.lstrip()):
            self.spoken.add(("alert", text))
