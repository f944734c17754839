"""How the words of a reasoning stand to the material: which it takes from there, and what it adds.

A reason says something of what is there, so it brings words of its own: what the code does, what
follows from it. Who only lists names, turns the rule's words round or stirs those of the code adds
none. No word of a domain is known here; of English its closed classes and its light verbs, which
say nothing by themselves (Jespersen 1942, A Modern English Grammar, part VI).
"""

from __future__ import annotations

import re
from typing import Any

from jurat.audit.checklist import RuleEvidence
from jurat.audit.checks import build_match, build_missing, list_quotes, remove_quotes
from jurat.audit.claims import NEGATIONS, WORD, iter_terms, list_shared, list_terms, list_unrelated
from jurat.audit.grounding import strip_headings
from jurat.audit.text import compute_stem

Metadata = dict[str, Any]

_LIGHT_WORDS = """
do make have get take come go put give let be become ask need want keep bring mean ought look like
one many such much same thing kind sort place part lot bit place where here now then quite
"""
LIGHT = frozenset(compute_stem(word) for word in _LIGHT_WORDS.split())
"""Stems of verbs and nouns that say nothing by themselves."""

_LEAST_TERMS = 12
_MOST_SHARED = 0.7
_MOST_OF_MATERIAL = 150
"""Terms of a material from which on any text shares many of them by chance."""


def check_adds_words(
    question: str, response: str, context: str | None, _m: Metadata
) -> RuleEvidence:
    """Whether a longer text has words that neither the rule nor a short material gave it.

    Of the good reasonings that were seen none takes seven tenths of its words from there; who
    stirs the words of the code into sentences without sense takes most.
    """
    if list_quotes(response):
        return build_match("it quotes, and what is quoted is nobody's own")
    terms = list(iter_terms(response))
    known = list_terms(f"{question}\n{context or ''}")
    if len(terms) < _LEAST_TERMS or len(known) > _MOST_OF_MATERIAL:
        return build_match("it is too short, or the material too long, to compare their words")
    new = set(list_unrelated(terms, known))
    if sum(term not in new for term in terms) < _MOST_SHARED * len(terms):
        return build_match("it adds words of its own")
    return build_missing("it stirs the words of the rule and the code, and adds none")


def is_on_topic(rest: str, rule: str, context: str) -> bool:
    """Whether what is left of a text, once what supports nothing is gone, is about the case.

    "The change was weighed up and is sent back" leaves "is sent back".
    """
    if list_quotes(rest) or _SAYS.search(rest):
        return True
    if any(word.lower() in NEGATIONS for word in WORD.findall(rest)):
        return True
    return bool(list_shared(list_terms(rest), list_terms(f"{rule}\n{context}")))


def is_circular(text: str, rule: str, context: str, assessing: frozenset[str]) -> bool:
    """Whether a text is made of the rule's words, again and again, for a thing of the material."""
    own = list_terms(rule.split("\n", 1)[0])
    terms = list(iter_terms(remove_quotes(text)))
    taken = set(list_shared(terms, own))
    if len(terms) < _SHORTEST_CIRCLE or sum(term in taken for term in terms) < (
        _MOST_SHARED * len(terms)
    ):
        return False
    said_of = list_terms(context) | assessing | LIGHT
    return not list_unrelated(list_unrelated(terms, own), said_of)


_SHORTEST_CIRCLE = 8


def has_no_statement(text: str, rule: str, context: str, assessing: frozenset[str]) -> bool:
    """Whether a text names things of the material and says nothing of any of them.

    Something is said by a word of its own or of the rule, a figure that is no line's, a sign, a
    quotation, or a word for absence before a thing.
    """
    bare = _LINES.sub(" ", remove_quotes(text))
    if list_quotes(text) or _SAYS.search(bare):
        return False
    terms = list_terms(bare)
    if list_shared(terms, list_terms(rule) - assessing - LIGHT):
        return False
    if any(word.lower() in NEGATIONS - {"not", "cannot"} for word in WORD.findall(bare)):
        return False
    names = list_terms(context)
    if list_unrelated(terms, names | assessing | LIGHT):
        return False
    # "acl is private" says one thing of another; "acl on reports: examined, does not do" does not.
    said, code = list(iter_terms(bare)), list_terms(strip_headings(context))
    last = max((place for place, term in enumerate(said) if list_shared([term], code)), default=-1)
    return len(said) - last > _SHORTEST_TAIL


_SHORTEST_TAIL = 2
_LINES = re.compile(r"(?i)\b(?:lines?|l)\.?\s?\d+(?:\s?(?:-|to|and)\s?\d+)?|\S+\.\w{1,5}:\d+")
_SAYS = re.compile(
    r"(?<![\w./-])\d\w*(?![\w./-])|\b(?:the one|two|three|four)\b|[=<>!~]=|[<>]|\w+n't\b|\bonly\b"
)
