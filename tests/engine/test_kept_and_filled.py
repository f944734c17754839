"""What comes back by other ways than a `return`: a promise that is kept, an address that is filled,
a result that goes by a name.
"""

from __future__ import annotations

import pytest

from tests.engine.test_hidden_flows import EXPRESS, count_flows

PROMISE = "const { exec } = require('child_process');\n%s\n" + EXPRESS
BODY = (
    "function read(req) {\n  return new Promise((resolve, reject) => {\n    let sent = '';\n"
    "    req.on('data', (part) => { sent += part; });\n"
    "    req.on('end', () => resolve(%s));\n    req.on('error', reject);\n  });\n}"
)
WAIT = "const later = (v) => new Promise((ok) => setTimeout(() => ok(%s), 10));"
GO = (
    'package p\nimport (\n\t"bytes"\n\t"fmt"\n\t"net/http"\n\t"os/exec"\n\t"sync"\n)\n'
    "func put(to *string, r *http.Request) { *to = %s }\n"
    "func both(r *http.Request) (name string, err error) {\n\tname = %s\n\treturn\n}\n"
    "func view(w http.ResponseWriter, r *http.Request) {\n\t%s\n"
    '\texec.Command("sh", "-c", "ls "+x).Run()\n}\n'
)
SENT = 'r.FormValue("x")'


def _write(statements: str, put: str = '"a"', named: str = '"a"') -> str:
    return GO % (put, named, statements)


PAIRS = {
    ("javascript", "what a promise is kept with at once"): (
        PROMISE % (WAIT % "v", "later(req.query.a).then((v) => exec('ls ' + v));"),
        PROMISE % (WAIT % "1", "later(req.query.a).then((v) => exec('ls ' + v));"),
    ),
    ("javascript", "one that is kept for somebody else"): (
        PROMISE % (WAIT % "v", "later('a').then(() => later(req.query.a)).then((v) => exec(v));"),
        PROMISE % (WAIT % "v", "later(req.query.a); later('a').then((v) => exec('ls ' + v));"),
    ),
    ("javascript", "what it is kept with once all has come"): (
        PROMISE % (BODY % "sent", "read(req).then((body) => exec('ls ' + body));"),
        PROMISE % (BODY % "sent.length", "read(req).then((body) => exec('ls ' + body));"),
    ),
    ("javascript", "what keeps it, handed on to a function of the file"): (
        PROMISE
        % (
            "const give = (v, done) => done(v);",
            "new Promise((ok) => give(req.query.a, ok)).then((v) => exec('ls ' + v));",
        ),
        PROMISE
        % (
            "const give = (v, done) => done('a');",
            "new Promise((ok) => give(req.query.a, ok)).then((v) => exec('ls ' + v));",
        ),
    ),
    ("go", "what a function puts behind a pointer"): (
        _write("var x string\n\tput(&x, r)", put=SENT),
        _write("var x string\n\tput(&x, r)"),
    ),
    ("go", "a result by its name"): (
        _write("x, _ := both(r)", named=SENT),
        _write("x, _ := both(r)"),
    ),
    ("go", "what is read into a text, and into a number"): (
        _write(f'var x string\n\tfmt.Sscanf({SENT}, "%s", &x)'),
        _write(f'var n int\n\tfmt.Sscanf({SENT}, "%d", &n)\n\tx := fmt.Sprint(n)'),
    ),
    ("go", "a buffer that reads a body, and another one"): (
        _write("var b bytes.Buffer\n\tb.ReadFrom(r.Body)\n\tx := b.String()"),
        _write("var b, c bytes.Buffer\n\tb.ReadFrom(r.Body)\n\tx := c.String()"),
    ),
    ("go", "what a map for many keeps, by its key"): (
        _write(f'var m sync.Map\n\tm.Store("a", {SENT})\n\tv, _ := m.Load("a")\n\tx := v.(string)'),
        _write(f'var m sync.Map\n\tm.Store("a", {SENT})\n\tv, _ := m.Load("b")\n\tx := v.(string)'),
    ),
}
"""By language: a way by which something comes back, and that way with something else on it."""


@pytest.mark.parametrize(("language", "name"), PAIRS)
def test_only_what_comes_back_is_found(language: str, name: str) -> None:
    fault, fit = PAIRS[language, name]
    assert (count_flows(fault, language), count_flows(fit, language)) == (1, 0)


JAVA = (
    "package p;\nimport java.util.StringJoiner;\n"
    "import org.springframework.web.bind.annotation.*;\n@RestController\nclass A {\n"
    '  @GetMapping("/a") void view(@RequestParam String s) throws Exception {\n'
    '    StringJoiner list = new StringJoiner(" ");\n    list.add(%s);\n'
    '    Runtime.getRuntime().exec(new String[] {"sh", "-c", "ls " + list});\n  }\n}\n'
)


def test_a_builder_beside_a_text_is_what_was_put_into_it() -> None:
    assert [count_flows(JAVA % said, "java") for said in ("s", '"a"')] == [1, 0]
