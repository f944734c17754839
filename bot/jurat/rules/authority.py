"""The last step of rule selection: what is alike in relevance is ordered by its authority.

Nothing is dropped, here or by a score: candidates are re-ordered before the cut, so that binding
law of the place and the domain in question comes before guidance, foreign and off-domain law. A
guideline may overtake the law only if the query explicitly asks for an interpretation, and a
court's decision only if it asks what courts decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from jurat.rules.relevance import PhraseIndex
from jurat.rules.rule import Authority, Rule
from jurat.rules.vocabulary import (
    BINDING,
    CASE_LAW,
    FOREIGN,
    GUIDANCE,
    UNKNOWN,
    ScopeMarker,
    Vocabulary,
)

AUTHORITY_COEF = 0.40
"""Times the weight of the source, divided by 100."""
JURISDICTION_GAIN = 0.05
"""For everything that is not foreign."""
FOREIGN_PENALTY = 0.60
"""For foreign law on a question about home: ranked down, not removed."""
UNKNOWN_PENALTY = 0.08
DOMAIN_MATCH_GAIN = 0.15
OFF_DOMAIN_PENALTY = 0.10
SCOPE_PENALTY = 0.25
"""For norms that bind special addressees alone, such as the police, on a general question."""
TOPIC_GAIN = 0.18
SUPERSEDED_PENALTY = 0.50
"""For what no longer holds: ranked down, still to be found for questions about the past."""
GUIDANCE_INTENT_GAIN = 0.25
"""For a guideline if the query asks for an interpretation..."""
GUIDANCE_INTENT_MARGIN = 0.05
"""...if its relevance is at most this much below that of the most relevant binding norm."""
GUIDANCE_LIFT = 0.001
"""How far above the best binding norm a guideline is lifted if the gain alone falls short."""

_ROUNDING = 1e-9
"""0.70 - 0.05 is a little more than 0.65 in binary: a guideline exactly at the margin competes."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """What is ranked: a rule, or any passage with its sources.

    `score` is the relevance to the query, in [0, 1], as the stage before computed it. `references`
    name the sources, the principal one first.
    """

    id: str
    score: float
    text: str = ""
    references: tuple[str, ...] = ()
    authority: Authority | None = None

    @classmethod
    def of(cls, rule: Rule, score: float) -> Candidate:
        """A rule with its relevance."""
        return cls(rule.id, score, rule.statement, rule.references, rule.authority)


@dataclass(frozen=True, slots=True)
class AuthorityQuery:
    """What a query asks for, by the words it uses.

    `jurisdictions` are those that it names besides home, `narrow_scopes` the scope classes that are
    too special for it, `interpreters` the source classes of which it wants to know how a duty is to
    be understood: guidance, case law, or both.
    """

    text: str
    domain: str | None
    jurisdictions: frozenset[str]
    narrow_scopes: frozenset[str]
    topics: frozenset[str]
    interpreters: frozenset[str]


@dataclass(frozen=True, slots=True)
class AuthorityClass:
    """Where a candidate's force comes from. `foreign` holds with regard to the question."""

    source_class: str
    weight: int
    jurisdiction: str | None
    domain: str | None
    scope_class: str | None
    superseded: bool
    foreign: bool


@dataclass(frozen=True, slots=True)
class Adjustment:
    """One thing that was added to a score, or subtracted, and why."""

    amount: float
    reason: str


@dataclass(frozen=True, slots=True)
class RankedCandidate:
    """A candidate with its final score. `why` begins with its relevance and adds up to `score`."""

    candidate: Candidate
    authority_class: AuthorityClass
    score: float
    why: tuple[Adjustment, ...]

    def raise_score(self, amount: float, reason: str) -> RankedCandidate:
        """The same, with one more adjustment."""
        why = (*self.why, Adjustment(amount, reason))
        return replace(self, score=self.score + amount, why=why)


def parse_query(query: str, vocabulary: Vocabulary) -> AuthorityQuery:
    """What a query asks for."""
    domain = find_query_domain(query, vocabulary)
    named = vocabulary.scope_words.find(query)
    narrow = vocabulary.domains[domain].narrow_scopes if domain else ()
    return AuthorityQuery(
        query,
        domain,
        frozenset(vocabulary.jurisdiction_words.find(query)),
        frozenset(narrow) - named.keys(),
        frozenset(vocabulary.topic_words.find(query)),
        find_interpreters(query, vocabulary),
    )


