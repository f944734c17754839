"""What changes in force between two sets of rules and their configurations, one line each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple

from jurat.rules.config import BlockOn, CommandConfig, Config, RatingConfig, ReviewConfig
from jurat.rules.constraints import NumericConstraint
from jurat.rules.enforcement import apply_levels
from jurat.rules.level import Enforcement
from jurat.rules.rule import Maturity, Rule, RuleKind, RuleSet, Severity


class ActiveRules(NamedTuple):
    """What reviews are made by."""

    configuration: Config
    rule_set: RuleSet

    def has_same_text(self, other: ActiveRules) -> bool:
        """Whether the two hold the same text, words that decide nothing included."""
        mine, theirs = self.rule_set, other.rule_set
        same = self.configuration == other.configuration and mine.tables == theirs.tables
        return same and _list_written(mine) == _list_written(theirs)


def _list_written(rule_set: RuleSet) -> list[Rule]:
    """The rules as they stand in their files, wherever that is."""
    return [rule.model_copy(update={"origin": ""}) for rule in rule_set.rules.values()]


class ChangeDirection(StrEnum):
    """Whether less or more is found, or blocks, than before; `CHANGED` if only a trial tells."""

    LOOSER = "looser"
    STRICTER = "stricter"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class RuleSetChange:
    """One thing that changes. `subject` is a rule's id or a key of the configuration.

    `before` and `after` are short texts, None if there is nothing on that side.
    """

    subject: str
    what: str
    direction: ChangeDirection
    before: str | None = None
    after: str | None = None


def diff_rulesets(old: ActiveRules, new: ActiveRules) -> tuple[RuleSetChange, ...]:
    """Everything that changes, the looser things first, then in the order of the rules."""
    found = [
        *_diff_rules(old.rule_set, new.rule_set),
        *_diff_levels(old.configuration, new),
        *_diff_settings(old.configuration, new.configuration),
    ]
    order = [ChangeDirection.LOOSER, ChangeDirection.CHANGED, ChangeDirection.STRICTER]
    # What is looser first: it is what somebody who weakens a rule hopes will be overlooked.
    return tuple(sorted(found, key=lambda item: order.index(item.direction)))


def list_changed_normative(old: ActiveRules, new: ActiveRules) -> tuple[str, ...]:
    """The ids of the rules that change and that a model decides: no trial without one shows how."""
    before, after = old.rule_set.rules, new.rule_set.rules
    return tuple(
        rule_id
        for rule_id, rule in {**before, **after}.items()
        if rule.kind is RuleKind.NORMATIVE and not _is_same(before.get(rule_id), after.get(rule_id))
    )


_TRUST = tuple(Maturity)
_BESIDE = frozenset({"id", "tags", "rationale", "examples", "references", "fix", "origin"})
"""What a rule says that decides nothing."""


def _is_same(one: Rule | None, other: Rule | None) -> bool:
    return one is not None and other is not None and not list(_diff_rule(one, other))


def _diff_rules(old: RuleSet, new: RuleSet) -> Iterator[RuleSetChange]:
    for rule_id in {**old.rules, **new.rules}:
        before, after = old.rules.get(rule_id), new.rules.get(rule_id)
        if before is None and after is not None:
            yield RuleSetChange(
                rule_id, "rule", ChangeDirection.STRICTER, None, _format_weight(after)
            )
        elif after is None and before is not None:
            yield RuleSetChange(
                rule_id, "rule", ChangeDirection.LOOSER, _format_weight(before), None
            )
        elif before is not None and after is not None:
            yield from _diff_rule(before, after)
            if _get_tables(old, rule_id) != _get_tables(new, rule_id):
                yield RuleSetChange(rule_id, "lookup table", ChangeDirection.CHANGED)


def _diff_levels(old: Config, new: ActiveRules) -> Iterator[RuleSetChange]:
    """What the configurations make of the rules that are in force after the change."""
    if (old.block_on, old.levels) == (new.configuration.block_on, new.configuration.levels):
        return
    before = apply_levels(new.rule_set, old).rules
    for rule_id, rule in apply_levels(new.rule_set, new.configuration).rules.items():
        one, other = before[rule_id].enforcement, rule.enforcement
        if one.level is not other.level:
            risen = other.level.rank - one.level.rank
            yield RuleSetChange(rule_id, "level", _get_direction(risen), one.level, other.level)
        elif one.by_path != other.by_path:
            risen = other.strictest.rank - one.strictest.rank
            direction = _get_direction(risen)
            yield RuleSetChange(
                rule_id, "level by path", direction, _list_paths(one), _list_paths(other)
            )


def _list_paths(enforcement: Enforcement) -> str:
    return "; ".join(f"{', '.join(item.paths)}: {item.level}" for item in enforcement.by_path)


def _diff_rule(before: Rule, after: Rule) -> Iterator[RuleSetChange]:
    risen = {
        "severity": after.severity.rank - before.severity.rank,
        "modality": after.modality.rank - before.modality.rank,
        "maturity": _TRUST.index(after.maturity) - _TRUST.index(before.maturity),
    }
    for name, steps in risen.items():
        one, other = getattr(before, name), getattr(after, name)
        if one is not other:
            yield RuleSetChange(before.id, name, _get_direction(steps), one, other)
    if before.constraints != after.constraints:
        yield from _diff_constraints(before, after)
    rest = [
        name
        for name in Rule.model_fields
        if name not in {*risen, "constraints", *_BESIDE}
        and getattr(before, name) != getattr(after, name)
    ]
    if rest:
        yield RuleSetChange(before.id, ", ".join(rest), ChangeDirection.CHANGED)


def _diff_constraints(before: Rule, after: Rule) -> Iterator[RuleSetChange]:
    """Thresholds that moved; whatever else changes in constraints is one line."""
    one, other = before.constraints, after.constraints
    if len(one) != len(other):
        direction = _get_direction(len(other) - len(one))
        yield RuleSetChange(before.id, "constraints", direction, str(len(one)), str(len(other)))
        return
    unexplained = False
    for old, new in zip(one, other, strict=True):
        if old == new:
            continue
        if (
            isinstance(old, NumericConstraint)
            and isinstance(new, NumericConstraint)
            and old.model_copy(update={"baseline": new.baseline}) == new
        ):
            # A ratchet forgives what was no better before.
            looser = _get_direction(-1 if new.baseline else 1)
            field = f"baseline of {old.field_path}"
            yield RuleSetChange(
                before.id, field, looser, old.baseline or "none", new.baseline or "none"
            )
            continue
        if not (
            isinstance(old, NumericConstraint)
            and isinstance(new, NumericConstraint)
            and old.model_copy(update={"threshold": new.threshold}) == new
        ):
            unexplained = True
            continue
        risen = 1 if new.threshold > old.threshold else -1
        stricter = {"<": -risen, "<=": -risen, ">": risen, ">=": risen}.get(old.operator, 0)
        yield RuleSetChange(
            before.id,
            f"threshold of {old.field_path}",
            _get_direction(stricter),
            f"{old.operator} {old.threshold}",
            f"{new.operator} {new.threshold}",
        )
    if unexplained:
        yield RuleSetChange(before.id, "constraints", ChangeDirection.CHANGED)


def _diff_settings(old: Config, new: Config) -> Iterator[RuleSetChange]:
    before, after = dict(_flatten(old)), dict(_flatten(new))
    for key, one in before.items():
        other = after[key]
        if one != other:
            measure = STRICTNESS.get(key)
            risen = 0 if measure is None else measure(other) - measure(one)
            yield RuleSetChange(
                key, "setting", _get_direction(risen), _format_value(one), _format_value(other)
            )


def _flatten(configuration: Config) -> Iterator[tuple[str, Any]]:
    """The settings by dotted key, without those that name rules: they show as rules."""
    for name in Config.model_fields:
        value = getattr(configuration, name)
        if isinstance(value, ReviewConfig | CommandConfig | RatingConfig):
            for inner in type(value).model_fields:
                yield f"{name}.{inner}", getattr(value, inner)
        elif name not in {"packs", "rules", "extends", "levels", "required"}:
            yield name, value


_PERMISSIONS = ("read", "triage", "write", "maintain", "admin")
STRICTNESS: Mapping[str, Callable[[Any], float]] = MappingProxyType(
    {
        "ignore": lambda value: -len(value),
        "block_on": lambda value: -list(BlockOn).index(value),
        "judge": lambda value: value != "none",
        "review.max_rules": float,
        "review.severity_min": lambda value: -Severity(value).rank,
        "review.drafts": float,
        "review.needs_confirmation": lambda value: value == "action_required",
        "review.unassessed": lambda value: value == "action_required",
        "review.private": len,
        "commands.permission": _PERMISSIONS.index,
        "rating.regulations": len,
        "rating.fail_below": lambda value: value or 0.0,
    }
)
"""A measure of each setting that can be looser or stricter; larger is stricter."""


def _get_direction(risen: float) -> ChangeDirection:
    if risen == 0:
        return ChangeDirection.CHANGED
    return ChangeDirection.STRICTER if risen > 0 else ChangeDirection.LOOSER


def _format_weight(rule: Rule) -> str:
    """What a rule weighs, such as `MUST HIGH` or `MUST_NOT HIGH, experimental`."""
    shadow = f", {rule.maturity}" if rule.shadow else ""
    return f"{rule.modality} {rule.severity}{shadow}"


def _format_value(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {item}" for key, item in value.items()) or "none"
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _get_tables(rule_set: RuleSet, rule_id: str) -> dict[str, Any]:
    return {name: table for (owner, name), table in rule_set.tables.items() if owner == rule_id}
