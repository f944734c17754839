"""What languages have learnt since their grammars were written, said in older words.

A grammar makes nothing of the whole function around a word that it does not know, and what is not
read is not assessed. Each rewriting keeps every character in its place, so that lines and columns
are those of the text; a node's text has the older words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

import re2
from ast_grep_py import SgNode

_CHARACTER = re.compile(r"[^\n]")


class _NewerForm(NamedTuple):
    """A place that newer syntax stands in, and what it becomes, of the same length.

    `sign`, an expression of RE2, is found wherever the place is, and in few other texts.
    """

    place: re.Pattern[str]
    sign: str
    rewrite: Callable[[re.Match[str]], str]


_WHITE = r"[\s\x0b\x1c-\x1f\x{85}\p{Z}]"
"""What is white space to Python, as RE2 has it."""


def _blank(found: re.Match[str]) -> str:
    return _CHARACTER.sub(" ", found[0])


def _blank_defaults(found: re.Match[str]) -> str:
    return re.sub(r"=[^,\]\n]*", _blank, found[0])


def _blank_second(found: re.Match[str]) -> str:
    return found[1] + _CHARACTER.sub(" ", found[2])


def _write_module(found: re.Match[str]) -> str:
    return found[1] + "M" + "_" * (len(found[2]) - 1)


_WORDS_OF_PAGES = _NewerForm(
    re.compile(r"(?<=\s)in(?==[\"'{])|(?<=\n)([ \t]+)default(?=\s*\n\s*(?:/?>|[\w-]+=))"),
    rf"""{_WHITE}in=["'{{]|\n[ \t]+default{_WHITE}""",
    lambda found: (found[1] or "") + ("iN" if found[1] is None else "defaulT"),
)
"""Words of the language that a page has as attributes: `<feOffset in="a" />`, `<Tab default />`."""

