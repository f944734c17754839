"""Regulation packs: what a repository is rated by, read strictly from rules/regulations/."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator
from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from jurat.errors import RuleError
from jurat.rules.validation import StrictModel, raise_errors, suggest, validate_document
from jurat.source.strict_json import KeyPath, format_key_path
from jurat.source.strict_yaml import parse_yaml

Link = Annotated[str, Field(pattern=r"^https://[^\s<>\"]+$")]

Day = Annotated[dt.date, Field(strict=False)]
"""A date as YAML has it: text, such as 2027-01-31."""

_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


def format_day(day: dt.date) -> str:
    """A day as a report names it: "2 December 2027", in English whatever the locale."""
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


class Operator(StrEnum):
    """Whom a clause binds: operators of the AI Act (Article 3(8)), and the two of the GDPR."""

    PROVIDER = "provider"
    DEPLOYER = "deployer"
    IMPORTER = "importer"
    DISTRIBUTOR = "distributor"
    CONTROLLER = "controller"
    PROCESSOR = "processor"


class RiskClass(StrEnum):
    """What a repository is under the AI Act, the lowest first."""

    NOT_AI = "not_ai"
    MINIMAL = "minimal"
    LIMITED = "limited"
    HIGH = "high"


AI_CLASSES = (RiskClass.MINIMAL, RiskClass.LIMITED, RiskClass.HIGH)


class Classification(StrEnum):
    """Where the answer to a clause is to be found: in code, there in part, or not at all."""

    CODE = "code"
    MIXED = "mixed"
    EXTERNAL = "external"


class Application(StrictModel):
    """From which day a clause applies, and `by` which provision.

    If `category` is given, to the systems that a trigger of that category is about.
    """

    since: Day
    by: str = Field(min_length=1)
    category: str | None = None


class Trigger(StrictModel):
    """Holds if each of `signals` is of the strength `at_least`; `reason` explains the class.

    `category` tells apart systems of one class to which clauses apply from different days.
    """

    signals: tuple[str, ...] = Field(min_length=1)
    category: str | None = None
    at_least: float = Field(default=0.6, gt=0, le=1)
    reason: str = Field(min_length=1)


class RiskTriggers(StrictModel):
    """What makes a repository an AI system, and one of limited or of high risk."""

    ai_system: tuple[Trigger, ...] = ()
    limited: tuple[Trigger, ...] = ()
    high: tuple[Trigger, ...] = ()


class ScopeCondition(StrictModel):
    """The classes that a clause is for and, if any are named, signals of which one must show.

    `without_ai` are signals all of which stand in for the class: a clause that names them binds
    whoever does what they tell, with a model or without.
    """

    risk: tuple[RiskClass, ...] = Field(default=AI_CLASSES, min_length=1)
    without_ai: tuple[str, ...] = ()
    any_signal: tuple[str, ...] = ()
    at_least: float = Field(default=0.5, gt=0, le=1)


class WeighedRule(StrictModel):
    """A named rule and its weight in the clause's raw score."""

    rule: str
    weight: float = Field(gt=0)


class Checker(StrictModel):
    """How a clause is decided. `llm_judge` says whether a model is asked in the ambiguous band."""

    deterministic: tuple[WeighedRule, ...] = Field(min_length=1)
    llm_judge: bool = False

    @model_validator(mode="after")
    def _check_each_once(self) -> Self:
        names = [item.rule for item in self.deterministic]
        if len(names) != len(set(names)):
            raise ValueError("a rule stands twice")
        return self


class ScoreMapping(StrictModel):
    """`pass_default` makes the clause a prohibition: any evidence counts against it."""

    pass_default: bool = False


class Clause(StrictModel):
    """One demand of a regulation, in our own words, with a link to the official text.

    It binds the operators in `binds`; one of a framework that nobody is bound to names none.
    """

    id: str = Field(min_length=1)
    article: str = Field(min_length=1)
    title: str = Field(min_length=1)
    text: str = Field(min_length=1)
    link: Link
    applies: tuple[Application, ...] = Field(min_length=1)
    binds: tuple[Operator, ...] = ()
    classification: Classification
    in_scope_when: ScopeCondition = ScopeCondition()
    signals_required: tuple[str, ...] = Field(min_length=1)
    checker: Checker
    score_mapping: ScoreMapping = ScoreMapping()
    remediation_hint: str = Field(min_length=1)

    @property
    def negative(self) -> bool:
        """Whether the clause forbids what its rules look for."""
        return self.score_mapping.pass_default

    @property
    def is_external(self) -> bool:
        """Whether no code tells whether it is met."""
        return self.classification is Classification.EXTERNAL

    def choose_application(self, categories: Collection[str]) -> Application:
        """What says from when it applies to a system of these categories: the earliest that fits.

        If none fits, since a person set the class of risk or no signal told, the earliest of all.
        """
        fitting = [item for item in self.applies if item.category in (None, *categories)]
        return min(fitting or self.applies, key=lambda item: item.since)


