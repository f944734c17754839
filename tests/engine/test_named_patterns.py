"""A pattern that says a name finds it under each alias, and nothing else that looks like it."""

from __future__ import annotations

import pytest

from jurat.engine.code_search import CodeSearch
from jurat.engine.needles import FileWords, extract_needles
from jurat.engine.pattern_search import (
    MAX_PLACES,
    PatternQuery,
    build_query,
    can_match_one,
    search_tree,
)
from jurat.engine.regex_filter import RegexFilter
from jurat.errors import RuleError
from jurat.findings.verdict import Verdict
from jurat.rules.constraints import PatternConstraint
from jurat.rules.loader import load_ruleset
from jurat.rules.patterns import compile_pattern
from jurat.source.names import UnresolvedNamesError
from jurat.source.syntax import parse
from tests.support.code import added, code, decided

SHELL = """\
version: 1
rules:
  - id: team.shell
    statement: Nothing goes through a shell.
    kind: computational
    modality: MUST_NOT
    severity: HIGH
    constraints:
      - type: pattern
        language: [{language}]
        names: {names}
        rule: {rule}
"""


def find(language: str, text: str, *said: str, rule: dict[str, object] | None = None) -> list[str]:
    """The code of all matches, after the look for words that must stand there."""
    constraint = PatternConstraint(
        type="pattern",
        language=(language,),
        names={"it": said},
        rule=rule or {"any": [{"kind": kind, "matches": "it"} for kind in CALLS[language]]},
    )
    config = compile_pattern(constraint)
    query = PatternQuery((), (language,), config, constraint.names, None, True, "")
    wanted = extract_needles(config["rule"], {}, constraint.names)
    found = search_tree(text, parse(text, language).root(), language, query, RegexFilter(text))
    assert not found or FileWords([text]).can_match(wanted)
    return [node.text() for node in found]


CALLS = {
    "python": ("call",),
    "javascript": ("call_expression", "new_expression"),
    "go": ("call_expression",),
    "java": ("method_invocation", "object_creation_expression"),
}


@pytest.mark.parametrize(
    ("language", "said", "text", "expected"),
    [
        ("python", "subprocess.run", "from subprocess import run as r\nr(a)\nrun(b)", ["r(a)"]),
        ("python", "os.system", "import os as o\nx = o.system\nx(1)", ["x(1)"]),
        ("python", "requests.Session.get", "import requests\ns = requests.session()\ns.get(u)",
         ["s.get(u)"]),
        ("javascript", "child_process.exec",
         'const {exec: go} = require("child_process"); go(a); /x/.exec(b)', ["go(a)"]),
        ("go", "exec.Command", 'import x "os/exec"\nfunc f() { x.Command(a) }', ["x.Command(a)"]),
        ("java", "java.sql.Statement.execute*",
         "import java.sql.*; class A { void f(Statement s, T t) { s.executeQuery(q); "
         "t.executeQuery(q); } }", ["s.executeQuery(q)"]),
    ],
)  # fmt: skip
def test_matches_go_by_what_is_meant(
    language: str, said: str, text: str, expected: list[str]
) -> None:
    assert find(language, text, said) == expected


def test_a_name_stands_anywhere_in_a_rule() -> None:
    rule = {"kind": "keyword_argument", "inside": {"kind": "argument_list",
            "inside": {"kind": "call", "matches": "it"}}}  # fmt: skip
    text = "from requests import get as g\ng(u, verify=False)\nf(verify=False)"
    assert find("python", text, "requests.get", rule=rule) == ["verify=False"]
    rule = {"kind": "call", "not": {"matches": "it"}}
    assert find("python", text, "requests.get", rule=rule) == ["f(verify=False)"]


