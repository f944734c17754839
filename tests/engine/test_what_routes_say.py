"""A route that says which texts a part of its path may be lets no other through."""

from __future__ import annotations

import pytest

from tests.engine.test_hidden_flows import count_flows

BOTTLE = "import os\nfrom bottle import route\n@route(%s)\ndef show(a):\n    os.system('ls ' + a)\n"
SPRING = (
    "import org.springframework.web.bind.annotation.*;\nclass A {\n"
    "  @GetMapping(%s) void show(@PathVariable String a) throws Exception {\n"
    '    Runtime.getRuntime().exec("ls " + a);\n  }\n}\n'
)
SAID = {
    "a number by its kind": ("python", BOTTLE % "'/<a:int>'", BOTTLE % "'/<a:path>'"),
    "a pattern of a part": ("python", BOTTLE % "'/<a:re:[a-z]+>'", BOTTLE % "'/<a:re:.+>'"),
    "a named group": ("python", BOTTLE % r"r'/(?P<a>[\w-]+)/'", BOTTLE % r"r'/(?P<a>\S+)/'"),
    "of this part, and of another": (
        "python",
        BOTTLE % r"r'/{b}/{a:\d+}'",
        BOTTLE % r"r'/{b:\d+}/{a}'",
    ),
    "a number of digits": ("python", BOTTLE % r"r'/{a:\d{1,9}}'", BOTTLE % r"r'/{a:.{1,9}}'"),
    "a pattern, and no kind": ("python", BOTTLE % r"r'/{a:[a-z]+}'", BOTTLE % "'/{a:path}'"),
    "one route, and one of two": (
        "python",
        BOTTLE % r"r'/{a:\d+}'",
        BOTTLE % r"[r'/{a:\d+}', r'/any/{a}'], r'/{a:\d+}', r'/{a}'",
    ),
    "a pattern in Java": (
        "java",
        SPRING % r'"/{a:[a-z\\d]+}"',
        SPRING % r'"/{a:[^\\d]+}"',
    ),
    "a pattern, and none that is empty": ("java", SPRING % '"/{a:[a-z]+}"', SPRING % '"/{a:}"'),
}


@pytest.mark.parametrize("name", SAID)
def test_what_a_route_lets_through_is_what_arrives(name: str) -> None:
    language, fit, unfit = SAID[name]
    assert count_flows(fit, language) == 0
    assert count_flows(unfit, language) == 1
