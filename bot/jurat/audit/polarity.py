"""Which way a text argues: that something is amiss with what was judged, or that all is in order.

Words for harm and for care have a sign; what negates, lacks or keeps out turns the sign of what it
stands before (Moilanen and Pulman 2007, Sentiment Composition, RANLP). What a clause says of the
rule's own words agrees with the rule, or goes against it, by whether both are negated or neither.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from jurat.audit.checks import remove_quotes
from jurat.audit.claims import NEGATIONS, find_lean, is_turned, list_shared, list_terms
from jurat.audit.grounding import count_anchors
from jurat.audit.lexicon import is_burden, is_care, is_harm
from jurat.audit.text import parse_text, split_sentences

_CLAUSE = re.compile(
    r"[,;:.!?\n]\s|\s[(]|\s[-\u2013\u2014]\s|\b(?:but|because|since|while|whereas|although|though"
    r"|so|and|as|which|that|however|yet|where|who)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")
_LACKING = re.compile(
    r"lack\w*|miss(?:es|ing)|absen\w+|omit\w*|without|forg[eo]t\w*|skip\w*|ignor\w*|fail\w*"
    r"|bypass\w*|neither|nor|zero"
)
_KEEPING_OUT = re.compile(
    r"(?:prevent|avoid|stop|forbid|forbad|refus|reject|exclud|eliminat|remov|drop|replac|instead"
    r"|rather|block)\w*|rid"
)
_UNDONE = re.compile(
    r"(?:un(?!it|i[qv]|der|til|less|chang|affect|touch|privileg|condition|harm)\w{3,}(?:ed|able"
    r"|ible|safe)|in(?:correct|valid|secure|sufficient|complete|consistent|accessible))"
)
_REACH = 6
"""Words over which a negation turns what follows it."""

_ADVICE = re.compile(
    r"(?:^|[.;:,]\s|\b(?:please|just|then)\s)(?:use|add|pin|cap|bind|wrap|move|return|put|replace"
    r"|call|pass|set|make|keep|log|check|escape|close|release|store|read|write|switch|rename"
    r"|remove|drop|limit|bound|bring|require|take|give|count|resolve|answer|raise|load|inject"
    r"|validate|verify|encrypt|hash|revert|restore)\b|\b(?:should|must|needs? (?:to|an?)|has to"
    r"|have to|ought to|instead|please|would (?:do|be enough|fix|solve|settle|close)|is (?:needed"
    r"|required|missing))\b",
    re.IGNORECASE,
)
_OUTSIDER = re.compile(
    r"\b(?:attackers?|intruders?|anyone|anybody|whoever|everyone|everybody|the (?:public|world"
    r"|internet)|any (?:site|page|user|client|caller|visitor|process|request|host|origin|one)"
    r"|strangers?|third part(?:y|ies)|somebody|someone|crafted|malicious|forged)\b",
    re.IGNORECASE,
)
_HARMFUL = re.compile(
    r"\b(?:out of (?:bounds|range|memory|sync)|past the end|in (?:plain|clear)(?: text| sight|text)"
    r"|for ever|too late|takes its place|at its word|as it is)\b",
    re.IGNORECASE,
)
_MOST = 3


def compute_lean(text: str, rule: str) -> float:
    """How much a text argues that the rule is broken: above 0 if it does, below if it is kept."""
    measured = measure_polarity(text, rule)
    return WEIGHTS["bias"] + sum(WEIGHTS[name] * value for name, value in measured.items())


def measure_polarity(text: str, rule: str) -> Mapping[str, float]:
    """How often a text does what tells which way it argues, each by its name in WEIGHTS."""
    bare = remove_quotes(parse_text(text).text)
    statement = rule.split("\n", 1)[0]
    own, turned = list_terms(statement), is_turned(statement)
    counts: Counter[str] = Counter()
    shares = {"agrees": 0.0, "opposes": 0.0}
    for sentence in split_sentences(bare):
        counts["advice"] += _ADVICE.search(sentence) is not None
        counts["outsider"] += _OUTSIDER.search(sentence) is not None
        counts["harm"] += len(_HARMFUL.findall(sentence))
        for clause in _CLAUSE.split(sentence):
            found = Counter(_iter_signs(clause.lower()))
            counts.update(found)
            shared = list_shared(own, list_terms(clause))
            side = "agrees" if is_turned(clause) == turned else "opposes"
            shares[side] += len(shared) / max(1, len(own))
            # Of a thing that the rule does not speak of, "no" says that it is missing.
            counts["negates"] += bool(found["negation"] and not shared and not turned)
    total = sum(sign * counts[name] for name, sign in _SIGNS.items())
    counted = (
        "harm",
        "undone",
        "burden",
        "care_turned",
        "care",
        "negates",
        "lack",
        "advice",
        "outsider",
    )
    return {name: float(min(counts[name], _MOST)) for name in counted} | {
        "agrees": min(shares["agrees"], _MOST),
        "opposes": min(shares["opposes"], _MOST),
        "total": float(max(-_MOST, min(_MOST, total))),
        "says_broken": float(bool(find_lean(text, breaking=True))),
        "says_kept": float(bool(find_lean(text, breaking=False))),
    }


WEIGHTS: Mapping[str, float] = {
    "bias": -0.7, "harm": 0.9, "undone": 0.7, "burden": 0.1, "care_turned": 0.5, "care": -0.1,
    "negates": 0.8, "lack": 0.8, "advice": 1.8, "outsider": 0.8, "agrees": -1.4, "opposes": 1.7,
    "total": 0.4, "says_broken": 3.0, "says_kept": -1.4,
}  # fmt: skip
"""Fitted to which way the good reasonings of fixtures/rationales argue, each sign as it must be.

