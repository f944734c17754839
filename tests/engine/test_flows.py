"""Values are followed from where they come in to where they do harm: one table, a snippet a row."""

from __future__ import annotations

import pytest

from jurat.engine.flow.analysis import find_flows
from jurat.engine.flow.calls import evaluation
from jurat.engine.flow.found_flows import Flows
from jurat.errors import RuleError
from jurat.rules.flows import FlowConstraint, FlowQuestion, resolve_flow
from jurat.rules.loader import load_ruleset, read_pack
from jurat.rules.rule import RuleFile
from jurat.source.strict_yaml import parse_yaml
from jurat.source.syntax import parse

QUESTION = FlowQuestion(
    sources=("web.request.{args,form}", "@*.route"),
    sinks=("*.execute(0:sql)", "os.system(0:command)", "subprocess.run(0:argv)", "open(0:path)"),
    sanitizers=("int()", "shlex.quote()"),
    guards=("*.isdigit", "re.fullmatch"),
    checks=("uuid.UUID",),
    rejected=("..",),
    carriers=(),
    propagators=(),
    parameters=False,
)
HEAD = "import os, re, shlex, subprocess, uuid\nfrom web import request\n"


def follow(code: str, question: FlowQuestion = QUESTION, language: str = "python") -> Flows:
    return find_flows(parse(code, language).root(), language, [question])


