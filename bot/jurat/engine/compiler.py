"""A rule's constraints over facts, compiled once; and the order of steps that a rule asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from jurat.engine.comparisons import (
    compile_date,
    compile_enum,
    compile_lookup,
)
from jurat.engine.field_paths import MISSING, Found, compile_path, resolve
from jurat.engine.outcome import Admits, Evidence, FactCheck, Outcome, OutcomeState
from jurat.engine.ratchets import compile_bound
from jurat.engine.units import list_stems, split_words
from jurat.rules.constraints import (
    Constraint,
    DateConstraint,
    EnumConstraint,
    LookupConstraint,
    NumericConstraint,
    OrderConstraint,
    PatternConstraint,
    RegexConstraint,
)
from jurat.rules.flows import FlowConstraint, SettingConstraint
from jurat.rules.rule import Rule, RuleSet, Table
from jurat.rules.validation import StrictModel

_NAMING_KEYS = ("name", "step", "action", "id")
_FACT_KEYS = ("steps", "sequence")
_FORWARD = re.compile(
    r"\s*(?:->|→|⇒)\s*|,?\s+(?:and\s+)?then\s+|,?\s+followed by\s+|\s+before\s+|\s+prior to\s+"
    r"|\s+precedes?\s+",
    re.IGNORECASE,
)
_BACKWARD = re.compile(r"\s+after\s+|\s+follows\s+", re.IGNORECASE)
_CONDITION = re.compile(r"\b(?:if|unless|except|or|otherwise)\b", re.IGNORECASE)


def compile_order(constraint: OrderConstraint, tables: Mapping[str, Table]) -> FactCheck:
    """The constraint as a function over facts."""
    ranks = {_normalize_name(step): rank for rank, step in enumerate(constraint.steps)}
    expectation = f"the order {', then '.join(constraint.steps)}"
    steps = compile_path(constraint.field_path)

    def check(facts: Mapping[str, Any], admits: Admits | None = None) -> Outcome:
        (found, *_) = resolve(facts, steps, admits)
        names = _list_step_names(found)
        if isinstance(names, str):
            return _build_unclear(found, expectation, names)
        order = [ranks.get(name) for name in names]
        return _check_order(names, order, found, labels=constraint.steps, expectation=expectation)

    return check


def check_procedure_statement(statement: str, facts: Mapping[str, Any]) -> Outcome | None:
    """The order that a statement asks for, against `steps` or `sequence`; None if unclear.

    "A before B", "A, then B", "A -> B -> C" and "B after A" are understood. The parts are matched
    with the names of the steps given, so each part must name at least one of them.
    """
    key = next((key for key in _FACT_KEYS if key in facts), None)
    parts = _split_statement(statement)
    if key is None or parts is None:
        return None
    found = next(resolve(facts, (key,)))
    names = _list_step_names(found)
    if isinstance(names, str):
        return None
    spoken = [list_stems(part) for part in parts]
    ranks = [_find_rank(name, spoken) for name in names]
    if {rank for rank in ranks if rank is not None} != set(range(len(parts))):
        return None
    return _check_order(names, ranks, found, labels=parts, expectation="the order that it states")


def _split_statement(statement: str) -> list[str] | None:
    """The statement cut into what comes first, second and so on."""
    # "A before B, unless C": half of such a sentence would be enforced as the whole.
    if _CONDITION.search(statement):
        return None
    forward, backward = _FORWARD.split(statement), _BACKWARD.split(statement)
    if len(forward) > 1 and len(backward) == 1:
        return forward
    if len(backward) == 2 and len(forward) == 1:
        return backward[::-1]
    return None


def _find_rank(name: str, spoken: Sequence[frozenset[str]]) -> int | None:
    """The only part that says all words of a step's name."""
    needed = list_stems(name)
    ranks = [rank for rank, part in enumerate(spoken) if needed and needed <= part]
    # A name that fits two parts proves no order.
    return ranks[0] if len(ranks) == 1 else None


def _list_step_names(found: Found) -> list[str] | str:
    """The names of the steps, normalised, or why there are none."""
    if found.value is MISSING:
        return "is missing"
    if not isinstance(found.value, (list, tuple)):
        return "is not a list of steps"
    names = []
    for step in found.value:
        name = step
        if isinstance(step, Mapping):
            name = next((step[key] for key in _NAMING_KEYS if isinstance(step.get(key), str)), None)
        if not isinstance(name, str):
            return "holds a step without a name"
        names.append(_normalize_name(name))
    return names


def _normalize_name(name: str) -> str:
    return " ".join(split_words(name)) or name.strip().lower()


