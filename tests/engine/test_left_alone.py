"""What was read in the code of real projects and is no fault, beside a fault that looks like it."""

from __future__ import annotations

import pytest

from tests.engine.test_hidden_flows import EXPRESS, HEAD, count_flows

GO = "package p\nfunc f(db *sql.DB, v string) {\n\tdb.Exec(%s)\n}\n"

GORM = 'package p\nimport "gorm.io/gorm"\nfunc f(db *gorm.DB, v string) {\n\t%s\n}\n'
ROUTER = (
    "import { useRouter } from 'next/router';\nexport function Show() {\n"
    "  const router = useRouter();\n  const go = () => {\n    %s\n  };\n"
    "  return <a onClick={go} />;\n}\n"
)
FORWARD = (
    "import org.springframework.web.bind.annotation.*;\n"
    "import org.springframework.web.util.UriComponentsBuilder;\nclass A {\n"
    '  @GetMapping("/a") String go(@RequestParam String to) {\n'
    '    return "redirect:" + UriComponentsBuilder.%s.build();\n  }\n}\n'
)

VIEWED = (
    "import com.acme.Pages;\nimport org.springframework.web.bind.annotation.*;\nclass A {\n"
    '  private Pages pages;\n  @GetMapping("/a") String go(@RequestParam String to) {\n'
    '    return "redirect:" + %s;\n  }\n}\n'
)
OPENED = (
    "import java.net.*;\nimport javax.servlet.http.*;\nclass A extends HttpServlet {\n"
    "  protected void doGet(HttpServletRequest r, HttpServletResponse s) throws Exception {\n"
    '    new %s(r.getParameter("a"), 80);\n  }\n}\n'
)
SENT = (
    "import com.acme.Names;\nimport javax.servlet.http.*;\nclass A extends HttpServlet {\n"
    "  protected void doGet(HttpServletRequest r, HttpServletResponse s) throws Exception {\n"
    "    s.sendRedirect(Names.%s);\n  }\n}\n"
)
LINKED = (
    'package p\nimport ("html/template"; "net/http")\n'
    "func view(w http.ResponseWriter, r *http.Request) {\n\tshow(template.URL(%s))\n}\n"
)

ROUTED = (
    "from flask import Flask\napp = Flask('a')\n@app.route('/x/%s')\n"
    "def view(name):\n    return 'Nothing of ' + %s\n"
)
FETCHED = (
    HEAD + "import requests, settings\nfrom urllib.parse import urlunsplit\n"
    "def view():\n    requests.get(urlunsplit(%s))\n"
)

STATEMENTS = {
    ("python", "a statement that takes no parameters"): (
        "def f(cur, v):\n    cur.execute(f\"UPDATE t SET a = '{v}'\")\n",
        "def f(cur, v):\n    cur.execute(f\"SET lock_timeout = '{v}'\")\n",
    ),
    ("python", "a column of a row to be written"): (
        "def f(cur, v):\n    cur.execute(f\"INSERT INTO t (a, b) VALUES (1, '{v}')\")\n",
        "def f(cur, v):\n    cur.execute(f'INSERT INTO t (a, {v}) VALUES (1, 2)')\n",
    ),
    ("python", "a condition as a whole"): (
        "def f(cur, v):\n    cur.execute(f\"SELECT a FROM t WHERE (a = '{v}')\")\n",
        "def f(cur, v):\n    cur.execute(f'SELECT a FROM t WHERE ({v})')\n",
    ),
    ("python", "a table of the program's own, asked for by its name"): (
        "def f(cur, o):\n    cur.execute(f\"SELECT 1 FROM t WHERE n = 'x_{o.label}'\")\n",
        "def f(cur, o):\n    cur.execute(f\"SELECT 1 FROM t WHERE n = 'x_{o._meta.db_table}'\")\n",
    ),
    ("python", "such a name that a request brings"): (
        HEAD + "def f(cur):\n    table_name = request.args['table_name']\n"
        "    cur.execute(f\"SELECT 1 FROM t WHERE name = '{table_name}'\")\n",
        "def f(cur, table_name):\n"
        "    cur.execute(f\"SELECT 1 FROM t WHERE name = '{table_name}'\")\n",
    ),
    ("python", "a text as a literal of SQL"): (
        "from db import literally\n"
        "def f(cur, v):\n    cur.execute(f'SELECT 1 FROM t WHERE a = {literally(v)}')\n",
        "from db import literal_string\n"
        "def f(cur, v):\n    cur.execute(f'SELECT 1 FROM t WHERE a = {literal_string(v)}')\n",
    ),
    ("javascript", "a column that a list is ordered by"): (
        "function f(db, v) {\n  db.query(`SELECT z.\"a\" FROM z WHERE z.\"b\" = ${v}`);\n}\n",
        "function f(db, v) {\n"
        "  db.query(`SELECT z.\"a\" FROM z ORDER BY z.\"b\" ${v}, z.\"c\" ${v}`);\n}\n",
    ),
    ("javascript", "a query that is no statement"): (
        EXPRESS % "pool.query(req.body.q);",
        EXPRESS % "helpers.query(req.body.q);",
    ),
    ("go", "a place that a transaction marks"): (
        GORM % 'db.Exec("DELETE FROM t WHERE a = " + v)',
        GORM % 'db.Exec("SAVEPOINT " + v)',
    ),
    ("go", "a place that a transaction goes back to"): (
        GORM % 'db.Exec("DELETE FROM t WHERE a = " + v)',
        GORM % 'db.Exec("ROLLBACK TO SAVEPOINT " + v)',
    ),
    ("go", "a database's name"): (
        GO % '"DELETE FROM t WHERE a = x-" + v',
        GO % '"CREATE DATABASE x-" + v',
    ),
}  # fmt: skip
"""By language: a value in a statement's text, and what no parameter could hold."""

