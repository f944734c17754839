"""Who can reach a value: what real code showed to be nobody's outside, each beside a fault.

Elements of a list of our own, what the surroundings bind, the answer of a function that nobody
sees, the parts of an address behind its host, what a page alone is opened with.
"""

from __future__ import annotations

import pytest

from tests.engine.test_hidden_flows import EXPRESS, HEAD, count_flows

SHELL = 'const { execSync } = require("child_process");\n'
FASTAPI = (
    "from fastapi import APIRouter\nfrom fastapi.responses import FileResponse\nimport files\n"
    "router = APIRouter()\n@router.get('/{name}')\ndef show(name: str, part: str):\n    %s\n"
)
DRF = (
    "from rest_framework.generics import GenericAPIView\nclass View(GenericAPIView):\n"
    "    def patch(self, request, user):\n        form = self.get_serializer(data=request.data)\n"
    "        form.is_valid(raise_exception=True)\n        for name, value in %s.items():\n"
    "            setattr(user, name, value)\n"
)
GO = (
    'package p\nimport ("net/http"; "net/url"; "os"; "regexp"; "path/filepath"; '
    '"example.com/clean";'
    ' "example.com/where")\nvar digits = regexp.MustCompile("[0-9]")\n'
    "func view(w http.ResponseWriter, r *http.Request, base string, rule "
    "*regexp.Regexp) {\n\t%s\n}\n"
)
GO_ROWS = (
    'package p\nimport "example.com/where"\ntype Form struct { Name string }\n'
    "func rows(db *DB, f Form) {\n\t%s\n}\n"
)
WEBFLUX = (
    "import org.springframework.web.server.*;\nclass A {\n"
    "  void f(ServerWebExchange exchange, WebSession session) {\n    %s\n  }\n}\n"
)

SERVLET = (
    "import javax.servlet.http.*;\nimport org.springframework.web.servlet.*;\nclass A {\n"
    "  Object f("
    "HttpServletRequest request, HttpServletResponse response, String message) {\n    %s\n  }\n}\n"
)
MARKUP = "from markupsafe import Markup\n"

LISTS = {
    ("javascript", "a loop over what a caller hands over, and over our own"): (
        SHELL + "function f(names) {\n  names.forEach((n) => { execSync(`cp ${n}`); });\n}\n",
        SHELL + "function f() {\n  readdir('x').forEach((n) => { execSync(`cp ${n}`); });\n}\n",
    ),
    ("javascript", "a list of a request, and one of ours"): (
        SHELL + EXPRESS % "req.body.names.map((n) => execSync(`cp ${n}`));",
        SHELL + EXPRESS % "config.names.map((n) => execSync(`cp ${n}`));",
    ),
    ("javascript", "a function that is kept, and one that goes through a list"): (
        SHELL + "register((n) => { execSync(`cp ${n}`); });\n",
        SHELL + "function f() {\n  ours.filter((n) => { execSync(`cp ${n}`); return n; });\n}\n",
    ),
    ("javascript", "what a loop has around it"): (
        SHELL + "function f(a) {\n  config.names.map((n) => execSync(`cp ${a}`));\n}\n",
        SHELL + "function f(a) {\n  config.names.map((n) => execSync(`cp ${n}`));\n}\n",
    ),
    ("javascript", "a handler within a loop"): (
        SHELL + "['a', 'b'].forEach((way) => {\n  app[way]('/', (req, res) => {\n"
        "    execSync(`cp ${req.query.a}`);\n  });\n});\n",
        SHELL + "['a', 'b'].forEach((way) => {\n  app[way]('/', (req, res) => {\n"
        "    execSync(`cp ${way}`);\n  });\n});\n",
    ),
    ("javascript", "a list that went through other methods"): (
        SHELL + "function f(names) {\n"
        "  names.filter(Boolean).map((n) => n.trim()).map((n) => execSync(`cp ${n}`));\n}\n",
        SHELL + "function f() {\n"
        "  ours.filter(Boolean).map((n) => n.trim()).map((n) => execSync(`cp ${n}`));\n}\n",
    ),
    ("javascript", "what a program was started with, and its process"): (
        SHELL + "function f(version) {\n  execSync(`git tag ${version}`);\n}\n",
        SHELL + "const version = process.env.VERSION;\nexecSync(`git tag ${version}`);\n",
    ),
}
"""By language: what a list brings, and what no list of anybody's does."""

