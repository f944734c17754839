from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

import pytest
from ast_grep_py import SgNode, SgRoot

from jurat.engine.code_search import CodeSearch
from jurat.engine.narrowed_rules import narrow_config
from jurat.engine.pattern_search import PatternQuery, build_query, search_tree
from jurat.engine.regex_filter import RegexFilter
from jurat.engine.rule_examples import normalize_example
from jurat.rules.constraints import PatternConstraint
from jurat.rules.loader import load_ruleset, read_pack
from jurat.rules.patterns import compile_pattern
from jurat.source.syntax import parse


@pytest.mark.parametrize(
    ("expression", "text", "expected"),
    [
        ("abc", "xabcx", True),
        ("abc", "ab c", False),
        # What a node begins and ends with stands anywhere in a file.
        ("^abc$", "x = abc", True),
        (r"(?m)^\babc\b$", "xabcx", True),
        (r"\Aabc\z", "(abc)", True),
        ("a^{0}b", "ab", True),
        ("(^|x)abc", "yabc", True),
        ("^ab+c$", "ac", False),
        ("(?i)^ABC", "xabc", True),
        ("(?i-u)^ABC", "xabc", True),
        ("(?-u)^ABC", "xabc", False),
        ("(?i:A)BC", "aBC", True),
        ("(?i:A)BC", "abc", False),
        ("(?i)a(?-i)B", "Ab", False),
        ("(?s)a.b", "a\nb", True),
        ("a.b", "a\nb", False),
        ("(?<name>abc)", "abc", True),
        (r"a\sb", "a\vb", True),
        (r"a[\s;]b", "a\vb", True),
        (r"a[^\s]b", "a\vb", False),
        (r"a\Sb", "a\vb", False),
        (r"[\w.-]+@x", "a.b@x", True),
        (r"[\w.-]+@x", "@x", False),
        (r"\d{2,}", "a1b", False),
        # What is written in a way unknown here may match.
        ("(?x)a b", "c", True),
        ("[a[b]]", "c", True),
        ("[a&&b]", "c", True),
        (r"[\S]", " ", True),
        (r"\<a", "b", True),
        (r"\b{start}a", "b", True),
        (r"\p{Lu}", "a", True),
        (r"\x{41}", "a", True),
        ("ж", "a", True),
        ("(", "a", True),
        # What a letter is in another text, RE2 sees in another way.
        (r"\w\w", "жж", True),
        ("abc", "ж", True),
    ],
)
def test_an_expression_that_cannot_match_a_part_of_a_text(
    expression: str, text: str, expected: bool
) -> None:
    assert RegexFilter(text).can_match(expression) is expected


