"""What blocks of a flow whose way is all seen only advises if nobody has seen a part of it."""

from __future__ import annotations

from functools import cache

import pytest

from jurat.findings.finding import Finding
from jurat.rules.rule import RuleSet
from jurat.source.diff import FileChange
from tests.engine.test_hidden_flows import EXPRESS, count_flows
from tests.support.code import added, changed, code, decided
from tests.support.histories import shipped_code_rules

FLASK = (
    "from flask import Flask, redirect, request\nimport os, forms, files\n%s\n"
    "app = Flask('a')\n@app.route('/')\ndef view():\n    a = request.args['a']\n    %s\n"
)
ROUTE = (
    "import os\nfrom flask import Blueprint\nshelves = Blueprint('shelves', 'a')\n"
    "@shelves.route('/<%s:name>')\ndef show(name):\n    os.system('ls ' + name)\n"
)
JAVA = (
    "import javax.servlet.http.*;\nimport com.acme.Names;\nclass A extends HttpServlet {\n"
    "  protected void doGet(HttpServletRequest r, HttpServletResponse s) throws Exception {\n"
    '    String a = r.getParameter("a");\n    %s\n  }\n}\n'
)
GO = (
    'package p\nimport ("embed"; "html/template"; "net/http"; "os"; "os/exec"; "path/filepath"; '
    '"strings"; "example.com/app/models")\n'
    "func view(w http.ResponseWriter, r *http.Request) {\n\t%s\n}\n%s\n"
)

SPRING = (
    "import org.springframework.web.bind.annotation.*;\nclass A {\n"
    '  @GetMapping("/{kind}") void show(@PathVariable %s kind) throws Exception {\n'
    '    new java.io.FileReader("/srv/" + kind);\n  }\n}\n'
)
MARKS = (
    "from django import template\nfrom django.utils.safestring import mark_safe\n"
    "register = template.Library()\n%s\n"
    "def show_link(user):\n    return mark_safe('<b>' + user.name)\n"
)
TABLE = (
    'var table = %s{"link": func(a Link) template.HTML {\n'
    '\treturn template.HTML("<b>" + a.Name)\n}}'
)

WIDGET = (
    "from markupsafe import Markup\nclass Input:\n    def %s(self, %s, **given):\n"
    "        return Markup('<input name=\"%%s\">' %% %s)\n"
)

HASHES = (
    'package p\nimport ("crypto/sha1"%s)\n'
    "func hash(password string) {\n\th := sha1.New()\n\th.Write([]byte(password))\n}\n"
)


@cache
def load_rules() -> RuleSet:
    return shipped_code_rules()


def find(file: FileChange) -> list[Finding]:
    verdicts = decided(load_rules(), code(file)).verdicts
    return [finding for verdict in verdicts for finding in verdict.findings]


