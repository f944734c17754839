"""Checks that say less than they seem to, each beside the one that says enough."""

from __future__ import annotations

import pytest

from tests.engine.test_hidden_flows import count_flows

FLASK = "import os, re\nfrom flask import request, abort, redirect\n%s\ndef view():\n%s"
EXPRESS = (
    "const fs = require('fs');\nconst path = require('path');\n%s\n"
    "app.get('/', (req, res) => {\n  const a = req.query.a;\n%s\n});\n"
)
GO = (
    'package p\nimport ("net/http"; "os"; "path"; "path/filepath"; "strings"; "regexp"; "net"; '
    '"os/exec")\n%s\nfunc view(w http.ResponseWriter, r *http.Request) {\n'
    '\ta := r.FormValue("a")\n%s\n}\n'
)
JAVA = (
    "import javax.servlet.http.*;\nimport java.io.*;\nimport java.nio.file.*;\n"
    "class A extends HttpServlet {\n%s\n"
    "  protected void doGet(HttpServletRequest q, HttpServletResponse s) throws Exception {\n"
    '    String a = q.getParameter("a");\n%s\n  }\n}\n'
)


def flask(code: str, top: str = "") -> str:
    return FLASK % (top, "".join(f"    {line}\n" for line in code.splitlines()))


RESOLVED = (
    "a = request.args['a']\n"
    "for known in socket.getaddrinfo(a, 443):\n"
    "    if ipaddress.ip_address(known[4][0]).%s:\n        abort(400)\n"
    "requests.get('https://' + a)"
)
RESOLVED_GO = (
    "\tfound, _ := net.LookupIP(a)\n\tfor _, ip := range found {\n"
    '\t\tif ip.%s() {\n\t\t\treturn\n\t\t}\n\t}\n\thttp.Get("https://" + a)'
)
FASTAPI = (
    "from fastapi import FastAPI\nfrom typing import Literal\napp = FastAPI()\n"
    "@app.get('/{kind}')\ndef view(kind: %s):\n    return open('/srv/' + kind).read()\n"
)
PAGE_GO = (
    'var page = template.Must(template.New("a").Parse("<p>{{.}}"))\n'
    'func view(w http.ResponseWriter, r *http.Request) {\n\tpage.Execute(w, r.FormValue("a"))\n}\n'
)

