"""Text as the checks read it: whole words in any letter case, numbers, and where statements end.

Every pattern here is linear in the text: none has a repetition that a later part can refuse.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import Self
from unicodedata import normalize

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]"
)
"""Soft hyphens, zero-width characters and direction marks: they split words that look whole."""

_APOSTROPHES = str.maketrans({"\u2019": "'", "\u02bc": "'"})
_TOKEN = re.compile(
    r"\d+(?:[.,]\d+)*[^\W_]*"  # a number, with its unit if they are written as one: 0.3, 50k
    r"|[^\W_]+(?:'[^\W\d_]+)*"  # a word, with its apostrophes: don't
    r"|[!?;:。]|\.(?=\s|\Z)|\n[ \t\r]*\n"  # where a phrase cannot go on
)
_BREAK = "."
_ASIAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
"""Kana, Han and Hangul, whose words are not divided by spaces as these are."""

# It begins with what it consumes, and looks behind that afterwards: twice as fast as the other way.
_NUMBER = re.compile(r"[.\d](?<!\w.)(?<!\d[.,].)(?:(?<=\d)\d*(?:[.,]\d+)*|(?<=\.)\d+)")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_LIST_MARK = re.compile(r"(?m)^[ \t]*\(?\d{1,2}[.)][ \t]")
_NEW_ITEM = re.compile(r"\n(?=[ \t]*(?:[-*•]|\(?\d{1,2}[.)])[ \t])|\n[ \t\r]*\n")
_END = re.compile("[.!?;][\"'\u201d\u2019)\\]]{0,2}\\s|。")
_NEVER_LAST = frozenset({"e.g", "i.e", "cf", "vs", "dr", "mr", "mrs", "ms", "prof"})
_BEFORE_NUMBERS = frozenset(
    {"approx", "art", "arts", "ca", "ch", "cl", "fig", "nos", "no", "p", "para", "paras"}
    | {"pp", "sec", "vol"}
)
_LONGEST_ABBREVIATION = 8
_BEFORE_A_WORD = re.compile(r"[\s(\[\"']")
_SMALL_WORDS = """
a about after again all also although am among an and another any are as at be because been before
being between both but by can cannot could did do does done during each either even every few for
from further had has have having he hence her here him his how however i if in instead into is it
its itself just less many may might more most much must neither no nor not of off on once only or
other otherwise our out over own per rather same shall she should since so some such than that the
their them then there therefore these they this those though through thus to too under until up
upon us very via was we were what when where whether which while who whom whose why will with within
without would yet you your
"""
SMALL_WORDS = frozenset(_SMALL_WORDS.split())
"""Words that say nothing by themselves."""


@dataclass(frozen=True)
class ParsedText:
    """One text, taken apart once. Use `read` to make one.

    `spaced` is its words in small letters with one space between and around them, and a lone point
    where a sentence or a paragraph ends, so that a phrase is found there by `in` and never inside
    a word or across two sentences.
    """

    text: str
    spaced: str
    words: frozenset[str]
    length: int

    @cached_property
    def content(self) -> frozenset[str]:
        """The stems of the words of four letters and more that say something by themselves."""
        return frozenset(chain.from_iterable(map(_compute_content_stems, self.words)))

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of the words of three characters and more that say something."""
        return frozenset(
            compute_stem(word) for word in _iter_content_words(self.words, 3, digits=True)
        )

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The numbers, by value: 1,000.50 and 1000.5 are one. The marks of a list are none."""
        return frozenset(
            _normalize_number(match) for match in _NUMBER.findall(_LIST_MARK.sub("", self.text))
        )

    @cached_property
    def statements(self) -> int:
        """How many sentences, list items and clauses parted by semicolons hold two words or more.

        A decimal point ends none, nor does the point of an abbreviation.
        """
        return sum(_has_content(part) for part in split_sentences(self.text))


@lru_cache(maxsize=8)
def parse_text(text: str) -> ParsedText:
    """The text, taken apart. A few are remembered, since each check of a set reads the same."""
    clean = text
    if not text.isascii():
        # NFKC leaves soft hyphens where they are: no phrase would be heard across them.
        visible = _INVISIBLE.sub("", text).encode("utf-8", "replace").decode("utf-8")
        clean = normalize("NFKC", visible).translate(_APOSTROPHES)
    tokens = [token if token[0].isalnum() else _BREAK for token in _TOKEN.findall(clean.lower())]
    words = frozenset(tokens) - {_BREAK}
    length = len(tokens) - tokens.count(_BREAK)
    if not clean.isascii():
        # Two characters are about a word if spaces do not say so.
        length += sum(len(run) // 2 for run in _ASIAN.findall(clean))
    return ParsedText(clean, f" {' '.join(tokens)} ", words, length)


@dataclass(frozen=True, slots=True)
class Phrases:
    """Words and phrases to look for. One that ends in "*" stands for all words that begin so."""

    words: tuple[str, ...]
    runs: tuple[str, ...]

    @classmethod
    def of(cls, *phrases: str) -> Self:
        """Raises ValueError for a phrase without a word, or with a "*" other than at its end."""
        words: list[str] = []
        runs: list[str] = []
        for phrase in phrases:
            open_end = phrase.endswith("*")
            parts = parse_text(phrase.removesuffix("*")).spaced.split()
            if not parts or _BREAK in parts or "*" in phrase[:-1]:
                problem = f"{phrase!r} is no phrase: write words, with * only at the very end"
                raise ValueError(problem)
            if len(parts) == 1 and not open_end:
                words += parts
            else:
                runs.append(f" {' '.join(parts)}{'' if open_end else ' '}")
        return cls(tuple(words), tuple(runs))

    def find_first(self, reading: ParsedText) -> str:
        """The first of the phrases that is said, as it stands there in small letters, or ""."""
        return next(self.find_all(reading), "")

    def find_all(self, reading: ParsedText) -> Iterator[str]:
        """Each of the phrases that is said, words before longer phrases, in the order given."""
        for word in self.words:
            if word in reading.words:
                yield word
        for run in self.runs:
            start = reading.spaced.find(run)
            if start >= 0:
                end = reading.spaced.index(" ", start + len(run) - 1)
                yield reading.spaced[start + 1 : end]


@lru_cache(maxsize=4096)
def compute_stem(word: str) -> str:
    """A word without the endings of English grammar, so that "logs" and "logging" are one.

    A crude version of the first step of Porter's stemmer (https://tartarus.org/martin/PorterStemmer
    /def.txt): enough to tell whether two short texts speak of the same things.
    """
    if word.endswith(("ies", "ied")) and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        word = word[:-1]
    for ending in ("ing", "ed"):
        bare = word.removesuffix(ending)
        if bare != word and len(bare) > 2 and not _VOWELS.isdisjoint(bare):
            doubled = bare[-1] == bare[-2] and bare[-1] not in "lsz"
            return bare[:-1] if doubled else bare.removesuffix("e")
    return word.removesuffix("e") if len(word) > 3 else word


_VOWELS = frozenset("aeiouy")


@lru_cache(maxsize=4096)
def _compute_content_stems(word: str) -> tuple[str, ...]:
    return tuple(compute_stem(piece) for piece in _iter_content_words((word,), 4))


def _iter_content_words(words: Iterable[str], least: int, *, digits: bool = False) -> Iterator[str]:
    for word in words:
        if not word.isascii() and _ASIAN.search(word):
            for run in _ASIAN.findall(word):
                yield from (run[index : index + 2] for index in range(max(1, len(run) - 1)))
        elif len(word) >= least and word not in SMALL_WORDS and _is_word(word, digits=digits):
            yield word


def _is_word(text: str, *, digits: bool) -> bool:
    return text.isalpha() or (digits and text.isalnum() and not text.isdigit())


@lru_cache(maxsize=1024)
def _normalize_number(number: str) -> str:
    """A number in one form. Figures with several marks, such as a version, stay as they are."""
    if _THOUSANDS.fullmatch(number):
        number = number.replace(",", "")
    whole, mark, fraction = number.replace(",", ".").partition(".")
    if mark and not fraction.isdigit():
        return number
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole


def split_sentences(text: str) -> Iterator[str]:
    """The sentences, list items and clauses parted by semicolons, in order."""
    for item in _NEW_ITEM.split(text):
        start = 0
        for match in _END.finditer(item):
            if not _is_abbreviation(item, match.start(), match.end()):
                yield item[start : match.end()]
                start = match.end()
        yield item[start:]


def _is_abbreviation(text: str, point: int, after: int) -> bool:
    """Whether the point at `point` belongs to a word rather than to a sentence."""
    if text[point] != ".":
        # What a quotation ends with ends no sentence that goes on: `"run!" will hang`.
        return after - point > 2 and text[after : after + 1].islower()
    before = text[max(0, point - _LONGEST_ABBREVIATION) : point].lower()
    word = _BEFORE_A_WORD.split(before)[-1]
    if word in _NEVER_LAST:
        return True
    followed_by_number = text[after : after + 1].isdigit()
    at_start = text[:point].strip().isdigit() if point < 4 else False
    return at_start or (word in _BEFORE_NUMBERS and followed_by_number)


def _has_content(part: str) -> bool:
    return len(part.split()) > 1 or any(len(run) > 3 for run in _ASIAN.findall(part))