SEEN = {
    "a name in a folder, and a path that is chosen as a whole": (
        "app.py",
        FLASK % ("", "open(os.path.join('/srv', a))"),
        FLASK % ("", "open(a)"),
    ),
    "a name behind a path, and the whole path": (
        "A.java",
        JAVA
        % 'java.nio.file.Files.readString(java.nio.file.Path.of("/srv").toRealPath().resolve(a));',
        JAVA % "new java.io.FileReader(a);",
    ),
    "a name in a folder of our own, and a name beside a whole path": (
        "a.go",
        GO % ('os.Remove(filepath.Join(root, r.FormValue("a")))', 'var root = "/srv"'),
        GO % ('os.Remove(filepath.Join(r.FormValue("b"), r.FormValue("a")))', ""),
    ),
    "a name behind a folder of our own, and one behind a folder that is chosen": (
        "a.go",
        GO % ('os.Create(root + "/" + r.FormValue("a") + ".tmp")', 'var root = "/srv"'),
        GO % ('os.Create(r.FormValue("b") + "/" + r.FormValue("a") + ".tmp")', ""),
    ),
    "markup that is written first, and a plain text": (
        "a.go",
        GO % ('w.Write([]byte("<b>" + r.FormValue("a")))', ""),
        GO % ('w.Write([]byte("none is called " + r.FormValue("a")))', ""),
    ),
    "a text that is said to be a page, and a plain text": (
        "a.go",
        GO
        % (
            'w.Header().Set("Content-Type", "text/html"); '
            'w.Write([]byte("none is called " + r.FormValue("a")))',
            "",
        ),
        GO % ('w.Write([]byte("none is called " + r.FormValue("a")))', ""),
    ),
    "what an object of the file answers, and what an object of another answers": (
        "app.py",
        FLASK
        % (
            "class Form:\n    def __init__(self, v):\n        self.name = v\n"
            "    def show(self):\n        return self.name",
            "os.system('ls ' + Form(a).show())",
        ),
        FLASK % ("", "b = forms.Form(a)\n    os.system('ls ' + b.show())"),
    ),
    "the path that was asked for, and what stands before its query": (
        "a.go",
        GO % ('http.Redirect(w, r, r.FormValue("a"), 302)', ""),
        GO % ('http.Redirect(w, r, strings.Split(r.RequestURI, "?")[0], 302)', ""),
    ),
    "a value of the address that was asked for, and the address": (
        "a.go",
        GO % ('http.Redirect(w, r, r.URL.Query().Get("a"), 302)', ""),
        GO % ('http.Redirect(w, r, r.URL.Path+"?a=1", 302)', ""),
    ),
    "a parameter of an address, and the path that was asked for": (
        "A.java",
        JAVA % 's.sendRedirect(r.getParameter("a"));',
        JAVA % 's.sendRedirect(r.getRequestURI() + "/");',
    ),
    "a value in a field, and what a form calls the field": (
        "a.py",
        WIDGET % ("__call__", "field", "field.data"),
        WIDGET % ("__call__", "field", "field.name"),
    ),
    "a name, and what a form calls a field": (
        "a.py",
        WIDGET % ("show", "name", "name"),
        WIDGET % ("render", "name", "name"),
    ),
    "a file in a folder, and a file": (
        "A.java",
        JAVA % 'new java.io.FileInputStream(new java.io.File("/srv", a));',
        JAVA % "new java.io.FileInputStream(new java.io.File(a));",
    ),
    "parts of a path, and one part": (
        "A.java",
        JAVA % 'java.nio.file.Files.readString(java.nio.file.Paths.get("/srv", a));',
        JAVA % "java.nio.file.Files.readString(java.nio.file.Paths.get(a));",
    ),
    "a resolved path, and a path as it came": (
        "a.js",
        EXPRESS % "require('fs').readFileSync(require('path').resolve(ROOT, req.query.a));",
        EXPRESS % "require('fs').readFileSync(req.query.a);",
    ),
    "the name of a file, and its path": (
        "app.py",
        FLASK % ("", "open(request.args['filename'])"),
        FLASK % ("", "open(request.args['path'])"),
    ),
    "a text that the file itself puts together": (
        "app.py",
        FLASK % ("def show(v):\n    return v + ' -l'", "os.system('ls ' + show(a))"),
        FLASK % ("", "os.system('ls ' + files.show(a))"),
    ),
    "a folder, and what the language makes of a name": (
        "app.py",
        FLASK % ("", "open(os.path.join('/srv', str(a)))"),
        FLASK % ("", "open('/srv/' + files.shape(a))"),
    ),
    "an object of a class of the file": (
        "app.py",
        FLASK
        % (
            "class Form:\n    def __init__(self, v):\n        self.name = v",
            "os.system('ls ' + Form(a).name)",
        ),
        FLASK % ("", "os.system('ls ' + forms.Form(a).name)"),
    ),
    "what a reader of a notation makes of a text": (
        "A.java",
        JAVA
        % 'new java.io.FileReader("/srv/" + new com.google.gson.Gson().fromJson(a, String.class));',
        JAVA % 'new java.io.FileReader("/srv/" + Names.shape(a));',
    ),
    "a shell's line that is put together, and one that a caller hands over": (
        "a.go",
        GO % ("", 'func run(a string) { exec.Command("sh", "-c", "ls "+a) }'),
        GO % ("", 'func Run(a string) { exec.Command("sh", "-c", a) }'),
    ),
    "markup that is put together, and a template's function that marks a text": (
        "a.go",
        GO % ("", 'func Show(a string) template.HTML { return template.HTML("<b>" + a) }'),
        GO % ("", "func Safe(a string) template.HTML { return template.HTML(a) }"),
    ),
    "what is looked at, and what a statement had something refuse that is not read": (
        "app.py",
        FLASK % ("", "files.show(a)\n    os.system('ls ' + a)"),
        FLASK % ("", "files.authorize(a)\n    os.system('ls ' + a)"),
    ),
    "a part of an address, and a value of another file's class that it was made one of": (
        "A.java",
        SPRING % "String",
        SPRING % "com.acme.KindOfResource",
    ),
    "what is known to be there, and what may have been refused": (
        "A.java",
        JAVA % 'Names.checkNotNull(a); new java.io.FileReader("/srv/" + a);',
        JAVA % 'Names.checkUpload(a); new java.io.FileReader("/srv/" + a);',
    ),
    "an error that is looked for, and a text that may have been refused": (
        "app.py",
        FLASK % ("", "files.verifyErrors(a)\n    os.system('ls ' + a)"),
        FLASK % ("", "files.verifyText(a)\n    os.system('ls ' + a)"),
    ),
    "what is checked on the one of two ways, and on both": (
        "app.py",
        FLASK % ("", "if b:\n        files.verify_safe(a)\n    os.system('ls ' + a)"),
        FLASK % ("", "files.verify_safe(a)\n    if b:\n        os.system('ls ' + a)"),
    ),
    "a header that a request is asked for, and what another file takes from the request": (
        "A.java",
        JAVA % 's.getWriter().write("<b>" + r.getHeader("a"));',
        JAVA % 's.getWriter().write("<b>" + Names.readAgent(r));',
    ),
    "a method of a text, and a module's function of that name": (
        "app.py",
        FLASK % ("", "os.system('ls ' + a.replace('a', 'b'))"),
        FLASK % ("", "os.system('ls ' + files.replace(a))"),
    ),
    "a function that marks what it makes, and one that templates call": (
        "tags.py",
        MARKS % "",
        MARKS % "@register.filter(is_safe=True)",
    ),
    "a function literal that marks what it makes, and one in a table for templates": (
        "a.go",
        GO % ("", TABLE % "map[string]any"),
        GO % ("", TABLE % "template.FuncMap"),
    ),
    "a part of a route of a kind that the project made": (
        "app.py",
        ROUTE % "path",
        ROUTE % "shelf_code",
    ),
    "what an object carries that a call has made": (
        "app.py",
        FLASK % ("", "os.system('ls ' + files.make().put(a))"),
        FLASK % ("", "os.system('ls ' + files.put(a))"),
    ),
}


