"""What a rule says of flows: where values come from, must not arrive, and what makes them fit.

A name may hold globs: `*` for anything, `{a,b}` for either. `input()` is what a call returns,
`<req>` a parameter of that name, `@app.route` the parameters of what is marked so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, PrivateAttr

from jurat.rules.callbacks import CallbackSaid
from jurat.rules.callee_names import NAME, expand_braces
from jurat.rules.callee_settings import check_setting
from jurat.rules.sinks import parse_sink
from jurat.rules.validation import StrictModel, suggest
from jurat.source.languages import LANGUAGES

FLOW_LANGUAGES = ("python", "javascript", "typescript", "tsx", "java", "go")
"""The languages whose values are followed."""

PARAMETER = "parameter"
"""The origin of what a caller hands to a function, which nobody in the file knows."""


def _check_name(said: str) -> str:
    if not NAME.fullmatch(said):
        problem = f"{said!r} is no name: write it as module.function() or module.object.part"
        raise ValueError(problem)
    return said


def _check_sink(said: str) -> str:
    parse_sink(said)
    return said


def _check_sink_or_class(said: str) -> str:
    return said if re.fullmatch(r"[a-z][a-z-]*", said) else _check_sink(said)


def _to_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


ONE_OR_LIST = BeforeValidator(_to_list, json_schema_input_type=str | tuple[str, ...])
"""Takes one text for a list of one."""


def _check_language(name: str) -> str:
    if name not in FLOW_LANGUAGES:
        known = name in LANGUAGES
        hint = suggest(FLOW_LANGUAGES, name)
        problem = (
            f"values are not followed in {name}; {hint}"
            if known
            else f"unknown language {name!r}; {hint}"
        )
        raise ValueError(problem)
    return name


FlowLanguages = Annotated[
    tuple[Annotated[str, AfterValidator(_check_language)], ...],
    ONE_OR_LIST,
    Field(min_length=1),
]
NameSaid = Annotated[str, AfterValidator(_check_name)]
SinkSaid = Annotated[str, AfterValidator(_check_sink)]
SettingSaid = Annotated[str, AfterValidator(check_setting)]
Names = Annotated[tuple[NameSaid, ...], ONE_OR_LIST]
Groups = Mapping[str, Names]
WordSaid = Annotated[str, Field(pattern="^[a-z][a-z0-9_]*$")]
Words = Annotated[tuple[WordSaid, ...], ONE_OR_LIST]
MethodSaid = Annotated[str, Field(pattern=r"^[A-Za-z_]\w*$")]
Methods = Annotated[tuple[MethodSaid, ...], ONE_OR_LIST]

ANY = "any"
"""The class of sinks that stands for all of them."""

PLAIN = "plain"
"""What stands among the sanitizers and the checks for all classes but `ADDRESSES`."""

SECRET = "secret"  # noqa: S105 - the name of a class of sinks
"""The class of what must not be guessed: its sinks are names as well."""

ADDRESSES = frozenset({"ssrf", "redirect"})
"""The classes of sinks for which it counts where a value leads."""


class FlowVocabulary(StrictModel):
    """What is known of the names of some languages, for the rules of all files.

    `sources` by group, the rest by class of sinks, `any` being all of them. `sanitizers` return
    something fit, `guards` are true of what is fit, `checks` end in an error for what is not.
    `undoes` takes back what a sanitizer of the class did, one of `any` excepted: an unescape.
    `refusals` are true of what is not fit, such as `is_private` of an address that a host has.
    `rejected` are texts of which it is enough that a value has none, those with spaces between only
    together, `quotes` those between which a value that has none of them is but a text, and `unfit`
    the sanitizers that are no help there, as they put quotes around, or in an attribute that holds
    a script, as they encode markup. `bounds` are those guards, checks and parts that say where a
    path lies, and so nothing before one of `normalizers` has worked out its `..`. `plain` among the
    sanitizers and the checks stands for all classes but those of addresses: no text that ends
    another, and maybe somebody's host. `carriers` hand on what a group's sources are made from;
    `propagators` put their arguments into what they are called on. `passing` are callees whose
    answer is what they were given, or a part or another form of it: a language's own library. What
    any other callee answers may be a page that it made, or a path or an address that it has
    checked. `formats`, `kinds` and `opposites` are words in the names of functions that ask about a
    value: `is_uuid` asks for a text that ends no other, `is_email` for one whose author took that
    for enough, and `is_unsafe` the opposite of `is_safe`. `trusted` are words of the names under
    which a program keeps what it believes later, such as `role`. `secrets` are words of the names
    of what must not be guessed, such as `token`, and so is one of `forms` behind one of `events`,
    or in a function that tells of one: `reset_code`. `fixed` are callees that make the same of the
    same: what they make of constants alone is one, such as `bytes()` and `new byte[16]`. `lookups`
    are the last words of what looks something up by a key, and whose answer so does not come from
    the key, such as `find_one`; `binders` of what puts a value beside a statement, such as
    `setParameter`.
    `callbacks` say what calls a function with what, so that a parameter is `<req>` or `<job>` by
    its place, whatever it is called.
    """

    language: FlowLanguages
    sources: Groups = Field(default_factory=dict)
    sinks: Mapping[str, tuple[SinkSaid, ...]] = Field(default_factory=dict)
    sanitizers: Groups = Field(default_factory=dict)
    undoes: Groups = Field(default_factory=dict)
    guards: Groups = Field(default_factory=dict)
    checks: Groups = Field(default_factory=dict)
    rejected: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    quotes: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    unfit: Groups = Field(default_factory=dict)
    refusals: Groups = Field(default_factory=dict)
    bounds: Groups = Field(default_factory=dict)
    normalizers: Groups = Field(default_factory=dict)
    carriers: Groups = Field(default_factory=dict)
    propagators: Names = ()
    passing: Names = ()
    formats: Words = ()
    kinds: Words = ()
    opposites: Mapping[WordSaid, str] = Field(default_factory=dict)
    trusted: Words = ()
    secrets: Words = ()
    events: Words = ()
    forms: Words = ()
    fixed: Names = ()
    lookups: Methods = ()
    binders: Methods = ()
    callbacks: tuple[CallbackSaid, ...] = ()


@dataclass(frozen=True, slots=True)
class FlowQuestion:
    """A flow constraint for one language, with its vocabulary resolved: plain values for a pool.

    `encoders` are the sanitizers whose work one of `undoes` takes back. `grouped` are those about
    somebody who says a value, and not about names of the rule's own. One that asks what a callee
    is given, and not where it came from, has `settings` and no sources.
    """

    sources: tuple[str, ...] = ()
    sinks: tuple[str, ...] = ()
    sanitizers: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    carriers: tuple[str, ...] = ()
    propagators: tuple[str, ...] = ()
    parameters: bool = False
    grouped: bool = False
    encoders: tuple[str, ...] = ()
    undoes: tuple[str, ...] = ()
    bounds: tuple[str, ...] = ()
    normalizers: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    passing: tuple[str, ...] = field(default=(), repr=False)
    formats: tuple[str, ...] = field(default=(), repr=False)
    kinds: tuple[str, ...] = field(default=(), repr=False)
    opposites: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    trusted: tuple[str, ...] = field(default=(), repr=False)
    settings: tuple[str, ...] = field(default=(), repr=False)
    fixed: tuple[str, ...] = field(default=(), repr=False)
    lookups: tuple[str, ...] = field(default=(), repr=False)
    binders: tuple[str, ...] = field(default=(), repr=False)
    callbacks: tuple[str, ...] = field(default=(), repr=False)
    exceptions: str = field(default="", repr=False)
    beside: str = field(default="", repr=False)
    quotes: tuple[str, ...] = field(default=(), repr=False)
    unfit: tuple[str, ...] = field(default=(), repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    events: tuple[str, ...] = field(default=(), repr=False)
    forms: tuple[str, ...] = field(default=(), repr=False)

    def __hash__(self) -> int:
        # By a few of hundreds of names: each file looks up some questions a few times, and a hash
        # of all that they say takes fifty times as long. What is equal says all of it alike.
        sizes = tuple(map(len, (self.sources, self.sinks, self.sanitizers, self.settings)))
        return hash((sizes, self.sinks[:1], self.sinks[-1:], self.settings[:1]))

    @property
    def words(self) -> tuple[tuple[object, ...], ...]:
        """What the words in names mean: of questions, of what is kept, and of what is the same."""
        known = (self.formats, self.kinds, self.opposites, self.trusted)
        # Left out if there are none: a rule that does not ask for them stays what it was.
        added = (
            *(self.fixed, self.quotes, self.unfit, self.secrets, self.events, self.forms),
            *(self.lookups, self.binders),
        )
        return (*known, *filter(None, added))


class ValueConstraint(StrictModel):
    """What is decided by following the values of a file."""

    _questions: Mapping[str, FlowQuestion] = PrivateAttr(default_factory=dict)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages it follows values in."""
        raise NotImplementedError

    @property
    def questions(self) -> Mapping[str, FlowQuestion]:
        """What it asks in each language; nothing before it has a vocabulary."""
        return self._questions

    def with_vocabulary(self, vocabularies: Sequence[FlowVocabulary]) -> Self:
        """The same constraint with what its words mean."""
        made = self.model_copy()
        made._questions = {one: self.resolve(one, vocabularies) for one in self.languages}
        return made

    def resolve(self, language: str, vocabularies: Sequence[FlowVocabulary]) -> FlowQuestion:
        """What it asks in one language."""
        raise NotImplementedError