def _build_unclear(found: Found, expectation: str, reason: str) -> Outcome:
    evidence = Evidence(found.path, found.value, OutcomeState.INDETERMINATE, reason, found.place)
    return Outcome(OutcomeState.INDETERMINATE, expectation, (evidence,))


def _check_order(
    names: Sequence[str],
    ranks: Sequence[int | None],
    found: Found,
    *,
    labels: Sequence[str],
    expectation: str,
) -> Outcome:
    """FAIL at the first step that stands before one that must precede it."""
    given = {
        rank: {name for name, its_rank in zip(names, ranks, strict=True) if its_rank == rank}
        for rank in range(len(labels))
    }
    seen: set[str] = set()
    for index, rank in enumerate(ranks):
        for earlier in range(rank or 0):
            if given[earlier] and given[earlier] <= seen:
                continue
            step = found.value[index] if isinstance(found.value, (list, tuple)) else None
            place = step if isinstance(step, Mapping) else found.place
            late = [name for name in names[index:] if name in given[earlier] - seen]
            reason = (
                f"({names[index]}) comes before {late[0]}"
                if late
                else f"({names[index]}) comes without {labels[earlier].strip()} before it"
            )
            evidence = Evidence(
                f"{found.path}[{index}]", names[index], OutcomeState.FAIL, reason, place
            )
            return Outcome(OutcomeState.FAIL, expectation, (evidence,))
        seen.add(names[index])
    evidence = Evidence(found.path, tuple(names), OutcomeState.PASS, "", found.place)
    return Outcome(OutcomeState.PASS, expectation, (evidence,))


# The constraints of a corpus as functions, compiled once.

# Its first argument is the constraint that stands beside it, and its second the rule's tables.
Compile = Callable[[Any, Mapping[str, Table]], FactCheck]

CONSTRAINT_TYPES: Mapping[type[StrictModel], Compile | None] = MappingProxyType(
    {
        NumericConstraint: compile_bound,
        DateConstraint: compile_date,
        EnumConstraint: compile_enum,
        LookupConstraint: compile_lookup,
        OrderConstraint: compile_order,
        PatternConstraint: None,
        RegexConstraint: None,
        FlowConstraint: None,
        SettingConstraint: None,
    }
)
"""What makes a check over facts of each type of constraint; None for those that `code_scan` runs.

A new type is its model in the union `rules.constraints.Constraint`, which rule files are read by,
and a line here. A type without a line is an error: it never counts as a constraint that holds.
"""


class CompiledConstraint(NamedTuple):
    """A constraint over facts, and the function that checks it."""

    constraint: Constraint
    check: FactCheck


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """A rule's constraints over facts. `conditions` must all hold for the rule to apply at all."""

    checks: tuple[CompiledConstraint, ...]
    conditions: tuple[FactCheck, ...]
    has_worded_condition: bool


def compile_rule(rule: Rule, rule_set: RuleSet) -> CompiledRule:
    """The compiled rule. A corpus never changes, so each of its rules is compiled once."""
    # A rule under another maturity is a copy of the corpus's: it must not take that one's place.
    if rule_set.rules.get(rule.id) is not rule:
        return _compile_uncached(rule, _list_tables_by_rule(rule_set).get(rule.id, {}))
    programs = _get_program_cache(rule_set)
    if rule.id not in programs:
        programs[rule.id] = _compile_uncached(rule, _list_tables_by_rule(rule_set).get(rule.id, {}))
    return programs[rule.id]


@lru_cache(maxsize=8)
def _get_program_cache(rule_set: RuleSet) -> dict[str, CompiledRule]:
    """The rules of a corpus that have been compiled, to be added to."""
    return {}


@lru_cache(maxsize=8)
def _list_tables_by_rule(rule_set: RuleSet) -> Mapping[str, Mapping[str, Table]]:
    """The lookup tables of each rule, by name."""
    tables: dict[str, dict[str, Table]] = {}
    for (rule_id, name), table in rule_set.tables.items():
        tables.setdefault(rule_id, {})[name] = table
    return tables


def _compile_uncached(rule: Rule, tables: Mapping[str, Table]) -> CompiledRule:
    return CompiledRule(
        checks=tuple(
            CompiledConstraint(item, check)
            for item in rule.constraints
            if (check := compile_constraint(item, tables)) is not None
        ),
        conditions=tuple(
            check
            for item in rule.preconditions
            if not isinstance(item, str) and (check := compile_constraint(item, tables)) is not None
        ),
        has_worded_condition=any(isinstance(item, str) for item in rule.preconditions),
    )


def compile_constraint(constraint: Constraint, tables: Mapping[str, Table]) -> FactCheck | None:
    """The constraint as a function over facts, None if it is over code."""
    compile_it = CONSTRAINT_TYPES[type(constraint)]
    return compile_it(constraint, tables) if compile_it else None
