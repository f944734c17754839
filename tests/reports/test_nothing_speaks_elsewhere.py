"""What strangers, rules and models write speaks in no log, page, SARIF file or reply either.

The writers of tests/reports/test_nothing_speaks.py, and its measure: with hostile words everything
has the elements that it has with plain ones, and nothing more is obeyed.
"""

from __future__ import annotations

import asyncio
import io
import json
import logging
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlsplit

import pytest
import structlog
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from lxml import html

from jurat.app.apply_fixes import _describe_nothing_applied
from jurat.app.command_context import read_review
from jurat.app.commands import _build_config_failure, _run_command
from jurat.app.dismissals import _ask_which, _explain_not_confirmable
from jurat.engine.fix_verifier import FixedFile
from jurat.errors import FileError
from jurat.jobs.requests import CommandLine
from jurat.logs import configure_logs
from jurat.reports.answer import EvaluationAnswer
from jurat.reports.formats import ReviewReport
from jurat.reports.rating_report import render_rating
from jurat.reports.sarif import to_sarif, write_sarif
from jurat.server.dashboard import render_login, render_problem, render_review
from jurat.settings import LogFormat, LogSettings
from jurat.store.rows import StoredReview
from tests.reports.test_nothing_speaks import _NOON, Texts, an_evaluation, rate_nothing
from tests.support.gfm import Shown, show_markdown
from tests.support.hostile_text import CORPUS, hostile_texts


class _Page(HTMLParser):
    """The elements of a page and their attributes, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(f"{tag} {sorted(name for name, _ in attrs)}")
        self.elements += [f"href {value}" for name, value in attrs if name in ("href", "src")]

    def handle_endtag(self, tag: str) -> None:
        self.elements.append(f"/{tag}")

    def handle_comment(self, data: str) -> None:
        self.elements.append("comment")


def _read_page(page: str) -> Shown:
    """What two parsers make of a page; what no reader sees is spoken."""
    reader = _Page()
    reader.feed(page)
    reader.close()
    other = [str(item.tag) for item in html.document_fromstring(page.encode("utf-8")).iter()]
    return Shown((*reader.elements, *other), _find_hidden(page))


def _find_hidden(text: str) -> frozenset[tuple[str, str]]:
    """Characters that move others or that nobody sees."""
    kinds = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    found = {mark for mark in text if unicodedata.category(mark) in kinds} - {"\n"}
    return frozenset(("hidden", f"U+{ord(mark):04X}") for mark in found)


def _store(text: Texts) -> StoredReview:
    return StoredReview(
        EvaluationAnswer.build(an_evaluation(text)),
        _NOON,
        repository="acme/shop",
        number=1,
        head_sha="a" * 40,
        asked_by=text("asker"),
        override={
            "by": text("login"),
            "why": text("reason"),
            "until": "2026-11-30",
            "own": True,
        },
    )


def write_pages(text: Texts) -> list[Shown]:
    """The dashboard's pages, and the page of a rating."""
    pages = [
        render_review(_store(text), web_url="https://github.com", leave=True),
        render_login(text("problem")),
        render_problem(text("title"), text("problem")),
        render_rating(rate_nothing(), text("title"), "0" * 64),
    ]
    return [_read_page(page) for page in pages]


def write_replies(text: Texts) -> list[Shown]:
    """What the conversation is answered: commands that nobody knows, and what they are about."""
    last = read_review(_store(text))
    error = FileError(text("path"), 3, text("key"), text("problem"))
    error.others = (FileError(text("path"), 0, "", text("problem")),)
    broken = FixedFile(text("path"), None, (), 1, text("problem") or "x")
    unknown = CommandLine(name=text("command"), arguments=text("arguments"))
    # The context is read by no command that there is not.
    answered = asyncio.run(_run_command(None, unknown))  # type: ignore[arg-type]
    replies = [
        answered.text,
        _build_config_failure(error).text,
        *(_ask_which(last, text("word"), command) for command in ("dismiss", "restore")),
        _explain_not_confirmable(last, ()),
        _describe_nothing_applied([broken]),
    ]
    return [show_markdown(reply) for reply in replies]


_LINK = re.compile(r"\]\(")
_MESSAGES = {"message", "shortDescription", "fullDescription", "help", "description"}


def _walk(item: Any, key: str = "") -> Iterator[tuple[str, str, Any]]:
    """Every value of a document, with its key and that of the object which holds it."""
    if isinstance(item, dict):
        for name, value in item.items():
            yield key, name, value
            yield from _walk(value, name)
    if isinstance(item, list):
        for value in item:
            yield from _walk(value, key)


