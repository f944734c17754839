"""What only advises by what a parameter is called, what is read of it, or where its file stands."""

from __future__ import annotations

import pytest

from tests.engine.test_doubts import FLASK, GO, find
from tests.engine.test_hidden_flows import EXPRESS, count_flows
from tests.support.code import added

STATEMENT = (
    "import sqlite3\ndef count(db: sqlite3.Connection, %s):\n"
    "    return db.execute(f\"EXPLAIN SELECT 1 FROM t WHERE a = '{%s}'\")\n"
)
PAGE = (
    "export function show(%s) {\n"
    "  document.getElementById('a').innerHTML = '<b>' + %s.title + '</b>';\n}\n"
)
ALL = (
    "import sqlite3\ndef count(db: sqlite3.Connection, rows):\n    %s\n"
    "    db.execute(f\"SELECT 1 FROM t WHERE a = '{%s}'\")\n"
)
WAY = (
    "import sqlite3\ndef count(db: sqlite3.Connection, row):\n    a = row.name\n    %s\n"
    "    db.execute(f\"SELECT 1 FROM t WHERE a = '{b}'\")\n"
)
COMMAND = "import click, os, web\n@%s\ndef show(name):\n    os.system('ls ' + name)\n"
GO_TOKEN = (
    'package p\nimport ("net/http"; "github.com/golang-jwt/jwt/v5")\n'
    "func read(%s) any {\n\tclaims := &jwt.RegisteredClaims{}\n"
    "\tif %s, _, err := jwt.NewParser().ParseUnverified(raw, claims); err == nil {\n\t\t%s\n\t}\n"
    "\treturn nil\n}\n"
)
GO_CLAIMS = (
    'package p\nimport "github.com/golang-jwt/jwt/v5"\nfunc read(raw string) any {\n'
    "\ttoken, _, err := jwt.NewParser().ParseUnverified(raw, jwt.MapClaims{})\n"
    "\tif err != nil {\n\t\treturn err\n\t}\n"
    '\tclaims, _ := token.Claims.(jwt.MapClaims)\n\treturn claims["%s"]\n}\n'
)
JOSE = (
    'package p\nimport "github.com/go-jose/go-jose/v4/jwt"\nfunc read(raw string) any {\n'
    "\ttoken, _ := jwt.ParseSigned(raw, kinds)\n\tvar claims jwt.Claims\n"
    "\ttoken.UnsafeClaimsWithoutVerification(&claims)\n\t%s\n}\n"
)
VERIFIED = "jwt.ParseWithClaims(raw, claims, find(said))"
LENIENT = "lenient(jwt.NewParser(jwt.WithoutClaimsValidation()).ParseWithClaims(raw, claims, keys))"
JAVA_STATEMENT = (
    "class A { void end(java.sql.Connection db, Job job) throws Exception {\n"
    '  db.createStatement().execute("DELETE FROM jobs WHERE a = " + job.%s()); } }\n'
)
SCRIPT = (
    "const { execSync } = require('child_process');\n"
    "exports.pack = (root) => execSync(`npm pack ${root}`, %s);\n"
)
SPAWN = (
    "const { spawn } = require('child_process');\n"
    "exports.add = (name) => spawn('npx', [`--a=${name}`], { shell: %s });\n"
)
HASHED = (
    "const crypto = require('crypto');\nfunction md5(text) {\n"
    "  return crypto.createHash('md5').update(text).digest('hex');\n}\n"
    "exports.sign = (user, salt, realm, password) => md5(%s);\n"
)
FILTER = (
    "export const find = (people) => async (req, res) => {\n"
    "  const { field, value } = req.body;\n"
    "  res.json(await people.findOne(%s));\n};\n"
)
TOKEN = (
    "import jwt\ndef read(token):\n"
    '    said = jwt.decode(token, options={"verify_signature": False})\n    %s\n'
)

