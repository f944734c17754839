"""Whether what arrives at a sink does harm there: in a statement, as a program, as a host."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from jurat.engine.flow.needs import STATEMENT_WORDS
from jurat.engine.flow.pieces import read_step
from jurat.engine.flow.program import UNKNOWN, Argument
from jurat.engine.flow.settings import are_met, list_said
from jurat.engine.flow.values import (
    HOLE,
    PARTS,
    REMOTE,
    ROOT,
    Env,
    Taint,
    Value,
    iter_taints,
    split_words,
)
from jurat.rules.flows import ABSENT, UNLIKE, Sink, SinkArgument, compile_name

Given = Sequence[tuple[Argument | None, Value]]

_SQL = re.compile(rf"[\s(]*(?:--[^\n]*\n\s*)*({STATEMENT_WORDS})(?=[\s(*\0]|$)", re.IGNORECASE)
_CLAUSE = re.compile(
    r"(?:\b(?:from|into|table|join|update|by|index|view|database|schema|column|as|exists|on|using|select|"
    r"distinct|returning|trigger|sequence|add|drop|rename|to|only|pragma|analyze|vacuum|truncate|where|"
    r"and|or|having|set|with|asc|desc|collate|type|role|user|grant|call|exec|execute|not|all)\s+"
    r"|[.\0]\s*|\b(?:into|table)\s+\S+\s*\(\s*|[\w\0)]\s+)[\"`\[]?$"
    r"|\b(?:from|into|table|join|update|index|view|database|schema|column|exists|only|truncate|trigger"
    r"|sequence)\s+(?:[A-Za-z_]\w*_|[\"`\[][\w-]*[_-])$"
    # Columns: of a row to be written, of a list, as a tuple, as what is counted; types and names of
    # parameters; whole conditions and inner statements in brackets.
    r"|\binto\s+\S+\s*\([^()]*$|\b(?:select|by|returning)\b[^()'=]*,\s*[\"`\[]?$"
    r"|\w[\"`\]]\s+$|\bset\s*\(\s*[\"`\[]?$|\b(?:max|min|count|sum|avg)\(\s*[\"`\[]?[\w-]*$"
    r"|::\s*$|[\s(,=][:@]$|\b(?:where|and|or|not|having|on|from|join|exists)\s*\(+\s*$",
    re.IGNORECASE,
)
"""Ends a text behind which a name or a clause stands, and no value.

Only the name of a table or the like may have begun: `AND total-` goes on with a value.
"""

_UNBOUND = re.compile(
    r"[\s(]*(?:create|alter|drop|truncate|pragma|grant|show|set)\b", re.IGNORECASE
)
"""Begins a statement that takes no parameters, whatever stands in it."""

_COLUMN = re.compile(r"(?:^|\b(?:and|or|not|on)\s|^\()[\s(\"`\[]*$", re.IGNORECASE)
"""Ends a part of a condition behind which a column stands, as at its beginning."""

_NAME_OF_NAME = re.compile(
    r"(?i)(?:.*_)?(?:tbl|table|column|col|schema|index|constraint|sequence)_?names?"
    r"|(?:db_)?tables?|tbl|columns?|cols?|__tablename__|_?schemas?"
)
"""What holds the name of a table or the like, which the program knows."""

_KEY = re.compile(
    r"id|pk|uuid|count|total|index|size"
    r"|.*(?:_(?:id|pk|uuid|count|total|index|size)|[a-z](?:I[dD]|Uuid|Count|Total|Index|Size))"
)
"""What holds a record's key or a number."""

_SHELL = re.compile(
    r"(?:.*[/\\])?(?:sh|bash|zsh|dash|ksh|cmd|cmd\.exe|powershell|powershell\.exe|pwsh)"
)
_PERHAPS_SHELL = re.compile(r"(?i)(?:.*\W)?(?:\w*shell\w*|\w*(?:ba|z)?sh|comspec|cmd)\W*")
"""What may hold a shell, by its name; what has none may as well."""

