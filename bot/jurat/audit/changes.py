"""What a change added and took away, and whether a text tells it the right way round."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from jurat.audit.checks import list_quotes
from jurat.audit.claims import list_shared, list_terms
from jurat.audit.text import split_sentences

_HEADER = ("+++", "---", "diff --git ", "index ", "=== ", "new file", "deleted file", "rename ")
_AS_GIT = re.compile(r"(?m)^@@ -\d")
_NUMBERED = re.compile(r"\s{0,2}(\d{1,7})?([-+:| ])(.*)")
_HUNK = re.compile(r"@@ (?:-\S+ \+\S+ @@)?")


@dataclass(frozen=True, slots=True)
class ChangeRows:
    """The lines of a change by what became of them."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    kept: tuple[str, ...]


@lru_cache(maxsize=4)
def read_change(context: str) -> ChangeRows:
    """The lines of a change, be it as git writes it or as jurat.judge.excerpts shows it."""
    rows: dict[str, list[str]] = {"+": [], "-": [], " ": []}
    as_git = _AS_GIT.search(context) is not None
    for row in context.split("\n"):
        if row.startswith("@@"):
            rows[" "].append(_HUNK.sub("", row))
        elif row.startswith(_HEADER):
            continue
        elif as_git:
            mark = row[:1] if row[:1] in ("+", "-") else " "
            rows[mark].append(row[1:])
        elif match := _NUMBERED.match(row):
            rows[match[2] if match[2] in "+-" else " "].append(match[3])
    return ChangeRows(tuple(rows["+"]), tuple(rows["-"]), tuple(rows[" "]))


@lru_cache(maxsize=4)
def take_new(context: str) -> str:
    """The material without the lines that a change takes away, and without its headers."""
    rows = context.split("\n")
    return "\n".join(row for row in rows if not row.startswith(("-", "===", "+++")))


_LITERAL = re.compile(
    r"(?s)\"\"\".*?\"\"\"|'''.*?'''|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|(?m:(?:#|//).*$)"
)


@lru_cache(maxsize=8)
def strip_literals(code: str) -> str:
    """Code without what stands in its strings and comments."""
    return _LITERAL.sub(' "" ', code)


_PIECE = re.compile(r"[^\s,;:()\[\]{}\"'`]+(?:\([^\s()]*\))?")
_GAINS = re.compile(
    r"\b(?:(?:this|the) (?:change|patch|commit|diff|pr|pull request|edit) (?!removes?|drops?"
    r"|deletes?|takes?|loses?|strips?|does|is|was|has|of|in|to|from|only|just|itself|never"
    r"|no)\w+s\b|adds?|added|adding|introduc\w+|gains?|brings? in|inserts?|inserted|becomes?"
    r"|became|turns? into|is now|are now|now (?:has|is|uses|calls|reads|sets)"
    r"|switch\w* (?:it )?on|turn\w* (?:it )?on|newly|now (?:stands|sits) at|(?:raised|lowered"
    r"|reduced|increased|set|moved|changed|widened|tightened|switched|bumped|cut|shortened) to)\b",
    re.IGNORECASE,
)
_LOSES = re.compile(
    r"\b(?:(?:has|have|is|are|was|were|been|gets?|got) (?:\w+ )?(?:removed|dropped|deleted|gone"
    r"|lost|taken (?:out|away)|stripped)|(?:change|patch|commit|diff|pr|pull request|hunk|edit"
    r"|this|author|you) (?:\w+ )?(?:removes?|drops?|deletes?|loses?|strips?|takes? (?:out|away))"
    r"|no longer|used to|formerly|previously|went away|(?:it|this|that|which) (?:was|were|had"
    r"|stood at))\b",
    re.IGNORECASE,
)
_OVER = r"(?:\s\w+){0,3}?\s(?:the |an? )?"
_TO = (
    r"becomes?|became|\u2192|->|gives? way to|turns? into"
    r"|(?:is|was|are|were|has been|have been|gets?) (?:\w+ )?(?:(?:replaced|swapped|exchanged)"
    r" (?:by|with|for)|(?:raised|lowered|reduced|increased|changed|switched|moved|bumped|turned)"
    r" (?:in)?to)"
)
_FROM_TO = re.compile(
    rf"\bfrom (\S+){_OVER}to (\S+)|\bswap\w* (\S+){_OVER}(?:for|by|with) (\S+)"
    rf"|\b(?:replac\w+|exchang\w+|chang\w+) (\S+){_OVER}(?:by|with|to|into) (?:the |an? )?(\S+)"
    rf"|(?<!\S)(\S+){_OVER}(?:{_TO}) (?:the |an? )?(\S+)",
    re.IGNORECASE,
)
_CLAUSES = re.compile(
    r"[,;:]\s|\s[-\u2013\u2014]\s|\s\(|\b(?:and|but|so|which|while|because|since|instead"
    r"|replac\w+|in place of|rather than|than|then)\b",
    re.IGNORECASE,
)
_UNSAID = re.compile(
    r"\b(?:not|never|n't|without|nothing|would|could|should|must|if|unless|until|needs?|lacks?"
    r"|missing|rule|please|have|can)\b|n't\b",
    re.IGNORECASE,
)


