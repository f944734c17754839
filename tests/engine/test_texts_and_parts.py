"""What is known to be a text, what has no quotes, and sinks that ask how an object was made."""

from __future__ import annotations

import pytest

from jurat.engine.flow.analysis import find_flows
from jurat.rules.flows import FlowQuestion
from jurat.source.syntax import parse

QUESTION = FlowQuestion(
    sources=("web.request.{args,form}",),
    sinks=("*.find(0:filter)", "Yaml.load(0, this.0!=*safe*)"),
    rejected=("'",),
)
OBJECTS = FlowQuestion(sources=QUESTION.sources, sinks=("*.find(0:filter)",))
QUOTES = FlowQuestion(sources=QUESTION.sources, sinks=("run(0:text)",), rejected=("'",))
PYTHON = """\
from web import request

def view(db):
    a = request.args["a"]
"""


def count(code: str, language: str = "python", question: FlowQuestion = QUESTION) -> int:
    return len(find_flows(parse(code, language).root(), language, [question]).found)


@pytest.mark.parametrize(
    ("language", "code", "found"),
    [
        ("python", "if isinstance(a, str): db.find({'a': a})", 0),
        ("python", "if isinstance(a, dict): db.find({'a': a})", 1),
        ("javascript", "if (typeof a !== 'string') return; db.find({a})", 0),
        ("javascript", "if (typeof a !== 'object') return; db.find({a})", 1),
        ("javascript", "if (a && typeof a === 'object') return; db.find({a})", 0),
        ("javascript", "if (a && typeof a === 'string') return; db.find({a})", 1),
        ("javascript", "if (!a || typeof a !== 'string') return; db.find({a})", 0),
    ],
)
def test_a_text_is_no_operator(language: str, code: str, found: int) -> None:
    script = f"import {{request}} from 'web'; function v(db) {{ const a = request.args.a; {code} }}"
    text = f"{PYTHON}    {code}\n" if language == "python" else script
    assert count(text, language, OBJECTS) == found


@pytest.mark.parametrize(("asked", "found"), [('"\'"', 0), ('"\'\\""', 0), ('";"', 1)])
def test_a_text_without_some_characters(asked: str, found: int) -> None:
    code = f"""\
package a
import ("strings"; "web")
func view() {{
  a := web.request.args
  if strings.ContainsAny(a, {asked}) {{ return }}
  run("x='" + a + "'")
}}
"""
    assert count(code, "go", QUOTES) == found


@pytest.mark.parametrize(("made", "found"), [("Safe()", 0), ("Plain()", 1), ("", 1)])
def test_a_sink_may_ask_how_an_object_was_made(made: str, found: int) -> None:
    code = f"from web import request\ny = Yaml({made})\ny.load(request.args)"
    assert count(code) == found


@pytest.mark.parametrize(
    ("made", "found"),
    [
        ('new ArrayList<>(List.of("grep", "-c"))', 0),
        ('new ArrayList<>(List.of("/bin/sh", "-c"))', 1),
        ('new ArrayList<>(Arrays.asList("bash", "-c"))', 1),
    ],
)
def test_a_list_of_constants_is_known_by_its_words(made: str, found: int) -> None:
    code = f"""\
class A {{
  void f() {{
    List<String> words = {made};
    words.add(web.request.args);
    new ProcessBuilder(words);
  }}
}}
"""
    question = FlowQuestion(sources=QUESTION.sources, sinks=("ProcessBuilder(0:argv)",))
    assert count(code, "java", question) == found