DOUBTS = {
    "a value in a statement, and a piece of one": (
        "app.py",
        STATEMENT % ("name", "name"),
        STATEMENT % ("name_clause", "name_clause"),
    ),
    "a value in a statement, and what sends it": (
        "app.py",
        STATEMENT % ("row", "row.now"),
        STATEMENT % ("row", "db.now"),
    ),
    "a part of what is shown, and the words of a program": (
        "a.js",
        PAGE % ("user", "user"),
        PAGE % ("langStrings", "langStrings"),
    ),
    "a part of what is shown, and what an element has brought along": (
        "a.js",
        PAGE % ("element", "element.user"),
        PAGE % ("element", "element.dataset.user"),
    ),
    "a part of what is shown, and what the page holds as markup": (
        "a.js",
        PAGE % ("element", "element.cells[0]"),
        PAGE % ("element", "element.cells[0].innerHTML"),
    ),
    "a value in a statement, and what its database has answered": (
        "app.py",
        STATEMENT % ("key", "key.rows"),
        STATEMENT % ("key", "db.execute('SELECT a FROM u').fetchone().key"),
    ),
    "a value in a statement, and one for which a number stands": (
        "app.py",
        STATEMENT % ("row, age=None", "age"),
        STATEMENT % ("row, age=18", "age"),
    ),
    "a value in a statement, and the key of a record": (
        "app.py",
        STATEMENT % ("row", "row.id"),
        STATEMENT.replace("'{%s}'", "{%s}") % ("row", "row.id"),
    ),
    "a text that runs later, and the key of a record": (
        "a.js",
        "export const hide = (row) => setTimeout(`show('${row.name}')`, 9);\n",
        "export const hide = (row) => setTimeout(`show('${row.id}')`, 9);\n",
    ),
    "a value in a statement, and one of several": (
        "app.py",
        ALL % ("row = rows", "row.name"),
        ALL % ("for row in rows: pass", "row.name"),
    ),
    "a value in a statement, and what has come a long way": (
        "app.py",
        WAY % "b = a.strip()",
        WAY % "c = a.strip(); d = c.lower(); b = d.title()",
    ),
    "an object in a filter, and the name of a field": (
        "a.js",
        FILTER % "{ name: value }",
        FILTER % "{ [field]: 1 }",
    ),
    "what a filter holds under whatever name, and that name": (
        "a.js",
        FILTER % "Object.fromEntries([[field, value]])",
        FILTER % "Object.fromEntries([[field, 1]])",
    ),
    "a text in markup, and the name of a style": (
        "a.js",
        PAGE.replace("'<b>' + ", "'<b title=\"' + ") % ("row", "row"),
        PAGE.replace("'<b>' + ", "'<b class=\"a ' + ") % ("row", "row"),
    ),
    "a text, and an element that is called so": (
        "a.js",
        PAGE % ("row", "row"),
        PAGE % ("$row", "$row"),
    ),
    "a text of a widget, and one of its language": (
        "a.js",
        PAGE.replace(".title", ".labels.next") % ("row", "row"),
        PAGE.replace(".title", ".oLanguage.next") % ("row", "row"),
    ),
    "a value of a caller, and one of a command line": (
        "app.py",
        COMMAND % "web.parts",
        COMMAND % "click.option('--name')",
    ),
    "a value in a statement, and the key that an object answers": (
        "A.java",
        JAVA_STATEMENT % "getName",
        JAVA_STATEMENT % "getJobId",
    ),
    "a command, and one that talks to the terminal": (
        "a.js",
        SCRIPT % "{ cwd: '/' }",
        SCRIPT % "{ stdio: 'inherit' }",
    ),
    "a command that a shell runs, and one that it runs on Windows": (
        "a.js",
        SPAWN % "true",
        SPAWN % "process.platform === 'win32'",
    ),
    "a value of an address, and one step of the path that was asked for": (
        "a.js",
        EXPRESS % "res.redirect(`/${req.query.id}?done`);",
        EXPRESS % "res.redirect(`/${req.params.id}?done`);",
    ),
    "what a path holds from there on, and one step of it": (
        "a.js",
        EXPRESS % "res.redirect(`/${req.params[0]}`);",
        EXPRESS % "res.redirect(`/${req.params.name}`);",
    ),
    "what a token says, and what its reader warns of": (
        "app.py",
        TOKEN % 'return said["sub"]',
        TOKEN.replace("read(", "read_unverified_claims(") % 'return said["sub"]',
    ),
    "who a token is of, and who issued it": (
        "app.py",
        TOKEN % 'return said["iss"], said["sub"]',
        TOKEN % 'return find_key(said["iss"], said.get("aud"))',
    ),
    "who a token is of, and when it ends": (
        "a.go",
        GO_TOKEN % ("raw string", "_", "return claims.Subject"),
        GO_TOKEN % ("raw string", "_", "return claims.ExpiresAt"),
    ),
    "when a token ends that lets somebody in, and one of the program's own": (
        "a.go",
        GO_TOKEN % ("r *http.Request, raw string", "_", "return claims.ExpiresAt"),
        GO_TOKEN % ("raw string", "_", "return claims.ExpiresAt"),
    ),
    "a token, and one that is verified behind": (
        "a.go",
        GO_TOKEN % ("raw string", "said", "return load(said, raw)"),
        GO_TOKEN % ("raw string", "said", VERIFIED),
    ),
    "an object that is believed, and one whose signature is asked for behind": (
        "a.go",
        JOSE % "return claims.Subject",
        JOSE % "return token.Claims(find(claims), &claims)",
    ),
    "a token that is returned, and one that is verified before": (
        "a.go",
        GO_TOKEN % ("raw string", "said", "if said.Method == nil { return claims }; " + VERIFIED),
        GO_TOKEN % ("raw string", "said", "if said.Method == nil { return nil }; " + VERIFIED),
    ),
    "who a token is of, and when it ends, by its claims": (
        "a.go",
        GO_CLAIMS % "sub",
        GO_CLAIMS % "exp",
    ),
    "a token that may have run out, and one that is asked when it ends": (
        "a.go",
        GO_TOKEN.replace("jwt.NewParser().ParseUnverified(raw, claims)", LENIENT)
        % ("raw string", "_", "return claims.Subject"),
        GO_TOKEN.replace("jwt.NewParser().ParseUnverified(raw, claims)", LENIENT)
        % ("raw string", "_", "return fresh(claims.ExpiresAt, claims.Subject)"),
    ),
    "a token that is handed on, and who issued it": (
        "app.py",
        TOKEN % 'return find_key(said["iss"]), said',
        TOKEN % 'return find_key(said["iss"])',
    ),
}