def write_sarif_files(text: Texts) -> list[Shown]:
    """A SARIF log: no message links, no place is elsewhere, no line of it is a command."""
    evaluation = an_evaluation(text)
    stream = io.StringIO()
    write_sarif(ReviewReport(evaluation, {}), stream)
    written = stream.getvalue()
    document = to_sarif(evaluation, version="1")
    assert (
        json.loads(written)["runs"][0]["results"]
        == json.loads(json.dumps(document))["runs"][0]["results"]
    )
    written.encode("utf-8")
    skeleton, spoken = [], set(_find_hidden(written))
    for holder, name, value in _walk(document):
        skeleton.append(f"{holder}.{name} {type(value).__name__}")
        if name == "text" and holder in _MESSAGES and _LINK.search(value):
            spoken.add(("link", value))
        if name == "uri":
            place = urlsplit(value)
            if place.scheme or place.netloc or value.startswith("/"):
                spoken.add(("elsewhere", value))
        if name == "text" and any(unicodedata.category(mark) == "Cs" for mark in value):
            spoken.add(("no text", value))
    return [Shown(tuple(skeleton), frozenset(spoken))]


def write_logs(text: Texts) -> list[Shown]:
    """One line for each event, whoever logged it, in both forms."""
    shown = []
    handlers, level = logging.getLogger().handlers[:], logging.getLogger().level
    forms: tuple[LogFormat, ...] = ("json", "console")
    try:
        for form in forms:
            binary = io.BytesIO()
            stream = io.TextIOWrapper(binary, encoding="utf-8", errors="strict")
            configure_logs(LogSettings("INFO", form), stream)
            log = structlog.stdlib.get_logger("jurat.test")
            log.warning("an event", path=text("path"), several=[text("name")], why={"x": text("y")})
            log.info(text("event"))
            logging.getLogger("a library").warning("it says %s", text("problem"))
            logging.getLogger("a library").warning("more", extra={"reason": text("reason")})
            stream.flush()
            lines = binary.getvalue().decode().splitlines(keepends=True)
            if form == "json":
                assert all(isinstance(json.loads(line), dict) for line in lines)
            written = "".join(lines)
            shown.append(Shown((f"{len(lines)} lines",), _find_hidden(written)))
    finally:
        logging.getLogger().handlers[:] = handlers
        logging.getLogger().setLevel(level)
        structlog.reset_defaults()
    return shown


WRITERS = {
    "pages": write_pages,
    "replies": write_replies,
    "SARIF": write_sarif_files,
    "logs": write_logs,
}


@cache
def find_plain(name: str) -> tuple[tuple[str, ...], list[Shown]]:
    """The slots of a writer, and what it shows if every one holds a plain word."""
    asked: dict[str, None] = {}

    def note(slot: str) -> str:
        asked[slot] = None
        return f"plain {slot}"

    shown = WRITERS[name](note)
    return tuple(asked), shown


def find_speech(name: str, texts: Texts) -> list[str]:
    """What a writer says with these texts that it does not say with plain ones."""
    _, quiet = find_plain(name)
    found = []
    for number, (loud, plain) in enumerate(zip(WRITERS[name](texts), quiet, strict=True)):
        if loud.skeleton != plain.skeleton:
            changed = [item for item in loud.skeleton if item not in plain.skeleton]
            found.append(f"{name} {number}: other elements: {changed or len(loud.skeleton)}")
        found += [f"{name} {number}: {item}" for item in sorted(loud.spoken - plain.spoken)]
    return found


@pytest.mark.parametrize("name", WRITERS)
def test_nothing_of_the_corpus_speaks_elsewhere(name: str) -> None:
    slots, _ = find_plain(name)
    assert slots
    for first in range(len(CORPUS)):
        texts = {slot: CORPUS[(first + at) % len(CORPUS)] for at, slot in enumerate(slots)}
        assert not find_speech(name, texts.__getitem__), texts


@pytest.mark.parametrize("name", WRITERS)
@settings(max_examples=20, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(data=st.data())
def test_no_heap_of_markup_speaks_elsewhere(name: str, data: st.DataObject) -> None:
    slots, _ = find_plain(name)
    texts = {slot: f"{data.draw(hostile_texts, label=slot)} {slot}" for slot in slots}
    assert not find_speech(name, texts.__getitem__)
