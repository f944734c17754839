"""How an author would hide a flow from us, or pretend to have made a value fit: all are found.

The rules are the shipped ones. Each fault stands beside an honest twin wherever the disguise has
one, so that nothing is found by finding everything.
"""

from __future__ import annotations

from functools import cache

import pytest

from jurat.engine.flow.analysis import find_flows
from jurat.rules.flows import FlowConstraint, FlowQuestion
from jurat.rules.loader import load_ruleset, read_pack
from jurat.source.syntax import parse


@cache
def list_questions(language: str) -> tuple[FlowQuestion, ...]:
    rules = load_ruleset(read_pack("engineering")).rules.values()
    return tuple(
        constraint.questions[language]
        for rule in rules
        for constraint in rule.constraints
        if isinstance(constraint, FlowConstraint) and language in constraint.questions
    )


def count_flows(code: str, language: str) -> int:
    """Sinks at which something arrives."""
    found = find_flows(parse(code, language).root(), language, list_questions(language)).found
    return len({flow.node.range().start.index for flow in found})


HEAD = """\
import os, re, shlex, subprocess
from flask import request, abort
"""
VIEW = "def view(cur, flag):\n    a = request.args['a']\n"

DISGUISES = {
    # A function that is named like a check or a sanitiser, and is neither.
    "an empty check": "def check_name(v):\n    pass\n"
    + VIEW + "    check_name(a)\n    os.system('ls ' + a)",
    "a check that logs": "def validate_name(v):\n    print(v)\n"
    + VIEW + "    validate_name(a)\n    os.system('ls ' + a)",
    "a check of another argument": "def check_name(v, w):\n    if w not in ('x', 'y'):\n"
    "        raise ValueError\n" + VIEW + "    check_name(a, 'x')\n    os.system('ls ' + a)",
    "a check that always agrees": "def is_valid(v):\n    return True\n"
    + VIEW + "    if not is_valid(a):\n        abort(400)\n    os.system('ls ' + a)",
    "a check that asks of something else": "def is_safe_name(v):\n    return os.name in ('x',)\n"
    + VIEW + "    if not is_safe_name(a):\n        abort(400)\n    os.system('ls ' + a)",
    "a check that catches itself": "def check_name(v):\n    try:\n"
    "        if v not in ('x', 'y'):\n            raise ValueError\n    except ValueError:\n"
    "        pass\n" + VIEW + "    check_name(a)\n    os.system('ls ' + a)",
    "a check with a way round": "def check_name(v, strict=False):\n    if strict and v not in "
    "('x', 'y'):\n        raise ValueError\n" + VIEW
    + "    check_name(a)\n    os.system('ls ' + a)",
    "a check as a method": "class Form:\n    def validate_name(self, v):\n        return True\n"
    + VIEW + "    Form().validate_name(a)\n    os.system('ls ' + a)",
    "a check of an object of the file": "class Form:\n    def validate(self, v):\n        pass\n"
    "form = Form()\n" + VIEW + "    form.validate(a)\n    os.system('ls ' + a)",
    "a check as a lambda": "check_name = lambda v: v\n"
    + VIEW + "    check_name(a)\n    os.system('ls ' + a)",
    "a check inside the function": VIEW + "    def ensure_name(v):\n        return v\n"
    "    ensure_name(a)\n    os.system('ls ' + a)",
    "a check that is a class": "class NameValidator:\n    def __init__(self, v):\n"
    "        self.v = v\n" + VIEW + "    NameValidator(a)\n    os.system('ls ' + a)",
    "a decorated check": "import functools\n@functools.cache\ndef check_name(v):\n    return v\n"
    + VIEW + "    check_name(a)\n    os.system('ls ' + a)",
    "a check defined below": VIEW + "    check_name(a)\n    os.system('ls ' + a)\n"
    "def check_name(v):\n    pass",
    "an own escape": "def escape(v):\n    return v\n" + VIEW
    + "    from flask import make_response\n    return make_response('<p>' + escape(a))",
    "an own sanitize": "def sanitize_name(v):\n    return v.strip()\n"
    + VIEW + "    os.system('ls ' + sanitize_name(a))",
    "an own quote_name": "def quote_name(v):\n    return '\"' + v + '\"'\n"
    + VIEW + "    cur.execute('SELECT * FROM ' + quote_name(a))",
    "an own secure_filename": "def secure_filename(v):\n    return v\n"
    + VIEW + "    return open('x/' + secure_filename(a)).read()",
    "an own sanitiser that recurses": "def sanitize(v, n):\n    if n:\n"
    "        return sanitize(v, n - 1)\n    return v\n"
    + VIEW + "    os.system('ls ' + sanitize(a, 3))",
    # A known name that means something else here.
    "int that is str": "int = str\n" + VIEW + "    os.system(f'kill {int(a)}')",
    "int of the file": "def int(v):\n    return v\n" + VIEW + "    os.system(f'kill {int(a)}')",
    "int as a parameter": "def view(int):\n    a = request.args['a']\n"
    "    os.system(f'kill {int(a)}')",
    "int of elsewhere": "from helpers import int\n" + VIEW + "    os.system(f'kill {int(a)}')",
    "quote put aside": "shlex.quote = lambda v: v\n"
    + VIEW + "    os.system('ls ' + shlex.quote(a))",
    "quote set by its name": "setattr(shlex, 'quote', str)\n"
    + VIEW + "    os.system('ls ' + shlex.quote(a))",
    "quote of elsewhere": "from helpers import quote\nimport helpers as shlex\n"
    + VIEW + "    os.system('ls ' + shlex.quote(a))",
    "an own object of that name": "class shlex:\n    @staticmethod\n    def quote(v):\n"
    "        return v\n" + VIEW + "    os.system('ls ' + shlex.quote(a))",
    "escaping that is for something else": VIEW + "    from flask import make_response\n"
    "    return make_response('<p>' + re.escape(a))",
    "re put aside": "re.fullmatch = lambda *a: True\n" + VIEW
    + "    if not re.fullmatch('[a-z]+', a):\n        abort(400)\n    os.system('ls ' + a)",
    # Made fit, but not what is used.
    "another variable": VIEW + "    b = shlex.quote(a)\n    os.system('ls ' + a)",
    "a quoted part": VIEW + "    os.system('ls ' + shlex.quote(a) + ' ' + a)",
    "a result that nobody takes": VIEW + "    shlex.quote(a)\n    os.system('ls ' + a)",
    "only on one path": VIEW + "    if flag:\n        a = shlex.quote(a)\n"
    "    os.system('ls ' + a)",
    "in a loop that may not run": VIEW + "    for _ in flag:\n        a = shlex.quote(a)\n"
    "    os.system('ls ' + a)",
    "in a try that passes": VIEW + "    try:\n        a = str(int(a))\n    except ValueError:\n"
    "        pass\n    os.system('ls ' + a)",
    "in a try that gives it back": VIEW + "    try:\n        b = int(a)\n"
    "    except ValueError:\n        b = a\n    os.system(f'ls {b}')",
    "a check behind the harm": VIEW + "    os.system('ls ' + a)\n"
    "    if a not in ('x', 'y'):\n        abort(400)",
    "a check without an end": VIEW + "    if a not in ('x', 'y'):\n        print('bad')\n"
    "    os.system('ls ' + a)",
    "a check whose answer is ignored": VIEW + "    re.fullmatch('[a-z]+', a)\n"
    "    os.system('ls ' + a)",
    "a check of another part": VIEW + "    if request.args['b'] not in ('x', 'y'):\n"
    "        abort(400)\n    os.system('ls ' + a)",
    "a check before it was read again": VIEW + "    if a not in ('x', 'y'):\n"
    "        abort(400)\n    a = request.form['b']\n    os.system('ls ' + a)",
    "a check or something else": VIEW + "    if a in ('x', 'y') or flag:\n"
    "        os.system('ls ' + a)",
    "a list of what came": VIEW + "    if a in request.args.getlist('a'):\n"
    "        os.system('ls ' + a)",
    "equal to itself": VIEW + "    if a == request.args['a']:\n        os.system('ls ' + a)",
    "equal to a copy": VIEW + "    b = a\n    if a == b:\n        os.system('ls ' + a)",
    "a pattern that fits all": VIEW + "    if not re.fullmatch('.*', a):\n        abort(400)\n"
    "    os.system('ls ' + a)",
    "a pattern without an end": VIEW + "    if not re.match('[a-z]+', a):\n        abort(400)\n"
    "    os.system('ls ' + a)",
    "an assertion of another": VIEW + "    b = 'x'\n    assert b in ('x', 'y')\n"
    "    os.system('ls ' + a)",
    "in a finally": VIEW + "    try:\n        check()\n    finally:\n        os.system('ls ' + a)",
    # Carried by a way that is not looked at.
    "a default": "def view():\n    a = {}.get('k', request.args['a'])\n    os.system('ls ' + a)",
    "a walrus": "def view():\n    if (a := request.args.get('a')):\n        os.system('ls ' + a)",
    "star arguments": "def run(*parts):\n    os.system(' '.join(parts))\n"
    + VIEW + "    run('ls', a)",
    "a list that is spread": "def run(x, y):\n    os.system(x + y)\n"
    + VIEW + "    parts = ['ls ', a]\n    run(*parts)",
    "a mapping that is spread": "def run(x, y):\n    os.system(x + y)\n"
    + VIEW + "    run(**{'x': 'ls ', 'y': a})",
    "a lambda": "run = lambda c: os.system('ls ' + c)\n" + VIEW + "    run(a)",
    "a lambda in a table": VIEW + "    {'x': lambda c: os.system('ls ' + c)}['x'](a)",
    "a function by another name": VIEW + "    run = os.system\n    run('ls ' + a)",
    "a function from a table": VIEW + "    {'x': os.system}['x']('ls ' + a)",
    "a function in a list": VIEW + "    [os.system][0]('ls ' + a)",
    "getattr": VIEW + "    getattr(os, 'system')('ls ' + a)",
    "getattr in pieces": VIEW + "    getattr(os, 'sys' + 'tem')('ls ' + a)",
    "an import as a call": VIEW + "    __import__('os').system('ls ' + a)",
    "importlib": "import importlib\n" + VIEW
    + "    importlib.import_module('os').system('ls ' + a)",
    "partial": "from functools import partial\n" + VIEW
    + "    run = partial(os.system)\n    run('ls ' + a)",
    "partial with the argument": "from functools import partial\n" + VIEW
    + "    run = partial(os.system, 'ls ' + a)\n    run()",
    "map": VIEW + "    list(map(os.system, ['ls ' + a]))",
    "a nested function": VIEW + "    def run():\n        os.system('ls ' + a)\n    run()",
    "a decorator that runs it": "def run(f):\n    def inner():\n        os.system(f())\n"
    "    return inner\n@run\ndef view():\n    return 'ls ' + request.args['a']",
    "a field of a class": "class Box:\n    pass\n"
    + VIEW + "    Box.a = a\n    os.system('ls ' + Box.a)",
    "a field of an object": "class Box:\n    pass\n"
    + VIEW + "    box = Box()\n    box.a = a\n    os.system('ls ' + box.a)",
    "a property": "class Box:\n    def __init__(self, a):\n        self._a = a\n    @property\n"
    "    def a(self):\n        return self._a\n" + VIEW
    + "    os.system('ls ' + Box(a).a)",
    "a data class": "from dataclasses import dataclass\n@dataclass\nclass Box:\n    a: str\n"
    + VIEW + "    os.system('ls ' + Box(a).a)",
    "a global": "A = ''\ndef keep():\n    global A\n    A = request.args['a']\n"
    "def view():\n    keep()\n    os.system('ls ' + A)",
    "a generator": "def parts():\n    yield 'ls '\n    yield request.args['a']\n"
    "def view():\n    os.system(''.join(parts()))",
    "a call back": "def each(f, v):\n    f(v)\n" + VIEW + "    each(os.system, 'ls ' + a)",
    "bytes and back": VIEW + "    os.system(('ls ' + a).encode().decode())",
    "back to front": VIEW + "    os.system('ls ' + a[::-1][::-1])",
    "character by character": VIEW + "    b = ''\n    for c in a:\n        b += c\n"
    "    os.system('ls ' + b)",
    "a template": "from string import Template\n" + VIEW
    + "    os.system(Template('ls $a').substitute(a=a))",
    "format_map": VIEW + "    os.system('ls {a}'.format_map({'a': a}))",
    "a swap": VIEW + "    b = 'x'\n    a, b = b, a\n    os.system('ls ' + b)",
    "a json round trip": "import json\n" + VIEW
    + "    os.system('ls ' + json.loads(json.dumps({'k': a}))['k'])",
    "a text buffer": "import io\n" + VIEW + "    b = io.StringIO()\n    b.write('ls ')\n"
    "    b.write(a)\n    os.system(b.getvalue())",
    "setdefault": VIEW + "    d = {}\n    d.setdefault('k', a)\n    os.system('ls ' + d['k'])",
    "update": VIEW + "    d = {'k': 'x'}\n    d.update(k=a)\n    os.system('ls ' + d['k'])",
    "a list that is changed elsewhere": "def fill(box, v):\n    box.append(v)\n"
    + VIEW + "    box = ['ls ']\n    fill(box, a)\n    os.system(''.join(box))",
    "an alias of a list": VIEW + "    box = ['ls ']\n    same = box\n    same.append(a)\n"
    "    os.system(''.join(box))",
    "a dictionary that is changed elsewhere": "def fill(box, v):\n    box['k'] = v\n"
    + VIEW + "    box = {'k': 'x'}\n    fill(box, a)\n    os.system('ls ' + box['k'])",
    "an async with": "async def view():\n    async with thing(request.args['a']) as b:\n"
    "        os.system('ls ' + b)",
    "an except clause": VIEW + "    try:\n        raise ValueError(a)\n"
    "    except ValueError as error:\n        os.system('ls ' + str(error))",
    "shell that is spread": VIEW + "    subprocess.run('ls ' + a, **{'shell': True})",
    "shell by a variable": VIEW + "    on = True\n    subprocess.run('ls ' + a, shell=on)",
    "shell by a condition": VIEW + "    subprocess.run('ls ' + a, shell=bool(flag))",
    "shell as a number": VIEW + "    subprocess.run('ls ' + a, shell=1)",
    "a scheme is no host": "import requests\n" + VIEW
    + "    if not a.startswith(('http://', 'https://')):\n        abort(400)\n    requests.get(a)",
    "an ending is no host": "import requests\n" + VIEW
    + "    if not a.endswith('.png'):\n        abort(400)\n    requests.get(a)",
    "put right somewhere else": VIEW + "    b = a\n    if not a.isalnum():\n        a = 'x'\n"
    "    os.system('ls ' + b)",
    "put wrong where it is right": VIEW + "    if a.isalnum():\n        a = request.args['b']\n"
    "    os.system('ls ' + a)",
}  # fmt: skip
HONEST = {
    "a check that raises": "def check_name(v):\n    if v not in ('x', 'y'):\n"
    "        raise ValueError\n" + VIEW + "    check_name(a)\n    os.system('ls ' + a)",
    "a check that asks a pattern": "def is_valid(v):\n"
    "    return re.fullmatch('[a-z]+', v) is not None\n"
    + VIEW + "    if not is_valid(a):\n        abort(400)\n    os.system('ls ' + a)",
    "a check with early returns": "def is_valid(v):\n    if v not in ('x', 'y'):\n"
    "        return False\n    return True\n"
    + VIEW + "    if not is_valid(a):\n        abort(400)\n    os.system('ls ' + a)",
    "a check as a method": "class Form:\n    def validate_name(self, v):\n"
    "        if not v.isalnum():\n            raise ValueError\n"
    + VIEW + "    Form().validate_name(a)\n    os.system('ls ' + a)",
    "a check from elsewhere": "from checks import is_valid_name\n"
    + VIEW + "    if not is_valid_name(a):\n        abort(400)\n    os.system('ls ' + a)",
    "an own escape": "from markupsafe import escape as e\ndef escape(v):\n    return e(v)\n"
    + VIEW + "    from flask import make_response\n    return make_response('<p>' + escape(a))",
    "an own table": "T = {'x': 'y'}\ndef sanitize(v):\n    return T.get(v, 'z')\n"
    + VIEW + "    os.system('ls ' + sanitize(a))",
    "an own replacement": "def clean(v):\n    return re.sub('[^a-z]', '', v)\n"
    + VIEW + "    os.system('ls ' + clean(a))",
    "a check that returns the value": "def need(v):\n    if v not in ('x', 'y'):\n"
    "        raise ValueError\n    return v\n" + VIEW + "    os.system('ls ' + need(a))",
    "a try that ends": VIEW + "    try:\n        b = int(a)\n    except ValueError:\n"
    "        abort(400)\n    os.system(f'ls {b}')",
    "on both paths": VIEW + "    if flag:\n        a = shlex.quote(a)\n    else:\n"
    "        a = 'x'\n    os.system('ls ' + a)",
    "a check called through a name": "def need(v):\n    if v not in ('x', 'y'):\n"
    "        raise ValueError\ncheck = need\n" + VIEW
    + "    check(a)\n    os.system('ls ' + a)",
    "put right where it is wrong": VIEW + "    if not a.isalnum():\n        a = 'x'\n"
    "    os.system('ls ' + a)",
    "the ending of a host": "import requests\nfrom urllib.parse import urlsplit\n" + VIEW
    + "    if not urlsplit(a).hostname.endswith('.example.com'):\n        abort(400)\n"
    "    requests.get(a)",
    "what a file holds": "from pathlib import Path\nfrom flask import make_response\n"
    "from werkzeug.utils import secure_filename\n" + VIEW
    + "    return make_response('<p>' + (Path('x') / secure_filename(a)).read_text())",
    "shell off": VIEW + "    subprocess.run(['ls', a], shell=False)",
    "another list": VIEW + "    box = ['ls ']\n    same = list(box)\n    same.append(a)\n"
    "    os.system(''.join(box))",
    "a swap": VIEW + "    b = 'x'\n    a, b = b, a\n    os.system('ls ' + a)",
}  # fmt: skip

