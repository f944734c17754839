"""What one file shows of the signals, as a function of picklable values that a ParseMap can run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import NamedTuple

from jurat.rating.signals.file_roles import COMPONENT, NOTEBOOK, Role, extract_code
from jurat.rating.signals.mention_grammars import SHAPES
from jurat.rating.signals.mentions import Kind, Mention, Sieve, find_mentions
from jurat.rating.signals.signal_search import (
    TEXTS,
    SignalAccount,
    SignalExpression,
    SignalSearch,
    build_search,
    to_bytes,
)
from jurat.rating.texts.accounts import SHOWN_ACCOUNTS, find_accounts
from jurat.rating.texts.denials import is_denied, is_denied_within
from jurat.rating.texts.document_facts import (
    JOINT,
    is_licence,
    join_paragraphs,
    list_statements,
    read_document,
    strip_comments,
)
from jurat.rating.texts.page_text import read_page_text
from jurat.rating.texts.text_kinds import NOTICES, cut_examples, is_for_model, is_settings

SNIPPET = 160
"""Characters of a line that evidence shows: enough to recognise it, no page of minified code."""

EACH = 3
"""Sightings of one probe in one function that are kept; the same on more lines tells no more."""

_SAID = 120
"""Characters of what was found that are kept."""
_OUTSIDE = 20
"""As many outside of any function."""
_JOINT = JOINT.encode()
_LINE = 2_000
"""Characters of a document's line that are searched."""
_HEADING = re.compile(r"(#{1,6}) ")
_WORD = re.compile(r"\w+")
_PLACEHOLDERS = frozenset(
    ("", "todo", "to do", "tbd", "to be added", "to be written", "coming soon")
)
_COMMENT = re.compile(r"\s*(?:#|//|;|--|<!--)")
_TRAILING = re.compile(r"(?<![ \t])[ \t]++(?:#|//)[ \t][^\n]*")
"""A comment behind a setting. An address or a colour has no blank there.

Blanks are tried once, from the first of them: a line of a megabyte of them would take hours.
"""