@pytest.mark.parametrize("name", DOUBTS)
def test_what_is_spoken_for_by_a_name_only_advises(name: str) -> None:
    path, fault, doubtful = DOUBTS[name]
    assert [item.blocks for item in find(added(fault, path))] == [True]
    (finding,) = find(added(doubtful, path))
    assert not finding.blocks
    assert "It only advises: " in finding.message


SHELL = "import os\ndef run(name):\n    os.system('ls ' + name)\n"
VIEW = FLASK % ("", "os.system('ls ' + a)")

PLACES = {
    ("app/run.py", SHELL): True,
    ("app/tools/run.py", SHELL): True,
    ("tools/run.py", SHELL): False,
    (".github/actions/run.py", SHELL): False,
    # Somebody else chooses what a request says, wherever it is read.
    ("tools/run.py", VIEW): True,
    ("devtools/names/run.py", VIEW): False,
    ("app/devtools/run.py", VIEW): True,
    ("mockslack/run.py", "import os\nos.umask(0)\n"): False,
    ("app/run.py", "import os\nos.umask(0)\n"): True,
    ("internal/httpdtest/run.py", VIEW): False,
    ("migratest/run.py", VIEW): False,
    ("releases/latest/run.py", VIEW): True,
    ("contest/run.py", VIEW): True,
    ("internal/testhelpers/run.py", VIEW): False,
    ("features/support/run.py", VIEW): False,
    ("app/features/support/run.py", VIEW): True,
    ("app/latest/run.py", VIEW): True,
    ("app/contest/run.py", VIEW): True,
    ("packages/shop-tests/run.py", VIEW): False,
    ("emulator/run.py", VIEW): False,
    ("app/settings/test.py", VIEW): False,
    ("app/settings/live.py", VIEW): True,
    ("client/testing.py", VIEW): False,
    ("client/contests.py", VIEW): True,
}


@pytest.mark.parametrize(("path", "text"), PLACES)
def test_a_tool_and_a_helper_of_tests_only_advise(path: str, text: str) -> None:
    assert [item.blocks for item in find(added(text, path))] == [PLACES[path, text]]


