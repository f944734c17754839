"""Whether a reasoning is prose that somebody wrote for this case: neither a salad nor a form."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import Any

from jurat.audit.checklist import RuleEvidence
from jurat.audit.checks import build_match, build_missing, remove_quotes
from jurat.audit.claims import list_shared, list_terms
from jurat.audit.text import SMALL_WORDS, compute_stem, split_sentences

Metadata = dict[str, Any]

_BLANK = re.compile(
    r"\[(?:[A-Z][A-Z _/-]{2,}|(?i:insert|your|describe|name|quote|reason|rule|file|line|add"
    r"|explain|specify|place)\b[^\]\n]{0,60})\]"
    r"|<(?!/?[a-z]+\d?>)(?:[A-Z][A-Z _-]{2,}|(?i:insert|your|describe|name of|quote|reason|rule"
    r"|file|line|add|explain|specify|path|snippet|place|code|what|why)\b[^>\n]{0,60})>"
    r"|\{\{?\s{0,2}(?:insert|your|describe|name|quote|reason|rule|file|line|statement|explain"
    r"|path|snippet|place|code)[\w ./-]{0,60}\}?\}"
    r"|\$(?:rule|rules|reason|quote|file|line|place|code)\b|\b[Ll]orem [Ii]psum\b|\b(?:TODO|TBD"
    r"|FIXME|XXX)\b|_{4,}",
)
_OR_BLANK = re.compile(
    r"\b(?:complies/violates|keeps/breaks|allow/deny|ALLOW or DENY|is/is not|does/does not"
    r"|yes/no|pass/fail|\(s\)he|delete as applicable)\b",
    re.IGNORECASE,
)

_KEYWORD = re.compile(r"\b[A-Z]{2,}\b|\bA\b(?= (?:is|has|was|does|had|and|or|with)\b)")

_ARTICLES = frozenset({"a", "an", "the", "every"})
_NEVER_AFTER_ARTICLE = frozenset(
    "and or but because of is are was were the a an with therefore thus so has have does be by"  # noqa: SIM905 - as words
    " from into hence he she they it this must should would could cannot".split()
)
_LINKS = frozenset({"of", "from", "into", "with", "between", "than"})
_NEVER_AFTER_LINK = frozenset(
    {
        "is",
        "are",
        "was",
        "were",
        "of",
        "therefore",
        "thus",
        "and",
        "or",
        "but",
        "because",
        "has",
        "have",
        "does",
        "must",
        "should",
        "hence",
        "would",
    }
)
_FINITE = frozenset({"is", "are", "was", "were", "has", "have", "does", "am"})
_NEVER_AFTER_FINITE = frozenset(
    {"is", "are", "was", "were", "has", "does", "because", "therefore", "must", "should"}
)
_FEWEST_WORDS = 8
_OF_CODE = re.compile(
    r"\b(?:with|for|while|if|is|has|and|or|by|of) (?:statement|block|clause|loop)s?\b"
)
"""A word of code that a text names."""


def check_reads_as_prose(
    question: str, response: str, context: str | None, _m: Metadata
) -> RuleEvidence:
    """Whether the text is made of sentences: no runs of words that English has nowhere."""
    broken, words = 0, 0
    for sentence in split_sentences(remove_quotes(response)):
        # What stands in capitals is a name here: "FROM has a digest", "A has no licence".
        for run in re.split(r"[^\w'\s-]+", _KEYWORD.sub(r"code\g<0>", sentence).lower()):
            tokens = _OF_CODE.sub("thing", run).split()
            words += len(tokens)
            broken += sum(map(_is_impossible, tokens, tokens[1:]))
        broken += _is_left_open(re.findall(r"[\w'-]+|\"\"|[^\w\s.!?]", sentence))
    if broken >= 2 or (broken and words <= 20):
        return build_missing("it is no sentence that anybody could read")
    if pile := _find_pile(remove_quotes(response)):
        return build_missing("it piles up words that nothing joins", pile)
    parts = dict.fromkeys(split_sentences(remove_quotes(response).lower()))
    tokens = re.findall(r"[^\W\d_]+(?:'[a-z]+)?", " ".join(parts))
    small = sum(token in SMALL_WORDS for token in tokens)
    known = list_terms(f"{question}\n{context or ''}")
    said = list_terms(response)
    bare = len(tokens) >= _FEWEST_WORDS and small * 12 < len(tokens)
    # Prose of another language has no small words of English, and no words of the code either.
    if bare and len(list_shared(said, known)) * 2 >= len(said):
        return build_missing("it is a list of words")
    stems = [compute_stem(token) for token in tokens if len(token) > 3 and token not in SMALL_WORDS]
    if len(stems) >= _FEWEST_WORDS and Counter(stems).most_common(1)[0][1] * 3 >= len(stems):
        return build_missing("it says one word over and over")
    return build_match("it reads as prose")


def _find_pile(text: str) -> str:
    """A run of words with no small word of English among them; or ""."""
    for run in re.split(r"[^A-Za-z'\s]+", text):
        pile: list[str] = []
        for word in run.split():
            if word.lower() in SMALL_WORDS or len(word) < _LEAST or not word.isalpha():
                pile = []
            else:
                pile.append(word.lower())
            if len(pile) >= _PILE:
                return " ".join(pile)
    return ""


_LEAST, _PILE = 3, 7
_CONNECTIVES = frozenset(
    {"because", "therefore", "hence", "thus", "whereas", "whereby", "since", "although", "whence"}
)
_NEVER_LAST = frozenset({"because", "whereas", "whereby", "the", "a", "an", "of", "than", "hence"})


def _is_left_open(words: list[str]) -> bool:
    """Whether a run of words ends on one that leads on, or joins what nothing is joined to."""
    joined = [word in _CONNECTIVES for word in words]
    return len(words) > 1 and (words[-1] in _NEVER_LAST or any(map(all, pairwise(joined))))


def _is_impossible(one: str, other: str) -> bool:
    if one == other and one not in {"that", "had"} and one.isalpha():
        return True
    return (
        (one in _ARTICLES and other in _NEVER_AFTER_ARTICLE)
        or (one in _LINKS and other in _NEVER_AFTER_LINK)
        or (one in _FINITE and other in _NEVER_AFTER_FINITE)
    )


def check_is_filled_in(_q: str, response: str, context: str | None, _m: Metadata) -> RuleEvidence:
    """Whether the text is about this case, and no form that nobody filled in."""
    bare = remove_quotes(response)
    match = _BLANK.search(bare) or _OR_BLANK.search(bare)
    if match and match.group() not in (context or ""):
        return build_missing("it is a form that nobody filled in", match.group().lower())
    return build_match("it is no form")
