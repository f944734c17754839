"""The constraints of a corpus as functions, compiled once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from bot.corpus.constraints import (
    Constraint,
    DateConstraint,
    EnumConstraint,
    LookupConstraint,
    NumericConstraint,
    OrderConstraint,
)
from bot.corpus.rule import Corpus, Rule, Table
from bot.dispatch.comparisons import compile_facts
from bot.dispatch.outcome import Check
from bot.dispatch.procedure import compile_order


@dataclass(frozen=True, slots=True)
class Program:
    """A rule's constraints over facts. `conditions` must all hold for the rule to apply at all."""

    checks: tuple[Check, ...]
    conditions: tuple[Check, ...]
    has_worded_condition: bool


def program_of(rule: Rule, corpus: Corpus) -> Program:
    """The compiled rule. A corpus never changes, so each of its rules is compiled once."""
    if corpus.rules.get(rule.id) is not rule:
        return _compile(rule, _tables(corpus).get(rule.id, {}))
    programs = _programs(corpus)
    if rule.id not in programs:
        programs[rule.id] = _compile(rule, _tables(corpus).get(rule.id, {}))
    return programs[rule.id]


@lru_cache(maxsize=8)
def _programs(corpus: Corpus) -> dict[str, Program]:
    """The rules of a corpus that have been compiled, to be added to."""
    return {}


@lru_cache(maxsize=8)
def _tables(corpus: Corpus) -> Mapping[str, Mapping[str, Table]]:
    """The lookup tables of each rule, by name."""
    tables: dict[str, dict[str, Table]] = {}
    for (rule_id, name), table in corpus.tables.items():
        tables.setdefault(rule_id, {})[name] = table
    return tables


def _compile(rule: Rule, tables: Mapping[str, Table]) -> Program:
    return Program(
        checks=tuple(
            check for item in rule.constraints if (check := _check(item, tables)) is not None
        ),
        conditions=tuple(
            check
            for item in rule.preconditions
            if not isinstance(item, str) and (check := _check(item, tables)) is not None
        ),
        has_worded_condition=any(isinstance(item, str) for item in rule.preconditions),
    )


def _check(constraint: Constraint, tables: Mapping[str, Table]) -> Check | None:
    """The constraint as a function, None where it is over code."""
    match constraint:
        case NumericConstraint() | DateConstraint() | EnumConstraint() | LookupConstraint():
            return compile_facts(constraint, tables)
        case OrderConstraint():
            return compile_order(constraint)
        case _:
            return None
