"""Faults for which a reasoning is no reason, whatever else it has: each flags by itself.

A sum of merits cannot tell a good reasoning from one that contradicts itself, so these are no part
of a sub-score. Each compares the text with what it is about: with its own verdict, with the rule,
with the material. A check matches if the reasoning is free of the fault.
"""

from __future__ import annotations

import re
from typing import Any

from jurat.audit.bearing import (
    LIGHT,
    check_adds_words,
    check_bears_on_rule,
    has_no_statement,
    is_circular,
    is_on_topic,
)
from jurat.audit.changes import find_turned_change
from jurat.audit.checklist import Check, ChecklistRule, RuleEvidence
from jurat.audit.checks import build_match, build_missing, list_quotes, remove_quotes
from jurat.audit.claims import (
    NEGATIONS,
    find_lean,
    find_misreading,
    find_restatement,
    iter_terms,
    list_shared,
    list_terms,
    list_unrelated,
)
from jurat.audit.doubts import check_all_was_read, check_commits_itself, check_was_read
from jurat.audit.grounding import (
    count_anchors,
    find_false_claim,
    is_english,
    list_code_names,
    strip_headings,
)
from jurat.audit.lexicon import is_harm
from jurat.audit.obedience import find_echo, remove_orders
from jurat.audit.places import find_foreign_figure
from jurat.audit.polarity import find_turned_conclusion
from jurat.audit.prose import check_is_filled_in, check_reads_as_prose
from jurat.audit.roles import ClauseRole, read_statements, take_support
from jurat.audit.text import compute_stem, parse_text

Metadata = dict[str, Any]

_ASSESSING_WORDS = """
accept acceptable adequate adequately align allow analysis analyze apparent applicable apply
approach appropriate approve aspect assess assessment author aware bad based best better breach
break careful carefully case certain change check clean clear clearly code compare compliance
compliant comply concern conclude conclusion concrete condition confirm conform consider
consideration consistent content context correct correctly criteria decide decision definite
demonstrate deny describe detail determine developer diff do document draft ensure enough entire
entirely especially evaluate evaluation everything evidence evident examine example excellent expect
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
attention attribute cause come decline done due duly examination finish handling improvement
inspection list longer namely negative order outcome performance positive readability rejection
remark report robust robustness security solid step tidy various please yes
breach duty honour infringe mandate mandatory obligation obey oblige permission permit prescribe
prohibition stipulation compulsory matter concerned accordingly forth aforementioned herein
"""
ASSESSING = frozenset(compute_stem(word) for word in _ASSESSING_WORDS.split())
"""Stems of words with which anything may be assessed: they say nothing of this case."""

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

    def check(question: str, response: str, context: str | None, _m: Metadata) -> RuleEvidence:
        against = find_lean(response, breaking=not denies)
        if not against and not denies:
            against = find_restatement(response, question, agreeing=False)
        if not against and denies:
            against = find_restatement(response, question, agreeing=True)
            if against and find_restatement(response, question, agreeing=False):
                against = ""
        # "The tags are fine" is said of the rest where a fault is told as well.
        if against and denies and _OF_THE_REST.match(against) and _has_harm(response):
            against = ""
        # A denial may grant a point first ("the first call is safe; the second ...").
        if against and denies and (find_lean(response, breaking=True) or _has_contrast(response)):
            against = ""
        if against:
            return build_missing(contrary, against.lower())
        if end := find_turned_conclusion(response, question, context or "", verdict):
            return build_missing(
                f"it argues for the opposite, and concludes {verdict}", end.lower()
            )
        if misread := find_misreading(response, question):
            return build_missing("it takes the rule for its opposite", misread.lower())
        return build_match(f"nothing in it speaks against {verdict}")

    return check


_OF_THE_REST = re.compile(
    r"(?:is|are|looks?) (?:\w+ )?(?:fine|ok|okay|correct|clean|harmless)\b", re.IGNORECASE
)


def _has_harm(text: str) -> bool:
    return any(is_harm(word) for word in parse_text(remove_quotes(text)).words)


def _has_contrast(text: str) -> bool:
    return (
        re.search(r"\b(?:but|however|yet|except|although|though)\b", text, re.IGNORECASE)
        is not None
    )


