"""What a rationale says of its rule: that it is kept or broken, or what the rule says already.

No word of a domain is known here; of English, its closed classes (negations, modals, connectives)
and the few verbs and adjectives that say whether a rule is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from jurat.audit.checks import remove_quotes
from jurat.audit.text import SMALL_WORDS, compute_stem, split_sentences

_CLAUSE = re.compile(
    r"[,;:\n]|\s[(]|\s[-\u2013\u2014]\s|\b(?:but|because|since|while|whereas|although|though|so"
    r"|and|as|which|that"
    r"|however|yet)\b",
    re.IGNORECASE,
)
WORD = re.compile(r"[A-Za-z0-9_À-ÿ]+(?:'[a-z]+)?")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_+")

_COMPOUND = re.compile(r"(?<!\w)[A-Za-z]+-[A-Za-z]+(?!\w)")
_HYPHENED = re.compile("-")

NEGATIONS = frozenset(
    "no not never none nothing nobody nowhere neither nor without cannot hardly isn't aren't"  # noqa: SIM905 - reads best as words
    " wasn't weren't doesn't don't didn't won't can't couldn't hasn't haven't".split()
)
_TAKING_AWAY = re.compile(
    r"(?:un(?!it|i[qv]|der|til|less)\w{4,}|lack\w*|miss(?:es|ed|ing)?|absent|absence|omit\w*"
    r"|skip\w*"
    r"|disabl\w+|bypass\w*|ignor\w+|drop(?:s|ped)?|remov\w+|avoid\w*|prevent\w*|fail(?:s|ed|ing)?"
    r"|switch(?:es|ed)|off|false|forg[eo]t\w*|instead|only|zero|empty|refus\w*|forbid\w*|strip\w*"
    r"|mask\w*|exclud\w*|delet\w+|escap\w*)"
)
"""Verbs and adjectives that turn what they stand beside into its absence."""

SUPPOSED = re.compile(
    r"\b(?:would|could|should|shall|must|may|might|ought|if|unless|until|once|whether|to (?:settle"
    r"|resolve|fix|comply)|needs? to|has to|have to|requires?|required|demands?|forbids?|prohibits?"
    r"|expects?|rule (?:says|wants|asks|states)|allowed to|were to|suppose)\b",
    re.IGNORECASE,
)
"""A sentence that says what should be, or would be, claims nothing of what is."""

BEFORE = re.compile(
    r"\b(?:was|were|had|before|previously|formerly|earlier|old|base|used to|until now|no longer"
    r"|removed|fixed|replaced)\b",
    re.IGNORECASE,
)
_RULE_NOUN = (
    r"(?:rules?|requirements?|polic(?:y|ies)|laws?|clauses?|standards?|norms?|provisions?|limits?"
    r"|caps?|statements?|obligations?|prohibitions?|bans?|it|this|that)"
)
_BREAKS = re.compile(
    rf"\b(?:violat(?:es?|ed|ing)|break(?:s|ing)?|broke|broken|breach(?:es|ed|ing)?|infring(?:es?"
    rf"|ed)|"
    rf"contraven(?:es?|ed)|contradicts?|flouts?|disregards?"
    rf"|defeats?)\b(?=\W+(?:\w+\W+){{0,4}}?{_RULE_NOUN}\b|\W*$)"
    r"|\b(?:violations?|breach(?:es)?|infringements?|infractions?|non-?complian(?:t|ce))\b"
    rf"|\b(?:contrary|counter) to\b|\bagainst (?:the |this |our )?{_RULE_NOUN}\b"
    rf"|\bfails? (?:the|this|to (?:comply|meet|satisfy|keep))\b"
    r"|\b(?:is|are|was|looks|seems|remains?|stays?)\s+(?:\w+\s+)?(?:unsafe|insecure|vulnerable"
    r"|exploitable|forbidden|prohibited|illegal|unlawful|unacceptable|disallowed|dangerous|wrong"
    r"|broken|violated|breached|injectable)\b"
    r"|\b(?:(?:which|that|as|what) (?:\w+ ){0,3}(?:rules?|polic\w+|clause|law"
    r"|statement) (?:forbids?|prohibits?|bans?|disallows?)"
    r"|(?:rules?|polic\w+|clause|law) (?:forbids?|prohibits?|bans?|disallows?) (?:this|that|it"
    r"|exactly|just))\b"
    r"|\b(?:must|should|has to|ought to) (?:be )?(?:denied|rejected|blocked|declined|refused"
    r"|fixed)\b"
    r"|\bnot (?:\w+ )?(?:allowed|permitted|acceptable|compliant|safe|secure)\b",
    re.IGNORECASE,
)
"""The sentence says in so many words that the rule is broken."""

_KEEPS = re.compile(
    rf"\bcomplies\b|\b(?:compl(?:y|ied)|conforms?|adheres?|in line|in accordance"
    rf"|consistent) (?:fully "
    rf"|entirely )?(?:with|to)\b"
    rf"|\b(?:satisf(?:y|ies|ied)|meets?|met|respects?|honou?rs?|fulfils?|fulfills?|obeys?"
    rf"|upholds?)\b"
    rf"(?=\W+(?:\w+\W+){{0,3}}?{_RULE_NOUN}\b|\W*$)"
    # "keeps it" and "follows that" are said of anything.
    r"|\b(?:keeps?|follows?) (?:to )?(?:the |this |our |every )?(?!it\b|this\b|that\b)"
    rf"{_RULE_NOUN}\b"
    r"|\b(?:is|are|looks|seems|remains?|stays?)\s+(?:\w+\s+)?(?:compliant|fine|okay|ok"
    r"|acceptable|safe"
    r"|harmless|correct|allowed|permitted|sound|clean|secure|satisfied|respected|all right)\b"
    rf"|\b{_RULE_NOUN} (?:is|are|was|were|remains?|stays?) (?:\w+ )?kept\b"
    r"|\bno (?:violations?|breach(?:es)?|issues?|problems?|objections?|concerns?|faults?)\b"
    r"|\bnothing (?:wrong|to object|is wrong|here (?:breaks|violates)|breaks|violates)\b"
    r"|\b(?:can|may|should) be (?:allowed|approved|accepted|merged|granted)\b",
    re.IGNORECASE,
)
_TURNED = re.compile(
    r"\b(?:not|never|no|nothing|none|neither|nor|without|cannot|hardly|\w+n't|nobody|any|avoids?"
    r"|prevents?|far from|rather than|instead of|do(?:es)? it)\W+(?:\w+\W+){0,3}$",
    re.IGNORECASE,
)
_TURNED_AFTER = re.compile(r"^\W+(?:no|nothing|none|neither)\b", re.IGNORECASE)


@lru_cache(maxsize=32)
def list_terms(text: str) -> frozenset[str]:
    """The stems of the words of a text; of a name in code those of its parts, "user" and "id"."""
    return frozenset(iter_terms(text))


def iter_terms(text: str) -> Iterator[str]:
    """The terms of `list_terms`, each as often as it stands there."""
    # "e-mail" is "email" as well.
    for word in WORD.findall(f"{text} {_HYPHENED.sub('', ' '.join(_COMPOUND.findall(text)))}"):
        for piece in _HUMP.split(word):
            small = piece.lower()
            if len(small) > 1 and small not in SMALL_WORDS and not small.isdigit():
                yield compute_stem(small)


def is_related(one: str, other: str) -> bool:
    """Whether two stems look like forms of one word: the shorter begins the longer, or nearly."""
    short, long = sorted((one, other), key=len)
    if len(short) < 4:
        ending = long.removeprefix(short).removeprefix(short[-1:])
        return short == long or (
            len(short) == 3 and long.startswith(short) and ending in _SHORT_ENDINGS
        )
    if long.startswith(short) or (len(short) > 5 and long[:5] == short[:5]):
        return True
    # "build" and "built".
    return len(short) == len(long) > 4 and long[:-1] == short[:-1]


_SHORT_ENDINGS = frozenset({"", "s", "n", "y", "er", "or", "ed", "en", "ing", "ly", "in", "g"})


def list_unrelated(terms: Iterable[str], others: frozenset[str]) -> list[str]:
    """Those of `terms` that are a form of none of the others, sorted."""
    left = sorted(set(terms) - others)
    # By how they begin, as forms of a word do: a change has thousands of words.
    alike = _group_by_beginning(others) if left else {}
    return [
        term
        for term in left
        if not any(is_related(term, other) for other in alike.get(term[:_BEGINNING], ()))
    ]


_BEGINNING = 3


@lru_cache(maxsize=8)
def _group_by_beginning(terms: frozenset[str]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for term in sorted(terms):
        found.setdefault(term[:_BEGINNING], []).append(term)
    return {beginning: tuple(words) for beginning, words in found.items()}


def list_shared(terms: Iterable[str], others: frozenset[str]) -> list[str]:
    """Those of `terms` that are a form of one of the others, sorted."""
    return sorted(set(terms) - set(list_unrelated(terms, others)))


# Which way a sentence leans.


def find_lean(text: str, *, breaking: bool) -> str:
    """The words in which a text says that a rule is broken, or that it is kept; "" if it does not.

    What it quotes, supposes, demands, or tells of an earlier state is not what it says.
    """
    for sentence in split_sentences(remove_quotes(text)):
        for pattern, says_broken in ((_BREAKS, True), (_KEEPS, False)):
            for match in pattern.finditer(sentence):
                before, after = sentence[: match.start()], sentence[match.end() :]
                clause = _CLAUSE.split(before)[-1]
                verdict_like = match.group().lower().startswith(("must", "should", "has", "ought"))
                if SUPPOSED.search(clause) and not verdict_like:
                    continue
                if re.search(r"\b(?:if|unless|whether|would|once|until)\b", before, re.IGNORECASE):
                    continue
                if BEFORE.search(clause) or BEFORE.search(match.group()):
                    continue
                turned = _TURNED.search(clause + match.group()[:0]) is not None
                turned ^= _TURNED_AFTER.search(after) is not None
                if (says_broken ^ turned) is breaking:
                    return match.group().strip()
    return ""


def find_restatement(text: str, rule: str, *, agreeing: bool) -> str:
    """A clause that says what the rule says, or the opposite of it if not `agreeing`; else "".

    Said is what holds most of the rule's own words; the two agree if both or neither are negated.
    """
    statement = rule.split("\n", 1)[0]
    own = list_terms(statement)
    if len(own) < 2:
        return ""
    turned = is_turned(statement)
    turning = {term for term in own if _TAKING_AWAY.fullmatch(term)}
    for sentence in split_sentences(remove_quotes(text)):
        for clause in _split_clauses(sentence):
            if SUPPOSED.search(clause) or BEFORE.search(clause):
                continue
            said = list_terms(clause)
            shared = [term for term in own if term in said or list_shared([term], said)]
            least = _MOST_OF_A_NORM if agreeing else _MOST_OF_A_BREACH
            if len(shared) < max(2, least * len(own)) or not turning <= set(shared):
                continue
            # Of a short rule any sentence about its subject has most words.
            if len(shared) < _FEW and len(list_shared(said, own)) < _MOST_OF_A_BREACH * len(said):
                continue
            if (is_turned(clause) == turned) is agreeing:
                return clause.strip()
    return ""


_FEW = 4
_MOST_OF_A_BREACH, _MOST_OF_A_NORM = 0.6, 0.75
"""Shares of a rule's words that a clause must hold. A denial may say what should be: there more."""