ANSWERS = {
    ("go", "a condition that another function writes, and one that is written here"): (
        GO_ROWS % 'db.Where("name = \'" + f.Name + "\'")',
        GO_ROWS % 'text, values := where.Like("name", f.Name)\n\tdb.Where(text, values)',
    ),
    ("go", "such a condition of what a request brings"): (
        GO % 'db.Where(where.Like(r.FormValue("a")) + " AND b = \'" + r.FormValue("b") + "\'")',
        GO % 'where.Like(r.FormValue("a"))',
    ),
    ("python", "a statement that another function wrote, and one that is written here"): (
        "import db\ndef f(cur, v):\n    cur.execute('SELECT 1 FROM t WHERE a = ' + db.text(v))\n",
        "import db\ndef f(cur, v):\n    cur.execute(db.build(v))\n",
    ),
    ("python", "a page's handler, and a plugin's method that is called like one"): (
        "import os\nfrom flask_appbuilder.api import expose\nclass V:\n"
        "    @expose('/<name>')\n    def drop(self, name):\n        os.remove('data/' + name)\n",
        "import os\nfrom ..base.addon import expose\nclass V:\n"
        "    @expose\n    def drop(self, name):\n        os.remove('data/' + name)\n",
    ),
    ("python", "a page of CherryPy, and a decorator of one's own"): (
        "import os\nimport cherrypy\nclass V:\n"
        "    @cherrypy.expose\n    def drop(self, name):\n        os.remove('data/' + name)\n",
        "import os\nfrom tools import expose\nclass V:\n"
        "    @expose\n    def drop(self, name):\n        os.remove('data/' + name)\n",
    ),
    ("javascript", "markup of a caller, and what another function draws"): (
        "import { draw } from 'codes';\nfunction f(box, v) {\n  box.innerHTML = `<b>${v}`;\n}\n",
        "import { draw } from 'codes';\nfunction f(box, v) {\n"
        "  box.innerHTML = draw(`/x/${v}`);\n}\n",
    ),
    ("javascript", "Markdown, whose library escapes nothing"): (
        "import { marked } from 'marked';\nfunction f(box, v) {\n  box.innerHTML = marked(v);\n}\n",
        "import { draw } from 'codes';\nfunction f(box, v) {\n  box.innerHTML = draw(v);\n}\n",
    ),
    ("javascript", "what another function draws of a request"): (
        "import { draw } from 'codes';\n" + EXPRESS % "box.innerHTML = draw(req.query.a);",
        "import { draw } from 'codes';\nfunction f(box, v) {\n  box.innerHTML = draw(v);\n}\n",
    ),
    ("javascript", "what a function returns that another one calls"): (
        "import { useMemo } from 'react';\nimport { marked } from 'marked';\n"
        "function F({ text }) {\n"
        "  const html = useMemo(() => marked.parse(text), [text]);\n"
        "  return <p dangerouslySetInnerHTML={{ __html: html }} />;\n}\n",
        "import { useMemo } from 'react';\nimport { draw } from 'codes';\nfunction F({ text }) {\n"
        "  const html = useMemo(() => draw(text), [text]);\n"
        "  return <p dangerouslySetInnerHTML={{ __html: html }} />;\n}\n",
    ),
    ("python", "a file's name, and the folder that another function found"): (
        FASTAPI % "return FileResponse(files.folder(name) / part)",
        FASTAPI % "return FileResponse(files.folder(name) / 'small.webp')",
    ),
    ("python", "such a name and such a folder, joined by a method"): (
        FASTAPI % "return FileResponse(files.folder(name).joinpath('a', part))",
        FASTAPI % "return FileResponse(files.folder(name).joinpath('a', 'small.webp'))",
    ),
    ("python", "an answer that is put behind a folder"): (
        FASTAPI % "return FileResponse(files.ROOT / files.locate(name))",
        FASTAPI % "return FileResponse(files.locate(name) / 'a.txt')",
    ),
    ("go", "a folder and what is put behind it"): (
        GO % 'os.Remove(filepath.Join(where.Folder(r.FormValue("a")), r.FormValue("b")))',
        GO % 'os.Remove(filepath.Join(where.Folder(r.FormValue("a")), "b"))',
    ),
    ("go", "what a package that cleans made of a name"): (
        GO % 'os.Remove(filepath.Join("/x", where.Trim(r.FormValue("a"))))',
        GO % 'os.Remove(filepath.Join("/x", clean.Token(r.FormValue("a"))))',
    ),
    ("python", "the names that a request brings, and those that a serializer declares"): (
        DRF % "request.data",
        DRF % "form.validated_data",
    ),
}
"""By language: what is put together here, and what another function has answered for."""

