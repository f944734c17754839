"""Faults for which a reasoning is no reason, whatever else it has: each flags by itself.

A sum of merits cannot tell a good reasoning from one that contradicts itself, so these are no part
of a sub-score. Each compares the text with what it is about: with its own verdict, with the rule,
with the material. A check matches if the reasoning is free of the fault.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from jurat.audit.checklist import Check, ChecklistRule, RuleEvidence
from jurat.audit.checks import build_match, build_missing, list_quotes, remove_quotes
from jurat.audit.claims import (
    NEGATIONS,
    find_false_claim,
    find_lean,
    find_restatement,
    is_english,
    list_code_names,
    list_shared,
    list_terms,
    list_unrelated,
)
from jurat.audit.text import SMALL_WORDS, compute_stem, parse_text, split_sentences

Metadata = dict[str, Any]

LEAST_CONFIDENCE = 0.2
"""A verdict whose author gives it less is none."""

_ASSESSING_WORDS = """
accept acceptable adequate adequately align allow analysis analyze apparent applicable apply
approach appropriate approve aspect assess assessment author aware bad based best better breach
break careful carefully case certain change check clean clear clearly code compare compliance
compliant comply concern conclude conclusion concrete condition confirm conform consider
consideration consistent content context correct correctly criteria decide decision definite
demonstrate deny describe detail determine developer diff do document draft ensure entire entirely
especially evaluate evaluation everything evidence evident examine example excellent expect
explain fail fair file find fine fix follow forbid found fulfil full fully function general
generally give good great guideline handle harmless hold ignore implement implementation important
improve include indeed indicate inspect intend intent issue item judge judgement judgment keep
kind law like line logic look maintain make manner material matter mean meet mention merge nice
note obey object obvious obviously ok okay order otherwise overall part particular pass perfect
perfectly permit policy possible practice present previous principle probably problem proceed
professional prohibit proper properly provide pull purpose quality question quite read reader
reason reasonable reasonably reconsider regard regarding reject relate relevant request require
requirement respect result review reviewer right robust rule safe satisfy say section see seem
serious set show simple simply situation sound specific specify standard state statement still
stipulate strict subject submit suggest summary sure take tell text thing think thorough
thoroughly thus topic true truly unacceptable understand use used valid verdict very view violate
violation way well whole wording work worry wrong
"""
_ASSESSING = frozenset(compute_stem(word) for word in _ASSESSING_WORDS.split())
"""Stems of words with which anything may be assessed: they say nothing of this case."""

_DOUBTS = re.compile(
    r"\b(?:perhaps|maybe|possibly|probably|presumably|conceivably|arguably|apparently|supposedly"
    r"|seems?|appears? to|might|i (?:think|guess|suppose|believe|assume|feel)|we (?:think|guess)"
    r"|kind of|sort of|in a way|to some extent|more or less|somewhat|likely|unlikely)\b",
    re.IGNORECASE,
)
_GIVES_UP = re.compile(
    r"\b(?:not (?:entirely |quite |really |completely |fully )?(?:sure|certain|clear)|unsure"
    r"|uncertain"
    r"|hard to (?:say|tell|judge|know)|difficult to (?:say|tell|judge|know)|(?:can(?:not|'t)"
    r"|could not)"
    r" (?:really |quite )?(?:say|tell|judge|be sure|decide)|who knows|no idea"
    r"|could go either way|either way"
    r"|don't know|do not know|depends on how (?:you|one) looks?|open to interpretation"
    r"|may or may not|might or might not|could be either|could be fine or)\b",
    re.IGNORECASE,
)
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

_TRIVIAL = re.compile(
    r"\W*|\W*(?:def|return|class|if|else|elif|for|while|try|except|finally|import|from|pass|func|fn"
    r"|function|const|let|var|end|self|this|true|false|none|null|nil|async|await|public|private"
    r"|static|void|new|in|not|and|or|is|with|as|do|then|fi|begin|package|use|int|str|string"
    r"|bool)?\W*",
    re.IGNORECASE,
)


def is_trivial_quote(quote: str) -> bool:
    """Whether a quote is a keyword, a bracket or the like, which stands in any code."""
    words = re.findall(r"\w+", quote)
    if len(words) == 2 and words[1].lower() in _OUTCOMES:
        return False
    return all(_TRIVIAL.fullmatch(word) for word in words) and len(words) < 3


_OUTCOMES = frozenset({"true", "false", "none", "null", "nil", "pass"})
"""What makes a statement of a keyword: `while True:` or `except: pass` may be all of a fault."""


def build_conclusion_check(verdict: str) -> Check:
    """Whether the text does not say the opposite of its verdict, in whatever words."""
    denies = verdict == "DENY"
    wrong = "kept" if denies else "broken"
    contrary = f"it says that the rule is {wrong}, and concludes {verdict}"

    def check(question: str, response: str, _c: str | None, _m: Metadata) -> RuleEvidence:
        against = find_lean(response, breaking=not denies)
        if not against and not denies:
            against = find_restatement(response, question, agreeing=False)
        if not against and denies:
            against = find_restatement(response, question, agreeing=True)
            if against and find_restatement(response, question, agreeing=False):
                against = ""
        # A denial may grant a point first ("the first call is safe; the second ...").
        if against and denies and (find_lean(response, breaking=True) or _has_contrast(response)):
            against = ""
        if against:
            return build_missing(contrary, against.lower())
        return build_match(f"nothing in it speaks against {verdict}")

    return check


def _has_contrast(text: str) -> bool:
    return (
        re.search(r"\b(?:but|however|yet|except|although|though)\b", text, re.IGNORECASE)
        is not None
    )


def build_reason_check(verdict: str) -> Check:
    """Whether the text says something that neither the rule nor the verdict has said already."""
    allows = verdict == "ALLOW"

    def check(question: str, response: str, context: str | None, meta: Metadata) -> RuleEvidence:
        said = list_terms(response)
        of_rule = list_terms(question)
        news = list_unrelated(list_unrelated(said, of_rule), _ASSESSING)
        here = list_terms(context or "")
        anchored = [term for term in news if term in here]
        weight = 2 * len(anchored) + (len(news) - len(anchored))
        weight += 2 * len(_list_figures(response, context or ""))
        weight += 2 * len(list_code_names(response))
        if any(_is_evidence(quote, context) for quote in list_quotes(response)):
            weight += 2
        if allows:
            weight += _rate_absence(question, response)
            weight += 2 * bool(
                list_shared(said, list_terms("\n".join(meta.get("exceptions") or ())))
            )
        own = list_terms(question.split("\n", 1)[0])
        taken_up = len(list_shared(own, said))
        # Who takes up some of the rule and adds a word says what was done: "It writes a secret to
        # the log." Who takes up most of it says the rule again.
        applies = bool(news) and 1 < taken_up < _MOST_OF * len(own)
        if weight >= _LEAST_NEWS or applies or not is_english(response):
            return build_match("it says more than the rule")
        return build_missing("it only repeats the rule or the verdict")

    return check


_LEAST_NEWS = 2
_MOST_OF = 0.6
"""The share of a rule's words from which on a text says the rule again."""