class Sighting(NamedTuple):
    """A probe that holds at a line of a file.

    `probe` counts from 0 in its signal. `first` and `last` are the lines of the function around it,
    or 0. `snippet` is the line, as `cut_line` shows it. `kind` is what was found, a
    field of `SignalPattern`, and `said` its words. `holds` is False for a document's line under
    which nothing stands that could be held against it.
    """

    signal: str
    probe: int
    line: int
    snippet: str
    first: int = 0
    last: int = 0
    kind: str = ""
    said: str = ""
    holds: bool = True


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file's text, and how to read it.

    `language` is one of `SHAPES` or a form of `file_roles`; None if the text is no code. `among`
    are the signals that are looked for, None for all.
    """

    text: str
    language: str | None
    role: Role
    among: frozenset[str] | None = None


class _SignalMatch(NamedTuple):
    wanted: SignalExpression | SignalAccount
    line: int
    first: int = 0
    last: int = 0
    kind: str = ""
    said: str = ""
    holds: bool = True


def find_sightings(source: SourceFile) -> tuple[Sighting, ...]:
    """What a text shows, in the order of its lines. The same text in the same role, the same."""
    search = build_search(source.among)
    find = _FINDING.get(source.role)
    found = list(find(source, search)) if find is not None else []
    return _limit_sightings(found, source.text)


def _find_in_prompt(source: SourceFile, search: SignalSearch) -> Iterator[_SignalMatch]:
    for wanted, line, said in chain(
        _find_in_text(search, source.text, 1, Kind.TEXT), _find_met(search, source.text, 1)
    ):
        yield _SignalMatch(wanted, line, kind="prompts", said=said)


def _find_in_document(source: SourceFile, search: SignalSearch) -> Iterator[_SignalMatch]:
    if not search.load_wanted("documents"):
        return
    page_text = strip_comments(source.text)
    bare = _find_bare_headings(page_text)
    page = read_document(page_text)
    for match in _find_in_lines(
        search,
        join_paragraphs(page_text),
        "documents",
        lambda number, _: number not in bare and number not in page.fenced,
    ):
        yield match._replace(holds=page.has_substance(match.line, match.wanted.signal))
    if not is_licence(page_text):
        yield from _find_accounted(search, *list_statements(page_text), "documents")


def _find_in_settings(source: SourceFile, search: SignalSearch) -> Iterator[_SignalMatch]:
    if not (search.load_wanted("settings") or search.groups):
        return
    bare_text = _TRAILING.sub("", source.text)
    yield from _find_in_lines(
        search, bare_text, "settings", lambda _, line: not _COMMENT.match(line)
    )
    # What settings keep stands in their text as it is: where no phrase does, none is kept.
    if search.may_say(bare_text):
        yield from _find_kept(search, bare_text)
    tells_of_model = _MODEL.search(bare_text) is not None
    accounts = frozenset(
        name
        for name, wanted in search.accounts.items()
        if tells_of_model or any(one.signal != _OF_MODEL for one in wanted)
    )
    for match in _find_accounted(search, *list_statements(bare_text), "documents", accounts):
        if tells_of_model or match.wanted.signal != _OF_MODEL:
            yield match


def _find_kept(search: SignalSearch, bare_text: str) -> Iterator[_SignalMatch]:
    """What settings keep to show to people, and to tell a model."""
    for line, kept in _iter_kept(bare_text, _KEPT):
        for wanted, at, said in _find_in_text(search, kept, line, Kind.SHOWN):
            if wanted.signal in NOTICES:
                yield _SignalMatch(wanted, at, kind="texts", said=said)
    for line, prompt in _iter_kept(bare_text, _TOLD):
        for wanted, at, said in chain(
            _find_in_text(search, prompt, line, Kind.TEXT), _find_met(search, prompt, line)
        ):
            yield _SignalMatch(wanted, at, kind="prompts", said=said)


_OF_MODEL = "system_account"
_MODEL = re.compile(
    r"\bAI\b|(?i:\b(?:artificial|machine[- ]learn\w*|models?|algorithm\w*|classif\w+|predict\w*"
    r"|forecasts?|scor(?:es?|ing)|train(?:ed|ing)|llms?|neural|recogni\w+|chatbots?)\b)"
)
"""Of what settings must speak, whatever else they account for, to be those of a model."""


def _find_in_page(source: SourceFile, search: SignalSearch) -> Iterator[_SignalMatch]:
    """What a page or a component shows to whoever looks at it."""
    visible = read_page_text(source.text)
    for wanted, line, said in _find_in_text(search, visible, 1, Kind.SHOWN):
        yield _SignalMatch(wanted, line, kind="texts", said=said)
    yield from _find_accounted(search, visible, (), "texts", SHOWN_ACCOUNTS)


def _find_accounted(
    search: SignalSearch, whole: str, parts: Iterable[tuple[int, str]], kind: str,
    among: frozenset[str] | None = None,
) -> Iterator[_SignalMatch]:  # fmt: skip
    wanted = search.accounts if among is None else search.accounts.keys() & among
    for name, line in find_accounts(sorted(wanted), whole, parts):
        for one in search.accounts[name]:
            yield _SignalMatch(one, line, kind=kind, said=name)


def _find_in_code(source: SourceFile, search: SignalSearch) -> Iterator[_SignalMatch]:
    if source.language in (NOTEBOOK, COMPONENT):
        code = extract_code(source.text, source.language)
        inside = SourceFile(code.text, code.language, source.role, source.among)
        for match in _find_in_code(inside, search):
            first, last = (code.lines[n - 1] if n else 0 for n in (match.first, match.last))
            yield match._replace(line=code.lines[match.line - 1], first=first, last=last)
        if source.language == COMPONENT and source.role is Role.CODE:
            yield from _find_in_page(source, search)
    elif source.language is not None and source.language in SHAPES:
        sieve: Sieve = search.build_sieve(source.role, source.text)
        prose: list[Mention] = []
        tells = source.role is Role.CODE and search.may_tell(source.text)
        if tells:
            sieve = partial(_keep_prose, sieve)
        choose = partial(search.choose_names, source.role)
        strings = search.reads_strings(source.role)
        phrases = tells or (strings and search.may_say(source.text))
        for mention in find_mentions(
            source.text, source.language, sieve, choose, strings=strings, phrases=phrases
        ):
            yield from _match_mention(search, mention, source.role)
            if mention.kind is Kind.SHOWN and mention.text.count(" ") >= _PROSE:
                prose.append(mention)
        yield from _find_in_prose(search, prose)


_PROSE = 4
"""Blanks from which on a string is what somebody is told."""


def _keep_prose(sieve: Sieve, kind: Kind, said: str) -> bool:
    return (kind is Kind.SHOWN and said.count(" ") >= _PROSE) or sieve(kind, said)


def _find_in_prose(search: SignalSearch, prose: list[Mention]) -> Iterator[_SignalMatch]:
    """What all that a program shows gives an account of: it stands in many strings, or in one."""
    whole = " ".join(mention.text for mention in prose)
    for match in _find_accounted(search, whole, (), "texts", SHOWN_ACCOUNTS):
        at = max(prose, key=lambda mention: len(mention.text))
        yield match._replace(line=at.line, first=at.first, last=at.last)


_FINDING: Mapping[Role, Callable[[SourceFile, SignalSearch], Iterator[_SignalMatch]]] = {
    Role.CODE: _find_in_code,
    Role.TEST: _find_in_code,
    Role.PROMPT: _find_in_prompt,
    Role.DOCUMENT: _find_in_document,
    Role.SETTINGS: _find_in_settings,
    Role.PAGE: _find_in_page,
}


def _limit_sightings(found: list[_SignalMatch], text: str) -> tuple[Sighting, ...]:
    """Each line once for each probe, and the first of many in a function."""
    lines = text.split("\n") if found else []
    count: dict[tuple[str, int, int], int] = {}
    kept: dict[tuple[str, int, int], Sighting] = {}
    for wanted, line, first, last, kind, said, holds in found:
        signal, probe = wanted[:2]
        so_far = count.get((signal, probe, first), 0)
        if so_far < (EACH if first else _OUTSIDE) and (signal, probe, line) not in kept:
            count[signal, probe, first] = so_far + 1
            snippet = cut_line(lines[line - 1])
            kept[signal, probe, line] = Sighting(
                signal, probe, line, snippet, first, last, kind, said[:_SAID], holds
            )
    return tuple(sorted(kept.values(), key=lambda sighting: sighting.line))


def cut_line(line: str) -> str:
    """A line as evidence shows it: one that is cut says so."""
    bare = line.strip()
    return bare if len(bare) <= SNIPPET else f"{bare[:SNIPPET]}…"


def _match_mention(search: SignalSearch, mention: Mention, role: Role) -> Iterator[_SignalMatch]:
    around = mention.first, mention.last
    if mention.kind in TEXTS:
        if role is Role.CODE:
            for wanted, line, said in _find_in_text(
                search, mention.text, mention.line, mention.kind
            ):
                if wanted.signal in NOTICES and is_for_model(mention.text):
                    continue
                yield _SignalMatch(wanted, line, *around, mention.kind.value, said)
            if mention.kind is Kind.TEXT and not is_settings(mention.text):
                for wanted, line, said in _find_met(
                    search, cut_examples(mention.text), mention.line
                ):
                    yield _SignalMatch(wanted, line, *around, "prompts", said)
        return
    for wanted in search.list_wanted_by(role, mention.kind, mention.text):
        yield _SignalMatch(wanted, mention.line, *around, mention.kind.value, mention.text)


def _find_in_text(
    search: SignalSearch, text: str, first_line: int, kind: Kind
) -> Iterator[tuple[SignalExpression, int, str]]:
    """Phrases of a text that it does not itself forbid, each with its line and its words."""
    data = to_bytes(text)
    for wanted in search.load_wanted(kind.value):
        for match in wanted.expression.finditer(data):
            said = match[0].decode("utf-8", "ignore")
            if not (is_denied_within(wanted.signal, said) or is_denied(data, match.start())):
                yield wanted, first_line + data.count(b"\n", 0, match.start()), said


_OPENING = re.compile(r"^\s*[rfbuRFBU]{0,2}[\"'`]+")
_KNOWN = 100
"""Characters of a text by which it is known again."""


_PASSAGE = 1_000
"""Bytes around a deed in which what belongs to it is told: a long text says everything."""
_LONG = 2_500
"""Bytes of a text from which on it is of many things, and only what stands together is one."""
_TOGETHER = 250


def _find_met(
    search: SignalSearch, text: str, first_line: int
) -> Iterator[tuple[SignalExpression, int, str]]:
    """Texts of which all expressions of a group hold, and the first, the deed, is not denied."""
    data = to_bytes(text)
    for group in search.groups:
        if (start := _find_undenied(group, data)) is not None:
            # Said is the text itself, from its start: by that it is known if it is refused.
            yield (
                group[0],
                first_line + data.count(b"\n", 0, start),
                _OPENING.sub("", text)[:_KNOWN],
            )


def _find_undenied(group: Sequence[SignalExpression], data: bytes) -> int | None:
    """Where a deed is first told with all else, None if it is denied there, or nowhere told."""
    if not all(wanted.expression.search(data) for wanted in group[1:]):
        return None
    around = _PASSAGE if len(data) <= _LONG else _TOGETHER
    for match in group[0].expression.finditer(data):
        passage = data[max(match.start() - around, 0) : match.end() + around]
        if all(wanted.expression.search(passage) for wanted in group[1:]):
            return None if is_denied(data, match.start()) else match.start()
    return None


_TOLD = re.compile(
    r"^(?P<indent>[\s-]*+)[\"']?(?:[\w-]*(?:prompt|instructions?|persona|preset|template|backstory|goal|task)"
    r"|system|content)[\"']?\s*[:=]\s*(?P<said>.*)$",
    re.IGNORECASE,
)
"""A setting under whose name what a model is told is kept."""


_KEPT = re.compile(
    r"^(?P<indent>[\s-]*+)[\"']?[\w.-]+[\"']?\s*[:=]\s*+(?P<said>(?:[^{}\[\]\s]*\s){4}[^{}\[\]]*|[|>][-+]?\s*)$"
)
"""A setting that is a sentence, or begins a text below it. Each blank is tried once: no line of
many words is gone through again and again."""


def _iter_kept(text: str, under: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """The texts that settings keep under some keys, each with its first line."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if (found := under.match(line)) is None:
            continue
        below = []
        for other in lines[number + 1 : number + 40]:
            if other.strip() and len(other) - len(other.lstrip()) <= len(found["indent"]):
                break
            below.append(other)
        yield number + 1, "\n".join((found["said"], *below))