ADDRESSES = {
    ("go", "the host of an address, and its query"): (
        GO % 'u, _ := url.Parse(base)\n\tu.Host = r.FormValue("a")\n'
        "\thttp.Redirect(w, r, u.String(), 302)",
        GO % "u, _ := url.Parse(base)\n\tu.RawQuery = r.URL.RawQuery\n"
        "\thttp.Redirect(w, r, u.String(), 302)",
    ),
    ("go", "an address of the visitor's, and the path of ours"): (
        GO % 'u, _ := url.Parse(r.FormValue("a"))\n\tu.Path = "/x"\n'
        "\thttp.Redirect(w, r, u.String(), 302)",
        GO % 'u, _ := url.Parse(base)\n\tu.Path = r.FormValue("a")\n'
        "\thttp.Redirect(w, r, u.String(), 302)",
    ),
    ("go", "a pattern that is read here, and one that is configured"): (
        GO % 'http.Redirect(w, r, digits.ReplaceAllString(r.FormValue("a"), ""), 302)',
        GO % 'http.Redirect(w, r, rule.ReplaceAllString(r.FormValue("a"), base), 302)',
    ),
    ("javascript", "the host of an address, and its search"): (
        EXPRESS
        % "const u = new URL(config.base);\n  u.host = req.query.a;\n  res.redirect(u.href);",
        EXPRESS % "const u = new URL(config.base);\n  u.search = req.query.a;\n"
        "  res.redirect(u.href);",
    ),
    ("javascript", "an address of the visitor's with another search"): (
        EXPRESS % "const u = new URL(req.query.a);\n  u.search = 'b';\n  res.redirect(u.href);",
        EXPRESS % "const u = new URL(config.base);\n  u.pathname = req.query.a;\n"
        "  res.redirect(u.href);",
    ),
    ("javascript", "whom a server asks, and whom a page does"): (
        EXPRESS % "fetch(req.query.a);",
        "self.onmessage = async (event) => {\n  const { a } = event.data;\n  await fetch(a);\n};\n",
    ),
    ("javascript", "what a page is told, as its own program and as an address"): (
        "self.onmessage = (event) => { eval(event.data); };\n",
        "self.onmessage = (event) => { fetch(event.data); };\n",
    ),
    ("javascript", "where a page leads and whom it asks"): (
        "const next = new URLSearchParams(location.search).get('a');\nlocation.href = next;\n",
        "const next = new URLSearchParams(location.search).get('a');\nfetch(next);\n",
    ),
}
"""By language: what chooses a host, and what stands behind one that is known."""

