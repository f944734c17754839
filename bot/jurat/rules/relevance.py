"""How much a rule has to do with a change, in [0, 1]: by words offline, or by embeddings.

BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009) over what a rule says
and what the change says of itself. Terms are whole words, their runs of four letters, which find
the parts of German compounds and bridge inflections, and the concepts of the glossary, which bridge
languages. Scores are divided by the best one, so that the coefficients of `authority`, made for
similarities in [0, 1], keep their meaning; if nothing is in common all are 0.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Annotated, Any, Literal, Self
from unicodedata import normalize

from pydantic import AfterValidator

from jurat.errors import RuleError
from jurat.facts.context import EvaluationContext
from jurat.resources import get_bundled_path
from jurat.rules.rule import Rule, RuleSet
from jurat.rules.validation import StrictModel, validate_document
from jurat.source.diff import FileChange
from jurat.source.strict_yaml import parse_yaml

# Words as people mean them: whole, in any letter case, with umlauts in either spelling.

_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
"""Soft hyphens, zero-width characters and direction marks: they split words that look whole."""

_WORD = re.compile(r"[^\W_]+")
_STAR = "*"


def fold_case(text: str) -> str:
    """The text in small letters, compatibility forms resolved, umlauts spelled out (ä as ae)."""
    visible = _INVISIBLE.sub("", text).encode("utf-8", "replace").decode("utf-8")
    # Twice: casefold may write what NFKC would take apart again.
    # https://www.unicode.org/reports/tr15/
    return normalize("NFKC", normalize("NFKC", visible).casefold()).translate(_SPELLED_OUT)


def split_words(text: str) -> list[str]:
    """The folded words of a text in order: runs of letters and digits."""
    return _WORD.findall(fold_case(text))


def _check_phrase(text: str) -> str:
    stems = [part.removesuffix(_STAR) for part in text.split()]
    if not stems or any(_STAR in stem or not split_words(stem) for stem in stems):
        problem = f"{text!r} is no phrase: write one or more words, with * only at the end of one"
        raise ValueError(problem)
    return text


Phrase = Annotated[str, AfterValidator(_check_phrase)]
"""Words that follow each other; one that ends in "*" stands for every word that begins so."""

Phrases = tuple[Phrase, ...]


@dataclass(frozen=True, slots=True)
class PhraseIndex:
    """Hears many phrases in one pass over a text, in time linear in the text.

    A phrase never matches inside a word: "laut" is not heard in "lautet".
    """

    _labels: tuple[str, ...]
    _patterns: tuple[Any, ...]
    _set: Any

    @classmethod
    def of(cls, phrases: Mapping[str, Sequence[str]]) -> Self:
        """A lexicon of phrases by the label that each stands for."""
        import re2  # noqa: PLC0415 - only a review that ranks needs it

        labels = tuple(label for label, entries in phrases.items() for _ in entries)
        written = [_build_pattern(phrase) for entries in phrases.values() for phrase in entries]
        together = re2.Set.SearchSet()
        for pattern in written:
            together.Add(pattern)
        if written:
            together.Compile()
        return cls(labels, tuple(re2.compile(pattern) for pattern in written), together)

    def strip_from(self, text: str) -> str:
        """The words of a text that belong to none of the phrases."""
        spaced = f" {' '.join(split_words(text))} "
        for pattern in self._patterns:
            spaced = pattern.sub(" ", spaced)
        return str(spaced).strip()

    def find(self, text: str) -> dict[str, list[int]]:
        """For each label that is heard, where each of its phrases first stands, in characters."""
        spaced = f" {' '.join(split_words(text))} "
        found: dict[str, list[int]] = {}
        for index in sorted(self._set.Match(spaced) or ()) if self._labels else ():
            place = self._patterns[index].search(spaced)
            found.setdefault(self._labels[index], []).append(place.start() if place else 0)
        return found


def _build_pattern(phrase: str) -> str:
    parts: list[str] = []
    for part in phrase.split():
        inner: Iterable[str] = split_words(part)
        parts.append(" ".join(inner) + ("[^ ]*" if part.endswith(_STAR) else ""))
    return f" {' '.join(parts)} "


# What rules/glossary.yml says: words of several languages that mean the same.


class Glossary(StrictModel):
    """Phrases by the concept that they stand for."""

    version: Literal[1] = 1
    concepts: Mapping[str, Phrases]


def parse_glossary(text: str, path: str) -> PhraseIndex:
    """A lexicon that hears the concepts of a glossary. Raises RuleError if it is broken."""
    glossary = validate_document(Glossary, parse_yaml(text, path, RuleError), path, RuleError)
    return PhraseIndex.of(glossary.concepts)


@cache
def load_glossary() -> PhraseIndex:
    """The concepts of the glossary that comes with Jurat, rules/glossary.yml."""
    path = get_bundled_path("rules", "glossary.yml")
    return parse_glossary(path.read_text("utf-8"), str(path))


Relevance = Callable[[EvaluationContext, RuleSet, Sequence[Rule]], Sequence[float]]
"""Scores in [0, 1] of the given rules of a corpus, for what is judged. Pure."""

Vector = Sequence[float]


class EmbeddingError(Exception):
    """There are no vectors, and why: safe to show. Relevance without them is always at hand."""


_GRAM = 4
_CONCEPT_WEIGHT = 2
"""How often a concept counts in a rule that names it once. From the labelled changes, where 4 beats
3 and 5 letters by 3 points of recall at 20, and 2 beats 1 by one; see tests/benchmarks."""

_READ_CHARACTERS = 100_000
"""Of added lines and facts, shared evenly among files: more adds time, and no new words."""
_QUERY_TERMS = 1_000
"""Different terms that enter the query of those that the rules know: the most frequent ones."""
_SHOWN_PATHS = 200
_BOUNDARY = re.compile(r"(?<=[a-zäöüß0-9])(?=[A-ZÄÖÜ])")
"""Between the words of a camelCase identifier."""
_IN_EVERY_RULE = ""
"""A term that no query holds, so that no rule is without one."""


def build_document(rule: Rule) -> str:
    """What a rule says of itself, as text to search in."""
    parts = (rule.id, rule.statement, rule.rationale, *rule.tags, *rule.scope, *rule.references)
    return "\n".join(part for part in parts if part)


def describe_intent(context: EvaluationContext) -> str:
    """What the change says it is for, and the paths it touches: the query of the authority."""
    return "\n".join((context.intent, *_list_paths(context)))


def build_query(context: EvaluationContext) -> str:
    """The same, with what it adds: the query of an embedding, without any private file."""
    subjects = tuple(
        replace(
            subject,
            files=tuple(file for file in subject.files if not file.private),
            # What a private file states, or what follows from it, is as private.
            facts={} if any(file.private for file in subject.files) else subject.facts,
        )
        for subject in context.subjects
    )
    public = replace(context, subjects=subjects)
    return "\n".join((describe_intent(public), *_iter_said(public)))


def rank_by_words(
    context: EvaluationContext, rule_set: RuleSet, rules: Sequence[Rule]
) -> Sequence[float]:
    """The Relevance that needs neither a key nor a network."""
    index = _build_index(rule_set)
    stated = [*_list_distinct(context.intent), *_list_distinct("\n".join(_list_paths(context)))]
    known = index.model.get_tokens_ids(stated)
    said = Counter(index.model.get_tokens_ids(_iter_terms("\n".join(_iter_said(context)))))
    # What is stated counts whole, what is added by its most frequent terms: a large change would
    # drown its own description.
    known += (term for term, _ in said.most_common(_QUERY_TERMS))
    if not known:
        return [0.0] * len(rules)
    scores = index.model.get_scores_from_ids(known)
    found = [float(scores[index.position[rule.id]]) for rule in rules]
    best = max(found, default=0.0)
    return [score / best for score in found] if best > 0 else found


def build_vector_relevance(query: Vector, vectors: Mapping[str, Vector]) -> Relevance:
    """The Relevance of embeddings: `vectors` of unit length by the revision of their rule.

    The score is the cosine, 0 if it is negative and if a rule has no vector.
    """

    def relevance(
        _context: EvaluationContext, _rule_set: RuleSet, rules: Sequence[Rule]
    ) -> Sequence[float]:
        return [_compute_cosine(query, vectors.get(rule.revision, ())) for rule in rules]

    return relevance


@dataclass(frozen=True, slots=True)
class _Index:
    """The BM25 index of a corpus, and where each rule stands in it, by id."""

    model: Any
    position: Mapping[str, int]


@lru_cache(maxsize=8)
def _build_index(rule_set: RuleSet) -> _Index:
    import bm25s  # noqa: PLC0415 - with numpy it takes 0.15 s, and most reviews rank nothing

    rules = rule_set.rules.values()
    model = bm25s.BM25(method="lucene")
    # bm25s fails on a corpus without any term, as one of a single rule of stop words is.
    documents = [[_IN_EVERY_RULE, *_iter_document_terms(rule)] for rule in rules]
    model.index(documents, show_progress=False)
    return _Index(model, {rule.id: position for position, rule in enumerate(rules)})


def _iter_document_terms(rule: Rule) -> Iterator[str]:
    for term in _iter_terms(build_document(rule)):
        yield from (term,) * (_CONCEPT_WEIGHT if term.startswith("#") else 1)


def _iter_terms(text: str) -> Iterator[str]:
    """Words as "=word", their grams bare, concepts as "#concept"."""
    apart = _BOUNDARY.sub(" ", text)
    for word in split_words(apart):
        if len(word) < 2 or word in _list_stop_words():
            continue
        yield f"={word}"
        yield from (word[at : at + _GRAM] for at in range(max(1, len(word) - _GRAM + 1)))
    yield from (f"#{concept}" for concept in load_glossary().find(apart))


def _list_distinct(text: str) -> dict[str, None]:
    return dict.fromkeys(_iter_terms(text))


@cache
def _list_stop_words() -> frozenset[str]:
    from bm25s.stopwords import STOPWORDS_EN_PLUS, STOPWORDS_GERMAN  # noqa: PLC0415 - as above

    return frozenset(
        word for entry in (*STOPWORDS_EN_PLUS, *STOPWORDS_GERMAN) for word in split_words(entry)
    )


def _list_paths(context: EvaluationContext) -> list[str]:
    return [file.path for file in context.files[:_SHOWN_PATHS]]


def _iter_said(context: EvaluationContext) -> Iterator[str]:
    """The added lines of each file and the facts, each cut so that all get a share."""
    # A share for each: one large file in front would leave nothing for the others.
    share = _READ_CHARACTERS // max(1, len(context.files) + len(context.subjects))
    for file in context.files:
        yield _cut_texts(share, _iter_added(file))
    for subject in context.subjects:
        yield _cut_texts(share, _iter_leaves(subject.facts))


def _iter_added(file: FileChange) -> Iterator[str]:
    return (line.text for hunk in file.hunks for line in hunk.lines if line.kind == "added")


def _iter_leaves(value: object) -> Iterator[str]:
    """The names and the texts in facts, in their order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield str(name)
            yield from _iter_leaves(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _iter_leaves(inner)


def _cut_texts(characters: int, texts: Iterable[str]) -> str:
    kept: list[str] = []
    for text in texts:
        if characters <= 0:
            break
        kept.append(text[:characters])
        characters -= len(text) + 1
    return "\n".join(kept)


def _compute_cosine(one: Vector, other: Vector) -> float:
    product = sum(a * b for a, b in zip(one, other, strict=False))
    return min(1.0, max(0.0, product))
