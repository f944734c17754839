"""The words of a program: all that a name can be made of, and none of what is only talked about."""

from __future__ import annotations

import pytest

from jurat.engine.flow import following
from jurat.engine.flow.analysis import find_flows, translate_program
from jurat.engine.flow.forms.said_words import ProgramParts, SaidWords, list_answerable, read_words
from jurat.rules.flows import FlowQuestion
from jurat.source.syntax import parse

SAID = {
    "python": (
        "import os.path as here\n"
        "@app.route('/a')\n"
        "def show(page: Order[int], count=Limit):\n"
        "    # spoken\n"
        "    'a spoken sentence'\n"
        "    here.join(page['key'], end=count).name = read()\n",
        {"os", "path", "app", "route", "show", "Order", "Limit", "key", "end", "name", "read"},
    ),
    "javascript": (
        "const cp = require('child_process')  // spoken\n"
        "export class Shop extends Base { field = 1; open(a) { this[a]('key', `a spoken ${b}`) } }",
        {"child_process", "Shop", "Base", "field", "open", "key", "b"},
    ),
    "java": (
        "import a.b.Order; /* spoken */\n"
        'class Shop { Order kept; @Mark void open(Page page) { kept.read("key", "a spoken"); } }',
        {"Order", "Shop", "Mark", "kept", "open", "Page", "read", "key"},
    ),
    "go": (
        'package a\nimport "net/http"\n// spoken\n'
        'func open(page *http.Request) { page.Get("key"); page.Get("a spoken one") }',
        {"net", "http", "open", "Request", "Get", "key"},
    ),
}


@pytest.mark.parametrize("language", SAID)
def test_a_program_says_its_names_types_marks_and_keys_and_no_comment(language: str) -> None:
    code, wanted = SAID[language]
    program, _ = translate_program(parse(code, language).root(), language)
    words = SaidWords([ProgramParts(program)], {"spoken"}).words
    assert wanted <= words
    assert "spoken" not in words