JS_HEAD = """\
const cp = require("child_process");
const { exec } = cp;
const path = require("path");
app.get("/", (req, res) => {
  const a = req.query.a;
"""
JS_DISGUISES = {
    "an empty check": "function validatePath(v) {}\nvalidatePath(a);\nexec('ls ' + a);",
    "a check that always agrees": "const isValid = (v) => true;\nif (!isValid(a)) return;\n"
    "exec('ls ' + a);",
    "an own escape": "const escape = (v) => v;\nres.send('<p>' + escape(a));",
    "an own sanitize": "function sanitize(v) { return v.trim(); }\nexec('ls ' + sanitize(a));",
    "an own Number": "const Number = (v) => v;\nexec(`kill ${Number(a)}`);",
    "Number put aside": "Number.parseInt = (v) => v;\nexec(`kill ${Number.parseInt(a)}`);",
    "path put aside": "path.basename = (v) => v;\nres.sendFile('x/' + path.basename(a));",
    "an own schema": "const z = { parse(v) { return v; } };\nz.parse(a);\nexec('ls ' + a);",
    "the first one only": "db.query('SELECT \\'' + a.replace(\"'\", '') + '\\'');",
    "a pattern without an end": "if (!/[a-z]+/.test(a)) return;\nexec('ls ' + a);",
    "a pattern that fits all": "if (!/^.*$/.test(a)) return;\nexec('ls ' + a);",
    "a pattern with another way": "if (!/^[a-z]+$|x/.test(a)) return;\nexec('ls ' + a);",
    "a test whose answer is ignored": "/^[a-z]+$/.test(a);\nexec('ls ' + a);",
    "a test that warns": "if (!/^[a-z]+$/.test(a)) console.log('bad');\nexec('ls ' + a);",
    "a check behind it": "exec('ls ' + a);\nif (!['x'].includes(a)) return;",
    "another variable": "const b = Number(a);\nexec('ls ' + a);",
    "a template": "exec(`ls ${a}`);",
    "a nested template": "exec(`ls ${`-l ${a}`}`);",
    "a joined list": "exec(['ls', a].join(' '));",
    "concat": "exec('ls '.concat(a));",
    "a spread list": "const run = (x, y) => exec(x + y);\nrun(...['ls ', a]);",
    "bind": "const run = exec.bind(null, 'ls ' + a);\nrun();",
    "call": "exec.call(null, 'ls ' + a);",
    "apply": "exec.apply(null, ['ls ' + a]);",
    "a comma": "(0, exec)('ls ' + a);",
    "by a key": "cp['exec']('ls ' + a);",
    "by a key in pieces": "cp['ex' + 'ec']('ls ' + a);",
    "by a required key": "require('child_process')['exec']('ls ' + a);",
    "a renamed part": "const { exec: run } = require('child_process');\nrun('ls ' + a);",
    "a default": "const { b = req.query.b } = {};\nexec('ls ' + b);",
    "either": "const b = req.query.b || 'x';\nexec('ls ' + b);",
    "neither": "const b = undefined ?? a;\nexec('ls ' + b);",
    "a getter": "class Box { constructor(v) { this.v = v; } get a() { return this.v; } }\n"
    "exec('ls ' + new Box(a).a);",
    "forEach": "['ls ' + a].forEach((c) => exec(c));",
    "forEach by name": "['ls ' + a].forEach(exec);",
    "reduce": "exec(['ls ', a].reduce((x, y) => x + y, ''));",
    "a promise": "Promise.resolve(a).then((v) => exec('ls ' + v));",
    "an immediate function": "((c) => exec(c))('ls ' + a);",
    "a list that is changed": "const box = ['ls '];\nconst fill = (b, v) => { b.push(v); };\n"
    "fill(box, a);\nexec(box.join(''));",
    "an object that is changed": "const box = { k: 'x' };\nObject.assign(box, { k: a });\n"
    "exec('ls ' + box.k);",
    "shell in an object": "const options = { shell: true };\ncp.spawn('ls ' + a, options);",
    "shell that is set": "const options = {};\noptions.shell = true;\n"
    "cp.spawn('ls ' + a, [], options);",
    "shell that is spread": "cp.spawn('ls ' + a, { ...{ shell: true } });",
    "eval by another name": "const run = eval;\nrun(a);",
    "an indirect Function": "new Function('return ' + a)();",
    "a generator": "function* parts() { yield 'ls '; yield a; }\nexec([...parts()].join(''));",
    "an own tag": "const sh = (s, ...v) => 'ls ' + v[0];\nexec(sh`ls ${a}`);",
    "a try that gives it back": "let b;\ntry { b = JSON.parse(a).n; } catch { b = a; }\n"
    "exec('ls ' + b);",
}  # fmt: skip
JS_HONEST = {
    "a number": "exec(`kill ${Number(a)}`);",
    "a pattern": "if (!/^[a-z]+$/.test(a)) return;\nexec('ls ' + a);",
    "an own check": "const ok = (v) => /^[a-z]+$/i.test(v);\nif (!ok(a)) return;\n"
    "exec('ls ' + a);",
    "a pattern with a name": "const NAME = /^[\\w-]+$/;\nif (!NAME.test(a)) return;\n"
    "exec('ls ' + a);",
    "all but letters": "exec('ls ' + a.replace(/[^a-z]/g, ''));",
    "a check from elsewhere": "const { isValidName } = require('./names');\n"
    "if (!isValidName(a)) return;\nexec('ls ' + a);",
    "a match": "const m = a.match(/^[a-z]+$/);\nif (m === null) return;\nexec('ls ' + a);",
    "no shell": "cp.execFile('ls', [a]);",
    "what a file holds": "require('fs').readFile(path.basename(a), (e, text) => {\n"
    "  res.send('<p>' + text); });",
    "an end by the framework": "if (!['x'].includes(a)) ctx.throw(400);\nexec('ls ' + a);",
    "a body that is no page": "ctx.body = load(a);",
    "put right where it is wrong": "let b = a;\nif (!/^[a-z]+$/.test(b)) b = 'x';\n"
    "exec('ls ' + b);",
    "a search of ours": "/^[a-z]+$/.exec('x');\nexec('ls');",
}  # fmt: skip

