"""A value that goes through newer forms of the languages arrives, and its neighbour does not.

The rules are the shipped ones; each form stands beside a twin in which something else is taken.
"""

from __future__ import annotations

import pytest

from tests.engine.test_hidden_flows import count_flows

PYTHON = "import os, shlex\nfrom dataclasses import dataclass\nfrom flask import request\n"
RECORD = "@dataclass\nclass Ping:\n    host: str\n    count: int = 1\n    note: str = ''\n"
VIEW = "def view():\n    a = request.args['a']\n"
JAVA = """
import java.sql.Statement;
import javax.servlet.http.*;
class A extends HttpServlet {
    static final String SQL = "SELECT a FROM b WHERE c = ";
    sealed interface Search permits ByName, ByNumber {}
    record ByName(String name, String other) implements Search {}
    record ByNumber(long number) implements Search {}
    record Held(String kind, ByName name) {}
    Search read(HttpServletRequest r) {
        String name = r.getParameter("a");
        long number = Long.parseLong(r.getParameter("n"));
        return name != null ? new ByName(name, "b") : new ByNumber(number);
    }
    protected void doGet(HttpServletRequest r, Statement db) throws Exception {
        %s
    }
}
"""
GO = """package p

import (
    "iter"
    "net/http"
    "os/exec"
    "slices"
)

type Pair[K comparable, V any] struct {
    Key   K
    Value V
}
type Named[V any] = Pair[string, V]
type Place string

func First[T any](items []T, other T) T {
    if len(items) > 0 {
        return items[0]
    }
    return other
}

func words(r *http.Request) iter.Seq2[string, string] {
    return func(yield func(string, string) bool) {
        for _, word := range r.Form["word"] {
            if !yield("key", word) {
                return
            }
        }
    }
}

func plain(r *http.Request) iter.Seq[string] {
    return func(yield func(string) bool) { yield(r.FormValue("a")) }
}

func Run(w http.ResponseWriter, r *http.Request) {
    %s
}
"""
RUN = 'exec.Command("sh", "-c", "ls "+%s).Run()'

FORMS = {
    "python, a class by keyword": (
        "python",
        PYTHON + RECORD + VIEW + "    match Ping(a, note='b'):\n        case Ping(HOLE=x):\n"
        "            os.system('ls ' + x)\n",
        "host",
        "note",
    ),
    "python, a class by place": (
        "python",
        PYTHON + RECORD + VIEW + "    match Ping(a, note='b'):\n        case Ping(HOLE):\n"
        "            os.system('ls ' + x)\n",
        "x, _, y",
        "y, _, x",
    ),
    "python, a number of a class": (
        "python",
        PYTHON + RECORD + "def view(known: Ping):\n    match known.of(request.args['a']):\n"
        "        case Ping(HOLE):\n            os.system('ls ' + x)\n",
        "x, y",
        "y, x",
    ),
    "python, a mapping": (
        "python",
        PYTHON + VIEW + "    match {'one': a, 'two': 'b'}:\n        case {'HOLE': str(x)}:\n"
        "            os.system('ls ' + x)\n",
        "one",
        "two",
    ),
    "python, a list without brackets": (
        "python",
        PYTHON + VIEW + "    match 'b', a:\n        case HOLE:\n            os.system('ls ' + x)\n",
        "'b', x",
        "x, _",
    ),
    "python, what it is and what it is called": (
        "python",
        PYTHON
        + VIEW
        + "    match a:\n        case HOLE() as x:\n            os.system(f'ls {x}')\n",
        "str",
        "int",
    ),
    "python, a class with its types": (
        "python",
        PYTHON
        + "class Box[T]:\n    def run(self, a, b): os.system('ls ' + a)\n"
        + VIEW
        + "    Box[int]().run(HOLE)\n",
        "a, 'b'",
        "'b', a",
    ),
    "java, a record": (
        "java",
        JAVA
        % "if (read(r) instanceof ByName(String x, String y)) { db.executeQuery(SQL + HOLE); }",
        "x",
        "y",
    ),
    "java, a record in another": (
        "java",
        JAVA % 'Object o = new Held("k", new ByName(r.getParameter("a"), "b"));\n'
        "switch (o) { case Held(var k, ByName(var x, var y)) -> "
        "db.executeQuery(SQL + HOLE); default -> {} }",
        "x",
        "k + y",
    ),
    "java, a number of a record": (
        "java",
        JAVA % "switch (read(r)) { case ByName(var x, var _) -> db.executeQuery(HOLE); "
        "case ByNumber(var n) -> db.executeQuery(SQL + n); default -> {} }",
        "SQL + x",
        "SQL",
    ),
    "go, a function with its types": (
        "go",
        GO % ("a := First[string](HOLE)\n    " + RUN % "a"),
        'r.Form["a"], "b"',
        'nil, "b"',
    ),
    "go, each of a function": (
        "go",
        GO % ("for k, v := range words(r) { " + RUN % "HOLE" + "; _, _ = k, v }"),
        "v",
        'First([]string{"a"}, "b")',
    ),
    "go, all of a function": (
        "go",
        GO % ("all := slices.Collect(HOLE); " + RUN % "all[0]"),
        "plain(r)",
        'slices.Values([]string{"a"})',
    ),
    "go, a type by another name": (
        "go",
        GO % ('one := Named[string]{Key: "k", Value: r.FormValue("a")}; ' + RUN % "one.HOLE"),
        "Value",
        "Key",
    ),
    "go, a text by another name": (
        "go",
        GO % ("one := Place(HOLE); " + RUN % "string(one)"),
        'r.FormValue("a")',
        "SQL",
    ),
}


@pytest.mark.parametrize("name", FORMS)
def test_a_value_arrives_through_newer_forms_and_its_neighbour_does_not(name: str) -> None:
    language, code, faulty, harmless = FORMS[name]
    counts = [count_flows(code.replace("HOLE", part), language) for part in (faulty, harmless)]
    assert counts == [1, 0]
