"""`block_on` and `levels`: what each rule may do, and what a slip of the pen is told."""

from __future__ import annotations

import pytest

from jurat.errors import ConfigurationError
from jurat.rules.config import BlockOn, ConfigurationFile, merge_configs
from jurat.rules.enforcement import apply_levels, check_level_names
from jurat.rules.level import Level
from jurat.rules.loader import load_configuration_file, load_ruleset, read_pack
from jurat.rules.rule import Maturity, Modality, Rule, RuleSet, Severity
from tests.support.values import a_rule

PATH = ".github/jurat.yml"
RULES = (
    a_rule("py.sql", severity=Severity.CRITICAL),
    a_rule("py.hash", severity=Severity.HIGH),
    a_rule("py.style", modality=Modality.SHOULD, severity=Severity.CRITICAL),
    a_rule("py.new", severity=Severity.CRITICAL, maturity=Maturity.EXPERIMENTAL),
    a_rule("js.debug", severity=Severity.MEDIUM),
)


def a_file(text: str, path: str = PATH) -> ConfigurationFile:
    return load_configuration_file(path, text)


def in_force(*texts: str, rules: tuple[Rule, ...] = RULES) -> RuleSet:
    """The rules under configurations, the first being the one that counts most."""
    files = [a_file(text, f"{place}.yml") for place, text in enumerate(texts)]
    rule_set = RuleSet({rule.id: rule for rule in rules})
    check_level_names(files, rule_set)
    return apply_levels(rule_set, merge_configs(files))


def levels(*texts: str, path: str | None = None) -> dict[str, str]:
    found = in_force(*texts).rules.values()
    return {rule.id: rule.enforcement.get_level(path).value for rule in found}


DEFAULT = {
    "py.sql": "block",
    "py.hash": "block",
    "py.style": "warn",
    "py.new": "observe",
    "js.debug": "warn",
}


def test_only_what_binds_at_high_or_critical_blocks_by_default() -> None:
    assert levels("") == DEFAULT


@pytest.mark.parametrize(
    ("line", "blocking"),
    [
        ("LOW", {"py.sql", "py.hash", "js.debug"}),
        ("MEDIUM", {"py.sql", "py.hash", "js.debug"}),
        ("HIGH", {"py.sql", "py.hash"}),
        ("CRITICAL", {"py.sql"}),
        ("never", set()),
    ],
)
def test_block_on_moves_the_line_and_makes_neither_advice_nor_experiments_block(
    line: str, blocking: set[str]
) -> None:
    found = levels(f"block_on: {line}")
    assert {rule_id for rule_id, level in found.items() if level == "block"} == blocking
    assert found["py.style"] == "warn"
    assert found["py.new"] == "observe"


def test_a_name_sets_one_rule_and_a_glob_many() -> None:
    found = levels('levels: {py.sql: off, "py.*": warn, js.debug: block}')
    assert found == {**DEFAULT, "py.sql": "off", "py.hash": "warn", "js.debug": "block"}


def test_an_id_goes_before_a_glob_and_paths_before_none_whatever_the_order() -> None:
    text = """
levels:
  - {rules: ["*"], level: warn}
  - {rules: ["py.*"], paths: ["legacy/**"], level: off}
  - {rules: [py.sql], level: block}
  - {rules: [py.sql], paths: ["legacy/sql/**"], level: observe}
"""
    assert levels(text)["py.hash"] == "warn"
    assert levels(text, path="legacy/a.py")["py.hash"] == "off"
    assert levels(text, path="legacy/a.py")["py.sql"] == "block"
    assert levels(text, path="legacy/sql/a.py")["py.sql"] == "observe"
    assert levels(text, path="src/a.py")["py.sql"] == "block"


def test_only_its_own_name_makes_an_experimental_rule_count() -> None:
    assert levels('levels: {"*": block}')["py.new"] == "observe"
    assert levels('levels: {"*": off}')["py.new"] == "off"
    assert levels("levels: {py.new: block}")["py.new"] == "block"