GO_HEAD = """\
package a
import ("database/sql"; "encoding/json"; "fmt"; "io"; "net/http"; "regexp"; "strings"
"github.com/gin-gonic/gin")
var NAME = regexp.MustCompile(`^[\\w./]+$`)
type form struct { Name string; Count int; Rest string }
func view(w http.ResponseWriter, r *http.Request, c *gin.Context, db *sql.DB) {
"""
GO_DISGUISES = {
    "a text that is built": 'var b strings.Builder\nb.WriteString("SELECT \'")\n'
    'b.WriteString(r.FormValue("a"))\ndb.Query(b.String())',
    "a text that is printed": "b := strings.Builder{}\n"
    'fmt.Fprintf(&b, "SELECT \'%s\'", r.FormValue("a"))\ndb.Query(b.String())',
    "decoded": "var f form\njson.NewDecoder(r.Body).Decode(&f)\nhttp.Get(f.Name)",
    "decoded behind a pointer": "f := &form{}\nb, _ := io.ReadAll(r.Body)\njson.Unmarshal(b, f)\n"
    "http.Get(f.Name)",
    "bound": "var f form\nif err := c.ShouldBindJSON(&f); err != nil { return }\nhttp.Get(f.Name)",
    "bound to a map": 'var m map[string]string\nc.BindJSON(&m)\nhttp.Get(m["a"])',
    "a field": 'f := form{Name: r.FormValue("a"), Rest: "x"}\nhttp.Get(f.Name)',
    "bytes": 'var b []byte = []byte(r.FormValue("a"))\nhttp.Get(string(b))',
    "put right somewhere else": 'a := r.FormValue("a")\nb := a\n'
    'if !strings.HasPrefix(a, "https://x.example/") { a = "https://x.example/" }\nhttp.Get(b)',
    "a request in a context": 'http.Get(c.Request.FormValue("a"))',
}
GO_HONEST = {
    "a text that is built of ours": 'var b strings.Builder\nb.WriteString("SELECT a ")\n'
    'b.WriteString("WHERE b = ?")\ndb.Query(b.String(), r.FormValue("a"))',
    "a pattern of the file": 'a := r.FormValue("a")\nif !NAME.MatchString(a) { return }\n'
    'db.Query("SELECT \'" + a + "\'")',
    "a number that is decoded": "var f form\njson.NewDecoder(r.Body).Decode(&f)\n"
    'db.Query("SELECT * FROM t WHERE n = " + fmt.Sprint(f.Count))',
    "another field": 'f := form{Name: r.FormValue("a"), Rest: "https://x"}\nhttp.Get(f.Rest)',
    "put right where it is wrong": 'a := r.FormValue("a")\n'
    'if !strings.HasPrefix(a, "https://x.example/") { a = "https://x.example/" }\nhttp.Get(a)',
    "looked up": 'rows, _ := db.Query("SELECT a FROM t WHERE b = ?", r.FormValue("b"))\n'
    "var s string\nrows.Scan(&s)\nhttp.Get(s)",
    "what went wrong": "var f form\nif err := json.NewDecoder(r.Body).Decode(&f); err != nil {\n"
    'fmt.Fprintf(w, "<p>%v", err)\n}',
}  # fmt: skip
JAVA_HEAD = """\
import java.io.*; import java.nio.file.*; import java.net.*; import java.util.*;
import javax.servlet.http.*;
class A { void f(String p, boolean n, HttpServletRequest r, HttpServletResponse s)
    throws Exception {
"""
JAVA_DISGUISES = {
    "a text that is built": 'StringBuilder b = new StringBuilder("SELECT a");\n'
    'if (n) { b.append(" WHERE b = \'").append(p).append("\'"); }\ndb.createQuery(b.toString());',
    "words for a shell": 'String[] c = {"sh", "-c", "ls " + p};\nRuntime.getRuntime().exec(c);',
    "a line": 'Runtime.getRuntime().exec("ls " + p);',
    "bytes": 'byte[] b = r.getParameter("a").getBytes();\nnew FileReader(new String(b));',
    "the name of another part": "for (Cookie c : r.getCookies()) {\n"
    'if (!c.getName().equals("a")) { continue; }\nnew FileReader(c.getValue()); }',
    "as a text": 'new FileReader(String.valueOf(r.getParameter("a")));',
    "a scheme is no host": 'String a = r.getParameter("a");\n'
    'if (!a.startsWith("https://")) { return; }\nnew URL(a).openStream();',
}
JAVA_HONEST = {
    "a text that is built of ours": 'StringBuilder b = new StringBuilder("SELECT a");\n'
    'b.append(" WHERE b = ?").append(" AND c = ?");\ndb.createQuery(b.toString(), p);',
    "words for a program": 'String[] c = {"ls", "-l", p};\nRuntime.getRuntime().exec(c);',
    "a file that nobody opens": 'new File(r.getParameter("a")).getName();',
    "put right where it is wrong": 'String a = r.getParameter("a");\n'
    'if (!List.of("x", "y").contains(a)) { a = "x"; }\nnew FileReader(a);',
    "what a file holds": 's.getWriter().println("<p>" + Files.readString('
    'Path.of(r.getParameter("a")).getFileName()));',
    "the part that was checked": "for (Cookie c : r.getCookies()) {\n"
    'if (!c.getName().equals("a")) { continue; }\nnew FileReader(c.getName()); }',
}  # fmt: skip


