"""What a rationale claims of the material: names, quotes, lines and values, and whether they stand.

Claims are read by form, and no word of a domain is known. What a sentence proposes, or says is not
there, need not stand in the material.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from jurat.audit.changes import strip_literals, take_new
from jurat.audit.checks import QUOTED, find_passage, list_quotes, remove_quotes
from jurat.audit.claims import (
    BEFORE,
    NEGATIONS,
    SUPPOSED,
    WORD,
    is_related,
    iter_terms,
    list_shared,
    list_terms,
)
from jurat.audit.places import LINE, NUMBERED, find_misplaced, find_unshown_line
from jurat.audit.text import SMALL_WORDS, compute_stem, parse_text, split_sentences

_PROPOSED = re.compile(
    r"\b(?:(?:i|we)(?:'d| would) (?:expect|want|like)|use|using|instead"
    r"|replac\w+|rather than|should|such as|e\.g(?=\.)|for example|adding|add"
    r"|would|could|prefer|must|needs?|until|unless|once|switch to|please|fix|go through)\b"
    r"|^\W*(?:and |or |then "
    r"|please |just )?"
    r"(?:call|log|move|rename|write|bind|wrap|make|return|catch|load|read|keep|put|raise|give"
    r"|ask|store"
    r"|fetch|pass|set|drop|delete|take|\w+ (?:it|this|that|them|these))\b",
    re.IGNORECASE,
)
"""What a sentence proposes need not stand in the material."""

_IDENTIFIER = re.compile(
    r"(?<![\w./-])(?:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\((?:[^()\n]{0,60}\))?|[a-z]+(?:_\w+)+"
    r"|\$[A-Za-z_]\w*|_\w{2,}|[a-z]{2,}(?:[A-Z]\w+)+"
    r"|[\w-]+=(?:\{[^}\s]{1,60}\}|\"[^\"\s]{1,60}\")|[A-Z]{2,}(?:_[A-Z0-9]+)+|(?:[\w-]+/)*[\w-]+\.(?:py|js|ts|tsx|jsx|go|rb|java|kt|rs|c|cpp"
    r"|cs|php|sh|sql|yml|yaml|json|html|md|toml|txt)\b)"
)
_HEADER = ("=== ", "--- ", "+++ ", "diff --git ")
_VALUE = re.compile(
    r"([A-Za-z_][\w.\[\]]{1,60})[`\"']?\s*(?:\)?\s*(?:==?|:=|:|is|are|was|of|at|to|equals)\s+"
    r"|\s*[=:]\s*)"
    r"(?:only |just |set to |about )?[`\"']?(\d[\d,_]*(?:\.\d+)?)(?![\w.]*\d)"
    r"(?! (?:\w+ )?(?:more|less|fewer|above|below|over|under|\w{3,}er)\b)"
)
_SWITCH = re.compile(
    r"([A-Za-z_]\w{2,60})[`\"']?\s*[=:]{1,2}\s*[`\"']?(true|false)\b", re.IGNORECASE
)
_CALLED_WITH = re.compile(r"(?<![\w.])([A-Za-z_][\w.]{1,60})\(\s*(\d[\d_]*)\s*\)")
_NONE = re.compile(
    r"\b(?:no|without(?: any| an?)?|lacks?(?: any| an?)?|neither|nor|not (?:any|an?)|(?:there is"
    r"|there are) no|does not (?:use|call|contain|set|have|pass|import|touch)(?: any| an?"
    r"| the)?)\s+"
    r"[`\"']?([A-Za-z_][\w.]*)[`\"']?(?:\s+([a-z]+))?",
    re.IGNORECASE,
)
_OF_USE = frozenset(
    "argument arguments call calls parameter parameters option options statement statements is are"  # noqa: SIM905 - as above
    " was here there used present found exists given set passed added involved appears"
    " anywhere keyword remains".split()
)


@dataclass(frozen=True, slots=True)
class FalseClaim:
    """A claim that the material does not bear out: the words, and what is wrong with them."""

    words: str
    problem: str


def find_false_claim(text: str, context: str, rule: str) -> FalseClaim | None:
    """The first claim of a text that the material contradicts, None if there is none.

    Looked at are the passages that it quotes, names in code, line numbers, values of names, and
    names that it says are absent. What a sentence proposes, or says is absent, need not be there.
    """
    around = f"{context}\n{rule}"
    # Quotation marks inside a quotation do not say which of them opens.
    whole = text[text.find('"') + 1 : text.rfind('"')]
    if text.count('"') > 2 and find_passage([whole], around):
        text = text.replace(whole, "")
    # What somebody could send is no claim of what stands there: POST {"amount": "x"}.
    text = _DATA.sub("", text)
    for sentence in split_sentences(text):
        bare = remove_quotes(sentence)
        for clause in _split_keeping(sentence):
            for name in _iter_names(clause):
                if _OF_LANGUAGE.fullmatch(name):
                    continue
                if not _has_words(name, around) and not _is_unclaimed(name, clause):
                    return FalseClaim(name, "it speaks of what does not stand there")
        for found in (
            _find_construct(bare, context),
            _find_unshown(bare, context),
            _find_value(sentence, context),
            _find_absent(sentence, context),
            _find_misplaced(sentence, context),
        ):
            if found is not None:
                return found
    return None


_DATA = re.compile(r"\{\s?\"[^{}\n]{0,200}\}")


def _split_keeping(sentence: str) -> list[str]:
    """The clauses of a sentence, each with what it quotes."""
    quotes: list[str] = []

    def keep(match: re.Match[str]) -> str:
        quotes.append(match.group())
        return f"\0{len(quotes) - 1}\0"

    held = re.sub(r"`[^`\n]*`|\"[^\"\n]*\"|“[^”]{0,400}”|(?<=\w)\([^()\n]{0,60}\)", keep, sentence)
    parts = re.split(r"[,;]\s|(?<!Fix):\s|\s[-\u2013\u2014]\s", held)
    # "Missing: `x`." is one statement.
    for place in range(len(parts) - 1, 0, -1):
        if _LABEL.fullmatch(parts[place - 1]):
            parts[place - 1 : place + 1] = [" ".join(parts[place - 1 : place + 1])]
    return [re.sub(r"\0(\d+)\0", lambda match: quotes[int(match.group(1))], part) for part in parts]


_LABEL = re.compile(
    r"\W*(?:missing|absent|needed|wanted|required|instead|better|lacking|lost|gone|suggestion"
    r"|proposal|e\.g\.?)\W*",
    re.IGNORECASE,
)


def _iter_names(clause: str) -> Iterator[str]:
    for quote in ("".join(groups) for groups in QUOTED.findall(clause)):
        # "eval(...)" says how a call looks that somebody might make.
        for piece in re.split(r"…|\.{3}", quote) if not quote.endswith("(...)") else ():
            if len(piece.strip()) >= 3:
                yield piece.strip()
    yield from (match.group() for match in _IDENTIFIER.finditer(remove_quotes(clause)))


def count_anchors(text: str, context: str) -> int:
    """How much of a text holds on to the material: words, names, lines, figures."""
    bare = remove_quotes(text)
    names = {match.group() for match in _IDENTIFIER.finditer(bare)} | set(list_quotes(text))
    lines = {match.group(1) for match in LINE.finditer(bare)}
    figures = parse_text(bare).numbers
    return (
        len(list_shared(list_terms(text), list_terms(context)))
        + sum(len(name) > 2 and _has_passage(name, context) for name in names)
        + len((lines | figures) & _list_found(NUMBERED, context))
        + sum(len(number) > 1 for number in figures & parse_text(context).numbers)
        + len(set(_SIGN.findall(bare)) & _list_found(_SIGN, context))
    )


@lru_cache(maxsize=8)
def _list_found(pattern: re.Pattern[str], context: str) -> frozenset[str]:
    return frozenset(pattern.findall(context))


_SIGN = re.compile(r"[=<>!~]=|(?<!\w)\$\d|(?<![\w'])[b-hj-z](?![\w'])")
"""Operators, placeholders, and names of one letter."""


def is_english(text: str) -> bool:
    """Whether a text has a small word of English: of another language no claim is read."""
    return not SMALL_WORDS.isdisjoint(word.lower() for word in WORD.findall(text))


def list_code_names(text: str) -> frozenset[str]:
    """The names in code of a text, quoted or not: what looks like no word of prose."""
    return frozenset(match.group() for match in _IDENTIFIER.finditer(text))


def _is_unclaimed(name: str, clause: str) -> bool:
    """Whether a clause says of a name that it is not there, or should be."""
    before, _, after = clause.partition(name)
    words = [word.lower() for word in WORD.findall(before)[-6:]]
    return (
        any(word in NEGATIONS or _LACKS.fullmatch(word) for word in words)
        or _PROPOSED.search(before) is not None
        or _NEW.search(before) is not None
        or ((" " in name or not _IDENTIFIER.search(name)) and _MAY_COME.search(clause) is not None)
        or (_NOT_THERE.match(after) is not None and _WITHIN.search(before) is None)
    )


_WITHIN = re.compile(r"\b(?:in|inside|within|of|from|by)\s[`\"']?$", re.IGNORECASE)
"""What is not there may be missed in a place, but then the place is."""

_NEW = re.compile(
    r"(?:\(or|^\W*(?:an?|another)|\b(?:known as|so-called|called|like|unlike|meaning|i\.e\.|as in"
    r"|just)"
    r"(?: an?)?)\s[`\"']?$",
    re.IGNORECASE,
)
"""Who brings code in as an alternative, or as any of its kind, says of none that it is there."""

_MAY_COME = re.compile(r"\b(?:will|would|could|might)\b", re.IGNORECASE)
"""What will or would be said, read or sent need not stand in the code that brings it about."""

_OF_LANGUAGE = re.compile(r"__\w+__(?:\(\))?")
"""What a language calls by itself, and no code names."""

_LACKS = re.compile(r"lack\w*|miss\w*|omit\w*|absen\w+|instead|forg[eo]t\w*|replac\w+|remov\w+")
_NOT_THERE = re.compile(
    r"[`\"'”)]*\W+(?:\w+\W+){0,3}?(?:unset|left (?:at|as|out"
    r"|to)|forg[eo]t\w*|omitted|defaults?|missing|absent|not|never|nowhere|gone|removed|instead"
    r"|would"
    r"|should|could|rather|\w+n't)\b",
    re.IGNORECASE,
)


def _has_words(name: str, around: str) -> bool:
    """Whether a passage stands in the material, or is put together of words that do."""
    if _has_passage(name, around):
        return True
    words = {word for word in WORD.findall(name) if len(word) > 1 and not word.isdigit()}
    return bool(words) and all(_is_word_of(word, around) for word in words)


def _is_word_of(word: str, around: str) -> bool:
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z0-9])", around) is not None


def _has_passage(name: str, around: str) -> bool:
    if find_passage([name], around):
        return True
    called = name.rstrip("()").rsplit("(", 1)[0]
    pieces = (called, " ".join(name.split()))
    if any(piece and piece in _join_lines(around) for piece in pieces):
        return True
    # A property is often called without its getter or setter: `closedAt` of setClosedAt().
    humps = re.fullmatch(r"[a-z]+(?:[A-Z]\w+)+", name)
    return (
        humps is not None
        and re.search(rf"(?:get|set|is|has){name[0].upper()}{name[1:]}\b", around) is not None
    )


@lru_cache(maxsize=4)
def _join_lines(context: str) -> str:
    """The material on one line, without the marks before its lines."""
    return " ".join(_MARK.sub("", context).split())


_MARK = re.compile(r"(?m)^(?:\s{0,2}\d{1,7}[+:|]?|[-|+])")


_CONSTRUCT = re.compile(
    r"(?:\ba|\ban|\bthe|\bits|\bin|\bby|\bwithin|\binside|\beach|\bevery|\bone) (?:\w+ )?(finally"
    r"|with|using|try"
    r"|defer|async|await|synchronized|where|lock|unsafe|catch|except|select|switch|match|join"
    r"|having"
    r"|limit|for|while|if|else) (?:blocks?|statements?|clauses?|keywords?|modifiers?|loops?)\b",
    re.IGNORECASE,
)
"""A part of a language by its keyword."""


def _find_construct(sentence: str, context: str) -> FalseClaim | None:
    for match in _CONSTRUCT.finditer(sentence):
        before = sentence[: match.start(1)]
        if re.search(rf"(?i)(?<!\w){match.group(1)}(?!\w)", context):
            continue
        if _PROPOSED.search(before) or _is_negated(before) or SUPPOSED.search(before):
            continue
        if not _NOT_THERE.match(sentence[match.end() :]) and not BEFORE.search(before):
            return FalseClaim(match.group(), "it speaks of what does not stand there")
    return None


def _find_unshown(sentence: str, context: str) -> FalseClaim | None:
    words = find_unshown_line(sentence, context)
    return FalseClaim(words, "it names a line that it was not shown") if words else None


def _find_misplaced(sentence: str, context: str) -> FalseClaim | None:
    words = find_misplaced(sentence, context)
    return FalseClaim(words, "it puts a thing on a line that does not have it") if words else None


def _find_value(sentence: str, context: str) -> FalseClaim | None:
    for form in (_VALUE, _SWITCH, _CALLED_WITH):
        held = _list_values(form, take_new(context))
        claimed: dict[str, set[str]] = {}
        for name, value in form.findall(sentence) if held else ():
            claimed.setdefault(name.lower(), set()).add(_normalize_value(value))
        for match in form.finditer(sentence) if held else ():
            name = match.group(1).rpartition(".")[2].lower()
            if name not in held or _normalize_value(match.group(2)) in held[name]:
                continue
            # Who names the new value too tells of both: "limited(10) down to limited(2)".
            if held[name] & claimed[match.group(1).lower()]:
                continue
            # Without what is quoted: a call of `log` in the code is no proposal to log.
            before = remove_quotes(sentence[: match.start()])[-40:]
            if _PROPOSED.search(before) or _is_negated(before) or BEFORE.search(before):
                continue
            return FalseClaim(match.group(), "it gives a value that the material contradicts")
    for match in _CHANGED.finditer(sentence):
        if not set(map(_normalize_value, match.groups())) <= parse_text(context).numbers:
            return FalseClaim(match.group(), "it tells of a change that the material does not make")
    return None


@lru_cache(maxsize=8)
def _list_values(form: re.Pattern[str], code: str) -> Mapping[str, frozenset[str]]:
    held: dict[str, set[str]] = {}
    for match in form.finditer(code):
        # "6 * 60" is not 6.
        if not _GOES_ON.match(code, match.end()):
            name = match.group(1).rpartition(".")[2].lower()
            held.setdefault(name, set()).add(_normalize_value(match.group(2)))
    return {name: frozenset(values) for name, values in held.items()}


_GOES_ON = re.compile(r"\s*(?:[*+/-]|<<)\s*\d")
_CHANGED = re.compile(
    r"\bfrom (\d[\d,_]*(?:\.\d+)?) to (\d[\d,_]*(?:\.\d+)?)\b(?! \w+ (?:up|on)\b)"
)


@lru_cache(maxsize=4)
def strip_headings(context: str) -> str:
    """The material without the lines that name its files: a file's name is no reason."""
    return "\n".join(row for row in context.split("\n") if not row.startswith(_HEADER))


