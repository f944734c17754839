"""The words of a program: all that a name can be made of, and none of what is only talked about."""

from __future__ import annotations

import pytest

from jurat.engine.flow import analysis
from jurat.engine.flow.analysis import find_flows, translate_program
from jurat.engine.flow.said_words import read_said_words
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
    words = read_said_words(program, {"spoken"})
    assert wanted <= words
    assert "spoken" not in words


@pytest.mark.parametrize("where", ["# system", "'the system that os has'", "open(a)  # os.system"])
def test_a_program_that_only_speaks_of_a_sink_is_not_followed(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(analysis, "Interpreter", refuse)
    question = FlowQuestion(sinks=("os.system(0:command)",), parameters=True)
    root = parse(f"import os\ndef show(a):\n    {where}\n    return a\n", "python").root()
    assert find_flows(root, "python", [question]).found == ()


def test_a_name_that_is_put_together_is_said() -> None:
    program, _ = translate_program(parse("a = 'sys'\nb = a + 'tem.x'", "python").root(), "python")
    assert "system" in read_said_words(program, {"system", "stem"})
    assert "stem" not in read_said_words(program, {"system", "stem"})


@pytest.mark.parametrize("comment", ["", "  # os.system"])
def test_a_name_that_is_put_together_is_followed_whatever_a_comment_says(comment: str) -> None:
    question = FlowQuestion(sinks=("os.system(0:command)",), parameters=True)
    code = (
        f"import os\ndef show(a):\n    b = 'sys'\n    getattr(os, b + 'tem')('ls ' + a){comment}\n"
    )
    assert find_flows(parse(code, "python").root(), "python", [question]).found