@pytest.mark.parametrize("times", [MAX_PLACES // 2 + 1, 3 * MAX_PLACES])
def test_a_name_said_often_is_found_each_time(times: int) -> None:
    rule = {"kind": "call", "has": {"field": "function", "matches": "it"}}
    text = "import os\n" + "os.system(a)\n" * times
    assert len(find("python", text, "os.system", rule=rule)) == times


def test_a_name_said_often_and_shadowed_once_is_not_guessed() -> None:
    rule = {"kind": "call", "has": {"field": "function", "matches": "it"}}
    text = "from os import system\ndef f(system):\n    system(b)\n" + "system(a)\n" * MAX_PLACES
    with pytest.raises(UnresolvedNamesError, match="too often"):
        find("python", text, "os.system", rule=rule)


MAKERS = """\
version: 1
rules:
  - id: team.tokens
    statement: No token is a number that can be foretold.
    kind: computational
    modality: MUST_NOT
    severity: HIGH
    constraints:
      - type: pattern
        language: python
        names: &names {number: [random.random]}
        utils: &utils {made: {kind: call, has: {kind: argument_list, has: {matches: number}}}}
        rule: {matches: made}
      - type: pattern
        language: python
        names: *names
        utils: *utils
        rule: {matches: number, inside: {kind: assignment}}
"""


def build_queries() -> list[PatternQuery]:
    """The two patterns of a rule, with utilities that they share."""
    (rule,) = load_ruleset({"tokens.yml": MAKERS}).rules.values()
    return [
        build_query(rule, one) for one in rule.constraints if isinstance(one, PatternConstraint)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from random import random as r\nmake(r())", [["make(r())"], []]),
        ("from random import random as r\na = r()", [[], ["r()"]]),
        ("from random import random as r\na = make(r())", [["make(r())"], []]),
        ("from random import random as r\nr()", [[], []]),
    ],
)
def test_patterns_that_share_utilities_find_each_its_own(
    text: str, expected: list[list[str]]
) -> None:
    queries, root = build_queries(), parse(text, "python").root()
    search = CodeSearch(queries)
    found = [search.list_nodes(one, root, text, "python") for one in queries]
    assert [[node.text() for node in nodes] for nodes in found] == expected
    assert can_match_one(text, root, "python", queries, RegexFilter(text)) is any(expected)


def test_a_utility_without_its_names_matches_nothing() -> None:
    text = "import random\nmake(random.SystemRandom().random())"
    root = parse(text, "python").root()
    regexes = RegexFilter(text)
    assert not any(can_match_one(text, root, "python", [one], regexes) for one in build_queries())


def test_a_file_whose_names_are_not_resolved_is_no_pass() -> None:
    text = SHELL.format(
        language="javascript",
        names="{shell: [child_process.exec]}",
        rule="{kind: call_expression, matches: shell}",
    )
    rule_set = load_ruleset({"rules.yml": text})
    text = 'const {exec} = require("child_process");' + "f(x);" * 20_000
    (found,) = decided(rule_set, code(added(text, "a.js"))).verdicts
    assert found.verdict is Verdict.NOT_ASSESSED
    assert "lines are too long" in found.reasoning


def test_a_bundle_without_imports_is_read_by_its_text() -> None:
    text = "var a=function(){eval(b)};" + "f(x);" * 20_000
    assert find("javascript", text, "eval", "vm.runInNewContext") == ["eval(b)"]
    with pytest.raises(UnresolvedNamesError):
        find("javascript", text + 'c=require("vm");', "eval", "vm.runInNewContext")


@pytest.mark.parametrize(
    ("language", "names", "rule", "problem"),
    [
        ("ruby", "{a: [os.system]}", "{kind: call, matches: a}", "not resolved for ruby"),
        ("python", "{a: [os.system]}", "{kind: call}", "is not used: say matches: a"),
        ("python", "{a: [os system]}", "{kind: call, matches: a}", "is no name"),
        ("python", "{a: []}", "{kind: call, matches: a}", "must not be empty"),
        ("go", "{a: [rand.Intn]}", "{kind: call_expression, matches: a}", "write which"),
        ("python", "{a: [os.system]}", "{kind: call, matches: b}", "not a pattern"),
    ],
)
def test_what_a_rule_may_not_say(language: str, names: str, rule: str, problem: str) -> None:
    with pytest.raises(RuleError) as caught:
        load_ruleset({"rules.yml": SHELL.format(language=language, names=names, rule=rule)})
    assert problem in " ".join([str(caught.value), *map(str, getattr(caught.value, "further", ()))])
