"""What shipped rules are known as elsewhere is what those tools really call it."""

from __future__ import annotations

import json
import subprocess

from ruff.__main__ import find_ruff_bin

from jurat.rules.loader import load_ruleset, read_pack

RULES = load_ruleset(read_pack("engineering")).rules.values()
KNOWN = {"bandit", "errcheck", "eslint", "gosec", "ruff", "sonar"}


def test_ruff_has_each_code() -> None:
    asked = [find_ruff_bin(), "rule", "--all", "--output-format", "json"]
    listed = subprocess.run(asked, capture_output=True, check=True, text=True).stdout
    codes = {f"ruff:{rule['code']}" for rule in json.loads(listed)}
    named = {twin for rule in RULES for twin in rule.also_known_as if twin.startswith("ruff:")}
    assert named
    assert named <= codes


def test_each_twin_is_of_a_tool_whose_comments_are_read() -> None:
    tools = {twin.partition(":")[0] for rule in RULES for twin in rule.also_known_as}
    assert tools <= KNOWN


def test_each_rule_that_bandit_and_ruff_share_names_both() -> None:
    for rule in RULES:
        tools = {twin.partition(":")[0] for twin in rule.also_known_as}
        if "bandit" in tools:
            assert "ruff" in tools, rule.id