def _list_figures(text: str, context: str) -> frozenset[str]:
    """The numbers of a text that stand in the material, line numbers included."""
    return parse_text(remove_quotes(text)).numbers & parse_text(context).numbers


def _is_evidence(quote: str, context: str | None) -> bool:
    return not is_trivial_quote(quote) and quote.strip() in (context or "")


def _rate_absence(question: str, response: str) -> int:
    """An ALLOW may rest on there being nothing that the rule is about: "No SQL here."."""
    if not any(
        list_unrelated(list_terms(match.group(1)), _ASSESSING)
        for match in _ABSENCE.finditer(response)
    ):
        return 0
    own = list_terms(question.split("\n", 1)[0])
    # What says most of the rule again is the rule, negation and all.
    return 2 if len(list_shared(own, list_terms(response))) < _MOST_OF * len(own) else 0


_ABSENCE = re.compile(
    rf"\b(?:{'|'.join(sorted(NEGATIONS))}|only|\w+n't)\b((?:\W+\w+){{1,3}})", re.IGNORECASE
)


def check_claims(question: str, response: str, context: str | None, _m: Metadata) -> RuleEvidence:
    """Whether the material contradicts nothing that the text claims of it."""
    if not (context or "").strip() or not is_english(response):
        return build_match("there is nothing that it could be compared with")
    false = find_false_claim(response, context or "", question)
    if false is not None:
        return build_missing(false.problem, false.words.lower())
    return build_match("the material contradicts nothing in it")


def check_reads_as_prose(
    question: str, response: str, context: str | None, _m: Metadata
) -> RuleEvidence:
    """Whether the text is made of sentences: no runs of words that English has nowhere."""
    broken, words = 0, 0
    for sentence in split_sentences(remove_quotes(response)):
        for run in re.split(r"[^\w'\s-]+", sentence.lower()):
            tokens = run.split()
            words += len(tokens)
            broken += sum(map(_is_impossible, tokens, tokens[1:]))
    if broken >= 2 or (broken and words <= 20):
        return build_missing("it is no sentence that anybody could read")
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


def _is_impossible(one: str, other: str) -> bool:
    if one == other and one not in {"that", "had"} and one.isalpha():
        return True
    return (
        (one in _ARTICLES and other in _NEVER_AFTER_ARTICLE)
        or (one in _LINKS and other in _NEVER_AFTER_LINK)
        or (one in _FINITE and other in _NEVER_AFTER_FINITE)
    )


def check_commits_itself(_q: str, response: str, _c: str | None, meta: Metadata) -> RuleEvidence:
    """Whether the text stands by its verdict, and is not all doubts."""
    bare = remove_quotes(response)
    if match := _GIVES_UP.search(bare):
        return build_missing("it does not know either", match.group().lower())
    doubts = _DOUBTS.findall(bare)
    if len(doubts) >= 2 and len(doubts) * 12 >= len(bare.split()):
        return build_missing("it is all doubts", ", ".join(doubts[:3]).lower())
    given = meta.get("confidence")
    if (
        isinstance(given, int | float)
        and not isinstance(given, bool)
        and 0 < given < LEAST_CONFIDENCE
    ):
        return build_missing("it is not sure of it", str(given))
    return build_match("it stands by its verdict")