class FlowConstraint(ValueConstraint):
    """Values from `sources` must not arrive at `sinks` without passing one of `sanitizers`.

    `sources` are groups of the vocabulary, names, or `parameter`, which is whatever a caller hands
    to a function. `sinks` are classes of the vocabulary, or callees with their arguments; the
    sanitizers and guards of those classes count, and those named here. `propagators` are callees
    that put what they are given into what they are called on.
    """

    type: Literal["flow"]
    message: str | None = None
    language: FlowLanguages
    sources: Names = Field(min_length=1)
    sinks: Annotated[
        tuple[Annotated[str, AfterValidator(_check_sink_or_class)], ...],
        ONE_OR_LIST,
        Field(min_length=1),
    ]
    sanitizers: Names = ()
    guards: Names = ()
    propagators: Names = ()

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages it follows values in."""
        return self.language

    def resolve(self, language: str, vocabularies: Sequence[FlowVocabulary]) -> FlowQuestion:
        """What it asks in one language."""
        return resolve_flow(self, language, vocabularies)


class SettingConstraint(ValueConstraint):
    """A callee must not be given one of `settings`, whatever brings it there.

    A constant, an entry of a mapping, a default, what a helper returns or an object was told before
    counts as if it stood at the call. What nobody knows is no setting, and none counts where an
    option asks for it: whoever sets the option answers for that. `exceptions` fit the names of
    functions that are not meant, such as those that read what others wrote. `beside` is a text that
    the file must have as well, for what only counts where others of its kind were told something.
    """

    type: Literal["setting"]
    message: str | None = None
    language: FlowLanguages
    settings: Annotated[tuple[SettingSaid, ...], ONE_OR_LIST, Field(min_length=1)]
    exceptions: Annotated[str, Field(pattern=r"^[\w|]*$")] = ""
    beside: Annotated[str, Field(pattern=r"^[\w|-]*$")] = ""

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages it follows values in."""
        return self.language

    def resolve(self, language: str, vocabularies: Sequence[FlowVocabulary]) -> FlowQuestion:
        """What it asks in one language."""
        known = [one for one in vocabularies if language in one.language]
        return FlowQuestion(
            settings=self.settings,
            fixed=tuple(name for one in known for name in one.fixed),
            lookups=tuple(word for one in known for word in one.lookups),
            binders=tuple(word for one in known for word in one.binders),
            callbacks=tuple(said for one in known for said in one.callbacks),
            exceptions=self.exceptions,
            beside=self.beside,
        )


