"""What the markup of components puts into a page unescaped, as code that rules about scripts read.

`v-html="note.text"` of Vue, `{@html note.text}` of Svelte and `set:html={note.text}` of Astro are
each a call on their own line, in a function of its own, as a page is made after its script has run.
Names that a loop around it, or whoever uses the component, gives a value are put in as what they
stand for.

See https://vuejs.org/api/built-in-directives.html#v-html, https://svelte.dev/docs/svelte/@html and
https://docs.astro.build/en/reference/directives-reference/#sethtml.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import unescape
from typing import NamedTuple

_TEXT = r"""(?:"([^"]*)"|'([^']*)')"""
_BRACED = r"((?:[^{}'\"`]|'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`|\{(?:[^{}\n]|\{[^{}\n]*\})*\})++)\}"

_SINKS = {
    "astro": (re.compile(r"(?<=\s)set:html\s*=\s*\{" + _BRACED), "$set_html"),
    "svelte": (re.compile(r"\{@html\s+" + _BRACED), "$at_html"),
    "vue": (
        re.compile(
            r"(?<=\s)(?:v-html|(?:v-bind:|[:.])inner-?html(?:\.prop)?)\s*=\s*" + _TEXT,
            re.IGNORECASE,
        ),
        "$v_html",
    ),
}
"""What is put into a page as it is, and what it is called as code."""

_BEGUN = {
    "astro": re.compile(r"(?<![\w-])set:html\s*=(?!\s*[\"'])"),
    "svelte": re.compile(r"\{@html\b"),
    "vue": re.compile(
        r"(?<![\w-])(?:v-html|(?:v-bind:|[:.])inner-?html(?:\.prop)?)\s*=", re.IGNORECASE
    ),
}
"""What begins to put something into a page as it is, even if no more of it is understood."""

_WRITTEN = {
    "$set_html": "set:html",
    "$at_html": "{@html}",
    "$v_html": "v-html",
    "$handed.": "",
    "$handed": "props",
    "$props()": "props",
}
_NAMED = re.compile("|".join(map(re.escape, _WRITTEN)))

_LOOPS = {
    "astro": re.compile(r"\{\s*([\w$.?()]+)\.map\(\s*+\(?\s*+(?:async\s+)?(\w+)"),
    "svelte": re.compile(r"\{#each\s+([\w$.?()\[\]]+)\s+as\s+(\w+)"),
    "vue": re.compile(
        r"(?<=\s)v-for\s*=\s*[\"']\s*+\(?\s*+(\w++)[^\"']*?\s(?:in|of)\s+([\w$.?()\[\]]+)"
    ),
}
"""What goes through a list: the list, and the name that each of its items has; in Vue reversed."""

_HANDED = {
    "svelte": re.compile(r"^[^\S\n]*export\s+let\s+(\w+)", re.MULTILINE),
    "vue": re.compile(
        r"\b(?:defineProps\s*(?:<\s*\{|\(\s*[\[{])|props\s*:\s*[\[{])"
        r"((?:[^{}\[\]]|\{[^{}]*\}|\[[^\[\]]*\])*+)"
    ),
}
"""What a component is handed: its name in Svelte, all names in Vue."""

_HELD = re.compile(
    r"\bconst\s+(\w+)\s*(?::[^=\n]{1,200})?=\s*(?:(computed)\s*(?:<[^()\n]{0,200}>)?\(|(?:shallowRef|ref|toRef)\b)"
)
"""What a script of Vue keeps behind `.value`, which its markup leaves out."""

_METHOD = re.compile(r"^[^\S\n]*(?:async\s++)?(\w++)\s*+\(([\w$ ,]{0,80})\)\s*\{", re.MULTILINE)
_NO_METHODS = frozenset(("if", "for", "while", "switch", "catch", "function", "data", "with"))
_PUT = re.compile(r"\bthis\.(\w+)\s*=(?![=>])([^;\n]{1,200}?)(?:;|$)", re.MULTILINE)
_OWN = re.compile(r"\bthis\.(\w+|\$\w+)")
"""A method of a component, what is put into it, and a part of it."""