@pytest.mark.parametrize("name", GO_DISGUISES)
def test_no_disguise_hides_a_flow_in_go(name: str) -> None:
    assert count_flows(GO_HEAD + GO_DISGUISES[name] + "\n}", "go") >= 1


@pytest.mark.parametrize("name", GO_HONEST)
def test_what_is_made_fit_is_no_flow_in_go(name: str) -> None:
    assert count_flows(GO_HEAD + GO_HONEST[name] + "\n}", "go") == 0


@pytest.mark.parametrize("name", JAVA_DISGUISES)
def test_no_disguise_hides_a_flow_in_java(name: str) -> None:
    assert count_flows(JAVA_HEAD + JAVA_DISGUISES[name] + "\n}}", "java") >= 1


@pytest.mark.parametrize("name", JAVA_HONEST)
def test_what_is_made_fit_is_no_flow_in_java(name: str) -> None:
    assert count_flows(JAVA_HEAD + JAVA_HONEST[name] + "\n}}", "java") == 0


@pytest.mark.parametrize("name", JS_DISGUISES)
def test_no_disguise_hides_a_flow_in_javascript(name: str) -> None:
    assert count_flows(JS_HEAD + JS_DISGUISES[name] + "\n});", "javascript") >= 1


@pytest.mark.parametrize("name", JS_HONEST)
def test_what_is_made_fit_is_no_flow_in_javascript(name: str) -> None:
    assert count_flows(JS_HEAD + JS_HONEST[name] + "\n});", "javascript") == 0