def resolve_flow(
    constraint: FlowConstraint, language: str, vocabularies: Sequence[FlowVocabulary]
) -> FlowQuestion:
    """What a constraint asks in one language."""
    known = [one for one in vocabularies if language in one.language]
    classes = [name for name in constraint.sinks if _is_class(name)]
    sources = [name for name in constraint.sources if name != PARAMETER]
    groups = {group for one in known for group in one.sources}
    wide = (ANY, *classes)
    own = (*_pick((one.sanitizers for one in known), classes), *constraint.sanitizers)
    undoes = _pick((one.undoes for one in known), wide)
    sinks = (
        *_pick((one.sinks for one in known), classes),
        *(name for name in constraint.sinks if not _is_class(name)),
    )
    always = [ANY] if ADDRESSES.intersection(classes) else [ANY, PLAIN]
    guessed = known if SECRET in classes else []
    if guessed:
        # A number is as easily foretold in any form.
        always = []
    return FlowQuestion(
        sources=(
            *_pick((one.sources for one in known), sources),
            *(name for name in sources if name not in groups),
        ),
        sinks=sinks,
        sanitizers=(*_pick((one.sanitizers for one in known), always), *own),
        guards=(*_pick((one.guards for one in known), (*always, *classes)), *constraint.guards),
        checks=_pick((one.checks for one in known), (*always, *classes)),
        rejected=_pick((one.rejected for one in known), wide),
        quotes=_pick((one.quotes for one in known), wide),
        unfit=_pick((one.unfit for one in known), wide),
        carriers=_pick((one.carriers for one in known), sources),
        propagators=(*(p for one in known for p in one.propagators), *constraint.propagators),
        parameters=PARAMETER in constraint.sources,
        grouped=not groups.isdisjoint(sources),
        encoders=own if undoes else (),
        undoes=undoes,
        bounds=_pick((one.bounds for one in known), wide),
        refusals=_pick((one.refusals for one in known), wide),
        normalizers=_pick((one.normalizers for one in known), wide),
        passing=tuple(dict.fromkeys(_list_passing(known))),
        formats=tuple(word for one in known for word in one.formats),
        kinds=tuple(word for one in known for word in one.kinds),
        opposites=tuple(pair for one in known for pair in one.opposites.items()),
        trusted=tuple(word for one in known for word in one.trusted),
        lookups=tuple(word for one in known for word in one.lookups),
        binders=tuple(word for one in known for word in one.binders),
        callbacks=tuple(said for one in known for said in one.callbacks),
        secrets=tuple(word for one in guessed for word in one.secrets),
        events=tuple(word for one in guessed for word in one.events),
        forms=tuple(word for one in guessed for word in one.forms),
    )


