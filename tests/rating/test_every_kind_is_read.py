"""A kind of expression that is new to the engine is read for ratings, too, and not left out."""

from __future__ import annotations

import ast
import inspect

from jurat.engine.flow.program import Expression
from jurat.rating import expression_reader


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
