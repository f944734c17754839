from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest
from ast_grep_py import Config, SgNode, SgRoot

from jurat.engine.flow.analysis import find_flows
from jurat.engine.flow.forms.needs import compile_needs
from jurat.engine.needles import FileWords, extract_needles
from jurat.engine.regex_literals import NON_ASCII
from jurat.engine.rule_examples import normalize_example
from jurat.rules.constraints import PatternConstraint
from jurat.rules.flows import FlowConstraint, FlowQuestion
from jurat.rules.loader import load_ruleset, read_pack
from jurat.rules.patterns import compile_pattern
from jurat.rules.rule import Example
from jurat.source.syntax import parse


def of(rule: dict[str, Any], **utils: Any) -> set[str] | None:
    found = extract_needles(rule, utils)
    return set(found[0]) if found else None


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
        ({"regex": "abc|def"}, {"abc", "def"}),
        ({"regex": "abc|"}, None),
        ({"regex": "(?i)abc"}, {"(?i)abc"}),
        ({"regex": "abc|(?i-u)Def|ghi"}, {"abc", "(?i)def", "(?i)ghi"}),
        ({"regex": "(?i:abc)?Def"}, {"Def"}),
        ({"regex": r"a{2,}bcd[e\]]fgh"}, {"bcd"}),
        ({"regex": "(?x)abc # def"}, None),
        ({"regex": "[a[bcd]]efg"}, None),
        ({"regex": "a.c.e"}, None),
        ({"regex": "(abc)*def"}, {"def"}),
        ({"regex": r"a[\x{0400}-\x{04FF}ª]"}, {NON_ASCII}),
        ({"regex": r"[A-Z][ж]|[\x{80}]+[a-z]"}, {NON_ASCII}),
        ({"regex": r"[ж]|def"}, {NON_ASCII, "def"}),
        ({"regex": r"[ж]?c|[\x{7F}]"}, None),
        ({"regex": r"[жc]"}, None),
        ({"regex": r"[^ж]"}, None),
        # A Kelvin sign is a k whatever the case.
        ({"regex": r"(?i)[\x{212A}]"}, None),
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
    wanted = (frozenset({"abc", "def"}),)
    assert FileWords(["x", "xdefx"]).can_match(wanted)
    assert not FileWords(["x", "ab", "cde"]).can_match(wanted)
    assert FileWords([]).can_match(())
    assert FileWords(["x", "xDEFx"]).can_match((frozenset({"(?i)def"}),))
    assert FileWords(["Is(Admin"]).can_match((frozenset({"(?i)s(ad"}),))
    assert not FileWords(["xDEFx"]).can_match(wanted)
    assert FileWords(["x", "größe"]).can_match((frozenset({NON_ASCII}),))
    assert not FileWords(["x", NON_ASCII]).can_match((frozenset({NON_ASCII}),))


def test_every_part_of_a_rule_must_have_its_word_there() -> None:
    named = {"names": ["hashlib.new", "Crypto.Hash.MD5.new"]}
    wanted = extract_needles({"all": [{"matches": "hash"}, {"regex": "^True$"}]}, {"hash": named})
    assert FileWords(["from hashlib import new as n; n(True)"]).can_match(wanted)
    assert FileWords(["import Crypto.Hash.MD5 as m; m.new(True)"]).can_match(wanted)
    assert not FileWords(["import hashlib; hashlib.new(False)"]).can_match(wanted)
    assert not FileWords(["Order.new(True)"]).can_match(wanted)


def test_a_class_of_java_is_said_whatever_is_called_of_it() -> None:
    named = {"names": ["java.util.Random.next*", "java.lang.Math.random"]}
    wanted = extract_needles({"matches": "number"}, {"number": named})
    assert FileWords(["import java.util.*; new Random().nextInt()"]).can_match(wanted)
    assert FileWords(["import static java.lang.Math.random; f(random())"]).can_match(wanted)
    assert not FileWords(["import java.util.List; scanner.nextInt()"]).can_match(wanted)


def test_letters_beyond_ascii_and_escapes_are_told_apart_from_plain_code() -> None:
    assert of({"kind": "identifier", "regex": r"[^\x00-\x7F]"}) == {NON_ASCII}
    assert of({"regex": r"[^\x00-\x7F]|\\u"}) == {NON_ASCII, "\\u"}
    assert of({"regex": r"\\"}) is None
    assert of({"regex": r"[^\x00-\x7E]x"}) is None


