"""The names in a file stand for what its imports, assignments and declarations make of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jurat.source.name_bindings import find_kinds
from jurat.source.names import UnresolvedNamesError, bind_names, fits_name
from jurat.source.syntax import parse
from tests.support.growth import LINEAR, measure_growth

CALLS = {
    "python": ("call",),
    "javascript": ("call_expression", "new_expression"),
    "typescript": ("call_expression", "new_expression"),
    "go": ("call_expression",),
    "java": ("method_invocation", "object_creation_expression"),
}

PYTHON = {
    "import": ("import subprocess\nsubprocess.run(1)", "subprocess.run"),
    "alias": ("import subprocess as sp\nsp.run(1)", "subprocess.run"),
    "from": ("from subprocess import run\nrun(1)", "subprocess.run"),
    "from with an alias": ("from subprocess import run as go\ngo(1)", "subprocess.run"),
    "submodule": ("import os.path\nos.system(1)", "os.system"),
    "submodule's alias": ("import xml.etree.ElementTree as E\nE.parse(1)",
                          "xml.etree.ElementTree.parse"),
    "star": ("from os import *\nsystem(1)", "os.system"),
    "two stars": ("from os import *\nfrom a import *\nsystem(1)", None),
    "a star leaves builtins": ("from os import *\neval(1)", "eval"),
    "local import": ("def f():\n    from os import system as s\n    s(1)", "os.system"),
    "relative": ("from .subprocess import run\nrun(1)", ".subprocess.run"),
    "relative to the package": ("from . import run\nrun(1)", ".run"),
    "module-level name": ("import os\nrun = os.system\nrun(1)", "os.system"),
    "name of a name": ("import os\na = os\nb = a.system\nb(1)", "os.system"),
    "last assignment above": ("import os\nrun = print\nrun = os.system\nrun(1)", "os.system"),
    "later assignment": ("import os\nrun = os.system\nrun(1)\nrun = print", "os.system"),
    "pairs": ("import os\na, b = os.system, print\na(1)", "os.system"),
    "walrus": ("import os\nif (f := os.system):\n    f(1)", "os.system"),
    "getattr": ('import os\ngetattr(os, "system")(1)', "os.system"),
    "computed getattr": ("import os\ngetattr(os, name)(1)", None),
    "__import__": ('__import__("os").system(1)', "os.system"),
    "import_module": ('import importlib\nimportlib.import_module("os").system(1)', "os.system"),
    "partial": ("import os, functools\nf = functools.partial(os.system)\nf(1)", "os.system"),
    "builtins": ("import builtins\nbuiltins.eval(1)", "eval"),
    "unbound, as in a diff without its imports": ("subprocess.run(1)", "subprocess.run"),
    "instance": ("import requests\ns = requests.Session()\ns.get(1)", "requests.Session.get"),
    "instance's function": ("import requests\ns = requests.session()\ns.get(1)",
                            "requests.Session.get"),
    "chain": ("import sqlite3\nsqlite3.connect(1).cursor().execute(2)", "sqlite3.Cursor.execute"),
    "what a function returned": ("import a\na.b().c(1)", "a.b().c"),
    "with": ("import requests\nwith requests.Session() as s:\n    s.get(1)",
             "requests.Session.get"),
    "declared parameter": ("from requests import Session\ndef f(s: Session | None):\n    s.get(1)",
                           "requests.Session.get"),
    "declared as a list of them": ("from requests import Session\ndef f(s: list[Session]):\n"
                                   "    s.get(1)", None),
    "attribute": ("import requests\nclass A:\n    def __init__(self):\n"
                  "        self.s = requests.Session()\n    def m(self):\n        self.s.get(1)",
                  "requests.Session.get"),
    "unknown attribute": ("class A:\n    def m(self):\n        self.s.get(1)", None),
    "import that may fail": ("try:\n    import yaml\nexcept ImportError:\n    yaml = None\n"
                             "yaml.load(1)", "yaml.load"),
    "parameter": ("from subprocess import run\ndef f(run):\n    run(1)", None),
    "local function": ("from subprocess import run\ndef run(x): ...\nrun(1)", None),
    "local class": ("class Popen: ...\nPopen(1)", None),
    "comprehension": ("from os import system\n[system(1) for system in x]", None),
    "loop": ("from os import system\nfor system in x:\n    system(1)", None),
    "method beside": ("from os import system\nclass A:\n    def system(self): ...\n"
                      "    def m(self):\n        system(1)", "os.system"),
    "unpacked": ("from os import system\nsystem, *b = x\nsystem(1)", None),
    "bound to itself": ("run = run\nrun(1)", None),
}  # fmt: skip

JAVASCRIPT = {
    "require": ('const cp = require("child_process"); cp.exec(1)', "child_process.exec"),
    "require at once": ('require("child_process").exec(1)', "child_process.exec"),
    "destructured": ('const {exec} = require("child_process"); exec(1)', "child_process.exec"),
    "renamed": ('const {exec: run} = require("child_process"); run(1)', "child_process.exec"),
    "nested": ('const {promises: {readFile: r}} = require("fs"); r(1)', "fs.promises.readFile"),
    "default": ('import cp from "node:child_process"; cp.exec(1)', "child_process.exec"),
    "namespace": ('import * as cp from "child_process"; cp.exec(1)', "child_process.exec"),
    "import renamed": ('import {exec as run} from "child_process"; run(1)', "child_process.exec"),
    "dynamic": ('const m = await import("child_process"); m.exec(1)', "child_process.exec"),
    "assigned": ('const cp = require("child_process"); const f = cp.exec; f(1)',
                 "child_process.exec"),
    "assigned later": ('let f; f = require("child_process").exec; f(1)', "child_process.exec"),
    "promisify": ('const p = require("util").promisify(require("child_process").exec); p(1)',
                  "child_process.exec"),
    "bind": ('const f = require("child_process").exec.bind(null); f(1)', "child_process.exec"),
    "comma": ('import cp from "child_process"; (0, cp.exec)(1)', "child_process.exec"),
    "brackets": ('import cp from "child_process"; cp["exec"](1)', "child_process.exec"),
    "optional": ('import cp from "child_process"; cp?.exec(1)', "child_process.exec"),
    "one module by two names": ('import {readFile} from "fs/promises"; readFile(1)',
                                "fs.promises.readFile"),
    "global": ("eval(1)", "eval"),
    "global object": ("globalThis.eval(1)", "eval"),
    "instance": ('const {Pool} = require("pg"); const p = new Pool(); p.query(1)', "pg.Pool.query"),
    "attribute": ('const {Pool} = require("pg"); class A { constructor() { this.p = new Pool(); } '
                  "m() { this.p.query(1); } }", "pg.Pool.query"),
    "regex": ("const exec = /a/; exec.exec(1)", None),
    "regex at once": ("/a/.exec(1)", None),
    "own function": ("f(1); function f() {}", None),
    "parameter": ('import {exec} from "child_process"; function f(exec) { exec(1); }', None),
    "arrow's parameter": ('import {exec} from "child_process"; const f = exec => exec(1);', None),
    "block": ('import {exec} from "child_process"; { const exec = g; exec(1); }', "g"),
    "outside of the block": ('import {exec} from "child_process"; { const exec = 1; } exec(1)',
                             "child_process.exec"),
    "own module": ('import {exec} from "./child_process"; exec(1)', "./child_process.exec"),
    "caught": ('import {exec} from "child_process"; try {} catch (exec) { exec(1); }', None),
}  # fmt: skip

TYPESCRIPT = {
    "import require": ('import cp = require("child_process"); cp.exec(1)', "child_process.exec"),
    "declared parameter": ('import {Pool} from "pg"; function f(p: Pool) { p.query(1); }',
                           "pg.Pool.query"),
    "declared attribute": ('import {Pool} from "pg"; class A { constructor(private p: Pool) {} '
                           "m() { this.p.query(1); } }", "pg.Pool.query"),
    "declared field": ('import {Pool} from "pg"; class A { p?: Pool; m() { this.p!.query(1); } }',
                       "pg.Pool.query"),
    "own type": ("class Pool {} function f(p: Pool) { p.query(1); }", None),
}  # fmt: skip

GO = {
    "import": ('import "os/exec"\nfunc f() { exec.Command("a") }', "os/exec.Command"),
    "alias": ('import x "os/exec"\nfunc f() { x.Command("a") }', "os/exec.Command"),
    "dot": ('import . "os/exec"\nfunc f() { Command("a") }', "os/exec.Command"),
    "version": ('import "github.com/jackc/pgx/v5"\nfunc f() { pgx.Connect(c) }',
                "github.com/jackc/pgx.Connect"),
    "version behind a dot": ('import "gopkg.in/yaml.v3"\nfunc f() { yaml.Unmarshal(b) }',
                             "gopkg.in/yaml.Unmarshal"),
    "one of two": ('import "crypto/rand"\nfunc f() { rand.Read(b) }', "crypto/rand.Read"),
    "local": ('import "os/exec"\nfunc f() { run := exec.Command\n run("a") }', "os/exec.Command"),
    "returned": ('import "database/sql"\nfunc f() { db, err := sql.Open(x)\n db.Query(y) }',
                 "database/sql.DB.Query"),
    "declared": ('import "net/http"\nfunc f(r *http.Request) { r.FormValue(y) }',
                 "net/http.Request.FormValue"),
    "literal": ('import "net/http"\nfunc f() { c := &http.Client{}\n c.Do(r) }',
                "net/http.Client.Do"),
    "field": ('import "database/sql"\ntype S struct { db *sql.DB }\n'
              "func (s *S) f() { s.db.Query(y) }", "database/sql.DB.Query"),
    "parameter": ('import "os/exec"\nfunc f(exec T) { exec.Command("a") }', "T.Command"),
    "own function": ('import "os/exec"\nfunc Command() {}\nfunc f() { Command() }', None),
    "builtin": ("func f() { panic(x) }", "panic"),
    "without its import": ('func f() { exec.Command("a") }', "os/exec.Command"),
}  # fmt: skip

JAVA = {
    "declared": ("import java.sql.Statement; class A { void f(Statement s) { s.executeQuery(q); }}",
                 "java.sql.Statement.executeQuery"),
    "wildcard": ("import java.sql.*; class A { void f() { Statement s = x; s.executeQuery(q); } }",
                 "java.sql.Statement.executeQuery"),
    "own class": ("import java.sql.*; class Statement {} class A { Statement s; void f() "
                  "{ s.executeQuery(q); } }", None),
    "field": ("import java.sql.Statement; class A { Statement s; void f() { this.s.close(); } }",
              "java.sql.Statement.close"),
    "static": ("import static java.lang.Runtime.getRuntime; class A { void f() "
               "{ getRuntime().exec(a); } }", "java.lang.Runtime.exec"),
    "own method": ("import static java.lang.Runtime.getRuntime; class A { void f() "
                   "{ getRuntime(); } void getRuntime() {} }", None),
    "java.lang": ("class A { void f() { Runtime.getRuntime().exec(a); } }",
                  "java.lang.Runtime.exec"),
    "in full": ("class A { void f() { java.lang.Runtime.getRuntime().exec(a); } }",
                "java.lang.Runtime.exec"),
    "new": ("import java.util.*; class A { Object f() { return new Random(); } }",
            "java.util.Random"),
    "var": ("import java.util.Random; class A { void f() { var r = new Random(); r.nextInt(); } }",
            "java.util.Random.nextInt"),
    "factory": ("import java.security.*; class A { void f() { MessageDigest.getInstance(x)"
                ".digest(); } }", "java.security.MessageDigest.digest"),
    "cast": ("import java.sql.Statement; class A { void f() { ((Statement) x).close(); } }",
             "java.sql.Statement.close"),
    "lambda": ("import java.sql.Statement; class A { Statement s; void f() "
               "{ g(s -> s.close()); } }", None),
}  # fmt: skip

CASES = [
    pytest.param(language, code, expected, id=f"{language}: {name}")
    for language, cases in (
        ("python", PYTHON),
        ("javascript", JAVASCRIPT),
        ("typescript", TYPESCRIPT),
        ("go", GO),
        ("java", JAVA),
    )
    for name, (code, expected) in cases.items()
]


def list_names(language: str, code: str) -> list[str | None]:
    """The names of the calls that have an argument, or of all where none has."""
    root = parse(code, language).root()
    names = bind_names(root, language)
    return [names.qualify(node) for node in find_kinds(root, CALLS[language])]


@pytest.mark.parametrize(("language", "code", "expected"), CASES)
def test_name_of_a_call(language: str, code: str, expected: str | None) -> None:
    found = list_names(language, code)
    if expected is None:
        assert None in found
    else:
        assert expected in found


def test_found_are_all_expressions_of_a_name_and_no_others() -> None:
    code = (
        "import subprocess as sp\nfrom subprocess import run\n\n"
        "go = sp.run\ngo(1)\nsp.run(2)\nrun(3)\nf(run=4)\nx.run(5)\nmap(run, x)\n"
        "def g(run):\n    run(6)\n"
    )
    names = bind_names(parse(code, "python").root(), "python")
    calls = [node.text() for node in names.find(["subprocess.run"]) if node.kind() == "call"]
    assert sorted(calls) == ["go(1)", "run(3)", "sp.run(2)"]
    others = [node.text() for node in names.find(["subprocess.*"]) if node.kind() != "call"]
    # The right side of the assignment, the three callees, the argument of map, and go where it is
    # bound; an import's own words are names as well.
    assert {"sp.run", "run", "go"} == set(others)


@pytest.mark.parametrize(
    ("said", "name", "expected"),
    [
        ("subprocess.run", "subprocess.run", True),
        ("subprocess.run", ".subprocess.run", False),
        ("subprocess.*", "subprocess.run", True),
        ("subprocess.*", "subprocess.Popen.wait", False),
        ("subprocess.**", "subprocess.Popen.wait", True),
        ("exec.Command", "os/exec.Command", True),
        ("exec.Command*", "os/exec.CommandContext", True),
        ("os/exec.Command", "os/exec.Command", True),
        ("math/rand.Read", "crypto/rand.Read", False),
        ("child_process.exec", "./child_process.exec", False),
        ("eval", "model.eval", False),
        ("*.execute", "sqlite3.execute", True),
        ("**.execute", "sqlite3.Cursor.execute", True),
    ],
)
def test_what_a_rule_says(said: str, name: str, expected: bool) -> None:
    assert fits_name(said, name) is expected


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("python", "run = sp.run\n" * 500),
        ("python", "x" + "\\\n.y()" * 500),
        ("python", "\n".join(f"a{at + 1} = a{at}" for at in range(500))),
        ("python", "def f():\n x = x.y\n x()\n" * 200),
        ("javascript", "{\n" * 500 + "}" * 500),
        ("javascript", "let f = " + "(\n" * 500 + ")" * 500),
    ],
)
def test_twice_the_code_takes_twice_the_time(language: str, code: str) -> None:
    def prepare(size: int) -> Callable[[], object]:
        root = parse("\n".join([code] * size), language).root()
        return lambda: bind_names(root, language).find(["subprocess.**"])

    assert measure_growth(prepare, 1) < LINEAR


def test_a_line_without_an_end_is_not_resolved() -> None:
    root = parse("a.b(c);" * 20_000, "javascript").root()
    with pytest.raises(UnresolvedNamesError, match="lines are too long"):
        bind_names(root, "javascript")


@pytest.mark.parametrize("code", ["[" * 3_000 + "a" + "]" * 3_000 + " = b\n", "f(" * 3_000])
@pytest.mark.parametrize("language", ["python", "javascript"])
def test_deep_nesting_ends(language: str, code: str) -> None:
    root = parse(code, language).root()
    try:
        bind_names(root, language).find(["eval", "**"])
    except UnresolvedNamesError as error:
        assert "nested too deeply" in str(error)  # noqa: PT017 - either is an end
