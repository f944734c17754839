"""Regulation packs: what a repository is rated by, read strictly from rules/regulations/."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from enum import StrEnum
from functools import cache
from typing import Annotated, Self

from pydantic import Field, model_validator

from jurat.errors import RuleError, UsageError
from jurat.rating.named_rules import list_named_rules
from jurat.rating.recon_table import load_recon_table
from jurat.resources import get_bundled_path
from jurat.rules.validation import StrictModel, raise_errors, suggest, validate_document
from jurat.source.strict_json import KeyPath, format_key_path
from jurat.source.strict_yaml import parse_yaml

_PREFIX = "jurat:regulations/"

Link = Annotated[str, Field(pattern=r"^https://[^\s<>\"]+$")]


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


class Trigger(StrictModel):
    """Holds if each of `signals` is of the strength `at_least`; `reason` explains the class."""

    signals: tuple[str, ...] = Field(min_length=1)
    at_least: float = Field(default=0.6, gt=0, le=1)
    reason: str = Field(min_length=1)


class RiskTriggers(StrictModel):
    """What makes a repository an AI system, and one of limited or of high risk."""

    ai_system: tuple[Trigger, ...] = ()
    limited: tuple[Trigger, ...] = ()
    high: tuple[Trigger, ...] = ()


class ScopeCondition(StrictModel):
    """The classes that a clause is for and, if any are named, signals of which one must show."""

    risk: tuple[RiskClass, ...] = Field(default=AI_CLASSES, min_length=1)
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
    """One demand of a regulation, in our own words, with a link to the official text."""

    id: str = Field(min_length=1)
    article: str = Field(min_length=1)
    title: str = Field(min_length=1)
    text: str = Field(min_length=1)
    link: Link
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


class Regulation(StrictModel):
    """What a pack says of itself."""

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


@cache
def load_regulations() -> tuple[RegulationPack, ...]:
    """All packs that come with Jurat, by their ids."""
    signals = [source.name for source in load_recon_table().signals]
    packs = (
        parse_pack(
            _PREFIX + path.name, path.read_text("utf-8"), rules=list_named_rules(), signals=signals
        )
        for path in get_bundled_path("rules", "regulations").glob("*.yml")
    )
    return tuple(sorted(packs, key=lambda pack: pack.regulation.id))


def choose_packs(ids: Collection[str]) -> tuple[RegulationPack, ...]:
    """The packs of these ids, each once, or all if none is named. Raises UsageError."""
    packs = {pack.regulation.id: pack for pack in load_regulations()}
    for name in ids:
        if name not in packs:
            raise UsageError(f"There is no regulation {name!r}; {suggest(tuple(packs), name)}")
    return tuple(packs[name] for name in dict.fromkeys(ids)) or tuple(packs.values())


def _find_problems(
    pack: RegulationPack, rules: tuple[str, ...], signals: tuple[str, ...]
) -> Iterator[tuple[KeyPath, str]]:
    for level in ("ai_system", "limited", "high"):
        for i, trigger in enumerate(getattr(pack.risk_triggers, level)):
            where: KeyPath = ("risk_triggers", level, i, "signals")
            yield from _find_unknown(where, "signal", trigger.signals, signals)
    seen: set[str] = set()
    for i, clause in enumerate(pack.clauses):
        at: KeyPath = ("clauses", i)
        if clause.id in seen:
            yield (*at, "id"), f"the clause {clause.id!r} stands twice"
        seen.add(clause.id)
        yield from _find_unknown(
            (*at, "signals_required"), "signal", clause.signals_required, signals
        )
        scope = clause.in_scope_when
        yield from _find_unknown(
            (*at, "in_scope_when", "any_signal"), "signal", scope.any_signal, signals
        )
        for k, weighed in enumerate(clause.checker.deterministic):
            if weighed.rule not in rules:
                place = (*at, "checker", "deterministic", k, "rule")
                yield place, f"unknown rule {weighed.rule!r}; {suggest(rules, weighed.rule)}"


def _find_unknown(
    where: KeyPath, kind: str, names: tuple[str, ...], known: tuple[str, ...]
) -> Iterator[tuple[KeyPath, str]]:
    for k, name in enumerate(names):
        if name not in known:
            yield (*where, k), f"unknown {kind} {name!r}; {suggest(known, name)}"