_SHELL_FLAG = re.compile(r"-l?[ei]*c|(?i:/c|-command|/k)")
_HOST = re.compile(r"(?i)(?:[a-z][a-z0-9+.-]*:)?//[^/?#\\\0]+[/?#]")
_ADDRESS = re.compile(
    r"(?i:(?:^|[.<])\w*req(?:uest)?>?(?:\(\))?)\."
    r"(?P<part>url|nextUrl|base_url|host_url|url_root|build_absolute_uri\(\)|getRequestURL\(\)"
    r"|Host|hostname|get_host\(\))$"
)
"""A source that is the address of a request, or its host."""

PARTS_OF_TEXT = frozenset((*PARTS, *map(str, range(4)), "-1"))
"""Steps to a part of what was split."""

ALIKE = split_words(
    """
    URL clone href String toString Host host Hostname hostname Port port JoinHostPort
    SplitHostPort [:]
    """
)
"""What an address goes through without another part of it becoming the host."""

_HOSTS = frozenset({"Host", "hostname", "get_host()"})
_HOST_HEADER = re.compile(r"(?i)\.(?:headers\.host|META\.HTTP_HOST)$")
_SHORTENERS = PARTS_OF_TEXT | split_words(
    """
    Cut ToLower Replace ReplaceAll Trim TrimLeft TrimRight TrimPrefix TrimSuffix TrimSpace Split
    SplitN split rsplit partition rpartition replace lower toLowerCase strip slice host HTTP_HOST
    substring
    """
)
"""What a host goes through and is the same host, or a part of it."""

_OWN_PATH = re.compile(r"/(?![/\\])[^\0]|[\w.-]+[/?#]|[?#]")
_BELOW = re.compile(r"/[^/\\\0]")
"""Begins an address that names no host, but a path: `/users/`."""

_CONTENT = re.compile(r"(?:.*(?:Stream|Reader|\.getBytes|\.Body))(?:\(\))?")
"""The name of what a file is filled with."""

_STREAMS = frozenset({"file", "stream"})
_FILE_NAMES = frozenset({"filename", "name", "originalname", "originalFilename"})
"""Parts of a file that somebody sends: what is in it, and what they call it.

The path that it was put down at is the server's own choice.
"""

_QUERY = re.compile(r"[?#]")
"""Where an address comes to its query or its fragment: what follows chooses no host."""

_LEADING = frozenset({"url", "uri", "href", "host", "hostname", "pathname", "origin", "to"})
_PLAIN_PAGE = re.compile(r"(?!.*(?:html|xml|svg|\*)).*/.+", re.IGNORECASE | re.DOTALL)
"""A type of content in which nothing is markup."""

_CONTENT_TYPES = frozenset({"content_type", "mimetype", "media_type", "contentType"})
_HEADER_SETTERS = frozenset({"Set", "set", "setHeader", "header", "Header", "SetHeader"})
_TYPE_SETTERS = frozenset({"setContentType", "contentType", "SetContentType", "type"})
_PLAIN_WORDS = frozenset({"json", "txt", "text"})
_PLAIN = "plain page", ()
"""Stands among what was checked on the way to an answer that is no page."""

_TEXT_ELEMENT = re.compile(r"HTML(?:Style|TextArea|Title)Element\.innerHTML$")
_ANSWERS = frozenset({"page", "markup"})
_PAGES = frozenset({"page", "markup", "html"})

_SCRIPTS = ("$where", "$function", "$accumulator", "$expr")
_COMPARED = ("where", "$eq", "$ne", "$in", "$nin", "$regex", "$text", "$search")
"""Parts of a filter whose value is no filter; `where` is what other libraries call theirs."""
_STATEMENT_KEYS = ("text", "sql", "query", "statement")


