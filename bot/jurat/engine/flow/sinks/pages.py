"""What is markup in an answer, and which answers are no pages at all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from jurat.engine.flow.values.arrivals import find_last_name, list_all, list_own
from jurat.engine.flow.values.settings import Given
from jurat.engine.flow.values.taints import REMOTE, Taint
from jurat.engine.flow.values.value import Env, Value
from jurat.engine.flow.words import split_words
from jurat.rules.sinks import Sink

_KEY = re.compile(
    r"id|pk|uuid|ID|UUID|count|total|index|size"
    r"|.*(?:_(?:id|pk|uuid|count|total|index|size)|[a-z](?:I[dD]|U(?:uid|UID)|Count|Total|Index|Size))"
)
"""What holds a record's key or a number."""

_PLAIN_PAGE = re.compile(r"(?!.*(?:html|xml|svg|\*)).*/.+", re.IGNORECASE | re.DOTALL)
"""A type of content in which nothing is markup."""

_CONTENT_TYPES = frozenset({"content_type", "mimetype", "media_type", "contentType"})

_HEADER_SETTERS = split_words("Set set setHeader set_header header Header SetHeader")

_TYPE_SETTERS = frozenset({"setContentType", "contentType", "SetContentType", "type"})

_SAYING = _HEADER_SETTERS | _TYPE_SETTERS | {"attachment"}
"""The last words of all that may say what an answer is."""

_PLAIN_WORDS = frozenset({"json", "txt", "text"})

_FILE = "application/octet-stream"

_PLAIN = "plain page", ()
"""Stands among what was checked on the way to an answer that is no page."""

_TEXT_ELEMENT = re.compile(r"HTML(?:Style|TextArea|Title)Element\.innerHTML$")

_SAID = re.compile(r"\.(?:query|params)(?:\(\))?$|\.param\(\)$")
"""Ends a source that is a part of a link, which others may have made."""

_ECHOED = re.compile(r"(?i).*challenge|echostr|validationtoken")
"""What a service has sent back to it, as a proof that somebody listens."""

_ANSWERS = frozenset({"page", "markup", "sent"})

PAGES = frozenset({"page", "markup", "html", "sent"})


def note_content_type(name: str, given: Sequence[Value], env: Env) -> None:
    """Note what an answer is said to be from here on: plain text and JSON are no pages."""
    word = name.rpartition(".")[2]
    # Before anything else is asked: nearly all calls say nothing of the kind.
    if word not in _SAYING:
        return
    said = [one.constant for one in given]
    if word in _HEADER_SETTERS and len(said) > 1 and str(said[0]).lower() == "content-type":
        kind = said[1]
    elif word == "attachment" or (word in _HEADER_SETTERS and _is_disposition(said)):
        kind = _FILE
    elif word in _TYPE_SETTERS and said:
        kind = said[0]
    else:
        return
    if is_plain_type(kind):
        env.cleared[_PLAIN] = 1
    else:
        env.cleared.pop(_PLAIN, None)


def _is_disposition(said: Sequence[object]) -> bool:
    """Whether an answer is said to be a file to keep, which no browser shows."""
    name, value = (str(one).lower() for one in (*said, "", "")[:2])
    return name == "content-disposition" and value.startswith("attachment")


def is_plain_type(kind: object) -> bool:
    """Whether nothing is markup in what is said to be of a kind."""
    return isinstance(kind, str) and (
        _PLAIN_PAGE.fullmatch(kind) is not None or kind in _PLAIN_WORDS
    )


def is_plain_page(sink: Sink, name: str, env: Env) -> bool:
    """Whether a sink is an answer of which was said that it is no page, or an element of text."""
    if sink.assigned and _TEXT_ELEMENT.search(name):
        return True
    return _PLAIN in env.cleared and _ANSWERS.issuperset(one.kind for one in sink.arguments)


def is_no_page(given: Given) -> bool:
    """Whether what is answered says that its content is of a type without markup."""
    said = (v.constant for one, v in given if one is not None and one.keyword in _CONTENT_TYPES)
    return any(isinstance(kind, str) and _PLAIN_PAGE.fullmatch(kind) for kind in said)


def list_unescaped(values: Iterable[Value]) -> Iterator[Taint]:
    """What may be somebody's text in a page.

    Of a parameter, whose text it is nobody knows: what another function made of it may be escaped,
    also inside of more markup, and a record's key or number is no text.
    """
    for one in list_all(values):
        if one.strength == REMOTE or not (one.answered_by or _KEY.fullmatch(find_last_name(one))):
            yield one


def list_bodies(values: Iterable[Value]) -> Iterator[Taint]:
    """What is in the body of an answer: the first of a tuple, whose rest are its headers."""
    for value in values:
        if value.items is None:
            yield from list_own([value])
        elif value.is_list and value.items:
            yield from list_own([next(iter(value.items.values()))])


def list_markup(values: Iterable[Value]) -> Iterator[Taint]:
    """What may be somebody's text, and stands behind a tag in another one."""
    return (one for one in list_unescaped(values) if "<" in one.before)


def list_sent(values: Iterable[Value]) -> Iterator[Taint]:
    """Markup, and what is a page because it is a text, as in `res.send("Hello " + name)`.

    An object is JSON, and what a server sent to be proven is its own text.
    """
    for value in values:
        for one in list_unescaped([value]):
            is_answer = value.name.endswith("()") and not value.name.startswith(one.source)
            is_text = value.items is None and not is_answer
            if "<" in one.before or (is_text and _is_linked(one)):
                yield one


def _is_linked(taint: Taint) -> bool:
    """Whether an origin is a text of a link, as it came or in another one."""
    if taint.strength != REMOTE or taint.answered_by or taint.foreign or taint.found:
        return False
    name = find_last_name(taint)
    return _SAID.search(taint.source) is not None and not _ECHOED.fullmatch(name)