CHECKS = {
    # Where a path lies, before and after its `..` were worked out.
    ("python", "a folder of a joined path"): (
        flask(
            "a = os.path.join('/srv', request.args['a'])\n"
            "if not a.startswith('/srv/'):\n    abort(404)\nopen(a)"
        ),
        flask(
            "a = os.path.realpath(os.path.join('/srv', request.args['a']))\n"
            "if not a.startswith('/srv/'):\n    abort(404)\nopen(a)"
        ),
    ),
    ("python", "a folder among the parents"): (
        flask(
            "a = BASE / request.args['a']\nif BASE not in a.parents:\n    abort(404)\nopen(a)",
            "from pathlib import Path\nBASE = Path('/srv')",
        ),
        flask(
            "a = (BASE / request.args['a']).resolve()\n"
            "if BASE not in a.parents:\n    abort(404)\nopen(a)",
            "from pathlib import Path\nBASE = Path('/srv')",
        ),
    ),
    ("python", "a path that is absolute again"): (
        flask("open(os.path.join('/srv', os.path.normpath('/' + request.args['a'])))"),
        flask("open(os.path.join('/srv', os.path.normpath('/' + request.args['a']).lstrip('/')))"),
    ),
    ("javascript", "a beginning of what was put together"): (
        EXPRESS
        % ("", "if (!`/srv/${a}`.startsWith('/srv/')) return;\nfs.readFile(`/srv/${a}`);"),
        EXPRESS
        % (
            "",
            "const f = path.resolve('/srv', a);\n"
            "if (!f.startsWith('/srv/')) return;\nfs.readFile(f);",
        ),
    ),
    ("javascript", "the ending of a path, and its folder"): (
        EXPRESS
        % (
            "",
            "const f = path.join('/srv', a);\n"
            "if (path.extname(f) !== '.pdf') return;\nfs.readFile(f);",
        ),
        EXPRESS
        % (
            "",
            "const f = path.join('/srv', a);\n"
            "if (path.dirname(f) !== '/srv') return;\nfs.readFile(f);",
        ),
    ),
    ("javascript", "the way from a folder"): (
        EXPRESS % ("", "if (a.endsWith('..')) return;\nfs.readFile(path.join('/srv', a));"),
        EXPRESS
        % (
            "",
            "const f = path.join('/srv', a);\n"
            "if (path.relative('/srv', f).startsWith('..')) return;\nfs.readFile(f);",
        ),
    ),
    ("javascript", "a name that is its own last part"): (
        EXPRESS % ("", "if (path.extname(a) !== '.x') return;\nfs.readFile('/srv/' + a);"),
        EXPRESS % ("", "if (path.basename(a) !== a) return;\nfs.readFile('/srv/' + a);"),
    ),
    ("go", "a path that is cleaned from where it is"): (
        GO % ("", '\tos.Open(filepath.Join("/srv", filepath.Clean(a)))'),
        GO % ("", '\tos.Open(filepath.Join("/srv", filepath.Clean("/" + a)))'),
    ),
    ("go", "a path from the root, and below a folder"): (
        GO % ("", '\tos.Open(path.Join("/", a))'),
        GO % ("", '\tos.Open("/srv" + path.Join("/", a))'),
    ),
    ("java", "a folder of a path that was not normalised"): (
        JAVA
        % (
            "",
            'Path f = Paths.get("/srv").resolve(a);\n'
            'if (!f.startsWith("/srv")) return;\nFiles.readString(f);',
        ),
        JAVA
        % (
            "",
            'Path f = Paths.get("/srv").resolve(a).normalize();\n'
            'if (!f.startsWith("/srv")) return;\nFiles.readString(f);',
        ),
    ),
    # Where a redirect leads.
    ("python", "a slash, and no second one"): (
        flask(
            "a = request.args['a']\nif not a.startswith('/'):\n    abort(400)\nreturn redirect(a)"
        ),
        flask(
            "a = request.args['a']\nif not a.startswith('/') or a.startswith('//'):\n"
            "    abort(400)\nreturn redirect(a)"
        ),
    ),
    ("javascript", "a slash, and no second one"): (
        EXPRESS % ("", "if (a.startsWith('/')) res.redirect(a);"),
        EXPRESS % ("", "if (a.startsWith('/') && !a.startsWith('//')) res.redirect(a);"),
    ),
    ("javascript", "a pattern of a path of our own"): (
        EXPRESS % ("", "if (/^\\//.test(a)) res.redirect(a);"),
        EXPRESS % ("", "if (/^\\/(?!\\/)/.test(a)) res.redirect(a);"),
    ),
    ("go", "a pattern of a path of our own"): (
        GO
        % (
            'var own = regexp.MustCompile("^/[a-z/]*$")',
            '\tif own.MatchString(a) {\n\t\thttp.Redirect(w, r, a, 302)\n\t}',
        ),
        GO
        % (
            'var own = regexp.MustCompile("^/([a-z]+/)*[a-z]*$")',
            '\tif own.MatchString(a) {\n\t\thttp.Redirect(w, r, a, 302)\n\t}',
        ),
    ),
    ("java", "a slash, and no second one"): (
        JAVA % ("", 'if (a.startsWith("/")) s.sendRedirect(a);'),
        JAVA % ("", 'if (a.startsWith("/") && !a.startsWith("//")) s.sendRedirect(a);'),
    ),
    ("python", "the beginning of a host"): (
        flask(
            "a = request.args['a']\nif not a.startswith('https://x.example'):\n"
            "    abort(400)\nreturn redirect(a)"
        ),
        flask(
            "a = request.args['a']\nif not a.startswith('https://x.example/'):\n"
            "    abort(400)\nreturn redirect(a)"
        ),
    ),
    ("javascript", "the end of a host"): (
        EXPRESS
        % ("", "const u = new URL(a);\nif (!u.hostname.endsWith('x.example')) return;\nfetch(u);"),
        EXPRESS
        % ("", "const u = new URL(a);\nif (!u.hostname.endsWith('.x.example')) return;\nfetch(u);"),
    ),
    ("python", "a pattern of a host"): (
        flask(
            "a = request.args['a']\nif not re.match(r'https://x.example/', a):\n"
            "    abort(400)\nrequests.get(a)",
            "import requests",
        ),
        flask(
            "a = request.args['a']\nif not re.match(r'https://x\\.example/', a):\n"
            "    abort(400)\nrequests.get(a)",
            "import requests",
        ),
    ),
    ("javascript", "both or one, returned with a result"): (
        EXPRESS
        % (
            "const HOSTS = new Set(['x.example']);\nfunction check(v) {\n  const u = new URL(v);\n"
            "  if (u.protocol !== 'https:' && !HOSTS.has(u.hostname)) return {ok: false};\n"
            "  return {ok: true, u};\n}",
            "const c = check(a);\nif (!c.ok) return;\nfetch(c.u);",
        ),
        EXPRESS
        % (
            "const HOSTS = new Set(['x.example']);\nfunction check(v) {\n  const u = new URL(v);\n"
            "  if (u.protocol !== 'https:' || !HOSTS.has(u.hostname)) return {ok: false};\n"
            "  return {ok: true, u};\n}",
            "const c = check(a);\nif (!c.ok) return;\nfetch(c.u);",
        ),
    ),
    # What is no text any more.
    ("go", "an address that is an address"): (
        GO % ("", '\texec.Command("sh", "-c", "ping " + strings.TrimSpace(a)).Run()'),
        GO
        % (
            "",
            '\tip := net.ParseIP(a)\n\texec.Command("sh", "-c", "ping " + ip.String()).Run()',
        ),
    ),
    ("go", "an address is a host still"): (
        GO % ("", '\tip := net.ParseIP(a)\n\thttp.Get("http://" + ip.String())'),
        GO % ("", '\tip := net.ParseIP(a)\n\thttp.Get("http://x.example/" + ip.String())'),
    ),
    ("java", "one of an enumeration"): (
        JAVA
        % (
            "  enum Kind { A, B }",
            'Runtime.getRuntime().exec(new String[] {"sh", "-c", "ls " + a.toUpperCase()});',
        ),
        JAVA
        % (
            "  enum Kind { A, B }",
            'Runtime.getRuntime().exec(new String[] {"sh", "-c", "ls " + Kind.valueOf(a).name()});',
        ),
    ),
    ("java", "a filter with limits, and one that ends"): (
        JAVA
        % (
            "",
            "ObjectInputStream in = new ObjectInputStream(q.getInputStream());\n"
            'in.setObjectInputFilter(ObjectInputFilter.Config.createFilter("maxdepth=5"));\n'
            "in.readObject();",
        ),
        JAVA
        % (
            "",
            "ObjectInputStream in = new ObjectInputStream(q.getInputStream());\n"
            'in.setObjectInputFilter(ObjectInputFilter.Config.createFilter("a.B;!*"));\n'
            "in.readObject();",
        ),
    ),
    # What a value of a type, an operator or a replacement lets through.
    ("go", "a field of any type"): (
        GO
        % (
            "type body struct { Code any }",
            "\tvar b body\n\tjson.NewDecoder(r.Body).Decode(&b)\n"
            '\tcodes.FindOne(r.Context(), bson.M{"code": b.Code})',
        ),
        GO
        % (
            "type body struct { Code string }",
            "\tvar b body\n\tjson.NewDecoder(r.Body).Decode(&b)\n"
            '\tcodes.FindOne(r.Context(), bson.M{"code": b.Code})',
        ),
    ),
    ("javascript", "one character of many, or all of them"): (
        EXPRESS % ("", "res.send('<p>' + a.replace(/[&<>]/, '') + '</p>');"),
        EXPRESS % ("", "res.send('<p>' + a.replace(/[&<>]/g, (c) => MAP[c]) + '</p>');"),
    ),
    ("javascript", "what is put back as it was"): (
        EXPRESS % ("", "res.send('<p>' + a.replace(/[&<>]/g, (c) => c) + '</p>');"),
        EXPRESS % ("", "res.send('<p>' + a.replace(/[&<>]/g, (c) => MAP[c]) + '</p>');"),
    ),
    ("javascript", "a pattern of lines"): (
        EXPRESS % ("", "if (!/^[a-z]+$/m.test(a)) return;\nfs.readFile('/srv/' + a);"),
        EXPRESS % ("", "if (!/^[a-z]+$/.test(a)) return;\nfs.readFile('/srv/' + a);"),
    ),
    ("javascript", "a pattern with a dot that stands alone"): (
        EXPRESS % ("", "if (!/^[a-z./]+$/.test(a)) return;\nfs.readFile('/srv/' + a);"),
        EXPRESS % ("", "if (!/^[a-z]+(\\.[a-z]+)?$/.test(a)) return;\nfs.readFile('/srv/' + a);"),
    ),
    ("python", "a helper that every caller gives what is fit"): (
        flask("run('ls ' + request.args['a'])", "def run(line):\n    os.system('x ' + line)\n"),
        flask("run('ls')", "def run(line):\n    os.system('x ' + line)\n"),
    ),
    # What is asked of the addresses that a host has.
    ("python", "an address that is only not one's own"): (
        flask(RESOLVED % "is_loopback", "import ipaddress, requests, socket"),
        flask(RESOLVED % "is_private", "import ipaddress, requests, socket"),
    ),
    ("go", "an address that is only not one's own"): (
        GO % ("", RESOLVED_GO % "IsMulticast"),
        GO % ("", RESOLVED_GO % "IsPrivate"),
    ),
    ("python", "a word, and one of a few"): (
        FASTAPI % "str",
        FASTAPI % "Literal['a', 'b']",
    ),
    ("python", "a table that a call has made, read as a whole"): (
        flask(
            "known = dict(TEXTS)\nknown['note'] = request.args['a']\n"
            "os.system(' '.join(known[one] for one in ('a', 'note')))",
            "from texts import TEXTS",
        ),
        flask(
            "known = dict(TEXTS)\nnote = request.args['a']\n"
            "os.system(' '.join(known[one] for one in ('a', 'b')))",
            "from texts import TEXTS",
        ),
    ),
    ("javascript", "an address that can be read, and one of a list"): (
        EXPRESS % ("", "if (!URL.canParse(a)) return;\nfetch(a);"),
        EXPRESS % ("", "if (!HOSTS.has(new URL(a).hostname)) return;\nfetch(a);"),
    ),
    ("javascript", "a file below a root"): (
        EXPRESS % ("", "res.sendFile('/srv/' + a, { dotfiles: 'deny' });"),
        EXPRESS % ("", "res.sendFile(a, { root: '/srv' });"),
    ),
    ("go", "a template that escapes nothing"): (
        'package p\nimport ("net/http"; "text/template")\n' + PAGE_GO,
        'package p\nimport ("net/http"; "html/template")\n' + PAGE_GO,
    ),
}  # fmt: skip
"""By language: a check or a change of a value that is not enough, and one that is."""


@pytest.mark.parametrize(("language", "name"), CHECKS)
def test_the_fault_of_a_pair_is_found_alone(language: str, name: str) -> None:
    fault, fit = CHECKS[language, name]
    assert (count_flows(fault, language), count_flows(fit, language)) == (1, 0)
