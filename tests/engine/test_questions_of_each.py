"""What is asked of several says something of all of them, or of one alone; each beside its twin."""

from __future__ import annotations

import pytest

from tests.engine.test_foreign_answers import FLASK, SERVER
from tests.engine.test_hidden_flows import count_flows

_JAVA = (
    "import javax.servlet.http.*;\nimport java.util.*;\nimport java.sql.*;\n"
    "class F extends HttpServlet {\n  Statement statement;\n"
    "  protected void doGet(HttpServletRequest request, HttpServletResponse response)"
    ' throws Exception {\n    List<String> a = List.of(request.getParameter("a").split(","));\n'
    "    %s\n"
    '    statement.executeQuery("SELECT " + String.join(",", a) + " FROM t");\n  }\n}\n'
)
_SCRIPT = (
    "const cp = require('child_process');\nconst dns = require('dns/promises');\n"
    "const ip = require('ipaddr.js');\n"
) + SERVER % "const a = req.query.a; %s"
_FRAMES = {"python": "import shlex\n" + FLASK, "javascript": _SCRIPT, "java": _JAVA}

_RUN = "\n    os.system('ls ' + ' '.join(names))"
_EXEC = " cp.exec('ls ' + parts.join(' '));"

PAIRS = {
    ("python", "one that is fit among others"): (
        "names = a.split(',')\n    if not any(n.isalnum() for n in names):\n        return 'no'"
        + _RUN,
        "names = a.split(',')\n    if not all(n.isalnum() for n in names):\n        return 'no'"
        + _RUN,
    ),
    ("python", "one that is not fit among others"): (
        "names = a.split(',')\n    if all(not n.isalnum() for n in names):\n        return 'no'"
        + _RUN,
        "names = a.split(',')\n    if any(not n.isalnum() for n in names):\n        return 'no'"
        + _RUN,
    ),
    ("python", "one text, asked by several beginnings"): (
        "if not any(b.startswith('https://x.example/') for b in (a, '')):\n        return 'no'\n"
        "    return redirect(a)",
        "if not any(a.startswith(b) for b in ('https://x.example/', 'https://y.example/')):\n"
        "        return 'no'\n    return redirect(a)",
    ),
    ("python", "a set of which some are known, and all"): (
        "names = a.split(',')\n    if not set(names) & {'x', 'y'}:\n        return 'no'" + _RUN,
        "names = a.split(',')\n    if not set(names) <= {'x', 'y'}:\n        return 'no'" + _RUN,
    ),
    ("python", "a set of which nothing is left, and of which something is"): (
        "names = a.split(',')\n    if {'x', 'y'} - set(names):\n        return 'no'" + _RUN,
        "names = a.split(',')\n    if set(names) - {'x', 'y'}:\n        return 'no'" + _RUN,
    ),
    ("python", "what is made of each by name"): (
        "names = map(str, a.split(','))" + _RUN,
        "names = map(shlex.quote, a.split(','))" + _RUN,
    ),
    ("javascript", "those that are kept"): (
        "const parts = a.split(' ').filter((p) => p !== '');" + _EXEC,
        "const parts = a.split(' ').filter((p) => /^[a-z]+$/.test(p));" + _EXEC,
    ),
    ("javascript", "what is made of each by name"): (
        "const parts = a.split(' ').map(String);" + _EXEC,
        "const parts = a.split(' ').map(Number);" + _EXEC,
    ),
    ("javascript", "each, by a function that has a name"): (
        "const fits = (p) => /^[a-z]+$/.test(p); const parts = a.split(' ');"
        " if (!parts.some(fits)) return;" + _EXEC,
        "const fits = (p) => /^[a-z]+$/.test(p); const parts = a.split(' ');"
        " if (!parts.every(fits)) return;" + _EXEC,
    ),
    ("javascript", "each, by what a function asks that only looks like it"): (
        "const parts = a.split(' '); if (!parts.every((p) => /[a-z]+/.test(p))) return;" + _EXEC,
        "const parts = a.split(' '); if (!parts.every((p) => /^[a-z]+$/.test(p))) return;" + _EXEC,
    ),
    ("javascript", "none that is unfit"): (
        "const parts = a.split(' '); if (parts.every((p) => !/^[a-z]+$/.test(p))) return;" + _EXEC,
        "const parts = a.split(' '); if (parts.some((p) => !/^[a-z]+$/.test(p))) return;" + _EXEC,
    ),
    ("javascript", "one text, asked by several names"): (
        "const hosts = ['a.example']; const u = new URL(a);"
        " if (!hosts.some((h) => u.hostname.includes(h))) return; fetch(u);",
        "const hosts = ['a.example']; const u = new URL(a);"
        " if (!hosts.some((h) => u.hostname === h)) return; fetch(u);",
    ),
    ("javascript", "the addresses that a host has"): (
        "const u = new URL(a); const found = await dns.lookup(u.hostname, { all: true });"
        " if (found.every((f) => ip.parse(f.address).range() !== 'unicast')) return; fetch(u);",
        "const u = new URL(a); const found = await dns.lookup(u.hostname, { all: true });"
        " if (found.some((f) => ip.parse(f.address).range() !== 'unicast')) return; fetch(u);",
    ),
    ("java", "each, by a function"): (
        'if (a.stream().noneMatch(n -> n.matches("[a-z]+"))) return;',
        'if (!a.stream().allMatch(n -> n.matches("[a-z]+"))) return;',
    ),
    ("java", "none that is unfit"): (
        'if (!a.stream().anyMatch(n -> !n.matches("[a-z]+"))) return;',
        'if (!a.stream().noneMatch(n -> !n.matches("[a-z]+"))) return;',
    ),
}


@pytest.mark.parametrize(("language", "idea"), list(PAIRS))
def test_what_is_asked_of_one_is_not_asked_of_each(language: str, idea: str) -> None:
    fault, safe = (_FRAMES[language] % one for one in PAIRS[language, idea])
    assert count_flows(safe, language) == 0
    assert count_flows(fault, language) == 1