def find_query_domain(query: str, vocabulary: Vocabulary) -> str | None:
    """The domain of which the query uses the most keywords; of several, the one heard first."""
    found = vocabulary.domain_words.find(query)
    return min(found, key=lambda name: (-len(found[name]), min(found[name])), default=None)


def find_interpreters(query: str, vocabulary: Vocabulary) -> frozenset[str]:
    """The source classes that the query asks for an interpretation, or for what they say.

    What only sounds so is not heard: an act that carries an authority's name, as the BSI-Gesetz, a
    style guideline, recommended products.
    """
    return frozenset(vocabulary.interpretation_words.find(vocabulary.title_words.strip_from(query)))


def is_guidance_query(query: str, vocabulary: Vocabulary) -> bool:
    """Whether the query explicitly asks for an interpretation, or for what an authority says."""
    return GUIDANCE in find_interpreters(query, vocabulary)


def classify_authority(
    candidate: Candidate, vocabulary: Vocabulary, asked: frozenset[str] = frozenset()
) -> AuthorityClass:
    """What the candidate's authority block says and, if it is silent, what its references say.

    Law of a jurisdiction that is neither home nor `asked` for is foreign law. An own weight counts
    as given; a source class that the vocabulary does not know counts as unknown. References to a
    source of another class than the block's say nothing but the domain: a house rule that cites
    foreign law is still the house's.
    """
    given = candidate.authority or Authority()
    marked = _infer_authority(candidate.references, vocabulary)
    source = given.source_class if given.source_class != UNKNOWN else marked.source_class
    if source != marked.source_class:
        marked = Authority(domain=marked.domain)
    jurisdiction = given.jurisdiction or marked.jurisdiction
    foreign = _is_foreign(source, jurisdiction, vocabulary, asked)
    if source not in vocabulary.source_classes:
        source = UNKNOWN
    elif source in (BINDING, CASE_LAW) and foreign:
        source = FOREIGN
    elif source == FOREIGN and not foreign:
        source = BINDING
    return AuthorityClass(
        source_class=source,
        weight=vocabulary.source_classes[source] if given.weight is None else given.weight,
        jurisdiction=jurisdiction,
        domain=given.domain or marked.domain,
        scope_class=given.scope_class or marked.scope_class,
        superseded=given.superseded or marked.superseded,
        foreign=foreign,
    )


def score_authority(
    question: AuthorityQuery,
    candidate: Candidate,
    authority_class: AuthorityClass,
    vocabulary: Vocabulary,
) -> RankedCandidate:
    """The relevance, and everything that the candidate's authority adds to it or subtracts."""
    why = [
        Adjustment(candidate.score, "relevance"),
        Adjustment(
            AUTHORITY_COEF * authority_class.weight / 100,
            f"{authority_class.source_class}, weight {authority_class.weight}",
        ),
    ]
    if authority_class.superseded:
        why.append(Adjustment(-SUPERSEDED_PENALTY, "superseded"))
    if authority_class.foreign:
        place = authority_class.jurisdiction or "another jurisdiction"
        why.append(Adjustment(-FOREIGN_PENALTY, f"of {place}, which the query does not ask for"))
    else:
        why.append(
            Adjustment(JURISDICTION_GAIN, f"jurisdiction {authority_class.jurisdiction or 'home'}")
        )
    if authority_class.source_class == UNKNOWN:
        why.append(Adjustment(-UNKNOWN_PENALTY, "unknown source"))
    if question.domain and authority_class.domain:
        if authority_class.domain == question.domain:
            why.append(Adjustment(DOMAIN_MATCH_GAIN, f"domain {authority_class.domain}"))
        else:
            reason = f"domain {authority_class.domain}, not {question.domain}"
            why.append(Adjustment(-OFF_DOMAIN_PENALTY, reason))
    if authority_class.scope_class in question.narrow_scopes:
        why.append(Adjustment(-SCOPE_PENALTY, f"only for {authority_class.scope_class}"))
    if topic := _find_common_topic(question, candidate, vocabulary):
        why.append(Adjustment(TOPIC_GAIN, f"topic {topic}"))
    score = 0.0
    for adjustment in why:
        score += adjustment.amount
    return RankedCandidate(candidate, authority_class, score, tuple(why))


def rerank_by_authority(
    query: str, candidates: Sequence[Candidate], vocabulary: Vocabulary
) -> list[RankedCandidate]:
    """All candidates, best first, each with its score and why. What is equal keeps its order."""
    question = parse_query(query, vocabulary)
    ranked = [
        score_authority(
            question,
            candidate,
            classify_authority(candidate, vocabulary, question.jurisdictions),
            vocabulary,
        )
        for candidate in candidates
    ]
    if question.interpreters:
        ranked = _raise_interpretations(question, ranked)
    return sorted(ranked, key=lambda item: -item.score)