def find_turned_change(text: str, context: str) -> str:
    """Words by which a text says that a change adds what it takes away, or the other way; or ""."""
    change = read_change(context)
    if not change.removed and _AS_GIT.search(context) is None:
        return ""
    added, removed = _join(change.added), _join(change.removed)
    kept = _join(change.kept)
    swapped = _list_swapped_values(context)
    for sentence in split_sentences(text):
        for key, (old, new) in swapped.items():
            if key not in sentence:
                continue
            if re.search(_VALUES.format(old=re.escape(new), new=re.escape(old)), sentence):
                return sentence.strip()
        for match in _FROM_TO.finditer(sentence):
            groups = [group.strip("`\"'.,;:()") for group in match.groups() if group]
            before, after = (_count_pieces(group, added, removed, kept) for group in groups[:2])
            if before[0] and not before[1] and not after[0]:
                return match.group().strip()
        for clause in _CLAUSES.split(sentence):
            gains, loses = _GAINS.search(clause), _LOSES.search(clause)
            if bool(gains) == bool(loses) or _UNSAID.search(clause):
                continue
            only_new, only_old = _count_pieces(clause, added, removed, kept)
            if gains and only_old and not only_new:
                return clause.strip()
            if loses and only_new and not only_old:
                return clause.strip()
    return ""


_VALUES = (
    r"(?i)\bfrom `?{old}`? (?:\w+ )?to `?{new}\b|\b(?:was|were|stood at|been"
    r"|before:?) (?:at )?`?{old}\b.{{1,40}}\b(?:is|are|now|becomes?|at) (?:at )?`?{new}\b|\b(?:is"
    r"|now|becomes?|set to|switched to|turned) (?:to )?`?{new}\b.{{0,20}}\b(?:was|were"
    r"|before)\b.{{0,12}}\b{old}\b"
)


def _list_swapped_values(context: str) -> dict[str, tuple[str, str]]:
    """What a change turns the value of a name from, and to."""
    swaps, _ = _pair_rows(context)
    values: dict[str, tuple[str, str]] = {}
    for old, new in swaps:
        before, after = _KEY_VALUE.match(old), _KEY_VALUE.match(new)
        if before and after and before[1] == after[1] and before[2] != after[2]:
            values[before[1]] = (before[2], after[2])
    return values


_KEY_VALUE = re.compile(
    r"\s*[\"']?([\w.-]{2,60})[\"']?\s*[:=]\s*[\"']?([\w.-]+)[\"']?\s*(?:[,;]\s*)?$"
)