def _find_bare_headings(text: str) -> frozenset[int]:
    """The lines of Markdown headings under which nothing is written, not even in a section below.

    Headings alone are a template, and tell nobody anything.
    """
    bare: set[int] = set()
    above: list[tuple[int, int]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if heading := _HEADING.match(line):
            level = len(heading[1])
            while above and above[-1][0] >= level:
                bare.add(above.pop()[1])
            above.append((level, number))
        elif _has_content(line.strip()):
            above.clear()
    return frozenset(bare | {number for _, number in above})


def _has_content(line: str) -> bool:
    is_comment = line.startswith("<!--") and line.endswith("-->")
    return not is_comment and " ".join(_WORD.findall(line)).lower() not in _PLACEHOLDERS


def _find_in_lines(
    search: SignalSearch, text: str, field: str, counts: Callable[[int, str], bool]
) -> Iterator[_SignalMatch]:
    wanted = search.load_wanted(field)
    likely = search.find_lines(field, text)
    for number, line in enumerate(text.split("\n"), 1):
        label = _LABEL.match(line) if field == "documents" else None
        # A long line is cut, and may then end in what it has not as a whole.
        if not (number in likely or label or len(line) > _LINE):
            continue  # as most lines
        if not (line.strip() and counts(number, line)):
            continue
        data = to_bytes(line[:_LINE])
        title = to_bytes(f"# {label[1]}") if label else b""
        if not (search.is_any(field, data) or (title and search.is_any(field, title))):
            continue
        for one in wanted:
            if (match := one.expression.search(data)) is not None:
                below = data.count(_JOINT, 0, match.start())
                yield _SignalMatch(one, number + below, kind=field)
            elif title and one.expression.search(title) is not None:
                yield _SignalMatch(one, number, kind=field)


_LABEL = re.compile(r"\s*(?:[-*+]\s+)?(?:\*\*|__)([^*_]{3,40}?)[.:?]?(?:\*\*|__)[.:]?\s+\S")
"""Words in bold that begin a paragraph: they are its heading."""
