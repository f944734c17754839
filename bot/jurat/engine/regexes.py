"""Regex constraints over added lines, and the words without which no pattern can match."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, cast

from jurat.engine.baseline import Occurrence, squeeze
from jurat.findings.finding import Location
from jurat.rules.constraints import LinearRegex, RegexConstraint, compile_regex
from jurat.rules.messages import fill_first, join_messages
from jurat.source.diff import FileChange, Line

# Words without which a pattern cannot match, so that most patterns need not look at most files.
#
# ast-grep compiles a pattern anew for every file. Looking for a word first costs a thousandth of
# it.

Needles = frozenset[str] | None
"""One of these stands in every text that matches; None if nothing is known."""

_WORD = re.compile(r"(?<![A-Za-z0-9_$])[A-Za-z_][A-Za-z0-9_]{2,}")
_LITERAL = r"(?:[A-Za-z0-9_=:,@!%&<>/ \"'`-]|\\[.\-$/])"
_PLAIN_REGEX = re.compile(
    rf"(?:\(\?-u\))?\^?({_LITERAL}*)(?:\(((?:{_LITERAL}+\|)*{_LITERAL}+)\))?([^|]*)"
)
_QUANTIFIERS = ("?", "*", "{")
_CONJUNCTS = ("inside", "has", "precedes", "follows")


def extract_needles(
    rule: object,
    utils: Mapping[str, Any],
    names: Mapping[str, Sequence[str]] | None = None,
    constraints: Mapping[str, Any] | None = None,
) -> Needles:
    """What must stand in a text for an ast-grep rule to match in it.

    `names` are utilities that match what means one of some names, by whatever alias. `constraints`
    are those on the rule's metavariables.
    """
    known = {**utils, **{key: {_NAMES: said} for key, said in (names or {}).items()}}
    found = [_list_rule_needles(rule, known, depth=0)]
    pattern = rule.get("pattern") if isinstance(rule, Mapping) else None
    if isinstance(pattern, str):
        # What the rule's own pattern binds is always bound, and its constraint always asked.
        found += [
            _list_rule_needles(constraint, known, depth=0)
            for name, constraint in (constraints or {}).items()
            if re.search(rf"\${name}\b", pattern)
        ]
    return min((item for item in found if item), key=_rank_selectivity, default=None)


_NAMES = "names"
"""The key, which ast-grep has not, of a utility for names."""


def can_match(wanted: Needles, texts: Iterable[str]) -> bool:
    """Whether a rule with these needles can match in one of the texts."""
    return wanted is None or any(needle in text for text in texts for needle in wanted)


def _list_name_needles(said: object) -> Needles:
    """The word of each name that stands in a file whatever alias it goes by there."""
    if not isinstance(said, (list, tuple)):
        return None
    return _combine_branch_needles([_find_name_needle(name) for name in said])


def _find_name_needle(name: str) -> Needles:
    module, _, last = name.rpartition(".")
    # An instance may be made by a function that is not called as its class is.
    if not module or (last.islower() and "*" not in last):
        word = last.removesuffix("()")
    else:
        word = module.rpartition("/")[2].partition(".")[0]
        if word in _ROOTS:
            word = last
    return frozenset({word}) if len(word) >= 2 and "*" not in word else None


_ROOTS = frozenset({"com", "io", "jakarta", "java", "javax", "net", "org"})
"""What Java's packages begin with: it stands in files whatever they use."""


def _list_rule_needles(rule: object, utils: Mapping[str, Any], depth: int) -> Needles:
    # `utils` may refer to each other in a circle. No needle is always right, only slower.
    if not isinstance(rule, Mapping) or depth > 20:
        return None
    found = [
        _list_pattern_needles(rule.get("pattern")),
        _list_regex_needles(rule.get("regex")),
        _list_name_needles(rule.get(_NAMES)),
    ]
    found += [_list_rule_needles(rule.get(key), utils, depth + 1) for key in _CONJUNCTS]
    found += [_list_rule_needles(item, utils, depth + 1) for item in _to_items(rule.get("all"))]
    found.append(
        _combine_branch_needles(
            [_list_rule_needles(item, utils, depth + 1) for item in _to_items(rule.get("any"))]
        )
    )
    name = rule.get("matches")
    if isinstance(name, str):
        found.append(_list_rule_needles(utils.get(name), utils, depth + 1))
    # All of them must stand there, so that any one will do: the one that excludes most.
    return min((item for item in found if item), key=_rank_selectivity, default=None)