Of texts by a hand left out of the fitting it tells the side of four in five (docs/rationale.md).
"""


_SIGNS = {
    "harm": 1, "burden": 1, "undone": 1, "care_turned": 1,
    "care": -1, "harm_turned": -1, "burden_turned": -1, "undone_turned": -1,
}  # fmt: skip


def _iter_signs(clause: str) -> Iterator[str]:
    turning: list[int] = []
    for place, word in enumerate(_WORD.findall(clause)):
        negates = word in NEGATIONS or word.endswith("n't")
        lacks = _LACKING.fullmatch(word) is not None
        if negates:
            yield "negation"
        if lacks:
            yield "lack"
        turned = sum(place - other <= _REACH for other in turning) % 2 == 1
        if negates or lacks or _KEEPING_OUT.fullmatch(word):
            turning.append(place)
        if negates:
            continue
        name = _find_sign(word)
        if name:
            yield f"{name}_turned" if turned else name


def _find_sign(word: str) -> str:
    if is_care(word):
        return "care"
    if _UNDONE.fullmatch(word):
        return "undone"
    if is_harm(word):
        return "harm"
    return "burden" if is_burden(word) else ""


_CONCLUDES = {
    "ALLOW": re.compile(
        r"\b(?:allow\w*|permitted|fulfil\w*|conform\w*|compl(?:y|ies|iant|ied)|satisf\w+|met"
        r"|meets|kept|keeps|respect\w*|honou?r\w*|acceptable|accepted|approv\w+|pass(?:es|ed)?"
        r"|fine|ok|okay|in order|in (?:line|accordance|keeping) with"
        r"|no (?:breach|violation|objection|problem|issue|concern)s?"
        r"|the rule holds|all (?:good|well|right)|nothing (?:to|against)|go ahead|good to go)\b",
        re.IGNORECASE,
    ),
    "DENY": re.compile(
        r"\b(?:den(?:y|ied)|reject\w*|refus\w*|violat\w+|breach\w*|broken|breaks|block(?:ed|s)?"
        r"|fail(?:s|ed)?|declin\w+|unacceptable|not (?:acceptable|allowed|permitted|fulfilled|met"
        r"|satisfied|compliant)|non-?compliant|infring\w+|cannot go in|must not go in)\b",
        re.IGNORECASE,
    ),
}


def find_turned_conclusion(text: str, rule: str, context: str, verdict: str) -> str:
    """The sentence that concludes a verdict against which all else of the text argues; or ""."""
    sentences = [item for item in split_sentences(text) if re.search(r"\w", item)]
    ends = [
        item
        for item in (sentences[:1] + sentences[-1:])
        if _CONCLUDES[verdict].search(item)
        and len(item.split()) <= _LONGEST_END
        and not count_anchors(item, context)
    ]
    rest = [item for item in sentences if item not in ends]
    if not ends or not rest:
        return ""
    lean = compute_lean(" ".join(rest), rule)
    against = lean if verdict == "ALLOW" else -lean
    return ends[-1].strip() if against > _CLEAR else ""


_LONGEST_END = 14
_CLEAR = 0.8
