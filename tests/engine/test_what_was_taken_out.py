"""What was taken out of a text, refused in it or doubled, and what of that is enough."""

from __future__ import annotations

import pytest

from tests.engine.test_foreign_answers import FLASK, SERVER
from tests.engine.test_hidden_flows import count_flows

_DB = "import html, sqlite3, ldap\nfrom jinja2 import Template\n" + FLASK
_MYSQL = (
    "const mysql = require('mysql2');\nconst ldap = require('ldapjs');\n"
    "const nunjucks = require('nunjucks');\nconst pool = mysql.createPool({});\n"
    "const client = ldap.createClient({});\n" + SERVER % "const a = req.query.a; %s"
)
_JAVA = (
    "import javax.servlet.http.*;\nimport java.sql.*;\n"
    "class F extends HttpServlet {\n  Statement statement;\n"
    "  protected void doGet(HttpServletRequest request, HttpServletResponse response)"
    ' throws Exception {\n    String a = request.getParameter("a");\n    %s\n  }\n}\n'
)
_FRAMES = {"python": _DB, "javascript": _MYSQL, "java": _JAVA}

_SELECT = "\n    sqlite3.connect('x').execute('SELECT * FROM ' + n)"
_QUERY = " pool.query(`SELECT * FROM ${n} LIMIT 1`);"
_SEARCH = "\n    ldap.initialize('x').search_s('o=x', 2, '(uid=' + a + ')')"
_FILTER = " client.search('o=x', { filter: `(uid=${n})` }, () => {});"

PAIRS = {
    ("python", "a name in quotes that it may end"): (
        "n = '\"' + a + '\"'" + _SELECT,
        "n = '\"' + a.replace('\"', '\"\"') + '\"'" + _SELECT,
    ),
    ("python", "other quotes than it stands in"): (
        "n = '`' + a.replace('\"', '\"\"') + '`'" + _SELECT,
        "n = '`' + a.replace('`', '``') + '`'" + _SELECT,
    ),
    ("python", "quotes that were doubled, and none around it"): (
        "n = a.replace('\"', '\"\"')" + _SELECT,
        "n = '\"%s\"' % a.replace('\"', '\"\"')" + _SELECT,
    ),
    ("python", "some of the signs of a filter"): (
        "if '*' in a or '(' in a:\n        return 'no'" + _SEARCH,
        "if '*' in a or '(' in a or ')' in a:\n        return 'no'" + _SEARCH,
    ),
    ("python", "each sign after the other"): (
        "a = a.replace('*', '').replace('(', '')" + _SEARCH,
        "a = a.replace('*', '').replace('(', '').replace(')', '')" + _SEARCH,
    ),
    ("python", "what begins a value in a template, and what begins a block"): (
        "if '{{' in a:\n        return 'no'\n    Template('Dear ' + a).render()",
        "if '{{' in a or '{%' in a:\n        return 'no'\n    Template('Dear ' + a).render()",
    ),
    ("python", "characters by a table"): (
        "a = a.translate(str.maketrans({'*': '', '(': ''}))" + _SEARCH,
        "a = a.translate(str.maketrans({'*': '', '(': '', ')': '-'}))" + _SEARCH,
    ),
    ("python", "characters by a table of all that go"): (
        "a = a.translate(str.maketrans('', '', '*('))" + _SEARCH,
        "a = a.translate(str.maketrans('', '', '*()'))" + _SEARCH,
    ),
    ("python", "each character by a table, or as it is"): (
        "t = {'*': '\\\\2a', '(': '\\\\28'}\n    a = ''.join(t.get(c, c) for c in a)" + _SEARCH,
        "t = {'*': '\\\\2a', '(': '\\\\28', ')': '\\\\29'}\n"
        "    a = ''.join(t.get(c, c) for c in a)" + _SEARCH,
    ),
    ("python", "slashes at the beginning, and at the end"): (
        "return redirect('/' + a.rstrip('/'))",
        "return redirect('/' + a.lstrip('/'))",
    ),
    ("python", "slashes that were taken off, and none put before"): (
        "return redirect('//' + a.lstrip('/'))",
        "return redirect('/' + a.lstrip('/'))",
    ),
    ("javascript", "one slash at the beginning, and all"): (
        "res.redirect('/' + a.replace(/^\\//, ''));",
        "res.redirect('/' + a.replace(/^\\/+/, ''));",
    ),
    ("javascript", "each character by a table, or as it is"): (
        "const t = { '*': '-', '(': '-' }; const n = [...a].map((c) => t[c] ?? c).join('');"
        + _FILTER,
        "const t = { '*': '-', '(': '-', ')': '-' };"
        " const n = [...a].map((c) => t[c] ?? c).join('');" + _FILTER,
    ),
    ("python", "quotes that an escape leaves, in an attribute"): (
        "return '<p title=\"' + html.escape(a, quote=False) + '\">'",
        "return '<p title=\"' + html.escape(a) + '\">'",
    ),
    ("python", "quotes that an escape leaves, in an attribute and in a text"): (
        "return '<p title=\"' + html.escape(a, False) + '\">'",
        "return '<p>' + html.escape(a, quote=False)",
    ),
    ("python", "a sign that is put in its own place"): (
        "return '<p>' + a.replace('<', '<')",
        "return '<p>' + a.replace('<', '&lt;')",
    ),
    ("javascript", "the first quote alone"): (
        "const n = '`' + a.replace('`', '``') + '`';" + _QUERY,
        "const n = '`' + a.replaceAll('`', '``') + '`';" + _QUERY,
    ),
    ("javascript", "the first quote alone, by a pattern"): (
        'const n = `"${a.replace(/"/, \'""\')}"`;' + _QUERY,
        'const n = `"${a.replace(/"/g, \'""\')}"`;' + _QUERY,
    ),
    ("javascript", "signs by their numbers"): (
        "const n = a.replace(/[\\\\*\\0]/g, c => '\\\\' + c.charCodeAt(0).toString(16));" + _FILTER,
        "const n = a.replace(/[\\\\\\x28-\\x2a\\0]/g, c => '\\\\' + c.charCodeAt(0).toString(16));"
        + _FILTER,
    ),
    ("javascript", "one brace of two"): (
        "if (a.includes('%}')) return; new nunjucks.Environment().renderString('Dear ' + a);",
        "if (a.includes('{')) return; new nunjucks.Environment().renderString('Dear ' + a);",
    ),
    ("java", "a name in quotes that it may end"): (
        'statement.executeQuery("SELECT * FROM \\"" + a.replace("`", "``") + "\\"");',
        'statement.executeQuery("SELECT * FROM `" + a.replace("`", "``") + "`");',
    ),
}


@pytest.mark.parametrize(("language", "idea"), list(PAIRS))
def test_a_part_of_what_does_harm_is_not_all_of_it(language: str, idea: str) -> None:
    fault, safe = (_FRAMES[language] % one for one in PAIRS[language, idea])
    assert count_flows(safe, language) == 0
    assert count_flows(fault, language) == 1
