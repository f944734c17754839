"""Where the clauses of a contract begin, and what each of them is called.

Contracts number by hand and in many ways. A line opens a clause if its mark is one of MARKS and
enough speaks for it: where the line stands, whether the number follows those before it, and whether
it goes on as a clause does. A wrapped line that happens to begin with a number opens none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Literal, NamedTuple, assert_never

from jurat.source.markdown import MarkdownBlock, Structure

_WORDS = (
    "Clause", "Section", r"Sec\.", "Article", r"Art\.?", "Paragraph", "Chapter",
    "Klausel", "Abschnitt", "Artikel", "Ziffer", "Kapitel",
    "Artículo", "Cláusula", "Articolo", "Artigo", "Capítulo",
)  # fmt: skip
_ANNEXES = (
    "Annex", "Appendix", "Schedule", "Exhibit", "Attachment", "Part",
    "Anlage", "Anhang", "Teil", "Annexe", "Anexo", "Allegato",
)  # fmt: skip

_LEAD = re.compile(r"(?P<indent>[ \t]*)(?:> ?)*(?:[-*+•][ \t]+)?(?:#{1,6}[ \t]+)?[*_]{0,3}")
_INNER = r"(?P<inner>(?:[ ]?\([0-9A-Za-z]{1,4}\))*)"
_CLOSED = r"(?=[*_]{0,3}(?:[.:)\u2013\u2014-]?[*_]{0,3}(?:\s|$)))"

Form = Literal["annex", "worded", "dotted", "bracket", "plain", "bare"]
MARKS: Mapping[Form, str] = {
    "annex": rf"(?P<number>(?i:{'|'.join(_ANNEXES)})\s+"
    rf"(?:\d{{1,3}}|[IVXLC]{{1,7}}|[A-Z])){_CLOSED}",
    "worded": rf"(?:(?i:{'|'.join(_WORDS)})\s+|§§?\s*)"
    rf"(?P<number>\d{{1,4}}[a-z]?(?:\.\d{{1,3}})*|[IVXLC]{{1,7}}){_INNER}{_CLOSED}",
    "dotted": rf"(?P<number>[1-9]\d{{0,2}}(?:\.\d{{1,3}}){{1,5}}[a-z]?){_INNER}{_CLOSED}",
    "bracket": r"\((?P<number>\d{1,3}|[ivxlc]{1,7}|[IVXLC]{1,7}|[a-z]{1,2}|[A-Z])\)(?=\s|$)",
    "plain": r"(?P<number>\d{1,3}|[ivxlc]{1,7}|[IVXLC]{1,7}|[A-Za-z])\\?(?P<sign>[.)])"
    r"(?=[*_]{0,3}(?:\s|$))",
    "bare": r"(?P<number>\d{1,3})(?=[*_]{0,3}(?:\s|$))",
}
"""The forms of a mark, in the order in which they are tried; "bare" counts on a heading alone."""

_MARKS = {form: re.compile(pattern) for form, pattern in MARKS.items()}
_CONTENTS_ENTRY = re.compile(r"(?:\.[ \t]?){4,}\d+\s*$")
_ENDS_A_CLAUSE = re.compile(r"(?:[.;:,!?)\]\"”\u2019»]|\b(?:and|or|und|oder|et|ou|y|o|e))[*_\s]*$")
_GOES_ON = re.compile(r"[*_]{0,3}[.)]*[*_]{0,3}\s*(?:$|[:\u2013\u2014]|-\s|[^\Wa-z_]|[\"“„«\[*_(])")
_ROMAN = re.compile(r"(?=.)(?:x{0,3})(?:ix|iv|v?i{0,3})|(?:xl|l?x{0,3})(?:ix|iv|v?i{0,3})|c{1,3}")
_ROMAN_DIGITS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


class Opening(NamedTuple):
    """A line, counted from 0, at which a clause begins, and what the clause is called."""

    line: int
    name: str


class _Level(NamedTuple):
    """One of the clauses around a line. `heading` is a heading's level, 0 for other lines."""

    style: str
    value: int
    name: str
    indent: int
    heading: int = 0