@pytest.mark.parametrize("name", DISGUISES)
def test_no_disguise_hides_a_flow(name: str) -> None:
    assert count_flows(HEAD + DISGUISES[name], "python") >= 1


@pytest.mark.parametrize("name", HONEST)
def test_what_is_made_fit_is_no_flow(name: str) -> None:
    assert count_flows(HEAD + HONEST[name], "python") == 0


UNDONE = {
    ("python", "words of a quoted line"): (
        HEAD + VIEW + "    os.system(shlex.split(shlex.quote(a))[0])",
        HEAD + VIEW + "    os.system(shlex.quote(shlex.split(a)[0]))",
    ),
    ("python", "words of a line"): (
        HEAD + VIEW + "    os.system('ls ' + shlex.split(a)[1])",
        HEAD + VIEW + "    subprocess.run(['ls', *shlex.split(a)])",
    ),
    ("python", "words joined again"): (
        HEAD + VIEW + "    os.system(' '.join(shlex.split(a)))",
        HEAD + VIEW + "    os.system(shlex.join(shlex.split(a)))",
    ),
    ("python", "words one by one"): (
        HEAD + VIEW + "    for word in shlex.split(a):\n        os.system('ls ' + word)",
        HEAD + VIEW + "    for word in shlex.split(a):\n        os.system(shlex.quote(word))",
    ),
    ("python", "markup unescaped"): (
        HEAD + "import html\nfrom flask import make_response\n" + VIEW
        + "    return make_response('<p>' + html.unescape(html.escape(a)))",
        HEAD + "import html\nfrom flask import make_response\n" + VIEW
        + "    return make_response('<p>' + html.escape(html.unescape(a)))",
    ),
    ("python", "a file's name unquoted"): (
        HEAD + "from urllib.parse import unquote\n" + VIEW
        + "    return open('/srv/' + unquote(os.path.basename(a))).read()",
        HEAD + "from urllib.parse import unquote\n" + VIEW
        + "    return open('/srv/' + os.path.basename(unquote(a))).read()",
    ),
    ("python", "a literal read again"): (
        HEAD + "import ast\n" + VIEW + "    return eval(ast.literal_eval(repr(a)))",
        HEAD + "import ast\n" + VIEW + "    return eval(repr(a))",
    ),
    ("python", "a number, whatever follows"): (
        HEAD + "from urllib.parse import unquote\n" + VIEW + "    os.system(unquote(a))",
        HEAD + "from urllib.parse import unquote\n" + VIEW + "    os.system(unquote(str(int(a))))",
    ),
    ("python", "what JSON holds is no program"): (
        HEAD + "import json\n" + VIEW + "    return eval(json.loads(a)['rule'])",
        HEAD + "import json\n" + VIEW + "    return json.loads(a)['rule']",
    ),
    ("python", "nor an object of a class of its own"): (
        HEAD + "import json, pickle\n" + VIEW + "    return pickle.loads(json.loads(a)['state'])",
        HEAD + "import json\n" + VIEW + "    return json.loads(a)['state']",
    ),
    ("python", "a value beside a table's name that has begun"): (
        "def f(cur, part):\n    cur.execute(f\"SELECT a FROM log_x WHERE name = 'log_{part}'\")\n",
        "def f(cur, part):\n    cur.execute(f'DROP TABLE log_{part}')\n",
    ),
    ("python", "the values of a row beside the columns of a table"): (
        "def f(cur, row):\n    cur.execute(f'INSERT INTO log VALUES ({row})')\n",
        "def f(cur, columns):\n    cur.execute(f'CREATE TABLE log ({columns})')\n",
    ),
    ("go", "a value beside the name of a database of a test"): (
        "package p\nfunc f(db *sql.DB, suite string) {\n"
        '\tdb.Exec(fmt.Sprintf("SELECT * FROM t WHERE a = \'x-%s\'", suite))\n}\n',
        "package p\nfunc f(db *sql.DB, suite string) {\n"
        '\tdb.Exec(fmt.Sprintf("DROP DATABASE IF EXISTS `x-%s`", suite))\n}\n',
    ),
    ("python", "a name that is decoded behind its check"): (
        HEAD + "from urllib.parse import unquote\n" + VIEW
        + "    if '..' in a or a.startswith('/'):\n        abort(400)\n"
        "    return open('/srv/' + unquote(a)).read()",
        HEAD + "from urllib.parse import unquote\n" + VIEW
        + "    a = unquote(a)\n    if '..' in a or a.startswith('/'):\n        abort(400)\n"
        "    return open('/srv/' + a).read()",
    ),
    ("python", "a name of a list, decoded"): (
        HEAD + "from urllib.parse import unquote\n" + VIEW
        + "    return open('/srv/' + unquote(a)).read()",
        HEAD + "from urllib.parse import unquote\n" + VIEW
        + "    if a not in ('x', 'y'):\n        abort(400)\n"
        "    return open('/srv/' + unquote(a)).read()",
    ),
    ("javascript", "a filter of a model, and a file that exists"): (
        "const { UserModel } = require('./models');\nfunction view(req, res) {\n"
        "  UserModel.exists(req.body);\n}\n",
        "const file = require('./file');\nfunction view(req, res) {\n"
        "  file.exists(req.body.name);\n}\n",
    ),
    ("go", "another host, and ours by TLS"): (
        'package p\nimport "net/http"\nfunc v(w http.ResponseWriter, r *http.Request) {\n'
        '\thttp.Redirect(w, r, "https://"+r.FormValue("host")+r.URL.Path, 301)\n}\n',
        'package p\nimport "net/http"\nfunc v(w http.ResponseWriter, r *http.Request) {\n'
        '\thttp.Redirect(w, r, "https://"+r.Host+r.URL.Path, 301)\n}\n',
    ),
    ("python", "a text, and what a template of ours makes of it"): (
        "from flask import Blueprint, request\nbp = Blueprint('a', __name__)\n"
        "@bp.route('/')\ndef view():\n    return 'Error: ' + request.args['a']\n",
        "from flask import Blueprint, request\nfrom ..helpers import render_template\n"
        "bp = Blueprint('a', __name__)\n"
        "@bp.route('/')\ndef view():\n    return render_template('a.html', a=request.args['a'])\n",
    ),
    ("javascript", "a chain of calls before the answer"): (
        "const app = require('express')();\napp.get('/s', (req, res) => {\n"
        "  res.status(200).set('Expires', '0').send(`<p>${req.query.q}</p>`);\n});\n",
        "const app = require('express')();\nconst _ = require('lodash');\n"
        "app.get('/s', (req, res) => {\n"
        "  res.status(200).set('Cache-Control', 'no-store')"
        ".send(`<p>${_.escape(req.query.q)}</p>`);\n});\n",
    ),
    ("typescript", "a place beside the request's own address"): (
        "import { NextResponse } from 'next/server';\nexport function GET(request: Request) {\n"
        "  const to = new URL(request.url).searchParams.get('to');\n"
        "  return NextResponse.redirect(new URL(to, request.url));\n}\n",
        "import { NextResponse } from 'next/server';\nexport function GET(request: Request) {\n"
        "  return NextResponse.redirect(new URL('/login', request.url));\n}\n",
    ),
    ("javascript", "markup decoded"): (
        "const he = require('he');\nfunction view(req, res) {\n"
        "  res.send('<p>' + he.decode(he.encode(req.query.a)));\n}\n",
        "const he = require('he');\nfunction view(req, res) {\n"
        "  res.send('<p>' + he.encode(he.decode(req.query.a)));\n}\n",
    ),
    ("javascript", "words of a shell's line"): (
        "const { exec } = require('child_process');\n"
        "const { parse, quote } = require('shell-quote');\n"
        "function view(req, res) {\n  exec('ls ' + parse(req.query.a)[0]);\n}\n",
        "const { exec } = require('child_process');\n"
        "const { parse, quote } = require('shell-quote');\n"
        "function view(req, res) {\n  exec('ls ' + quote(parse(req.query.a)));\n}\n",
    ),
    ("javascript", "a program out of JSON"): (
        "function view(req, res) {\n  eval(JSON.parse(req.body.a));\n}\n",
        "function view(req, res) {\n  eval('f(' + JSON.stringify(JSON.parse(req.body.a)));\n}\n",
    ),
    ("go", "markup unescaped"): (
        'package p\nimport ("fmt"; "html"; "net/http")\n'
        "func view(w http.ResponseWriter, r *http.Request) {\n"
        '\tfmt.Fprintf(w, "<p>%s", html.UnescapeString(html.EscapeString(r.FormValue("a"))))\n}\n',
        'package p\nimport ("fmt"; "html"; "net/http")\n'
        "func view(w http.ResponseWriter, r *http.Request) {\n"
        '\tfmt.Fprintf(w, "<p>%s", html.EscapeString(html.UnescapeString(r.FormValue("a"))))\n}\n',
    ),
    ("java", "markup unescaped"): (
        "import javax.servlet.http.*;\nimport org.apache.commons.text.StringEscapeUtils;\n"
        "class A extends HttpServlet {\n"
        "  protected void doGet(HttpServletRequest q, HttpServletResponse s) throws Exception {\n"
        '    s.getWriter().println("<p>" + StringEscapeUtils.unescapeHtml4('
        'StringEscapeUtils.escapeHtml4(q.getParameter("a"))));\n  }\n}\n',
        "import javax.servlet.http.*;\nimport org.apache.commons.text.StringEscapeUtils;\n"
        "class A extends HttpServlet {\n"
        "  protected void doGet(HttpServletRequest q, HttpServletResponse s) throws Exception {\n"
        '    s.getWriter().println("<p>" + StringEscapeUtils.escapeHtml4('
        'StringEscapeUtils.unescapeHtml4(q.getParameter("a"))));\n  }\n}\n',
    ),
}  # fmt: skip
"""By language: a value made fit and unmade again, and the same in the right order."""


