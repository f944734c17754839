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
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest
import structlog
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from lxml import html
from rich.console import Console

from jurat.app.apply_fixes import _describe_nothing_applied
from jurat.app.command_context import deny_own, read_review
from jurat.app.commands import (
    _build_config_failure,
    _describe_config,
    _run_command,
)
from jurat.app.dismissals import _ask_which, _explain_not_confirmable
from jurat.app.exclusions import _decide
from jurat.app.overrides import override
from jurat.cli.demo_page import (
    AnnotationView,
    CheckView,
    CommentView,
    PullRequestView,
    print_view,
    render_page,
)
from jurat.engine.fix_verifier import FixedFile
from jurat.errors import FileError
from jurat.github.auth import Permission
from jurat.github.base_config import FoundConfiguration
from jurat.jobs.queue import QueueDepth
from jurat.jobs.requests import CommandLine
from jurat.logs import configure_logs
from jurat.probes.run import ProbedModel, ProbeStatus
from jurat.reports.answer import EvaluationAnswer
from jurat.reports.commit_check import Exclusion
from jurat.reports.formats import Detail, ReviewReport
from jurat.reports.probe_page import render_report
from jurat.reports.rating_page import render_rating
from jurat.reports.sarif import to_sarif, write_sarif
from jurat.reports.text import write_report
from jurat.rules.config import Config
from jurat.rules.level import Level
from jurat.server.dashboard import Overview, render_overview, render_review
from jurat.server.login import render_login
from jurat.server.pages import render_problem
from jurat.settings import LogFormat, LogSettings
from jurat.source.diff import FileChange, FileStatus, Hunk, Line
from jurat.store.analytics import RuleLine
from jurat.store.listings import ReviewLine
from jurat.store.rows import StoredReview
from tests.reports.test_nothing_speaks import _NOON, Texts, _to_utf8, an_evaluation, rate_nothing
from tests.support.gfm import Shown, show_markdown
from tests.support.hostile_text import CORPUS, hostile_texts
from tests.support.probes import BAD, a_probe, a_run
from tests.support.rating import a_source


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
    return Shown((*reader.elements, *other), _find_hidden(page, blank="\n\t"))


def _find_hidden(text: str, *, blank: str = "\n") -> frozenset[tuple[str, str]]:
    """Characters that move others or that nobody sees, but for those that are `blank`."""
    kinds = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    found = {mark for mark in text if unicodedata.category(mark) in kinds} - set(blank)
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


def an_overview(text: Texts) -> Overview:
    line = ReviewLine(
        "e1",
        "acme/shop",
        1,
        "a" * 40,
        "DENY",
        "action_required",
        12.0,
        _NOON,
        {"until": text("until")},
    )
    # Whoever asks by the API calls a repository what they like, and then nothing leads there.
    asked = replace(line, repository=text("repository") or "x", number=None, override=None)
    status = ProbeStatus(ProbedModel.NEVER, text("model"), text("todo"))
    rules = (RuleLine(text("rule"), 1, 2, 3, 4, 1),)
    return Overview(QueueDepth(1, 1, 1.0), (line, asked), rules, status, _NOON.date(), _NOON)


def write_pages(text: Texts) -> list[Shown]:
    """The dashboard's pages, and those of a rating, of a run of probes and of the demo."""
    report = a_run(
        a_probe(
            "p.one",
            category=_to_utf8(text("family")),
            task=_to_utf8(text("task")),
            input=_to_utf8(text("input")),
            expected_safe_behavior=_to_utf8(text("safe")),
            failure_modes=(_to_utf8(text("mode")),),
        ),
        a_probe("p.two"),
        **{"p.one": f"{BAD} {text('response')}"},
    )
    meta = replace(report.meta, model=text("model"), prompt_digest=text("digest"))
    not_run = tuple(replace(item, reason=text("reason")) for item in meta.not_run)
    report = replace(report, meta=replace(meta, not_run=not_run))
    pages = [
        render_overview(an_overview(text), web_url="https://github.com", leave=True),
        render_report(report),
        render_page(a_pull_request(text), text("note")),
        render_review(_store(text), web_url="https://github.com", leave=True),
        render_login(text("problem")),
        render_problem(text("title"), text("problem")),
        render_rating(rate_nothing(), a_source(text("title")), "0" * 64),
    ]
    return [_read_page(page) for page in pages]


