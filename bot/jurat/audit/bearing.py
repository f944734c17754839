"""How the words of a reasoning stand to the material: which it takes from there, and what it adds.

A reason says something of what is there, so it brings words of its own: what the code does, what
follows from it. Who only lists names, turns the rule's words round or stirs those of the code adds
none. No word of a domain is known here; of English its closed classes and its light verbs, which
say nothing by themselves (Jespersen 1942, A Modern English Grammar, part VI).
"""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import Any

from jurat.audit.changes import read_change
from jurat.audit.checklist import RuleEvidence
from jurat.audit.checks import build_match, build_missing, list_quotes, remove_quotes
from jurat.audit.claims import NEGATIONS, WORD, iter_terms, list_shared, list_terms, list_unrelated
from jurat.audit.grounding import count_anchors, is_english, strip_headings
from jurat.audit.text import compute_stem, split_sentences

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
    # A name in code is nobody's own word, and of several parts.
    terms = list(iter_terms(_drop_code(response)))
    known = list_terms(f"{question}\n{context or ''}")
    if len(terms) < _LEAST_TERMS or len(known) > _MOST_OF_MATERIAL:
        return build_match("it is too short, or the material too long, to compare their words")
    new = set(list_unrelated(terms, known))
    if sum(term not in new for term in terms) < _MOST_SHARED * len(terms):
        return build_match("it adds words of its own")
    return build_missing("it stirs the words of the rule and the code, and adds none")


def _drop_code(text: str) -> str:
    """The text without its runs of code: each is looked at once, however long it is."""
    return _RUN.sub(lambda run: " " if _IN_CODE.search(run[0]) else run[0], text)


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
_LINES = re.compile(
    r"(?i)\b(?:lines?|l)\.?\s?\d+(?:\s?(?:-|to|and)\s?\d+)?|(?<!\S)\S+\.\w{1,5}:\d+"
)
_SAYS = re.compile(
    r"(?<![\w./-])\d\w*(?![\w./-])|\b(?:the one|two|three|four)\b|[=<>!~]=|[<>]"
    r"|(?<=\w)n't\b|\bonly\b"
)


_OTHER_QUALITY = re.compile(
    r"\b(?:naming|(?:well|short|telling|clear|descriptive|good|consistent|separate|snake"
    r"|camel)[- ](?:named|names?|case)|readab\w+|reads? (?:\w+ )?(?:well|better|nicely|cleanly)"
    r"|(?:pleasant|easy|easier|hard|harder|nice) to (?:read|scan|follow|maintain|understand)|tidy"
    r"|tidied|neat\w*|elegan\w+|coding style|style guide|indent\w*|conventions?|maintainab\w+"
    r"|docstrings?"
    r"|annotat\w+|type hints?|ought to be typed|lint\w*|idiomatic|modern|old-fashioned|old way"
    r"|pretty|ugly|verbose|concise|mouthful|clarity|(?:well|clearly|neatly)[- ](?:structured"
    r"|written|organi[sz]ed|formatted|documented|thought|laid)|best practices?|unprofessional"
    r"|polished|clean (?:code|and)|code (?:is|looks) clean|craftsmanship|structure is|duplicat\w+"
    r"|refactor\w*|test coverage|unit tests?|performan(?:t|ce)|efficien\w+|scal(?:es|able"
    r"|ability)|architecture|layout)\b",
    re.IGNORECASE,
)
"""Speaks of a quality of code (compare ISO/IEC 25010), which a rule asks for or does not."""


def check_bears_on_rule(
    question: str, response: str, context: str | None, _m: Metadata
) -> RuleEvidence:
    """Whether a longer text bears on the rule, and on no other that it brings along."""
    statement = question.split("\n", 1)[0]
    bare = remove_quotes(response)
    if len(bare.split()) < _LEAST_WORDS or not is_english(response):
        return build_match("it is too short to tell")
    taken = len(list_shared(list_terms(statement), list_terms(response)))
    of_rule = list_shared(list_terms(response), list_terms(question))
    sentences = [item for item in split_sentences(bare) if re.search(r"\w", item)]
    if not _OTHER_QUALITY.search(question) and taken * 3 <= len(list_terms(statement)):
        praised = [
            match.group()
            for item in sentences
            if (match := _OTHER_QUALITY.search(item))
            and not list_shared(list_terms(_NAMES.sub(" ", item)), list_terms(question))
            and not list_shared(list_terms(match.group()), list_terms(context or ""))
        ]
        if praised and (not of_rule or len(praised) * 2 >= len(sentences)):
            return build_missing("it speaks of what the rule does not ask for", praised[0].lower())
    if taken <= 1:
        for item, following in zip_longest(sentences, sentences[1:], fillvalue=""):
            norm = _OTHER_NORM.search(item)
            ends = len(following.split()) <= _SHORT and _REFUSES.search(following)
            if not (norm and (_HENCE.search(item) or ends)):
                continue
            if not list_shared(list_terms(item), list_terms(question)):
                return build_missing("it goes by another rule", norm.group().lower().strip())
    if not of_rule and len(bare.split()) >= _LONG and _is_idle(response, context or ""):
        return build_missing("it speaks neither of the rule nor of what was shown")
    return build_match("it bears on the rule or on what was shown")


def _is_idle(text: str, context: str) -> bool:
    """Whether a text holds on to nothing of a change, though there are words to hold on to."""
    if count_anchors(text, strip_headings(context)):
        return False
    if any(len(quote) > 1 and quote in context for quote in list_quotes(text)):
        return False
    # Of code with hardly a word in it anything is said in other words: "(a+)+".
    change = read_change(context)
    return len(list_terms("\n".join((*change.added, *change.removed)))) >= _WORDY


_OTHER_NORM = re.compile(
    r"(?:^|[,;:]\s|\b(?:and|but|because|since|as)\s)\W*(?:an? |every |each |all |any "
    r"|no )?(?!(?:the|this|that|it|these|those|there|we|you|i|he|she|they|which|who|what|one"
    r"|nothing|something|nobody)\b)(?:[a-z]+ ){0,2}?[a-z]{3,} (?:should|must|ought to|has to"
    r"|have to|needs? to)(?: only)? \w+",
    re.IGNORECASE,
)
"""Says of all things of a kind how they should be, which is what a rule does."""
_HENCE = re.compile(
    r"\b(?:therefore|hence|thus|which (?:is why|makes|means)|so (?:this|it|that)\b|for (?:this"
    r"|that) reason)\b",
    re.IGNORECASE,
)
_REFUSES = re.compile(r"\b(?:not|no|den\w+|reject\w*|fail\w*|violat\w+)\b", re.IGNORECASE)
_SHORT = 5
_RUN = re.compile(r"\S+")
_IN_CODE = re.compile(r"[_(){}\[\]=/:.]\w|\w[({\[:/]|[a-z][A-Z]")
_NAMES = re.compile(r"\b\w*_\w*\b|\b\w+\(\)")
_LEAST_WORDS, _LONG, _WORDY = 8, 20, 4