def find_harm(sink: Sink, given: Given) -> list[Taint]:
    """The origins of what arrives at a sink and does harm there; none if a condition is not met."""
    if not all(_is_given(name, wanted, given) for name, wanted in sink.conditions):
        return []
    if sink.parts and not are_met(sink.parts, given):
        return []
    if _is_no_page(given) and _PAGES.issuperset(one.kind for one in sink.arguments):
        return []
    found = [
        taint
        for argument in sink.arguments
        for taint in _FITTING[argument.kind](_pick(argument, given))
    ]
    if any(argument.kind == "program" for argument in sink.arguments) and _is_hosted(given):
        # What runs a program in surroundings of its own is there for it: its callers are asked.
        return [one for one in found if one.mixed or one.strength == REMOTE]
    return found


def note_content_type(name: str, given: Sequence[Value], env: Env) -> None:
    """Note what an answer is said to be from here on: plain text and JSON are no pages."""
    word = name.rpartition(".")[2]
    said = [one.constant for one in given]
    if word in _HEADER_SETTERS and len(said) > 1 and str(said[0]).lower() == "content-type":
        kind = said[1]
    elif word in _TYPE_SETTERS and said:
        kind = said[0]
    else:
        return
    if is_plain_type(kind):
        env.cleared[_PLAIN] = 1
    else:
        env.cleared.pop(_PLAIN, None)


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


def find_kept(name: str, given: Given, trusts: Callable[[str], bool]) -> list[Taint]:
    """The origins of what is kept under a name that is believed later, `name` being the sink's.

    A name that somebody outside chooses as a whole may be any of them.
    """
    found: list[Taint] = []
    for key, value in _list_entries(name, given):
        found += (taint for taint in _list_own([key]) if not taint.before and not taint.mixed)
        if isinstance(key.constant, str) and trusts(key.constant):
            found += _list_own([value])
    return found


def _list_entries(name: str, given: Given) -> Iterator[tuple[Value, Value]]:
    """What is kept, each with its name: `a[k] = v`, `a.k = v`, `set(k, v)`, `update({k: v})`."""
    words = [value for one, value in given if one is None or one.keyword is None]
    for argument, value in given:
        if argument is not None and argument.keyword not in (None, "this"):
            yield Value(constant=argument.keyword), value
    if given[0][0] is None and len(words) > 1:
        yield words[1], words[0]
    elif len(words) > 1:
        yield words[-2], words[-1]
    elif words and words[0].items is not None and not words[0].is_list:
        for key, value in words[0].items.items():
            yield Value(constant=key), value
    if given[0][0] is None and len(words) == 1:
        yield Value(constant=name.rpartition(".")[2]), words[0]


def _is_no_page(given: Given) -> bool:
    """Whether what is answered says that its content is of a type without markup."""
    said = (v.constant for one, v in given if one is not None and one.keyword in _CONTENT_TYPES)
    return any(isinstance(kind, str) and _PLAIN_PAGE.fullmatch(kind) for kind in said)


def _is_hosted(given: Given) -> bool:
    """Whether a program is handed surroundings that live elsewhere, as an interpreter does.

    A mapping that is written for it, such as `{}` or `{"__builtins__": {}}`, is a cage instead:
    whoever builds one fears what the text holds. `dict(app=app)` brings what there is.
    """
    around = [value for argument, value in given[1:] if getattr(argument, "keyword", "") != "this"]
    if not around or around[0].constant is not UNKNOWN:
        return False
    return around[0].items is None or around[0].name == "dict()"


def _is_given(name: str, wanted: str, given: Given) -> bool:
    """Whether an argument is the constant that it must be; one nobody knows may be."""
    if wanted == ABSENT:
        return not _pick(SinkArgument(None, onwards=False, keyword=name, kind=""), given)
    if wanted.startswith(UNLIKE):
        return not _is_given(name, wanted.removeprefix(UNLIKE), given)
    for number, (argument, value) in enumerate(given):
        keyword = argument.keyword if argument is not None else None
        if keyword == name or (keyword is None and name == str(number)):
            return _is_called(value, wanted)
        if keyword is None and value.items is not None and name in value.items:
            part = value.items[name]
            is_unknown = part.constant is UNKNOWN and not part.name
            return is_unknown or _is_called(part, wanted)
    return False