def test_signs_that_are_set_operators_only_in_pairs_hide_no_word() -> None:
    assert of({"regex": "[a-z]+://[^&+=~]*@"}) == {"://"}
    assert of({"regex": "[a&&b]://"}) is None
    assert of({"regex": "[a~~b]://"}) is None


def test_no_shipped_pattern_is_kept_from_a_text_that_it_matches() -> None:
    rules = load_ruleset(read_pack("engineering")).rules.values()
    patterns: list[tuple[PatternConstraint, set[str]]] = []
    texts: dict[str, dict[str, SgNode]] = defaultdict(dict)
    for rule in rules:
        asked = [item for item in rule.constraints if isinstance(item, PatternConstraint)]
        own: set[str] = set()
        for language in {item.languages[0]: None for item in asked}:
            for entry in (*rule.examples.valid, *rule.examples.invalid):
                example = normalize_example(entry)
                if example.code and example.language in (None, language):
                    own.add(example.code)
                    if example.code not in texts[language]:
                        texts[language][example.code] = SgRoot(example.code, language).root()
        patterns += [(item, own) for item in asked]
    matches = 0
    for constraint, own in patterns:
        config: Config = compile_pattern(constraint)
        wanted = extract_needles(
            config["rule"], constraint.utils, constraint.names, constraint.constraints
        )
        for number, (text, root) in enumerate(texts[constraint.languages[0]].items()):
            # Of other rules' texts some: each with each takes half a minute.
            if (text in own or number % 8 == 0) and root.find(config) is not None:
                matches += 1
                assert FileWords([text]).can_match(wanted)
    assert matches > 100


def test_no_shipped_question_is_kept_from_a_text_that_answers_it() -> None:
    rules = load_ruleset(read_pack("engineering")).rules.values()
    asked: dict[str, dict[FlowQuestion, None]] = {}
    texts: dict[tuple[str, str], None] = {}
    for rule in rules:
        for constraint in rule.constraints:
            if not isinstance(constraint, FlowConstraint):
                continue
            for language, question in constraint.questions.items():
                asked.setdefault(language, {})[question] = None
            for example in rule.examples.invalid:
                if isinstance(example, Example):
                    texts[example.language or constraint.languages[0], example.code or ""] = None
                else:
                    texts[constraint.languages[0], example] = None
    flows = 0
    for language, text in texts:
        questions = list(asked.get(language, ()))
        if not questions:
            continue
        for flow in find_flows(parse(text, language).root(), language, questions).found:
            flows += 1
            assert compile_needs(questions[flow.question]).are_met(FileWords([text])), text
    assert flows > 50


def build_question(*sinks: str, sources: tuple[str, ...] = (), **more: Any) -> FlowQuestion:
    empty = dict.fromkeys(
        ("sanitizers", "guards", "checks", "rejected", "carriers", "propagators"), ()
    )
    known: dict[str, Any] = {**empty, "parameters": False, **more}
    return FlowQuestion(sources=sources, sinks=sinks, **known)


REMOTE = ("flask.request.{args,form}", "*Request.body", "@*.route", "<this>.input()")


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("import flask, os\nos.system(flask.request.args)", True),
        ("from flask import request as r\nfrom os import system as s\ns(r.form)", True),
        ("import flask, os\nos.system(flask.request.host)", False),
        ("import flask, os\nos.run(flask.request.args)", False),
        ("def f(it: HttpRequest): os.system(it.body)", True),
        ("def f(it: HttpAnswer): os.system(it.body)", False),
        ("@app.route('/')\ndef f(name): os.system(name)", True),
        ("app.route('/')\ndef f(name): os.system(name)", False),
        ("System.out.println(); os.system(input())", True),
    ],
)
def test_every_word_of_a_source_and_of_a_sink_must_stand_in_a_file(text: str, fits: bool) -> None:
    needs = compile_needs(build_question("os.system(0)", sources=REMOTE))
    assert needs.are_met(FileWords([text])) is fits