def build_reason_check(verdict: str) -> Check:
    """Whether the text says something that neither the rule nor the verdict has said already."""
    allows = verdict == "ALLOW"

    def check(question: str, text: str, context: str | None, meta: Metadata) -> RuleEvidence:
        response = take_support(text, question, allowing=allows)
        if not response or (
            len(response) < len(text.strip()) and not is_on_topic(response, question, context or "")
        ):
            return build_missing("nothing in it is a reason")
        round_again = _is_circular(response, question) or is_circular(
            response, question, context or "", ASSESSING
        )
        if not list_quotes(response) and round_again:
            return build_missing("it says the rule over and over")
        if is_english(text) and has_no_statement(text, question, context or "", ASSESSING):
            return build_missing("it names things and says nothing of them")
        said = list_terms(response)
        of_rule = list_terms(question)
        here = list_terms(strip_headings(context or ""))
        # A light verb that the code has is a name: "the GET of /status".
        news = list_unrelated(list_unrelated(said, of_rule), ASSESSING | LIGHT - here)
        anchored = [term for term in news if term in here]
        weight = 2 * len(anchored) + (len(news) - len(anchored))
        weight += 2 * len(_list_figures(response, context or ""))
        weight += 2 * len(list_code_names(response))
        weight += bool(parse_text(remove_quotes(response)).numbers)
        weight += _rate_absence(question, response)
        if any(_is_evidence(quote, context) for quote in list_quotes(response)):
            weight += 2
        if allows:
            weight += 2 * bool(
                list_shared(said, list_terms("\n".join(meta.get("exceptions") or ())))
            )
        own = list_terms(question.split("\n", 1)[0])
        taken_up = len(list_shared(own, said))
        # Who takes up some of the rule and adds a word says what was done: "It writes a secret to
        # the log." Who takes up most of it says the rule again.
        applies = bool(news) and 1 < taken_up < _MOST_OF * len(own)
        # "UPDATE without WHERE." says what is missing, in words of the code, and calls it nothing.
        names_gap = not allows and not news and _is_gap(response, here)
        # Words that assess, and nothing else, need no other to be known as English.
        foreign = not is_english(response) and (bool(news) or said.isdisjoint(ASSESSING))
        if weight >= _LEAST_NEWS or applies or names_gap or foreign:
            return build_match("it says more than the rule")
        return build_missing("it only repeats the rule or the verdict")

    return check


def _is_gap(text: str, here: frozenset[str]) -> bool:
    words = list_terms(text)
    return len(text.split()) <= _TERSE and words <= here | NEGATIONS and bool(_ABSENCE.search(text))


_TERSE = 5


def _is_circular(text: str, rule: str) -> bool:
    """Whether a long text is made of the rule's words and of assessing ones, again and again."""
    statement = rule.split("\n", 1)[0].rstrip(".")
    # Who names the rule once, word for word, beside a reason does not argue in a circle.
    words = list(iter_terms(remove_quotes(text.replace(statement, " ", 1))))
    own = list_terms(statement)
    new = set(list_unrelated(list_unrelated(words, own), ASSESSING | LIGHT))
    return (
        len(words) >= _LONG
        and len(new) <= _LEAST_NEWS
        and sum(word in new for word in words) <= len(words) * _FEW
    )


_LONG, _FEW = 12, 0.15
_LEAST_NEWS = 2
_MOST_OF = 0.6
"""The share of a rule's words from which on a text says the rule again."""


def _list_figures(text: str, context: str) -> frozenset[str]:
    """The numbers of a text that stand in the material, line numbers included."""
    return parse_text(remove_quotes(text)).numbers & parse_text(context).numbers


def _is_evidence(quote: str, context: str | None) -> bool:
    return not is_trivial_quote(quote) and quote.strip() in (context or "")