def _to_items(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _rank_selectivity(wanted: frozenset[str]) -> tuple[int, int]:
    """Fewer and longer needles exclude more."""
    return len(wanted), -min(len(needle) for needle in wanted)


def _combine_branch_needles(branches: list[Needles]) -> Needles:
    known = [branch for branch in branches if branch]
    # One branch without a needle may match anything: then nothing is known of the whole.
    if not branches or len(known) < len(branches):
        return None
    return frozenset().union(*known)


def _list_pattern_needles(pattern: object) -> Needles:
    """The longest word of a pattern. A context says less: only a part of it must match."""
    if not isinstance(pattern, str):
        return None
    words = _WORD.findall(pattern)
    return frozenset({max(words, key=len)}) if words else None


def _list_regex_needles(regex: object) -> Needles:
    """The literal that an expression begins with, with the choices of a group right behind it."""
    match = _PLAIN_REGEX.fullmatch(regex) if isinstance(regex, str) else None
    if match is None:
        return None
    prefix, choices, rest = match[1], match[2], match[3]
    if rest.startswith(_QUANTIFIERS):
        if choices is None:
            prefix = re.sub(r"(?:\\.|.)$", "", prefix)
        choices = None
    literals = {_unescape(prefix + choice) for choice in (choices or "").split("|")}
    return frozenset(literals) if min(map(len, literals)) >= 3 else None


def _unescape(literal: str) -> str:
    return re.sub(r"\\(.)", r"\1", literal)


MAX_SNIPPET = 400
"""Characters that a location quotes."""

# A blob of lines is searched first. What anchors to the text's ends, or turns multi-line mode off,
# means something else there.
_NOT_IN_A_BLOB = re.compile(r"\\[AzZ]|\(\?[a-zA-Z]*-")


class CodePlace(NamedTuple):
    """Lines on which something is new, what is wrong with it, and all that is new there."""

    location: Location
    message: str
    found: Sequence[Occurrence]


class LineQuery(NamedTuple):
    """An expression, and what may be said of a line that it matches (see rules/messages.py)."""

    pattern: str
    messages: tuple[str, ...]


class _Expression(NamedTuple):
    line: LinearRegex
    blob: LinearRegex | None


@dataclass(frozen=True, slots=True)
class LineChanges:
    """What a file's hunks add and remove. `blob` is all added lines, in UTF-8."""

    path: str
    added: tuple[Line, ...]
    removed: tuple[Line, ...]
    blob: bytes


def list_changed_lines(file: FileChange) -> LineChanges:
    """The lines of a file that were added and removed."""
    lines = [line for hunk in file.hunks for line in hunk.lines]
    added = tuple(line for line in lines if line.kind == "added")
    # CR as the lines have it below: `$` must mean the same in the blob.
    text = "\n".join(line.text for line in added).replace("\r\n", "\n").removesuffix("\r")
    removed = tuple(line for line in lines if line.kind == "removed")
    return LineChanges(file.path, added, removed, text.encode("utf-8", "replace"))


def search_lines(changes: LineChanges, queries: Sequence[LineQuery]) -> list[CodePlace]:
    """The added lines in which some expression matches, in order. The code is the whole line."""
    found: dict[int, Line] = {}
    messages: dict[int, list[str]] = {}
    for query in queries:
        expression = _compile_expression(query.pattern)
        if expression.blob is not None and not expression.blob.search(changes.blob):
            continue
        for line in changes.added:
            text = line.text.removesuffix("\r").encode("utf-8", "replace")
            if line.new is not None and (match := expression.line.search(text)):
                found[line.new] = line
                messages.setdefault(line.new, []).append(_build_message(query, match))
    return [
        CodePlace(
            _build_location(changes.path, found[number]),
            join_messages(messages[number]),
            (_describe(changes.path, found[number]),),
        )
        for number in sorted(found)
    ]


def _build_message(query: LineQuery, match: re.Match[bytes]) -> str:
    # RE2 gives the names of groups as it got the expression: in bytes.
    groups = cast("Mapping[bytes, bytes | None]", match.groupdict())

    def find(name: str) -> str | None:
        captured = groups.get(name.encode())
        return None if captured is None else captured.decode(errors="replace")

    return fill_first(query.messages, find)


def find_lines(changes: LineChanges, codes: Collection[str]) -> list[Occurrence]:
    """The removed lines that read like one of these codes."""
    removed = (_describe(changes.path, line) for line in changes.removed)
    return [item for item in removed if item.code in codes]


def _describe(path: str, line: Line) -> Occurrence:
    code = squeeze(line.text)
    return Occurrence(path, code, code)


def match_line(text: str, constraints: Sequence[RegexConstraint]) -> tuple[int, int] | None:
    """The characters of a line that the first expression to match it covers; None for none."""
    # RE2 works on UTF-8 and counts bytes; places are in characters.
    encoded = text.encode("utf-8", "replace")
    for constraint in constraints:
        match = _compile_expression(constraint.pattern).line.search(encoded)
        if match is not None and match.end() > match.start():
            before, found = encoded[: match.start()], encoded[match.start() : match.end()]
            start = len(before.decode(errors="replace"))
            return start, start + len(found.decode(errors="replace"))
    return None


@lru_cache(maxsize=512)
def _compile_expression(pattern: str) -> _Expression:
    blob = None if _NOT_IN_A_BLOB.search(pattern) else compile_regex(f"(?m){pattern}")
    return _Expression(compile_regex(pattern), blob)


def _build_location(path: str, line: Line) -> Location:
    fields: dict[str, str | int] = {"snippet": shorten(line.text.strip())}
    return Location(file_path=path, start_line=line.new, end_line=line.new, fields=fields)


def shorten(text: str, most: int = MAX_SNIPPET) -> str:
    """A quotation of bearable length."""
    return text if len(text) <= most else f"{text[:most]}…"