class _ClauseMark(NamedTuple):
    form: Form
    number: str
    inner: str
    sign: str
    indent: int
    heading: int
    capital: bool


def find_openings(lines: Sequence[str], text: Structure) -> list[Opening]:
    """The clauses of a text, in order.

    A number inside a clause stands in brackets behind that of the clause: `4.2(a)(i)`. A heading
    without a number is a clause by its words, and tells clauses of one number apart.
    """
    return list(_make_distinct(_ClauseReader(lines, text).openings()))


class _ClauseReader:
    """Reads a text from the top. `_around` are the clauses around the line, outermost first."""

    def __init__(self, lines: Sequence[str], text: Structure) -> None:
        self._lines = lines
        self._numbers = text.numbers
        self._headings = {block.first: block for block in text.blocks if block.kind == "heading"}
        self._code = {
            line
            for block in text.blocks
            if block.kind in ("fence", "html_block")
            for line in range(block.first, block.end)
        }
        self._begins = {block.first for block in text.blocks}
        self._around: list[_Level] = []
        self._annex: tuple[_Level, ...] = ()
        self._opened: int | None = None

    def openings(self) -> Iterator[tuple[Opening, str]]:
        """Each opening, with the words of the heading that it stands under."""
        under = ""
        for number, line in enumerate(self._lines):
            if number in self._code or not line.strip() or _CONTENTS_ENTRY.search(line[-80:]):
                continue
            heading = self._headings.get(number)
            name = self._find_name(number, line, heading)
            if name is None and heading is not None:
                self._leave(heading.level)
                under = name = heading.name
            if name:
                self._opened = number
                yield Opening(number, name), under

    def _find_name(self, number: int, line: str, heading: MarkdownBlock | None) -> str | None:
        """What the clause is called that begins on a line, None if none does."""
        level = heading.level if heading is not None else 0
        mark = _find_mark(line, level)
        if mark is None:
            return None
        if (counted := self._numbers.get(number)) is not None and mark.number.isdigit():
            mark = mark._replace(number=str(counted))
        if level:
            self._leave(level)
        around, follows = self._place_mark(mark)
        if not level and not self._is_convincing(mark, number, follows=follows):
            return None
        self._around = around
        return around[-1].name + "".join(re.findall(r"\([^()]*\)", mark.inner))

    def _leave(self, heading: int) -> None:
        """A heading ends all that is no heading, and every heading of its level and below."""
        self._around = [item for item in self._around if 0 < item.heading < heading]

    def _is_convincing(self, mark: _ClauseMark, number: int, *, follows: bool) -> bool:
        placed = number in self._begins or number in self._numbers or self._is_after_an_end(number)
        if mark.form == "bracket":
            return placed or follows
        # "A." at the start of a wrapped line may be somebody's initial.
        if mark.form == "plain" and mark.sign == "." and mark.number.isalpha() and not placed:
            return False
        return placed + follows + mark.capital >= 2

    def _is_after_an_end(self, number: int) -> bool:
        before = self._lines[number - 1] if number else ""
        return (
            not before.strip()
            or number - 1 == self._opened
            or number - 1 in self._code
            or _ENDS_A_CLAUSE.search(before[-40:]) is not None
        )

    def _place_mark(self, mark: _ClauseMark) -> tuple[list[_Level], bool]:
        """The clauses around a line with this mark, and whether its number follows the others."""
        match mark.form:
            case "annex":
                self._annex = (_Level("annex", 0, " ".join(mark.number.split()), 0, mark.heading),)
                return [*self._annex], False
            case "worded":
                return self._place_absolute(mark, "worded", mark.number.split("."))
            case "dotted":
                return self._place_absolute(mark, "plain.", mark.number.split("."))
            case "bracket" | "plain" | "bare":
                return self._place_counted(mark)
            case _:
                assert_never(mark.form)

    def _place_absolute(
        self, mark: _ClauseMark, style: str, parts: Sequence[str]
    ) -> tuple[list[_Level], bool]:
        """A number that says the whole of its place, such as 4.2.1 or § 12."""
        around = [*self._annex]
        for depth in range(1, len(parts) + 1):
            name = _join_name(self._annex, ".".join(parts[:depth]))
            value = _parse_number(parts[depth - 1])
            around.append(_Level(style if depth == 1 else f"dotted{depth}", value, name, 0))
        around[-1] = around[-1]._replace(indent=mark.indent, heading=mark.heading)
        known = {item.name for item in self._around}
        last = next((item for item in self._around if item.style == around[-1].style), None)
        inside = len(parts) == 1 or around[-2].name in known
        follows = not self._around or (
            inside and around[-1].value == (last.value + 1 if last is not None else 1)
        )
        return around, follows

    def _place_counted(self, mark: _ClauseMark) -> tuple[list[_Level], bool]:
        """A number that counts on from the last of its kind, or from one inside another clause."""
        readings = _list_readings(mark)
        for depth in range(len(self._around) - 1, -1, -1):
            item = self._around[depth]
            if (item.style, item.value + 1) in readings and mark.indent >= item.indent:
                return self._place_beside(depth, mark, item.style, item.value + 1), True
        depths = {item.style: depth for depth, item in enumerate(self._around)}
        inside = len(self._around)
        for style, value in readings:
            if value == 1:
                # Numbers begin again at 1, but for the outermost: then these are inside of one.
                again = depths.get(style, 0) > len(self._annex)
                return self._place_beside(
                    depths[style] if again else inside, mark, style, value
                ), True
        style, value = next((item for item in readings if item[0] in depths), readings[-1])
        return self._place_beside(depths.get(style, inside), mark, style, value), not self._around

    def _place_beside(self, depth: int, mark: _ClauseMark, style: str, value: int) -> list[_Level]:
        outer = self._around[:depth] or [*self._annex]
        name = _join_name(outer, mark.number)
        return [*outer, _Level(style, value, name, mark.indent, mark.heading)]


