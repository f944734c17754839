"""Code inside of files that are more than code, read where it stands.

Of components (`.vue`, `.svelte`, `.astro`) these are the scripts, of notebooks the code cells (see
`jurat.source.notebooks`).

What is no script is blanked, so that a script keeps its lines and columns: it is parsed, matched
and fixed as if it were the whole file. All scripts of a component share their names. What markup
puts into the page unescaped is a call in its own line (see `jurat.source.markup`).

See https://vuejs.org/api/sfc-spec.html, https://svelte.dev/docs/svelte/svelte-files and
https://docs.astro.build/en/basics/astro-components/.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from jurat.source.markup import has_unescaped_markup, list_markup_calls
from jurat.source.notebooks import explain_unreadable_notebook, is_notebook, read_notebook

_COMPONENTS = frozenset({"astro", "svelte", "vue"})

_SCRIPT = re.compile(r"<script(?=[\s/>])", re.IGNORECASE)
_ATTRIBUTES = re.compile(r"""((?:"[^"]*+"|'[^']*+'|[^>"'])*+)>""")
_CLOSING = re.compile(r"</script(?=[\s/>])", re.IGNORECASE)
_AMBIGUOUS = re.compile(r"<!--|<script(?=[\s/>])", re.IGNORECASE)
_FRONTMATTER = re.compile(r"\s*---[ \t]*\r?$(.*?)^[ \t]*---[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_ATTRIBUTE = re.compile(
    r"""\b(lang|type)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE
)
_NO_LINE_END = re.compile(r"[^\n]")

_LANGUAGES = {
    "": "javascript",
    "babel": "javascript",
    "ecmascript": "javascript",
    "javascript": "javascript",
    "js": "javascript",
    "jsx": "javascript",
    "module": "javascript",
    "ts": "typescript",
    "tsx": "tsx",
    "typescript": "typescript",
}
"""The language of a script, by the last word of its `lang` or `type`."""

SCRIPT_LANGUAGES = ("javascript", "tsx", "typescript")
"""What the scripts of a component may be written in."""

_IN_SCRIPT = re.compile(r"<!--|-->|</?script(?=[\s/>])", re.IGNORECASE)
_DEEP = 2
"""How deep a script is that stands in a comment of another."""

_COMPILED = frozenset({"coffee", "coffeescript", "livescript", "python", "vbscript"})
"""What a script of a page may be written in that is run all the same."""

_DATA = frozenset({"html", "importmap", "json", "ld+json", "speculationrules", "template"})
"""What a `<script>` holds that no browser runs."""

_NOT_AT_HAND = "its scripts can only be told by its whole text, which is not at hand"

_COMPUTING = {
    "astro": re.compile(r"\{[^{}]*\w"),
    "svelte": re.compile(r"\{[^{}]*\w"),
    "vue": re.compile(r"\{\{|<[^<>]*\s(?:v-|[:@#])[\w.:-]+\s*=", re.DOTALL),
}
"""What in the markup of a component says that it computes something."""


class UnreadPart(NamedTuple):
    """Lines of a file, by their numbers, with code that could not be read, and why."""

    first_line: int
    last_line: int
    why: str

    def holds_any(self, lines: Iterable[int]) -> bool:
        """Whether some of these lines are among them."""
        return any(self.first_line <= line <= self.last_line for line in lines)


class _Script(NamedTuple):
    """A script by the characters that it covers; `problem` says why it cannot be read.

    One that `is_hidden` is code that somebody runs, and nobody can tell where it ends.
    """

    start: int
    end: int
    language: str
    problem: str = ""
    is_hidden: bool = False


class Scripts(NamedTuple):
    """The scripts of a component: its text with all else blanked, but for what stands for markup
    in lines without a script, and their language.

    `parts` are of code that rules about scripts would have to read and that nobody can; blanked as
    well. `unread` names the first, or says that the component computes something outside of its
    scripts. If one of them `is_hidden`, nothing of the text is left: nobody can tell what is code,
    and no rule about scripts is to pass.
    """

    text: str
    language: str
    unread: str = ""
    is_hidden: bool = False
    parts: tuple[UnreadPart, ...] = ()


def is_component(path: str) -> bool:
    """Whether a file of that name may have scripts inside."""
    return _get_extension(path) in _COMPONENTS


def has_code_inside(path: str) -> bool:
    """Whether a file of that name is more than code and may have some inside."""
    return is_component(path) or is_notebook(path)


def list_inner_languages(path: str) -> tuple[str | None, ...]:
    """What the code inside of a file may be written in that nobody could open."""
    return ("python",) if is_notebook(path) else (None, *SCRIPT_LANGUAGES)


def detect_inner_language(path: str, texts: Iterable[str | None]) -> str:
    """What the code inside is written in, by the versions of the file, the newest first.

    That of a component's newest scripts, or the language that reads older ones as well. What cannot
    be told, and what is in no Python, has a language all the same: no rule about it is to pass.
    """
    if is_notebook(path):
        return "python"
    versions = [read_scripts(path, text) for text in texts if text is not None]
    if not versions:
        return "typescript"
    newest, *older = versions
    if newest.is_hidden:
        return "typescript"
    return _join_languages([newest.language, *(one.language for one in older)])


def explain_unreadable_code(path: str, text: str | None) -> str:
    """Why nobody can tell what the code inside of a file is; empty if somebody can."""
    if is_notebook(path):
        return explain_unreadable_notebook(text)
    if text is None:
        return _NOT_AT_HAND
    scripts = read_scripts(path, text)
    return scripts.unread if scripts.is_hidden else ""


def explain_unread_part(path: str, text: str | None, lines: Collection[int]) -> str:
    """Why some of the code inside of a file that touches these lines is read by nobody, or ""."""
    parts = read_scripts(path, text).parts if is_component(path) and text is not None else ()
    return next((one.why for one in parts if one.holds_any(lines)), "")


def read_code(path: str, text: str) -> str:
    """What of a text is code that its file's grammar reads: what stands inside alone."""
    if is_notebook(path):
        return read_notebook(text).text
    return read_scripts(path, text).text if is_component(path) else text


def explain_unread_code(path: str, text: str | None) -> str:
    """What of a file with code inside no rule about code has read; empty if nothing."""
    if is_notebook(path):
        return explain_unreadable_notebook(text) or read_notebook(text or "").unread
    if not is_component(path):
        return ""
    return _NOT_AT_HAND if text is None else read_scripts(path, text).unread


@lru_cache(maxsize=64)
def read_scripts(path: str, text: str) -> Scripts:
    """The scripts of a component. Takes time in proportion to its length."""
    found = list(_iter_scripts(text, _get_extension(path)))
    for one in found:
        if one.is_hidden:
            part = build_part(text, one.start, one.end, one.problem)
            return Scripts(blank(text), "typescript", part.why, True, (part,))
    pieces: list[str] = []
    markup: list[tuple[int, int]] = []
    last = 0
    for one in found:
        markup.append((last, one.start))
        # Of two scripts in one line, the first ends with its tag.
        code = blank(text[one.start : one.end]) if one.problem else text[one.start : one.end]
        pieces += [blank(text[last : one.start]), code]
        last = one.end
        if text[last : last + 1] == "<":
            pieces.append(";")
            last += 1
    markup.append((last, len(text)))
    pieces.append(blank(text[last:]))
    extension, scripts = _get_extension(path), [one for one in found if not one.problem]
    language = _join_languages([one.language for one in scripts])
    found_calls = list_markup_calls(
        extension,
        text,
        markup,
        [text[one.start : one.end] for one in scripts],
        is_typed=language != "javascript",
    )
    code, hidden = _add_markup("".join(pieces), found_calls.calls)
    parts = [build_part(text, one.start, one.end, one.problem) for one in found if one.problem]
    parts += [
        UnreadPart(row + 1, row + 1, f"what its markup puts into the page in line {row + 1} {why}")
        for rows, why in (
            (found_calls.unread, "is no expression that could be read"),
            (hidden, "stands beside a script"),
        )
        for row in rows
    ]
    unread = (
        parts[0].why
        if parts
        else _explain_unread_markup(extension, [text[start:end] for start, end in markup])
    )
    return Scripts(code, language, unread, parts=tuple(parts))


def build_part(text: str, start: int, end: int, problem: str) -> UnreadPart:
    """A script by the characters that it covers, with its tag, which says what it is."""
    line = text.count("\n", 0, start) + 1
    opening = max(text.rfind("<", 0, start), 0)
    first = line - text.count("\n", opening, start)
    last = line + text.count("\n", start, end)
    return UnreadPart(first, last, f"its script in line {line} {problem}")


def _add_markup(code: str, calls: Mapping[int, Sequence[str]]) -> tuple[str, list[int]]:
    """The code of scripts, with that of the markup in the lines that have none; the other rows."""
    lines = code.split("\n") if calls else []
    hidden: list[int] = []
    for row, written in calls.items():
        if lines[row].strip(" ;\r"):
            hidden.append(row)
        else:
            # Functions, as it is done after the script has been run.
            lines[row] = ";" + "".join(f"_ => {call};" for call in written)
    return ("\n".join(lines) if calls else code), hidden


def _explain_unread_markup(extension: str, markup: Sequence[str]) -> str:
    if not any(map(_COMPUTING[extension].search, markup)):
        return ""
    if not has_unescaped_markup(extension, markup):
        return "its scripts are read, what its markup computes is not"
    return (
        "its scripts are read, and what its markup puts into the page unescaped; what else that"
        " computes is not"
    )


def _join_languages(languages: Iterable[str]) -> str:
    """The language whose grammar reads all of these."""
    wanted = set(languages)
    if "tsx" in wanted:
        return "tsx"
    return "typescript" if "typescript" in wanted else "javascript"


def _get_extension(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[2].lower()


def blank(text: str) -> str:
    """A text as white space, in as many lines."""
    return _NO_LINE_END.sub(" ", text)


class PageScript(NamedTuple):
    """A script of a page by the characters that it covers, and why nobody reads it, if so."""

    start: int
    end: int
    problem: str = ""


def iter_page_scripts(text: str) -> Iterator[PageScript]:
    """The scripts of a page that a browser runs, or that a library on it makes JavaScript of.

    What says that it is something else is data. One in a comment is read as well, as in components.
    """
    place = 0
    while opening := _SCRIPT.search(text, place):
        attributes = _ATTRIBUTES.match(text, opening.end())
        start = attributes.end() if attributes else len(text)
        said = _detect_language(attributes[1] if attributes else "")
        place = _find_page_end(text, start)
        if said in _LANGUAGES:
            yield PageScript(start, place)
        elif said.removeprefix("x-") in _COMPILED:
            yield PageScript(start, place, f"is written in {said!r}, which no grammar here reads")


def _find_page_end(text: str, start: int) -> int:
    """Where the script of a page ends: not by the end of one that begins in it behind `<!--`.

    See https://html.spec.whatwg.org/multipage/scripting.html, on the contents of script elements.
    """
    depth = 0
    while token := _IN_SCRIPT.search(text, start):
        said = token[0].lower()
        if said == "</script" and depth < _DEEP:
            return token.start()
        if said == "<!--":
            depth = max(depth, 1)
        elif said == "-->":
            depth = 0
        elif depth:
            depth = _DEEP if said == "<script" else 1
        # What ends a comment may share its dashes with what begins it.
        start = token.start() + 2
    return len(text)


def _iter_scripts(text: str, extension: str) -> Iterator[_Script]:
    """The scripts in order, up to the first of which nobody can tell where it ends.

    One that stands in a comment is read as well: where a comment ends is said by grammars that are
    not at hand, and nobody is to hide a script behind what looks like one.
    """
    place, otherwise = 0, ""
    if extension == "astro":
        # https://docs.astro.build/en/guides/typescript/: what says nothing is TypeScript.
        otherwise = "ts"
        if front := _FRONTMATTER.match(text):
            yield _Script(front.start(1), front.end(1), "typescript")
            place = front.end()
    while opening := _SCRIPT.search(text, place):
        attributes = _ATTRIBUTES.match(text, opening.end())
        start = attributes.end() if attributes else len(text)
        closing = _CLOSING.search(text, start)
        end = closing.start() if closing else len(text)
        script = _build_script(text, start, end, attributes[1] if attributes else "", otherwise)
        if closing is None:
            yield script._replace(start=opening.start(), problem="is not ended", is_hidden=True)
            return
        if script.language not in _DATA:
            yield script
        place = end


def _build_script(text: str, start: int, end: int, attributes: str, otherwise: str) -> _Script:
    said = _detect_language(attributes) or otherwise
    if said in _DATA:
        return _Script(start, end, said)
    if said not in _LANGUAGES:
        problem = f"is written in {said[:40]!r}, which no grammar here reads"
        return _Script(start, end, said, problem)
    # Whoever writes this in a text of a script is not understood by every reader of markup either.
    is_hidden = _AMBIGUOUS.search(text, start, end) is not None
    problem = "may begin elsewhere" if is_hidden else ""
    return _Script(start, end, _LANGUAGES[said], problem, is_hidden)


def _detect_language(attributes: str) -> str:
    """What a tag says that it holds, "" if nothing: the last word of its `lang`, or its `type`."""
    said = {
        found[1].lower(): next(filter(None, found.groups()[1:]), "")
        for found in _ATTRIBUTE.finditer(attributes)
    }
    return (said.get("lang") or said.get("type") or "").lower().rpartition("/")[2].strip()