DECODED = {
    "a check before": (
        "    if '..' in a or a.startswith('/'):\n        abort(400)\n"
        "    return open('/srv/' + unquote(a)).read()"
    ),
    "a check of its own before": (
        "    if not plain(a):\n        abort(400)\n    name = unquote(a)\n"
        "    return open('/srv/' + name).read()"
    ),
}
CHECKED_DECODED = {
    "a check behind": (
        "    a = unquote(a)\n    if '..' in a or a.startswith('/'):\n        abort(400)\n"
        "    return open('/srv/' + a).read()"
    ),
    "a check before and behind": (
        "    if '..' in a:\n        abort(400)\n    name = unquote(a)\n"
        "    if '..' in name:\n        abort(400)\n    return open('/srv/' + name).read()"
    ),
    "a list of names": (
        "    if a not in ('x%20y', 'z'):\n        abort(400)\n"
        "    return open('/srv/' + unquote(a)).read()"
    ),
    "a host": (
        "    if not a.startswith('https://x.example/'):\n        abort(400)\n"
        "    return requests.get(unquote(a)).text"
    ),
}
DECODED_HEAD = (
    HEAD + "import requests\nfrom urllib.parse import unquote\n"
    "def plain(v):\n    return '..' not in v and not v.startswith('/')\n" + VIEW
)