def _is_called(value: Value, wanted: str) -> bool:
    """Whether a value is the constant that is wanted, or goes by that name."""
    fits = compile_name(wanted.lower()).fullmatch
    return any(fits(said) for said in list_said(value))


def _pick(wanted: SinkArgument, given: Given) -> list[Value]:
    """The arguments that a sink looks at."""
    if wanted.keyword is not None:
        # By keyword, or as a part of an object, if a language has no keywords.
        # What has a keyword of its own, such as `params={"url": a}`, is no list of options.
        parts = (
            value.items
            for argument, value in given
            if value.items is not None and (argument is None or argument.keyword is None)
        )
        found = [items[wanted.keyword] for items in parts if wanted.keyword in items]
        return found or [
            value for argument, value in given if argument and argument.keyword == wanted.keyword
        ]
    found = []
    for number, (argument, value) in enumerate(given):
        if argument is not None and argument.spread:
            if number <= (wanted.position or 0) or wanted.onwards:
                found.append(value)
            continue
        if (wanted.onwards and number >= (wanted.position or 0)) or (
            number == wanted.position and (argument is None or argument.keyword is None)
        ):
            found.append(value)
    return found


def _list_all(values: Iterable[Value]) -> Iterator[Taint]:
    for value in values:
        yield from iter_taints(value)


def _list_paths(values: Iterable[Value]) -> Iterator[Taint]:
    """What chooses a file: no stream of what is in one, and no path that stays below a folder."""
    for value in values:
        if not _CONTENT.fullmatch(value.name):
            yield from (
                one
                for one in _list_own([value])
                if one.before.rfind(ROOT) < 1 and not _is_uploaded(one)
            )


def _is_uploaded(taint: Taint) -> bool:
    """Whether an origin is a file that somebody sends, and not what they call it."""
    if len(taint.path) > 1 and taint.path[-1] in _STREAMS:
        return True
    is_file = taint.source.endswith((".FILES", ".files", ".file"))
    return is_file and not taint.before and _FILE_NAMES.isdisjoint(taint.path)


def _list_command(values: Iterable[Value]) -> Iterator[Taint]:
    """What stands in a shell's line; of a list, what a shell among its words runs."""
    for value in values:
        yield from _list_mixed([value]) if value.items is None else _list_argv([value])


def _list_mixed(values: Iterable[Value]) -> Iterator[Taint]:
    """What stands in a text beside something else; from outside also what is the text."""
    texts = (one for one in values if one.items is None or one.is_list)
    return (one for one in _list_known(texts) if one.mixed or one.strength == REMOTE)


def _list_known(values: Iterable[Value]) -> Iterator[Taint]:
    """What is not the answer of a callee that a parameter was handed to.

    Nobody knows that the parameter is somebody's outside, nor that the answer holds it.
    """
    return (one for one in _list_all(values) if one.strength == REMOTE or not one.foreign)


def _list_unescaped(values: Iterable[Value]) -> Iterator[Taint]:
    """What may be somebody's text in a page.

    Of a parameter, whose text it is nobody knows: what another function made of it may be escaped,
    also inside of more markup, and a record's key or number is no text.
    """
    for one in _list_all(values):
        if one.strength == REMOTE or not (one.answered or _KEY.fullmatch(_find_last_name(one))):
            yield one


def _list_named(values: Iterable[Value]) -> Iterator[Taint]:
    """What somebody outside may choose of a statement's names, such as what it is ordered by.

    No parameter of a statement can be one, so a program has to hand them over as text.
    """
    return (one for one in _list_known(values) if one.strength == REMOTE)


def _list_callbacks(values: Iterable[Value]) -> Iterator[Taint]:
    """What is a text in the place of a function: what a call returned may be one."""
    for value in values:
        for taint in iter_taints(value):
            if taint.mixed or (taint.strength == REMOTE and value.name.startswith(taint.source)):
                yield taint


