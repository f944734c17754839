"""What a page shows: the text of a template or of a component's markup, each line where it was."""

from __future__ import annotations

import re
from html import unescape

_BLANKED = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|template:script)\b.*?(?:</\1\s*>|\Z)|\{#.*?#\}|\{%.*?%\}"
    r"|<%.*?%>|<\?.*?\?>"
    r"|\{\{.*?\}\}",
    re.DOTALL | re.IGNORECASE,
)
_TAG = re.compile(r"</?[A-Za-z!][^<>]*>", re.DOTALL)
_SAID_BY_TAG = re.compile(
    r"\b(?:title|alt|placeholder|aria-label|content|label|value)\s*=\s*(\"[^\"]*\"|'[^']*')",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"[\w./-]+\.(?:html?|xhtml|jinja2?|j2|njk|ejs|hbs|handlebars|mustache|pug|twig|liquid|erb"
    r"|cshtml|jsp|ftl)\b"
)
_ENTITY = re.compile(r"&#?\w{1,32};")


def read_page_text(text: str) -> str:
    """The words that somebody sees who looks at the page."""
    bare = _BLANKED.sub(_keep_lines, text)
    bare = _TAG.sub(lambda tag: _keep_said(tag[0]), bare)
    return _ENTITY.sub(_read_entity, bare)


def list_named_pages(text: str) -> tuple[str, ...]:
    """The names of other pages that a page takes in or leads to."""
    return tuple(dict.fromkeys(_NAMED.findall(text)))


def _read_entity(found: re.Match[str]) -> str:
    """The sign that an entity stands for; a blank of any kind is one, and each line stays one."""
    sign = unescape(found[0])
    return " " if sign.isspace() else "'" if sign in ("\u2018", "\u2019") else sign


def _keep_lines(found: re.Match[str]) -> str:
    return " " + "\n" * found[0].count("\n")


def _keep_said(tag: str) -> str:
    """What a tag itself shows, apart from what stands around it, and its line ends."""
    said = " ".join(value[1:-1] for value in _SAID_BY_TAG.findall(tag))
    return f" {said} " + "\n" * (tag.count("\n") - said.count("\n"))
