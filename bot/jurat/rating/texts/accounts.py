"""Which accounts a text gives, and in which of its sections."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache, partial
from itertools import islice

from jurat.rating.texts.account_table import RECORD, REGISTER, StatedText, find_given, read_passage
from jurat.rating.texts.ideas import find_ideas
from jurat.rules.constraints import compile_regex

SHOWN_ACCOUNTS = frozenset({"privacy_notice"})
"""Those that people are given, and that pages and programs therefore hold."""
MAY_TELL = compile_regex(
    r"(?i)complain|supervisory|withdraw|erasure|rectif|legitimate interest|data protection|privacy@"
)
"""Something of which a text that is given to people has at least one."""
_WORD = re.compile(r"\w+")
_LEAST_WORDS = 25
"""Words below which nothing is accounted for."""
_STEP = 100
"""Words between the beginnings of two windows at least."""
_LONGEST = 450
"""Words of one account at most. In more of them anything is said somewhere."""


def find_accounts(
    wanted: Iterable[str], whole: str, parts: Iterable[tuple[int, str]]
) -> Iterator[tuple[str, int]]:
    """The accounts that a page gives, each with the line at which the passage begins.

    `whole` is what the page says, `parts` are its sections with their first lines. A page that is
    longer than one account is looked at by its sections, and a section by its paragraphs.
    """
    # What the page as a whole does not say no passage of it says: most pages end here.
    names = _list_given(frozenset(wanted), whole)
    for first, passage in _iter_passages(whole, parts) if names else ():
        if not names or len(_WORD.findall(passage)) < _LEAST_WORDS:
            continue
        for name in sorted(_list_given(names, passage)):
            names -= {name}
            yield name, first


def _iter_passages(whole: str, parts: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    is_short = _count_words(whole) <= _LONGEST
    for first, part in (parts or ((1, whole),)) if parts or not is_short else ():
        if _count_words(part) <= _LONGEST:
            yield first, part
        else:
            yield from _iter_windows(first, part)
    if is_short:
        yield 1, whole


def _iter_windows(first: int, part: str) -> Iterator[tuple[int, str]]:
    """Paragraphs that stand together, as many as one account may have, from each of them on."""
    lines = part.split("\n")
    starts = [
        n for n, line in enumerate(lines) if line.strip() and not (n and lines[n - 1].strip())
    ]
    for start in _keep_apart(lines, starts):
        taken: list[str] = []
        size = 0
        for line in lines[start:]:
            size += _count_words(line)
            if size > _LONGEST:
                break
            taken.append(line)
        yield first + start, "\n".join(taken)


def _keep_apart(lines: Sequence[str], starts: Iterable[int]) -> Iterator[int]:
    """Those of the starts that lie apart: windows that begin close together say the same."""
    last, since = 0, _STEP
    for start in starts:
        since += sum(map(_count_words, lines[last:start]))
        last = start
        if since >= _STEP:
            since = 0
            yield start


def _count_words(text: str) -> int:
    return len(text.split())


def _list_given(names: frozenset[str], text: str) -> frozenset[str]:
    passage = read_passage(text)
    given = find_given(names, passage)
    if REGISTER in given and not is_register(text):
        given -= {REGISTER}
    if RECORD in given and _ADDRESSED.search(text):
        given -= {RECORD}  # a notice says the same to those whose data it is
    return given | ({RECORD} if RECORD in names and is_record(passage) else frozenset())


_ADDRESSED = re.compile(r"\b(?:you|your|yours|Sie|Ihre[rnsm]?|vous|votre)\b")

# A risk register is known by its rows: each has what may happen, how bad it is and what is done.

_ROW_START = re.compile(r"\s*(?:[-*+|]|\d+[.)]|\{|\[\[\w|[A-Z]{1,3}-?\d+\b)")
_RATED = re.compile(
    r"[1-5]\s*[x*\u00d7/]\s*[1-5]|\|\s*[1-5]\s*\||,[1-5],|[:=]\s*[1-5]\b|20\d\d", re.IGNORECASE
)
_ANSWERED = re.compile(r"[^:|]{8,}:\s+(?:\S+\s+){3,}")
"""What may happen, and behind a colon what is done."""
_ROWS = 2
_ROW_WORDS = 9


def is_register(text: str) -> bool:
    """Whether a text is a list of risks with what is done about each.

    What the head of a table says is said of each of its rows, and when it is all looked at again,
    and by whom, stands once beside a list.
    """
    is_kept_up = cache(partial(_is_kept_up, text))
    risks = (1 for entry, head in _iter_entries(text) if _is_risk(entry, head, is_kept_up))
    return sum(islice(risks, _ROWS)) == _ROWS


def _is_kept_up(text: str) -> bool:
    return {"rhythm", "owner"} <= find_ideas(text.lower()).keys()


def _iter_entries(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    """The rows, items and records of a text, each with the ideas of the head above it."""
    head: frozenset[str] = frozenset()
    entry, form = "", ""
    for line in (*text.split("\n"), "-"):
        this = _detect_form(line)
        if not this and line.strip() and entry:
            entry += f" {line.strip()}"
            continue
        if entry:
            yield entry, head
        begins = this in ("row", "record") and this != form
        if begins or this not in ("row", "record"):
            head = frozenset(find_ideas(line.lower())) if begins else frozenset()
        entry = line if this and not begins else ""
        form = this


def _detect_form(line: str) -> str:
    """What a line begins: a row of a table, a line of a CSV file, or an item of a list."""
    if line.lstrip().startswith("|"):
        return "row"
    if len(re.findall(r",\S|;\S", line)) >= _COMMAS and not line.startswith((" ", "-", "*")):
        return "record"
    return "item" if _ROW_START.match(line) else ""


_SUBJECTS = frozenset(
    ("people", "operators", "oversight", "system", "attack", "wrong", "right", "data")
)
"""What a risk of a system is about, and one of a project is not."""
_COMMAS = 3
"""Commas of a line of a CSV file at least."""


def _is_risk(entry: str, head: frozenset[str], is_kept_up: Callable[[], bool]) -> bool:
    """Whether an entry says what may happen, how likely or bad it is, and what is done."""
    if len(_WORD.findall(entry)) < _ROW_WORDS:
        return False
    said = find_ideas(entry.lower())
    return (
        bool({"risk", "wrong", "right"} & (said.keys() | head))
        and ("grade" in said or _RATED.search(entry) is not None or is_kept_up())
        and (
            bool({"measure", "oversight"} & said.keys())
            or "measure" in head
            or _ANSWERED.search(entry) is not None
        )
        and bool(_SUBJECTS & said.keys())
        and not ("business" in said and "people" not in said)
    )


# A record of processing is known by its fields, each with something in it.

_LABEL = re.compile(
    r"(?:^|;)[^\S\n]*+(?:[-*+|][^\S\n]*+)?[\"'*_]*([A-Za-z][\w /()-]{1,40}?)[\"'*_]*"
    r"\s*(?:::?|\|)\s*(?=\S)",
    re.MULTILINE,
)
_FIELDS = frozenset(
    (
        *("purpose", "ground", "subjects", "data", "receivers"),
        "abroad",
        "kept",
        "security",
        "controller",
    )
)
_LEAST_FIELDS = 6
_BETWEEN_CELLS = re.compile(r"[|;,\t]")


def is_record(passage: StatedText) -> bool:
    """Whether a text has the fields of a record of processing: as labels, or as a table's head."""
    if len(_FIELDS & passage.ideas.keys()) < _LEAST_FIELDS:
        return False  # what all of it does not name none of its labels does
    if _count_fields(_LABEL.findall(passage.text)) >= _LEAST_FIELDS:
        return True
    lines = [line for line in passage.text.split("\n") if line.strip()]
    for number, line in enumerate(lines):
        cells = [cell.strip() for cell in _BETWEEN_CELLS.split(line)]
        if len(cells) >= _LEAST_FIELDS and _count_fields(cells) >= _LEAST_FIELDS:
            filled = any(
                len(one.split()) >= _LEAST_FIELDS and set(one) - set("|-: ,;")
                for one in lines[number + 1 :]
            )
            if filled:
                return True
    return False


def _count_fields(labels: Iterable[str]) -> int:
    """How many fields some labels name, one each."""
    named = [_list_fields(one) for one in dict.fromkeys(labels) if _count_words(one) <= _CELL]
    return min(len(frozenset().union(*named)), sum(map(bool, named)))


@lru_cache(maxsize=65_536)
def _list_fields(label: str) -> frozenset[str]:
    return _FIELDS & find_ideas(label.replace("_", " ").lower()).keys()


_CELL = 6
"""Words of a label, or of a cell in a table's head, at most."""
