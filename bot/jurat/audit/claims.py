"""What a rationale claims, sentence by sentence, and whether the material bears it out.

Claims are read by form: which way a sentence leans, what it quotes, which names and figures it
gives, what it says is absent. No word of a domain is known here; of English, its closed classes
(negations, modals, connectives) and the few verbs and adjectives that say whether a rule is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from jurat.audit.checks import find_passage, list_quotes, remove_quotes
from jurat.audit.text import SMALL_WORDS, compute_stem, parse_text, split_sentences

_CLAUSE = re.compile(
    r"[,;:\n]|\s[(]|\s[-\u2013\u2014]\s|\b(?:but|because|since|while|whereas|although|though|so"
    r"|and|as|which|that"
    r"|however|yet)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z0-9_À-ÿ]+(?:'[a-z]+)?")
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

_SUPPOSED = re.compile(
    r"\b(?:would|could|should|shall|must|may|might|ought|if|unless|until|once|whether|to (?:settle"
    r"|resolve|fix|comply)|needs? to|has to|have to|requires?|required|demands?|forbids?|prohibits?"
    r"|expects?|rule (?:says|wants|asks|states)|allowed to|were to|suppose)\b",
    re.IGNORECASE,
)
"""A sentence that says what should be, or would be, claims nothing of what is."""

_BEFORE = re.compile(
    r"\b(?:was|were|had|before|previously|formerly|earlier|old|base|used to|until now|no longer"
    r"|removed|fixed|replaced)\b",
    re.IGNORECASE,
)
_PROPOSED = re.compile(
    r"\b(?:use|using|instead|replac\w+|rather than|should|such as|e\.g\.|for example|adding|add"
    r"|would|could|prefer|must|needs?|until|unless|once|switch to)\b|^\W*(?:and |or |then "
    r"|please |just )?"
    r"(?:call|log|move|rename|write|bind|wrap|make|return|catch|load|read|keep|put|raise|give"
    r"|ask|store"
    r"|fetch|pass|set|drop|delete|take)\b",
    re.IGNORECASE,
)
"""What a sentence proposes need not stand in the material."""

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
    rf"|\b(?:keeps?|follows?) (?:to )?(?:the |this |our |every )?{_RULE_NOUN}\b"
    r"|\b(?:is|are|looks|seems|remains?|stays?)\s+(?:\w+\s+)?(?:compliant|fine|okay|ok"
    r"|acceptable|safe"
    r"|harmless|correct|allowed|permitted|sound|clean|secure|satisfied|kept|respected|all right)\b"
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
    return frozenset(_iter_terms(text))


def _iter_terms(text: str) -> Iterator[str]:
    # "e-mail" is "email" as well.
    for word in _WORD.findall(f"{text} {_HYPHENED.sub('', ' '.join(_COMPOUND.findall(text)))}"):
        for piece in _HUMP.split(word):
            small = piece.lower()
            if len(small) > 1 and small not in SMALL_WORDS and not small.isdigit():
                yield compute_stem(small)


def is_related(one: str, other: str) -> bool:
    """Whether two stems look like forms of one word: the shorter begins the longer, or nearly."""
    short, long = sorted((one, other), key=len)
    if len(short) < 4:
        return short == long or (len(short) == 3 and long.startswith(short) and len(long) < 7)
    if long.startswith(short) or (len(short) > 5 and long[:5] == short[:5]):
        return True
    # "build" and "built".
    return len(short) == len(long) > 4 and long[:-1] == short[:-1]


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
                if _SUPPOSED.search(clause) and not verdict_like:
                    continue
                if re.search(r"\b(?:if|unless|whether|would|once|until)\b", before, re.IGNORECASE):
                    continue
                if _BEFORE.search(clause) or _BEFORE.search(match.group()):
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
    turned = _is_turned(statement)
    turning = {term for term in own if _TAKING_AWAY.fullmatch(term)}
    for sentence in split_sentences(remove_quotes(text)):
        for clause in _split_clauses(sentence):
            if _SUPPOSED.search(clause) or _BEFORE.search(clause):
                continue
            said = list_terms(clause)
            shared = [term for term in own if term in said or list_shared([term], said)]
            least = _MOST_OF_A_NORM if agreeing else _MOST_OF_A_BREACH
            if len(shared) < max(2, least * len(own)) or not turning <= set(shared):
                continue
            if (_is_turned(clause) == turned) is agreeing:
                return clause.strip()
    return ""


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


def _is_turned(text: str) -> bool:
    words = [word.lower() for word in _WORD.findall(text)]
    count = sum(word in NEGATIONS for word in words)
    count += sum(_TAKING_AWAY.fullmatch(word) is not None for word in words)
    return count % 2 == 1


# What a rationale claims of the material.

_IDENTIFIER = re.compile(
    r"(?<![\w./-])(?:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\((?:[^()\n]{0,60}\))?|[a-z]+(?:_\w+)+"
    r"|_\w{2,}|[a-z]{2,}(?:[A-Z]\w+)+"
    r"|[A-Z]{2,}(?:_[A-Z0-9]+)+|(?:[\w-]+/)*[\w-]+\.(?:py|js|ts|tsx|jsx|go|rb|java|kt|rs|c|cpp"
    r"|cs|php|sh|sql|yml|yaml|json|html|md|toml|txt)\b)"
)
_LINE = re.compile(r"\blines? (\d{1,6})(?:\s?(?:-|\u2013|to|and)\s?(\d{1,6}))?", re.IGNORECASE)
_NUMBERED = re.compile(r"(?m)^\s{0,2}(\d{1,7})[+:|]")
_HUNK = re.compile(r"(?m)^@@ (\d+)")
_VALUE = re.compile(
    r"([A-Za-z_][\w.\[\]]{1,60})[`\"']?\s*(?:\)?\s*(?:==?|:=|:|is|are|was|of|at|to|equals)\s+"
    r"|\s*[=:]\s*)"
    r"(?:only |just |set to |about )?[`\"']?(\d[\d,_]*(?:\.\d+)?)(?![\w.]*\d)"
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
_LITERAL = re.compile(
    r"(?s)\"\"\".*?\"\"\"|'''.*?'''|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|(?m:(?:#|//).*$)"
)
_OF_USE = frozenset(
    "argument arguments call calls parameter parameters option options statement statements is are"  # noqa: SIM905 - as above
    " was here there used present found exists given set passed added involved appears"
    " anywhere keyword remains".split()
)


@lru_cache(maxsize=8)
def strip_literals(code: str) -> str:
    """Code without what stands in its strings and comments."""
    return _LITERAL.sub(' "" ', code)


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
    for sentence in split_sentences(text):
        bare = remove_quotes(sentence)
        for clause in _split_keeping(sentence):
            for name in _iter_names(clause):
                if not _has_passage(name, around) and not _is_unclaimed(name, clause):
                    return FalseClaim(name, "it speaks of what does not stand there")
        for found in (
            _find_line(bare, context),
            _find_value(sentence, context),
            _find_absent(sentence, context),
        ):
            if found is not None:
                return found
    return None


def _split_keeping(sentence: str) -> list[str]:
    """The clauses of a sentence, each with what it quotes."""
    quotes: list[str] = []

    def keep(match: re.Match[str]) -> str:
        quotes.append(match.group())
        return f" \0{len(quotes) - 1}\0 "

    held = re.sub(r"`[^`\n]*`|\"[^\"\n]*\"|“[^”]{0,400}”", keep, sentence)
    return [
        re.sub(r"\0(\d+)\0", lambda match: quotes[int(match.group(1))], part)
        for part in re.split(r"[,;:]\s|\s[-\u2013\u2014]\s", held)
    ]


def _iter_names(clause: str) -> Iterator[str]:
    for quote in list_quotes(clause):
        for piece in re.split(r"…|\.{3}", quote):
            if len(piece.strip()) >= 3:
                yield piece.strip()
    yield from (match.group() for match in _IDENTIFIER.finditer(remove_quotes(clause)))


def count_anchors(text: str, context: str) -> int:
    """How much of a text holds on to the material: words, names, lines, figures."""
    bare = remove_quotes(text)
    names = {match.group() for match in _IDENTIFIER.finditer(bare)} | set(list_quotes(text))
    lines = {match.group(1) for match in _LINE.finditer(bare)}
    figures = parse_text(bare).numbers
    return (
        len(list_shared(list_terms(text), list_terms(context)))
        + sum(len(name) > 2 and _has_passage(name, context) for name in names)
        + len((lines | figures) & set(_NUMBERED.findall(context)))
        + sum(len(number) > 1 for number in figures & parse_text(context).numbers)
    )


def is_english(text: str) -> bool:
    """Whether a text has a small word of English: of another language no claim is read."""
    return not SMALL_WORDS.isdisjoint(word.lower() for word in _WORD.findall(text))


def list_code_names(text: str) -> frozenset[str]:
    """The names in code of a text, quoted or not: what looks like no word of prose."""
    return frozenset(match.group() for match in _IDENTIFIER.finditer(text))


def _is_unclaimed(name: str, clause: str) -> bool:
    """Whether a clause says of a name that it is not there, or should be."""
    before, _, after = clause.partition(name)
    words = [word.lower() for word in _WORD.findall(before)[-6:]]
    return (
        any(word in NEGATIONS or _LACKS.fullmatch(word) for word in words)
        or _PROPOSED.search(before) is not None
        or _NOT_THERE.match(after) is not None
    )


_LACKS = re.compile(r"lack\w*|miss\w*|omit\w*|absen\w+|instead|forg[eo]t\w*|replac\w+|remov\w+")
_NOT_THERE = re.compile(
    r"[`\"'”)]*\W+(?:\w+\W+){0,3}?(?:missing|absent|not|never|nowhere|gone|removed|instead|would"
    r"|should|could|rather|\w+n't)\b",
    re.IGNORECASE,
)


def _has_passage(name: str, around: str) -> bool:
    if find_passage([name], around):
        return True
    called = name.rstrip("()").rsplit("(", 1)[0]
    return any(piece and piece in _join_lines(around) for piece in (called, " ".join(name.split())))


@lru_cache(maxsize=4)
def _join_lines(context: str) -> str:
    """The material on one line, without the marks before its lines."""
    return " ".join(_MARK.sub("", context).split())


_MARK = re.compile(r"(?m)^(?:\s{0,2}\d{1,7}[+:|]?|[-|+])")


def _find_line(sentence: str, context: str) -> FalseClaim | None:
    numbers = _list_line_numbers(context)
    for match in _LINE.finditer(sentence) if numbers else ():
        if not any(abs(int(match.group(1)) - number) <= _SLACK for number in numbers):
            return FalseClaim(match.group(), "it names a line that it was not shown")
    return None


_SLACK = 5
"""Lines by which a model miscounts, and which prove no invention."""


@lru_cache(maxsize=4)
def _list_line_numbers(context: str) -> frozenset[int]:
    """The numbers of the lines of a change that are shown, as far as these are numbered."""
    numbers = {int(number) for number in _NUMBERED.findall(context)}
    following = None
    for row in context.split("\n"):
        if opened := _HUNK.match(row):
            following = int(opened.group(1))
        elif row.startswith("=== "):
            following = None
        elif following is not None and not row.startswith("-"):
            numbers.add(following)
            following += 1
    return frozenset(numbers) if _NUMBERED.search(context) else frozenset()


def _find_value(sentence: str, context: str) -> FalseClaim | None:
    for form in (_VALUE, _SWITCH, _CALLED_WITH):
        held: dict[str, set[str]] = {}
        for name, value in form.findall(context):
            held.setdefault(name.rpartition(".")[2].lower(), set()).add(_normalize_value(value))
        for match in form.finditer(sentence) if held else ():
            name = match.group(1).rpartition(".")[2].lower()
            if name not in held or _normalize_value(match.group(2)) in held[name]:
                continue
            # Without what is quoted: a call of `log` in the code is no proposal to log.
            before = remove_quotes(sentence[: match.start()])[-40:]
            if _PROPOSED.search(before) or _is_negated(before):
                continue
            return FalseClaim(match.group(), "it gives a value that the material contradicts")
    return None


def _is_negated(text: str) -> bool:
    return any(word.lower() in NEGATIONS for word in _WORD.findall(text))


def _normalize_value(value: str) -> str:
    return value.lower().replace(",", "").replace("_", "").rstrip(".").removesuffix(".0")


def _find_absent(sentence: str, context: str) -> FalseClaim | None:
    code = strip_literals(
        "\n".join(line for line in context.split("\n") if not line.startswith(("-", "===")))
    )
    for match in _NONE.finditer(sentence):
        name, following = match.group(1), (match.group(2) or "").lower()
        rest = sentence[match.end(1) :].strip(" `\"'")
        ends = not rest or not rest[0].isalnum()
        within = following in ("in", "on", "at") and not match.group().lower().startswith("without")
        if (ends or within or following in _OF_USE) and re.search(
            rf"(?<!\w){re.escape(name)}(?!\w)", code, re.IGNORECASE
        ):
            if name.lower() in SMALL_WORDS or _SUPPOSED.search(sentence[: match.start()]):
                continue
            verb = re.match(r"\W*(?:is|are|was|were)\s+(\w+)", rest)
            if (
                verb
                and verb.group(1).lower() not in _OF_USE
                and not _has_on_one_line(name, verb.group(1), code)
            ):
                continue
            return FalseClaim(match.group(), "it says that something is absent that stands there")
    return None


def _has_on_one_line(name: str, verb: str, code: str) -> bool:
    stem = compute_stem(verb.lower())
    return any(
        re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line, re.IGNORECASE)
        and any(term == stem or is_related(term, stem) for term in _iter_terms(line))
        for line in code.split("\n")
    )