def _rate_absence(question: str, response: str) -> int:
    """A verdict may rest on what is not there: "No SQL here.", "The handler does nothing."."""
    if not any(
        list_unrelated(list_terms(match.group(1)), ASSESSING)
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
    if turned := find_turned_change(response, context or ""):
        return build_missing("it tells of the change the wrong way round", turned.lower())
    return build_match("the material contradicts nothing in it")


def check_figures(question: str, response: str, context: str | None, _m: Metadata) -> RuleEvidence:
    """Whether no figure is given for a bound that neither the rule nor the material leads to."""
    figure = find_foreign_figure(response, question, context or "") if context else ""
    if figure:
        return build_missing("it gives a figure that nothing shown leads to", figure)
    return build_match("its figures come from what is shown")


def check_rests_on_itself(
    question: str, response: str, context: str | None, _m: Metadata
) -> RuleEvidence:
    """Whether the verdict of an ALLOW is not handed on from a text in the subject.

    Who mentions such a text and says something of the code besides does not rest on it.
    """
    echo = find_echo(response, question, context or "")
    clauses = read_statements(response, question)
    handed = next((item for item in clauses if ClauseRole.INSTRUCTION in item.roles), None)
    if not echo and handed is None:
        return build_match("it goes by the subject, and not by what that says of itself")
    code = remove_orders(context or "")
    besides = [item.text for item in clauses if not item.roles and item.text not in echo]
    if any(count_anchors(text, code) and not _FOLLOWS.match(text) for text in besides):
        return build_match("what the subject says of itself is not all that it goes by")
    span = echo or (handed.span if handed else "")
    return build_missing("it hands on what the subject says of itself", span.lower())


_FOLLOWS = re.compile(r"\W*(?:and )?(?:so|therefore|hence|thus|since|because|as)\b", re.IGNORECASE)
"""Follows from what was said, or leads up to it."""


def check_quotes_weigh(_q: str, response: str, _c: str | None, meta: Metadata) -> RuleEvidence:
    """Whether what is quoted tells something: a keyword or a bracket stands in any code."""
    quotes = [*list_quotes(response), *(str(item) for item in meta.get("quotes") or ())]
    quotes = [quote for quote in quotes if quote.strip()]
    if quotes and all(map(is_trivial_quote, quotes)):
        return build_missing("it quotes what stands in any code", quotes[0].lower())
    return build_match("what it quotes tells something")


TOULMIN = "Toulmin 2003, The Uses of Argument"
FAITHFUL = "Jacovi and Goldberg 2020, faithfully interpretable NLP (ACL; arXiv:2004.03685)"


_MOST = 6_000
"""Characters of a text that are looked at: nobody reasons for longer, and time grows with them."""


def build_fault(name: str, description: str, check: Check, citation: str) -> ChecklistRule:
    """A rule of no weight that flags by itself."""

    def look(question: str, response: str, context: str | None, meta: Metadata) -> RuleEvidence:
        # As it is read: what is hidden in a word splits none.
        return check(question, parse_text(response).text[:_MOST], context, meta)

    return ChecklistRule(f"fault.{name}", description, 0.0, "faults", look, citation)


def list_verdict_faults(verdict: str) -> tuple[ChecklistRule, ...]:
    """The faults for which the reasoning behind a `verdict`, "DENY" or "ALLOW", is none."""
    return (
        build_fault(
            "contrary",
            "It does not contradict its verdict.",
            build_conclusion_check(verdict),
            FAITHFUL,
        ),
        build_fault(
            "circular", "It says more than the rule.", build_reason_check(verdict), TOULMIN
        ),
        *SHARED_FAULTS,
        build_fault("beside", "It bears on the rule.", check_bears_on_rule, TOULMIN),
        # A decision may well tell its case again; code is not what a reason is made of.
        build_fault("stirred", "It adds words of its own.", check_adds_words, TOULMIN),
        build_fault("doubtful", "It stands by its verdict.", check_commits_itself, TOULMIN),
        *(_DENIALS_ONLY if verdict == "DENY" else _ALLOWANCES_ONLY),
    )


# An ALLOW may well quote nothing but a keyword: there is no place to show.
_DENIALS_ONLY = (
    build_fault("unread", "All of it was looked at.", check_was_read, FAITHFUL),
    build_fault("trivial_quote", "What it quotes tells something.", check_quotes_weigh, FAITHFUL),
)

_ALLOWANCES_ONLY = (
    build_fault("unread", "All of it was looked at.", check_all_was_read, FAITHFUL),
    # A denial may make up an input: "?size=100000".
    build_fault("figure", "Its figures come from what is shown.", check_figures, FAITHFUL),
    build_fault(
        "hearsay", "It does not rest on the subject's word.", check_rests_on_itself, FAITHFUL
    ),
)

SHARED_FAULTS = (
    build_fault("false_claim", "The material contradicts nothing in it.", check_claims, FAITHFUL),
    build_fault("salad", "It reads as prose.", check_reads_as_prose, TOULMIN),
    build_fault("template", "It is no form.", check_is_filled_in, TOULMIN),
)