def a_pull_request(text: Texts) -> PullRequestView:
    """What the demo shows; bodies and the summary are Markdown that has its own writers."""
    lines = (
        Line("context", 1, 1, text("code") or "x"),
        Line("added", None, 2, text("new code") or "x"),
    )
    hunk = Hunk(1, 1, 1, 2, text("section"), lines)
    file = FileChange(text("path"), FileStatus.RENAMED, old_path=text("old path"), hunks=(hunk,))
    note = AnnotationView(text("path"), 2, "failure", text("title"), text("message"))
    ticks = "`" * 400
    suggested = f"{ticks}suggestion\n{' '.join(text('fixed code').split())}\n{ticks}"
    return PullRequestView(
        repository=text("repository"),
        number=1,
        title=text("title"),
        body="Please look.",
        author=text("login"),
        base=text("base"),
        head=text("branch"),
        head_sha="a" * 40,
        files=(file,),
        check=CheckView(
            "jurat", "completed", "failure", text("title"), "Said.", (note,), (text("button"),)
        ),
        review_body="Said.",
        comments=(CommentView(text("login"), text("path"), 2, 2, f"No.\n\n{suggested}"),),
    )


def write_terminals(text: Texts) -> list[Shown]:
    """The demo and a review in a terminal, or in the log of a build."""
    view, report = io.StringIO(), io.StringIO()
    print_view(a_pull_request(text), Console(file=view, width=100, color_system=None))
    evaluation = an_evaluation(text)
    paths = {finding.path for finding in evaluation.findings if finding.path}
    lines = tuple(Line("added", None, at, text("code") or "x") for at in range(1, 6))
    files = {
        path: FileChange(path, FileStatus.ADDED, hunks=(Hunk(0, 0, 1, 5, "", lines),))
        for path in paths
    }
    write_report(ReviewReport(evaluation, files, detail=Detail.FULL), report)
    return [_read_log(stream.getvalue()) for stream in (view, report)]


def _read_log(written: str) -> Shown:
    """What a terminal or a build's runner makes of a text: characters it obeys, and commands."""
    commands = {("command", line) for line in written.splitlines() if _COMMAND.search(line)}
    return Shown((), _find_hidden(written, blank="\n\t") | commands)


def a_configuration(text: Texts) -> FoundConfiguration:
    """One in which each list and name is foreign."""
    said = text("setting") or "x"
    configuration = Config.model_construct(
        **{
            **dict(Config()),
            "rules": (said, text("folder")),
            "ignore": (text("glob"),),
            "levels": {text("rule"): Level.WARN},
        }
    )
    return FoundConfiguration(
        configuration,
        None,  # type: ignore[arg-type] # nothing is read
        {"rules": (text("path"), text("other path")), "ignore": (text("path"),)},
    )


def answer_commands(text: Texts) -> list[str]:
    """What commands that somebody may give say of what they were told, and of what is in force."""

    async def list_checks(*_: object) -> list[object]:
        excluded = Exclusion(text("login"), text("reason"))
        return [SimpleNamespace(number=2, base_ref=text("branch"), excluded=excluded)]

    base = SimpleNamespace(repo=SimpleNamespace(id=1), ref=text("base"))
    context: Any = SimpleNamespace(
        permission=Permission.ADMIN,
        permission_to_decide=Permission.WRITE,
        is_open=True,
        now=lambda: _NOON,
        pull=SimpleNamespace(number=1, base=base, head=SimpleNamespace(sha="a" * 40)),
        store=SimpleNamespace(commits=SimpleNamespace(list_checks=list_checks)),
    )
    reason = f"{text('reason')} {'x' * 5_000}"
    # The number of a pull request is one, and is answered as one.
    told = [f"no. {text('arguments')}", f"#2 {reason}", "#2 x", "#1 x", "#3 x"]
    days = [text("arguments"), f"until 2026-11-30 {reason}", "until 2026-99-99", "2020-01-01"]

    async def ask() -> list[str]:
        said = [
            (await _decide(context, arguments, excluded=excluded)).text
            for arguments in told
            for excluded in (True, False)
            if excluded or not arguments.startswith("#2")
        ]
        return said + [(await override(context, arguments)).text for arguments in days]

    return [*asyncio.run(ask()), deny_own(Permission.WRITE).text]


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
        _describe_config(text("branch"), "a" * 40, 3, a_configuration(text)),
        *answer_commands(text),
        _build_config_failure(error).text,
        *(_ask_which(last, text("word"), command) for command in ("dismiss", "restore")),
        _explain_not_confirmable(last, ()),
        _describe_nothing_applied([broken]),
    ]
    return [show_markdown(reply) for reply in replies]


_LINK = re.compile(r"\]\(")
_COMMAND = re.compile(r"##(?:vso|teamcity)?\[|^\s*::\w")
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
    # A file may be printed into the log of a build.
    spoken |= {("command", line) for line in written.splitlines() if _COMMAND.search(line)}
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
    "terminals": write_terminals,
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
