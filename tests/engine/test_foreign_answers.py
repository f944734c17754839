"""What a callee answers that no file shows, and which checks are believed, each beside a fault."""

from __future__ import annotations

import pytest

from tests.engine.test_hidden_flows import EXPRESS, HEAD, count_flows

FLASK = (
    "from flask import Flask, redirect, request, session\nimport os, pathlib, files, config\n"
    "app = Flask('a')\n@app.route('/')\ndef view():\n    a = request.args['a']\n    %s\n"
)
SERVER = (
    "const fs = require('fs');\nconst path = require('path');\nconst files = require('./files');\n"
    + EXPRESS
)
GO = (
    'package p\nimport ("net/http"; "strings"; "encoding/json"; "example.com/links")\n'
    "func view(w http.ResponseWriter, r *http.Request, l links.Linker) {\n\t%s\n}\n"
)
CHECK = (
    "def refuse(v):\n    if %s:\n        return\n    pathlib.Path(v).resolve().relative_to('/x')\n"
)

PAIRS = {
    ("python", "a page that another function made, and a text with its answer"): (
        FLASK % "return '<p>' + files.make(a)",
        FLASK % "return files.make(a)",
    ),
    ("python", "a page that a function of the file made"): (
        "def make(v):\n    return v\n" + FLASK % "return make(a)",
        "from files import make\n" + FLASK % "return make(a)",
    ),
    ("python", "a page that the library's own function made"): (
        FLASK % "return str(a)",
        FLASK % "return files.show(a)",
    ),
    ("python", "a path that another function found"): (
        FLASK % "open(os.path.join('/x', files.locate(a)))",
        FLASK % "open(files.locate(a))",
    ),
    ("python", "an address that another function chose"): (
        FLASK % "return redirect(a.strip())",
        FLASK % "return redirect(files.choose(a))",
    ),
    ("python", "an address in an encoding for something else"): (
        "import markupsafe\n" + FLASK % "return redirect(markupsafe.escape(a))",
        FLASK % "return redirect(files.escape_it(a))",
    ),
    ("python", "what a wrapper of the request reads"): (
        FLASK % "return redirect(files.wrap(request).read('a'))",
        FLASK % "return redirect(files.choose(request))",
    ),
    ("python", "what is looked up and kept"): (
        FLASK % "session['role'] = a",
        FLASK % "session['role'] = files.find_role(a)",
    ),
    ("python", "another key of the session"): (
        FLASK % "session['role'] = files.locate(a) + 'x'\n    return 'x'",
        FLASK % "session['a'] = files.locate(a)\n    return '<p>' + session['b']",
    ),
    ("python", "a value that is empty, and one that is not"): (
        FLASK % "a = request.args.get('a')\n    if a:\n        a = a + '?x'\n"
        "    return redirect(a)",
        FLASK % "a = request.args.get('a')\n    if a:\n        a = '?x=' + a\n"
        "    return redirect('/' + str(a or ''))",
    ),
    ("python", "a check that a setting leaves out"): (
        CHECK % "request.args.get('raw')" + FLASK % "refuse(a)\n    open(a)",
        CHECK % "not config.SERVER" + FLASK % "refuse(a)\n    open(a)",
    ),
    ("python", "a check that a value leaves out"): (
        CHECK % "len(v) > 9" + FLASK % "refuse(a)\n    open(a)",
        CHECK % "config.LOCAL" + FLASK % "refuse(a)\n    open(a)",
    ),
    ("python", "a check that refuses under a setting"): (
        "def refuse(v):\n    if config.STRICT:\n        if '..' in v:\n            print(v)\n"
        + FLASK % "refuse(a)\n    open('/x/' + a)",
        "def refuse(v):\n    if config.STRICT:\n        if '..' in v:\n            raise OSError\n"
        + FLASK % "refuse(a)\n    open('/x/' + a)",
    ),
    ("python", "a check that catches its own error"): (
        "def refuse(v):\n    try:\n        if config.STRICT:\n            if '..' in v:\n"
        "                raise OSError\n    except OSError:\n        pass\n"
        + FLASK
        % "refuse(a)\n    open('/x/' + a)",
        "def refuse(v):\n    if '..' in v:\n        raise OSError\n"
        + FLASK % "refuse(a)\n    open('/x/' + a)",
    ),
    ("python", "a container that is put into a text"): (
        FLASK % "return '<p>{0[a]}</p>'.format({'a': files.make(a)})",
        FLASK % "return '<p>{0[a]}</p>'.format({'a': len(a)})",
    ),
    ("javascript", "a question that another file answers"): (
        SERVER % "const p = req.query.a;\n  if (!fs.existsSync('/x')) return;\n"
        "  if (!p.endsWith('.pdf')) return;\n  res.sendFile(p);",
        SERVER % "const p = req.query.a;\n  if (!files.isInside('/x', p)) return;\n"
        "  res.sendFile(p);",
    ),
    ("javascript", "a question that was not about the value"): (
        SERVER % "const p = req.query.a;\n  if (!files.isOpen(req.ip)) return;\n  res.sendFile(p);",
        SERVER % "const p = req.query.a;\n  if (files.isOpen(p)) res.sendFile(p);",
    ),
    ("javascript", "a question whose answer is of no consequence"): (
        SERVER % "const p = req.query.a;\n  files.isInside('/x', p);\n  res.sendFile(p);",
        SERVER % "const p = req.query.a;\n  if (!files.isInside('/x', p)) return;\n"
        "  res.sendFile(p);",
    ),
    ("javascript", "the way from a folder"): (
        SERVER % "const p = path.resolve('/x', req.query.a);\n"
        "  if (p.startsWith('..')) return;\n  res.sendFile(p);",
        SERVER % "const p = path.resolve('/x', req.query.a);\n"
        "  const way = path.relative('/x', p);\n"
        "  if (way.startsWith('..') || path.isAbsolute(way)) return;\n  res.sendFile(p);",
    ),
    ("javascript", "a function that is made behind a check"): (
        SERVER % "const p = path.join('/x', req.query.a);\n"
        "  fs.access('/x', (e) => { if (!e) res.sendFile(p); });\n"
        "  if (path.relative('/x', p).startsWith('..')) return;",
        SERVER % "const p = path.join('/x', req.query.a);\n"
        "  if (path.relative('/x', p).startsWith('..')) return;\n"
        "  fs.access('/x', (e) => { if (!e) res.sendFile(p); });",
    ),
    ("javascript", "a folder that a file is sent from"): (
        SERVER % "res.sendFile(req.query.a, { maxAge: 1 });",
        SERVER % "res.sendFile(req.query.a, { root: '/x' });",
    ),
    ("javascript", "the first of all characters"): (
        EXPRESS % "res.send('<p>' + req.query.a.replace(/[<>]/, ''));",
        EXPRESS % "res.send('<p>' + req.query.a.replace(/[<>]/g, ''));",
    ),
    ("javascript", "a function that replaces"): (
        EXPRESS % "res.send('<p>' + req.query.a.replace(/[<>&]/g, (c) => c));",
        EXPRESS % "res.send('<p>' + req.query.a.replace(/[<>&]/g, (c) => NAMES[c]));",
    ),
    ("javascript", "a request that is made here"): (
        EXPRESS % "fetch(req.body);",
        EXPRESS % "const sent = new Request('https://x.example');\n  fetch(sent.url);",
    ),
    ("go", "an address that another function made"): (
        GO % 'to := strings.TrimSpace(r.FormValue("to"))\n\thttp.Redirect(w, r, to, 302)',
        GO % 'to, _ := l.Link(r.FormValue("to"))\n\thttp.Redirect(w, r, to, 302)',
    ),
    ("go", "the text of an error"): (
        GO % 'w.Write([]byte(r.FormValue("a")))',
        GO % "var v links.Page\n\terr := json.NewDecoder(r.Body).Decode(&v)\n"
        "\tw.Write([]byte(err.Error()))",
    ),
}
"""By language: a fault that looks like what is left alone, and that."""


@pytest.mark.parametrize(("language", "name"), PAIRS)
def test_only_the_fault_of_a_pair_is_found(language: str, name: str) -> None:
    fault, fit = PAIRS[language, name]
    assert (count_flows(fault, language), count_flows(fit, language)) == (1, 0)


def test_a_statement_of_another_function_is_still_one() -> None:
    # Where something leads is one thing, what is run another: nobody checks a whole program.
    code = HEAD + "import files\ndef view():\n    os.system(files.make(request.args['a']))\n"
    assert count_flows(code, "python") == 1
