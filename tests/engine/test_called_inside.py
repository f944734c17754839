"""Whether a function inside of another is called there alone, by what the text says of its name."""

from __future__ import annotations

import pytest

from jurat.engine.flow.analysis import translate_program
from jurat.engine.flow.forms.program import Assign, Routine
from jurat.engine.flow.values.callers import is_only_called
from jurat.source.syntax import parse


@pytest.mark.parametrize(
    ("body", "only"),
    [
        ("def get(a): pass\n    return get(1) + get(2)", True),
        ("def get(a): pass\n    return get (1)", True),
        ("def get(a): pass", False),
        ("def get(a): pass\n    return go(get)", False),
        ("def get(a): pass\n    get(1)\n    return get.kind", False),
        ("def get(a): pass\n    get(1)\n    # get what there is", False),
        ("def get(a): pass\n    return forget(1) + get_all(2) + a.get(3)", False),
        ("def get(a): pass\n    return get(forget(1), get_all(2), a.get, get$)", True),
        ("def get(a): pass\n    def get(b): pass\n    return get(1)", False),
    ],
)
def test_a_name_is_a_call_wherever_it_stands_for_itself(body: str, only: bool) -> None:
    root = parse(f"def show(a):\n    {body}\n", "python").root()
    (around,) = (
        one.value for one in translate_program(root, "python")[0].body if isinstance(one, Assign)
    )
    assert isinstance(around, Routine)
    inner = around.body[0]
    assert isinstance(inner, Assign)
    assert isinstance(inner.value, Routine)
    assert is_only_called(inner.value, around) is only