def _count_pieces(clause: str, added: str, removed: str, kept: str) -> tuple[int, int]:
    pieces = {piece.rstrip(".!?") for piece in _PIECE.findall(clause)} | set(list_quotes(clause))
    only_new = only_old = 0
    for piece in pieces:
        if (len(piece) < _LEAST and not piece.isdigit()) or _is_in_rows(piece, kept):
            continue
        new, old = _is_in_rows(piece, added), _is_in_rows(piece, removed)
        only_new += new and not old
        only_old += old and not new
    return only_new, only_old


_LEAST = 3


@lru_cache(maxsize=1024)
def _is_in_rows(piece: str, rows: str) -> bool:
    if piece not in rows:
        return False
    return re.search(rf"(?<!\w){re.escape(piece)}(?!\w)", rows) is not None


def _join(rows: tuple[str, ...]) -> str:
    return "\n".join(rows)


def find_still_added(text: str, context: str) -> str:
    """What a text tells of as replaced in one place, and the change adds in another; or "".

    Seen by its line: what a removed line had, and the line in its place has no more.
    """
    pieces = {piece.rstrip(".!?") for piece in _PIECE.findall(text)} | set(list_quotes(text))
    pieces = {piece for piece in pieces if len(piece) >= _LEAST and _IS_CODE.search(piece)}
    if _OF_ALL.search(text) or not pieces:
        return ""
    swaps, others = _pair_rows(context)
    for old, new in swaps:
        for piece in sorted(pieces):
            if not _is_in_rows(piece, old) or _is_in_rows(piece, new):
                continue
            names_new = any(
                _is_in_rows(name, new) and not _is_in_rows(name, old) for name in pieces
            )
            if names_new and any(_is_in_rows(piece, row) for row in others if row != new):
                return piece
    return ""


_IS_CODE = re.compile(r"[\d_.(=]|[a-z][A-Z]|\w \w")


def _pair_rows(context: str) -> tuple[list[tuple[str, str]], list[str]]:
    """The lines that a change puts in the place of others, behind those, and all that it adds."""
    swaps: list[tuple[str, str]] = []
    added: list[str] = []
    gone: list[str] = []
    for row in context.split("\n"):
        if row.startswith(_HEADER) or not row.startswith(("+", "-")):
            gone = []
        elif row.startswith("-"):
            gone.append(row[1:])
        else:
            added.append(row[1:])
            if gone:
                swaps.append((gone.pop(0), row[1:]))
    return swaps, added


def find_unread_line(text: str, rule: str, context: str) -> str:
    """An added line like one that a text speaks of, and of which it says nothing; or "".

    Alike are lines that open with the same two words, one of them the rule's: two tables. Who
    speaks of all of them, or of no others, has seen each.
    """
    if _OF_ALL.search(text):
        return ""
    said = frozenset(_NAME.findall(text))
    own = list_terms(rule.split("\n", 1)[0])
    alike: dict[tuple[str, ...], list[str]] = {}
    for row in read_change(context).added:
        opening = tuple(_NAME.findall(row)[:2])
        if list_shared(list_terms(" ".join(opening)), own):
            alike.setdefault(opening, []).append(row.strip())
    for rows in alike.values():
        names = [frozenset(_NAME.findall(row)) for row in rows]
        named = [
            bool((mine - frozenset[str]().union(*names[:place], *names[place + 1 :])) & said)
            for place, mine in enumerate(names)
        ]
        if any(named) and not all(named) and len(rows) <= _MOST_ALIKE:
            return rows[named.index(False)]
    return ""


_MOST_ALIKE = 4
_NAME = re.compile(r"[A-Za-z_]\w+|\d[\w.]+")
_OF_ALL = re.compile(
    r"\b(?:all|both|each|every|only|sole|single|others?|rest|remaining|none|nothing|neither|any"
    r"|anywhere|everything|elsewhere|whole|entire|throughout|two|three|four|five|six|too|also)\b",
    re.IGNORECASE,
)
"""Speaks of a whole, or of what else there is."""