FORMS = {
    ("javascript", "a page by its language, and what stands behind its question mark"): (
        EXPRESS % "const a = find(req.path);\n  res.redirect(`/${a.lang}/x`);\n"
        "  res.redirect(`/${req.query.a}`);",
        EXPRESS
        % "const a = find(req.path);\n  res.redirect(`/${a.lang}/${a.path}?${req.query.b}`);",
    ),
    ("javascript", "where an object leads, and what it brings along"): (
        "import { useRouter } from 'next/router';\nfunction F() {\n  const router = useRouter();\n"
        "  router.push({ pathname: router.query.a });\n}\n",
        "import { useRouter } from 'next/router';\nfunction F() {\n  const router = useRouter();\n"
        "  router.push({ query: { ...router.query, a: 1 } });\n}\n",
    ),
    ("javascript", "a condition as text, and as an object"): (
        "function f(rows, v) {\n  rows.where('a = ' + `'${v}'`);\n}\n",
        "function f(rows, v) {\n  rows.where({ a: `b-${v}` });\n}\n",
    ),
    ("python", "a page, and a text that says it is none"): (
        HEAD + "from django.http import HttpResponse\ndef f(request):\n"
        "    return HttpResponse('<p>' + request.GET['a'], content_type='text/html')\n",
        HEAD + "from django.http import HttpResponse\ndef f(request):\n"
        "    return HttpResponse('<p>' + request.GET['a'], content_type='text/plain')\n",
    ),
    ("python", "a query as it came, and one that was written anew"): (
        MARKUP + "def f(q):\n    return Markup('?' + q.encode())\n",
        MARKUP + "def f(q):\n    return Markup('?' + q.urlencode())\n",
    ),
    ("java", "an address, and the values of a view"): (
        SERVLET % 'return new RedirectView(request.getParameter("a"));',
        SERVLET % 'return new ModelAndView(java.util.Map.of("a", request.getParameter("a")), "b");',
    ),
    ("java", "what a wrapper reads, and what it makes of a message"): (
        SERVLET % 'response.getWriter().print("<p>" + Kinds.of(request).read("a"));return null;',
        SERVLET % "response.getWriter().print(Kinds.of(request).write(message));return null;",
    ),
    ("go", "conditions of a database, and of a package that builds them"): (
        GO_ROWS % 'db.Where("a").Or("b = \'" + f.Name + "\'")',
        GO_ROWS % 'where.Or(where.Like("b", "%%" + f.Name + "%%"))',
    ),
    ("go", "names and numbers in a list"): (
        "package p\nfunc rows(db *DB, names []string) {\n"
        '\tdb.Query("SELECT 1 FROM t WHERE a IN (" + join(names, ", ") + "x)")\n}\n',
        "package p\nfunc rows(db *DB, names []int64) {\n"
        '\tdb.Query("SELECT 1 FROM t WHERE a IN (" + join(names, ", ") + "x)")\n}\n',
    ),
    ("go", "a statement as it came, and one that a builder wrote"): (
        GO_ROWS % 'db.Query("SELECT 1 FROM t WHERE a = \'" + f.Name + "\'")',
        GO_ROWS % "text, args := where.Like(f.Name).ToSQL()\n"
        '\tdb.Query("WITH a AS (" + text + ") SELECT 1", args)',
    ),
}
"""By language: where an address leads, what a text is, and what only looks like one."""