def test_an_object_in_the_place_of_a_condition_is_no_text() -> None:
    query = GO.replace('"embed"', '"gorm.io/gorm"; "gorm.io/gorm/clause"')
    view = query % ('a := r.FormValue("a"); db.Where(%s).First(&u)', "var db *gorm.DB")
    for fault in ('"a = \'" + a + "\'"', 'clause.Expr{SQL: "a = \'" + a + "\'"}'):
        assert count_flows(view % fault, "go") == 1
    for twin in ("models.User{Name: a}", "&models.User{Name: a}", 'clause.Like{Value: "%" + a}'):
        assert count_flows(view.replace("%s", twin), "go") == 0


def test_a_condition_is_handed_to_a_method_of_a_builder() -> None:
    view = "import { %s } from './model';\nexport const list = (req, res) => %s(req.query.a);\n"
    assert count_flows(view % ("users", "users.where"), "javascript") == 1
    assert count_flows(view % ("where", "where"), "javascript") == 0


def test_an_address_of_a_network_is_no_other_text() -> None:
    view = GO.replace('"embed"', '"net"') % (
        'a := r.FormValue("a"); %s { os.Open("/srv/" + a) }',
        "",
    )
    assert count_flows(view % 'if a != ""', "go") == 1
    assert count_flows(view % "if known := net.ParseIP(a); known != nil", "go") == 0


def test_a_value_that_a_builder_is_given_is_no_statement() -> None:
    view = FLASK.replace("forms", "tables") % ("", "tables.session.execute(%s)")
    assert count_flows(view % '"SELECT \'" + a + "\'"', "python") == 1
    assert count_flows(view % "tables.update(tables.User).values(name=a)", "python") == 0


ORDERS = {
    ("app.py", "open('/srv/' + a)"): 1,
    ("app.py", "open('/srv/' + a) if a < 9 else print()"): 0,
    ("app.py", "print() if a > 9.5 else open('/srv/' + a)"): 0,
    ("app.py", "open('/srv/' + a) if a < 'b' else print()"): 1,
    ("app.py", "open('/srv/' + a) if len(a) < 9 else print()"): 1,
}


@pytest.mark.parametrize(("path", "said"), ORDERS)
def test_what_is_more_or_less_than_a_number_is_one(path: str, said: str) -> None:
    assert len(find(added(FLASK % ("", said), path))) == ORDERS[path, said]


def test_a_package_keeps_nothing_that_its_functions_are_handed() -> None:
    view = GO.replace('"embed"', '"io"') % (
        'a := r.FormValue("a")\n\tio.WriteString(os.Stderr, a)\n\ttext, _ := %s\n\tw.Write(text)',
        "",
    )
    assert count_flows(view % "io.ReadAll(r.Body)", "go") == 1
    assert count_flows(view % 'io.ReadAll(open("page"))', "go") == 0


def test_the_digest_of_http_is_as_it_is_said() -> None:
    salted, asked = "`${salt}${password}`", "`${user}:${realm}:${password}`"
    assert any(item.blocks for item in find(added(HASHED % salted, "a.js")))
    assert not any(item.blocks for item in find(added(HASHED % asked, "a.js")))


def test_a_hash_is_no_secret_by_what_stands_elsewhere_in_its_function() -> None:
    text = (
        "const crypto = require('crypto');\nexport const load = async (page) => {\n"
        "  const hash = crypto.createHash('md5');\n%s\n};\n"
    )
    own = "  hash.update(page.text);\n  show(page.passwordRules);"
    kept = "  hash.update(page.password);"
    assert not find(added(text % own, "a.js"))
    assert any(item.blocks for item in find(added(text % kept, "a.js")))


def test_a_field_that_is_a_function_makes_none_of_a_text() -> None:
    text = (
        "class Panel {\n  public tell: Function;\n"
        "  public run(event: any) { %s(event.data.text); }\n}\n"
    )
    assert count_flows(text % "Function", "typescript") == 1
    assert count_flows(text % "this.tell", "typescript") == 0


def test_a_condition_of_a_builder_is_no_program() -> None:
    view = (
        "import sqlalchemy as sa\nfrom pymongo import MongoClient\ndb = MongoClient().shop\n"
        "def show(db, names):\n    return %s\n"
    )
    assert count_flows(view % "list(db.users.find().where('this.a == ' + names))", "python") == 1
    both = "sa.and_(db.User.id.in_(names), db.User.live == True)"
    assert count_flows(view % f"sa.update(db.User).where({both})", "python") == 0
