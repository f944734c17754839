"""What a piece of a text can hold, what a statement's names are, and whose an answer is.

Each beside its twin: (language, what it is about): the fault, and what is fit.
"""

from __future__ import annotations

import pytest

from tests.engine.test_foreign_answers import FLASK, SERVER
from tests.engine.test_hidden_flows import count_flows

_GO = (
    'package p\nimport ("net/http"; "os"; "path/filepath"; "strings")\n'
    'func view(w http.ResponseWriter, r *http.Request) {\n\ta := r.FormValue("a")\n\t%s\n}\n'
)
_JAVA = (
    "import javax.servlet.http.*;\nimport java.io.*;\nclass F extends HttpServlet {\n"
    "  protected void doGet(HttpServletRequest request, HttpServletResponse response)"
    ' throws Exception {\n    String a = request.getParameter("a");\n    %s\n  }\n}\n'
)
_SERVER = SERVER.replace("%s", "const a = req.query.a; %s")
_FRAMES = {"python": FLASK, "javascript": _SERVER, "go": _GO, "java": _JAVA}

PAIRS = {
    ("python", "behind the first dot, and the last"): (
        "open('/x/y.' + a.split('.', 1)[-1])",
        "open('/x/y.' + a.split('.')[-1])",
    ),
    ("python", "before a dot, and behind it"): (
        "open('/x/y.' + a.rsplit('.', 1)[0])",
        "open('/x/y.' + a.rsplit('.', 1)[1].lower())",
    ),
    ("python", "a slice up to a dot, and from it on"): (
        "open('/x/y' + a[:a.rfind('.')])",
        "open('/x/y' + a[a.rfind('.') + 1:])",
    ),
    ("python", "a piece without a dot that may begin at the root"): (
        "open(os.path.join('/x', a.split('.')[-1]))",
        "open(os.path.join('/x', 'y.' + a.split('.')[-1]))",
    ),
    ("python", "steps that are joined again, and the last"): (
        "open('/x/' + '/'.join(a.split('/')))",
        "open('/x/' + a.split('/')[-1])",
    ),
    ("python", "two parts with names"): (
        "one, two = a.rsplit('.', 1)\n    open('/x/' + one)",
        "one, two = a.rsplit('.', 1)\n    open('/x/y.' + two)",
    ),
    ("javascript", "from the first dot on, and from the last"): (
        "fs.readFileSync('/x/y' + a.slice(a.indexOf('.')));",
        "fs.readFileSync('/x/y' + a.slice(a.lastIndexOf('.') + 1));",
    ),
    ("javascript", "the place of a dot in another text"): (
        "fs.readFileSync('/x/y' + a.slice(other.lastIndexOf('.')));",
        "const at = a.lastIndexOf('.'); fs.readFileSync(`/x/y${a.substring(at)}`);",
    ),
    ("javascript", "the first of what was split, and the last"): (
        "fs.readFileSync('/x/' + a.split('.', 2).shift());",
        "fs.readFileSync('/x/y.' + a.split('.').pop());",
    ),
    ("javascript", "some step of a path, and the last"): (
        "fs.readFileSync('/x/' + a.split('/')[0] + '/y');",
        "const all = a.split(/[\\\\/]/); fs.readFileSync('/x/' + all[all.length - 1]);",
    ),
    ("go", "up to a dot, and behind it"): (
        'os.Open("/x/y" + a[:strings.LastIndex(a, ".")])',
        'os.Open("/x/y." + a[strings.LastIndex(a, ".")+1:])',
    ),
    ("go", "a name, and its ending"): (
        'os.Open("/x/y" + a)',
        'os.Open("/x/y" + filepath.Ext(a))',
    ),
    ("go", "another's host, and the one that was asked, in parts"): (
        'http.Redirect(w, r, "https://"+strings.ToLower(a)+":8443/", 301)',
        'host, _, _ := strings.Cut(r.Host, ":")\n'
        '\thttp.Redirect(w, r, "https://"+host+":8443/", 301)',
    ),
    ("java", "up to a dot, and from it on"): (
        'new FileInputStream("/x/" + a.substring(0, a.lastIndexOf(".")) + ".y");',
        'int dot = a.lastIndexOf(\'.\'); new FileInputStream("/x/y" + a.substring(dot));',
    ),
    ("javascript", "what is cut, and where"): (
        "fs.readFileSync('/x/' + a.slice(KNOWN.from));",
        "fs.readFileSync('/x/' + KNOWN.slice(a));",
    ),
    ("javascript", "what a module is given to cut, and where"): (
        "fs.readFileSync('/x/' + require('lodash').slice(a, 1));",
        "fs.readFileSync('/x/' + KNOWN.slice(1, a));",
    ),
    ("java", "one of many parts"): (
        'String[] all = a.split("\\\\.", 2); new FileInputStream("/x/y." + all[all.length - 1]);',
        'String[] all = a.split("\\\\."); new FileInputStream("/x/y." + all[all.length - 1]);',
    ),
    ("javascript", "a header, and the host that was asked"): (
        "res.redirect('https://' + req.headers.origin + '/x');",
        "res.redirect('https://' + req.headers.host + '/x');",
    ),
    ("javascript", "what a file is called, and where it was put"): (
        "fs.unlinkSync('/x/' + req.file.originalname);",
        "const { path } = req.file; fs.unlinkSync(path);",
    ),
    ("javascript", "what is left of a condition"): (
        "res.redirect(KNOWN || a);",
        "res.redirect(a && KNOWN);",
    ),
    ("python", "what was sent, and what another server answers to it"): (
        "return redirect(a)",
        "import requests\n    answer = requests.get('https://x.example/', params={'a': a})\n"
        "    return redirect(answer.json()['to'])",
    ),
}  # fmt: skip

PARAMETERS = {
    ("go", "a value in a condition, and its column"): (
        "package p\nfunc f(a string, v string) { db.Where(\"x = '\" + a + \"'\").Get(&one) }\n",
        'package p\nfunc f(a string, v string) { db.Where(a + " = ?", v).Get(&one) }\n',
    ),
    ("python", "a value in a condition, and its table"): (
        "def f(found, a):\n    found.extra(where=[\"coalesce(x) = '%s'\" % a])\n",
        "def f(found, a):\n    found.extra(where=['coalesce(%s.x) = 1' % found.model.db_table])\n",
    ),
    ("javascript", "an element of markup, and one of text"): (
        "export function f(a) { const e = document.createElement('div'); e.innerHTML = a; }",
        "export function f(a) { const e = document.createElement('style'); e.innerHTML = a; }",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("language", "name"), PAIRS)
def test_of_a_piece_is_known_what_it_cannot_hold(language: str, name: str) -> None:
    fault, fit = (_FRAMES[language] % text for text in PAIRS[language, name])
    assert (count_flows(fault, language), count_flows(fit, language)) == (1, 0)


@pytest.mark.parametrize(("language", "name"), PARAMETERS)
def test_of_a_parameter_is_found_what_it_chooses_alone(language: str, name: str) -> None:
    fault, fit = PARAMETERS[language, name]
    assert (count_flows(fault, language), count_flows(fit, language)) == (1, 0)