_MOST_PUT = 5
"""Values under one name that are looked at."""

_MOST_COMPUTED = 1_000
"""Characters of a function by which a value is computed."""

_DECLARED = re.compile(
    r"(?:^[^\S\n]*+|[,{\[;]\s*+)['\"]?(\w++)['\"]?[^\S\n]*+(?:\?[^\S\n]*+)?(?=\s*[:,\]};]|$)",
    re.MULTILINE,
)

_PUG = re.compile(r"<template[^<>]*\blang\s*=\s*[\"']?(?:pug|jade)\b", re.IGNORECASE)
_STRING = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`")
_NAME = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|(?<![\w$.])([A-Za-z_$][\w$]*)")
_TYPED = re.compile(r"\b(?:as|satisfies)\b")
_FINAL = re.compile(r"\$handed\.|\.value\b|=>")
"""Stands in what names are put in that need no other for them."""

_BRACKET = re.compile(r"'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|[()\[\]{}]")
_PAIRS = {")": "(", "]": "[", "}": "{"}

_MOST_LOOPS = 3
"""Loops inside of each other whose lists are told."""

_LONGEST = 200
"""Characters of an expression in which names are replaced, and of a list that is gone through."""

_MOST_WRITTEN = 200_000
"""Characters of all such expressions of a component."""


class _Loop(NamedTuple):
    at: int
    name: str
    items: str


def spell_as_markup(code: str) -> str:
    """Code of a component as its author wrote it, if it stands for markup."""
    return _NAMED.sub(lambda match: _WRITTEN[match[0]], code) if "$" in code else code


def has_unescaped_markup(extension: str, markup: Sequence[str]) -> bool:
    """Whether some markup of a component puts text into the page as it is."""
    sink, _ = _SINKS[extension]
    return any(sink.search(part) for part in markup)


class MarkupCalls(NamedTuple):
    """What markup puts into the page: calls by their row, from 0, and the rows of what is none.

    It is none if it is no expression in itself, or stands in Pug; in a comment of its own line it
    does nothing.
    """

    calls: Mapping[int, Sequence[str]]
    unread: Sequence[int] = ()


def list_markup_calls(
    extension: str,
    text: str,
    markup: Sequence[tuple[int, int]],
    scripts: Sequence[str],
    *,
    is_typed: bool = False,
) -> MarkupCalls:
    """What the parts of a component that are markup put into the page; `is_typed` in TypeScript."""
    begun = {
        match.start()
        for place in markup
        for match in _BEGUN[extension].finditer(text, *place)
        if not _is_in_comment(text, match.start())
    }
    if not begun:
        return MarkupCalls({})
    if _PUG.search(text):
        return MarkupCalls({}, _list_rows(text, begun))
    sink, name = _SINKS[extension]
    meant = dict(_list_meant(extension, scripts))
    loops = iter([one for place in markup for one in _iter_loops(extension, text, place)])
    loop = next(loops, None)
    calls: dict[int, list[str]] = {}
    row, counted, budget = 0, 0, _MOST_WRITTEN
    for match in (match for place in markup for match in sink.finditer(text, *place)):
        while loop is not None and loop.at < match.start():
            meant[loop.name] = f"{loop.items}[0]"
            loop = next(loops, None)
        if match.start() not in begun:
            continue
        value = next((one for one in match.groups() if one is not None), "").strip()
        value = unescape(value) if extension == "vue" else value
        if value and not _is_expression(value, is_typed=is_typed):
            continue
        begun.remove(match.start())
        if value:
            value = " ".join(value.split("\n"))
            row += text.count("\n", counted, match.start())
            counted = match.start()
            written = _put_in(value, meant) if budget > 0 and len(value) <= _LONGEST else value
            budget -= len(written)
            calls.setdefault(row, []).append(f"{name}({written})")
    return MarkupCalls(calls, _list_rows(text, begun))


def _list_rows(text: str, places: Iterable[int]) -> list[int]:
    """The rows of some places, in order."""
    rows, row, counted = list[int](), 0, 0
    for place in sorted(places):
        row += text.count("\n", counted, place)
        counted = place
        rows.append(row)
    return rows


def _iter_loops(extension: str, text: str, place: tuple[int, int]) -> Iterator[_Loop]:
    for match in _LOOPS[extension].finditer(text, *place):
        items, name = (match[2], match[1]) if extension == "vue" else (match[1], match[2])
        if len(items) <= _LONGEST and _is_expression(items):
            yield _Loop(match.start(), name, items)


def _list_meant(extension: str, scripts: Sequence[str]) -> Mapping[str, str]:
    """What the names of a component stand for in its markup, if not for the script's own."""
    pattern = _HANDED.get(extension)
    found = [match[1] for one in scripts for match in pattern.finditer(one)] if pattern else []
    if extension == "vue":
        found = [match[1] for one in found for match in _DECLARED.finditer(one)]
    meant = {name: f"$handed.{name}" for name in found}
    for script in scripts if extension == "vue" else ():
        meant |= {name: value for name, value in _iter_own(script, meant) if name not in meant}
        for match in _HELD.finditer(script):
            computed = _read_to_end(script, match.end()) if match[2] else ""
            is_function = "=>" in computed
            meant[match[1]] = f"({computed})()" if is_function else f"{match[1]}.value"
    return meant


def _iter_own(script: str, handed: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What the object that is a component puts under a name, and what its methods return."""
    if "export default" not in script:
        return

    def read_own(match: re.Match[str]) -> str:
        return handed.get(match[1], match[1])

    for match in _METHOD.finditer(script):
        body = _read_to_end(script, match.end())
        if body and match[1] not in _NO_METHODS:
            yield match[1], f"(({match[2]}) => {{{_OWN.sub(read_own, body)}}})"
    puts: dict[str, list[str]] = {}
    for match in _PUT.finditer(script):
        if _is_expression(match[2]):
            puts.setdefault(match[1], []).append(_OWN.sub(read_own, match[2].strip()))
    for name, values in puts.items():
        if len(values) <= _MOST_PUT:
            yield name, f"(() => {' || '.join(f'({value})' for value in values)})()"


def _read_to_end(script: str, start: int) -> str:
    """What stands in a bracket that is open, in one line; "" if it is too long, or cannot be."""
    depth = 1
    for match in _BRACKET.finditer(script, start, start + _MOST_COMPUTED):
        depth += 1 if match[0] in "([{" else -1 if match[0] in ")]}" else 0
        if depth == 0:
            text = script[start : match.start()].strip()
            return "" if "//" in text or "`" in text else " ".join(text.split("\n"))
    return ""


