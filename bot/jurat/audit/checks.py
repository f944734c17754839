"""The checks that rules are made of: each builder returns a pure function over a rationale."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from jurat.audit.checklist import Check, RuleEvidence
from jurat.audit.text import ParsedText, Phrases, parse_text

CAUSES = Phrases.of(
    "because", "therefore", "thus", "hence", "consequently", "accordingly", "due to", "owing to",
    "as a result", "as a consequence", "for this reason", "given that", "so that", "results in",
    "resulted in", "leads to", "led to", "causes", "caused by", "which means",
)  # fmt: skip
"""Connectives that say that one thing follows from another."""

_FIGURE = r"(?:0?\.\d+|1\.0+|[01]|\d{1,3}(?:\.\d+)?\s?(?:%|percent|per cent))(?![\w%])"
CONFIDENCE = re.compile(
    r"\b(?:confidence|probability|likelihood|certainty)(?:\s(?:level|score|figure|estimate|value))?"
    r"(?:\sin(?:\s\w+){1,4}?)?\s?(?:of|is|at|was|:|=|\()?\s?"
    rf"(?:about\s|around\s|roughly\s|approximately\s|~)?{_FIGURE}"
    rf"|(?<![\w.]){_FIGURE}\s(?:confident|confidence|probable|probability|likely|likelihood|certain"
    r"|certainty|sure)\b",
    re.IGNORECASE,
)
"""A figure for how sure a statement is: "confidence of 0.8", "80% likely". No bare percentage."""

CONFIDENCE_WORDS = ("confiden", "probab", "likel", "certain", "sure")
"""What every match of CONFIDENCE holds one of."""

Metadata = dict[str, Any]


def build_match(note: str, span: str = "") -> RuleEvidence:
    """Evidence of a match."""
    return RuleEvidence(matched=True, span=span, explanation=note)


def build_missing(note: str, span: str = "") -> RuleEvidence:
    """Evidence that there is none."""
    return RuleEvidence(matched=False, span=span, explanation=note)


def build_from_span(span: str, there: str, absent: str) -> RuleEvidence:
    """Evidence of a match that is `span`, or that nothing matched if it is empty."""
    return build_match(there, span) if span else build_missing(absent)


def build_phrase_check(phrases: Phrases, what: str) -> Check:
    """Whether the response says one of `phrases`. `what` completes "says …" for the reader."""
    there, absent = f"says {what}", f"does not say {what}"

    def check(_q: str, response: str, _c: str | None, _m: Metadata) -> RuleEvidence:
        return build_from_span(phrases.find_first(parse_text(response)), there, absent)

    return check


def build_pattern_check(pattern: re.Pattern[str], what: str, needs: tuple[str, ...] = ()) -> Check:
    """Whether `pattern` matches in the response. `what` completes "holds a …".

    One of `needs`, in small letters, stands in every text of ASCII that the pattern matches: most
    texts hold none of them, which is found out ten times faster.
    """
    there, absent = f"holds a {what}", f"holds no {what}"

    def check(_q: str, response: str, _c: str | None, _m: Metadata) -> RuleEvidence:
        text = parse_text(response).text
        if needs and text.isascii() and not _has_any(text.lower(), needs):
            return build_missing(absent)
        match = pattern.search(text)
        return build_from_span(match.group().lower() if match else "", there, absent)

    return check


def _has_any(text: str, needs: tuple[str, ...]) -> bool:
    return any(word in text for word in needs)


def build_length_check(words: int) -> Check:
    """Whether the response has more than `words` words."""

    def check(_q: str, response: str, _c: str | None, _m: Metadata) -> RuleEvidence:
        length = parse_text(response).length
        note = f"has {length} words (more than {words} wanted)"
        return build_match(note) if length > words else build_missing(note)

    return check


def check_holds_number(_q: str, response: str, _c: str | None, _m: Metadata) -> RuleEvidence:
    """Whether the response holds a number."""
    return build_from_span(find_number(parse_text(response)), "holds a number", "holds no number")


def find_number(reading: ParsedText) -> str:
    """One number of a text, always the same one of the same text; "" if there is none."""
    return min(reading.numbers, key=lambda number: (len(number), number), default="")


def build_metadata_check(key: str, what: str) -> Check:
    """Whether the metadata says `True` of `key`. `what` completes "the metadata says that …"."""
    unknown = build_missing(f"unknown: the metadata has no {key}")
    yes = build_match(f"the metadata says that {what}", f"metadata.{key}")
    no = build_missing(f"the metadata does not say that {what}: {key} is not true")

    def check(_q: str, _r: str, _c: str | None, metadata: Metadata) -> RuleEvidence:
        value = metadata.get(key)
        if value is None:
            return unknown
        return yes if value is True else no

    return check


def check_names_flag(_q: str, response: str, _c: str | None, metadata: Metadata) -> RuleEvidence:
    """Whether the response names one of the flags that the metadata's `flags_present` lists."""
    given = metadata.get("flags_present")
    if given is None:
        return build_missing("unknown: the metadata has no flags_present")
    flags = given if isinstance(given, list | tuple | set | frozenset) else (given,)
    reading = parse_text(response)
    names = sorted(name for flag in flags if (name := parse_text(str(flag)).spaced).strip())
    span = next((name.strip() for name in names if name in reading.spaced), "")
    return build_from_span(span, "names a flag of the case", "names no flag of the case")


