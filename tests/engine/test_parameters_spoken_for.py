"""What only advises by what a parameter is called, what is read of it, or where its file stands."""

from __future__ import annotations

import pytest

from tests.engine.test_doubts import FLASK, GO, find
from tests.engine.test_hidden_flows import count_flows
from tests.support.code import added

STATEMENT = (
    "import sqlite3\ndef count(db: sqlite3.Connection, %s):\n"
    "    return db.execute(f\"EXPLAIN SELECT 1 FROM t WHERE a = '{%s}'\")\n"
)
PAGE = (
    "export function show(%s) {\n"
    "  document.getElementById('a').innerHTML = '<b>' + %s.title + '</b>';\n}\n"
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
    "a part of what is shown, and the words that an element brings": (
        "a.js",
        PAGE % ("element", "element.dataset.user"),
        PAGE % ("element", "JSON.parse(element.dataset.i18n)"),
    ),
    "who a token is of, and who issued it": (
        "app.py",
        TOKEN % 'return said["iss"], said["sub"]',
        TOKEN % 'return find_key(said["iss"], said.get("aud"))',
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
    ("internal/httpdtest/run.py", VIEW): False,
    ("internal/testhelpers/run.py", VIEW): False,
    ("app/latest/run.py", VIEW): True,
    ("app/contest/run.py", VIEW): True,
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


def test_a_value_that_a_builder_is_given_is_no_statement() -> None:
    view = FLASK.replace("forms", "tables") % ("", "tables.session.execute(%s)")
    assert count_flows(view % '"SELECT \'" + a + "\'"', "python") == 1
    assert count_flows(view % "tables.update(tables.User).values(name=a)", "python") == 0