class LawCheck(StrictModel):
    """When a file was last held against the law, and what of it could not be."""

    checked: Day
    unchecked: str = ""


class Regulation(LawCheck):
    """What a pack says of itself. `version` names the act, and what amends it by the day asked."""

    id: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    name: str = Field(min_length=1)
    version: str = Field(min_length=1)
    source: Link


class RegulationPack(StrictModel):
    """One regulation file."""

    regulation: Regulation
    risk_triggers: RiskTriggers = RiskTriggers()
    clauses: tuple[Clause, ...] = Field(min_length=1)


def parse_pack(
    path: str, text: str, *, rules: Collection[str], signals: Collection[str]
) -> RegulationPack:
    """The pack in a file whose named rules and signals are among those given.

    Raises the first RuleError, at its line and key, the others in `further`: a clause that could
    not be decided as it is written is never left out.
    """
    document = parse_yaml(text, path, RuleError)
    pack = validate_document(RegulationPack, document, path, RuleError)
    raise_errors(
        RuleError(path, document.line(where), format_key_path(where), problem)
        for where, problem in _find_problems(pack, tuple(rules), tuple(signals))
    )
    return pack


def _find_problems(
    pack: RegulationPack, rules: tuple[str, ...], signals: tuple[str, ...]
) -> Iterator[tuple[KeyPath, str]]:
    for level in ("ai_system", "limited", "high"):
        for i, trigger in enumerate(getattr(pack.risk_triggers, level)):
            where: KeyPath = ("risk_triggers", level, i, "signals")
            yield from find_unknown(where, "signal", trigger.signals, signals)
    categories = tuple(list_categories(pack.risk_triggers))
    seen: set[str] = set()
    for i, clause in enumerate(pack.clauses):
        at: KeyPath = ("clauses", i)
        if clause.id in seen:
            yield (*at, "id"), f"the clause {clause.id!r} stands twice"
        seen.add(clause.id)
        yield from find_clause_problems(at, clause, rules, signals, categories)


def find_clause_problems(
    at: KeyPath,
    clause: Clause,
    rules: tuple[str, ...],
    signals: tuple[str, ...],
    categories: tuple[str, ...],
) -> Iterator[tuple[KeyPath, str]]:
    """What a clause names that is not there, each with its place in the file."""
    yield from find_unknown((*at, "signals_required"), "signal", clause.signals_required, signals)
    scope = clause.in_scope_when
    for key, named in (("any_signal", scope.any_signal), ("without_ai", scope.without_ai)):
        yield from find_unknown((*at, "in_scope_when", key), "signal", named, signals)
    for k, weighed in enumerate(clause.checker.deterministic):
        if weighed.rule not in rules:
            place = (*at, "checker", "deterministic", k, "rule")
            yield place, f"unknown rule {weighed.rule!r}; {suggest(rules, weighed.rule)}"
    yield from find_application_problems((*at, "applies"), clause.applies, categories)


def find_application_problems(
    at: KeyPath, applies: tuple[Application, ...], categories: tuple[str, ...]
) -> Iterator[tuple[KeyPath, str]]:
    """The categories that no trigger of the pack has, each with its place in the file."""
    for k, application in enumerate(applies):
        if application.category is not None and application.category not in categories:
            known = suggest(categories, application.category)
            yield (*at, k, "category"), f"unknown category {application.category!r}; {known}"


def list_categories(triggers: RiskTriggers) -> dict[str, None]:
    """The categories of systems that the triggers tell apart, in their order."""
    every = (*triggers.ai_system, *triggers.limited, *triggers.high)
    return {trigger.category: None for trigger in every if trigger.category is not None}


def find_unknown(
    where: KeyPath, kind: str, names: tuple[str, ...], known: tuple[str, ...]
) -> Iterator[tuple[KeyPath, str]]:
    """Those of `names` that are not `known`, each with its place in the list at `where`."""
    for k, name in enumerate(names):
        if name not in known:
            yield (*where, k), f"unknown {kind} {name!r}; {suggest(known, name)}"