def _split_clauses(sentence: str) -> list[str]:
    return [
        part
        for part in re.split(
            r"[,;:]|\s[(]|\s[-\u2013\u2014]\s|\b(?:but|because|since|while|so|however|yet)\b",
            sentence,
            flags=re.IGNORECASE,
        )
        if part.strip()
    ]


def is_turned(text: str) -> bool:
    """Whether a clause is negated, all its negations and takings-away counted together."""
    words = [word.lower() for word in WORD.findall(text)]
    count = sum(word in NEGATIONS for word in words)
    count += sum(_TAKING_AWAY.fullmatch(word) is not None for word in words)
    return count % 2 == 1


# What it takes the rule for.

_SAYS_OF_RULE = re.compile(
    r"\b(?:rules?|polic(?:y|ies)|requirement|clause)\b[^.;,!?]{0,40}?"
    r"\b(?:bans?|forbids?|prohibits?|prevents?|rules? out|disallows?|is (?:there )?(?:meant )?"
    r"(?:to (?:prevent|stop|avoid|exclude|ban)|against)|(?:wants?|needs?|asks?(?: for)?|likes?)"
    r" (?:\w+ )?(?:gone|out|away|removed|off|to go))\b"
    r"|\b(?:banned|forbidden|prohibited|ruled out|disallowed) (?:by|under) (?:the |this )?(?:\w+ )?"
    r"(?:rule|policy|requirement|clause)\b",
    re.IGNORECASE,
)
_IS_TO_GO = re.compile(
    r"\bwhat (?:must|should|has to|ought to|is to|needs to)(?: be)? (?:not\b|never\b|stay out"
    r"|keep out|go away|avoided|removed|left out|prevented|excluded|forbidden|gone)"
    r"|\bwhat is (?:forbidden|banned|prohibited|disallowed|ruled out|to be avoided)\b",
    re.IGNORECASE,
)
"""Said of a thing: that it is just the one that should not be."""


def find_misreading(text: str, rule: str) -> str:
    """Words that say that a rule forbids a thing which it demands; "" if there are none."""
    statement = rule.split("\n", 1)[0]
    if any(word.lower() in NEGATIONS or word.lower() == "only" for word in WORD.findall(statement)):
        return ""
    own = list_terms(statement)
    for sentence in split_sentences(remove_quotes(text)):
        # What a clause gives as the reason, or adds, turns nothing round.
        for clause in _split_clauses(sentence):
            match = _SAYS_OF_RULE.search(clause) or _IS_TO_GO.search(clause)
            if match is None:
                continue
            rest = clause.replace(match.group(), " ")
            words = {word.lower() for word in WORD.findall(rest)}
            if words & (NEGATIONS | {"would"}) or _MISSING.search(rest):
                continue
            if list_shared(own, list_terms(rest)) or _REFERS.search(rest):
                return match.group().strip()
    return ""


_MISSING = re.compile(
    r"\b(?:lack\w*|miss\w*|absen\w+|omit\w*|leav\w+ out|fail\w*)\b", re.IGNORECASE
)
_REFERS = re.compile(r"\b(?:such|this|that|which|these|those)\b", re.IGNORECASE)