@pytest.mark.parametrize("where", ["# system", "'the system that os has'", "open(a)  # os.system"])
def test_a_program_that_only_speaks_of_a_sink_is_not_followed(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(following, "Interpreter", refuse)
    question = FlowQuestion(sinks=("os.system(0:command)",), parameters=True)
    root = parse(f"import os\ndef show(a):\n    {where}\n    return a\n", "python").root()
    assert find_flows(root, "python", [question]).found == ()


def test_a_name_that_is_put_together_is_said() -> None:
    program, _ = translate_program(parse("a = 'sys'\nb = a + 'tem.x'", "python").root(), "python")
    words = SaidWords([ProgramParts(program)], {"system", "stem"}).words
    assert "system" in words
    assert "stem" not in words


@pytest.mark.parametrize("comment", ["", "  # os.system"])
def test_a_name_that_is_put_together_is_followed_whatever_a_comment_says(comment: str) -> None:
    question = FlowQuestion(sinks=("os.system(0:command)",), parameters=True)
    code = (
        f"import os\ndef show(a):\n    b = 'sys'\n    getattr(os, b + 'tem')('ls ' + a){comment}\n"
    )
    assert find_flows(parse(code, "python").root(), "python", [question]).found


USES = {
    "called": ("def show(a): db.find(a)", True),
    "with constants alone": ("def show(a): db.find('b', [1, lambda c: c]); return a", False),
    "by a keyword": ("def show(a): db.find('b', where=a)", False),
    "spread": ("def show(a): db.find(*a)", True),
    "counted": ("def show(a): return db.find + 1 > a", False),
    "asked for a part": ("def show(a): return db.find.kind(a)", False),
    "decided by": ("def show(a):\n    if db.find: return a", False),
    "defined": ("def find(a): return a", False),
    "kept": ("def show(a):\n    look = db.find\n    return look(a)", True),
    "kept under its name": ("def show(a):\n    find = db.find\n    return find(a)", True),
    "handed on": ("def show(a): return go(db.find, a)", True),
    "one of two": ("def show(a): return (db.find if b else db.get)(a)", True),
    "in a table": ("ways = {'a': db.find}\ndef show(a): return ways[b](a)", True),
    "returned": ("def get(): return db.find\ndef show(a): return get()(a)", True),
    "a default": ("def show(a, way=db.find): return way(a)", True),
    "by its name": ("def show(a): getattr(db, 'find')(a)", True),
    "by a name that is worked out": ("def show(a, b='find'): getattr(db, b)(a)", True),
    "by a key": ("def show(a): db['find'](a)", True),
    "by a key of somebody's": ("def show(a):\n    for one in ['find']: db[one](a)", True),
    "compared with": ("def show(a):\n    if b == 'find': return db[c](a)", False),
}


@pytest.mark.parametrize("way", USES)
def test_a_sink_is_used_where_it_is_called_or_goes_on_as_a_value(way: str) -> None:
    code, used = USES[way]
    program, _ = translate_program(parse(code, "python").root(), "python")
    question = FlowQuestion(sinks=("*.find(0)",), parameters=True)
    assert bool(list_answerable(read_words([ProgramParts(program)]), [question])) is used


@pytest.mark.parametrize(
    ("code", "sink", "used"),
    [
        ("const {find} = db; function f(a) { find(a) }", "*.find(0)", True),
        ("const {find: look} = db; function f(a) { look(a) }", "*.find(0)", True),
        ("function f({find}, a) { find(a) }", "*.find(0)", True),
        ("function f(a) { db.find.call(db, a) }", "*.find(0)", True),
        ("function f(a) { Reflect.get(db, 'find')(a) }", "*.find(0)", True),
        ("function f(a) { list.find(b => b.id === a) }", "*.find(0)", False),
        ("function f(a) { box.innerHTML = a }", "*.innerHTML =", True),
        ("function f(a) { return box.innerHTML > a }", "*.innerHTML =", False),
        ("function f(a) { return box.innerHTML(a) }", "*.innerHTML =", False),
        ("function f(a) { session['role'] = a }", "*session[] =", True),
        ("function f(a) { return session['role'] + a }", "*session[] =", False),
        ("const f = (a) => <p html={a} />", "jsx(html)", True),
        ("const html = (a) => g(a)", "jsx(html)", False),
        ("function f(a) { write('%s', a) }", "write(0)", True),
        ("function f(a) { write('s', a) }", "write(0)", False),
        ("function f(a) { new HttpGet(a) }", "*Get(0)", True),
        ("function f(a) { $(a) }", "$(0)", True),
        ("const q = $; function f(a) { q(a) }", "$(0)", True),
        ("function f(a) { run($, a) }", "$(0)", True),
        ("function f(a) { return `${g(a)}` }", "$(0)", False),
    ],
)
def test_a_sink_is_used_in_whatever_way_a_script_reaches_it(
    code: str, sink: str, used: bool
) -> None:
    program, _ = translate_program(parse(code, "tsx").root(), "tsx")
    question = FlowQuestion(sinks=(sink,), parameters=True)
    assert bool(list_answerable(read_words([ProgramParts(program)]), [question])) is used


ORIGINS = {
    "a mark": ("@app.get('/a')\ndef show(a): run(a)", "@*.get", True),
    "a mark by another name": (
        "from web import get as on\n@on('/a')\ndef show(a): run(a)",
        "@*.get",
        True,
    ),
    "a mark that was kept": ("on = app.get\n@on('/a')\ndef show(a): run(a)", "@*.get", True),
    "a mark of a parameter": ("def show(a=web.Body()): run(a)", "@*.Body", True),
    "a mark that a provider needs none of": (
        "from fastapi import Depends, Query\ndef read(a): return a\n"
        "def show(a=Depends(read)): run(a)",
        "@fastapi.Query",
        True,
    ),
    "a call of that name": ("def show(a): run(table.get(a @ a))", "@*.get", False),
    "another mark": ("@property\ndef show(a): run(table.get(a))", "@*.get", False),
    "an answer": ("def show(): run(box.read())", "*.read()", True),
    "an answer by another name": ("look = box.read\ndef show(): run(look())", "*.read()", True),
    "an answer of what is handed on": ("def show(): run(*map(box.read, a))", "*.read()", True),
    "a function of that name": ("def read(a): run(a)", "*.read()", False),
    "a parameter of that name": ("def show(read): run(read)", "*.read()", True),
}


@pytest.mark.parametrize("way", ORIGINS)
def test_an_origin_is_a_mark_of_something_or_what_is_called(way: str) -> None:
    code, source, found = ORIGINS[way]
    program, _ = translate_program(parse(code, "python").root(), "python")
    question = FlowQuestion(sources=(source,), sinks=("run(0)",))
    assert bool(list_answerable(read_words([ProgramParts(program)]), [question])) is found


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("def show(a): db.go('set ' + a)", True),
        ("def show(a): db.go(f'\\n  select {a}')", True),
        ("TEXT = '-- all of them\\nselect '\ndef show(a): db.go(TEXT + a)", True),
        ("def show(a):\n    if b == 'drop ': db.go(b + a)", True),
        ("def show(a):\n    'select what it says'\n    db.go(a)", False),
        ("def show(a): db.go(a)  # as 'with ' has it", False),
    ],
)
def test_a_statement_is_a_constant_that_somebody_takes(code: str, found: bool) -> None:
    program, _ = translate_program(parse(code, "python").root(), "python")
    question = FlowQuestion(sinks=("*.go(0:sql)",), parameters=True)
    assert bool(list_answerable(read_words([ProgramParts(program)]), [question])) is found


def test_each_flow_has_the_number_of_its_own_question() -> None:
    questions = [
        FlowQuestion(sinks=(sink,), parameters=True) for sink in ("os.popen(0)", "os.system(0)")
    ]
    root = parse("import os\ndef show(a): os.system(a)\n", "python").root()
    assert [flow.question for flow in find_flows(root, "python", questions).found] == [1]