def _is_negated(text: str) -> bool:
    return any(word.lower() in NEGATIONS for word in WORD.findall(text))


def _normalize_value(value: str) -> str:
    return value.lower().replace(",", "").replace("_", "").rstrip(".").removesuffix(".0")


def _find_absent(sentence: str, context: str) -> FalseClaim | None:
    code = strip_literals(take_new(context))
    for match in _NONE.finditer(sentence):
        name, following = match.group(1), (match.group(2) or "").lower()
        rest = sentence[match.end(1) :].strip(" `\"'")
        ends = not rest or not rest[0].isalnum()
        within = following in ("in", "on", "at") and not match.group().lower().startswith("without")
        if (ends or within or following in _OF_USE) and re.search(
            rf"(?<!\w){re.escape(name)}(?!\w)", code, re.IGNORECASE
        ):
            before = sentence[: match.start()]
            # Who leaves without a thing leaves where it is not, wherever else it stands.
            if match.group().lower().startswith("without") and _LEAVES.search(before):
                continue
            if name.lower() in SMALL_WORDS or SUPPOSED.search(before) or BEFORE.search(before):
                continue
            verb = _IS_DONE.match(rest)
            if (
                verb
                and verb.group(1).lower() not in _OF_USE
                and not _has_on_one_line(name, verb.group(1), code)
            ):
                continue
            return FalseClaim(match.group(), "it says that something is absent that stands there")
    return None


# "No table, column or index is changed."
_IS_DONE = re.compile(
    r"\W*(?:(?:\w+, ){0,3}(?:\w+,? )?(?:or|and|nor) \w+ )?(?:is|are|was|were)\s+(\w+)",
    re.IGNORECASE,
)
_LEAVES = re.compile(
    r"\b(?:return\w*|leav\w+|exit\w*|skip\w*|end\w*|reach\w*|jump\w*|go(?:es|ing)?|run\w*|path"
    r"|branch)\b",
    re.IGNORECASE,
)


def _has_on_one_line(name: str, verb: str, code: str) -> bool:
    stem = compute_stem(verb.lower())
    return any(
        re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line, re.IGNORECASE)
        and any(term == stem or is_related(term, stem) for term in iter_terms(line))
        for line in code.split("\n")
    )
