"""What an owner requires of all of its repositories, and what becomes of a try to lower it.

The owner's file names rules, levels and settings in `required`. Required rules come from the owner,
in the owner's words, whatever a repository has in force, calls the same or leaves out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from jurat.errors import ConfigurationError
from jurat.rules.config import Config, ConfigurationFile, RequiredConfig
from jurat.rules.enforcement import build_enforcement, check_level_names, find_unknown_names
from jurat.rules.level import Enforcement, Level, LevelEntry, list_level_entries
from jurat.rules.rule import Floor, Rule, RuleSet
from jurat.rules.ruleset_diff import STRICTNESS
from jurat.rules.validation import StrictModel, raise_errors
from jurat.source.strict_json import KeyPath, format_key_path

_IMPLIED = ("review.needs_confirmation", "review.unassessed")
"""Settings that are required with any rule: looser, they would let it pass undecided."""

_NOT_SETTINGS = {"packs", "rules", "levels", "required", "extends", "version"}
_NAMED = 20
"""Rules named in a note; the count of the rest is said."""


@dataclass(frozen=True, slots=True)
class OwnerRules:
    """What an owner's file puts in force, and requires. `name` is "owner/.github"."""

    name: str
    configuration: Config
    rule_set: RuleSet

    @property
    def required(self) -> RequiredConfig:
        """What it requires."""
        return self.configuration.required


def list_settings() -> tuple[str, ...]:
    """The keys of the configuration that may be required, dotted."""
    return tuple(key for key, _ in _flatten(Config()) if key.partition(".")[0] not in _NOT_SETTINGS)


def check_required(files: Sequence[ConfigurationFile], rule_set: RuleSet) -> None:
    """Raise ConfigurationError, at its line, for whatever is required that there is not.

    `files` are those of the owner's chain, `rule_set` what they put in force: only that can be
    required.
    """
    check_level_names(files, rule_set)
    known = list_settings()
    errors = []
    for file in files:
        said: Mapping[str, Any] = file.data.get("required", {})
        found = [
            (("required", "rules", place), name, rule_set.rules)
            for place, name in enumerate(said.get("rules", ()))
            if not _list_meant(LevelEntry(rules=(name,), level=Level.BLOCK), rule_set)
        ]
        unknown: list[tuple[KeyPath, str]] = [
            (where, find_unknown(name, rules)) for where, name, rules in found
        ]
        unknown += [
            (("required", "levels", *where), problem)
            for where, problem in find_unknown_names(said.get("levels", {}), rule_set.rules)
        ]
        unknown += [
            (("required", "settings", place), find_unknown(name, known))
            for place, name in enumerate(said.get("settings", ()))
            if name not in known
        ]
        errors += [
            ConfigurationError(file.path, file.lines.get(where, 0), format_key_path(where), problem)
            for where, problem in unknown
        ]
    raise_errors(errors)


def find_unknown(name: str, known: Iterable[str]) -> str:
    """What is wrong with a name that means nothing that is in force."""
    close = get_close_matches(name, known, n=1, cutoff=0.6)
    meant = f"; did you mean {close[0]!r}?" if close else ""
    return f"{name!r} means nothing that this file puts in force{meant}"


def apply_floor(
    owner: OwnerRules, configuration: Config, rule_set: RuleSet
) -> tuple[Config, RuleSet]:
    """What is in force in a repository that says `configuration` and `rule_set` for itself."""
    least = dict(_iter_least(owner))
    settings = dict.fromkeys((*owner.required.settings, *(_IMPLIED if least else ())))
    raised, ignored = _raise_settings(owner.configuration, configuration, settings)
    hidden: tuple[str, ...] = ()
    if least:
        hidden = tuple(glob for glob in raised.ignore if glob not in owner.configuration.ignore)
        raised = raised.model_copy(update={"ignore": owner.configuration.ignore})
        ignored += [f"ignore leaves out {glob}" for glob in hidden]
        # Told to be something else than it is, a file would not be looked at by what is required.
        remapped = [
            f"{glob} as {surface.value}"
            for glob, surface in raised.surfaces.items()
            if owner.configuration.surfaces.get(glob) is not surface
        ]
        if remapped:
            ignored.append(f"surfaces takes {_join_names(remapped)}")
            raised = raised.model_copy(update={"surfaces": owner.configuration.surfaces})
    ignored += _list_lowered(owner, least, configuration, rule_set)
    rules = {**rule_set.rules, **{rule_id: owner.rule_set.rules[rule_id] for rule_id in least}}
    tables = {key: table for key, table in rule_set.tables.items() if key[0] not in least}
    tables |= {key: table for key, table in owner.rule_set.tables.items() if key[0] in least}
    floor = Floor(
        owner.name,
        least,
        hidden,
        owner.required.waivers == "allowed",
        tuple(_describe(owner, least, ignored)),
    )
    return raised, replace(rule_set, rules=rules, tables=tables, floor=floor)


