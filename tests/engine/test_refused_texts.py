"""What a text is known to be that was not refused: by a character, by a pattern, as a number."""

from __future__ import annotations

import pytest

from tests.engine.test_foreign_answers import FLASK, SERVER
from tests.engine.test_hidden_flows import count_flows

_DB = "import datetime, re, sqlite3, urllib.parse\n" + FLASK
_POOL = (
    "const net = require('net');\nconst mysql = require('mysql2');\n"
    "const pool = mysql.createPool({});\n" + SERVER % "const a = String(req.query.a); %s"
)
_GO = (
    'package p\nimport ("net/http"; "regexp")\n'
    "var away = regexp.MustCompile(`%s`)\n"
    "func view(w http.ResponseWriter, r *http.Request) {\n"
    "\ta := r.FormValue(\"a\")\n\tif a[0] != '/' || away.MatchString(a) {\n\t\treturn\n\t}\n"
    "\thttp.Redirect(w, r, a, 302)\n}\n"
)
_HANDLER = (
    "import sqlite3\nimport tornado.web\nclass A(tornado.web.RequestHandler):\n"
    "    def prepare(self):\n        self.a = self.get_query_argument('a')\n        %s\n"
    "            raise tornado.web.HTTPError(400)\n    def get(self):\n"
    "        sqlite3.connect('x').execute('SELECT ' + self.a)\n"
)
_FRAMES = {"python": _DB, "javascript": _POOL, "go": _GO, "handler": _HANDLER}

_GO_ON = "\n        return 'no'\n    return redirect(a)"
_LEAD = " return; res.redirect(a);"
_SELECT = " return; pool.query('SELECT ' + a);"

PAIRS = {
    ("python", "the second character"): (
        "if not a.startswith('/') or a[2:3] in ('/', '\\\\'):" + _GO_ON,
        "if not a.startswith('/') or a[1:2] in ('/', '\\\\'):" + _GO_ON,
    ),
    ("python", "the first character"): (
        "if a[:1] == '/' or a[1:2] == '/':" + _GO_ON,
        "if a[:1] != '/' or a[1:2] == '/':" + _GO_ON,
    ),
    ("python", "all but the first character"): (
        "if a[:1] != '/' or a[1:] == '/':" + _GO_ON,
        "if a[:1] != '/' or a[1] == '/':" + _GO_ON,
    ),
    ("python", "a sign anywhere, or at the start alone"): (
        "if re.match('[^a-z]', a):\n        return 'no'\n    os.system('ls ' + a)",
        "if re.search('[^a-z]', a):\n        return 'no'\n    os.system('ls ' + a)",
    ),
    ("python", "steps up, by a pattern"): (
        "if re.search(r'^\\.\\.', a):\n        return 'no'\n    open('/x/' + a)",
        "if re.search(r'\\.\\.', a):\n        return 'no'\n    open('/x/' + a)",
    ),
    ("python", "a text that is decoded after another function has checked it"): (
        "def local(v):\n        if not v.startswith('/') or v.startswith('//'):\n"
        "            raise ValueError(v)\n        return v\n"
        "    return redirect(urllib.parse.unquote(local(a)))",
        "def local(v):\n        if not v.startswith('/') or v.startswith('//'):\n"
        "            raise ValueError(v)\n        return v\n"
        "    return redirect(local(urllib.parse.unquote(a)))",
    ),
    ("python", "steps by a list of names"): (
        "for one in a.split('/'):\n        if one in ('', '.'):\n            return 'no'\n"
        "    open('/x/' + a)",
        "for one in a.split('/'):\n        if one in ('', '.', '..'):\n            return 'no'\n"
        "    open('/x/' + a)",
    ),
    ("python", "a pattern that asks for a slash, and no second one"): (
        "if not re.fullmatch('[a-z/]*', a) or a.startswith('//'):" + _GO_ON,
        "if not re.fullmatch('/[a-z/]*', a) or a.startswith('//'):" + _GO_ON,
    ),
    ("python", "a day"): (
        "datetime.date.today()\n    os.system('ls ' + a)",
        "datetime.date.fromisoformat(a)\n    os.system('ls ' + a)",
    ),
    ("javascript", "an address, as a command and as a host"): (
        "if (net.isIP(a) === 0) return; fetch('http://' + a);",
        "if (net.isIP(a) === 0) return; require('child_process').exec('ping ' + a);",
    ),
    ("javascript", "a sum"): (
        "if (!/^[\\d+*\\/().\\[\\] -]+$/.test(a)) return; res.json(eval(a));",
        "if (!/^[\\d+*\\/(). -]+$/.test(a)) return; res.json(eval(a));",
    ),
    ("python", "a check that nobody waits for"): (
        "async def check(v):\n        if v not in ('x', 'y'):\n            raise ValueError(v)\n"
        "    check(a)\n    os.system('ls ' + a)",
        "async def check(v):\n        if v not in ('x', 'y'):\n            raise ValueError(v)\n"
        "    await check(a)\n    os.system('ls ' + a)",
    ),
    ("javascript", "a check that nobody waits for"): (
        "const check = async (v) => { if (v !== 'x') throw new Error(v); };"
        " check(a); pool.query('SELECT ' + a);",
        "const check = async (v) => { if (v !== 'x') throw new Error(v); };"
        " await check(a); pool.query('SELECT ' + a);",
    ),
    ("javascript", "two slashes, by a pattern"): (
        "if (!a.startsWith('/') || /\\/\\/$/.test(a))" + _LEAD,
        "if (!a.startsWith('/') || /^\\/[\\/\\\\]/.test(a))" + _LEAD,
    ),
    ("javascript", "two slashes, if something follows that is no word"): (
        "if (!a.startsWith('/') || /^\\/\\/(?=\\W)/.test(a))" + _LEAD,
        "if (!a.startsWith('/') || /^\\/\\//.test(a))" + _LEAD,
    ),
    ("javascript", "the second character"): (
        "if (a.charAt(0) !== '/' || a.charAt(1) === '@')" + _LEAD,
        "if (a.charAt(0) !== '/' || ['/', '\\\\'].includes(a.charAt(1)))" + _LEAD,
    ),
    ("javascript", "a number at the beginning of a text"): (
        "if (Number.isNaN(Number.parseInt(a, 10)))" + _SELECT,
        "if (Number.isNaN(Number(a)))" + _SELECT,
    ),
    ("javascript", "a text that is no number"): (
        "if (Number.isNaN(a))" + _SELECT,
        "if (isNaN(a))" + _SELECT,
    ),
    ("javascript", "a whole number"): (
        "if (!Number.isInteger(a.length))" + _SELECT,
        "if (!Number.isInteger(Number(a)))" + _SELECT,
    ),
    ("go", "two slashes, by a pattern"): ("^/x/", "^/[/]"),
    ("handler", "what a method has put into its object, and checked"): (
        "if self.a not in ('x', 'y') and self.get_argument('b'):",
        "if self.a not in ('x', 'y'):",
    ),
}


@pytest.mark.parametrize(("frame", "idea"), list(PAIRS))
def test_what_was_refused_is_what_the_check_asks_for(frame: str, idea: str) -> None:
    fault, safe = (_FRAMES[frame] % one for one in PAIRS[frame, idea])
    language = "python" if frame == "handler" else frame
    assert count_flows(safe, language) == 0
    assert count_flows(fault, language) == 1