@pytest.mark.parametrize("name", SEEN)
def test_a_flow_blocks_if_its_way_is_seen_and_advises_if_not(name: str) -> None:
    path, seen, unseen = SEEN[name]
    assert [item.blocks for item in find(added(seen, path))] == [True]
    (finding,) = find(added(unseen, path))
    assert not finding.blocks
    assert not finding.shadow
    assert "It only advises: `" in finding.message


def test_a_weak_hash_advises_beside_a_strong_one() -> None:
    ours = "go.weak-hash-of-secret"
    alone, beside = (
        [item for item in find(added(HASHES % more, "a.go")) if item.rule.id == ours]
        for more in ("", '; "golang.org/x/crypto/bcrypt"')
    )
    assert [item.blocks for item in alone] == [True]
    assert [item.blocks for item in beside] == [False]
    assert "It only advises: `bcrypt` is known here" in beside[0].message


def test_a_doubtful_finding_of_the_base_excuses_nothing_that_blocks() -> None:
    cleaned = FLASK % ("", "b = files.clean(a)\n    os.system('ls ' + b)")
    bare = FLASK % ("", "b = a\n    os.system('ls ' + b)")
    (finding,) = find(changed(cleaned, bare))
    assert finding.blocks
    # The other way round nothing is new: what blocked has become better.
    assert find(changed(bare, cleaned)) == []