def _iter_least(owner: OwnerRules) -> Iterator[tuple[str, Enforcement]]:
    """The least that each required rule does, by its id."""
    levels = list_level_entries(owner.required.levels)
    named = [LevelEntry(rules=(name,), level=Level.BLOCK) for name in owner.required.rules]
    entries = list_level_entries(owner.configuration.levels)
    for rule in owner.rule_set.rules.values():
        closest = [entry for entry in levels if entry.find_name(rule.id)]
        if closest or any(entry.find_name(rule.id) for entry in named):
            yield (
                rule.id,
                build_enforcement(rule, owner.configuration.block_on, closest or entries),
            )


def _list_meant(entry: LevelEntry, rule_set: RuleSet) -> list[Rule]:
    return [rule for rule in rule_set.rules.values() if entry.find_name(rule.id)]


def _raise_settings(owners: Config, own: Config, keys: Iterable[str]) -> tuple[Config, list[str]]:
    """A repository's configuration with each of `keys` as strict as its owner's, and what rose.

    Of a setting that has no order the owner's value holds.
    """
    least, raised, ignored = dict(_flatten(owners)), own, []
    for key in keys:
        here = dict(_flatten(raised))[key]
        measure = STRICTNESS.get(key)
        if key == "review.private":
            # Both lists: what the owner keeps to itself, and what the repository does.
            missing = [glob for glob in least[key] if glob not in here]
            if missing:
                raised = _set(raised, key, (*here, *missing))
            continue
        if key == "ignore":
            lower = not set(here) <= set(least[key])
        elif measure is None:
            lower = here != least[key]
        else:
            lower = measure(here) < measure(least[key])
        if lower:
            raised = _set(raised, key, least[key])
            ignored.append(f"{key} is {_format(here)}, not {_format(least[key])}")
    return raised, ignored


def _list_lowered(
    owner: OwnerRules, least: Mapping[str, Enforcement], configuration: Config, rule_set: RuleSet
) -> list[str]:
    """What a repository would make less of the required rules, one phrase each."""
    entries = list_level_entries(configuration.levels)
    missing, other, lower = [], [], []
    for rule_id, floor in least.items():
        rule = rule_set.rules.get(rule_id)
        if rule is None:
            missing.append(rule_id)
            continue
        if rule.revision != owner.rule_set.rules[rule_id].revision:
            other.append(rule_id)
        own = build_enforcement(owner.rule_set.rules[rule_id], configuration.block_on, entries)
        levels = (own.level, *(item.level for item in own.by_path))
        if min(level.rank for level in levels) < floor.strictest.rank:
            lower.append(rule_id)
    phrases = (
        ("packs and rules leave out", missing),
        ("another definition of", other),
        ("a lower level of", lower),
    )
    return [f"{what} {_join_names(names)}" for what, names in phrases if names]


def _describe(
    owner: OwnerRules, least: Mapping[str, Enforcement], ignored: Sequence[str]
) -> Iterator[str]:
    """What is required, and what of the repository's own does not count, as sentences."""
    parts = []
    if least:
        parts.append(f"{len(least):,} rule{'s' * (len(least) > 1)} ({_join_names(list(least))})")
    if owner.required.settings:
        parts.append(f"the settings {', '.join(owner.required.settings)}")
    if owner.required.waivers == "refused":
        parts.append("that nobody dismisses or suppresses what these rules find")
    yield f"{owner.name} requires {', and '.join(parts)}; no repository lowers that."
    if ignored:
        yield f"Not heeded here, as it would lower what is required: {'; '.join(ignored)}."


def _join_names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _flatten(configuration: Config) -> Iterator[tuple[str, Any]]:
    for name in Config.model_fields:
        value = getattr(configuration, name)
        if isinstance(value, StrictModel):
            for inner in type(value).model_fields:
                yield f"{name}.{inner}", getattr(value, inner)
        else:
            yield name, value


def _set(configuration: Config, key: str, value: object) -> Config:
    name, _, inner = key.partition(".")
    if inner:
        value = getattr(configuration, name).model_copy(update={inner: value})
    return configuration.model_copy(update={name: value})


def _format(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value)