COMMANDS = {
    ("python", "a command that a caller hands over as a whole"): (
        "import os\ndef f(name):\n    os.system('rm ' + name)\n",
        "import os\ndef f(command):\n    os.system(command)\n",
    ),
    ("python", "such a command that a request brings"): (
        HEAD + "def f():\n    os.system(request.args['a'])\n",
        HEAD + "def f(command):\n    os.system(command)\n",
    ),
    ("python", "settings of a program that may be no shell"): (
        "import subprocess\ndef f(shell, v):\n    subprocess.run([shell, '-c', v])\n",
        "import subprocess\ndef f(nginx, v):\n    subprocess.run([nginx, '-c', v])\n",
    ),
    ("python", "a name of the file that another function sets"): (
        HEAD + "def f():\n    os.system('ls ' + place)\n"
        "def g():\n    global size, place\n    place = request.args['a']\n",
        HEAD + "def f():\n    os.system('ls ' + place)\n"
        "def g():\n    place = request.args['a']\n    return place\n",
    ),
    ("javascript", "a name that nobody declares, and another function sets"): (
        EXPRESS % "place = req.query.a;"
        + "app.get('/b', (q, s) => { require('child_process').exec('ls ' + place); });\n",
        EXPRESS % "const place = req.query.a;"
        + "app.get('/b', (q, s) => { require('child_process').exec('ls ' + place); });\n",
    ),
    ("python", "the program's own place"): (
        "import os\ndef f(place):\n    os.system('ls ' + place)\n",
        "import os\ndef f():\n    os.system('ls ' + __file__)\n",
    ),
}
"""By language: a part of a command, and a command that somebody else has put together."""

ADDRESSES = {
    ("java", "a class that is called as a socket is"): (
        OPENED % "Socket",
        OPENED % "NotebookSocket",
    ),
    ("java", "what a service makes of a request"): (
        SENT % 'wrap(r).getParameter("b")',
        SENT % "find(r).getTarget()",
    ),
    ("go", "how an address begins that a template writes"): (
        LINKED % 'r.FormValue("a")',
        LINKED % '"?a=" + r.FormValue("a")',
    ),
    ("java", "the query of an address that is put together"): (
        FORWARD % 'fromHttpUrl(to).queryParam("a", 1)',
        FORWARD % 'fromHttpUrl("https://a.example").queryParam("a", to)',
    ),
    ("java", "what a view leads to that an object of another file says"): (
        VIEWED % "to.trim()",
        VIEWED % "pages.read(to).getLink()",
    ),
    ("java", "a step behind an address that is not known"): (
        VIEWED % "to",
        VIEWED % 'Pages.HOME + "/" + to',
    ),
    ("java", "the query of an address that is not known"): (
        VIEWED % "to",
        VIEWED % 'Pages.HOME + "?" + to',
    ),
    ("tsx", "where a page's own router leads, and is afterwards"): (
        ROUTER % "router.push(router.query.to);",
        ROUTER % "router.push({ pathname: router.pathname, query: router.query.to });",
    ),
    ("python", "a number in a route"): (
        ROUTED % ("<name>", "name"),
        ROUTED % ("<int:name>", "name"),
    ),
    ("python", "the host of an address that is put together"): (
        FETCHED % "('https', request.args['a'], '/x', '', '')",
        FETCHED % "('https', settings.HOST, request.path, request.args['a'], '')",
    ),
    ("go", "an address of a request that a client of ours is about to send"): (
        'package p\nimport "net/http"\nfunc f(w http.ResponseWriter, r *http.Request) {\n'
        "\thttp.Get(r.URL.String())\n}\n",
        'package p\nimport "net/http"\nfunc f(r *http.Request, via []*http.Request) error {\n'
        "\t_, err := http.Get(r.URL.String())\n\treturn err\n}\n",
    ),
}  # fmt: skip
"""By language: an address that somebody outside chooses, and one that is our own."""

MARKUP = "from markupsafe import Markup, escape\n"
CONSOLE = "import cmd\nclass Console(%s):\n    def do_show(self, text):\n        eval(text)\n"