def test_a_rule_that_is_named_is_not_left_out_for_its_severity() -> None:
    rules = (a_rule("py.low", severity=Severity.LOW),)
    (rule,) = in_force("levels: {py.low: warn}", rules=rules).rules.values()
    assert rule.enforcement.wanted
    (rule,) = in_force('levels: {"py.*": warn}', rules=rules).rules.values()
    assert not rule.enforcement.wanted


def test_of_two_files_the_near_one_says_the_level_of_a_name() -> None:
    near, far = "levels: {py.sql: warn}", "levels: {py.sql: block, py.hash: off}"
    assert levels(near, far) == {**DEFAULT, "py.sql": "warn", "py.hash": "off"}
    entries = "levels: [{rules: [py.hash], level: warn}]"
    assert levels(entries, far) == {**DEFAULT, "py.hash": "warn"}
    assert levels(far, entries) == {**DEFAULT, "py.hash": "off"}


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("version: 1\nlevels:\n  py.sql: warn\n  py.sqll: off\n", 4, "did you mean 'py.sql'?"),
        ('levels:\n  "rb.*": warn\n', 2, "'rb.*' means no rule"),
        (
            "levels:\n  - rules:\n      - py.sql\n      - nothing\n    level: warn\n",
            4,
            "'nothing' is no rule; `jurat rules list` shows them all",
        ),
        ("levels:\n  py.hash: loud\n", 2, "must be one of off, observe, warn, block"),
        ("levels:\n  - {rules: [py.sql], paths: ['/x'], level: off}\n", 2, "must neither start"),
        ("levels:\n  - {rules: [py.sql], paths: ['!x'], level: off}\n", 2, "cannot exclude"),
        ("levels:\n  - {rules: [py.sql]}\n", 2, "is required"),
        ("levels:\n  - {rules: [py.sql], path: [x], level: warn}\n", 2, "did you mean 'paths'?"),
        ("levels: warn\n", 1, "must be a mapping of keys to values"),
        ("block_on: SEVERE\n", 1, "must be one of LOW, MEDIUM, HIGH, CRITICAL, never"),
    ],
)
def test_what_means_nothing_is_an_error_on_its_line(text: str, line: int, told: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        in_force(text)
    assert told in caught.value.problem
    assert caught.value.line == line


def test_a_shipped_rule_whose_pack_is_not_in_force_is_known() -> None:
    in_force('levels: {py.yaml-load: off, "go.*": warn}')


def test_a_file_whose_own_rules_were_replaced_is_not_asked_about_them() -> None:
    in_force("rules: [mine]", "rules: [theirs]\nlevels: {theirs.rule: warn}")
    with pytest.raises(ConfigurationError):
        in_force("packs: []", "rules: [theirs]\nlevels: {theirs.rule: warn}")


def test_the_default_line_is_the_code_s() -> None:
    assert merge_configs([]).block_on is BlockOn.HIGH
    assert [level.rank for level in Level] == [0, 1, 2, 3]


def test_the_strict_way_lets_none_but_the_named_block() -> None:
    """As docs/maturity.md says: what has earned it is named, and everything else advises."""
    shipped = load_ruleset(read_pack("engineering"))
    earned = {
        rule.id
        for rule in shipped.rules.values()
        if rule.merit is not None and rule.merit.is_earned
    }
    named = ", ".join(f"{rule_id}: block" for rule_id in sorted(earned))
    text = f'levels: {{"*": warn, {named}}}' if named else 'levels: {"*": warn}'
    found = in_force(text, rules=tuple(shipped.rules.values())).rules.values()
    assert earned, "none has earned it"
    assert {rule.id for rule in found if rule.enforcement.get_level(None) is Level.BLOCK} == earned
    assert {rule.enforcement.get_level(None).value for rule in found} <= {
        "block",
        "warn",
        "observe",
        "off",
    }
