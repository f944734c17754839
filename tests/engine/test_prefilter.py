from __future__ import annotations

from typing import Any

import pytest
from ast_grep_py import Config, SgRoot

from jurat.engine.regexes import can_match, extract_needles
from jurat.rules.constraints import PatternConstraint
from jurat.rules.loader import load_ruleset, read_pack
from jurat.rules.patterns import compile_pattern
from jurat.rules.rule import Example


def of(rule: dict[str, Any], **utils: Any) -> set[str] | None:
    found = extract_needles(rule, utils)
    return set(found) if found is not None else None


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({"pattern": "requests.get($$$ARGS)"}, {"requests"}),
        ({"pattern": "$A.b($C)"}, None),
        ({"pattern": {"context": "f(verify=False)", "selector": "keyword_argument"}}, None),
        ({"kind": "call"}, None),
        ({"regex": r"^verify\s*="}, {"verify"}),
        ({"regex": r"(?-u)^(ssl|verify_ssl)$"}, {"ssl", "verify_ssl"}),
        ({"regex": r"^os\.(system|popen)$"}, {"os.system", "os.popen"}),
        ({"regex": "^abcd?$"}, {"abc"}),
        ({"regex": "^abc(def)?$"}, {"abc"}),
        ({"regex": "^ab(c|d)$"}, {"abc", "abd"}),
        ({"regex": "^(abc|d)$"}, None),
        ({"regex": "abc|def"}, None),
        ({"regex": "(?i)abc"}, None),
        ({"regex": "a.c.e"}, None),
        ({"regex": "(abc)*def"}, None),
        ({"kind": "call", "has": {"field": "function", "regex": "^eval$"}}, {"eval"}),
        ({"any": [{"regex": "^abc$"}, {"pattern": "def"}]}, {"abc", "def"}),
        ({"any": [{"regex": "^abc$"}, {"kind": "call"}]}, None),
        ({"all": [{"kind": "call"}, {"regex": "^abc"}]}, {"abc"}),
        ({"kind": "call", "not": {"regex": "^abc"}}, None),
        ({"matches": "name"}, {"word"}),
        ({"matches": "unknown"}, None),
        ({"matches": "loop"}, None),
    ],
)
def test_words_that_a_match_must_hold(rule: dict[str, Any], expected: set[str] | None) -> None:
    assert of(rule, name={"regex": "^word$"}, loop={"matches": "loop"}) == expected


def test_any_one_of_the_words_in_any_text_is_enough() -> None:
    wanted = frozenset({"abc", "def"})
    assert can_match(wanted, ["x", "xdefx"])
    assert not can_match(wanted, ["x", "ab", "cde"])
    assert can_match(None, [])


def test_no_shipped_pattern_is_kept_from_a_text_that_it_matches() -> None:
    rule_set = load_ruleset(read_pack("engineering"))
    texts = [
        example.code if isinstance(example, Example) else example
        for rule in rule_set.rules.values()
        for example in (*rule.examples.valid, *rule.examples.invalid)
    ]
    patterns = [
        constraint
        for rule in rule_set.rules.values()
        for constraint in rule.constraints
        if isinstance(constraint, PatternConstraint)
    ]
    matches = 0
    for constraint in patterns:
        config: Config = compile_pattern(constraint)
        wanted = extract_needles(config["rule"], constraint.utils)
        for text in filter(None, texts):
            if SgRoot(text, constraint.languages[0]).root().find(config) is not None:
                matches += 1
                assert can_match(wanted, [text])
    assert matches > 100