ATTACKS = {
    ("javascript", "a name of the surroundings that a caller binds"): (
        "function f(db, document) {\n  db.query(`SELECT 1 WHERE a = '${document.a}'`);\n}\n",
        "function f(db) {\n  db.query(`SELECT 1 WHERE a = '${document.a}'`);\n}\n",
    ),
    ("javascript", "a function by its name where a list is gone through"): (
        SHELL + "function run(n) {\n  execSync(`cp ${n}`);\n"
        "}\nexport default (names) => names.map(run);\n",
        SHELL + "function run(n) {\n  execSync(`cp ${n}`);\n}\n['a'].map(run);\n",
    ),
    ("javascript", "a handler that is a loop's by its name alone"): (
        SHELL + "app.find('/', (req, res) => { execSync(`cp ${req.query.a}`); });\n",
        SHELL + "app.find('/', (req, res) => { execSync(`cp ${config.a}`); });\n",
    ),
    ("javascript", "a list that a function of the file fetches"): (
        SHELL + "function list(req) {\n  return req.body.names;\n}\n"
        "app.post('/', (req, res) => {\n  list(req).forEach((n) => execSync(`cp ${n}`));\n});\n",
        SHELL + "function list(req) {\n  return config.names;\n}\n"
        "app.post('/', (req, res) => {\n  list(req).forEach((n) => execSync(`cp ${n}`));\n});\n",
    ),
    ("javascript", "a sum that begins with what a request brings"): (
        SHELL + EXPRESS % "execSync(names.reduce((all, n) => all + ' ' + n, `cp ${req.query.a}`));",
        SHELL + EXPRESS % "execSync(names.reduce((all, n) => all + ' ' + n, 'cp'));",
    ),
    ("javascript", "an address whose host was set before its search"): (
        EXPRESS % "const u = new URL(config.base);\n  u.hostname = req.query.a;\n"
        "  u.search = 'b=1';\n  res.redirect(u.toString());",
        EXPRESS % "const u = new URL(config.base);\n  u.hostname = config.a;\n"
        "  u.search = req.query.a;\n  res.redirect(u.toString());",
    ),
    ("javascript", "what a socket is told, as a path and as an address"): (
        "const fs = require('fs');\nws.onmessage = (event) => { fs.readFileSync(event.data); };\n",
        "ws.onmessage = (event) => { fetch(event.data); };\n",
    ),
    ("javascript", "a page's own query that becomes its markup"): (
        "const a = new URLSearchParams(location.search).get('a');\n"
        "document.getElementById('b').innerHTML = a;\n",
        "const a = new URLSearchParams(location.search).get('a');\n"
        "document.getElementById('b').textContent = a;\n",
    ),
    ("go", "our own address with another's host"): (
        GO % 'u := *r.URL\n\tu.Host = r.FormValue("a")\n\thttp.Redirect(w, r, u.String(), 302)',
        GO % "u := *r.URL\n\tu.Host = r.Host\n\tu.Path = r.URL.Path\n"
        "\thttp.Redirect(w, r, u.String(), 302)",
    ),
    ("go", "an order that a request chooses, and one that a caller does"): (
        GO % 'db.Order("name " + r.FormValue("a"))',
        GO_ROWS % 'db.Order("name " + f.Name)',
    ),
    ("python", "the names of a query, and those of a model"): (
        HEAD + "def f(user):\n    for name, value in request.args.items():\n"
        "        setattr(user, name, value)\n",
        "from pydantic import BaseModel\nfrom fastapi import APIRouter\nrouter = APIRouter()\n"
        "class Change(BaseModel):\n    a: str\n@router.post('/')\ndef f(change: Change, user):\n"
        "    for name, value in change.model_dump().items():\n        setattr(user, name, value)\n",
    ),
    ("python", "a text of a request that another function made a statement of"): (
        HEAD + "import db\ndef f(cur):\n    cur.execute(db.build(request.args['a']))\n",
        HEAD + "import db\ndef f(cur, v):\n    cur.execute(db.build(v))\n",
    ),
    ("python", "a statement of a caller's word and another's answer"): (
        "import db\ndef f(cur, v):\n"
        "    cur.execute(f\"SELECT 1 FROM {db.build('a')} WHERE b = '{v}'\")\n",
        "import db\ndef f(cur, v):\n    cur.execute(db.build('a'), (v,))\n",
    ),
}
"""By language: how a fault would hide behind what is left alone."""

