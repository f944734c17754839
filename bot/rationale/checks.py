"""The checks that rules are made of: each builder returns a pure function over a rationale."""

from __future__ import annotations

import re
from typing import Any

from bot.rationale.checklist import Check, RuleEvidence
from bot.rationale.words import Phrases, Reading, read

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


def found(note: str, span: str = "") -> RuleEvidence:
    """Evidence of a match."""
    return RuleEvidence(matched=True, span=span, explanation=note)


def missing(note: str, span: str = "") -> RuleEvidence:
    """Evidence that there is none."""
    return RuleEvidence(matched=False, span=span, explanation=note)


def by_span(span: str, there: str, absent: str) -> RuleEvidence:
    """Evidence of a match that is `span`, or that nothing matched where it is empty."""
    return found(there, span) if span else missing(absent)


def says(phrases: Phrases, what: str) -> Check:
    """Whether the response says one of `phrases`. `what` completes "says …" for the reader."""
    there, absent = f"says {what}", f"does not say {what}"

    def check(_q: str, response: str, _c: str | None, _m: Metadata) -> RuleEvidence:
        return by_span(phrases.first(read(response)), there, absent)

    return check


def finds(pattern: re.Pattern[str], what: str, needs: tuple[str, ...] = ()) -> Check:
    """Whether `pattern` matches in the response. `what` completes "holds a …".

    One of `needs`, in small letters, stands in every text of ASCII that the pattern matches: most
    texts hold none of them, which is found out ten times faster.
    """
    there, absent = f"holds a {what}", f"holds no {what}"

    def check(_q: str, response: str, _c: str | None, _m: Metadata) -> RuleEvidence:
        text = read(response).text
        if needs and text.isascii() and not _holds_any(text.lower(), needs):
            return missing(absent)
        match = pattern.search(text)
        return by_span(match.group().lower() if match else "", there, absent)

    return check


def _holds_any(text: str, needs: tuple[str, ...]) -> bool:
    return any(word in text for word in needs)


def longer_than(words: int) -> Check:
    """Whether the response has more than `words` words."""

    def check(_q: str, response: str, _c: str | None, _m: Metadata) -> RuleEvidence:
        length = read(response).length
        note = f"has {length} words (more than {words} wanted)"
        return found(note) if length > words else missing(note)

    return check


def holds_number(_q: str, response: str, _c: str | None, _m: Metadata) -> RuleEvidence:
    """Whether the response holds a number."""
    return by_span(a_number(read(response)), "holds a number", "holds no number")


def a_number(reading: Reading) -> str:
    """One number of a text, always the same one of the same text; "" where there is none."""
    return min(reading.numbers, key=lambda number: (len(number), number), default="")


def reported(key: str, what: str) -> Check:
    """Whether the metadata says `True` of `key`. `what` completes "the metadata says that …"."""
    unknown = missing(f"unknown: the metadata has no {key}")
    yes = found(f"the metadata says that {what}", f"metadata.{key}")
    no = missing(f"the metadata does not say that {what}: {key} is not true")

    def check(_q: str, _r: str, _c: str | None, metadata: Metadata) -> RuleEvidence:
        value = metadata.get(key)
        if value is None:
            return unknown
        return yes if value is True else no

    return check


def names_a_flag(_q: str, response: str, _c: str | None, metadata: Metadata) -> RuleEvidence:
    """Whether the response names one of the flags that the metadata's `flags_present` lists."""
    given = metadata.get("flags_present")
    if given is None:
        return missing("unknown: the metadata has no flags_present")
    flags = given if isinstance(given, list | tuple | set | frozenset) else (given,)
    reading = read(response)
    names = sorted(name for flag in flags if (name := read(str(flag)).spaced).strip())
    span = next((name.strip() for name in names if name in reading.spaced), "")
    return by_span(span, "names a flag of the case", "names no flag of the case")
