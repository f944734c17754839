"""What a page shows: the text of a template or of a component's markup, each line where it was."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

_OPENING = re.compile(
    r"<!--|<(?P<element>script|style|template:script)\b|\{#|\{%|<%|<\?|\{\{", re.IGNORECASE
)
"""How something begins that a page does not show: a comment, code, or what a template computes."""
_CLOSINGS = {"{#": "#}", "{%": "%}", "<%": "%>", "<?": "?>", "{{": "}}"}
_CLOSING_ELEMENTS = {
    name: re.compile(rf"</{name}\s*>", re.IGNORECASE)
    for name in ("script", "style", "template:script")
}
_TAG = re.compile(r"</?[A-Za-z!][^<>]*>", re.DOTALL)
_SAID_BY_TAG = re.compile(
    r"\b(?:title|alt|placeholder|aria-label|content|label|value)\s*=\s*(\"[^\"]*\"|'[^']*')",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?<![\w./-])[\w./-]+\.(?:html?|xhtml|jinja2?|j2|njk|ejs|hbs|handlebars|mustache|pug|twig|liquid|erb"
    r"|cshtml|jsp|ftl)\b"
)
_ENTITY = re.compile(r"&#?\w{1,32};")


def read_page_text(text: str) -> str:
    """The words that somebody sees who looks at the page."""
    bare = "".join(_iter_visible(text))
    bare = _TAG.sub(lambda tag: _keep_said(tag[0]), bare)
    return _ENTITY.sub(_read_entity, bare)


def list_named_pages(text: str) -> tuple[str, ...]:
    """The names of other pages that a page takes in or leads to."""
    return tuple(dict.fromkeys(_NAMED.findall(text)))


def _read_entity(found: re.Match[str]) -> str:
    """The sign that an entity stands for; a blank of any kind is one, and each line stays one."""
    sign = unescape(found[0])
    return " " if sign.isspace() else "'" if sign in ("\u2018", "\u2019") else sign


def _iter_visible(text: str) -> Iterator[str]:
    """The text, with blanks and line ends for what a page does not show."""
    done, unclosed = 0, set[str]()
    opening = _OPENING.search(text)
    while opening is not None:
        # What does not end anywhere is looked for once: a page may begin it at every sign.
        end = -1 if opening[0] in unclosed else _find_end(text, opening)
        if end < 0:
            unclosed.add(opening[0])
            opening = _OPENING.search(text, opening.start() + 1)
            continue
        yield text[done : opening.start()]
        yield " " + "\n" * text.count("\n", opening.start(), end)
        done = end
        opening = _OPENING.search(text, done)
    yield text[done:]


def _find_end(text: str, opening: re.Match[str]) -> int:
    """Where it ends, -1 if nowhere; a comment and a script end with the text at last."""
    if element := opening["element"]:
        closing = _CLOSING_ELEMENTS[element.lower()].search(text, opening.end())
        return closing.end() if closing else len(text)
    mark = _CLOSINGS.get(opening[0], "-->")
    end = text.find(mark, opening.end())
    if end >= 0:
        return end + len(mark)
    return len(text) if mark == "-->" else -1


def _keep_said(tag: str) -> str:
    """What a tag itself shows, apart from what stands around it, and its line ends."""
    said = " ".join(value[1:-1] for value in _SAID_BY_TAG.findall(tag))
    return f" {said} " + "\n" * (tag.count("\n") - said.count("\n"))