@pytest.mark.parametrize("name", DECODED)
def test_a_check_says_nothing_of_what_is_decoded_behind_it(name: str) -> None:
    assert count_flows(DECODED_HEAD + DECODED[name], "python") == 1


@pytest.mark.parametrize("name", CHECKED_DECODED)
def test_a_check_of_what_was_decoded_counts(name: str) -> None:
    assert count_flows(DECODED_HEAD + CHECKED_DECODED[name], "python") == 0


ANSWERS = {
    "a page behind a status and a header": (
        "res.status(200).set('Expires', '0').send(`<p>${req.query.a}</p>`);",
        "res.status(200).set('Expires', '0').send(`<p>${escapeHtml(req.query.a)}</p>`);",
    ),
    "a redirect behind a cookie": (
        "res.clearCookie('session').redirect(req.query.next);",
        "res.clearCookie('session').redirect('/' + encodeURIComponent(req.query.next));",
    ),
    "a redirect that is resolved against the request's address": (
        "return NextResponse.redirect(new URL(req.nextUrl.searchParams.get('next'), req.url));",
        "return NextResponse.redirect(new URL('/account', req.url));",
    ),
    "a redirect that is resolved against a part of it": (
        "return NextResponse.redirect(new URL('/x', req.nextUrl.searchParams.get('at')));",
        "return NextResponse.redirect(new URL('/x', req.nextUrl));",
    ),
}
"""In a handler's body: an answer with a fault, and one without."""


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_is_read_through_the_calls_before_it(name: str) -> None:
    head = "import { NextResponse } from 'next/server';\nexport function GET(req, res) {\n"
    found = tuple(count_flows(f"{head}  {body}\n}}\n", "javascript") for body in ANSWERS[name])
    assert found == (1, 0)


