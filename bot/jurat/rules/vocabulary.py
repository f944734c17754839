"""What rules/authority.yml says: source classes, domains, topics, bodies and home jurisdictions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field

from jurat.errors import FileError, RuleError
from jurat.resources import get_bundled_path
from jurat.rules.relevance import PhraseIndex, Phrases, fold_case
from jurat.rules.rule import Authority, RuleSet
from jurat.rules.validation import StrictModel, raise_errors, suggest, validate_document
from jurat.source.strict_json import KeyPath, format_key_path
from jurat.source.strict_yaml import parse_yaml

BINDING = "binding_law"
STANDARD = "technical_standard"
GUIDANCE = "supervisory_guidance"
CASE_LAW = "case_law"
FOREIGN = "foreign_law"
UNKNOWN = "unknown"
NAMED_IN_CODE = (BINDING, GUIDANCE, FOREIGN, UNKNOWN)
"""The source classes that the ranking itself speaks of; a vocabulary may hold more."""


_JURISDICTION = re.compile(r"[A-Z]{2}(-[A-Z0-9]{1,3})?")


def _check_jurisdiction(text: str) -> str:
    if not _JURISDICTION.fullmatch(text):
        problem = (
            f"{text!r} is no jurisdiction: write a country as DE, a part of it as DE-BY, or EU"
        )
        raise ValueError(problem)
    return text


Jurisdiction = Annotated[str, AfterValidator(_check_jurisdiction)]
"""A country of ISO 3166, or EU; a part of a country as DE-BY."""


class Domain(StrictModel):
    """A field of law or of engineering.

    `keywords` in a query say that it asks about this domain. `narrow_scopes` are scope classes that
    hold for special addressees only, so that they rank below the general norms of the domain.
    """

    keywords: Phrases
    narrow_scopes: tuple[str, ...] = ()


class ScopeMarker(StrictModel):
    """What a reference says of a rule: every attribute that is given holds for its phrases.

    `pattern` is a regular expression (RE2) over the folded reference: small letters, ä as ae. With
    `body`, the phrases name an authority or a court: a query that names it asks for its view.
    """

    phrases: Phrases = ()
    pattern: str | None = None
    body: bool = False
    source_class: str | None = None
    jurisdiction: Jurisdiction | None = None
    domain: str | None = None
    scope_class: str | None = None
    superseded: bool = False


class Vocabulary(StrictModel):
    """The data of the authority ranking. Built by `parse_vocabulary`, which checks its names."""

    model_config = ConfigDict(ignored_types=(cached_property,))

    version: Literal[1] = 1
    home: tuple[Jurisdiction, ...] = Field(min_length=1)
    source_classes: Mapping[str, Annotated[int, Field(ge=0, le=100)]]
    guidance_signals: Phrases
    no_guidance: Phrases = ()
    case_law_signals: Phrases = ()
    jurisdictions: Mapping[Jurisdiction, Phrases]
    domains: Mapping[str, Domain]
    scope_classes: Mapping[str, Phrases]
    topics: Mapping[str, Phrases]
    markers: tuple[ScopeMarker, ...]

    @cached_property
    def domain_words(self) -> PhraseIndex:
        """Hears the domains of a query."""
        return PhraseIndex.of({name: domain.keywords for name, domain in self.domains.items()})

    @cached_property
    def topic_words(self) -> PhraseIndex:
        """Hears the topics of a query."""
        return PhraseIndex.of(self.topics)

    @cached_property
    def scope_words(self) -> PhraseIndex:
        """Hears scope classes in a query."""
        return PhraseIndex.of(self.scope_classes)

    @cached_property
    def jurisdiction_words(self) -> PhraseIndex:
        """Hears the jurisdictions that a query asks about."""
        return PhraseIndex.of(self.jurisdictions)

    @cached_property
    def interpretation_words(self) -> PhraseIndex:
        """Hears who is asked how a duty is to be understood: an authority, a court, or both."""
        signals = {GUIDANCE: self.guidance_signals, CASE_LAW: self.case_law_signals}
        return PhraseIndex.of(
            {
                name: (
                    *words,
                    *(phrase for body in self._iter_bodies(name) for phrase in body.phrases),
                )
                for name, words in signals.items()
            }
        )

    def _iter_bodies(self, source_class: str) -> Iterator[ScopeMarker]:
        """The bodies whose word is of that class; an authority's, unless it is a court's."""
        for marker in self.markers:
            if marker.body and (marker.source_class == CASE_LAW) == (source_class == CASE_LAW):
                yield marker

    @cached_property
    def title_words(self) -> PhraseIndex:
        """Hears titles with a word of those in them: the BSI-Gesetz, or a style guideline."""
        acts = [m for m in self.markers if m.source_class in (BINDING, STANDARD) and not m.body]
        phrases = [phrase for marker in acts for phrase in marker.phrases]
        return PhraseIndex.of({BINDING: [*phrases, *self.no_guidance]})

    @cached_property
    def marker_words(self) -> PhraseIndex:
        """Hears the phrases of markers, labelled by the marker's index."""
        return PhraseIndex.of({str(at): marker.phrases for at, marker in enumerate(self.markers)})

    @cached_property
    def marker_patterns(self) -> tuple[tuple[int, Any], ...]:
        """The compiled patterns of markers, with the marker's index."""
        import re2  # noqa: PLC0415 - only a review that ranks needs it

        return tuple(
            (at, re2.compile(marker.pattern))
            for at, marker in enumerate(self.markers)
            if marker.pattern is not None
        )

    def find_markers(self, reference: str) -> list[ScopeMarker]:
        """The markers that a reference carries, in the order of the file."""
        folded = fold_case(reference)
        found = {int(label) for label in self.marker_words.find(reference)}
        found.update(at for at, pattern in self.marker_patterns if pattern.search(folded))
        return [self.markers[at] for at in sorted(found)]