FOUND = {
    "two statements": 'q = f"SELECT {request.args}"\ncur.execute(q)',
    "percent": 'os.system("ls %s" % request.args["a"])',
    "format": 'os.system("ls {}".format(request.args["a"]))',
    "join": 'os.system(" ".join(["ls", request.args["a"]]))',
    "augmented": 'c = "ls "\nc += request.args["a"]\nos.system(c)',
    "an alias": 'from os import system as run\nrun("ls " + request.form["a"])',
    "an unknown callee": 'os.system("ls " + tidy(request.args["a"]))',
    "a dictionary": 'd = {"a": request.args["a"], "b": "x"}\nos.system("ls " + d["a"])',
    "a list that grows": 'c = ["sh"]\nc.append("-c")\nc.append("ls " + request.args["a"])\n'
    "subprocess.run(c)",
    "a list that shrinks": 'c = ["x", request.args["a"]]\nc.pop(0)\nos.system("ls " + c[0])',
    "a loop": 'for n in request.form.keys():\n    if n == q:\n        p = n\nos.system("ls " + p)',
    "a comprehension": 'os.system("ls " + " ".join([f for f in request.form]))',
    "another branch": 'a = request.args["a"]\nif a == "x":\n    pass\nos.system("ls " + a)',
    "a function of the file": 'def run(c):\n    os.system("ls " + c)\nrun(request.args["a"])',
    "what a function returns": "def get():\n    return request.args['a']\nos.system('ls ' + get())",
    "a field": "class A:\n    def __init__(self):\n        self.a = request.args['a']\n"
    "    def b(self):\n        os.system('ls ' + self.a)",
    "a marked function": "@app.route('/')\ndef show(name):\n    os.system('ls ' + name)",
    "after try": "try:\n    a = request.args['a']\nexcept KeyError:\n    a = ''\n"
    "os.system('ls ' + a)",
    "an exception that is passed over": "a = request.args['a']\ntry:\n    a = int(a)\n"
    "except ValueError:\n    pass\nos.system('ls ' + a)",
    "the wrong check": "a = request.args['a']\nif len(a) > 9:\n    raise E\nos.system('ls ' + a)",
    "the wrong side of a check": "a = request.args['a']\nif a in ('x', 'y'):\n    raise E\n"
    "os.system('ls ' + a)",
    "a check of something else": "d = request.args\nif d['a'] not in OK:\n    raise E\n"
    "os.system('ls ' + d['b'])",
    "a condition that holds": "n = 86\na = 'x' if 7 * 18 + n > 300 else request.args['a']\n"
    "os.system('ls ' + a)",
    "a match": "match 'ABC'[0]:\n    case 'A':\n        a = request.args['a']\n    case _:\n"
    "        a = 'x'\nos.system('ls ' + a)",
    "a nested function": "def out():\n    a = request.args['a']\n    def inner():\n"
    "        os.system('ls ' + a)\n    return inner",
    "recursion": "def f(n, a):\n    os.system('ls ' + a)\n    f(n - 1, a)\nf(3, request.args['a'])",
}  # fmt: skip
QUIET = {
    "a parameter of the query": 'cur.execute("SELECT ?", (request.args["a"],))',
    "a constant": 'a = "x"\nos.system("ls " + a)',
    "a number": 'os.system(f"kill {int(request.args[\'a\'])}")',
    "a number's format": 'os.system("kill %d" % request.args["a"])',
    "quoted": 'os.system("ls " + shlex.quote(request.args["a"]))',
    "a list of arguments": 'subprocess.run(["ls", request.args["a"]])',
    "another key": 'd = {"a": request.args["a"], "b": "x"}\nos.system("ls " + d["b"])',
    "overwritten": 'a = request.args["a"]\na = "x"\nos.system("ls " + a)',
    "popped": 'c = ["x", request.args["a"]]\nc.pop()\nos.system("ls " + c[0])',
    "a known list": "a = request.args['a']\nif a not in ('x', 'y'):\n    raise E\n"
    "os.system('ls ' + a)",
    "a known list, the other way": "a = request.args['a']\nif a in OK:\n    os.system('ls ' + a)",
    "a table": "T = {'x': 'y'}\nos.system('ls ' + T[request.args['a']])",
    "a pattern": "a = request.args['a']\nif not re.fullmatch('[a-z]+', a):\n    raise E\n"
    "os.system('ls ' + a)",
    "a check that raises": "a = request.args['a']\nuuid.UUID(a)\nos.system('ls ' + a)",
    "a check in a function": "def ok(v):\n    return v.isdigit()\na = request.args['a']\n"
    "if not ok(a):\n    raise E\nos.system('ls ' + a)",
    "a function that raises": "def need(v):\n    if v not in OK:\n        raise E\n"
    "a = request.args['a']\nneed(a)\nos.system('ls ' + a)",
    "a check by a name": "a = request.args['a']\nok = a in OK\nif not ok:\n    raise E\n"
    "os.system('ls ' + a)",
    "equality": "a = request.args['a']\nif a == 'x':\n    os.system('ls ' + a)",
    "a text it must not have": "a = request.args['a']\nif '..' in a:\n    raise E\nopen(a)",
    "a condition that never holds": "n = 106\na = 'x' if 7 * 18 + n > 200 else request.args['a']\n"
    "os.system('ls ' + a)",
    "a match that never comes": "match 'ABC'[1]:\n    case 'A':\n        a = request.args['a']\n"
    "    case _:\n        a = 'x'\nos.system('ls ' + a)",
    "a number that is tried": "try:\n    a = int(request.args['a'])\nexcept ValueError:\n"
    "    raise\nos.system(f'kill {a}')",
    "a local function of that name": "def run(c):\n    print(c)\nrun(request.args['a'])",
    "a typed parameter": "@app.route('/')\ndef show(number: int):\n    os.system(f'kill {number}')",
    "assert": "a = request.args['a']\nassert a in OK\nos.system('ls ' + a)",
    "continue": "for a in request.form:\n    if a not in OK:\n        continue\n    os.system(a)",
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_a_value_arrives(name: str) -> None:
    assert len(follow(HEAD + FOUND[name]).found) == 1


@pytest.mark.parametrize("name", QUIET)
def test_a_value_that_does_no_harm(name: str) -> None:
    assert follow(HEAD + QUIET[name]).found == ()


OTHER = FlowQuestion(
    sources=("<req>.query", "web.Request.getParameter()", "net/http.Request.FormValue()"),
    sinks=("*.{query,Query}(0:sql)", "run(0:command)"),
    sanitizers=("{Number,Integer.parseInt,strconv.Atoi}()",),
    guards=(),
    checks=(),
    rejected=(),
    carriers=(),
    propagators=(),
    parameters=True,
)
JS = "app.get('/', (req, res) => {\n  const { a, b } = req.query;\n  %s\n});"
JAVA = (
    "import web.Request;\nclass A {\n  Db db;\n  A(Db db) { this.db = db; }\n"
    '  void f(Request r, int n) {\n    String a = r.getParameter("a");\n    %s\n  }\n}'
)
GO = (
    'package a\nimport ("net/http"; "database/sql"; "fmt"; "strconv")\n'
    "type S struct { db *sql.DB }\n"
    'func (s *S) F(w http.ResponseWriter, r *http.Request) {\n  a := r.FormValue("a")\n  %s\n}'
)


@pytest.mark.parametrize(
    ("language", "code", "found"),
    [
        ("javascript", JS % "db.query(`SELECT ${a}`);", 1),
        ("javascript", JS % "db.query(`SELECT ${Number(a)}`);", 0),
        ("javascript", JS % "db.query('SELECT $1', [a]);", 0),
        ("javascript", JS % "if (!OK.has(a)) return;\n  db.query('SELECT ' + a);", 0),
        ("javascript", JS % "if (!OK.has(b)) return;\n  db.query('SELECT ' + a);", 1),
        ("javascript", JS % "load().then(() => { db.query('SELECT ' + a); });", 1),
        ("javascript", JS % "db.query(sql`SELECT ${a}`);", 0),
        ("typescript", "class A { constructor(private db: Db) {}\n f(a: number, b: string) {"
         " this.db.query(`SELECT * FROM t WHERE a = ${a} AND b = '${b}'`); } }", 1),
        ("typescript", "function f(a: number) { db.query(`SELECT '${a}'`); }", 0),
        ("tsx", JS % "db.query('SELECT ' + (a as string));", 1),
        ("java", JAVA % 'db.query("SELECT " + a);', 1),
        ("java", JAVA % 'db.query("SELECT " + Integer.parseInt(a));', 0),
        ("java", JAVA % 'db.query("SELECT \'" + n);', 0),
        ("java", JAVA % 'db.query("SELECT ?", a);', 0),
        ("java", JAVA % 'switch (a) { case "x": db.query("SELECT " + a); break; default: }', 0),
        ("java", JAVA % 'String q = switch (n) { case 1 -> "x"; default -> a; };'
         ' db.query("SELECT " + q);', 1),
        ("java", JAVA % 'if (!OK.contains(a)) throw new E();\n    db.query("SELECT " + a);', 0),
        ("go", GO % 's.db.Query("SELECT " + a)', 1),
        ("go", GO % 's.db.Query(fmt.Sprintf("SELECT %d", a))', 0),
        ("go", GO % 's.db.Query("SELECT ?", a)', 0),
        ("go", GO % 'n, err := strconv.Atoi(a)\n  s.db.Query("SELECT " + fmt.Sprint(n))', 0),
        ("go", GO % 'if _, ok := known[a]; !ok { return }\n  s.db.Query("SELECT " + a)', 0),
        ("go", GO % 'switch a {\n  case "x": s.db.Query("SELECT " + a)\n  default:\n  }', 0),
    ],
)  # fmt: skip
def test_other_languages(language: str, code: str, found: int) -> None:
    assert len(follow(code, OTHER, language).found) == found


def test_the_way_of_a_value() -> None:
    (flow,) = follow(HEAD + 'a = request.args["x"]\nb = f"SELECT {a}"\ncur.execute(b)').found
    assert [step.text() for step in flow.steps] == [
        "request.args",
        'a = request.args["x"]',
        'b = f"SELECT {a}"',
    ]
    assert flow.node.text() == "cur.execute(b)"


BIG = {
    "lines": "def f():\n    a = request.args['a']\n" + "    a = tidy(a)\n" * 5_000,
    "branches": "def f(b):\n    a = request.args['a']\n"
    + "    if b > 1:\n        a = tidy(a)\n" * 2_000,
    "elifs": "def f(b):\n    if b:\n        pass\n" + "    elif b > 1:\n        g()\n" * 2_000,
    "a sum": "a = " + "x + " * 5_000 + "y",
    "brackets": "a = " + "(" * 400 + "1" + ")" * 400,
    "calls": "a = " + "f(" * 400 + "1" + ")" * 400,
    "a chain": "a = b" + ".c()" * 2_000,
    "loops": "".join("    " * n + f"for x{n} in y:\n" for n in range(60)) + "    " * 60 + "g()\n",
    "functions": "".join(f"def f{n}(a):\n    f{n + 1}(f{n + 2}(a))\n" for n in range(500)),
    "recursion": "def f(a):\n    return f(f(a)) + f(a + f(a))\n" * 50,
    "a line": "a = [" + "'x', " * 50_000 + "]",
    "a word": "# " + "x" * 1_000_000 + "\n",
    "a dictionary": "a = {" + "".join(f"'k{n}': x, " for n in range(10_000)) + "}",
    "lists in lists": "a = " + "[" * 2_000 + "1" + "]" * 2_000,
    "replacements": "a = b" + "".join(f".replace('{n}', b)" for n in range(3_000)),
    "arms": "match b:\n" + "".join(f"    case '{n}':\n        a = a + b\n" for n in range(5_000)),
    "texts in texts": "a = " + "f'{" * 150 + "b" + "}'" * 150,
}  # fmt: skip


@pytest.mark.parametrize("name", BIG)
def test_much_code_takes_little_time(name: str) -> None:
    """Nothing here may raise; the suite's own time limit is the bound."""
    follow(HEAD + BIG[name])


BODIES = {
    "lines": "    a = tidy(a);\n" * 5_000,
    "branches": "    if (n > 1) { a = tidy(a); }\n" * 2_000,
    "depth": "if (n > 1) { " * 300 + "a = tidy(a);" + " }" * 300,
    "calls": "    a = " + "tidy(" * 400 + "a" + ")" * 400 + ";\n",
    "a line": '    a = tidy("' + "x" * 1_000_000 + '", a);\n',
    "a long sum": "    a = a" + ' + "x"' * 20_000 + ";\n",
    "arms": "switch (n) {"
    + "".join(f"case {at}: a = tidy(a); break;\n" for at in range(5_000))
    + "}\n",
    "brackets": "    a = " + "(" * 2_000 + "a" + ")" * 2_000 + ";\n",
    "a chain": "    a = a" + ".replace(a, a)" * 3_000 + ";\n",
    "arguments": "    a = tidy(" + "a, " * 10_000 + "a);\n",
}


@pytest.mark.parametrize(("language", "frame"), [("javascript", JS), ("java", JAVA), ("go", GO)])
@pytest.mark.parametrize("name", BODIES)
def test_much_code_of_other_languages_takes_little_time(
    language: str, frame: str, name: str
) -> None:
    """It is followed to its end and found, or named as what was not assessed: never just lost."""
    body = BODIES[name].replace("(n > 1)", "n > 1") if language == "go" else BODIES[name]
    sink = {"go": "s.db.Query", "java": "db.query", "javascript": "db.query"}[language]
    flows = follow(frame % f'{body}\n    {sink}("SELECT " + a);', OTHER, language)
    assert len(flows.found) == 1 or flows.unfollowed


def test_what_is_too_much_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "MOST_STEPS", 50)
    code = "def f():\n" + "    g(h(1))\n" * 20 + "def k():\n    os.system(request.args)\n"
    flows = follow(HEAD + code)
    assert [(one.name, one.first, one.last) for one in flows.unfollowed] == [("f", 2, 22)]
    assert len(flows.found) == 1