CHECKS = {
    ("python", "what was found to be invalid, and to be valid"): (
        "import subprocess\nfrom checks import is_invalid\ndef f(line):\n    if is_invalid(line):\n"
        "        subprocess.run('ls ' + line, shell=True)\n",
        "import subprocess\nfrom checks import is_valid\ndef f(line):\n    if is_valid(line):\n"
        "        subprocess.run('ls ' + line, shell=True)\n",
    ),
    ("python", "what was found to be unsafe, and to be valid"): (
        "import subprocess\nfrom checks import is_unsafe\ndef f(line):\n    if is_unsafe(line):\n"
        "        subprocess.run('ls ' + line, shell=True)\n",
        "import subprocess\nfrom checks import is_valid\ndef f(line):\n    if is_valid(line):\n"
        "        subprocess.run('ls ' + line, shell=True)\n",
    ),
    ("python", "what leaves if it is fit, and what leaves if it is not"): (
        "import subprocess\nfrom checks import is_valid\ndef f(line):\n    if is_valid(line):\n"
        "        return\n    subprocess.run('ls ' + line, shell=True)\n",
        "import subprocess\nfrom checks import is_invalid\ndef f(line):\n    if is_invalid(line):\n"
        "        return\n    subprocess.run('ls ' + line, shell=True)\n",
    ),
    ("go", "a host that is blocked, and one that is not"): (
        GO % 'if where.IsBlocked(r.FormValue("a")) { http.Get(r.FormValue("a")) }',
        GO % 'if where.IsBlocked(r.FormValue("a")) { return }\n\thttp.Get(r.FormValue("a"))',
    ),
    ("javascript", "what is not forbidden, and what is not not forbidden"): (
        "import { isNotForbidden } from 'a';\n"
        + EXPRESS % "const v = req.query.a;\n  if (isNotForbidden(v)) return;\n  fetch(v);",
        "import { isNotForbidden } from 'a';\n"
        + EXPRESS % "const v = req.query.a;\n  if (!isNotForbidden(v)) return;\n  fetch(v);",
    ),
    ("java", "a text that is not blank, and one that is not unsafe"): (
        SERVLET % 'String v = request.getParameter("a");\n    if (StringUtils.isNotBlank(v)) {\n'
        "      new java.io.FileInputStream(v);\n    }\n    return null;",
        SERVLET % 'String v = request.getParameter("a");\n    if (Names.isUnsafe(v)) {\n'
        "      return null;\n    }\n    return new java.io.FileInputStream(v);",
    ),
    ("javascript", "a text of a format, and any text"): (
        "import { isString } from 'a';\nfunction f(db, v) {\n  if (!isString(v)) return;\n"
        "  db.query(`SELECT 1 WHERE a = '${v}'`);\n}\n",
        "import { isISO8601Duration } from 'a';\nfunction f(db, v) {\n"
        "  if (!isISO8601Duration(v)) throw new Error();\n"
        "  db.query(`SELECT 1 WHERE a = '${v}'`);\n}\n",
    ),
    ("javascript", "a format that may hold a quote, of a request"): (
        "import { isEmail } from 'a';\n"
        + EXPRESS
        % "const v = req.query.a;\n  if (!isEmail(v)) return;\n"
        "  db.query(`SELECT 1 WHERE a = '${v}'`);",
        "import { isUuid } from 'a';\n"
        + EXPRESS
        % "const v = req.query.a;\n  if (!isUuid(v)) return;\n"
        "  db.query(`SELECT 1 WHERE a = '${v}'`);",
    ),
    ("python", "a check of who asks, and of what is asked"): (
        HEAD + "from a import is_admin\ndef f(cur):\n    v = request.args['a']\n"
        "    if not is_admin(v):\n        abort(403)\n"
        "    cur.execute(f\"SELECT 1 FROM t WHERE a = '{v}'\")\n",
        HEAD + "from a import is_uuid\ndef f(cur):\n    v = request.args['a']\n"
        "    if not is_uuid(v):\n        abort(400)\n"
        "    cur.execute(f\"SELECT 1 FROM t WHERE a = '{v}'\")\n",
    ),
    ("java", "what a session keeps, and what a request keeps for its own way"): (
        WEBFLUX % 'session.getAttributes().put("role", exchange.getRequest().getPath());',
        WEBFLUX % 'exchange.getAttributes().put("role", exchange.getRequest().getPath());',
    ),
    ("javascript", "what rows are chosen by, and what they are ordered by"): (
        "function f(rows, v) {\n  rows.where(`a = '${v}'`);\n}\n",
        "function f(rows, v) {\n  rows.orderBy(`t.${v}`);\n}\n",
    ),
    ("javascript", "an order of a builder that takes it as it is, and of one that quotes it"): (
        "function f(rows, v) {\n"
        "  return rows.createQueryBuilder('t').where('a = 1').orderBy(`t.a ${v}`);\n}\n",
        "function f(rows, v) {\n"
        "  return rows.selectFrom('t').where('a', '=', 1).orderBy(`t.a ${v}`);\n}\n",
    ),
    ("javascript", "an order that a request chooses, and one that a caller does"): (
        EXPRESS % "rows.orderBy(`t.${req.query.a}`);",
        "function f(rows, v) {\n  rows.orderBy(`t.${v}`);\n}\n",
    ),
}
"""By language: what leaves a text as it is, and what says that it is fit, or where it is kept."""

PAIRS = {**LISTS, **ANSWERS, **ADDRESSES, **FORMS, **ATTACKS, **CHECKS}


@pytest.mark.parametrize(("language", "name"), PAIRS)
def test_only_what_somebody_reaches_is_found(language: str, name: str) -> None:
    fault, fit = PAIRS[language, name]
    assert (count_flows(fault, language), count_flows(fit, language)) == (1, 0)