def test_what_is_doubtful_by_one_way_and_seen_by_another_blocks() -> None:
    either = "b = files.clean(a) if request.args.get('c') else a\n    os.system('ls ' + b)"
    assert [item.blocks for item in find(added(FLASK % ("", either)))] == [True]


PAIRS = {
    ("java", "a class of sockets, and a method with a name like one"): (
        JAVA % "new java.net.Socket(a, 80);",
        JAVA % "new Names().sendToSocket(a);",
    ),
    ("javascript", "a filter of a collection, and one of a function of ours"): (
        "const { MongoClient } = require('mongodb');\nconst db = new MongoClient('a').db();\n"
        + EXPRESS % "db.collection('users').find({ name: req.body.name })",
        "const query = require('../queries');\n"
        + EXPRESS % "query.user.find({ name: req.body.name })",
    ),
    ("javascript", "a header that a link's author may choose, and the host that was asked"): (
        EXPRESS % "res.redirect('https://' + req.header('x-next') + '/a')",
        EXPRESS % "res.redirect('https://' + req.header('host') + req.url)",
    ),
    ("javascript", "a filter of documents, and one of a mapper to tables"): (
        EXPRESS % "source.getRepository(User).findOne({ id: req.body.id })",
        EXPRESS % "source.getRepository(User).findOneBy({ id: req.body.id })",
    ),
    ("javascript", "the filter of an update, and the change that a table is given"): (
        "const App = require('../models/app');\n"
        + EXPRESS % "App.update({ name: req.body.a }, { $set: { b: 1 } })",
        "const App = require('../models/app');\n"
        + EXPRESS % "App.update({ name: req.body.a }, { where: { id: 1 } })",
    ),
    ("javascript", "an update of a collection, and one of a row that was found"): (
        "const { MongoClient } = require('mongodb');\nconst db = new MongoClient('a').db();\n"
        + EXPRESS % "db.collection('a').update(req.body, { where: 1 })",
        "const App = require('../models/app');\n"
        + EXPRESS % "App.findOne({ id: 1 }).update(req.body)",
    ),
    ("python", "the name of an upload as it came, and the one that Django has cut"): (
        "def show(request):\n    open('/srv/' + request.files['a'].filename)\n",
        "def show(request):\n    open('/srv/' + request.FILES['a'].name)\n",
    ),
    ("go", "a value in a condition, and the column of a table's other name"): (
        GO % ("", 'func Find(db *DB, a Filter) { db.Where("p.name = \'" + a.Name + "\'") }'),
        GO % ("", 'func Find(db *DB, a Filter) { db.Where("p." + a.Name + " is null") }'),
    ),
    ("go", "a file of the server, and one that was built into the program"): (
        GO % ('os.ReadFile("a/" + r.URL.Path)', ""),
        GO % ('pages.ReadFile("a/" + r.URL.Path)', "var pages embed.FS"),
    ),
    ("java", "what an object is made of, and what stands beside one that is handed on"): (
        JAVA % "Names.fill(new java.io.FileReader(a), a);",
        JAVA % 'Names.fill(new java.io.FileReader("a"), a);',
    ),
    ("java", "a filter of a directory, and one of paths"): (
        JAVA % "com.unboundid.ldap.sdk.Filter.create(a);",
        JAVA % "org.eclipse.jgit.treewalk.filter.PathFilter.create(a);",
    ),
    ("java", "what an address leads to, and a stream of what was sent"): (
        JAVA % "org.apache.commons.io.IOUtils.toByteArray(new java.net.URL(a));",
        JAVA % "org.apache.commons.io.IOUtils.toByteArray(r.getInputStream());",
    ),
    ("python", "an address that a link may hold, and the page that somebody comes from"): (
        FLASK % ("", "return redirect(request.headers['X-Next'])"),
        FLASK % ("", "return redirect(request.headers['Referer'])"),
    ),
}


@pytest.mark.parametrize(("language", "name"), PAIRS)
def test_a_name_is_a_sink_only_for_what_it_is_of(language: str, name: str) -> None:
    fault, twin = PAIRS[language, name]
    assert count_flows(fault, language) == 1
    assert count_flows(twin, language) == 0