def _list_passing(vocabularies: Sequence[FlowVocabulary]) -> Iterator[str]:
    """What answers with what it was given, also in an encoding, if that is known by its full name.

    A function that is only called like one may do anything.
    """
    for one in vocabularies:
        yield from one.passing
        groups = (*one.sanitizers.values(), *one.unfit.values())
        for said in (said for group in groups for said in group):
            yield from (name for name in expand_braces(said) if "*" not in name)


def lint_flow(
    constraint: FlowConstraint, vocabularies: Sequence[FlowVocabulary]
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """What of a constraint no vocabulary knows."""
    for language in constraint.language:
        known = [one for one in vocabularies if language in one.language]
        classes = sorted({name for one in known for name in one.sinks})
        groups = sorted({name for one in known for name in one.sources} | {PARAMETER})
        for index, name in enumerate(constraint.sinks):
            if _is_class(name) and name not in classes:
                hint = suggest(classes, name)
                yield (
                    ("sinks", index),
                    f"there is no class of sinks {name!r} for {language}; {hint}",
                )
        for index, name in enumerate(constraint.sources):
            if re.fullmatch(r"[a-z]+", name) and name not in groups:
                hint = suggest(groups, name)
                yield (
                    ("sources", index),
                    f"there is no group of sources {name!r} for {language}; {hint}",
                )


def _is_class(name: str) -> bool:
    return "(" not in name and "=" not in name


def _pick(tables: Iterator[Mapping[str, tuple[str, ...]]], names: Sequence[str]) -> tuple[str, ...]:
    found = [said for table in tables for name in names for said in table.get(name, ())]
    return tuple(dict.fromkeys(found))
