"""What a reasoning of our own is checked for. Notes are written to follow "its reasoning: …"."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from jurat.audit.checklist import RuleEvidence
from jurat.audit.checks import (
    CONFIDENCE,
    build_from_span,
    build_match,
    build_missing,
    find_passage,
    list_quotes,
    remove_quotes,
)
from jurat.audit.claims import list_shared, list_terms
from jurat.audit.grounding import count_anchors, find_false_claim, list_code_names
from jurat.audit.lexicon import is_harm
from jurat.audit.obedience import find_obeyed_instructions
from jurat.audit.text import ParsedText, Phrases, compute_stem, parse_text

_WORDS_OF_A_REASON = 2
"""Telling words below which a reasoning only names its verdict."""

_VERDICT_WORDS = """
accept acceptable accepted allow allowed applicable applies apply approve approved bad break breaks
broken case change changed changes clean clear clearly code complete compliance compliant complied
complies comply concern concerns confirmed content correct correctly deny denied diff document
everything evidence fail failed fails fault file fine follow followed follows found fulfil fulfilled
fulfills fulfils good great held hold holds issue issues item judge judged keep keeps kept lgtm line
lines look looks material materials meet meets met nothing obvious obviously okay pass passed passes
perfect perfectly problem problems proper properly requirement requirements respected respects
right rule rules safe satisfied satisfies say says see seem seems something state stated
statement states subject text thing things true verdict violate violated violates violation
violations well wrong
"""
_VERDICT_STEMS = frozenset(compute_stem(word) for word in _VERDICT_WORDS.split())
"""What a reasoning can consist of without giving a reason."""

_COMMON_STEMS = frozenset(
    compute_stem(word) for word in ("change", "code", "file", "hold", "line", "rule")
)
"""Words of many rules, which do not show that a reasoning is about one of them."""

_HEAD = 6
"""Letters that two words share if they are taken to be forms of one."""

_ABSENCE = frozenset("cannot neither never no nobody none not nothing nowhere only without".split())  # noqa: SIM905 - a list of words reads best as words

_ABSENT_QUOTE = re.compile(
    r"\b(?:cannot|instead of|neither|never|no|none|nor|not|nothing|nowhere|rather than|without)\b"
    r'[^.;!?"]{0,60}""'
    r'|"" (?:\s?\w{1,40}\s){0,4}?\s?(?:absent|missing|never|not|nowhere)\b',
    re.IGNORECASE,
)
"""What is quoted is said not to be there; in a text without its quotations."""
_LEFT_OUT = re.compile(r"…|\.{3}")
_LEAST_QUOTE = 3
_ENGLISH = frozenset("and are has is it of that the this to with".split())  # noqa: SIM905 - as above
_WORDS_OF_ENGLISH = 2

_PLACE = re.compile(
    r"\b(?:lines?|clauses?|sections?|articles?|paragraphs?|steps?|pages?)\s{1,2}\(?\d"
    r"|§\s{0,2}\d|\bL\d{1,6}\b|(?<![\w./-])[\w./-]{1,200}\.\w{1,8}:\d",
    re.IGNORECASE,
)
_HEADING = re.compile(r"(?m)^=== (?:\d+ )?(\S[^\n]*)$")
"""The line that opens a part of the material (see jurat.judge.excerpts)."""

_RESOLVES = Phrases.of(
    "would settle", "would resolve", "would fix", "to fix", "to resolve", "instead", "replace",
    "remove", "rename", "use", "add", "delete", "move", "rewrite", "should", "must", "needs to",
    "ask", "unless", "until", "once",
)  # fmt: skip

Metadata = dict[str, Any]


def check_cites_location(
    _q: str, response: str, context: str | None, meta: Metadata
) -> RuleEvidence:
    """Whether the verdict has a place, or the reasoning names one."""
    places = [str(place) for place in meta.get("locations") or () if str(place).strip()]
    if places:
        return build_match("it points at a place", places[0].lower())
    if match := _PLACE.search(response):
        return build_match("it names a place", match.group().lower())
    for heading in _HEADING.findall(context or ""):
        name = heading.partition(" (")[0]
        if find_passage([name], response):
            return build_match("it names a part of the subject", name.lower())
    if not _is_given("locations", meta) and _is_about_code(response, context or ""):
        return build_match("it speaks of what stands in one place of the subject")
    return build_missing("it names no place in the subject")


def _is_given(key: str, meta: Metadata) -> bool:
    """Whether the metadata has a list under `key`. One of blanks alone says nothing, an empty one
    that there is none.
    """
    items = meta.get(key)
    return items is not None and (not items or any(str(item).strip() for item in items))


def _is_about_code(response: str, context: str) -> bool:
    """Whether a reasoning that nobody gave a place or a quote for says itself what it speaks of."""
    if list_quotes(response):
        return False
    return bool(_list_names(response, context)) or _count_ties(response, context) >= _ANCHORS


_ANCHORS = 2


def check_quotes_subject(
    _q: str, response: str, context: str | None, meta: Metadata
) -> RuleEvidence:
    """Whether something that the reasoning or the verdict quotes stands in the subject."""
    passages = [*list_quotes(response), *(str(item) for item in meta.get("quotes") or ())]
    span = find_passage(passages, context or "")
    absent = "it quotes nothing that stands in the subject"
    if not span and not _is_given("quotes", meta) and _is_about_code(response, context or ""):
        return build_match("it names what stands in the subject")
    return build_from_span(span.lower(), "it quotes what stands in the subject", absent)


def check_quotes_nothing_false(
    question: str, response: str, context: str | None, _m: Metadata
) -> RuleEvidence:
    """Whether the reasoning quotes nothing, or something that stands in the subject or the rule.

    What it says is absent cannot stand there. A quote may leave something out by "…". Absence is
    known in English alone: in another language nothing is held against the reasoning.
    """
    pieces = [piece for quote in list_quotes(response) for piece in _LEFT_OUT.split(quote)]
    quotable = [piece for piece in pieces if len(piece.strip()) >= _LEAST_QUOTE]
    if not quotable:
        return build_match("it quotes nothing, and need not")
    if span := find_passage(quotable, f"{context or ''}\n{question}"):
        return build_match("it quotes what stands in the subject", span.lower())
    bare = remove_quotes(response)
    if _ABSENT_QUOTE.search(bare):
        return build_match("it quotes what it does not find")
    # In another language the words for absence are not known here: to compare would be to accuse.
    if len(_ENGLISH & parse_text(bare).words) < _WORDS_OF_ENGLISH:
        return build_match("it is not in English, and its quotes were not compared")
    if find_false_claim(response, context or "", question) is None:
        return build_match("it quotes what it does not say to stand there")
    return build_missing("it quotes nothing that stands in the subject")


def check_addresses_rule(
    question: str, response: str, context: str | None, meta: Metadata
) -> RuleEvidence:
    """Whether the reasoning, or what the verdict says of fault and fix, shares a term of the rule.

    Two texts in different scripts cannot be compared by their words: then it is not held against
    the reasoning.
    """
    of_rule = parse_text(question).stems
    own = (of_rule - _COMMON_STEMS or of_rule) | parse_text(str(meta.get("rule_id") or "")).stems
    said = parse_text(
        f"{response}\n{meta.get('issue') or ''}\n{meta.get('fix_suggestion') or ''}"
    ).stems
    if not own:
        return build_match("the rule has no terms of its own")
    if shared := _list_related(own, said) or list_shared(
        list_terms(question), list_terms(response)
    ):
        return build_match("it speaks in the rule's terms", ", ".join(shared[:3]))
    if {_is_latin(word) for word in said}.isdisjoint(_is_latin(term) for term in own):
        return build_match("it is written in another script than the rule, and was not compared")
    if _is_tied_to_quote(response, context or "", meta):
        return build_match("it speaks of what the finding quotes")
    return build_missing("it uses none of the rule's terms")


def _is_tied_to_quote(response: str, context: str, meta: Metadata) -> bool:
    """Whether the reasoning takes up a word, a name, a figure or a line of the subject.

    A fault is often said in other words than the rule's: "The handler does nothing."
    """
    places = " ".join(str(place) for place in meta.get("locations") or ())
    lines = parse_text(response).numbers & set(re.findall(r":(\d+)", places))
    if not (meta.get("quotes") or meta.get("locations")):
        # Nothing shows what it is about.
        return bool(_list_names(response, context))
    # What is harmful is no word of the rule, but why there is one.
    said = any(
        is_harm(word) and compute_stem(word) not in _VERDICT_STEMS
        for word in parse_text(response).words
    )
    quoted = any(quote.strip() and quote in context for quote in list_quotes(response))
    figures = _list_figures(parse_text(response)) & parse_text(_HEADING.sub("", context)).numbers
    return bool(lines or figures or quoted) or said or _count_ties(response, context) > 0


def _count_ties(response: str, context: str) -> int:
    """How much of a reasoning holds on to the subject, the words for a verdict left out."""
    kept = _WORDS.sub(lambda match: _drop_empty(match.group()), response)
    code = _HEADING.sub("", context)
    named = sum(
        bool(name.search(response) and form.search(code)) for name, form in _CONSTRUCTS.items()
    )
    return count_anchors(kept, code) + named


_CONSTRUCTS = {
    re.compile(name, re.IGNORECASE): re.compile(form)
    for name, form in {
        r"\bloops?\b": r"\b(?:for|while|loop|until|each|forEach|map)\b",
        r"\bquestion mark\b|(?<![\w)]) ?\? ": r"[\w)]\?",
        r"\bbranch(?:es)?\b": r"\b(?:if|else|case|when|switch|match|elif|unless)\b",
        r"\bhandlers?\b": r"\b(?:except|catch|rescue|def|func|fn|function)\b",
        r"\b(?:string|literal)s?\b": r"[\"'`]",
        r"\bcasts?\b": r"\bas\b|\(\w+\)\s?\w",
    }.items()
}
"""What people call a part of code whose keyword or sign is another word, each with its forms."""


def _drop_empty(word: str) -> str:
    return " " if compute_stem(word.lower()) in _VERDICT_STEMS | _COMMON_STEMS else word


_WORDS = re.compile(r"[A-Za-z]+")


def _list_names(text: str, context: str) -> frozenset[str]:
    """The names in code of a text that stand in the subject's code, and are no file's."""
    code = set(re.findall(r"\w+", _HEADING.sub("", context)))
    names = {name.partition("(")[0].rpartition(".")[2] for name in list_code_names(text)}
    return frozenset(name for name in names if len(name) > 2 and name in code)


_TIES = 1
_FIGURES = {"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "ten": "10"}
"""Figures as people write them; "one" is said of anything."""


_SCALES = {"hundred": "00", "thousand": "000"}


def _list_figures(reading: ParsedText) -> frozenset[str]:
    words = reading.spaced.split()
    large = {
        _FIGURES.get(before, "1") + _SCALES[word]
        for before, word in pairwise(words)
        if word in _SCALES
    }
    return reading.numbers | large | {_FIGURES[word] for word in reading.words & _FIGURES.keys()}


def check_addresses_rule_or_subject(
    question: str, response: str, context: str | None, meta: Metadata
) -> RuleEvidence:
    """Whether the reasoning speaks of the rule, of something in the subject, or of an absence.

    What is absent is mostly named in words that stand in neither: "The database is not touched."
    """
    of_rule = check_addresses_rule(question, response, context, meta)
    if of_rule.matched:
        return of_rule
    reading = parse_text(response)
    if absent := sorted(_ABSENCE & reading.words):
        return build_match("it speaks of what is absent", absent[0])
    there = parse_text(context or "")
    shared = _list_related(_list_content_stems(reading, question), there.stems)
    # One word of the subject stands in a text about anything.
    figures = _list_figures(reading) & there.numbers
    tied = _count_ties(response, context or "") + sum(len(it) == 1 for it in figures) >= _TIES
    named = [*shared, *sorted(figures)] if tied else []
    neither = "it speaks neither of the rule nor of anything in the subject"
    return build_from_span(", ".join(named[:3]), "it speaks of the subject", neither)


def check_states_why(
    question: str, response: str, context: str | None, meta: Metadata
) -> RuleEvidence:
    """Whether the reasoning, but for what it quotes, is more than the verdict in other words.

    Two telling words are a reason. So is one that is said to be absent ("No SQL here."), be it in
    quotation marks, or that the rule excepts ("Generated code."); so are figures and places of the
    subject, and what is said of its code: "`get(url, timeout=5)` has a timeout", "httpOnly is on".
    """
    bare = remove_quotes(response)
    reading = parse_text(bare)
    content_stems = _list_content_stems(reading, question)
    excepted = parse_text("\n".join(meta.get("exceptions") or ())).stems
    absent = not _ABSENCE.isdisjoint(reading.words)
    absent_quote = _ABSENT_QUOTE.search(bare) is not None
    count = len(content_stems) + absent + absent_quote + len(content_stems & excepted)
    count += len(reading.numbers & parse_text(context or "").numbers)
    if content_stems - parse_text(" ".join(_HEADING.findall(context or ""))).stems:
        count += len(_list_names(bare, context or "")) + _has_evidence(response, context or "")
    return (
        build_match("it says why")
        if count >= _WORDS_OF_A_REASON
        else build_missing("it does not say why")
    )


def _has_evidence(response: str, context: str) -> bool:
    """Whether the reasoning quotes some code of the subject: names and signs, not a word alone."""
    return any(
        len(re.findall(r"\w+", quote)) > 1 and find_passage([quote], context)
        for quote in list_quotes(response)
    )


def check_says_what_resolves(
    _q: str, response: str, _c: str | None, meta: Metadata
) -> RuleEvidence:
    """Whether the verdict suggests a fix, or the reasoning says what would settle the matter."""
    span = str(meta.get("fix_suggestion") or "").strip() or _RESOLVES.find_first(
        parse_text(response)
    )
    absent = "it does not say what would resolve it"
    return build_from_span(span.lower(), "it says what would resolve it", absent)


def check_gives_confidence(_q: str, response: str, _c: str | None, meta: Metadata) -> RuleEvidence:
    """Whether the verdict has a confidence in (0, 1], or the reasoning a figure for it."""
    given = meta.get("confidence")
    match = CONFIDENCE.search(response) if given is None else None
    span = match.group().lower() if match else _format_share(given)
    return build_from_span(span, "it says how sure it is", "it does not say how sure it is")


def check_denies_freely(question: str, response: str, _c: str | None, _m: Metadata) -> RuleEvidence:
    """Whether a DENY's reasoning shows no trace of obeying the subject."""
    return _check_obeys_nothing(question, response, allowing=False)