def parse_vocabulary(text: str, path: str) -> Vocabulary:
    """Read a vocabulary. Raises the first RuleError at its line, the others in `further`."""
    document = parse_yaml(text, path, RuleError)
    vocabulary = validate_document(Vocabulary, document, path, RuleError)
    errors: list[FileError] = [
        RuleError(path, document.line(where), format_key_path(where), problem)
        for where, problem in _find_problems(vocabulary)
    ]
    raise_errors(errors)
    return vocabulary


def read_vocabulary(path: Path) -> Vocabulary:
    """Read a vocabulary from a file. Raises RuleError if that cannot be done."""
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise RuleError(str(path), 0, "", f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise RuleError(str(path), 0, "", "is not UTF-8 text; save it as UTF-8") from None
    return parse_vocabulary(text, str(path))


@cache
def load_shipped_vocabulary() -> Vocabulary:
    """The vocabulary that comes with Jurat, rules/authority.yml."""
    return read_vocabulary(get_bundled_path("rules", "authority.yml"))


def find_authority_problems(
    authority: Authority, vocabulary: Vocabulary
) -> Iterator[tuple[str, str]]:
    """What of an authority block means nothing to the vocabulary: the key, and why.

    Domains, scope classes and topics are free: those of no vocabulary are compared by their names.
    """
    given = authority.source_class
    if given not in vocabulary.source_classes:
        yield (
            "source_class",
            f"unknown class {given!r}; {_suggest_known(vocabulary.source_classes, given)}",
        )
    if authority.jurisdiction is not None:
        try:
            _check_jurisdiction(authority.jurisdiction.upper())
        except ValueError as error:
            yield "jurisdiction", str(error)


def with_known_authorities(rule_set: RuleSet) -> RuleSet:
    """The same corpus, or a RuleError if an authority block means nothing, all in `further`.

    The vocabulary is read only if some rule has a block.
    """
    blocks = [(rule, rule.authority) for rule in rule_set.rules.values() if rule.authority]
    errors: list[FileError] = []
    for rule, authority in blocks:
        path, _, line = rule.origin.rpartition(":")
        errors += (
            RuleError(
                path or rule.id, int(line) if line.isdecimal() else 0, f"authority.{key}", problem
            )
            for key, problem in find_authority_problems(authority, load_shipped_vocabulary())
        )
    raise_errors(errors)
    return rule_set


def _find_problems(vocabulary: Vocabulary) -> Iterator[tuple[KeyPath, str]]:
    for name in NAMED_IN_CODE:
        if name not in vocabulary.source_classes:
            yield ("source_classes",), f"needs a weight for {name}"
    for name, domain in vocabulary.domains.items():
        for at, scope in enumerate(domain.narrow_scopes):
            if scope not in vocabulary.scope_classes:
                hint = _suggest_known(vocabulary.scope_classes, scope)
                problem = f"unknown scope class {scope!r}; {hint}"
                yield ("domains", name, "narrow_scopes", at), problem
    for at, marker in enumerate(vocabulary.markers):
        for key, problem in _find_marker_problems(vocabulary, marker):
            yield ("markers", at, *key), problem


def _find_marker_problems(
    vocabulary: Vocabulary, marker: ScopeMarker
) -> Iterator[tuple[KeyPath, str]]:
    if not marker.phrases and marker.pattern is None:
        yield (), "needs phrases or a pattern"
    if marker.body and not marker.phrases:
        yield ("body",), "needs phrases, by which a query names the body"
    if marker.pattern is not None and (problem := _find_pattern_problem(marker.pattern)):
        yield ("pattern",), problem
    for key, known in (
        ("source_class", vocabulary.source_classes),
        ("domain", vocabulary.domains),
        ("scope_class", vocabulary.scope_classes),
    ):
        given = getattr(marker, key)
        if given is not None and given not in known:
            yield (key,), f"unknown {key} {given!r}; {_suggest_known(known, given)}"


def _find_pattern_problem(pattern: str) -> str | None:
    import re2  # noqa: PLC0415 - only a review that ranks needs it

    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(pattern, options)
    except re2.error as error:
        return f"{pattern!r} is no RE2 expression: {error}"
    letters = re.sub(r"\\.", "", pattern)
    if letters != fold_case(letters):
        return (
            f"is matched over folded text: write {fold_case(letters)!r}, small and without umlauts"
        )
    return None


def _suggest_known(known: Mapping[str, object], given: str) -> str:
    return suggest(sorted(known), given)
