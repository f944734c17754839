"""What each rule may do where a configuration is in force: its level, and why it has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import lru_cache

from jurat.errors import ConfigurationError
from jurat.rules.config import BlockOn, Config, ConfigurationFile
from jurat.rules.level import (
    Enforcement,
    Level,
    LevelEntry,
    PathLevel,
    is_rule_glob,
    iter_rule_names,
    list_level_entries,
)
from jurat.rules.loader import list_packs, load_ruleset, read_pack
from jurat.rules.rule import (
    Floor,
    Maturity,
    Rule,
    RuleSet,
    Severity,
    get_default_level,
    is_grave,
)
from jurat.rules.validation import raise_errors
from jurat.source.paths import match_glob
from jurat.source.strict_json import format_key_path


def apply_levels(rule_set: RuleSet, configuration: Config) -> RuleSet:
    """The rules as the configuration has them in force, with the maturity that they have here."""
    entries = tuple(list_level_entries(configuration.levels))
    return _apply_entries(rule_set, configuration.block_on, entries)


# Kept for the last few: a server and an editor review by the same rules again and again, and what
# is worked out of a rule or a corpus, such as its digest or its globs, is kept with the object.
@lru_cache(maxsize=8)
def _apply_entries(
    rule_set: RuleSet, block_on: BlockOn, entries: tuple[LevelEntry, ...]
) -> RuleSet:
    rules = {
        rule_id: rule.with_enforcement(
            _raise_to(rule_set.floor, rule_id, build_enforcement(rule, block_on, entries))
        )
        for rule_id, rule in rule_set.rules.items()
    }
    return replace(rule_set, rules=rules)


def _raise_to(floor: Floor | None, rule_id: str, own: Enforcement) -> Enforcement:
    """What a rule may do if its owner requires something of it, or of other rules."""
    if floor is None:
        return own
    if floor.hidden:
        # First of all: the repository asks nobody to look there, but for what is required.
        own = replace(own, by_path=(PathLevel(floor.hidden, Level.OFF), *own.by_path))
    least = floor.least.get(rule_id)
    if least is None:
        return own
    raised = replace(own, least=least, wanted=True)
    if raised.get_level(None) is own.level:
        return raised
    return replace(raised, reason=f"{floor.owner} requires it")


def build_enforcement(
    rule: Rule, block_on: BlockOn, entries: Iterable[LevelEntry] = ()
) -> Enforcement:
    """What one rule may do by a configuration's `block_on` and the entries of its `levels`.

    The closest entry decides: one that names the rule before one whose glob means it, one with
    paths before one without, and of equals the first. A glob makes no experimental rule count:
    whoever wants that names it.
    """
    line = None if block_on is BlockOn.NEVER else Severity(block_on)
    level, reason = get_default_level(rule, line), _explain_default(rule, block_on)
    named = [(entry, name) for entry in entries if (name := entry.find_name(rule.id))]
    named.sort(key=lambda item: (is_rule_glob(item[1]), not item[0].paths))
    wanted = any(not is_rule_glob(name) for _, name in named)
    by_path: list[PathLevel] = []
    for entry, name in named:
        observes = rule.maturity is Maturity.EXPERIMENTAL and is_rule_glob(name)
        found = min(entry.level, Level.OBSERVE, key=_rank) if observes else entry.level
        if not entry.paths:
            level, reason = found, f"`levels` says so of {name}"
            break
        by_path.append(PathLevel(entry.paths, found))
    return Enforcement(level, reason, tuple(by_path), wanted)


def _rank(level: Level) -> int:
    return level.rank


def _explain_default(rule: Rule, block_on: BlockOn) -> str:
    if rule.maturity is Maturity.EXPERIMENTAL:
        return "it is experimental"
    if not rule.modality.binding:
        return f"{rule.modality} is advice"
    if block_on is BlockOn.NEVER:
        return "`block_on` says never"
    reaches = is_grave(rule, Severity(block_on))
    if reaches and rule.merit is not None and rule.merit.is_decided:
        return str(rule.merit)
    if reaches and rule.trial is not None and (rule.trial.is_failed or rule.trial.may_block):
        return str(rule.trial)
    return f"{rule.severity} {'reaches' if reaches else 'is below'} `block_on`, {block_on}"


# A level for a rule that nobody has: a slip of the pen must not leave a rule as it was.


def check_level_names(files: Sequence[ConfigurationFile], rule_set: RuleSet) -> None:
    """Raise ConfigurationError, at its line, for each name in `levels` that means no rule.

    `files` are those of a chain, the first being the one that counts most, and `rule_set` what they
    put in force. A shipped rule whose pack is not in force is known all the same. Files whose own
    rules another one has replaced are not asked: theirs are not at hand.
    """
    errors: list[ConfigurationError] = []
    for file in files:
        errors += [
            ConfigurationError(file.path, file.lines.get(where, 0), format_key_path(where), problem)
            for where, problem in _find_unknown(file.data.get("levels", {}), rule_set)
        ]
        if "rules" in file.data:
            break
    raise_errors(errors)


def _find_unknown(levels: object, rule_set: RuleSet) -> Iterable[tuple[tuple[str | int, ...], str]]:
    shipped: Mapping[str, Rule] | None = None
    for inner, name in iter_rule_names(levels):
        if _has_match(name, rule_set.rules):
            continue
        # Loaded for a name that is not in force, and so hardly ever.
        if shipped is None:
            texts = {path: text for pack in list_packs() for path, text in read_pack(pack).items()}
            shipped = load_ruleset(texts).rules
        if not _has_match(name, shipped):
            problem = "means no rule" if is_rule_glob(name) else "is no rule"
            known = {**rule_set.rules, **shipped}
            yield ("levels", *inner), f"{name!r} {problem}; {_suggest(name, known)}"


def _suggest(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, known, n=1, cutoff=0.6)
    return f"did you mean {close[0]!r}?" if close else "`jurat rules list` shows them all"


def find_unknown_names(
    levels: object, known: Mapping[str, Rule]
) -> Iterable[tuple[tuple[str | int, ...], str]]:
    """Each name in `levels` that means none of the `known` rules, by its keys, with the problem."""
    for inner, name in iter_rule_names(levels):
        if not _has_match(name, known):
            yield inner, f"{name!r} means nothing that this file puts in force"


def _has_match(name: str, rules: Mapping[str, Rule]) -> bool:
    if not is_rule_glob(name):
        return name in rules
    return any(match_glob(name, rule_id) for rule_id in rules)
