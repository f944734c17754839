"""What reaches a sink by a place, an object or a table of the file, and what does not."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.engine.test_hidden_flows import count_flows


class Twins(NamedTuple):
    """A text with a gap, what makes a fault of it, and two fillings that look alike."""

    text: str
    fault: str
    safe: tuple[str, str]


_EXPRESS = 'import express from "express";\nconst app = express();\napp.use(express.json());\n'
_GO = (
    'package p\nimport ("context"; "encoding/json"; "net/http"; "os"; "database/sql"; "strings")\n'
)
_SPRING = (
    "import org.springframework.web.bind.annotation.*;\nimport java.util.*;\n"
    "import org.springframework.web.client.RestTemplate;\n"
    "import org.springframework.jdbc.core.JdbcTemplate;\n"
)
_FLASK = "import sqlite3, subprocess\nfrom flask import Flask, request\napp = Flask('a')\n"

TWINS = {
    ("typescript", "a job of a queue"): Twins(
        'import { Queue, Worker } from "bullmq";\n'
        + _EXPRESS
        + 'const queue = new Queue("q");\napp.post("/", async (req, res) => {\n  const url = '
        '%s;\n  await queue.add("x", { url, note: req.body.note });\n});\n'
        'new Worker("q", async (job) => { await fetch(job.data.url); });\n',
        "req.body.url",
        ('"https://a.example/" + encodeURIComponent(req.body.url)', "HOOKS.get(req.body.id)"),
    ),
    ("typescript", "an event"): Twins(
        'import { EventEmitter } from "events";\n'
        + _EXPRESS
        + 'const bus = new EventEmitter();\nbus.on("seen", async (url) => { await fetch(url); });\n'
        'app.post("/", (req, res) => { bus.emit(%s); });\n',
        '"seen", req.body.url',
        ('"other", req.body.url', '"seen", "https://a.example/", req.body.url'),
    ),
    ("typescript", "what goes along with a request"): Twins(
        _EXPRESS + "app.use((req, res, next) => { %s; next(); });\n"
        'app.get("/", async (req, res) => { await fetch(res.locals.target); });\n',
        "res.locals.target = req.query.target",
        ("res.locals.other = req.query.target", "res.locals.target = TARGETS.get(req.query.id)"),
    ),
    ("typescript", "an object in a text"): Twins(
        _EXPRESS
        + "class Where { parts = [];\n  add(part) { this.parts.push(part); return this; }\n"
        '  toString() { return this.parts.join(" and "); } }\n'
        'app.get("/", async (req, res) => {\n  const where = new Where().add(%s);\n'
        "  await pool.query(`select a from b where ${where}`, [req.query.a]);\n});\n",
        "`a = '${req.query.a}'`",
        ('"a = ?"', "`a = ${Number(req.query.a)}`"),
    ),
    ("python", "a call that is put off"): Twins(
        _FLASK + "from celery import shared_task\n@shared_task\ndef show(name):\n"
        "    return open('/srv/' + name).read()\n@app.post('/')\ndef start():\n"
        "    show.apply_async(%s)\n    return ''\n",
        "args=[request.form['name']]",
        ("args=[int(request.form['name'])]", "args=['a'], queue=request.form['name']"),
    ),
    ("python", "a function of a table"): Twins(
        _FLASK + "import json, pickle\nREADERS = {'a': json.loads, 'b': %s}\n@app.post('/')\n"
        "def read():\n    return str(len(READERS[request.args['kind']](request.get_data())))\n",
        "pickle.loads",
        ("str", "lambda text: text.split()"),
    ),
    ("python", "keys of a list"): Twins(
        _FLASK + "from pymongo import MongoClient\ncards = MongoClient().a.cards\n"
        "@app.post('/')\ndef find():\n    body, query = request.get_json(), {'used': False}\n"
        "    for name in ('code', 'pin'):\n        query[name] = %s\n"
        "    return str(cards.find_one(query))\n",
        "body[name]",
        ("str(body[name])", "{'$eq': body[name]}"),
    ),
    ("python", "the nodes of a program"): Twins(
        "import ast\n" + _FLASK + "@app.post('/')\ndef run():\n"
        "    tree = ast.parse(request.form['text'], mode='eval')\n"
        "    for node in ast.walk(tree):\n        if not isinstance(node, %s):\n"
        "            raise ValueError\n    return str(eval(compile(tree, 'a', 'eval')))\n",
        "object",
        ("(ast.Expression, ast.BinOp, ast.Constant)", "ast.Constant"),
    ),
    ("go", "a channel"): Twins(
        _GO + "type job struct{ URL, Note string }\nvar jobs = make(chan job, 9)\n"
        "func work() { for j := range jobs { http.Get(j.URL) } }\n"
        "func add(w http.ResponseWriter, r *http.Request) { jobs <- job{%s} }\n",
        'URL: r.FormValue("url")',
        ('URL: "https://a.example/"', 'URL: URLS[r.FormValue("id")]'),
    ),
    ("go", "a value of a context"): Twins(
        _GO + "type key struct{}\nfunc with(next http.Handler) http.Handler {\n"
        "  return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {\n"
        "    next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), key{}, %s)))\n  })\n}\n"
        "func show(w http.ResponseWriter, r *http.Request) {\n"
        '  name, _ := r.Context().Value(key{}).(string)\n  os.ReadFile("/srv/" + name)\n}\n',
        'r.Header.Get("X-Name")',
        ('NAMES[r.Header.Get("X-Name")]', '"a"'),
    ),
    ("go", "an interface that one type has"): Twins(
        _GO + "type Store interface{ Find(sort string) (*sql.Rows, error) }\n"
        "type table struct{ db *sql.DB }\nfunc (t *table) Find(sort string) (*sql.Rows, error) {\n"
        '  return t.db.Query("select a from b order by " + %s)\n}\n'
        "type Handler struct{ store Store }\n"
        "func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {\n"
        '  h.store.Find(r.URL.Query().Get("sort"))\n}\n',
        "sort",
        ("columns[sort]", '"a"'),
    ),
    ("go", "the parts of a path"): Twins(
        _GO.replace('"strings"', '"path/filepath"')
        + "func show(w http.ResponseWriter, r *http.Request) {\n"
        '  parts := []string{"/srv"}\n  for _, one := range []string{r.FormValue("a")} {\n'
        "    parts = append(parts, %s)\n  }\n  os.ReadFile(filepath.Join(parts...))\n}\n",
        "filepath.Clean(one)",
        ('filepath.Clean("/" + one)', "filepath.Base(one)"),
    ),
    ("java", "a part of a record"): Twins(
        _SPRING
        + "@RestController class C { private final RestTemplate rest = new RestTemplate();\n"
        "  record Link(String url, int number) {}\n"
        '  @PostMapping("/a") String a(@RequestBody Link link) {\n'
        "    return rest.getForObject(%s, String.class);\n  } }\n",
        "link.url()",
        ('"https://a.example/" + link.number()', "URLS.get(link.url())"),
    ),
    ("java", "a value that a class names"): Twins(
        _SPRING
        + 'enum Column { NAME("name"); final String text; Column(String a) { text = a; } }\n'
        "@RestController class C { private final JdbcTemplate jdbc;\n"
        '  @GetMapping("/a") Object a(@RequestParam String by, @RequestParam Column column) {\n'
        '    return jdbc.queryForList("select a from b order by " + column.text + %s);\n  } }\n',
        "by",
        ('""', '(by.isEmpty() ? "" : " desc")'),
    ),
    ("java", "a listener"): Twins(
        _SPRING + "class C { private final RestTemplate rest = new RestTemplate();\n"
        '  @PostMapping("/a") void add(@RequestParam String url) { kafka.send("a", %s); }\n'
        '  @KafkaListener(topics = "a") void take(String url) { rest.getForObject(url, A.class); } '
        "}\n",
        "url",
        ("URLS.get(url)", '"https://a.example/" + URLEncoder.encode(url)'),
    ),
    ("python", "what a session keeps"): Twins(
        _FLASK + "from flask import session\n@app.get('/')\ndef ask():\n    %s\n    return 'a'\n"
        "@app.post('/')\ndef run():\n"
        "    subprocess.run('ls ' + session.pop('of', 'a'), shell=True)\n",
        "session['of'] = request.args['a']",
        ("session['other'] = request.args['a']", "session['of'] = str(int(request.args['a']))"),
    ),
    ("typescript", "what a session keeps"): Twins(
        _EXPRESS + 'app.get("/", (req, res) => { %s; res.end(); });\n'
        'app.post("/", async (req, res) => { await fetch(req.session.target); });\n',
        "req.session.target = req.query.target",
        ("req.session.other = req.query.target", 'req.session.target = "https://a.example/"'),
    ),
    ("java", "what a session keeps"): Twins(
        _SPRING + "import javax.servlet.http.*;\n@RestController class A {\n"
        '  @GetMapping("/a") void ask(@RequestParam String a, HttpSession session) '
        "{ session.setAttribute(%s); }\n"
        '  @GetMapping("/b") void show(HttpSession session) { '
        'Object to = session.getAttribute("to");'
        " new RestTemplate().getForObject((String) to, String.class); } }\n",
        '"to", a',
        ('"other", a', '"to", "https://a.example/"'),
    ),
    ("go", "a list that is read above where it is filled"): Twins(
        _GO + "type shop struct { hosts []string }\n"
        "func (s *shop) ask(w http.ResponseWriter, r *http.Request) "
        "{ for _, one := range s.hosts { http.Get(one) } }\n"
        "func (s *shop) add(w http.ResponseWriter, r *http.Request) "
        "{ s.hosts = append(s.hosts, %s) }\n",
        'r.FormValue("a")',
        ('"https://a.example/" + r.FormValue("a")', 'find(len(r.FormValue("a")))'),
    ),
    ("go", "a client that a handler is made with"): Twins(
        'package p\nimport ("errors"; "net"; "net/http"; "net/netip"; "syscall")\n'
        "func public(network, address string, _ syscall.RawConn) error {\n"
        "\tto, err := netip.ParseAddrPort(address)\n\tif err != nil {\n\t\treturn err\n\t}\n"
        '\tif to.Addr().IsPrivate() {\n\t\treturn errors.New("no")\n\t}\n\treturn nil\n}\n'
        "func view(client *http.Client) http.HandlerFunc {\n"
        "\treturn func(w http.ResponseWriter, r *http.Request) {\n"
        '\t\tasked, _ := http.NewRequest("GET", r.FormValue("a"), nil)\n'
        "\t\tclient.Do(asked)\n\t}\n}\n"
        "func open(dialer *net.Dialer) *http.Client {\n"
        "\treturn &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}}\n}\n"
        'func main() { http.HandleFunc("/", view(open(%s))) }\n',
        "&net.Dialer{}",
        ("&net.Dialer{Control: public}", "&net.Dialer{Timeout: 9, Control: public}"),
    ),
    ("java", "a method that is handed on"): Twins(
        _SPRING + "import java.util.stream.*;\n@RestController class A {\n"
        "  static class Host { public String name; public int port;\n"
        "    String write() { return %s; } }\n"
        "  private final List<Host> hosts = new ArrayList<>();\n"
        '  @PostMapping("/a") void add(@RequestBody Host host) { hosts.add(host); }\n'
        '  @GetMapping("/b") void ask() { new RestTemplate().getForObject('
        "hosts.stream().map(Host::write).collect(Collectors.joining()), String.class); } }\n",
        '"https://" + name',
        ('"https://a.example:" + port', '"https://a.example/" + name'),
    ),
    ("python", "what another thread is handed"): Twins(
        _FLASK + "import asyncio\ndef run(of, note):\n    subprocess.run('ls ' + of, shell=True)\n"
        "@app.get('/')\nasync def view():\n    await asyncio.to_thread(run, %s)\n",
        "request.args['a'], 'a'",
        ("'a', request.args['a']", "str(int(request.args['a'])), request.args['b']"),
    ),
    ("typescript", "an object that a parameter is by default"): Twins(
        _EXPRESS + "class Asker { async ask(url: string) { return fetch(url); } }\n"
        "export function build(asker = new Asker()) {\n"
        '  app.get("/", async (req, res) => { res.json(await asker.ask(%s)); });\n}\n',
        "req.query.url",
        ('"https://a.example/" + req.query.name', "HOOKS.get(req.query.id)"),
    ),
    ("typescript", "where an answer leads"): Twins(
        _EXPRESS + "export async function GET(request: NextRequest) {\n"
        '  const to = request.nextUrl.searchParams.get("to") ?? "/";\n'
        "  return new Response(null, { status: 302, headers: { %s } });\n}\n",
        "Location: to",
        ('Location: "/a/" + to', '"X-To": to'),
    ),
}


@pytest.mark.parametrize(("language", "name"), TWINS)
def test_what_is_left_at_a_place_is_what_is_taken_there(language: str, name: str) -> None:
    twins = TWINS[language, name]
    counts = [count_flows(twins.text % part, language) for part in (twins.fault, *twins.safe)]
    assert counts == [1, 0, 0]
