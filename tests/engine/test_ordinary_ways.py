"""A value that goes through what ordinary code has arrives, and what goes beside it does not."""

from __future__ import annotations

import pytest

from tests.engine.test_hidden_flows import count_flows

PYTHON = """\
import functools, io, os
from html import escape
from flask import Flask, Response, request
app = Flask(__name__)
"""
EXPRESS = """\
import express from "express";
import { exec, execFile } from "child_process";
const app = express();
"""
SERVLET = """
import java.util.*;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import javax.servlet.http.*;
class A extends HttpServlet {
    %s
    protected void doGet(HttpServletRequest r, HttpServletResponse s) throws Exception {
        String a = r.getParameter("a");
        %s
    }
}
"""
RUN = 'Runtime.getRuntime().exec(new String[] {"sh", "-c", %s});'
GO = """package p

import (
    "context"
    "database/sql"
    "net/http"
    "os"
)

type key struct{}

%s
"""

WAYS = {
    "python, a mapping that is spread": (
        "python",
        PYTHON + "def run(*, name, text):\n    os.system('ls ' + HOLE)\n"
        "@app.get('/')\ndef view():\n    options = {'text': 'b'}\n"
        "    options.update(name=request.args['a'])\n    run(**options)\n",
        "name",
        "text",
    ),
    "python, what is printed into a text": (
        "python",
        PYTHON + "@app.get('/')\ndef view():\n    out = io.StringIO()\n"
        "    print('ls', HOLE, file=out)\n    os.system(out.getvalue())\n",
        "request.args['a']",
        "len(request.args['a'])",
    ),
    "python, what a list is folded into": (
        "python",
        PYTHON + "@app.get('/')\ndef view():\n    names = request.args.getlist('a')\n"
        "    os.system(functools.reduce(lambda all, one: all + HOLE, names, 'ls '))\n",
        "one",
        "'x'",
    ),
    "python, the place of each": (
        "python",
        PYTHON + "@app.get('/')\ndef view():\n"
        "    for place, one in enumerate(request.args.getlist('a'), 1):\n"
        "        os.system(f'ls {HOLE}')\n",
        "one",
        "place",
    ),
    "python, a template whose parts are taken": (
        "python",
        PYTHON + "def render(page):\n    made = []\n    for one in page:\n"
        "        match one:\n            case str():\n                made.append(one)\n"
        "            case Interpolation(value):\n                made.append(HOLE)\n"
        "    return ''.join(made)\n@app.get('/')\ndef view():\n"
        "    return Response(render(t\"<p>{request.args['a']}</p>\"), mimetype='text/html')\n",
        "value",
        "escape(value)",
    ),
    "python, a template for a library": (
        "python",
        PYTHON + "import psycopg\n@app.get('/')\ndef view():\n    a = request.args['a']\n"
        "    psycopg.connect('').execute(HOLE\"SELECT b FROM c WHERE d = {a}\")\n",
        "f",
        "t",
    ),
    "python, a body of a type": (
        "python",
        PYTHON + "@app.get('/')\ndef view():\n"
        "    return '<p>' + request.args['a'], {'Content-Type': 'text/HOLE'}\n",
        "html",
        "plain",
    ),
    "javascript, what a list is folded into": (
        "typescript",
        EXPRESS + 'app.post("/", (req, res) => {\n'
        "  const all = req.body.names.reduce((done, one) => [...done, one], [HOLE]);\n"
        '  execFile("sh", all);\n});\n',
        '"-c"',
        '"script.sh", "--"',
    ),
    "javascript, either of two functions": (
        "typescript",
        EXPRESS + 'const ways = new Map([["a", (t) => HOLE], ["b", (t) => "ls"]]);\n'
        'app.get("/", (req, res) => {\n'
        '  const way = ways.get("b") ?? ways.get("a");\n'
        "  exec(way(req.query.a));\n});\n",
        "t",
        '"x"',
    ),
    "javascript, a field that is a function": (
        "typescript",
        EXPRESS + "class Files {\n  handler = (req, res) => this.#run(HOLE);\n"
        "  #run(name: string) { exec(`ls ${name}`); }\n}\n"
        'app.get("/", new Files().handler);\n',
        "req.query.a as string",
        '"b"',
    ),
    "typescript, what a class inherits": (
        "typescript",
        EXPRESS + "abstract class Task implements Runs {\n"
        "  constructor(protected readonly name: string) {}\n"
        "  abstract get line(): string;\n  run() { exec(this.line); }\n}\n"
        "class Listing extends Task implements Runs {\n"
        "  get line(): string { return `ls ${HOLE}`; }\n}\n"
        'app.get("/", (req, res) => new Listing(req.query.a as string).run());\n',
        "this.name",
        '"b"',
    ),
    "javascript, functions that are put behind each other": (
        "typescript",
        EXPRESS + "const all = (...steps) => (text) => steps.reduce((t, step) => step(t), text);\n"
        "const run = all((text) => HOLE, (text) => `ls ${text}`);\n"
        'app.get("/", (req, res) => exec(run(req.query.a)));\n',
        "text.trim()",
        "text.length",
    ),
    "javascript, lists that are put together": (
        "typescript",
        EXPRESS + 'app.get("/", (req, res) => {\n  const line = ["<p>"];\n'
        '  line.push(HOLE);\n  res.send(line.concat("</p>").join(""));\n});\n',
        "req.query.a",
        '"b"',
    ),
    "java, what was promised is made another": (
        "java",
        SERVLET % ("", "CompletableFuture.completedFuture(a).thenApply(x -> HOLE)"
                   ".thenAccept(x -> { try { " + RUN % "x" + " } catch (Exception e) {} });"),
        "x",
        '"ls"',
    ),
    "java, a constructor that is handed on": (
        "java",
        SERVLET
        % (
            "record Part(String text) { String kind() { return \"b\"; } }",
            "Function<String, Part> make = Part::new; var p = make.apply(a); " + RUN % "p.HOLE()",
        ),
        "text",
        "kind",
    ),
    "java, a record's own constructor": (
        "java",
        SERVLET % ("record Step(String program, List<String> words) {\n"
                   "Step(String program, String... words) { this(program, List.of(words)); } }",
                   'var step = new Step("sh", "-c", "b", HOLE); ' + RUN % "step.words().get(2)"),
        "a",
        '"c"',
    ),
    "java, what a record makes of its parts": (
        "java",
        SERVLET % ('record Wanted(String name) { Wanted { name = HOLE; } }',
                   RUN % "new Wanted(a).name()"),
        "name.strip()",
        '"b"',
    ),
    "java, statements before the constructor above": (
        "java",
        SERVLET % ("static class Target { final String at; Target(String at) { this.at = at; } }\n"
                   "static class Own extends Target {\nOwn(String name) {\n"
                   "if (name == null) { throw new Error(); }\nvar at = HOLE;\nsuper(at); } }",
                   RUN % "new Own(a).at"),
        "name",
        '"b"',
    ),
    "java, bytes that were encoded": (
        "java",
        SERVLET % ("", "byte[] b = Base64.getEncoder().encode(HOLE.getBytes()); "
                   + RUN % "new String(Base64.getDecoder().decode(b))"),
        "a",
        '"b"',
    ),
    "go, what goes along with a request": (
        "go",
        GO % """func show(w http.ResponseWriter, r *http.Request) {
    name, _ := r.Context().Value(key{}).(string)
    os.ReadFile("/srv/" + name)
}

func with(next http.Handler) http.Handler {
    return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
        ctx := context.WithValue(r.Context(), key{}, HOLE)
        next.ServeHTTP(w, r.WithContext(ctx))
    })
}

func Routes(mux *http.ServeMux) { mux.Handle("/", with(http.HandlerFunc(show))) }
""",
        'r.FormValue("a")',
        '"b"',
    ),
    "go, bytes behind each other": (
        "go",
        GO % """func run(db *sql.DB, r *http.Request) {
    line := []byte("SELECT a FROM b WHERE c = '")
    line = append(line, HOLE...)
    db.Query(string(append(line, "'"...)))
}
""",
        'r.FormValue("a")',
        '"b"',
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WAYS)
def test_a_value_arrives_and_what_goes_beside_it_does_not(name: str) -> None:
    language, code, faulty, harmless = WAYS[name]
    counts = [count_flows(code.replace("HOLE", part), language) for part in (faulty, harmless)]
    assert counts == [1, 0]
