"""A call is followed once for what it is given and what its object holds, and anew for all else."""

from __future__ import annotations

import pytest

from jurat.engine.flow.forms.program import Routine
from jurat.engine.flow.statements.interpreter import Interpreter
from jurat.engine.flow.values.value import Env, Truths, Value
from tests.engine.test_flows import HEAD, follow

DEEPER = "    def m{0}(self, a):\n" + "        self.m{1}(a)\n" * 12
PARSER = (
    "class Parser:\n    def __init__(self):\n        self.buffer = [('a', 1), ('b', 2)]\n"
    + "".join(DEEPER.format(n, n + 1) for n in range(5))
    + "    def m5(self, a):\n        os.system('ls ' + a)\n"
)
"""Each method calls the next one twelve times, so that the last is called 248,832 times."""

BOX = """
class Box:
    def __init__(self):
        self.kept = "x"
    def put(self, value):
        self.kept = value
    def show(self):
        return "ls " + self.kept
    def take(self):
        told = "ls " + self.kept
        self.kept = "x"
        return told

box = Box()
"""


def test_what_calls_the_same_methods_again_and_again_is_followed_to_its_end() -> None:
    flows = follow(HEAD + PARSER + "Parser().m0(request.args['a'])\n")
    assert not flows.unfollowed
    assert [flow.node.text() for flow in flows.found] == ["os.system('ls ' + a)"]


@pytest.mark.parametrize(
    ("uses", "found"),
    [
        ("box.show()\nbox.put(request.args['a'])\nos.system(box.show())", 1),
        ("box.show()\nbox.put('y')\nos.system(box.show())", 0),
        ("box.put(request.args['a'])\nother = Box()\nother.show()\nos.system(other.show())", 0),
        ("other = Box()\nother.show()\nbox.put(request.args['a'])\nos.system(box.show())", 1),
        (
            "box.take()\nbox.put(request.args['a'])\nbox.take()\n"
            "box.put(request.args['a'])\nos.system(box.take())",
            1,
        ),
    ],
)
def test_a_call_counts_for_what_its_object_holds_then(uses: str, found: int) -> None:
    assert len(follow(HEAD + BOX + uses + "\n").found) == found


def test_what_a_function_sees_around_it_is_told_apart_however_many_there_were() -> None:
    """A scope that is gone leaves its address to the next one: a call is not known by that."""
    outer = "def outer(x):\n    def inner():\n        return x\n    return inner()\n"
    calls = "".join(f"outer('x{n}')\n" for n in range(50))
    flows = follow(HEAD + outer + calls + "os.system(outer(request.args['a']))\n")
    assert len(flows.found) == 1


RUN = "def run(c):\n    os.system('ls ' + c)\n"
METHOD = "class A:\n    def run(self, c):\n        os.system('ls ' + c)\na = A()\n"
SURE, DOUBTFUL = "'x' + request.args['a']", "'x' + tidy(request.args['a'])"


@pytest.mark.parametrize(
    "code",
    [
        f"{RUN}run({DOUBTFUL})\nrun({SURE})",
        f"{RUN}run({SURE})\nrun({DOUBTFUL})",
        f"{METHOD}a.run({DOUBTFUL})\na.run({SURE})",
        f"a = {DOUBTFUL}\nif b:\n    a = {SURE}\nos.system('ls ' + a)",
        f"a = {SURE}\nif b:\n    a = {DOUBTFUL}\nos.system('ls ' + a)",
        f"def same(c):\n    return c\nsame({DOUBTFUL})\nos.system('ls ' + same({SURE}))",
    ],
)
def test_a_value_of_which_all_is_seen_is_never_told_as_a_doubtful_one(code: str) -> None:
    (flow,) = follow(f"{HEAD}from other import tidy\n{code}\n").found
    assert not flow.doubt


def test_a_summary_of_a_sure_value_says_nothing_of_a_doubtful_one() -> None:
    code = f"def same(c):\n    return c\nsame({SURE})\nos.system('ls ' + same({DOUBTFUL}))\n"
    (flow,) = follow(f"{HEAD}from other import tidy\n{code}").found
    assert "tidy" in flow.doubt


VIEWS = """
kept = {}
def view():
    return show()
SAVE
def show():
    os.system("ls " + kept.get("command", "") + request.args["a"])
"""


def test_a_function_that_is_handed_nothing_is_followed_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    followed: list[str] = []
    run = Interpreter.run_function

    def note(self: Interpreter, function: Routine, env: Env) -> tuple[Value, Env | None, Truths]:
        followed.append(function.name)
        return run(self, function, env)

    monkeypatch.setattr(Interpreter, "run_function", note)
    flows = follow(HEAD + VIEWS.replace("SAVE", ""))
    assert len(flows.found) == 1
    assert sorted(followed) == ["show", "view"]


def test_what_was_set_since_a_call_counts() -> None:
    code = HEAD + VIEWS.replace(' + request.args["a"]', "")
    saved = "def save():\n    kept['command'] = request.args['a']\n"
    assert [len(follow(code.replace("SAVE", one)).found) for one in ("", saved)] == [0, 1]