@pytest.mark.parametrize(
    ("sink", "text", "fits"),
    [
        ("*.execute(0:sql)", "db.execute(x)", False),
        ("*.execute(0:sql)", "db.execute('select ' + x)", True),
        ("*.execute(0:sql)", 'db.execute("\\n  ( SELECT " + x)', True),
        ("*.execute(0:sql)", 'db.execute("""\\\n  Update """ + x)', True),
        ("*.execute(0:sql)", 'db.execute(f"-- all of them\\nselect {x}")', True),
        ("*.execute(0:sql)", "from x import y; db.execute(y)", False),
        ("*.execute(0:sql)", "flask.request.args; db.execute(y)", True),
        ("*.get(0:query)", "flask.request.args; db.get(y)", False),
        ("*.get(0:query)", "flask.request.args; db.get(`delete ${y}`)", True),
        ("{*.get,os.system}(0)", "os.system(y)", True),
        ("*.execute(0:sql)", "db.execute('settings' + x)", False),
        ("*.execute(0:sql)", "db.execute('set' + x)", True),
        ("*.execute(0:sql)", 'db.execute(f"select{x}")', True),
        ("*.execute(0:sql)", "db.execute('select%s' % x)", True),
        ("*.execute(0:sql)", 'db.execute("select\\n*")', True),
        ("*.execute(0:sql)", "db.execute(`select${x}`)", True),
        ("*.query(0, engine=python)", "table.query(y)", False),
        ("*.query(0, engine=python)", "table.query(y, engine='python')", True),
        ("*.query(0, 1=python)", "table.query(y, 'python')", True),
    ],
)
def test_a_parameter_breaks_a_statement_only_in_a_file_with_one(
    sink: str, text: str, fits: bool
) -> None:
    needs = compile_needs(build_question(sink, sources=REMOTE, parameters=True))
    assert needs.are_met(FileWords([text])) is fits


def test_every_spelling_of_a_sink_asks_for_the_argument_that_must_be_given() -> None:
    question = FlowQuestion(sinks=("{first,second}.run(0, shell=true)",), parameters=True)
    needs = compile_needs(question)
    for callee in ("first", "second"):
        assert needs.are_met(FileWords([f"{callee}.run(a, shell=True)"]))
        assert not needs.are_met(FileWords([f"{callee}.run(a)"]))


def test_a_name_without_an_owner_is_asked_for_where_none_stands_before_it() -> None:
    needs = compile_needs(FlowQuestion(sinks=("compile(0)",), parameters=True))
    assert not needs.are_met(FileWords(["import re\nre.compile(a)"]))
    assert needs.are_met(FileWords(["compile(a)"]))
    assert needs.are_met(FileWords(["getattr(builtins, 'compile')(a)"]))
    assert compile_needs(FlowQuestion(sinks=("*.compile(0)",), parameters=True)).are_met(
        FileWords(["re.compile(a)"])
    )


@pytest.mark.parametrize(
    ("sink", "text", "fits"),
    [
        ("jsx(html:html)", "f(<div html={a} />)", True),
        ("jsx(html:html)", "f(<div text={a} />)", False),
        ("run(command, line)", "run({line: a})", True),
        ("run(command, line)", "run({lines: a})", False),
        ("run(0, line)", "run(a)", True),
        ("File.delete(this:path)", "new File(a).delete()", True),
    ],
)
def test_one_of_the_arguments_that_go_by_a_name_alone_is_said(
    sink: str, text: str, fits: bool
) -> None:
    needs = compile_needs(FlowQuestion(sinks=(sink,), parameters=True))
    assert needs.are_met(FileWords([text])) is fits


CALLBACKS = ("http.serve() -> req, res", "*.get(0=/*) -> page", "<res>.on() -> part")


@pytest.mark.parametrize(
    ("text", "sink", "fits"),
    [
        ("function f(req, res) { res.send(a) }", "<res>.send(0)", True),
        ("http.serve((one, other) => other.send(a))", "<res>.send(0)", True),
        ("serve((one, other) => other.send(a))", "<res>.send(0)", False),
        ("app.get('/a', (one) => one.send(a))", "<page>.send(0)", True),
        ("map.get('a', (one) => one.send(a))", "<page>.send(0)", False),
        ("http.serve((one, other) => other.on(it => it.send(a)))", "<part>.send(0)", True),
        ("other.on(it => it.send(a))", "<part>.send(0)", False),
    ],
)
def test_a_parameter_goes_by_another_name_only_if_something_calls_its_function(
    text: str, sink: str, fits: bool
) -> None:
    needs = compile_needs(FlowQuestion(sinks=(sink,), parameters=True, callbacks=CALLBACKS))
    assert needs.are_met(FileWords([text])) is fits
