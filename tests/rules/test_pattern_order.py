"""The parts of a pattern are asked in the order of what they cost, and match what they matched."""

from __future__ import annotations

from typing import Any

from ast_grep_py import SgRoot

from jurat.rules.constraints import PatternConstraint
from jurat.rules.pattern_order import place_parts
from jurat.rules.patterns import compile_pattern

KIND = {"kind": "call"}
NAMED = {"has": {"field": "function", "regex": "^make$"}}
ANYWHERE = {"inside": {"kind": "module", "stopBy": "end", "has": {"kind": "def", "stopBy": "end"}}}


def test_what_walks_through_a_whole_file_is_asked_last() -> None:
    assert place_parts({"all": [ANYWHERE, NAMED, KIND]}, {}) == {"all": [KIND, NAMED, ANYWHERE]}


def test_a_utility_costs_what_it_says() -> None:
    said: dict[str, Any] = {"all": [{"matches": "made"}, NAMED]}
    assert place_parts(said, {"made": ANYWHERE}) == {"all": [NAMED, {"matches": "made"}]}
    assert place_parts(said, {"made": KIND}) == {"all": [{"matches": "made"}, NAMED]}


def test_utilities_in_a_circle_have_an_end() -> None:
    utils = {"one": {"any": [{"matches": "two"}, KIND]}, "two": {"matches": "one"}}
    said = {"all": [{"matches": "one"}, KIND]}
    assert place_parts(said, utils) == {"all": [KIND, {"matches": "one"}]}


def test_parts_with_a_metavariable_in_common_stay_in_their_order() -> None:
    far = {"inside": {"has": {"pattern": "$KEY", "stopBy": "end"}, "stopBy": "end"}}
    near = {"has": {"field": "left", "pattern": "$INTO[$KEY]"}}
    assert place_parts({"all": [far, near]}, {}) == {"all": [far, near]}
    hidden = {"all": [{"matches": "far"}, near]}
    assert place_parts(hidden, {"far": far}) == hidden


def test_parts_are_ordered_wherever_they_stand() -> None:
    said = {"not": {"any": [{"inside": {"all": [ANYWHERE, KIND]}}]}}
    assert place_parts(said, {}) == {"not": {"any": [{"inside": {"all": [KIND, ANYWHERE]}}]}}


def test_a_pattern_finds_the_same_with_what_walks_through_the_file_asked_last() -> None:
    made = {
        "has": {"field": "function", "pattern": "$MAKER"},
        "inside": {
            "kind": "program",
            "stopBy": "end",
            "has": {
                "kind": "function_declaration",
                "stopBy": "end",
                "has": {"field": "name", "pattern": "$MAKER"},
            },
        },
    }
    token = {"inside": {"kind": "variable_declarator", "has": {"field": "name", "regex": "token"}}}
    rule = {"kind": "call_expression", "all": [{"matches": "made"}, token]}
    pattern = PatternConstraint.model_validate(
        {"type": "pattern", "language": "javascript", "utils": {"made": made}, "rule": rule}
    )
    config = compile_pattern(pattern)
    assert "made" in str(config["rule"]["all"][-1])
    written = "function make() { return String(Math.random()) }\n"
    for text, times in (("const token = make()\n", 1), ("const total = make()\n", 0)):
        assert len(SgRoot(written + text, "javascript").root().find_all(config)) == times