_ASKED = {GUIDANCE: "guidance", CASE_LAW: "case law"}


def _raise_interpretations(
    question: AuthorityQuery, ranked: Sequence[RankedCandidate]
) -> list[RankedCandidate]:
    """Raise what is asked for and competes with the most relevant binding norm, in its own order.

    The gain is for every one of them. The lift, by which a guideline or a decision passes the best
    norm whatever that norm has earned besides, is for those in force, at home and not of another
    domain.
    """
    binding = [item for item in ranked if item.authority_class.source_class == BINDING]
    relevance = max((item.candidate.score for item in binding), default=0.0)
    bar = relevance - GUIDANCE_INTENT_MARGIN - _ROUNDING
    raised = [
        item.raise_score(GUIDANCE_INTENT_GAIN, f"the query asks for {_ASKED[asked]}")
        if (asked := item.authority_class.source_class) in question.interpreters
        and item.candidate.score >= bar
        else item
        for item in ranked
    ]
    if not binding:
        return raised
    floor = max(item.score for item in binding)
    competing = [
        at
        for at, (before, after) in enumerate(zip(ranked, raised, strict=True))
        if after is not before and _can_be_lifted(question, after.authority_class)
    ]
    # From the weakest up, and of equals the last first, so that their order among them stands.
    for at in sorted(competing, key=lambda at: (raised[at].score, -at)):
        if raised[at].score <= floor:
            amount = floor + GUIDANCE_LIFT - raised[at].score
            raised[at] = raised[at].raise_score(amount, "lifted above the best binding norm")
            floor = raised[at].score
    return raised


def _can_be_lifted(question: AuthorityQuery, authority_class: AuthorityClass) -> bool:
    off_domain = (
        question.domain and authority_class.domain and authority_class.domain != question.domain
    )
    return not (authority_class.superseded or authority_class.foreign or off_domain)


def _infer_authority(references: Sequence[str], vocabulary: Vocabulary) -> Authority:
    """What markers say of the references: the first one of a known class is the principal source.

    What is marked as unknown, as a blog about an act, is the principal source of nothing that has
    another. Of several markers the first in the vocabulary decides, attribute by attribute. Only
    the domain, if the principal source names none, is taken from the references behind it.
    """
    marked = [vocabulary.find_markers(reference) for reference in references]
    classes = [_find_first("source_class", markers) for markers in marked]
    known = [markers for markers, name in zip(marked, classes, strict=True) if name != UNKNOWN]
    classed = [markers for markers in known if _find_first("source_class", markers)]
    principal = classed[0] if classed else [marker for markers in marked for marker in markers]
    behind = [marker for markers in marked for marker in markers]
    return Authority(
        source_class=_find_first("source_class", principal) or UNKNOWN,
        jurisdiction=_find_first("jurisdiction", principal),
        domain=_find_first("domain", (*principal, *behind)),
        scope_class=_find_first("scope_class", principal),
        superseded=any(marker.superseded for marker in principal),
    )


def _find_first(attribute: str, markers: Sequence[ScopeMarker]) -> str | None:
    return next((value for marker in markers if (value := getattr(marker, attribute))), None)


def _is_foreign(
    source: str, jurisdiction: str | None, vocabulary: Vocabulary, asked: frozenset[str]
) -> bool:
    """Whether it is of another place than home or `asked`; a part of a country belongs to it."""
    if jurisdiction is None:
        return source == FOREIGN and not asked
    code = jurisdiction.upper()
    places = {code, code.partition("-")[0]}
    return places.isdisjoint(vocabulary.home) and places.isdisjoint(asked)


def _find_common_topic(
    question: AuthorityQuery, candidate: Candidate, vocabulary: Vocabulary
) -> str | None:
    """The first topic of the candidate that the question speaks of.

    A topic that the vocabulary does not hold is heard by its own name.
    """
    for topic in candidate.authority.topics if candidate.authority else ():
        if topic in question.topics:
            return topic
        if topic not in vocabulary.topics and _is_named_in(topic, question.text):
            return topic
    return None


def _is_named_in(topic: str, text: str) -> bool:
    name = topic.replace("_", " ").replace("*", " ").strip()
    return bool(name) and bool(PhraseIndex.of({topic: (name,)}).find(text))