def list_expressions(part: object) -> Iterator[str]:
    if isinstance(part, Mapping):
        if isinstance(regex := part.get("regex"), str):
            yield regex
        for inner in part.values():
            yield from list_expressions(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from list_expressions(inner)


def test_no_shipped_expression_is_kept_from_a_node_that_it_matches() -> None:
    matches = misses = 0
    for rule in load_ruleset(read_pack("engineering")).rules.values():
        examples = [
            normalize_example(one) for one in (*rule.examples.valid, *rule.examples.invalid)
        ]
        for constraint in rule.constraints:
            if not isinstance(constraint, PatternConstraint):
                continue
            for one in examples[:6]:
                if one.code is None or one.language not in (None, constraint.languages[0]):
                    continue
                root, filters = (
                    SgRoot(one.code, constraint.languages[0]).root(),
                    RegexFilter(one.code),
                )
                for expression in list_expressions(compile_pattern(constraint)):
                    if filters.can_match(expression):
                        continue
                    misses += 1
                    assert root.find({"rule": {"regex": expression}}) is None, expression
                matches += sum(
                    map(filters.can_match, list_expressions(compile_pattern(constraint)))
                )
    assert matches > 500
    assert misses > 500


def build_one(**said: Any) -> PatternQuery:
    (rule, *_) = load_ruleset(read_pack("engineering")).rules.values()
    return build_query(rule, PatternConstraint(type="pattern", language=("python",), **said))


@pytest.mark.parametrize(
    ("said", "text", "expected"),
    [
        ({"rule": {"kind": "string", "regex": "^.a+.$"}}, "f('aa')", ["'aa'"]),
        ({"rule": {"kind": "string", "not": {"regex": "b"}}}, "f('aa')", ["'aa'"]),
        (
            {"rule": {"kind": "string", "any": [{"regex": "b"}, {"regex": "a"}]}},
            "f('aa')",
            ["'aa'"],
        ),
        ({"rule": {"kind": "string", "all": [{"regex": "b"}, {"regex": "a"}]}}, "f('aa')", None),
        ({"rule": {"kind": "string", "inside": {"kind": "call", "regex": "g"}}}, "f('aa')", None),
        ({"rule": {"matches": "it"}, "utils": {"it": {"regex": "^b"}}}, "f('aa')", None),
    ],
)
def test_a_rule_is_not_asked_where_its_expressions_cannot_match(
    said: dict[str, Any], text: str, expected: list[str] | None
) -> None:
    root, query = parse(text, "python").root(), build_one(**said)
    found = CodeSearch([query]).list_nodes(query, root, text, "python")
    assert [node.text() for node in found] == (expected or [])
    if expected is None:
        # Nobody compiles it then: what has no nodes to look at is not missed.
        nothing = cast("SgNode", object())
        assert search_tree(text, nothing, "python", query, RegexFilter(text)) == []


def test_utilities_that_a_rule_refers_to_are_kept() -> None:
    utils = {"one": {"has": {"matches": "two"}}, "two": {"regex": "a"}, "three": {"regex": "c"}}
    query = build_one(rule={"kind": "call", "any": [{"matches": "one"}]}, utils=utils)
    assert set(query.config["utils"]) == {"one", "two"}
    query = build_one(
        rule={"pattern": "f($A)"}, constraints={"A": {"matches": "three"}}, utils=utils
    )
    assert set(query.config["utils"]) == {"three"}


NEVER = {"kind": "string", "regex": "xyz"}


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({"kind": "call", "regex": "f"}, {"kind": "call", "regex": "f"}),
        ({"kind": "call", "regex": "xyz"}, None),
        ({"kind": "call", "has": NEVER}, None),
        ({"kind": "call", "inside": {"kind": "block", "has": NEVER}}, None),
        ({"all": [{"kind": "call"}, NEVER]}, None),
        ({"any": [{"kind": "call"}, NEVER]}, {"any": [{"kind": "call"}]}),
        ({"any": [NEVER, NEVER]}, None),
        ({"kind": "call", "not": NEVER}, {"kind": "call"}),
        (
            {"kind": "call", "not": {"any": [NEVER, {"regex": "f"}]}},
            {"kind": "call", "not": {"any": [{"regex": "f"}]}},
        ),
        ({"not": NEVER}, {"not": NEVER}),
        ({"kind": "call", "matches": "never"}, None),
        ({"kind": "call", "not": {"matches": "never"}}, {"kind": "call"}),
        ({"kind": "call", "matches": "absent"}, None),
        ({"any": [{"matches": "absent"}, {"matches": "some"}]}, {"any": [{"matches": "some"}]}),
        (
            {"kind": "call", "has": {"matches": "circle"}},
            {"kind": "call", "has": {"matches": "circle"}},
        ),
        (
            {"kind": "call", "has": {"regex": "f", "stopBy": NEVER}},
            {"kind": "call", "has": {"regex": "f", "stopBy": NEVER}},
        ),
    ],
)
def test_a_rule_is_left_with_what_can_match_in_a_text(
    rule: dict[str, Any], expected: dict[str, Any] | None
) -> None:
    utils = {
        "never": {"any": [NEVER]},
        "absent": {},
        "some": {"any": [NEVER, {"regex": "f"}]},
        "circle": {"has": {"matches": "circle"}},
    }
    config = {"rule": rule, "utils": utils}
    narrowed = narrow_config(config, {"absent"}, RegexFilter("f('aa')"))
    assert (narrowed and narrowed["rule"]) == expected
    if narrowed and "some" in narrowed["utils"]:
        assert narrowed["utils"] == {"some": {"any": [{"regex": "f"}]}}


def test_a_rule_with_names_is_found_by_an_alias_beside_names_that_are_not_there() -> None:
    text = "from hashlib import md5 as m\nx = m(a)"
    root = parse(text, "python").root()
    query = build_one(
        names={"weak": ["hashlib.md5"], "drawn": ["os.urandom"]},
        rule={"kind": "call", "any": [{"matches": "weak"}, {"matches": "drawn"}]},
    )
    found = search_tree(text, root, "python", query, RegexFilter(text))
    assert [node.text() for node in found] == ["m(a)"]