UNLIKE_ESCAPES = {
    ("python", "a part of a JSON body in a page"): (
        HEAD + "from flask import make_response\ndef view():\n"
        "    return make_response('<p>' + request.json.get('a'))",
        HEAD + "from flask import make_response, json\ndef view():\n"
        "    return make_response('<p>' + json.dumps(request.json.get('a')))",
    ),
    ("go", "quoted for Go in a shell"): (
        'package p\nimport ("net/http"; "os/exec"; "strconv")\n'
        "func view(w http.ResponseWriter, r *http.Request) {\n"
        '\texec.Command("sh", "-c", "ls " + strconv.Quote(r.FormValue("a"))).Run()\n}\n',
        'package p\nimport ("net/http"; "os/exec"; "github.com/alessio/shellescape")\n'
        "func view(w http.ResponseWriter, r *http.Request) {\n"
        '\texec.Command("sh", "-c", "ls " + shellescape.Quote(r.FormValue("a"))).Run()\n}\n',
    ),
    ("go", "quoted for a pattern in a statement"): (
        'package p\nimport ("net/http"; "database/sql"; "regexp")\n'
        "func view(w http.ResponseWriter, r *http.Request, db *sql.DB) {\n"
        '\tdb.Query("SELECT a FROM t WHERE b\'" + regexp.QuoteMeta(r.FormValue("a")) + "\'")\n}\n',
        'package p\nimport ("net/http"; "database/sql"; "github.com/lib/pq")\n'
        "func view(w http.ResponseWriter, r *http.Request, db *sql.DB) {\n"
        '\tdb.Query("SELECT a FROM t WHERE b = " + pq.QuoteLiteral(r.FormValue("a")))\n}\n',
    ),
    ("java", "escaped for a page in a shell"): (
        JAVA_HEAD + 'String[] c = {"sh", "-c", "ls " + StringEscapeUtils.escapeHtml4('
        'r.getParameter("a"))};\nRuntime.getRuntime().exec(c);\n} }',
        JAVA_HEAD + 'String[] c = {"sh", "-c", "ls " + StringEscapeUtils.escapeXSI('
        'r.getParameter("a"))};\nRuntime.getRuntime().exec(c);\n} }',
    ),
}  # fmt: skip
"""By language: what was made fit for something else, and what was for this."""


EXPRESS = "const app = require('express')();\napp.get('/', (req, res) => {\n  %s\n});\n"
NEXT = (
    "import { NextResponse } from 'next/server';\n"
    "export function GET(request: Request) {\n  return NextResponse.redirect(%s);\n}\n"
)
LOOK_ALIKES = {
    ("javascript", "a path that is cut out of the address"): (
        EXPRESS % "res.redirect(req.url.slice(1));",
        EXPRESS % "res.redirect('/' + encodeURIComponent(req.url));",
    ),
    ("javascript", "an address of which a part is replaced"): (
        EXPRESS % "res.redirect(req.url.replace('/to/', ''));",
        EXPRESS % "res.redirect('https://' + req.hostname + req.url);",
    ),
    ("javascript", "what nobody knows of the address"): (
        EXPRESS % "res.redirect(decodeURIComponent(req.url));",
        EXPRESS % "res.redirect(new URL('/login', req.url));",
    ),
    ("javascript", "an address that is only a path"): (
        EXPRESS % "res.redirect(req.url);",
        EXPRESS % "res.redirect(`https://${req.hostname}${req.url}`);",
    ),
    ("javascript", "a path that a base does not hold"): (
        EXPRESS % "res.redirect(new URL(req.url, 'https://x.example'));",
        EXPRESS % "res.redirect(new URL('/login', `https://${req.hostname}`));",
    ),
    ("javascript", "what nobody knows of the host"): (
        EXPRESS % "res.redirect('https://' + choose(req.hostname));",
        EXPRESS % "res.redirect('https://' + req.hostname);",
    ),
    ("typescript", "a place out of the address, beside the address"): (
        NEXT % "new URL(unescape(request.url), request.url)",
        NEXT % "new URL(choose(), request.url)",
    ),
    ("python", "a value behind a sum"): (
        "def f(cur, v):\n    cur.execute(f'SELECT 1 FROM t WHERE a AND total-{v}')\n",
        "def f(cur, v):\n    cur.execute(f'SELECT 1 FROM total_{v}')\n",
    ),
    ("javascript", "a filter of a model of a folder"): (
        "const User = require('./models/user');\nconst { Post } = require('./models');\n"
        "function view(req, res) {\n  User.exists(req.body);\n}\n",
        "const posts = require('./posts');\n"
        "function view(req, res) {\n  posts.exists(req.body.id);\n}\n",
    ),
}
"""By language: a fault that looks like what is left alone, and that."""

PAIRS = {**UNDONE, **UNLIKE_ESCAPES, **LOOK_ALIKES}


@pytest.mark.parametrize(("language", "name"), PAIRS)
def test_the_fault_of_a_pair_is_found_alone(language: str, name: str) -> None:
    fault, fit = PAIRS[language, name]
    assert (count_flows(fault, language), count_flows(fit, language)) == (1, 0)