def test_a_word_that_no_vocabulary_knows_is_an_error() -> None:
    rule = (
        "version: 1\nrules:\n- id: a\n  statement: b\n  kind: computational\n  modality: MUST\n"
        "  severity: HIGH\n  constraints:\n"
        "  - {type: flow, language: python, sources: [remot], sinks: [sql, 'f(0:sq)']}\n"
    )
    with pytest.raises(RuleError) as raised:
        load_ruleset({**read_pack("engineering"), "own.yml": rule})
    assert raised.value.line == 9
    assert "is no argument of a sink" in str(raised.value)
    with pytest.raises(RuleError, match="did you mean 'remote'"):
        load_ruleset({**read_pack("engineering"), "own.yml": rule.replace(", 'f(0:sq)'", "")})


def test_a_file_of_ones_own_adds_to_the_vocabulary() -> None:
    own = "version: 1\nvocabulary:\n  language: python\n  sanitizers: {sql: ['acme.quote()']}\n"
    rules = load_ruleset({**read_pack("engineering"), "own.yml": own}).rules
    plain = load_ruleset(read_pack("engineering")).rules
    constraint = rules["py.sql-string"].constraints[0]
    assert isinstance(constraint, FlowConstraint)
    question = constraint.questions["python"]
    code = "import acme\ndef f(cur, a):\n    cur.execute('SELECT ' + \"'\" + acme.quote(a))"
    assert follow(code, question).found == ()
    assert rules["py.sql-string"].revision != plain["py.sql-string"].revision
    document = parse_yaml(own, "own.yml", RuleError)
    vocabulary = RuleFile.model_validate(document.data).vocabulary
    assert vocabulary is not None
    assert "acme.quote()" in resolve_flow(constraint, "python", [vocabulary]).sanitizers