def check_allows_freely(
    question: str, response: str, _c: str | None, meta: Metadata
) -> RuleEvidence:
    """Whether an ALLOW's reasoning shows no trace of obeying the subject, or of taking its word."""
    # If the rule itself excepts something, to be exempt is no claim of the author's.
    excepting = f"{question}\nexempt" if meta.get("exceptions") else question
    return _check_obeys_nothing(excepting, response, allowing=True)


def _check_obeys_nothing(question: str, response: str, *, allowing: bool) -> RuleEvidence:
    if span := find_obeyed_instructions(remove_quotes(response), question, allowing=allowing):
        return build_missing("it goes by what text in the subject tells it", span)
    return build_match("it shows no trace of obeying text in the subject")


def _list_content_stems(reading: ParsedText, question: str) -> frozenset[str]:
    """The stems that do more than name a verdict; a word that the rule uses always does."""
    return reading.stems - (_VERDICT_STEMS - parse_text(question).stems)


def _list_related(terms: frozenset[str], words: frozenset[str]) -> list[str]:
    """Those of `terms` that begin as one of `words` does, which serves in many languages.

    Compare McNamee and Mayfield 2004, Character N-Gram Tokenization for European Language Text
    Retrieval (Information Retrieval 7), on words cut after a few letters.
    """
    heads = {word[:_HEAD] for word in words}
    return sorted(term for term in terms if term[:_HEAD] in heads)


def _is_latin(word: str) -> bool:
    return word[0] < "\u0250"


def _format_share(given: object) -> str:
    try:
        known = not isinstance(given, bool | str) and 0 < given <= 1  # type: ignore[operator]  # asked of anything, answered below
    except TypeError:
        known = False
    return str(given) if known else ""