# What a reasoning quotes, and whether it stands in the material.

QUOTED = re.compile(
    r'"([^"\n]*)"|`([^`\n]*)`'
    # Bounded, so that many marks that nothing closes cost no more than one look ahead each.
    r"|“([^”]{0,400})”|„([^“”]{0,400})[“”]|«([^»]{0,400})»|「([^」]{0,400})」"
)
_LEAST = 3
"""Characters below which a quote stands nearly anywhere, as where verdicts are anchored."""

_MOST = 50
"""Quotes of one text that are looked up."""


def list_quotes(text: str) -> list[str]:
    """The passages of a text that stand in quotation marks or backticks.

    If quotation marks stand inside a quotation, the whole of it is among them too.
    """
    found = ["".join(groups) for groups in QUOTED.findall(text)]
    # Straight marks do not say which of them opens: "he said "yes" to it" is one quotation.
    if text.count('"') > 2:
        found.append(text[text.index('"') + 1 : text.rindex('"')])
    return found[:_MOST]


def remove_quotes(text: str) -> str:
    """The text without its quoted passages."""
    return QUOTED.sub(' "" ', text)


def find_passage(passages: Iterable[str], source: str) -> str:
    """The first of the passages that stands in the material, "" if none does.

    Each line of a passage must stand in a line of the material, white space aside, and neither
    begin nor end inside a word there; a passage of one or two characters must be all of a line. A
    value may stand there as JSON writes it.
    """
    for passage in passages:
        for written in (passage, json.dumps(passage, ensure_ascii=False)[1:-1]):
            lines = [" ".join(line.split()) for line in written.split("\n")]
            lines = [line for line in lines if line]
            stands = _is_in_source if sum(map(len, lines)) >= _LEAST else _is_a_line
            if lines and all(stands(line, source) for line in lines):
                return passage
    return ""


def _is_a_line(text: str, source: str) -> bool:
    # Lines of a change begin with their number and "+", lines of a long value with "| ".
    line = rf"(?m)^(?:\d{{1,9}}\+|\|)?[ \t]*{re.escape(text)}[ \t\r]*$"
    return re.search(line, source) is not None


def _is_in_source(line: str, source: str) -> bool:
    return _is_in_text(line, source) or _is_in_text(line, _normalize_spaces(source))


def _is_in_text(line: str, text: str) -> bool:
    start = text.find(line)
    while start >= 0 and not _is_whole_words(start, len(line), text):
        start = text.find(line, start + len(line))
    return start >= 0


def _is_whole_words(start: int, length: int, text: str) -> bool:
    """Whether no word goes on over either end of a passage of `text`."""
    end = start + length
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (
        (_is_word_character(before) and _is_word_character(text[start]))
        or (_is_word_character(after) and _is_word_character(text[end - 1]))
    )


def _is_word_character(character: str) -> bool:
    return character.isalnum() and character.isascii()


@lru_cache(maxsize=2)
def _normalize_spaces(source: str) -> str:
    return "\n".join(" ".join(line.split()) for line in source.split("\n"))