def _put_in(value: str, meant: Mapping[str, str]) -> str:
    """An expression with what its names stand for."""

    def replace_name(match: re.Match[str]) -> str:
        said = meant.get(match[1], match[0])
        is_called = match.string[match.end() : match.end() + 1] == "("
        return f"{said}()" if said.endswith("})") and not is_called else said

    for _ in range(_MOST_LOOPS):
        before, value = value, _NAME.sub(replace_name, value)
        if value == before or _FINAL.search(value):
            break
    return value


def _is_expression(value: str, *, is_typed: bool = False) -> bool:
    """Whether a text may be an expression of a script, by its brackets, and is one in one line."""
    bare = _STRING.sub("", value)
    if not value or ";" in bare or (_TYPED.search(bare) and not is_typed):
        return False
    if "\n" in value and ("//" in bare or "`" in value):
        # A remark in one of its lines would go on over the next.
        return False
    opened: list[str] = []
    for sign in bare:
        if sign in "([{":
            opened.append(sign)
        elif sign in _PAIRS and (not opened or opened.pop() != _PAIRS[sign]):
            return False
    return not opened


def _is_in_comment(text: str, place: int) -> bool:
    """Whether a comment that begins in its line is open at a place."""
    begin = max(place - _LONGEST, 0)
    line = text[begin:place].rpartition("\n")[2]
    return line.rfind("<!--") > line.rfind("-->")