PROGRAMS = {
    ("python", "what an interpreter runs in surroundings that live elsewhere"): (
        "def f(text):\n    eval(text, {'__builtins__': {}}, {'a': 1})\n",
        "def f(self, text):\n    eval(text, self.module.__dict__, self.scope)\n",
    ),
    ("python", "what such an interpreter is asked to run as it is"): (
        "def f(self, text):\n    exec('x = %s' % text, self.scope)\n",
        "def f(self, text):\n    exec(text, self.scope)\n",
    ),
    ("python", "what a request asks an interpreter to run"): (
        HEAD + "def f(self):\n    exec(request.args['a'], self.scope)\n",
        HEAD + "def f(self, text):\n    exec(text, self.scope)\n",
    ),
    ("python", "what somebody types at a console"): (
        CONSOLE % "Command",
        CONSOLE % "cmd.Cmd",
    ),
    ("python", "what is called inside of its function alone"): (
        "def f(names):\n    def g(name):\n        return eval(name)\n    return map(g, names)\n",
        "def f():\n    def g(name):\n        return eval(name)\n    return g('1'), g('2')\n",
    ),
    ("javascript", "a function that is to be called later"): (
        EXPRESS % "setTimeout(req.query.code, 10);",
        EXPRESS % "const { abort } = render(req.query.page); setTimeout(abort, 10);",
    ),
    ("typescript", "a function that is called, and one that is made"): (
        "export class Store {\n  make(text: string) {\n    return new Function(text);\n  }\n}\n",
        "export class Store {\n  verify(text: string, done: Function) {\n    done(null, text);\n"
        "  }\n}\n",
    ),
}  # fmt: skip
"""By language: a text that becomes code, and a program's own or an interpreter's purpose."""

PAGES = {
    ("python", "markup that a caller asks for by a flag"): (
        MARKUP + "def f(text, loud):\n    if loud:\n        return Markup(text)\n"
        "    else:\n        return text\n",
        MARKUP + "def f(text, html=False):\n    if html:\n        return Markup(text)\n"
        "    else:\n        return escape(text)\n",
    ),
    ("python", "such markup, and a text that is its own flag"): (
        MARKUP + "def f(text):\n    if text:\n        return Markup(text)\n"
        "    else:\n        return escape(text)\n",
        MARKUP + "def f(text, html: bool):\n    if not html:\n        return escape(text)\n"
        "    else:\n        return Markup(text)\n",
    ),
    ("python", "an element that a library writes"): (
        MARKUP + "def f(text):\n    return Markup('<b>%s</b>' % text)\n",
        MARKUP + "from dominate import tags\ndef f(text):\n    return Markup(str(tags.b(text)))\n",
    ),
    ("javascript", "what an element holds already"): (
        "function f(text, box) {\n  box.innerHTML = $(text).html();\n}\n",
        "function f(html, box) {\n  box.innerHTML = html.find('.a')[0].outerHTML;\n}\n",
    ),
    ("javascript", "a text that is made markup by an element"): (
        "function f(text, box) {\n  const a = document.createElement('p');\n"
        "  a.textContent = text;\n  box.innerHTML = text;\n}\n",
        "function f(text, box) {\n  const a = document.createElement('p');\n"
        "  a.textContent = text;\n  box.innerHTML = a.innerHTML;\n}\n",
    ),
    ("javascript", "names that are the page's, and no caller's"): (
        "function f(title) {\n  document.body.innerHTML = title;\n}\n",
        "function f() {\n  document.body.innerHTML = title;\n}\n",
    ),
}
"""By language: a text that becomes markup, and what is markup already."""

DOCUMENTS = {
    ("python", "what a collection of documents is asked, and a mapping is given"): (
        HEAD + "def f(db):\n    db.orders.update(request.json['a'], {'$set': {'b': 1}})\n",
        HEAD + "def f():\n    options = {}\n    options.update(request.json['a'])\n",
    ),
    ("python", "what a collection and what a relation is asked to remove"): (
        HEAD + "def f(orders_collection):\n    orders_collection.remove(request.json['a'])\n",
        HEAD + "def f(order):\n    order.lines.remove(request.json['a'])\n",
    ),
    ("javascript", "what a model and what a hash is to be updated with"): (
        "const Order = mongoose.model('Order');\n" + EXPRESS % "Order.update(req.body.filter, {});",
        EXPRESS % "crypto.createHash('sha256').update(req.body.text);",
    ),
}  # fmt: skip
"""By language: what a query's operators may come from, and methods of the same name."""

PAIRS = {**STATEMENTS, **COMMANDS, **ADDRESSES, **PROGRAMS, **PAGES, **DOCUMENTS}


@pytest.mark.parametrize(("language", "name"), PAIRS)
def test_only_the_fault_of_the_two_is_found(language: str, name: str) -> None:
    fault, fit = PAIRS[language, name]
    assert (count_flows(fault, language), count_flows(fit, language)) == (1, 0)
