"""Which way a reasoning leans: whether it tells of a fault, or of what keeps the rule.

Terse reasons seldom say "violates" or "complies". They name what is harmful or what keeps harm
away, by the rule's own words or by others, with or without a negation; they propose ("use a lock"),
or say that somebody can do what nobody should. Each of these is counted, and the counts are
weighed. The weights were fitted to labelled texts (see docs/rationale.md); none is of one word.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache

from jurat.audit.checks import remove_quotes
from jurat.audit.claims import BEFORE, NEGATIONS, is_related, list_terms
from jurat.audit.lexicon import is_harm, is_safe
from jurat.audit.text import SMALL_WORDS, compute_stem, split_sentences

_TURNING = NEGATIONS | frozenset(
    "lacks lack lacking missing misses miss absent forgets forgot forget fails failing unable skips"  # noqa: SIM905 - reads best as words
    " skip skipped omits omitted neglects refuses prevents prevent prevented stops avoids avoid"
    " avoiding impossible rid nil zero instead rather sans drops dropped removes removed disables"
    " disabled forbids forbid forbidden bypasses bypassed bypass far".split()
)
"""Words that turn round what follows them in their clause."""

_REACH = 6
"""Words that one of these reaches."""

_UNDONE = re.compile(r"un(?!it|i[qv]|der|til|less|ix|ion|do)\w{4,}|non-?\w{4,}")
_CLAUSES = re.compile(
    r"[,;:\n()]|\s[-\u2013\u2014]+\s|\b(?:but|because|since|while|whereas|although|though|so"
    r"|however|yet|which|that|and|then|before|after|until|unless|if|when|where)\b",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[A-Za-z][\w.]*[-'][A-Za-z][\w'-]*|[A-Za-z_]\w*|\d[\w.,]*|[?!]")
_PROPOSING_WORDS = """
use add make wrap close return check validate escape move remove rename replace drop delete set
put pass call keep bind catch raise log await release lock limit bound cap pin write read hash
encrypt switch go take avoid don't please consider try ask give fetch store load hand let get
prefer need guard quote parametrise parameterise parameterize sanitize document name fix turn
swap split extract cast convert change sort order filter mask strip hold wait run stop start
define declare introduce specify include mark tag scope narrow restrict authenticate verify sign
generate create compute compare retry page paginate stream batch flush dispose free unlock
require reject refuse bring
"""
_PROPOSING = frozenset(_PROPOSING_WORDS.split())
"""Verbs that open a proposal, where they open a sentence."""

_PREDICATE = frozenset(
    "is are has have must can may do does be need needs stay stays use uses come comes carry"  # noqa: SIM905 - as above
    " carries hold holds say says name names bear bears run runs".split()
)
_BOUNDED_ABOVE = re.compile(
    r"\b(?:below|under|at most|no more|not? (?:more|exceed\w*|longer|over)|maximum|limit(?:ed|s)?"
    r"|within|up to|less than|fewer|short(?:er)?)\b"
)
_BOUNDED_BELOW = re.compile(r"\b(?:at least|minimum|no (?:less|fewer)|above|more than|longer)\b")
_OVER = re.compile(
    r"\b(?:above|over|exceed\w*|more than|beyond|longer than|greater|higher|twice)\b"
)
_UNDER = re.compile(r"\b(?:below|under|less than|fewer|short of|lower|only|within|at most)\b")

_FORMS: Mapping[str, re.Pattern[str]] = {
    name: re.compile(rf"\b(?:{words})\b")
    for name, words in {
        "should": r"should|must|needs? to|ought|ha(?:s|ve) to",
        "would": "would|could|might",
        "can": "can",
        "cannot": "cannot|can't",
        "please": "please|better",
        "instead": "instead|rather than",
        "if": "if|when|once",
        "so": "so|hence|therefore|thus",
        "without": "without",
        "any": "any|anyone|anybody|whoever|everyone",
        "never": "never",
        "nobody": "nobody|nothing|nowhere|none",
        "no": "no",
        "only": "only",
        "all": "every|all|each|both",
        "still": "still",
        "will": "will",
        "by": "by|through|via|with|within",
        "even": "even|whatever",
        "already": "already|now|comes? with",
        "straight": "straight|directly|as it is|as is|verbatim|raw",
    }.items()
}


@lru_cache(maxsize=8)
def _read_rule(rule: str) -> tuple[bool, frozenset[str], frozenset[str]]:
    """Whether a rule forbids, the stems of what it demands, and those of what it forbids.

    What stands before is what the rule is about, and leans nowhere.
    """
    words = [word.lower() for word in _TOKEN.findall(rule.split("\n", 1)[0])]
    for place, word in enumerate(words):
        if word in _TURNING:
            return True, frozenset(), list_terms(" ".join(words[place + 1 :]))
    for place, word in enumerate(words):
        if word in _PREDICATE and place:
            return False, list_terms(" ".join(words[place:])), frozenset()
    return False, list_terms(" ".join(words[len(words) // 2 :])), frozenset()


def _is_of(word: str, terms: frozenset[str]) -> bool:
    stem = compute_stem(word)
    return stem in terms or any(is_related(stem, term) for term in terms)


def list_traits(text: str, rule: str) -> Mapping[str, int]:
    """What of a text leans, counted, each at most twice."""
    bare = remove_quotes(text)
    found: Counter[str] = Counter()
    forbids, _, _ = _read_rule(rule)
    for sentence in split_sentences(bare):
        words = [word.lower() for word in _TOKEN.findall(sentence)]
        found["proposes"] += any(word in _PROPOSING for word in words[:1]) or (
            words[:1] in (["please"], ["just"], ["better"], ["and"], ["maybe"])
            and any(word in _PROPOSING for word in words[1:2])
        )
        found["asks"] += words[-1:] == ["?"]
        for clause in _CLAUSES.split(sentence):
            found.update(_iter_leaning(clause, rule))
    plain = " ".join(word.lower() for word in _TOKEN.findall(bare))
    found.update(name for name, form in _FORMS.items() if form.search(plain))
    statement = rule.split("\n", 1)[0].lower()
    for bound, beyond, within in (
        (_BOUNDED_ABOVE, _OVER, _UNDER),
        (_BOUNDED_BELOW, _UNDER, _OVER),
    ):
        if re.search(r"\d", statement) and bound.search(statement):
            found["beyond the bound"] += beyond.search(plain) is not None
            found["within the bound"] += within.search(plain) is not None
            break
    if forbids:
        found["of a ban"] = 1
    return {name: min(count, 2) for name, count in found.items() if count}


def _iter_leaning(clause: str, rule: str) -> Iterator[str]:
    if BEFORE.search(clause):
        return
    forbids, demanded, forbidden = _read_rule(rule)
    about = list_terms(rule.split("\n", 1)[0])
    words = [word.lower() for word in _TOKEN.findall(clause)]
    turns = [place for place, word in enumerate(words) if _is_turning(word)]
    for place, word in enumerate(words):
        if _is_turning(word):
            yield "turns, of a ban" if forbids else "turns"
            continue
        if len(word) < 2 or (word in SMALL_WORDS and word not in _TELLING):
            continue
        turned = sum(0 < place - turn <= _REACH for turn in turns) % 2
        lean = _find_lean(word, demanded, forbidden, about)
        if lean:
            yield f"no {lean}" if turned else lean
        elif turned:
            yield "no other thing, of a ban" if forbids else "no other thing"


_TELLING = frozenset(
    {"only", "already", "always", "before", "both", "each", "every", "within", "still"}
)


def _is_turning(word: str) -> bool:
    return word in _TURNING or word.endswith("n't")


def _find_lean(
    word: str, demanded: frozenset[str], forbidden: frozenset[str], about: frozenset[str]
) -> str:
    if _is_of(word, forbidden):
        return "what is banned"
    if _is_of(word, demanded):
        return "what is demanded"
    if compute_stem(word) in about:
        return ""
    if is_safe(word):
        return "safety"
    return "harm" if is_harm(word) or _UNDONE.fullmatch(word) else ""


def rate_fault(text: str, rule: str) -> float:
    """How surely a text tells of a fault, from 0 (it tells that the rule is kept) to 1."""
    total = _BIAS + sum(
        count * _WEIGHTS.get(name, 0.0) for name, count in list_traits(text, rule).items()
    )
    return 1 / (1 + math.exp(-total))


_BIAS = -0.26
_WEIGHTS: Mapping[str, float] = {
    "no what is banned": -1.88,
    "so": -0.78,
    "safety": -0.62,
    "nobody": -0.56,
    "cannot": -0.55,
    "no harm": -0.46,
    "what is demanded": -0.33,
    "only": -0.32,
    "by": -0.28,
    "no": -0.27,
    "already": -0.25,
    "turns, of a ban": -0.23,
    "within the bound": -0.10,
    "of a ban": 0.01,
    "all": 0.21,
    "no other thing": 0.21,
    "no other thing, of a ban": 0.30,
    "if": 0.31,
    "instead": 0.40,
    "would": 0.46,
    "straight": 0.55,
    "can": 0.55,
    "even": 0.57,
    "never": 0.58,
    "asks": 0.65,
    "what is banned": 0.73,
    "turns": 0.90,
    "still": 0.94,
    "please": 0.94,
    "without": 1.07,
    "beyond the bound": 1.11,
    "no what is demanded": 1.12,
    "no safety": 1.16,
    "proposes": 1.18,
    "should": 1.33,
    "any": 1.46,
    "will": 1.79,
    "harm": 2.14,
}
"""As `python -m tests.audit.fit_stance` prints them."""
