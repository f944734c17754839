"""The scripts of pages and of their templates, as files of JavaScript of their own.

A page is read twice if a template may write into its scripts: as it stands, which is what a browser
runs if it is no template after all, and with what looks like an expression of a template as a name,
and what looks like its control as nothing. Nobody can hide code by dressing it up as either.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from html import unescape
from typing import NamedTuple

from jurat.source.diff import FileChange, Hunk, Line
from jurat.source.embedded import PageScript, blank, build_part, iter_page_scripts
from jurat.source.languages import is_page

_HANDLER = re.compile(
    r"""(?<=[\s/"'])on[a-z]{3,30}\s*=\s*
        (?:"([^"<>]{1,2000})"|'([^'<>]{1,2000})'|([^\s"'=<>`]{1,2000}))
    |=\s*(?:"\s*javascript:([^"<>]{1,2000})"|'\s*javascript:([^'<>]{1,2000})')""",
    re.IGNORECASE | re.VERBOSE,
)
"""What an attribute of a page does if something happens, or somebody follows it."""

PAGE_LANGUAGE = "javascript"

_HAS_SCRIPT = re.compile(r"<script(?=[\s/>])", re.IGNORECASE)

_WRITTEN = (("{{", "}}"), ("{%", "%}"), ("<%", "%>"), ("<?", "?>"), ("{#", "#}"))
"""What begins and ends what a template writes, or does."""

_TAG = re.compile(r"</?[a-z]{1,20}:[\w.-]{1,40}(?:\s[^<>]{0,400})?>")
_LINE = re.compile(r"^[ \t]*%(?!%)[^\n]*$", re.MULTILINE)
"""Tags of a library of JSP, and lines of Mako that do something."""

_WORDS = (
    "autoescape|assign|block|capture|case|comment|def|define|elif|elseif|else|elsif|empty|end\\w*"
    "|except|extends?|filter|for|from|if|import|include|load|macro|pass|range|raw|set|spaceless"
    "|template|try|unless|verbatim|when|while|with"
)
_CONTROL = re.compile(
    rf"\{{\{{[-~]?\s*(?:[#/^!]|(?:{_WORDS})\b)|\{{%[-+]?\s*(?:{_WORDS})\b"
    r"|<%(?![=-])|<\?(?!=|php\s+echo)|\{#|</?c:(?!out\b|url\b)|</|[ \t]*%"
)
"""What begins the control of a template: it writes nothing by itself."""


class PageScripts(NamedTuple):
    """A page with all but its scripts blanked, and the same without what a template writes there.

    `templated` is empty if nothing does.
    """

    text: str
    templated: str = ""


def has_scripts(path: str, texts: Iterable[str | None]) -> bool:
    """Whether a file is a page, or a template, with a script of its own in one of its versions."""
    if _is_program(path):
        return True
    return is_page(path) and any(
        text is not None
        and (_HAS_SCRIPT.search(text) or _HANDLER.search(text))
        and read_page_scripts(text).text.strip(" \n;")
        for text in texts
    )


@lru_cache(maxsize=64)
def read_page_scripts(text: str) -> PageScripts:
    """The scripts of a page. Takes time in proportion to its length."""
    scripts = list(iter_page_scripts(text))
    plain = _keep(text, scripts)
    written = _write_names(plain)
    return PageScripts(plain, written if written != plain else "")


def explain_unread_script(path: str, text: str | None, lines: Collection[int]) -> str:
    """Why a script of a page that touches these lines is read by nobody, or ""."""
    if text is None or not lines or not is_page(path) or not _HAS_SCRIPT.search(text):
        return ""
    for script in iter_page_scripts(text):
        if script.problem:
            part = build_part(text, *script)
            if part.holds_any(lines):
                return part.why
    return ""


def list_script_views(file: FileChange) -> tuple[FileChange, ...]:
    """The scripts of a page as files of JavaScript under its name; none if it has none.

    The first of several is only looked at for what it holds: it need not be what is run.
    """
    if file.unread or file.unparsed or not file.script_language or file.head is None:
        return ()
    views = [_build_view(file, _read_as_it_stands)]
    if read_page_scripts(file.head).templated:
        views.append(_build_view(file, _read_without_template))
    if _is_program(file.path):
        views.append(_build_view(file, read_program))
    return tuple(views)