@pytest.mark.parametrize(
    "body", ["found = acme.dossier(a)", "found = acme.ask().putArgument('b', a)"]
)
def test_a_lookup_and_a_binder_of_ones_own_hand_nothing_on(body: str) -> None:
    """A key says nothing of what is under it, nor a bound value of what its statement finds."""
    own = "version: 1\nvocabulary: {language: python, lookups: [dossier], binders: [putArgument]}\n"
    code = f"a = request.args['a']\n{body}\ncur.execute('SELECT ' + found)"
    for files, is_found in (({}, True), ({"own.yml": own}, False)):
        rule = load_ruleset({**read_pack("engineering"), **files}).rules["py.sql-string"]
        [constraint] = (one for one in rule.constraints if isinstance(one, FlowConstraint))
        flows = follow(
            f"import acme\nfrom flask import request\n{code}", constraint.questions["python"]
        )
        assert bool(flows.found) is is_found


def test_what_is_left_of_calls_that_are_too_deep_is_named() -> None:
    deep = "".join(
        f"def v{n}():\n    a0_{n}(request.args['x'])\n"
        + "".join(f"def a{d}_{n}(x):\n    a{d + 1}_{n}(x)\n" for d in range(9))
        + f"def a9_{n}(x):\n    os.system(x)\n"
        for n in range(35)
    )
    found = follow(HEAD + deep)
    assert len(found.found) == 30
    assert len({one.name for one in found.unfollowed}) == 5
