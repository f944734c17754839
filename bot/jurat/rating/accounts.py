"""Which accounts a text gives, and in which of its sections."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from jurat.rating.account_table import ACCOUNTS, DONE, HARMED, RECORD, REGISTER
from jurat.rules.constraints import compile_regex

SHOWN_ACCOUNTS = frozenset({"privacy_notice"})
"""Those that people are given, and that pages and programs therefore hold."""
MAY_TELL = compile_regex(
    r"(?i)complain|supervisory|withdraw|erasure|rectif|legitimate interest|data protection|privacy@"
)
"""Something of which a text that is given to people has at least one."""
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
    said = " ".join(whole.lower().split())
    names = {name for name in wanted if _is_given(name, whole, said)}
    for first, passage in _iter_passages(whole, parts) if names else ():
        text = " ".join(passage.lower().split())
        if text.count(" ") < _LEAST_WORDS:
            continue
        for name in sorted(names):
            if _is_given(name, passage, text):
                names.discard(name)
                yield name, first


def _iter_passages(whole: str, parts: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    if _count_words(whole) <= _LONGEST:
        yield 1, whole
        return
    for first, part in parts or ((1, whole),):
        if _count_words(part) <= _LONGEST:
            yield first, part
        else:
            yield from _iter_windows(first, part)


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


def _is_given(name: str, passage: str, text: str) -> bool:
    if name == REGISTER:
        return is_register(passage)
    return is_record(passage) if name == RECORD else ACCOUNTS[name].is_given(text)


# A risk register is known by its rows: each has what may happen, how bad it is and what is done.

_ROW_START = re.compile(r"\s*(?:[-*+|]|\d+[.)]|\{|[A-Z]{1,3}\d+\b)")
_CHANCE = re.compile(
    r"\b(?:likely|unlikely|possible|rare|probable|frequent|likelihood|probability|chance)\b"
    r"|[1-5]\s*[x*\u00d7/]\s*[1-5]|\|\s*[1-5]\s*\|",
    re.IGNORECASE,
)
_GRAVITY = re.compile(
    r"\b(?:high|medium|low|severe|severity|serious|minor|moderate|critical|major|grave)\b"
    r"|\|\s*[1-5]\s*\|",
    re.IGNORECASE,
)
_ROWS = 2
_ROW_WORDS = 9


def count_risks(text: str) -> int:
    """The entries of a text that say what may happen, how likely or bad it is, and what is done."""
    entries: list[str] = []
    for line in text.split("\n"):
        if _ROW_START.match(line) or not entries:
            entries.append(line)
        elif line.strip():
            entries[-1] += " " + line
    return sum(map(_is_risk, entries))


def _is_risk(entry: str) -> bool:
    said = entry.lower()
    graded = (_CHANCE.search(entry) is not None) + (_GRAVITY.search(entry) is not None)
    rest = _GRAVITY.sub(" ", _CHANCE.sub(" ", said))
    return (
        _count_words(entry) >= _ROW_WORDS
        and graded + HARMED.is_said(said) >= 2
        and graded > 0
        and DONE.is_said(rest)
    )


def is_register(text: str) -> bool:
    """Whether a text is a list of risks with what is done about each."""
    return HARMED.is_said(text.lower()) and count_risks(text) >= _ROWS


# A record of processing is known by its fields, each with something in it.

_LABEL = re.compile(
    r"^\s*(?:[-*+|]\s*)?[\"'*_]*([A-Za-z][\w /()-]{1,40}?)[\"'*_]*\s*(?:::?|\|)\s*\S"
)
_FIELDS = tuple(
    re.compile(rf"\b(?:{words})")
    for words in (
        r"purpose|why\b",
        r"(?:legal |lawful )?(?:basis|ground)",
        r"(?:data )?subjects?|persons?|people|whose|affected|concerned",
        r"(?:personal |categories of )?data|categor|fields",
        r"recipients?|receivers?|processors?|passed to|shared",
        r"transfers?|third countr|outside|countries",
        r"kept|retention|stored for|erase|delet|period|storage",
        r"security|measures|safeguards|protection",
        r"controller|contact|responsible|owner|dpo",
        r"activity|processing|name",
    )
)
_LEAST_FIELDS = 6


def is_record(text: str) -> bool:
    """Whether a text has the fields of a record of processing: as labels, or as a table's head."""
    lines = [line for line in text.split("\n") if line.strip()]
    labels = [found[1] for line in lines if (found := _LABEL.match(line))]
    if _count_fields(labels) >= _LEAST_FIELDS:
        return True
    for number, line in enumerate(lines):
        cells = [cell.strip() for cell in re.split(r"[|;,\t]", line)]
        below = lines[number + 1 :]
        filled = any(
            len(one.split()) >= _LEAST_FIELDS and set(one) - set("|-: ,;") for one in below
        )
        if len(cells) >= _LEAST_FIELDS and _count_fields(cells) >= _LEAST_FIELDS and filled:
            return True
    return False


def _count_fields(labels: Iterable[str]) -> int:
    said = [label.replace("_", " ").lower() for label in labels if _count_words(label) <= _CELL]
    return sum(any(field.search(label) for label in said) for field in _FIELDS)


_CELL = 6
"""Words of a label, or of a cell in a table's head, at most."""