def read_program(text: str) -> str:
    """What a template of EJS does, as a program: what it writes is a statement of its own."""
    pieces: list[str] = []
    last = 0
    while (start := text.find("<%", last)) >= 0 and (end := text.find("%>", start + 2)) >= 0:
        pieces.append(blank(text[last:start]))
        last = end + 2
        purpose, code = text[start + 2 : start + 3], text[start + 3 : end]
        if purpose not in "=-_#%" or start + 2 == end:
            purpose, code = "", text[start + 2 : end]
        # The signs before the end say what becomes of white space.
        body = code[:-1] if code.endswith(("-", "_")) else code
        closing = blank(code[len(body) :])
        if purpose and purpose in "#%":
            pieces.append(blank(text[start:last]))
        elif purpose and purpose in "=-":
            pieces += [" ;(", body, closing, ");"]
        else:
            pieces += ["  ", blank(purpose), body, closing, " ;"]
    return "".join([*pieces, blank(text[last:])])


def _is_program(path: str) -> bool:
    return path.lower().endswith(".ejs")


def _read_as_it_stands(text: str) -> str:
    return read_page_scripts(text).text


def _read_without_template(text: str) -> str:
    return read_page_scripts(text).templated or read_page_scripts(text).text


def _build_view(file: FileChange, read_code: Callable[[str], str]) -> FileChange:
    def read_side(text: str | None) -> str | None:
        return None if text is None else read_code(text)

    head, base = read_side(file.head), read_side(file.base)
    before, after = ((base or "").split("\n"), (head or "").split("\n"))

    def read_line(line: Line) -> Line:
        lines, number = (after, line.new) if line.new is not None else (before, line.old)
        return line._replace(text=lines[number - 1] if number and number <= len(lines) else "")

    hunks = tuple(_with_lines(hunk, map(read_line, hunk.lines)) for hunk in file.hunks)
    return replace(
        file, language=file.script_language, script_language="", head=head, base=base, hunks=hunks
    )


def _with_lines(hunk: Hunk, lines: Iterable[Line]) -> Hunk:
    return replace(hunk, lines=tuple(lines))


def _keep(text: str, scripts: Sequence[PageScript]) -> str:
    pieces: list[str] = []
    last = 0
    for script in scripts:
        code = text[script.start : script.end]
        pieces += [blank(text[last : script.start]), blank(code) if script.problem else code]
        last = script.end
        if text[last : last + 1] == "<":
            pieces.append(";")
            last += 1
    code = "".join([*pieces, blank(text[last:])])
    return _add_handlers(text, code, scripts) if _HANDLER.search(text) else code


def _add_handlers(text: str, code: str, scripts: Sequence[PageScript]) -> str:
    """The scripts, with what a page does if something happens, as functions at its places.

    In its place, as a line may begin in one script and end in another.
    """
    pieces: list[str] = []
    last = 0
    starts = [script.start for script in scripts]
    for match in _HANDLER.finditer(text):
        if _is_in_script(match.start(), scripts, starts):
            continue
        said = next(filter(None, match.groups()), "")
        written = f";() => {{{unescape(said)}}};".replace("\n", " ")
        pieces += [code[last : match.start()], written]
        last = match.start()
    return "".join([*pieces, code[last:]])


def _is_in_script(place: int, scripts: Sequence[PageScript], starts: Sequence[int]) -> bool:
    before = bisect_right(starts, place) - 1
    return before >= 0 and place < scripts[before].end


def _write_names(code: str) -> str:
    """Code with names for what a template writes, and blanks for what it only does."""
    pieces: list[str] = []
    last = 0
    for start, end in _iter_written(code):
        if start < last:
            continue
        hidden = blank(code[start:end])
        if _CONTROL.match(code, start) is None:
            first = hidden.partition("\n")[0]
            hidden = "$" + "_" * (len(first) - 1) + hidden[len(first) :]
        pieces += [code[last:start], hidden]
        last = end
    return "".join([*pieces, code[last:]])


def _iter_written(code: str) -> Iterator[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    # Between backticks it is JavaScript's own.
    for opening, closing in (*_WRITTEN, *(() if "`" in code else (("${", "}"),))):
        at = code.find(opening)
        while at >= 0:
            end = code.find(closing, at + len(opening))
            if end < 0:
                break
            if code.startswith("{{{", at) and code.startswith("}}}", end):
                end += 1
            found.append((at, end + len(closing)))
            at = code.find(opening, end + len(closing))
    found += [one.span() for pattern in (_TAG, _LINE) for one in pattern.finditer(code)]
    return iter(sorted(found))
