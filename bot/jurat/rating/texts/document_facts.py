"""What stands in a document: sections that say something which could be held against them.

A heading, a template and a promise say nothing; a risk with its measure, a field that is filled, a
number, a name or a path do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from jurat.rating.texts.accounts import is_register
from jurat.rating.texts.fields import has_field_word
from jurat.rating.texts.line_search import list_touched_lines
from jurat.rating.texts.stated_values import count_values
from jurat.rules.constraints import compile_regex

_HEADING = re.compile(r"(#{1,6})\s+\S")
_UNDERLINE = re.compile(r"(?:={3,}|-{3,})\s*$")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_PLACEHOLDER = re.compile(
    r"\b(?:todo|tbd|tbc|fixme|lorem ipsum|to be (?:added|written|determined|completed|defined|done)"
    r"|coming soon|placeholder|fill (?:in|this)|insert here|your (?:name|company|text) here)\b"
    r"|<[a-z][^<>@/]*>|\[(?:insert|describe|your|add|name|date|todo)[^\]]*\]|\{\{|_{4,}|\.\.\.\s*$",
    re.IGNORECASE,
)
_PROMISE = re.compile(
    r"\b(?:committed?|commitment|strive|believe|take[sn]? .{0,30}seriously"
    r"|best practices?|important"
    r"|utmost|world-class|state[- ]of[- ]the[- ]art|industry[- ]standard|as appropriate"
    r"|where (?:possible|appropriate)|robust|responsibl[ey]|trustworthy"
    r"|ethical(?:ly)?|highest standards?"
    r"|priority|dedicated|care deeply|continuously improve|passionate|aim to"
    r"|intend to|will be|plan to"
    r"|should be considered|in due course)\b",
    re.IGNORECASE,
)
_SPECIFIC = re.compile(
    r"\d|`[^`]+`|https?://|\b[\w-]+/[\w./-]+|\b\w+\.(?:py|ts|js|md|ya?ml|csv|json)\b|@\w+"
    r"|\b(?:must not|does not|do not|cannot|never|only|unless|except|refus\w+"
    r"|reject\w*|fails?|wrong"
    r"|two|three|four|six|twelve|every|must|may be|kept|stored|asked|told|trained"
    r"|intended (?:for|to)|meant (?:for|to)|(?:best|well|not) suited|used by|should (?:always|not)"
    r"|owner|reviewer|operator|officer|recruiter|clinician|analyst|engineer|weekly|monthly|quarterly"
    r"|annually|yearly|daily|english|german|french|threshold|trained on|tested"
    r"|measured|halts?|stops?"
    r"|overrides?|roll(?:s|ed)? back|retrain\w*|under-?represent\w*|false positives?"
    r"|false negatives?)\b",
    re.IGNORECASE,
)
_MEASURE = re.compile(
    r"mitigat|measure|control|prevent|reduc|review|limit|block|test|monitor|approv|owner|check|mask"
    r"|stop|halt|log|threshold|train|audit|restrict|guard|fallback|alert|sampl|confirm|retrain|human",
    re.IGNORECASE,
)
_ANSWERED = re.compile(r"(?:\S+\s+){2,}\S+(?::|;|\.| [-\u2013\u2014\u2192])\s+(?:\S+\s+){3,}")
"""A risk, and behind it what is done."""
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+\S")
_FIELD = re.compile(r"^\s*(?:[-*+]\s*)?\**[A-Z][\w /()-]{2,40}\**\s*[:|]\s*\S.{2,}")
_LEGAL = re.compile(
    r"\b(?:hereby granted|without warranty|as is\b.{0,40}without|copyright (?:notice|holder)"
    r"|limitation of liability|font software|licensed under the|redistributions?)\b",
    re.IGNORECASE,
)
_OF_SYSTEM = re.compile(
    r"\b(?:models?|ai|systems?|machine learning|predict\w*|classif\w*|algorithm\w*|scor(?:e|es|ing)"
    r"|outputs?|answers?|propos\w+|data|users?|services?|prompts?|software|assistants?|chatbot|agents?"
    r"|automat\w+|applications?|api|accura\w+|errors?|apps?|product|library|program)\b",
    re.IGNORECASE,
)
_RISKS = frozenset(
    ("risk_management_document", "rights_impact_assessment", "data_protection_impact_assessment")
)
_FACTS = 2
_FACTS_ON_RISKS = 4
"""Figures, dates, spans and names that a section states at least."""
_SHORT_FIELD = re.compile(r"\s*(?:[-*+]\s+)?\**[A-Z][\w /()-]{2,40}:\**(?:\s+[^\s\d]+){0,6}\s*$")
"""A field of a form with a word or two in it."""
_SHORT = 40
"""Words of a section from which on one sentence of substance is too little."""
_AT_LENGTH = 60
_PARTICULARS = 4
"""Words, and sentences of substance, from which on a section needs no figure."""
_WORDS = 9
"""Words of a section below which it tells nobody anything."""


@dataclass(frozen=True, slots=True)
class DocumentSection:
    """A section, those below it included: its first and last line, and what it says."""

    first: int
    last: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """The sections of a document, and the lines in fences, which show code and say nothing."""

    sections: tuple[DocumentSection, ...]
    fenced: frozenset[int]
    is_strange: bool = False
    """A licence, or a page that names nothing of a system at all."""
    title: str = ""
    """Its first heading."""

    def list_lines(self) -> tuple[str, ...]:
        """What the document says, but for headings and what stands in fences."""
        return self.sections[0].lines if self.sections else ()

    def has_substance(self, line: int, signal: str = "") -> bool:
        """Whether the innermost section around a line says something of substance."""
        inside = [one for one in self.sections if one.first <= line <= one.last]
        if self.is_strange or not inside:
            return False
        return _has_substance(inside[-1].lines, risks=signal in _RISKS)

    def has_any_substance(self, signal: str = "") -> bool:
        """Whether the document as a whole does."""
        lines = self.list_lines()
        return not self.is_strange and _has_substance(lines, risks=signal in _RISKS)


def is_licence(text: str) -> bool:
    """Whether a page is a licence, which says nothing of any system."""
    return _LEGAL.search(text[:3_000]) is not None


_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def strip_comments(text: str) -> str:
    """A text without what a page does not show, each line where it was."""
    return _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)


def _is_about_system(text: str) -> bool:
    return _OF_SYSTEM.search(text) is not None or has_field_word(text.lower())


_STARTS_NEW = re.compile(r"\s*(?:[-*+|>#]|\d+[.)]|={1,6} |\.\.\s|$)")
_TITLE = re.compile(r"={1,5} (?=\S)")


def join_paragraphs(text: str) -> str:
    """A text whose paragraphs and headings stand in their first line, each line where it was.

    A sentence goes on in the next line, and a heading may be told by what is below it.
    """
    lines = text.split("\n")
    fenced = _find_fenced(lines)
    joined: list[str] = []
    first = -1
    for number, line in enumerate(lines, 1):
        under = lines[number] if number < len(lines) else ""
        title = line.strip() and _UNDERLINE.match(under) and "|" not in line
        if number in fenced or title or _STARTS_NEW.match(line):
            joined.append(f"# {line.strip()}" if title else _TITLE.sub("# ", line))
            # What stands in a list goes on in the lines below it as well.
            first = number - 1 if _ITEM.match(line) and number not in fenced else -1
            continue
        if first < 0 or len(joined[first]) > _LONGEST_PARAGRAPH:
            first = number - 1
            joined.append(line)
        else:
            joined[first] += f"{JOINT}{line.strip()}"
            joined.append("")
    return "\n".join(joined)


JOINT = "\f"
"""White space that stands where a line ended, so that what is found can be counted back to it."""
_LONGEST_PARAGRAPH = 1_500


def read_document(text: str) -> DocumentFacts:
    """The sections of a Markdown or plain text, each with those below it, the whole one first."""
    text = re.sub(
        r"(?m)^={1,5} (?=\S)", lambda found: "#" * (len(found[0]) - 1) + " ", strip_comments(text)
    )
    lines = text.split("\n")
    fenced = _find_fenced(lines)
    sections = [(0, 1, len(lines))]
    open_at: list[tuple[int, int]] = []
    for number, line in enumerate(lines, 1):
        level = _get_level(lines, number, line, fenced)
        if not level:
            continue
        while open_at and open_at[-1][0] >= level:
            depth, start = open_at.pop()
            sections.append((depth, start, number - 1))
        open_at.append((level, number))
    sections += [(depth, start, len(lines)) for depth, start in open_at]
    made = tuple(
        DocumentSection(
            first,
            last,
            tuple(
                line
                for number, line in enumerate(lines[first - 1 : last], first)
                if number not in fenced and not _HEADING.match(line)
            ),
        )
        for _, first, last in sorted(sections, key=lambda one: (one[0], one[1]))
    )
    strange = is_licence(text) or not _is_about_system(text)
    headed = (n for n, line in enumerate(lines, 1) if _get_level(lines, n, line, fenced))
    first = next(headed, 0)
    return DocumentFacts(made, fenced, strange, lines[first - 1].lstrip("# ") if first else "")


def list_statements(text: str) -> tuple[str, tuple[tuple[int, str], ...]]:
    """What a page says but for promises, blanks to be filled and code, whole and by its sections.

    Each section has its first line; sections of the third level and below belong to those above.
    """
    lines = text.split("\n")
    fenced = _find_fenced(lines)
    empty = _find_empty(lines)
    unsaid = fenced | empty
    doubtful = frozenset(list_touched_lines(_UNSAID, text.encode("utf-8", "replace")))
    lines_kept = [
        "" if number in unsaid else _drop_unsaid(line) if number in doubtful else line
        for number, line in enumerate(lines, 1)
    ]
    starts = [n for n, line in enumerate(lines, 1) if 0 < _get_level(lines, n, line, fenced) <= 2]
    ends = [*starts, len(lines) + 1][1:]
    parts = tuple(
        (first, "\n".join(lines_kept[first - 1 : end - 1]))
        for first, end in zip(starts, ends, strict=True)
    )
    return "\n".join(lines_kept), parts


def _find_empty(lines: list[str]) -> frozenset[int]:
    """The headings under which another one, or nothing, follows at once."""
    written = [(n, line) for n, line in enumerate(lines, 1) if line.strip()]
    following = [*(line for _, line in written), "#"][1:]
    return frozenset(
        n
        for (n, line), below in zip(written, following, strict=True)
        if _HEADING.match(line) and (_HEADING.match(below) or below == "#")
    )


_SENTENCE = re.compile(r"(?<=[.!?])")


_UNSAID = compile_regex(
    "(?im)" + "|".join(one.pattern.replace(r"\b", "") for one in (_PLACEHOLDER, _PROMISE))
)
"""A blank to be filled or a promise, or what only looks like one."""


def _drop_unsaid(line: str) -> str:
    """What a line says but for promises, nothing if it has blanks to be filled."""
    if _PLACEHOLDER.search(line):
        return ""
    if not _PROMISE.search(line):
        return line
    return " ".join(one for one in _SENTENCE.split(line) if not _PROMISE.search(one))


def _get_level(lines: list[str], number: int, line: str, fenced: frozenset[int]) -> int:
    if number in fenced:
        return 0
    if heading := _HEADING.match(line):
        return len(heading[1])
    under = lines[number] if number < len(lines) else ""
    return 2 if line.strip() and _UNDERLINE.match(under) and "|" not in line else 0


def _find_fenced(lines: list[str]) -> frozenset[int]:
    inside = False
    fenced: set[int] = set()
    for number, line in enumerate(lines, 1):
        if _FENCE.match(line):
            inside = not inside
            fenced.add(number)
        elif inside:
            fenced.add(number)
    return frozenset(fenced)


def _has_substance(lines: tuple[str, ...], *, risks: bool) -> bool:
    written_lines = [
        line
        for line in lines
        if line.strip() and not _PLACEHOLDER.search(line) and not _SHORT_FIELD.match(line)
    ]
    blank = sum(1 for line in lines if line.strip() and _PLACEHOLDER.search(line))
    if blank > len(written_lines):
        return False
    text = "\n".join(written_lines)
    if risks and is_register(text):
        return True
    rows = [cells for line in written_lines if (cells := _read_row(line)) is not None]
    filled = [row for row in rows[1:] if sum(len(cell) > 1 for cell in row) >= max(2, len(row) - 1)]
    items = [line for line in written_lines if _ITEM.match(line) and len(line.split()) >= 4]
    words = sum(len(line.split()) for line in written_lines)
    if words < _WORDS:
        return False
    sentences = [
        one for line in written_lines for one in re.split(r"(?<=[.!?])\s+", line) if len(one) > 3
    ]
    hollow = sum(1 for one in sentences if _PROMISE.search(one))
    specific = sum(1 for one in sentences if _SPECIFIC.search(one) and not _PROMISE.search(one))
    said = specific + len(filled) + len(items) // 2
    stated = _FACTS_ON_RISKS if risks else _FACTS
    # Who says much in particular has stated something without a figure too.
    at_length = not risks and words >= _AT_LENGTH and said >= _PARTICULARS
    if not at_length and count_values(text, stated) < stated:
        return False
    return said >= (1 if words < _SHORT else 2) and hollow * 2 <= max(len(sentences), 1)


def _read_row(line: str) -> list[str] | None:
    text = line.strip()
    if not text.startswith("|") or text.count("|") < 3:
        return None
    cells = [cell.strip() for cell in text.strip("|").split("|")]
    return None if all(set(cell) <= set("-: ") for cell in cells) else cells