def _list_sql(values: Iterable[Value]) -> Iterator[Taint]:
    """What stands in a statement's text. A list of values beside it is none of it."""
    for value in values:
        if value.items is not None:
            for key in _STATEMENT_KEYS:
                if (part := value.items.get(key)) is not None:
                    yield from _list_sql([part])
            continue
        for taint in value.taints:
            if not _SQL.match(taint.before):
                if taint.strength == REMOTE and taint.stands_alone:
                    yield taint
            # Names and whole clauses cannot be parameters of a statement, so they come by its text;
            # that is no fault before somebody from outside can choose them.
            elif taint.strength == REMOTE or not (taint.foreign or _is_unbound(taint)):
                yield taint


def _is_unbound(taint: Taint) -> bool:
    """Whether what stands at an origin's place is no value that a parameter could hold."""
    return bool(
        _UNBOUND.match(taint.before)
        or _CLAUSE.search(taint.before.rstrip(ROOT))
        or _NAME_OF_NAME.fullmatch(_find_last_name(taint))
    )


def _list_clauses(values: Iterable[Value]) -> Iterator[Taint]:
    """What stands in a condition or the like, which is taken as it is: no column is a value."""
    for one in _list_mixed(values):
        if one.strength == REMOTE:
            yield one
            continue
        before = one.before.rstrip(ROOT)
        is_statement = _SQL.match(before) is not None
        is_name = _NAME_OF_NAME.fullmatch(_find_last_name(one)) or _COLUMN.search(before)
        if not (is_name or (is_statement and _is_unbound(one))):
            yield one


def _find_last_name(taint: Taint) -> str:
    """What the program calls an origin: its parameter, or the part of it that was read."""
    return taint.path[-1] if taint.path else taint.source.rpartition(":")[2].lstrip("?")


def _list_queries(values: Iterable[Value]) -> Iterator[Taint]:
    """The same for callees that take other things as well: only what reads like a statement."""
    return (one for one in _list_sql(values) if not one.stands_alone)


def _list_argv(values: Sequence[Value]) -> Iterator[Taint]:
    """The program, and what a shell is known to run."""
    words: list[Value] = []
    for value in values:
        words += value.items.values() if value.items is not None else [value]
        if value.items is not None:
            given = () if value.items else value.taints
            yield from (one for one in given if one.strength == REMOTE)
    if not words:
        return
    program, name = words[0].constant, words[0].name
    # To start what a caller names is what such functions are for.
    yield from (one for one in _list_all(words[:1]) if one.strength == REMOTE)
    # `-c` names a file of settings to many another program.
    unknown = program is UNKNOWN and (not name or _PERHAPS_SHELL.fullmatch(name))
    if (unknown or _SHELL.fullmatch(str(program))) and len(words) > 2:
        flags = [
            n
            for n, w in enumerate(words)
            if isinstance(w.constant, str) and _SHELL_FLAG.fullmatch(w.constant)
        ]
        if flags:
            yield from _list_all(words[flags[0] + 1 :][:1])


def _list_own(values: Iterable[Value]) -> Iterator[Taint]:
    """What is not another callee's answer.

    A page that a function of another file made, a path or an address that it found for a name is
    its own: what it checked, and what it escaped, nobody can see here.
    """
    return (one for one in _list_all(values) if not one.foreign)


def _list_hosts(values: Iterable[Value]) -> Iterator[Taint]:
    """What can choose the host of a URL."""
    for taint in _list_own(_pick_addresses(values)):
        if _QUERY.search(taint.before) or _BELOW.match(taint.before):
            continue
        if not taint.before or not (_HOST.match(taint.before) or HOLE in taint.before):
            yield taint