def _find_mark(line: str, heading: int) -> _ClauseMark | None:
    lead = _LEAD.match(line)
    start = lead.end() if lead else 0
    for form, pattern in _MARKS.items():
        match = pattern.match(line, start)
        if match is None or (form == "bare" and not heading):
            continue
        groups = match.groupdict()
        return _ClauseMark(
            form,
            groups["number"],
            groups.get("inner") or "",
            groups.get("sign") or ("." if form == "bare" else "()"),
            len((lead["indent"] if lead else "").expandtabs(4)),
            heading,
            _GOES_ON.match(line, match.end()) is not None,
        )
    return None


def _list_readings(mark: _ClauseMark) -> list[tuple[str, int]]:
    """What a number may mean: `i` is the first of the Roman numerals, or the ninth letter."""
    number, style = mark.number, f"plain{mark.sign}"
    if number.isdigit():
        return [(style, int(number))]
    case = "a" if number.islower() else "A"
    readings = []
    if _ROMAN.fullmatch(number.lower()):
        readings.append((f"roman {case}{mark.sign}", _parse_number(number)))
    if len(set(number)) == 1:
        letter = ord(number[0].lower()) - ord("a") + 1
        readings.append((f"letter {case}{len(number)}{mark.sign}", letter))
    return readings or [(f"word {mark.sign}", 0)]


def _parse_number(number: str) -> int:
    """The number that digits, or Roman digits, stand for."""
    if digits := "".join(takewhile(str.isdigit, number)):
        return int(digits)
    values = [_ROMAN_DIGITS[digit] for digit in number.lower() if digit in _ROMAN_DIGITS]
    following = [*values[1:], 0]
    return sum(
        -value if value < after else value for value, after in zip(values, following, strict=True)
    )


def _join_name(outer: Sequence[_Level], number: str) -> str:
    if not outer:
        return number
    if outer[-1].style == "annex":
        return f"{outer[-1].name} {number}"
    return f"{outer[-1].name}({number})"


def _make_distinct(found: Iterator[tuple[Opening, str]]) -> Iterator[Opening]:
    """The openings; one whose name stands elsewhere too is told apart by its heading."""
    listed = list(found)
    names = Counter(opening.name for opening, _ in listed)
    for opening, under in listed:
        if names[opening.name] > 1 and under and under != opening.name:
            yield opening._replace(name=f"{under} {opening.name}")
        else:
            yield opening
