"""A variable that a check sets tells later which way was taken; each beside its twin."""

from __future__ import annotations

import pytest

from tests.engine.test_foreign_answers import FLASK, SERVER
from tests.engine.test_hidden_flows import count_flows

_SCRIPT = "const cp = require('child_process');\n" + SERVER % "const a = String(req.query.a); %s"
_GO = (
    'package p\nimport ("net/http"; "os/exec")\n'
    "func view(w http.ResponseWriter, r *http.Request) {\n"
    '\ta := r.FormValue("a")\n%s\n\texec.Command("sh", "-c", a).Run()\n}\n'
)
_JAVA = (
    "import javax.servlet.http.*;\nimport java.util.*;\nclass F extends HttpServlet {\n"
    "  protected void doGet(HttpServletRequest request, HttpServletResponse response)"
    ' throws Exception {\n    String a = request.getParameter("a");\n    %s\n'
    '    Runtime.getRuntime().exec(new String[] {"sh", "-c", a});\n  }\n}\n'
)
_FRAMES = {"python": FLASK, "javascript": _SCRIPT, "go": _GO, "java": _JAVA}

_RUN = "\n    os.system('ls ' + a)"
_EXEC = " cp.exec('ls ' + a);"

PAIRS = {
    ("python", "a list of what is wrong"): (
        "wrong = []\n    if a not in ('x', 'y'):\n        print(a)\n    if not a:\n"
        "        wrong.append('a')\n    if wrong:\n        return 'no'" + _RUN,
        "wrong = []\n    if a not in ('x', 'y'):\n        wrong.append('a')\n    if not a:\n"
        "        wrong.append('b')\n    if wrong:\n        return 'no'" + _RUN,
    ),
    ("python", "a list that is asked the other way round"): (
        "wrong = []\n    if a not in ('x', 'y'):\n        wrong.append('a')\n"
        "    if len(wrong) == 0:\n        return 'no'" + _RUN,
        "wrong = []\n    if a not in ('x', 'y'):\n        wrong.append('a')\n"
        "    if len(wrong) > 0:\n        return 'no'" + _RUN,
    ),
    ("python", "a list that is emptied"): (
        "wrong = []\n    if a not in ('x', 'y'):\n        wrong.append('a')\n    wrong = []\n"
        "    if wrong:\n        return 'no'" + _RUN,
        "wrong = []\n    if a not in ('x', 'y'):\n        wrong.append('a')\n    seen = []\n"
        "    if wrong:\n        return 'no'" + _RUN,
    ),
    ("python", "what was found in a loop"): (
        "ok = True\n    for one in ('x', 'y'):\n        if a == one:\n            ok = True\n"
        "    if not ok:\n        return 'no'" + _RUN,
        "ok = False\n    for one in ('x', 'y'):\n        if a == one:\n            ok = True\n"
        "            break\n    if not ok:\n        return 'no'" + _RUN,
    ),
    ("python", "an error that may be"): (
        "error = None\n    if a in ('x', 'y'):\n        error = 'a'\n    if error is not None:\n"
        "        return error" + _RUN,
        "error = None\n    if a not in ('x', 'y'):\n        error = 'a'\n"
        "    if error is not None:\n        return error" + _RUN,
    ),
    ("javascript", "an array, which is something also if it is empty"): (
        "const e = []; if (!['x', 'y'].includes(a)) e.push('a'); if (!e) return;" + _EXEC,
        "const e = []; if (!['x', 'y'].includes(a)) e.push('a'); if (e.length) return;" + _EXEC,
    ),
    ("javascript", "a flag that two checks set"): (
        "let ok = false; if (['x', 'y'].includes(a)) ok = true; if (req.query.b) ok = true;"
        " if (!ok) return;" + _EXEC,
        "let ok = false; if (['x', 'y'].includes(a)) ok = true; if (a === 'z') ok = true;"
        " if (!ok) return;" + _EXEC,
    ),
    ("javascript", "a flag that a function sets later"): (
        "let e = ''; const f = () => { e = ''; }; if (!['x', 'y'].includes(a)) e = 'a'; f();"
        " if (e) return;" + _EXEC,
        "let e = ''; if (!['x', 'y'].includes(a)) e = 'a'; if (e) return;" + _EXEC,
    ),
    ("go", "a flag"): (
        '\tok := true\n\tif a == "x" {\n\t\tok = true\n\t}\n\tif !ok {\n\t\treturn\n\t}',
        '\tok := false\n\tif a == "x" {\n\t\tok = true\n\t}\n\tif !ok {\n\t\treturn\n\t}',
    ),
    ("java", "a list of what is wrong"): (
        'List<String> e = new ArrayList<>(); if (a.equals("x")) e.add("a");'
        " if (!e.isEmpty()) return;",
        'List<String> e = new ArrayList<>(); if (!a.equals("x")) e.add("a");'
        " if (!e.isEmpty()) return;",
    ),
}


@pytest.mark.parametrize(("language", "idea"), list(PAIRS))
def test_a_flag_says_which_way_was_taken(language: str, idea: str) -> None:
    fault, safe = (_FRAMES[language] % one for one in PAIRS[language, idea])
    assert count_flows(safe, language) == 0
    assert count_flows(fault, language) == 1