def check_is_filled_in(_q: str, response: str, context: str | None, _m: Metadata) -> RuleEvidence:
    """Whether the text is about this case, and no form that nobody filled in."""
    bare = remove_quotes(response)
    match = _BLANK.search(bare) or _OR_BLANK.search(bare)
    if match and match.group() not in (context or ""):
        return build_missing("it is a form that nobody filled in", match.group().lower())
    return build_match("it is no form")


def check_quotes_weigh(_q: str, response: str, _c: str | None, meta: Metadata) -> RuleEvidence:
    """Whether what is quoted tells something: a keyword or a bracket stands in any code."""
    quotes = [*list_quotes(response), *(str(item) for item in meta.get("quotes") or ())]
    quotes = [quote for quote in quotes if quote.strip()]
    if quotes and all(map(is_trivial_quote, quotes)):
        return build_missing("it quotes what stands in any code", quotes[0].lower())
    return build_match("what it quotes tells something")


def check_decides_once(_q: str, response: str, _c: str | None, _m: Metadata) -> RuleEvidence:
    """Whether a decision does not conclude both ways."""
    ways = {}
    for sentence in split_sentences(remove_quotes(response)):
        for way, pattern in _WAYS.items():
            for match in pattern.finditer(sentence):
                before, after = sentence[: match.start()], sentence[match.end() :]
                if not (_UNDECIDED.search(before) or _CONDITION.match(after)):
                    ways[way] = match.group()
    if len(ways) > 1:
        return build_missing("it decides both ways", " / ".join(ways.values()).lower())
    return build_match("it decides one way")


_UNDECIDED = re.compile(
    r"\b(?:if|once|unless|until|would|could|can|may|might|should|after|before|not|never|cannot"
    r"|neither"
    r"|nor|without|previous\w*|earlier|whether|to be|limit\w*|policy \w+)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\W+(?:if|once|unless|until|after|subject|provided|on condition)\b", re.IGNORECASE
)
_WAYS = {
    "yes": re.compile(
        r"\b(?:approv(?:e|ed|al)|grant(?:ed)?|accept(?:ed)?|clear(?:ed)?)\b(?!\s(?:if|once))",
        re.IGNORECASE,
    ),
    "no": re.compile(
        r"\b(?:declin(?:e|ed)|reject(?:ed|ion)?|den(?:y|ied|ial)|refus(?:e|ed|al)"
        r"|turn(?:ed)? down)\b",
        re.IGNORECASE,
    ),
}


_TOULMIN = "Toulmin 2003, The Uses of Argument"
_FAITHFUL = "Jacovi and Goldberg 2020, faithfully interpretable NLP (ACL; arXiv:2004.03685)"


_MOST = 6_000
"""Characters of a text that are looked at: nobody reasons for longer, and time grows with them."""


def _build(name: str, description: str, check: Check, citation: str) -> ChecklistRule:
    def look(question: str, response: str, context: str | None, meta: Metadata) -> RuleEvidence:
        # As it is read: what is hidden in a word splits none.
        return check(question, parse_text(response).text[:_MOST], context, meta)

    return ChecklistRule(f"fault.{name}", description, 0.0, "faults", look, citation)


def list_verdict_faults(verdict: str) -> tuple[ChecklistRule, ...]:
    """The faults for which the reasoning behind a `verdict`, "DENY" or "ALLOW", is none."""
    return (
        _build(
            "contrary",
            "It does not contradict its verdict.",
            build_conclusion_check(verdict),
            _FAITHFUL,
        ),
        _build("circular", "It says more than the rule.", build_reason_check(verdict), _TOULMIN),
        *_SHARED,
        _build("doubtful", "It stands by its verdict.", check_commits_itself, _TOULMIN),
        *(_DENIALS_ONLY if verdict == "DENY" else ()),
    )


# An ALLOW may well quote nothing but a keyword: there is no place to show.
_DENIALS_ONLY = (
    _build("trivial_quote", "What it quotes tells something.", check_quotes_weigh, _FAITHFUL),
)

_SHARED = (
    _build("false_claim", "The material contradicts nothing in it.", check_claims, _FAITHFUL),
    _build("salad", "It reads as prose.", check_reads_as_prose, _TOULMIN),
    _build("template", "It is no form.", check_is_filled_in, _TOULMIN),
)


def list_decision_faults() -> tuple[ChecklistRule, ...]:
    """The faults for which the rationale of a decision is none."""
    return (
        _build("contrary", "It decides one way.", check_decides_once, _FAITHFUL),
        _build(
            "circular", "It says more than the question.", build_reason_check("DECISION"), _TOULMIN
        ),
        *_SHARED,
    )