_NEWER: Mapping[str, tuple[_NewerForm, ...]] = {
    "go": (
        # `new` of a value, https://go.dev/doc/go1.26: a call like any other, under a name of which
        # nobody has a function. Of what can only be a type it is known.
        _NewerForm(
            re.compile(r"(?<![\w.])new(?=\((?!map\[|\[|chan\b|func\b|struct\b|interface\b))"),
            r"new\(",
            lambda _: "nEw",
        ),
    ),
    "java": (
        # https://openjdk.org/jeps/511 and https://openjdk.org/jeps/513: a constructor that calls
        # another behind a statement calls a method, as far as values go.
        _NewerForm(re.compile(r"(?<=\bimport )module(?= [\w.]+;)"), r"import module ", _blank),
        _NewerForm(
            re.compile(r"(?<=[;}])(\s*)(super|this)(?=\()"),
            rf"[;}}]{_WHITE}*(?:super|this)\(",
            lambda found: found[1] + found[2].capitalize(),
        ),
        # A mark of many, `String @Nullable ... names`, https://openjdk.org/jeps/104.
        _NewerForm(
            re.compile(r"(?<=[\w>\]] )@[\w.]+(?=\s*\.\.\.)"),
            rf"@[^\s()]+{_WHITE}*\.\.\.",
            _blank,
        ),
    ),
    "javascript": (_WORDS_OF_PAGES,),
    "python": (
        # https://peps.python.org/pep-0696: no value of a type's parameter runs.
        _NewerForm(
            re.compile(r"(?m)^[ \t]*(?:async +)?(?:class|def|type) +\w+\[[^\[\]()]*\]"),
            r"(?:class|def|type) +[^ (\[\n]+\[",
            _blank_defaults,
        ),
        # A note between a decorator and what it decorates may stand further left than both.
        _NewerForm(
            re.compile(r"(?m)(^[ \t]+@[^\n]*\n)((?:[ \t]*#[^\n]*\n)+)"),
            r"[ \t]@[^\n]*\n[ \t]*#",
            _blank_second,
        ),
        # What makes a mark of a type may stand under a key: `Annotated[str, MAKERS[kind](a=b)]`.
        _NewerForm(
            re.compile(r"(\bAnnotated\[[^\n()]{0,200}\w)\[([\w.\"']{1,80})\](?=\()"),
            r"Annotated\[[^\n()]*\]\(",
            lambda found: found[1] + "_" + "_" * len(found[2]) + "_",
        ),
    ),
    **dict.fromkeys(
        ("typescript", "tsx"),
        # Variance, https://www.typescriptlang.org/docs/handbook/release-notes/typescript-4-7.html
        (
            # Behind `<` and `,` neither word can be anything else if a name follows.
            _NewerForm(
                re.compile(
                    r"([<,](?:\s|//[^\n]{0,200}\n){0,80}+(?:const\s+)?)(in\s+out|in|out)"
                    r"(?=\s+(?!extends\b)[A-Za-z_$][\w$]*\s*(?:extends\b|[,=>]))"
                ),
                rf"[<,](?:{_WHITE}|//[^\n]*\n)*(?:const{_WHITE}+)?(?:in|out){_WHITE}",
                _blank_second,
            ),
            # What is called may be said in a line of its own, which ends the one before:
            # `(key: K): V` and below `<T>(key: T): T`.
            _NewerForm(
                re.compile(
                    r"((?:[^\s=(,:&|?<>+!]|(?<!=)>)\s{0,80}\n[ \t]{0,80})[ \t]"
                    r"(?=<\s*(?:const\s+)?[A-Z]\w*(?:\s+extends\b|\s+=\s|,\s|>\())"
                ),
                rf"\n[ \t]+<{_WHITE}*(?:const{_WHITE}+)?[A-Z][^\s,<>=(]*"
                rf"(?:{_WHITE}+extends|{_WHITE}+={_WHITE}|,{_WHITE}|>\()",
                lambda found: found[1] + ";",
            ),
            _NewerForm(re.compile(r"(?<=\bexport )type(?= +\*)"), r"export type +\*", _blank),
            # The type of a module among a call's types, `load<typeof import("./a")>()`, or a list
            # of one of its own. Nothing is called before it ends, so that no value is lost.
            _NewerForm(
                re.compile(
                    r"""((?:(?<=<)|\btype\s\w{1,80}\s=)\s*(?:typeof\s+)?)(import\(\s*(["'])[^"'\n]*\3\s*\))"""
                    r"""(?=(?:\.\w+)*(?:\[[^\]\n]*\])*\s*(?:>|\[\]))"""
                ),
                rf"[<=]{_WHITE}*(?:typeof{_WHITE}+)?import\(",
                _write_module,
            ),
            # The type of a template's tag, if it ends in a list or a record:
            # `` sql<Row[]>`SELECT 1` ``.
            _NewerForm(
                re.compile(r"(?<=[\w$)])<[^<>()`=]{1,2000}[\]}]\s*>(?=\s*`)"),
                rf"[\]}}]{_WHITE}*>{_WHITE}*`",
                _blank,
            ),
            # A parameter may have the name of a type: `handle: (string) => void`.
            _NewerForm(
                re.compile(r"(?<=\()(?:any|boolean|number|object|string|unknown)(?=\)\s*=>)"),
                rf"\((?:any|boolean|number|object|string|unknown)\){_WHITE}*=>",
                lambda found: found[0].capitalize(),
            ),
            _WORDS_OF_PAGES,
            # https://github.com/tc39/proposal-defer-import-eval
            _NewerForm(
                re.compile(r"(?<=\bimport )defer(?= +\* +as\b)"), r"import defer +\*", _blank
            ),
        ),
    ),
}


_IN_PAGE = re.compile(r"^jsx_|^string$")
"""What a sign stands in, or behind, that is a text of a page."""


def spell_out_signs(root: SgNode, text: str) -> str:
    """A page's text without the `&` that its grammar takes for the beginning of a character's name.

    HTML reads `Save & close` as it stands; each such sign becomes a `+`, in its place. One hides
    those behind it in the same text.
    """
    pieces = list(text)
    for error in root.find_all(kind="ERROR"):
        around = error.parent()
        if error.text().startswith("&") and around and _IN_PAGE.search(around.kind()):
            pieces[error.range().start.index] = "+"
        before = ""
        for child in error.children():
            if child.kind() == "&" and _IN_PAGE.search(before):
                pieces[child.range().start.index] = "+"
            before = child.kind()
    return "".join(pieces)


def translate_to_older(text: str, language: str) -> str:
    """The text without what a grammar may not know, as long as before; the same if nothing is."""
    # Grammars end a text at NUL, which stands for itself between quotes.
    text = text.replace("\0", " ")
    # Nearly no text has any. To look for each place in turn takes as long as to parse the text.
    signs = _compile_signs(language)
    if signs is None or not signs.search(text.encode("utf-8", "replace")):
        return text
    for one in _NEWER.get(language, ()):
        text = one.place.sub(one.rewrite, text)
    return text


@cache
def _compile_signs(language: str) -> Any:
    """One expression for all that may be newer in a language; None if nothing may."""
    signs = [f"(?:{one.sign})" for one in _NEWER.get(language, ())]
    return re2.compile("|".join(signs).encode()) if signs else None
