"""A kind of expression that is new to the engine is read for ratings, too, and not left out."""

from __future__ import annotations

import ast
import inspect

from jurat.engine.flow.forms.program import Expression
from jurat.rating.code import expression_reader
from jurat.rating.code.file_reader import read_facts


def test_each_kind_of_expression_is_read() -> None:
    tree = ast.parse(inspect.getsource(expression_reader.evaluate))
    matched = {
        node.cls.id
        for node in ast.walk(tree)
        if isinstance(node, ast.MatchClass) and isinstance(node.cls, ast.Name)
    }
    by_parts = {kind.__name__ for kind in expression_reader._PARTS}
    kinds = {kind.__name__ for kind in Expression.__subclasses__()}
    assert kinds - matched - by_parts == set()


PATTERNS = """
def take(event):
    match event:
        case Ping(host, count=n) if n > limit:
            send(host, n)
        case {"to": who, **rest}:
            send(who, rest)
        case str(name) as whole:
            send(name, whole)
"""


def test_what_a_pattern_takes_out_of_a_value_comes_from_it() -> None:
    [_, taking] = read_facts(PATTERNS, "python").functions
    given = [call.given for call in taking.calls if call.callee == "send"]
    assert len(given) == 3
    assert all("p:event" in tags for tags in given)
    assert "op:>" in taking.guards[0].asks


def test_what_stands_in_a_template_string_is_in_it() -> None:
    facts = read_facts('def ask(name):\n    send(t"Hello {name}")\n', "python")
    [call] = [one for one in facts.functions[-1].calls if one.callee == "send"]
    assert any("p:name" in tags for tags in call.given)
