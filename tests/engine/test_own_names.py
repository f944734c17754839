"""What a name of the file's own, an option, a host that was set or a list is worth."""

from __future__ import annotations

import pytest

from tests.engine.test_foreign_answers import FLASK, SERVER
from tests.engine.test_hidden_flows import count_flows

_BOX = (
    "class Box:\n    def contains(self, path):\n        return %s\n"
    + FLASK.replace("%s", "p = os.path.normpath('/x/' + a)\n    if not Box().contains(p):\n"
                    "        return 'no'\n    open(p)")
)  # fmt: skip
_PING = (
    "import org.springframework.web.bind.annotation.*;\nimport java.util.*;\n"
    '@RestController class C { @GetMapping("/a") void f(@RequestParam String host)'
    " throws Exception {\n  List<String> words = new ArrayList<>();\n"
    '  words.add("%s"); words.add("-c"); words.add(host);\n'
    "  new ProcessBuilder(words).start();\n} }\n"
)
_CLIENT = "import httpx\n" + FLASK % "httpx.get(%s)"

PAIRS = {
    ("python", "a method that is named like a check"): (
        _BOX % "True",
        _BOX % "path.startswith('/x/')",
    ),
    ("python", "an option that is called like an address"): (
        _CLIENT % "url=a",
        _CLIENT % "'https://x.example', params={'url': a}",
    ),
    ("javascript", "a host that was set anew"): (
        SERVER % "const u = new URL(req.query.a);\n  u.pathname = '/x';\n  fetch(u);",
        SERVER % "const u = new URL(req.query.a);\n  u.hostname = 'x.example';\n  fetch(u);",
    ),
    ("java", "a list of words"): (_PING % "sh", _PING % "ping"),
}


@pytest.mark.parametrize(("language", "name"), PAIRS)
def test_only_the_fault_of_a_pair_is_found(language: str, name: str) -> None:
    fault, fit = PAIRS[language, name]
    assert (count_flows(fault, language), count_flows(fit, language)) == (1, 0)