def _pick_addresses(values: Iterable[Value]) -> Iterator[Value]:
    """What is an address: of an object in the place of one the parts that say where it leads."""
    for value in values:
        if _CONTENT.fullmatch(value.name):
            # What is read already, and not what leads to it.
            continue
        if value.items is None or value.is_list:
            yield value
        else:
            yield from (part for key, part in value.items.items() if key in _LEADING)


@lru_cache(maxsize=4096)
def find_address_part(source: str) -> str:
    """Which part of a request's address a source is, "" if it is none."""
    found = _ADDRESS.search(source)
    return found["part"] if found is not None else ""


def _is_own_address(taint: Taint) -> bool:
    """Whether an origin is an address with our own host in it, as it came or as a base."""
    part = find_address_part(taint.source)
    steps = {read_step(step)[0] for step in taint.path}
    if part in _HOSTS or _HOST_HEADER.search(".".join((taint.source, *taint.path[:1]))):
        # Whatever is cut off it, nobody else chooses which host a visitor's browser asks.
        return (ALIKE | _SHORTENERS).issuperset(steps)
    if not part or not ALIKE.issuperset(taint.path):
        return False
    # Some servers give no more than the path, and `//host` is one. What can be a base is a whole.
    return part != "url" or "URL" in taint.path


def _list_redirects(values: Iterable[Value]) -> Iterator[Taint]:
    """What can choose the host of a redirect: not behind a path of our own.

    Nor behind what nobody knows, such as `location.pathname`, unless a host begins right there. An
    address that was asked for as a whole, or as the base of another, leads back here.
    """
    for taint in _list_hosts(values):
        if _is_own_address(taint):
            continue
        behind_unknown = taint.before.startswith(HOLE) and "//" not in taint.before
        if not behind_unknown and not _OWN_PATH.match(taint.before):
            yield taint


def _list_bodies(values: Iterable[Value]) -> Iterator[Taint]:
    """What is in the body of an answer: the first of a tuple, whose rest are its headers."""
    for value in values:
        if value.items is None:
            yield from _list_own([value])
        elif value.is_list and value.items:
            yield from _list_own([next(iter(value.items.values()))])


def _list_forwards(values: Iterable[Value]) -> Iterator[Taint]:
    """What a name of a view such as `redirect:…` leads to."""
    return (
        one
        for one in _list_all(values)
        if one.before.startswith("redirect:")
        and not _OWN_PATH.match(one.before.removeprefix("redirect:"))
        and not _HOST.match(one.before.removeprefix("redirect:"))
    )


def _list_filters(values: Iterable[Value]) -> Iterator[Taint]:
    """What may be an object in a filter, and so an operator: no text that was put together."""
    for value in values:
        yield from (one for one in value.taints if not one.mixed and not one.before)
        if value.items is not None:
            parts = value.items.items()
            yield from _list_filters([part for key, part in parts if key not in _COMPARED])


def _list_scripts(values: Iterable[Value]) -> Iterator[Taint]:
    """What stands in the program of a filter."""
    for value in values:
        for key, part in (value.items or {}).items():
            yield from _list_all([part]) if key in _SCRIPTS else _list_scripts([part])


def _list_markup(values: Iterable[Value]) -> Iterator[Taint]:
    """What stands behind a tag in a text."""
    return (one for one in _list_all(values) if "<" in one.before)


_FITTING: dict[str, Callable[[Sequence[Value]], Iterator[Taint]]] = {
    "": _list_all,
    "argv": _list_argv,
    "callback": _list_callbacks,
    "clause": _list_clauses,
    "command": _list_command,
    "filter": _list_filters,
    "forward": _list_forwards,
    "html": _list_unescaped,
    "kept": _list_own,
    "markup": _list_markup,
    "name": _list_named,
    "own": _list_own,
    "page": _list_bodies,
    "path": _list_paths,
    "program": _list_all,
    "query": _list_queries,
    "redirect": _list_redirects,
    "script": _list_scripts,
    "sql": _list_sql,
    "text": _list_mixed,
    "url": _list_hosts,
}
